/* 64 threads, each of which works when the one before has ended. Before that,
   all of them are begun, and wait, and the first thread sleeps for as long as
   that may take. In which order they do so is not known, but none of them
   accesses data then, and all code is in one page: so W is known at all times.

   Thread n = 0..63 executes 2 + 6 + 1 + 1 + 2 * (50 + n) + 1 + 3 = 114 + 2n
   instructions, and the first one 1 + 64 * (11 + 3) + 10: 12235 in all. */

#include "asm.inc"

        .text
        .balign 4096
        .globl  _start
        .type   _start, @function
_start: xor     %r12d, %r12d            /* 1: n */
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
        inc     %r12d                   /* 3 */
        cmp     $64, %r12d
        jne     1b

        mov     $218, %eax              /* 10: set_tid_address(&running) */
        lea     running, %rdi
        syscall
        mov     $35, %eax               /* nanosleep(two seconds) */
        lea     pause, %rdi
        xor     %esi, %esi
        syscall
        EXIT

        .size   _start, . - _start

        .type   thread, @function
thread: mov     $202, %eax              /* 6: futex(&running[n], WAIT, 1) */
        lea     running(,%r12,4), %rdi
        xor     %esi, %esi
        mov     $1, %edx
        xor     %r10d, %r10d
        syscall
        incb    shared                  /* 1 */
        lea     50(%r12), %ecx          /* 1 */
2:      dec     %ecx
        jnz     2b
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
