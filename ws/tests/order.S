/* Two ways to one page, out of order: which access was the last one?

   The page is accessed at 3, 5, 6 and 7, at 5 and 7 by one register and at 6
   by another. A tool that keeps a time for each register and writes them one
   after the other may take 6 for the last.

   The run ends at 12, with T = 12 at a sample. tau = 6: (6,12] has the access at 7, so
   WSS_data is 1; tau = 5: (7,12] has none. Data in total: that page, and the
   one of "pointer", read at 2. */

#include "asm.inc"

START
        lea     page(%rip), %rsi        /* 1 */
        mov     pointer(%rip), %rdi
        movb    $1, (%rsi)              /* 3 */
        jmp     1f
1:      movb    $1, (%rdi)              /* 5 */
        movb    $1, (%rsi)
        movb    $1, (%rdi)              /* 7 */
        nop
        jmp     2f                      /* 9 */
2:      EXIT                            /* 10 to 12 */

        .data
        .balign 4096
pointer:
        .quad   page

        .bss
        .balign 4096
page:   .skip   4096
