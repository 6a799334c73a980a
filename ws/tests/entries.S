/* Pages enter the working set by instructions that are easily taken for their
   neighbours: the first of several in a block, each of the two pages of an
   access that straddles, what is guarded, what an instruction reads before it
   writes elsewhere; and code pages by calls, returns, jumps and by falling
   through. The rounds differ in which comes first, and between them pages
   leave short windows, to enter again by another instruction. Every load is
   used, or VEX would drop it. With SNAPSHOTS, some rounds begin with one. */

#include "asm.inc"
#include "request.inc"

#define PAGE(n)  pages + (n) * 4096

START
        mov     $1, %ebx                /* the state of a random sequence */
        mov     $40, %ebp               /* rounds */
round:  imul    $1103515245, %ebx, %ebx
        add     $12345, %ebx

#ifdef SNAPSHOTS
        test    $0x3000000, %ebx
        jnz     1f
        request SNAPSHOT, "of a round"
1:
#endif

        /* The second page comes first, or the access that straddles. */
        test    $0x10000, %ebx
        jz      1f
        movb    $1, PAGE(1)(%rip)
1:      movq    $1, PAGE(1)-4(%rip)
        movb    $2, PAGE(1)+64(%rip)
        movb    $2, PAGE(0)+64(%rip)

        /* Three in a block, of which the first may be jumped over. */
        test    $0x20000, %ebx
        jnz     2f
        add     PAGE(2)(%rip), %eax
        test    $0x40000, %ebx
        jnz     2f
        incl    PAGE(2)+8(%rip)
2:      mov     %eax, PAGE(2)+16(%rip)

        /* A rep that may be empty, in one page, in two: from and to others. */
        mov     %ebx, %ecx
        shr     $19, %ecx
        and     $3, %ecx
        lea     PAGE(4)-2(%rip), %rsi
        lea     PAGE(5)-1(%rip), %rdi
        rep movsb
        add     PAGE(3)(%rip), %al
        add     PAGE(5)(%rip), %al

        /* A move that is made or not reads in any case. */
        test    $0x200000, %ebx
        cmovz   PAGE(6)(%rip), %ecx
        mov     %ecx, PAGE(6)+8(%rip)

        /* One instruction, two places: read first, written first. */
        lea     PAGE(7)(%rip), %rsi
        lea     PAGE(8)(%rip), %rdi
        movsb
        push    PAGE(9)(%rip)
        pop     PAGE(10)(%rip)
        lock cmpxchg %eax, PAGE(11)-2(%rip)
        lock xadd %eax, PAGE(11)+64(%rip)

        /* 512 bytes of a helper. */
        test    $0x400000, %ebx
        jnz     3f
        fxsave  PAGE(12)-256(%rip)
3:      fxsave  PAGE(13)-512(%rip)

        /* Code: the call reads its target and writes its return address. */
        call    *target(%rip)
        call    over
        jmp     far

        .balign 4096
near:   mov     $8, %ecx                /* turns: the caller leaves */
1:      incb    PAGE(13)(%rip)
        dec     %ecx
        jnz     1b
        ret

        /* Falls through, with nothing on the boundary. */
        .org    3 * 4096 - 2
over:   nop
        nop
        test    $0x800000, %ebx
        jz      2f
        ret
        .org    4 * 4096 - 3
2:      movabs  $0x123456789abcdef0, %rax       /* 3 bytes, and 7 */
        movb    $1, PAGE(14)(%rip)
        ret

        .org    5 * 4096 - 5
far:    dec     %ebp
        jz      4f                      /* over the boundary */
        jmp     round
        .org    6 * 4096
4:      add     near(%rip), %al         /* code that is read */
        mov     %al, PAGE(14)(%rip)
        fxrstor PAGE(3)(%rip)           /* the only helper that reads */
        mov     target(%rip), %rax
        add     (%rax), %ebx
        cpuid                           /* a helper that changes %rax */
        EXIT

        .data
        .balign 4096
target: .quad   near

        .bss
        .balign 4096
pages:  .skip   15 * 4096
