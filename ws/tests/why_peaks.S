/* Writes one byte to each of 300 pages, again and again; in the middle to each
   of 500 further pages as well, and once more as the last thing that it does.

   A turn is 1 + 300 * 4 + 2 = 1,203 instructions, a half 1 + 4,200 turns + 2 =
   5,052,603, and a burst 1 + 500 * 4 = 2,001; there are 10,200,000:

   1 + 2 * 5,052,603 + 2,001 + 1 + 1 + 2 * 45,392 + 2,001 + 5 */

        .macro  burst
        mov     $pages + 300 * 4096, %eax
1:      incb    (%rax)
        add     $4096, %rax
        cmp     $pages + 800 * 4096, %rax
        jne     1b
        .endm

        .text
        .globl _start
        .type   _start, @function
_start: mov     $2, %r9d
half:   mov     $4200, %ecx
turn:   mov     $pages, %eax
page:   incb    (%rax)
        add     $4096, %rax
        cmp     $pages + 300 * 4096, %rax
        jne     page
        dec     %ecx
        jnz     turn
        dec     %r9d
        jz      last
        burst
        jmp     half
last:   mov     $45392, %ecx
1:      dec     %ecx
        jnz     1b
        burst
        nop
        nop
        mov     $60, %eax               /* exit(0) */
        xor     %edi, %edi
        syscall
        .size   _start, . - _start

        .bss
        .balign 4096
pages:  .skip   800 * 4096

        .section .note.GNU-stack, "", @progbits
