/* Runs for ever at a steady pace, and says how far it is: it writes a byte for
   every 8,000,007 instructions, the j-th at t = j * 8,000,007.

   1 + 8 * 1,000,000 + 5 instructions and the jump back make a round; with the
   one before the first round, the system call of round j is instruction
   1 + (j - 1) * 8,000,007 + 8,000,006 = j * 8,000,007.

   Every 512 turns of the inner loop (4,096 instructions) it goes on to the
   next of 64 pages. */

#include "asm.inc"

START
        xor     %ebx, %ebx
0:      mov     $1000000, %ecx
1:      inc     %ebx
        mov     %ebx, %eax
        shr     $9, %eax
        and     $63, %eax
        shl     $12, %eax
        incb    pages(%rax)
        dec     %ecx
        jnz     1b
        mov     $1, %eax                /* write(1, pages, 1) */
        mov     %eax, %edi
        lea     pages(%rip), %rsi
        mov     $1, %edx
        syscall
        jmp     0b

        .bss
        .balign 4096
pages:  .skip   64 * 4096
