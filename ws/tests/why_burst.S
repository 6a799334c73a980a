/* Writes one byte to each of 300 pages, again and again, for 10^8 instructions;
   with an argument, once in the middle to each of 500 further pages as well.

   A turn is 1 + 300 * 4 + 2 = 1,203 instructions; there are two halves, each of
   1 + 41,600 turns + 2:

   2 + 2 * (3 + 41,600 * 1,203) + 2 + 3 = 100,089,613

   and with the burst 1 + 500 * 4 + 1 = 2,002 more. */

        .text
        .globl _start
        .type   _start, @function
_start:
        mov     (%rsp), %r8             /* argc */
        mov     $2, %r9d
half:   mov     $41600, %ecx
turn:   mov     $pages, %eax
page:   incb    (%rax)
        add     $4096, %rax
        cmp     $pages + 300 * 4096, %rax
        jne     page
        dec     %ecx
        jnz     turn
        dec     %r9d
        jz      end
        cmp     $1, %r8
        je      half
        mov     $pages + 300 * 4096, %eax
burst:  incb    (%rax)
        add     $4096, %rax
        cmp     $pages + 800 * 4096, %rax
        jne     burst
        jmp     half
end:    mov     $60, %eax               /* exit(0) */
        xor     %edi, %edi
        syscall
        .size   _start, . - _start

        .bss
        .balign 4096
pages:  .skip   800 * 4096

        .section .note.GNU-stack, "", @progbits
