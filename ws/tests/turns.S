/* 8 instructions in each of SIZE turns, 2 before and 3 after them. The e-th
   turn, from 1, writes to page e / 512 modulo 64 at t = 8e. */

#include "asm.inc"

START
        xor     %ebx, %ebx
        mov     $SIZE, %ecx
1:      inc     %ebx
        mov     %ebx, %eax
        shr     $9, %eax
        and     $63, %eax
        shl     $12, %eax
        incb    pages(%rax)
        dec     %ecx
        jnz     1b
        EXIT

        .bss
        .balign 4096
pages:  .skip   64 * 4096
