/* 8 instructions in each of SIZE turns, 2 before and 3 after them. The e-th
   turn, from 1, reads page e / 2^SHIFT modulo PAGES at t = 8e. What is only read
   is one page of zeros in most kernels: it takes no memory but for page tables. */

#include "asm.inc"

START
        xor     %ebx, %ebx
        mov     $SIZE, %ecx
1:      inc     %ebx
        mov     %ebx, %eax
        shr     $SHIFT, %eax
        and     $PAGES - 1, %eax
        shl     $12, %eax
        add     pages(%rax), %dl
        dec     %ecx
        jnz     1b
        EXIT

        .bss
        .balign 4096
pages:  .skip   PAGES * 4096
