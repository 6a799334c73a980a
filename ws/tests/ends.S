/* The ways in which a program of one thread can end, each after a number of
   instructions that is known: which one, argv[1] says.

   1 to 3 are what comes before the loop, 4 to 3003 the loop, 3004 is the jump.
   An access that faults takes with it what was executed since the last jump:
   here that is nothing. An instruction that cannot be executed at all has been
   fetched, and counts.

   Data pages (system calls not counted): A, the stack, the table of jumps. */

#include "asm.inc"

START
        mov     16(%rsp), %rsi          /* 1: argv[1] */
        movzbl  (%rsi), %ebx            /* 2 */
        mov     $1000, %ecx             /* 3 */
1:      incb    A(%rip)
        dec     %ecx
        jnz     1b
        jmp     *ways - 8 * 'a'(,%rbx,8)    /* 3004 */

a:      mov     $231, %eax              /* 3007: exit_group(3) */
        mov     $3, %edi
        syscall

b:      mov     $60, %eax               /* 3007: exit(4) */
        mov     $4, %edi
        syscall

c:      movb    $1, 0                   /* 3004: SIGSEGV */

d:      ud2                             /* 3005: SIGILL; Valgrind knows it */

e:      .byte   0x06                    /* 3005: what it does not know */

f:      jmp     *nowhere(%rip)          /* 3005: SIGSEGV at the next one */

g:      mov     $39, %eax               /* 3010: kill(getpid(), SIGTERM) */
        syscall
        mov     %eax, %edi
        mov     $15, %esi
        mov     $62, %eax
        syscall
        jmp     .

h:      mov     $39, %eax               /* 3010: kill(getpid(), SIGKILL) */
        syscall
        mov     %eax, %edi
        mov     $9, %esi
        mov     $62, %eax
        syscall
        jmp     .

i:      xor     %edx, %edx              /* 3006, the third: SIGFPE */
        jmp     2f
2:      div     %edx

        .section .rodata
        .balign 8
ways:   .quad   a, b, c, d, e, f, g, h, i
nowhere: .quad  16

        .bss
        .balign 4096
A:      .skip   4096
