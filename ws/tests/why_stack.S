/* Call stacks that are known at every instruction: why.test executes this file
   line by line, and so knows which lines are in the stack at any time. For it,
   an instruction is a line of its own, its jumps are call, ret, jmp and jnz,
   and the latter's flag is that of the dec before it.

   The unwinder needs the CFI: of the five functions two have no frame pointer,
   and one has something else in %rbp. Whoever takes the program counter of one
   instruction and the stack pointer of another one gets it wrong. */

#define ENTER(name)  .type name, @function; name: .cfi_startproc
#define LEAVE(name)  .cfi_endproc; .size name, . - name
#define PUSHED       .cfi_adjust_cfa_offset 8
#define POPPED       .cfi_adjust_cfa_offset -8

        .text
        .globl _start
ENTER(_start)
        .cfi_undefined rip
        mov     $3, %ebx
        xor     %ebp, %ebp
again:
        call    framed
        nop
        call    frameless
        dec     %ebx
        jnz     again
        call    deep
        mov     $60, %eax
        xor     %edi, %edi
        syscall
        hlt
LEAVE(_start)

ENTER(framed)
        push    %rbp
        .cfi_def_cfa_offset 16
        .cfi_offset rbp, -16
        mov     %rsp, %rbp
        .cfi_def_cfa_register rbp
        sub     $48, %rsp
        call    frameless
        mov     $2, %edx
turn:
        push    %rdx
        call    frameless
        call    other_rbp
        pop     %rdx
        dec     %edx
        jnz     turn
        nop
        nop
        leave
        .cfi_def_cfa rsp, 8
        .cfi_restore rbp
        ret
LEAVE(framed)

ENTER(frameless)
        sub     $24, %rsp
        .cfi_def_cfa_offset 32
        mov     $25, %ecx
spin:
        nop
        dec     %ecx
        jnz     spin
        call    leaf
        add     $24, %rsp
        .cfi_def_cfa_offset 8
        ret
LEAVE(frameless)

ENTER(other_rbp)
        push    %rbp
        PUSHED
        .cfi_rel_offset rbp, 0
        mov     $12345, %ebp
        push    %rcx
        PUSHED
        jmp     on
        hlt
on:
        call    leaf
        pop     %rcx
        POPPED
        nop
        call    leaf
        pop     %rbp
        POPPED
        .cfi_restore rbp
        ret
LEAVE(other_rbp)

ENTER(deep)
        push    %rcx
        PUSHED
        call    framed
        call    other_rbp
        call    border
        pop     %rcx
        POPPED
        ret
LEAVE(deep)

ENTER(leaf)
        nop
        nop
        push    %rbx
        PUSHED
        xor     %ebx, %ebx
        pop     %rbx
        POPPED
        ret
LEAVE(leaf)

        /* In two pages that have nothing else. */
        .balign 4096
        .skip   4094
ENTER(border)
        nop
        nop
        xor     %edx, %edx
        ret
LEAVE(border)
        .balign 4096

        /* Valgrind 3.19 reads names only of what has a part to be written. */
        .data
        .byte   0

        .section .note.GNU-stack, "", @progbits
