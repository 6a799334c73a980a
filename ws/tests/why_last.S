/* A peak at the very last instruction: 249 pages that are written once each.

   1 + 2 * 49,498 + 3 = 99,000 instructions, 1 + 249 * 4 + 3 = 1,000 more. */

        .text
        .globl _start
        .type   _start, @function
_start: mov     $49498, %ecx
1:      dec     %ecx
        jnz     1b
        mov     $pages, %eax
        nop
        nop
        mov     $249, %ecx
2:      incb    (%rax)
        add     $4096, %rax
        dec     %ecx
        jnz     2b
        mov     $60, %eax               /* exit(0) */
        xor     %edi, %edi
        syscall
        .size   _start, . - _start

        .bss
        .balign 4096
pages:  .skip   249 * 4096

        .section .note.GNU-stack, "", @progbits
