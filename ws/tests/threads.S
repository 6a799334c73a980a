/* Two threads, each of known length; time is the time of all threads.

   The first executes 13 instructions, a loop of 100,000, and 4 more, the last
   of which ends this thread but not the process. The second executes 2 + 1,
   a loop of 60,000, 1, then waits for the end of the first (however that
   goes: 6 instructions), and ends the process with 3 more.

   100,017 + 60,013 = 160,030 instructions, 2 pages of code, 2 pages of data
   (system calls not counted). */

        .text
        .balign 4096
        .globl _start
_start:
        mov     $218, %eax              /* 1: set_tid_address(&running) */
        lea     running(%rip), %rdi
        syscall
        mov     $56, %eax               /* 4: clone(a thread) */
        mov     $0x50f00, %edi
        lea     stack_top(%rip), %rsi
        xor     %edx, %edx
        xor     %r10d, %r10d
        xor     %r8d, %r8d
        syscall
        test    %eax, %eax              /* 11, or 1 of the second */
        jz      second
        mov     $50000, %ecx            /* 13 */
1:      dec     %ecx
        jnz     1b
        movb    $1, A(%rip)
        mov     $60, %eax               /* exit(0): running becomes 0 */
        xor     %edi, %edi
        syscall

        .balign 4096
second: mov     $30000, %ecx
1:      dec     %ecx
        jnz     1b
        movb    $1, B(%rip)
        mov     $202, %eax              /* futex(&running, WAIT, 1) */
        lea     running(%rip), %rdi
        xor     %esi, %esi
        mov     $1, %edx
        xor     %r10d, %r10d
        syscall
        mov     $231, %eax              /* exit_group(0) */
        xor     %edi, %edi
        syscall

        .data
        .balign 4096
running: .long  1

        .bss
        .balign 4096
A:      .skip   4096
B:      .skip   4096
        .skip   4096
stack_top:
        .skip   16

        .section .note.GNU-stack, "", @progbits
