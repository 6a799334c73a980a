/* Marks, and time that stands still, to the instruction. A client request is
   one instruction, though it is made of five; those that stop and start the
   measuring are, respectively, the last one before and the first one not to be
   measured.

   A, B, C, D are pages of data; the numbers are times. */

/* VG_USERREQ_TOOL_BASE('W', 'S'), in the order of ws.h. */
#define MARK     0x57530000
#define SNAPSHOT 0x57530001
#define START    0x57530002
#define STOP     0x57530003

#define REQUEST(block)                                                         \
        lea     block(%rip), %rax;                                             \
        rol     $3, %rdi;                                                      \
        rol     $13, %rdi;                                                     \
        rol     $61, %rdi;                                                     \
        rol     $51, %rdi;                                                     \
        xchg    %rbx, %rbx

        .text
        .globl _start
        .type _start, @function
_start:
        movb    $1, A(%rip)             /* 1 */
        REQUEST(one)                    /* 3: mark */
        mov     B(%rip), %bl
        nop
        REQUEST(two)                    /* 7: snapshot */
        REQUEST(one)                    /* 9: mark */
        REQUEST(stop)                   /* 11 */
        movb    $1, C(%rip)
        mov     $1, %eax                /* write(1, C, 1) */
        mov     $1, %edi
        lea     C(%rip), %rsi
        mov     $1, %edx
        syscall
        REQUEST(still)                  /* 11: mark */
        mov     $1000, %ecx
1:      movb    $1, C(%rip)
        dec     %ecx
        jnz     1b
        REQUEST(stop)                   /* a second one does nothing */
        REQUEST(two)                    /* 11: snapshot */
        REQUEST(start)
        movb    $1, D(%rip)             /* 12 */
        REQUEST(start)                  /* 14: does nothing */
        REQUEST(one)                    /* 16: mark */
        mov     $3, %ebx                /* 17 */
2:      movb    $1, A(%rip)             /* 18, 23, 28 */
        REQUEST(loop)                   /* 20, 25, 30: marks */
        dec     %ebx
        jnz     2b
        mov     $60, %eax               /* 33: exit(0) */
        xor     %edi, %edi
        syscall                         /* 35 */
        .size   _start, . - _start

        .data
        .balign 8
one:    .quad   MARK, label_one, 0, 0, 0, 0
two:    .quad   SNAPSHOT, label_two, 0, 0, 0, 0
still:  .quad   MARK, label_still, 0, 0, 0, 0
loop:   .quad   MARK, label_loop, 0, 0, 0, 0
start:  .quad   START, 0, 0, 0, 0, 0
stop:   .quad   STOP, 0, 0, 0, 0, 0

label_one:   .asciz "one"
label_two:   .asciz "two"
label_still: .asciz "time stands still"
label_loop:  .asciz "loop"

        .bss
        .balign 4096
A:      .skip   4096
B:      .skip   4096
C:      .skip   4096
D:      .skip   4096

        .section .note.GNU-stack, "", @progbits
