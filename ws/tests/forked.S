/* The phases of a child begin with its birth, whatever its parent has marked.

   label     parent: phase, data      child: phase, data
   before    (0,2]     -
   both      (2,16]    A B            (0,5]     B
             (16,19]   -              (5,8]     -

   All in one page of code. */

#include "asm.inc"

        .macro  mark label
        lea     \label(%rip), %rax
        rol     $3, %rdi                /* the request: one instruction */
        rol     $13, %rdi
        rol     $61, %rdi
        rol     $51, %rdi
        xchg    %rbx, %rbx
        .endm

        .data
        .balign 8
before: .quad   0x57530000, 1f, 0, 0, 0, 0
both:   .quad   0x57530000, 2f, 0, 0, 0, 0
1:      .asciz  "before"
2:      .asciz  "both"

START
        mark    before                  /* 2 */
        movb    $1, A(%rip)             /* 3 */
        mov     $57, %eax               /* 4: fork() */
        syscall                         /* 5 */
        test    %eax, %eax              /* 6, the child's 1 */
        jz      1f                      /* 7, the child's 2 */
        mov     $61, %eax               /* 8: wait4(-1, NULL, 0, NULL) */
        mov     $-1, %rdi               /* 9 */
        xor     %esi, %esi              /* 10 */
        xor     %edx, %edx              /* 11 */
        xor     %r10d, %r10d            /* 12 */
        syscall                         /* 13 */
1:      movb    $1, B(%rip)             /* 14, the child's 3 */
        mark    both                    /* 16, the child's 5 */
        EXIT                            /* 17 to 19, the child's 6 to 8 */

        .bss
        .balign 4096
A:      .skip   4096
B:      .skip   4096
