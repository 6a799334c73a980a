/* Accesses and instructions that straddle two pages reference both.
   T = 1, tau = 1: each row shows one instruction.

   t   code    data      what
   1   P0      D0 D1     store of 8 bytes, 4 on each side
   2   P0      D0 D1     modification of 8 bytes, 1 before and 7 behind
   3   P0      -         jump
   4   P0 P1   -         a jump of 5 bytes, 2 in P0 and 3 in P1
   5   P2      D2        store of 8 bytes up to the very end of D2: one page
   6   P2      -         jump
   7   P2 P3   -         a move of 10 bytes, 5 in each
   8   P3      D3        store of 8 bytes at the very start of D3: one page
   9-11 P3     -         exit(0)

   Averages over t = 1..11: code 13/11 = 1.18, data 6/11 = 0.55. Peaks 2, 2.
   Totals 4, 4. */

#include "asm.inc"

START                                   /* page P0 */
        movq    $1, D1-4(%rip)          /* 1 */
        incq    D1-1(%rip)              /* 2 */
        jmp     1f                      /* 3 */
        .org    4094
1:      .byte   0xe9                    /* 4: the long form of jmp 2f */
        .long   2f - (. + 4)
        .org    2 * 4096                /* page P2; P1 has the 3 bytes */
2:      movq    $1, D3-8(%rip)          /* 5 */
        jmp     3f                      /* 6 */
        .org    3 * 4096 - 5
3:      movabs  $0x123456789abcdef0, %rax       /* 7 */
        movq    $1, D3(%rip)            /* 8, page P3 */
        EXIT                            /* 9 to 11 */

        .bss
        .balign 4096
D0:     .skip   4096
D1:     .skip   4096
D2:     .skip   4096
D3:     .skip   4096
