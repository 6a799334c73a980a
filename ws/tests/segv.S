/* A hundred caught segmentation faults; the handler steps over the store.

   13 instructions before the loop; in each of 100 turns 4 nops, a store, the
   store that faults, 2 + 2 instructions of handler and restorer, dec and jump;
   3 to exit. That is 13 + 100 * 11 + 3 = 1,116 instructions that complete.

   The manual states a limit: what has been executed of a straight piece of code
   when it faults is not counted. In the first turn that piece begins after the
   system call: 7 + 5 instructions. In the 99 others it begins at the loop: 5.
   So 1,116 - 12 - 99 * 5 = 609, and no other number.

   With pages of 65,536 bytes, and system calls not counted: 1 of code; of data
   that of "action" and "left" and that of the stack. The store before the fault
   belongs to the piece that does not count.

   The turns are counted in memory: a register changed before the store need
   not be up to date in Valgrind's signal frame. */

        .set    turns, 100

        .text
        .balign 4096
        .globl _start
_start:
        mov     $13, %eax               /* rt_sigaction(SIGSEGV, ...) */
        mov     $11, %edi
        lea     action(%rip), %rsi
        xor     %edx, %edx
        mov     $8, %r10d
        syscall                         /* 6 */
        lea     stack_top(%rip), %rsp
        .rept   6
        nop
        .endr                           /* 13 */
0:      .rept   4
        nop
        .endr
        movb    $1, before(%rip)
fault:  movb    $1, 8                   /* no page there */
after:  decl    left(%rip)
        jnz     0b
        mov     $60, %eax               /* exit(0) */
        xor     %edi, %edi
        syscall

handler:
        addq    $after - fault, 168(%rdx)       /* rip in the ucontext */
        ret
restorer:
        mov     $15, %eax               /* rt_sigreturn */
        syscall

        .data
        .balign 4096
action: .quad   handler, 0x04000004, restorer, 0    /* restorer, siginfo */
left:   .long   turns

        .bss
        .balign 65536
before: .skip   65536
        .skip   65536 - 256
stack_top:
        .skip   256

        .section .note.GNU-stack, "", @progbits
