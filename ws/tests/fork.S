/* The parent and its child have a life and a report each.

   T = 1, tau = 100: nothing ever leaves a window, so rows only grow.

   The parent executes 16 instructions in page P0; it stores to A at 1, to B
   at 12 and to A again at 13, after the child has gone.
     WSS_insn 1 throughout; WSS_data 1 for 1..11, 2 for 12..16.
     Averages 1.0 and (11*1 + 5*2)/16 = 1.3. Totals 1, 2.

   The child's time begins after the fork. It executes 8 instructions, the
   first 2 in P0 and the others in P1; it stores to B, C, D at 3, 4, 5. A and
   what the parent does later are none of its business.
     WSS_insn 1 for 1..2, 2 for 3..8; WSS_data 0 for 1..2, then 1, 2, 3 3 3 3.
     Averages (2*1 + 6*2)/8 = 1.8 (1.75), (1+2+3*4)/8 = 1.9 (1.875).
     Totals 2, 3. */

#include "asm.inc"

START                                   /* page P0 */
        movb    $1, A(%rip)             /* 1 */
        mov     $57, %eax               /* 2: fork() */
        syscall                         /* 3 */
        test    %eax, %eax              /* 4, the child's 1 */
        jz      child                   /* 5, the child's 2 */
        mov     $61, %eax               /* 6: wait4(-1, NULL, 0, NULL) */
        mov     $-1, %rdi               /* 7 */
        xor     %esi, %esi              /* 8 */
        xor     %edx, %edx              /* 9 */
        xor     %r10d, %r10d            /* 10 */
        syscall                         /* 11 */
        movb    $1, B(%rip)             /* 12 */
        movb    $1, A(%rip)             /* 13 */
        EXIT                            /* 14 to 16 */

        .balign 4096
child:                                  /* page P1 */
        movb    $1, B(%rip)             /* 3 */
        movb    $1, C(%rip)             /* 4 */
        movb    $1, D(%rip)             /* 5 */
        EXIT                            /* 6 to 8 */

        .bss
        .balign 4096
A:      .skip   4096
B:      .skip   4096
C:      .skip   4096
D:      .skip   4096
