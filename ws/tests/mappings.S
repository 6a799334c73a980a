/* Makes SIZE mappings of a page each, reads a byte of each, unmaps them one
   by one, and does all that once more. They lie side by side and differ in what
   they allow, so that the kernel cannot merge them.

   10 instructions, two rounds of 2 + 13 * SIZE + 2 + 6 * SIZE + 2, and
   3. The j-th page, from 0, is read by the 10th of its 13 instructions. */

#include "asm.inc"

START
        mov     $9, %eax                /* mmap: room for all of them */
        xor     %edi, %edi
        mov     $SIZE * 4096, %rsi
        xor     %edx, %edx
        mov     $0x22, %r10d            /* private, anonymous */
        mov     $-1, %r8
        xor     %r9d, %r9d
        syscall
        mov     %rax, %rbx
        mov     $2, %ebp                /* the 10th instruction */

0:      mov     $SIZE, %r12d
        mov     %rbx, %rdi
1:      mov     $9, %eax                /* mmap */
        mov     $4096, %esi
        mov     %r12d, %edx
        and     $1, %edx
        lea     1(%rdx, %rdx), %edx     /* to read, or to read and write */
        mov     $0x32, %r10d            /* private, anonymous, fixed */
        mov     $-1, %r8
        xor     %r9d, %r9d
        syscall
        mov     (%rdi), %al
        add     $4096, %rdi
        dec     %r12d
        jnz     1b

        mov     $SIZE, %r12d
        mov     %rbx, %rdi
2:      mov     $11, %eax               /* munmap */
        mov     $4096, %esi
        syscall
        add     $4096, %rdi
        dec     %r12d
        jnz     2b
        dec     %ebp
        jnz     0b

        EXIT
