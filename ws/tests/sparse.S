/* Reads a byte of each of SIZE pages: of the j-th one, from 0, at t = 10 + 4j.
   The end is at 9 + 4 * SIZE + 3. What is only read is one page of zeros in
   most kernels: it takes no memory but for page tables. */

#include "asm.inc"

START
        mov     $9, %eax                /* mmap */
        xor     %edi, %edi
        mov     $SIZE * 4096, %rsi
        mov     $1, %edx                /* to read */
        mov     $0x4022, %r10d          /* private, anonymous, no reserve */
        mov     $-1, %r8
        xor     %r9d, %r9d
        syscall
        mov     $SIZE, %ecx            /* the 9th instruction */
1:      add     (%rax), %dl
        add     $4096, %rax
        dec     %ecx
        jnz     1b
        EXIT
