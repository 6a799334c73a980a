/* Two lines of one new region in one segment, then the second line of the next
   region, with pages of 64 bytes: the table of marks has a chunk for each
   2.7 MiB, and all that have not been touched yet are one and the same.

   t     code  data    what
   1-3   L0    -       two addresses, jump
   4     L0    A       store to the first line of A
   5     L0    A+256   store to another line of it, in the same segment
   6     L0    -       jump
   7     L0    B+256   store 4 MiB behind that one
   8-10  L0    -       exit(0)

   With T = 10 the only sample is at the end: code 1, data 3. */

#include "asm.inc"

START
        lea     A(%rip), %rsi           /* 1 */
        lea     B(%rip), %rdi           /* 2 */
        jmp     1f                      /* 3 */
1:      movb    $1, (%rsi)              /* 4 */
        movb    $1, 256(%rsi)           /* 5 */
        jmp     2f                      /* 6 */
2:      movb    $1, 256(%rdi)           /* 7 */
        EXIT                            /* 8 to 10 */

        .bss
        .balign 4096
A:      .skip   4 << 20
B:      .skip   4 << 20
