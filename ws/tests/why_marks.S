/* Marks, and time that stands still, to the instruction. A client request is
   one instruction, though it is made of five; those that stop and start the
   measuring are, respectively, the last one before and the first one not to be
   measured.

   A, B, C, D are pages of data; the numbers are times. */

#include "request.inc"

        .text
        .globl _start
        .type _start, @function
_start: movb    $1, A(%rip)             /* 1 */
        request MARK, "one"             /* 3 */
        mov     B(%rip), %bl
        nop
        request SNAPSHOT, "two"         /* 7 */
        request MARK, "one"             /* 9 */
        request STOP                    /* 11 */
        movb    $1, C(%rip)
        mov     $1, %eax                /* write(1, C, 1) */
        mov     $1, %edi
        lea     C(%rip), %rsi
        mov     $1, %edx
        syscall
        request MARK, "still"           /* 11 */
        request STOP                    /* a second one does nothing */
        request SNAPSHOT, "two"         /* 11 */
        request START_
        movb    $1, D(%rip)             /* 12 */
        request START_                   /* 14: does nothing */
        request MARK, "one"             /* 16 */
        mov     $3, %ebx                /* 17 */
2:      movb    $1, A(%rip)             /* 18, 23, 28 */
        request MARK, "loop"            /* 20, 25, 30 */
        dec     %ebx
        jnz     2b
        mov     $60, %eax               /* 33: exit(0) */
        xor     %edi, %edi
        syscall                         /* 35 */
        .size   _start, . - _start

        .bss
        .balign 4096
A:      .skip   4096
B:      .skip   4096
C:      .skip   4096
D:      .skip   4096

        .section .note.GNU-stack, "", @progbits
