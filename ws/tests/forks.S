/* A fork, and what becomes of the pages that both processes have: the child
   reads one, writes to one, unmaps one, moves one and writes to it there; writes
   to one that is mapped shared, and to a new one. Then the parent writes to one,
   and unmaps one that its child has unmapped, too. */

#include "asm.inc"

#define MAP(flags, szB)                                                       \
        mov $9, %eax; xor %edi, %edi; mov $szB, %esi; mov $3, %edx;           \
        mov $flags, %r10d; mov $-1, %r8; xor %r9d, %r9d; syscall
#define UNMAP(at)     mov $11, %eax; lea at, %rdi; mov $4096, %esi; syscall

START
        MAP(0x22, 7 * 4096)             /* private, anonymous: A to G */
        mov     %rax, %rbx
        MAP(0x21, 4096)                 /* shared, anonymous */
        mov     %rax, %rbp
        movb    $1, (%rbx)              /* instruction 19 */
        movb    $1, 0x1000(%rbx)
        movb    $1, 0x2000(%rbx)
        movb    $1, 0x3000(%rbx)
        movb    $1, (%rbp)
        mov     $57, %eax               /* fork */
        syscall
        test    %eax, %eax
        jz      child
        mov     %eax, %edi              /* its PID */
        mov     $61, %eax               /* wait4 */
        xor     %esi, %esi
        xor     %edx, %edx
        xor     %r10d, %r10d
        syscall
        movb    $2, (%rbx)              /* A: instruction 33 */
        UNMAP(0x2000(%rbx))             /* C */
        EXIT

child:  mov     (%rbx), %al             /* A: instruction 3 of the child's */
        movb    $2, 0x1000(%rbx)        /* B: no longer shared */
        UNMAP(0x2000(%rbx))             /* C: instructions 5 to 8 */
        mov     $25, %eax               /* mremap: D to F */
        lea     0x3000(%rbx), %rdi
        mov     $4096, %esi
        mov     $4096, %edx
        mov     $3, %r10d               /* may move, fixed */
        lea     0x5000(%rbx), %r8
        syscall                         /* instruction 14 */
        movb    $2, 0x5000(%rbx)        /* F: no longer shared */
        movb    $2, (%rbp)
        movb    $2, 0x4000(%rbx)        /* E: instruction 17 */
        EXIT
