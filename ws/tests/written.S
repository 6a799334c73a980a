/* When was a page written last?  In each of 40 lines of 64 bytes, twice over:

        by %rsi   write                       read
        by %rdi           write       read

   One that keeps a time of the last write for each register, and puts them
   down in the order of the last accesses, takes the first write for the last
   one; one that keeps a time of the last access only takes a read for it.
   The second time, all lines are known: a tool that has a faster way for
   those uses it.  For the sample at the end, windows must begin between the
   accesses, or it makes no difference.  They are 1 + 2 * (3 + 40 * 9 + 2) + 3 =
   734 instructions. */

#include "asm.inc"

START
        mov     $2, %edx
2:      lea     lines(%rip), %rsi
        lea     8(%rsi), %rdi
        mov     $40, %ecx
1:      movb    $1, (%rsi)
        movb    $1, (%rdi)
        nop
        add     (%rdi), %al
        add     (%rsi), %al
        add     $64, %rsi
        add     $64, %rdi
        dec     %ecx
        jnz     1b
        dec     %edx
        jnz     2b
        EXIT

        .bss
        .balign 4096
lines:  .skip   40 * 64
