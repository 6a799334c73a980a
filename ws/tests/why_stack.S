/* Call stacks that are known at every instruction: the comments say as which
   one an instruction is executed.
   The first and the last samples of short intervals see two pages more.

   The unwinder needs the CFI: of the functions, most have no frame pointer, and
   one has something else in %rbp. Whoever takes the program counter of one
   instruction and the stack pointer of another one gets it wrong. */

#define ENTER(name)  .type name, @function; name: .cfi_startproc
#define LEAVE(name)  .cfi_endproc; .size name, . - name
#define PUSHED       .cfi_adjust_cfa_offset 8
#define POPPED       .cfi_adjust_cfa_offset -8

        .text
        .globl _start
ENTER(_start)
        .cfi_undefined rip
        xor     %ebp, %ebp              /* 1 */
        call    framed                  /* 2 */
        call    spin                    /* 23 */
        call    border                  /* 232 */
        nop                             /* 237 */
        mov     $60, %eax               /* 238 */
        xor     %edi, %edi              /* 239 */
        syscall                         /* 240 */
        hlt
LEAVE(_start)

ENTER(framed)
        push    %rbp                    /* 3 */
        .cfi_def_cfa_offset 16
        .cfi_offset rbp, -16
        mov     %rsp, %rbp              /* 4 */
        .cfi_def_cfa_register rbp
        sub     $48, %rsp               /* 5 */
        push    %rdx                    /* 6 */
        call    other_rbp               /* 7 */
        pop     %rdx                    /* 20 */
        leave                           /* 21 */
        .cfi_def_cfa rsp, 8
        .cfi_restore rbp
        ret                             /* 22 */
LEAVE(framed)

ENTER(other_rbp)
        push    %rbp                    /* 8 */
        PUSHED
        .cfi_rel_offset rbp, 0
        mov     $12345, %ebp            /* 9 */
        push    %rcx                    /* 10 */
        PUSHED
        call    border                  /* 11 */
        pop     %rcx                    /* 16 */
        POPPED
        nop                             /* 17 */
        pop     %rbp                    /* 18 */
        POPPED
        .cfi_restore rbp
        ret                             /* 19 */
LEAVE(other_rbp)

ENTER(spin)
        sub     $24, %rsp               /* 24 */
        .cfi_def_cfa_offset 32
        .rept   6
        nop; nop; nop; nop              /* 25..48 */
        .endr
        mov     $60, %ecx               /* 49 */
turn:   nop                             /* 50..227 by 3 */
        dec     %ecx                    /* 51..228 by 3 */
        jnz     turn                    /* 52..229 by 3 */
        add     $24, %rsp               /* 230 */
        .cfi_def_cfa_offset 8
        ret                             /* 231 */
LEAVE(spin)

        /* In two pages that have nothing else. */
        .balign 4096
        .skip   4094
ENTER(border)
        nop                             /* 12, 233 */
        nop                             /* 13, 234 */
        xor     %edx, %edx              /* 14, 235 */
        ret                             /* 15, 236 */
LEAVE(border)
        .balign 4096

        /* Valgrind 3.19 reads names only of what has a part to be written. */
        .data
        .byte   0

        .section .note.GNU-stack, "", @progbits
