/* 64 threads, of which the numbers of instructions and pages are known.

   Without an argument, each works when the one before has ended. Before that,
   all of them are begun, and wait, and the first thread sleeps for as long as
   that may take. In which order they do so is not known, but none of them
   accesses data then, and all code is in one page: so W is known at all times.
   With an argument, all of them work at the same time.

   Thread n = 0..63 executes 4 + 1 + 1 + 2 * (50 + n) + 1 + 3 = 110 + 2n
   instructions, and 6 more where it waits. The first one executes

   one by one:   4 + 64 * (11 + 3) + 2 + 10,   in all
                 912 + 64 * 116 + 2 * 2016 = 12368
   all at once:  4 + 64 * (11 + 3) + 2 + 1 + 64 * (6 + 3) + 3,   in all
                 1482 + 64 * 110 + 2 * 2016 = 12554

   All data pages (system calls not counted): the 64 stacks and one more, each
   thread writes its own and that one; the stack of the first thread. */

#include "asm.inc"

        .macro  wait word               /* 6: futex(&word[n], WAIT, 1) */
        mov     $202, %eax
        lea     \word(,%r12,4), %rdi
        xor     %esi, %esi
        mov     $1, %edx
        xor     %r10d, %r10d
        syscall
        .endm

        .macro  again to                /* 3 */
        inc     %r12d
        cmp     $64, %r12d
        jne     \to
        .endm

        .text
        .balign 4096
        .globl  _start
        .type   _start, @function
_start: cmpl    $1, (%rsp)              /* 4 */
        mov     $0, %r12d               /* n */
        mov     $0, %r13d               /* one by one? */
        sete    %r13b
1:      mov     $56, %eax               /* 11: clone(a thread) */
        mov     $0x250f00, %edi
        mov     %r12, %rsi
        shl     $12, %rsi
        lea     stacks + 4096(%rsi), %rsi
        xor     %edx, %edx
        lea     running + 4(,%r12,4), %r10      /* 0 when it has ended */
        xor     %r8d, %r8d
        syscall
        test    %eax, %eax              /* 2 of the thread, too */
        jz      thread
        again   1b
        test    %r13d, %r13d            /* 2 */
        jz      2f

        mov     $218, %eax              /* 10: set_tid_address(&running) */
        lea     running, %rdi
        syscall
        mov     $35, %eax               /* nanosleep(two seconds) */
        lea     pause, %rdi
        xor     %esi, %esi
        syscall
        EXIT

2:      xor     %r12d, %r12d            /* 1 */
3:      wait    running + 4
        again   3b
        mov     $231, %eax              /* 3: exit_group(0) */
        xor     %edi, %edi
        syscall
        .size   _start, . - _start

        .type   thread, @function
thread: test    %r13d, %r13d            /* 2 */
        jz      4f
        wait    running
4:      incb    shared                  /* 1 */
        lea     50(%r12), %ecx          /* 1 */
5:      dec     %ecx
        jnz     5b
        movb    $1, -1(%rsp)            /* 1 */
        EXIT                            /* 3 */
        ud2                             /* here its stack is taken */
        .size   thread, . - thread

        .data
        .balign 4096
running: .fill  65, 4, 1                /* the first thread's, and theirs */
        .balign 8
pause:  .quad   2, 0

        .bss
        .balign 4096
shared: .skip   4096
stacks: .skip   64 * 4096
