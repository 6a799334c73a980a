/* A group of accesses, 50 times in each of four loops, of which the first two
   write to one half of it only, and the last to none.  When all of that is done the first time, it
   lies in a page, and the second time on both sides of a border. */

#include "asm.inc"

        .macro  turns first, second
        mov     $50, %ecx
1:      \first
        \second
        dec     %ecx
        jnz     1b
        .endm

START
        lea     pages + 64(%rip), %rsi
        mov     $2, %edx
2:      turns   "mov %rax, -8(%rsi)", "mov (%rsi), %rax"
        turns   "mov -8(%rsi), %rax", "mov %rax, (%rsi)"
        turns   "mov %rax, -8(%rsi)", "mov %rax, (%rsi)"
        turns   "mov -8(%rsi), %rax", "mov (%rsi), %rax"
        add     $4032, %rsi
        dec     %edx
        jnz     2b
        EXIT

        .bss
        .balign 4096
pages:  .skip   2 * 4096
