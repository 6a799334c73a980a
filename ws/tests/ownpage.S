/* Pages that hold code and data. A load from a code page is data, whether the
   page is executed or not; being data does not make it less of a code page.
   (What a load brings is stored each time: VEX drops a load whose result
   nobody uses.)

   T = 1, tau = 10: nothing leaves the window before t = 11.

   t   code   data   sets so far: code, data
   1   P0     P0     P0         P0             load from the page that runs
   2   P0     D0     P0         P0 D0
   3   P0     -      P0         P0 D0          jump
   4   P1     P2     P0 P1      P0 D0 P2       load from a page never executed
   5   P1     D0     P0 P1      P0 D0 P2
   6   P1     P1     P0 P1      P0 D0 P2 P1    load from the page that runs
   7   P1     D0     P0 P1      P0 D0 P2 P1
   8-10 P1    -      P0 P1      P0 D0 P2 P1    exit(0)

   At t = 10 the window (0,10] still has t = 1 in it.
   Averages: code (3*1 + 7*2)/10 = 1.7; data (1+2+2+3+3+4+4+4+4+4)/10 = 3.1.
   Totals 2, 4. */

#include "asm.inc"

START                                   /* page P0 */
        mov     _start(%rip), %al       /* 1 */
        mov     %al, D0(%rip)           /* 2 */
        jmp     1f                      /* 3 */
        .org    4096                    /* page P1 */
1:      mov     P2(%rip), %al           /* 4 */
        mov     %al, D0(%rip)           /* 5 */
        mov     1b(%rip), %al           /* 6 */
        mov     %al, D0(%rip)           /* 7 */
        EXIT                            /* 8 to 10 */
        .org    2 * 4096
P2:     nop

        .bss
        .balign 4096
D0:     .skip   4096
