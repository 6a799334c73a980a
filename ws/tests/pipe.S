/* System calls that straddle pages, and one that transfers less than it was
   offered.

   T = 1, tau = 1:

   t    data       what
   3    F0 F1      pipe() writes two ints, one on each side of a boundary
   5    F1         load of the second
   8    S0-S3      write() reads 1 + 4096 + 4096 + 1 bytes
   10   F0         load of the first
   13   B0-B2      read() is offered 10 pages but writes 8,194 bytes: 3 pages

   Nothing at all other times; 16 instructions.
   With --ws-syscalls=no: only t = 5 and t = 10.
   Averages: data 11/16 = 0.7; without system calls 2/16 = 0.1. Total
   2 + 4 + 3 = 9; without system calls 2. */

#include "asm.inc"

START
        mov     $22, %eax               /* 1: pipe(fds) */
        lea     fds(%rip), %rdi         /* 2 */
        syscall                         /* 3 */
        mov     $1, %eax                /* 4: write(fds[1], source, 8194) */
        mov     fds+4(%rip), %edi       /* 5 */
        lea     source(%rip), %rsi      /* 6 */
        mov     $8194, %edx             /* 7 */
        syscall                         /* 8 */
        xor     %eax, %eax              /* 9: read(fds[0], buffer, 10 pages) */
        mov     fds(%rip), %edi         /* 10 */
        lea     buffer(%rip), %rsi      /* 11 */
        mov     $10 * 4096, %edx        /* 12 */
        syscall                         /* 13 */
        EXIT                            /* 14 to 16 */

        .bss
        .balign 4096
        .skip   4092
fds:    .skip   8                       /* F0, F1 */
        .balign 4096
        .skip   4095
source: .skip   8194                    /* S0 to S3 */
        .balign 4096
buffer: .skip   10 * 4096               /* B0 to B9 */
