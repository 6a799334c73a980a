/* A loop of known length: 1 + 2 * 49,998 + 3 = 100,000 instructions, all in
   one page, no data. */

        .text
        .balign 4096
        .globl _start
_start:
        mov     $49998, %ecx            /* 1 */
1:      dec     %ecx                    /* 2 in each of 49,998 turns */
        jnz     1b
        mov     $60, %eax               /* 3: exit(0) */
        xor     %edi, %edi
        syscall

        .section .note.GNU-stack, "", @progbits
