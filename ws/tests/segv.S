/* Three hundred caught faults: a hundred stores to no page, a hundred divisions
   by zero, and a hundred stores that one of VEX's helpers makes. The handler
   goes on behind each.

   21 instructions before the first loop; in each of its 100 turns 4 nops, a
   store, the store that faults, 3 + 2 instructions of handler and restorer, dec
   and jump; 3 between the loops; in each of 100 turns of the second 4 nops, a
   store, 2 xors, the division that faults, 3 + 2, dec and jump; again 3 between,
   and in each of 100 turns of the third as many as in the first; 3 to exit. That
   is 21 + 100 * 12 + 3 + 100 * 14 + 3 + 100 * 12 + 3 = 3,830 instructions that
   complete.

   What precedes a fault counts, but for the first fault in its code, whose
   straight piece is lost. It begins after the second system call: 7 + 5
   instructions. So 3,830 - 12 = 3,818, and no other number.

   VEX would compute the quotient where it is used, at the store behind, after
   instructions that are counted earlier, if nothing kept it from that.

   With pages of 65,536 bytes, and system calls not counted: 1 of code; of data
   that of "action" and "left", the one stored to before each fault, and the
   stack.

   The turns are counted in memory: a register changed before the fault need
   not be up to date in Valgrind's signal frame. */

#include "asm.inc"

        .set    turns, 100

        .macro  action signal           /* 6: rt_sigaction(signal, ...) */
        mov     $13, %eax
        mov     $\signal, %edi
        lea     action(%rip), %rsi
        xor     %edx, %edx
        mov     $8, %r10d
        syscall
        .endm

        .macro  divide                  /* by zero; the quotient is wanted */
        xor     %edx, %edx
        xor     %ecx, %ecx
        div     %ecx
        mov     $1, %edx
        mov     %eax, before(%rip)
        mov     $1, %eax
        .endm

        .macro  loop fault:vararg       /* 3 before it */
        movl    $turns, left(%rip)
        lea     2f(%rip), %rax
        mov     %rax, behind(%rip)
1:      .rept   4
        nop
        .endr
        movb    $1, before(%rip)
        \fault
        hlt                             /* not reached */
2:      decl    left(%rip)
        jnz     1b
        .endm

START
        action  11
        nop
        nop
        action  8                       /* 14 */
        lea     stack_top(%rip), %rsp
        .rept   3
        nop
        .endr
        loop    movb $1, 8              /* no page there */
        loop    divide
        loop    data16 fnsave 16        /* no page there */
        EXIT

handler:
        mov     behind(%rip), %rax
        mov     %rax, 168(%rdx)         /* rip in the ucontext */
        ret
restorer:
        mov     $15, %eax               /* rt_sigreturn */
        syscall

        .data
        .balign 4096
action: .quad   handler, 0x04000004, restorer, 0    /* restorer, siginfo */
behind: .quad   0
left:   .long   0

        .bss
        .balign 65536
before: .skip   65536
        .skip   65536 - 256
stack_top:
        .skip   256
