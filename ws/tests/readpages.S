/* read() into 1,000 fresh pages.

   T = 1, tau = 1. At t = 4 open() reads its path, from one page; at t = 9
   read() writes 1,000 pages; nothing else accesses data. The memory belongs
   to the time of the system call, so these rows and no others show it.
   With --ws-syscalls=no: nothing at all.
   Averages over 1..12: data 1001/12 = 83.4; total 1001. */

        .text
        .balign 4096
        .globl _start
_start:
        mov     $2, %eax                /* 1: open("/dev/zero", O_RDONLY) */
        lea     path(%rip), %rdi        /* 2 */
        xor     %esi, %esi              /* 3 */
        syscall                         /* 4 */
        mov     %eax, %edi              /* 5: read(fd, pages, 1000 pages) */
        xor     %eax, %eax              /* 6 */
        lea     pages(%rip), %rsi       /* 7 */
        mov     $1000 * 4096, %edx      /* 8 */
        syscall                         /* 9 */
        mov     $60, %eax               /* 10: exit(0) */
        xor     %edi, %edi              /* 11 */
        syscall                         /* 12 */

        .data
        .balign 4096
path:   .asciz  "/dev/zero"

        .bss
        .balign 4096
pages:  .skip   1000 * 4096

        .section .note.GNU-stack, "", @progbits
