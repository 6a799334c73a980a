/* Reads and writes, for windows of 10 and of 20 instructions; A to E are pages,
   S is the stack's.

   t        reads       writes      tau = 10         tau = 20
    1..10   B           A           A B      1 of 2  A B          1 of 2
   11..20   A           B C         A B C    2 of 3  A B C        3 of 3
   21..30   A B C       C           A B C    1 of 3  A B C        2 of 3
   31..40   D           D E S       D E S    3 of 3  A B C D E S  4 of 6
   41..50   S A D                   A D S    0 of 3  A D E S      3 of 4
   51..53                           D        0 of 1  A D E S      2 of 4

   The last rows have what is after 43 and after 33. An instruction that reads
   and writes accesses its page once: A 4, B 3, C 2, D 2, E 1, S 2 times. What
   is read is kept, for VEX drops loads of which nothing comes. */

        .text
        .globl _start
        .type   _start, @function
_start: movb    $1, A(%rip)
        mov     B(%rip), %bl
        .skip   8, 0x90
        mov     A(%rip), %cl            /* 11 */
        movl    $1, C - 2(%rip)
        .skip   8, 0x90
        mov     A(%rip), %dl            /* 21 */
        mov     B(%rip), %r8b
        addl    $1, C(%rip)
        .skip   7, 0x90
        mov     $77, %eax               /* 31 */
        lock cmpxchg %ecx, D(%rip)      /* it is 0 and stays so */
        lea     E(%rip), %rdi
        stosb
        push    %rax                    /* 35 */
        .skip   5, 0x90
        pop     %r9                     /* 41 */
        lea     A(%rip), %rsi
        lodsb
        mov     D(%rip), %r10b          /* 44 */
        mov     %al, %r11b
        .skip   5, 0x90
        mov     $60, %eax               /* exit(0) */
        xor     %edi, %edi
        syscall                         /* 53 */
        .size   _start, . - _start

        .bss
        .balign 4096
A:      .skip   4096
B:      .skip   4096
C:      .skip   4096
D:      .skip   4096
E:      .skip   4096

        .section .note.GNU-stack, "", @progbits
