/* Pages of known owners, counts and histories, for why.test. Without a libc
   nothing but this is executed: why_pages FILE, which has three pages. */

#define _GNU_SOURCE

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define PAGE 4096

#define NEVER_INLINE __attribute__((noinline, noclone))

/* Instructions that the compiler puts in cannot come between. */
static inline __attribute__((always_inline)) long
call(long number, long a, long b, long c, long d, long e)
{
   register long r10 __asm__("r10") = d;
   register long r8 __asm__("r8")   = e;
   register long r9 __asm__("r9")   = 0;
   long          result;

   __asm__ volatile("syscall"
                    : "=a"(result)
                    : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8),
                      "r"(r9)
                    : "rcx", "r11", "memory");
   return result;
}

#define ANONYMOUS (MAP_PRIVATE | MAP_ANONYMOUS)

static char* map(char* at, unsigned n, int flags, long fd)
{
   return (char*)call(SYS_mmap, (long)at, (long)n * PAGE,
                      PROT_READ | PROT_WRITE, flags, fd);
}

static char* set_break(char* to)
{
   return (char*)call(SYS_brk, (long)to, 0, 0, 0, 0);
}

/* Each is for one purpose: it is seen in the list who came first. */
#define TOUCHER(name)                                                          \
   NEVER_INLINE static void name(char* first, unsigned n)                      \
   {                                                                           \
      for (unsigned i = 0; i < n; i++)                                         \
         __asm__ volatile("movb $1, %0" : "=m"(first[(long)i * PAGE]));        \
   }

TOUCHER(touch_heap)
TOUCHER(touch_anonymous)
TOUCHER(touch_private)
TOUCHER(touch_shared)
TOUCHER(touch_bss)
TOUCHER(touch_unmapped)
TOUCHER(touch_covered)
TOUCHER(touch_grown)
TOUCHER(touch_again)

static char bss[9 * PAGE] __attribute__((aligned(PAGE)));

/* Without data in the file Valgrind reads no debug information. */
__attribute__((used)) static int data = 1;

/* The next instruction is in another line: it has not made the call. */
#define SYSCALL_3(number, a, b, c)                                             \
   __asm__ volatile("syscall"                                                  \
                    :                                                          \
                    : "a"(number), "D"(a), "S"(b), "d"((long)(c))              \
                    : "rcx", "r11", "memory")

NEVER_INLINE static void let_write(long fd, char* first, unsigned n)
{
   SYSCALL_3(SYS_read, fd, first, n * PAGE); /* @read */
   __asm__ volatile("nop");
}

NEVER_INLINE static void let_read(long fd, const char* first, unsigned n)
{
   SYSCALL_3(SYS_write, fd, first, n * PAGE); /* @write */
   __asm__ volatile("nop");
}

NEVER_INLINE static void add_to_page(char* page, unsigned times)
{
   for (unsigned i = 0; i < times; i++)
      __asm__ volatile("addl $3, %0" : "+m"(*(int*)page));
}

/* The stack at the start: argc, argv[0], argv[1], ... */
__attribute__((used)) void start(long* stack)
{
   long  fd   = call(SYS_open, stack[2], O_RDWR, 0, 0, 0);
   long  zero = call(SYS_open, (long)"/dev/zero", O_RDONLY, 0, 0, 0);
   char* heap = (char*)(((long)set_break(0) + PAGE - 1) & -PAGE);

   set_break(heap + 7 * PAGE);
   touch_heap(heap, 6);
   touch_anonymous(map(0, 11, ANONYMOUS, -1), 11);
   touch_private(map(0, 3, MAP_PRIVATE, fd), 3);
   touch_shared(map(0, 2, MAP_SHARED, fd), 2);
   touch_bss(bss, 8);

   /* 5 + 2 + 3 pages are mapped again and accessed before and after. */
   char* p = map(0, 8, ANONYMOUS, -1);
   touch_unmapped(p, 8);
   call(SYS_munmap, (long)p, 8 * PAGE, 0, 0, 0);
   map(p, 8, ANONYMOUS | MAP_FIXED, -1);
   touch_again(p, 5);

   char* q = map(0, 6, ANONYMOUS, -1);
   touch_covered(q, 4); /* and two are not */
   map(q + 2 * PAGE, 3, ANONYMOUS | MAP_FIXED, -1);
   touch_again(q, 6); /* two as before, two are covered, two were not used */

   heap += 7 * PAGE;
   set_break(heap + 4 * PAGE);
   touch_grown(heap, 4);
   set_break(heap + PAGE);
   set_break(heap + 6 * PAGE);
   touch_again(heap, 6);
   touch_heap(heap - PAGE, 1); /* below where the heap grew last */

   p = map(0, 30, ANONYMOUS, -1);
   let_write(zero, p, 20);
   let_read(fd, p + 20 * PAGE, 10);

   add_to_page(bss + 8 * PAGE, 1000);
   call(SYS_exit, 0, 0, 0, 0, 0);
   __builtin_unreachable();
}

__asm__(".globl _start\n"
        "_start: mov %rsp, %rdi\n"
        "        and $-16, %rsp\n"
        "        call start\n");
