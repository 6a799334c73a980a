/* Accesses two low pages in 100 turns, maps two pages at AT, wherever that is,
   and accesses all of them in each of 1,000 turns: the low ones with four bytes
   in both; of the others the first byte, four bytes in both, the last four
   bytes. It ends with status 3 if it does not get the pages. amd64 and x86.
   (VEX would drop loads that go unused.) */

#ifdef __x86_64__
#define BASE  %rdi
#define LOW   %rbp
#define GOT   %rax
#define EXIT(status) mov $60, %eax; mov $status, %edi; syscall
#else
#define BASE  %ebx
#define LOW   %ebp
#define GOT   %eax
#define EXIT(status) mov $1, %eax; mov $status, %ebx; int $0x80
#endif

        .text
        .balign 4096
        .globl _start
_start:
        mov     $low, %ebp
        mov     $100, %ecx
0:      add     4094(LOW), %edx
        dec     %ecx
        jnz     0b
        mov     $3, %edx                /* to read and write */
#ifdef __x86_64__
        mov     $9, %eax                /* mmap */
        mov     $AT, %rdi
        mov     $8192, %esi
        mov     $0x32, %r10d            /* private, anonymous, fixed */
        mov     $-1, %r8
        xor     %r9d, %r9d
        syscall
#else
        mov     $192, %eax              /* mmap2 */
        mov     $AT, %ebx
        mov     $8192, %ecx
        mov     $0x32, %esi
        mov     $-1, %edi
        xor     %ebp, %ebp
        int     $0x80
#endif
        cmp     BASE, GOT
        jne     2f
        mov     $low, %ebp
        mov     $1000, %ecx
1:      add     4094(LOW), %edx
        incb    (BASE)
        add     4094(BASE), %edx
        add     8188(BASE), %edx
        dec     %ecx
        jnz     1b
        EXIT(0)
2:      EXIT(3)

        .bss
        .balign 65536
low:    .skip   8192

        .section .note.GNU-stack, "", @progbits
