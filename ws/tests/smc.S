/* Code that writes code, moving through eight pages X1 to X8 of its own. Each
   turn writes "nop; nop; jmp *%rbp" to the page and runs it, then overwrites
   that with "nop; jmp *%rbp" at the same address and runs that. A stale
   translation would execute one instruction too many per turn.

   Instructions 1 to 14 come before the loop. Turn k is 14k + 1 ... 14k + 14:

    1 lea   2 store into Xk   3 jump    4 nop  5 nop  6 jump  (4-6 in Xk)
    7 lea   8 store into Xk   9 jump   10 nop 11 jump         (10-11 in Xk)
   12 add  13 dec  14 jump

   and 127 to 129 exit: 129 instructions.

   T = tau = 14: the row at 14 shows 1 0; the row at 14(k + 1) shows the page
   of this file and Xk as code, Xk as data: 2 1.
   Averages over 14..126: code (1 + 8*2)/9 = 1.9, data 8/9 = 0.9. Totals 9, 8.
   Until the next sample, a window may have gained Xk+1: the bounds are 3, 2.
   X8 becomes data at 114, code at 116. */

#include "asm.inc"

START
        mov     $9, %eax                /* mmap 8 pages, rwx */
        xor     %edi, %edi
        mov     $8 * 4096, %esi
        mov     $7, %edx
        mov     $0x22, %r10d            /* private, anonymous */
        mov     $-1, %r8
        xor     %r9d, %r9d
        syscall                         /* 8 */
        mov     %rax, %rbx
        mov     $8, %ecx
        .rept   4
        nop
        .endr                           /* 14 */

0:      lea     1f(%rip), %rbp
        movl    $0xe5ff9090, (%rbx)     /* nop; nop; jmp *%rbp */
        jmp     *%rbx
1:      lea     2f(%rip), %rbp
        movl    $0x90e5ff90, (%rbx)     /* nop; jmp *%rbp */
        jmp     *%rbx
2:      add     $4096, %rbx
        dec     %ecx
        jnz     0b

        EXIT
