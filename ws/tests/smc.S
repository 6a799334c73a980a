/* Code that writes code, moving through eight pages X1 to X8 of its own. Each
   turn writes "nop; nop; jmp *%rbp" to the page and runs it, then overwrites
   that with "nop; jmp *%rbp" at the same address and runs that. A stale
   translation would execute one instruction too many per turn. */

#include "asm.inc"

START
        mov     $9, %eax                /* mmap 8 pages, rwx */
        xor     %edi, %edi
        mov     $8 * 4096, %esi
        mov     $7, %edx
        mov     $0x22, %r10d            /* private, anonymous */
        mov     $-1, %r8
        xor     %r9d, %r9d
        syscall
        mov     %rax, %rbx
        mov     $8, %ecx

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
