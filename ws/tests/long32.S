/* x86: more than 2^32 instructions, 1 + 64 * 67,200,000 + 3 = 4,300,800,004.
   Each turn touches the same page of data. */

        .text
        .balign 4096
        .globl _start
_start:
        mov     $67200000, %ecx
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

        .section .note.GNU-stack, "", @progbits
