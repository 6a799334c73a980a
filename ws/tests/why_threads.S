/* Two threads: each instruction of the first one accesses data, and none of the
   second one's does. So a window of a single instruction tells who has executed
   it. The loops have 15,000 and 14,000 instructions. */

        .text
        .globl _start
        .type   _start, @function
_start: mov     $56, %eax               /* clone(a thread) */
        mov     $0x50f00, %edi
        lea     stack_top(%rip), %rsi
        xor     %edx, %edx
        xor     %r10d, %r10d
        xor     %r8d, %r8d
        syscall
        test    %eax, %eax
        jz      second
        mov     turns(%rip), %ecx
first:  incl    A(%rip)
        sub     one(%rip), %ecx
        mov     again(%rip), %rdx
        cmovz   last(%rip), %rdx
        push    %rdx
        ret
over:   mov     $231, %eax              /* exit_group(0) */
        xor     %edi, %edi
        syscall
        .size   _start, . - _start

        .type   second, @function
second: mov     $2000, %ecx
1:      nop
        nop
        nop
        nop
        nop
        dec     %ecx
        jnz     1b
        jmp     over
        .size   second, . - second

        .data
        .balign 4096
A:      .long   0
one:    .long   1
turns:  .long   2500
again:  .quad   first
last:   .quad   over
        .skip   4096
stack_top:
        .skip   16

        .section .note.GNU-stack, "", @progbits
