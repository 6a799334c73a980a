/* AVX loads and stores with masks, at addresses where they would fault if they
   were done as a whole. 1,000 turns of 8 instructions: two whose mask is empty,
   at an address that cannot be; two that access the last 8 bytes of a page,
   behind which there is none; and two of these 8 bytes and 8 more in the page
   before it, in the middle. 12 instructions before, 3 after them. */

#include "asm.inc"

START
        mov     $11, %eax               /* munmap the last page */
        lea     pages+8192(%rip), %rdi
        mov     $4096, %esi
        syscall
        vpxor   %xmm0, %xmm0, %xmm0     /* no lane */
        movups  mask(%rip), %xmm1       /* the lower two */
        movups  mask(%rip), %xmm3
        vshufps $0x00, %xmm3, %xmm1, %xmm3      /* all four */
        movabs  $0x7ffe123456789000, %rsi
        lea     pages+8192-8(%rip), %rdi
        lea     pages+4096-8(%rip), %r8
        mov     $1000, %ecx             /* the 12th instruction */
1:      vmaskmovps (%rsi), %xmm0, %xmm2
        vmaskmovps %xmm2, %xmm0, (%rsi)
        vmaskmovps (%rdi), %xmm1, %xmm2
        vmaskmovps %xmm2, %xmm1, (%rdi)
        vmaskmovps (%r8), %xmm3, %xmm2
        vmaskmovps %xmm2, %xmm1, (%r8)
        dec     %ecx
        jnz     1b
        EXIT

        .balign 16
mask:   .long   -1, -1, 0, 0

        .bss
        .balign 4096
pages:  .skip   3 * 4096
