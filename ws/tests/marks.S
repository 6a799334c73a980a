/* Phases, to the instruction: marks before, at and behind samples, pages on
   both sides of a mark, pages that are mapped anew.  A client request is one
   instruction, though it is made of five, and another one loads its argument.

   A to D and M are pages of data, P0 and P1 of code.  T = 10:

   label          phase     insn  data       samples: WSS_data, WSS_dirty
   early          (0,3]     P0    A
   both sides     (3,7]     P0    A B
   empty          (7,9]     P0    -
   at one         (9,20]    P0    A B C      10: 2 (A B) 2, 20: 2 (A C) 1 (A)
   right behind   (20,22]   P1    -
   stopped        (22,24]   P1    -
   nothing        (24,24]   -     -
   anew           (24,40]   P1    M          30: 0 0, 40: 1 1
   unmapped       (40,47]   P1    -
   again          (47,50]   P1    M          50: 1 1
                  (50,83]   P1    A          60: 1 0, 70: 0 0, 80: 0 0

   C is only read; D is written, and by execve read, while time stands still.  It
   fails once more at 60, and the sample has what the kernel reads of A.  A
   returns, but to no window that reaches back to 12.
   Total 2, 4; M is mapped anew twice, the first time between two accesses of one
   interval and phase.  A window and the interval behind it have P0 P1, and A B C:
   that is the bound.  Most are resident when M comes, P1 has come at 21. */

#include "asm.inc"
#include "request.inc"

START                                   /* page P0 */
        movb    $1, A(%rip)             /* 1 */
        request MARK, "early"           /* 3 */
        movb    $1, A(%rip)             /* 4 */
        movb    $1, B(%rip)             /* 5 */
        request MARK, "both sides"      /* 7 */
        request MARK, "empty"           /* 9 */
        movb    $1, B(%rip)             /* 10 */
        add     C(%rip), %ebp           /* 11 */
        movb    $1, A(%rip)             /* 12 */
        .rept   5
        nop                             /* 13 to 17 */
        .endr
        jmp     1f                      /* 18 */
        .org    4096 - 26               /* up to the end of P0 */
1:      request MARK, "at one"           /* 20 */
        request MARK, "right behind"    /* 22, page P1 */
        request STOP                    /* 24 */
        request MARK, "stopped"         /* 24 */
        movb    $1, D(%rip)
        request MARK, "nothing"         /* 24 */
        mov     $59, %eax               /* execve fails */
        lea     D(%rip), %rdi
        syscall
        request START_
        mov     $3, %edx                /* 25: for mmap; to read and write */
        mov     $0x32, %r10d            /* 26: private, anonymous, fixed */
        mov     $-1, %r8                /* 27 */
        xor     %r9d, %r9d              /* 28 */
        lea     M(%rip), %rdi           /* 29 */
        mov     $4096, %esi             /* 30 */
        movb    $1, (%rdi)              /* 31 */
        mov     $11, %eax               /* 32: munmap */
        syscall                         /* 33 */
        mov     $9, %eax                /* 34: mmap */
        syscall                         /* 35 */
        movb    $1, (%rdi)              /* 36 */
        nop                             /* 37 */
        nop                             /* 38 */
        request MARK, "anew"            /* 40 */
        mov     $11, %eax               /* 41 */
        syscall                         /* 42 */
        mov     $9, %eax                /* 43 */
        mov     $3, %edx                /* 44: a request has changed it */
        syscall                         /* 45 */
        request MARK, "unmapped"        /* 47 */
        movb    $1, (%rdi)              /* 48 */
        request MARK, "again"           /* 50 */
        mov     $59, %eax               /* 51: execve */
        lea     A(%rip), %rdi           /* 52 */
        xor     %esi, %esi              /* 53 */
        xor     %edx, %edx              /* 54 */
        .rept   5
        nop                             /* 55 to 59 */
        .endr
        syscall                         /* 60 */
        .rept   20
        nop                             /* 61 to 80 */
        .endr
        EXIT                            /* 81 to 83 */

        .bss
        .balign 4096
A:      .skip   4096
B:      .skip   4096
C:      .skip   4096
D:      .skip   4096
M:      .skip   4096
