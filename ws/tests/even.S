/* Does the same all the time: 1,000 turns of 3 instructions, with two pages of
   data in each. One instruction comes before them; two pages, and one of code,
   make all working sets of a window of 3 instructions or more. The last 3
   instructions are the exit. */

#include "asm.inc"

START
        mov     $1000, %ecx
1:      addq    $1, pages+4092(%rip)
        dec     %ecx
        jnz     1b
        EXIT

        .bss
        .balign 4096
pages:  .skip   2 * 4096
