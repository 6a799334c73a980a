/* xsave with an empty mask, 1,000 times, stores the header of its area only, which
   is in another page than what comes before it there; at the end it is told to
   store that, too. 4 instructions before the loop of 3, 2 + 3 after it. */

#include "asm.inc"

START
        xor     %eax, %eax
        xor     %edx, %edx
        lea     pages+4096-512(%rip), %rdi
        mov     $1000, %ecx
1:      xsave   (%rdi)
        dec     %ecx
        jnz     1b
        mov     $1, %eax                /* the x87 state: the first 160 bytes */
        xsave   (%rdi)
        EXIT

        .bss
        .balign 4096
pages:  .skip   2 * 4096
