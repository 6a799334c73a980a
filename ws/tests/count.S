/* A loop of known length: 1 + 2 * 49,998 + 3 = 100,000 instructions, all in
   one page, no data. */

#include "asm.inc"

START
        mov     $49998, %ecx            /* 1 */
1:      dec     %ecx                    /* 2 in each of 49,998 turns */
        jnz     1b
        EXIT
