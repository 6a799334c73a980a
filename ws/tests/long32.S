/* x86: more than 2^32 instructions, 1 + 64 * SIZE + 3 = 4,300,800,004.
   The e-th turn, from 1, touches the same page of data at t = 64e - 62. */

#ifndef SIZE
#define SIZE 67200000
#endif

#include "asm.inc"

START
        mov     $SIZE, %ecx
1:      incb    page
        .rept   61
        nop
        .endr
        dec     %ecx
        jnz     1b
        mov     $1, %eax                /* exit(0) */
        xor     %ebx, %ebx
        int     $0x80

        .bss
        .balign 4096
page:   .skip   4096
