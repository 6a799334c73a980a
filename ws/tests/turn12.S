/* A loop of 12 instructions that touches a new page in every turn.

   Instructions 1 to 12 come before the loop; turn k (1 to 10) is
   12k + 1 ... 12k + 12, its store is at 12k + 1; 133 to 135 exit.

   T = tau = 12: the row at 12 shows no data, the row at 12(k + 1) just the
   page of turn k.
   Averages over 12..132: 10/11 = 0.9. Total 10.

   T = 12, tau = 13: the window (12k + 11, 12k + 24] ends with turn k + 1 and
   begins one instruction earlier, which is no store: again 1.
   T = 12, tau = 24: turns k and k + 1, so 2 but 1 after the first turn.
   T = 5, tau = 12: 12 instructions in a row have just one store, so 1 from the
   first sample >= 13, which is 15, until the one before 133, which is 130; the
   window (123,135] of the last one has none: 0. */

#include "asm.inc"

START
        lea     pages(%rip), %rdi       /* 12 before the loop */
        mov     $10, %ecx
        .rept   10
        nop
        .endr
1:      movb    $1, (%rdi)              /* 12 in each turn */
        add     $4096, %rdi
        .rept   8
        nop
        .endr
        dec     %ecx
        jnz     1b
        EXIT

        .bss
        .balign 4096
pages:  .skip   10 * 4096
