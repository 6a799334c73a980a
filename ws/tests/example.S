/* The worked example of the specification: one data access per instruction,
   pages A A B C | C C C C | A D A D, then three instructions to exit.

   t        1 2 3 4   5 6 7 8   9 10 11 12  13 14 15
   page     A A B C   C C C C   A  D  A  D

   T = 4, tau = 4:  WSS_data(4)  = |{A,B,C}| = 3   window (0,4]
                    WSS_data(8)  = |{C}|     = 1   window (4,8]
                    WSS_data(12) = |{A,D}|   = 2   window (8,12]
                    average (3+1+2)/3 = 2.0, peak 3, total 4
   T = 4, tau = 8:  3, 3 (A,B,C), 3 (A,C,D)
   T = 4, tau = 2:  2 (B,C), 1, 2
   T = 4, tau = 6:  3, 2 (B,C of (2,8]), 3 (C,A,D of (6,12])
   WSS_insn is 1 in every row but that of t = 0.

   A store has 7 bytes. With tau = 4, pages enter up to 4: A by the instruction
   at 000, B by that at 00e, C by that at 015; up to 12: A by 038, D by 03f. The
   set of t = 4 is the largest, and a peak: what follows is below 3/4 of it. */

#include "asm.inc"

START
        movb    $1, A(%rip)
        movb    $1, A(%rip)
        movb    $1, B(%rip)
        movb    $1, C(%rip)
        movb    $1, C(%rip)
        movb    $1, C(%rip)
        movb    $1, C(%rip)
        movb    $1, C(%rip)
        movb    $1, A(%rip)
        movb    $1, D(%rip)
        movb    $1, A(%rip)
        movb    $1, D(%rip)
        EXIT

        /* Valgrind knows the names only of what has a part to be written. */
        .data
        .byte   0

        .bss
        .balign 4096
A:      .skip   4096
B:      .skip   4096
C:      .skip   4096
D:      .skip   4096
