/* What was measured before an exec must not be lost, and an exec that fails
   must not end anything.

   T = 1, tau = 100, system calls not counted: stores to A, B, C at 1, 2, 8,
   so WSS_data is 1, then 2 for 2..7, then 3 for 8..12. The first execve, at 7,
   fails; the second, at 13, does not return. With system calls, the page of
   argv, which the kernel reads at 7, is one more from 8 on: the sample at 7 is
   taken before the call, which may be the program's last. */

#include "asm.inc"

START
        movb    $1, A(%rip)             /* 1 */
        movb    $1, B(%rip)             /* 2 */
        mov     $59, %eax               /* 3: execve(missing, argv, NULL) */
        lea     missing(%rip), %rdi     /* 4 */
        lea     argv(%rip), %rsi        /* 5 */
        xor     %edx, %edx              /* 6 */
        syscall                         /* 7 */
        movb    $1, C(%rip)             /* 8 */
        mov     $59, %eax               /* 9: execve(true, argv, NULL) */
        lea     true(%rip), %rdi        /* 10 */
        lea     argv(%rip), %rsi        /* 11 */
        xor     %edx, %edx              /* 12 */
        syscall                         /* 13 */
        hlt                             /* not reached */

        .data
        .balign 4096
argv:   .quad   true, 0
missing: .asciz "/nonexistent/program"
true:   .asciz  "/bin/true"

        .bss
        .balign 4096
A:      .skip   4096
B:      .skip   4096
C:      .skip   4096
