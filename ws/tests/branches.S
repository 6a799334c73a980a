/* Many short blocks with accesses between their exits, for the oracle: loops
   that VEX unrolls, branches that go either way, an aligned move (its check is
   an exit from within a block), rep with a count of zero (another), calls and
   returns, and code in three pages. */

#include "asm.inc"

START
        mov     $1, %ebx                /* the state of a random sequence */
        mov     $60, %ebp               /* turns */
turn:   imul    $1103515245, %ebx, %ebx
        add     $12345, %ebx
        mov     %ebx, %eax
        shr     $16, %eax
        and     $7, %eax                /* a page, 0 to 7 */
        shl     $12, %eax
        lea     pages(%rax), %rdi
        incq    (%rdi)
        test    $0x10000, %ebx
        jz      1f
        incb    4095(%rdi)
        test    $0x20000, %ebx
        jnz     2f
        incq    4092(%rdi)              /* straddles */
1:      movaps  pages+16(%rax), %xmm0
        movaps  %xmm0, pages+9*4096(%rip)
2:      mov     %ebx, %ecx
        shr     $20, %ecx
        and     $3, %ecx
        lea     pages+4094(%rax), %rdi
        mov     $5, %al
        rep stosb                       /* 0 to 3 bytes over the boundary */
        mov     $3, %ecx
3:      movb    $1, pages+8*4096(,%rcx,8)
        dec     %ecx
        jnz     3b
        mov     %ebx, %ecx
        shr     $24, %ecx
        and     $15, %ecx
4:      jrcxz   5f
        dec     %ecx
        incw    pages(,%rcx,8)
        jmp     4b
5:      call    far
        dec     %ebp
        jnz     turn
        EXIT

        .org    2 * 4096 - 3
far:    test    $0x40000, %ebx          /* 6 bytes, over a boundary */
        jz      6f
        push    %rbx
        pop     pages+5*4096(%rip)
6:      ret

        .bss
        .balign 4096
pages:  .skip   10 * 4096
