/* A program for fuzz.test: a few hundred instructions with a bit of all that
   options of ws are about.

   It writes "started", stores to 8 pages one after the other, waits for a
   thread that stores to a page, and forks. The child executes the program
   anew, with an argument; then it writes "again" and exits with 7, and so
   does the parent. */

        .text
        .balign 4096
        .globl _start
_start:
        mov     (%rsp), %r12            /* argc */
        lea     8(%rsp), %r13           /* argv */
        mov     $1, %eax                /* write(1, ...) */
        mov     $1, %edi
        cmp     $1, %r12
        jne     again
        lea     started(%rip), %rsi
        mov     $8, %edx
        syscall

        lea     pages(%rip), %rsi
        mov     $8, %ecx
1:      movb    $1, (%rsi)
        add     $4096, %rsi
        dec     %ecx
        jnz     1b

        mov     $56, %eax               /* clone(a thread) */
        mov     $0x350f00, %edi         /* it clears "running" when it ends */
        lea     stack_top(%rip), %rsi
        lea     running(%rip), %rdx
        lea     running(%rip), %r10
        xor     %r8d, %r8d
        syscall
        test    %eax, %eax
        jz      thread
2:      mov     running(%rip), %edx
        test    %edx, %edx
        jz      3f
        mov     $202, %eax              /* futex(&running, WAIT, as it was) */
        lea     running(%rip), %rdi
        xor     %esi, %esi
        xor     %r10d, %r10d
        syscall
        jmp     2b

3:      mov     $57, %eax               /* fork() */
        syscall
        test    %eax, %eax
        jz      child
        mov     %eax, %edi
        mov     $61, %eax               /* wait4(child, &status, 0, NULL) */
        lea     status(%rip), %rsi
        xor     %edx, %edx
        xor     %r10d, %r10d
        syscall
        mov     status+1(%rip), %dil    /* the child's exit code */
        jmp     exit

child:  mov     (%r13), %rdi
        mov     %rdi, argv(%rip)
        mov     $59, %eax               /* execve(argv[0], ...) */
        lea     argv(%rip), %rsi
        lea     8(%r13,%r12,8), %rdx    /* the same environment */
        syscall
        hlt                             /* not reached */

thread: movb    $1, pages(%rip)
        mov     $60, %eax               /* exit(0): of this thread */
        xor     %edi, %edi
        syscall

again:  lea     said_again(%rip), %rsi
        mov     $6, %edx
        syscall
        mov     $7, %edi
exit:   movzbl  %dil, %edi
        mov     $231, %eax              /* exit_group() */
        syscall

        .data
started: .ascii "started\n"
said_again: .ascii "again\n"
again_too: .asciz "again"
        .balign 8
argv:   .quad   0, again_too, 0
running: .long  0
status: .long   0

        .bss
        .balign 4096
pages:  .skip   8 * 4096
        .skip   4096
stack_top:
        .skip   16

        .section .note.GNU-stack, "", @progbits
