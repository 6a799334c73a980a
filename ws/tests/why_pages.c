/* Pages of known owners, counts and histories, for why.test. Without a libc
   nothing but this is executed: why_pages MODE [FILE], MODE being a letter. */

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

static char* map(char* at, unsigned n, int flags, int fd)
{
   return (char*)call(SYS_mmap, (long)at, (long)n * PAGE,
                      PROT_READ | PROT_WRITE, flags, fd);
}

static char* map_anonymous(char* at, unsigned n, int more_flags)
{
   return map(at, n, MAP_PRIVATE | MAP_ANONYMOUS | more_flags, -1);
}

static char* set_break(char* to)
{
   return (char*)call(SYS_brk, (long)to, 0, 0, 0, 0);
}

/* The break, at a page's start. */
static char* heap_start(void)
{
   long now = (long)set_break(0);
   return set_break((char*)((now + PAGE - 1) & -PAGE));
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
TOUCHER(touch_file)
TOUCHER(touch_shared)
TOUCHER(touch_bss)
TOUCHER(touch_unmapped)
TOUCHER(touch_covered)
TOUCHER(touch_grown)
TOUCHER(touch_again)

NEVER_INLINE static void read_pages(char* first, unsigned n)
{
   char value;
   for (unsigned i = 0; i < n; i++)
      __asm__ volatile("movb %1, %0" : "=r"(value) : "m"(first[i * PAGE]));
}

NEVER_INLINE static void add_to_page(char* page, unsigned times)
{
   for (unsigned i = 0; i < times; i++)
      __asm__ volatile("addl $3, %0" : "+m"(*(int*)page)); /* @add */
}

static char bss[8 * PAGE] __attribute__((aligned(PAGE)));

/* Without data in the file Valgrind reads no debug information. */
static volatile int from_zero = 1, to_file = 2;

/* --- Code in pages of its own ---------------------------------------------- */

/* Its first page is entered at `far_away`, its second one in the middle. */
__asm__(".text\n"
        ".balign 4096\n"
        ".skip 4096 - 2\n"
        ".type far_away, @function\n"
        "far_away: nop\n"
        "nop\n"
        "nop\n"
        "ret\n"
        ".size far_away, . - far_away\n"
        ".balign 4096\n");
void far_away(void);

/* --- The modes ------------------------------------------------------------ */

static void owners(const char* file)
{
   int fd = (int)call(SYS_open, (long)file, O_RDWR, 0, 0, 0);

   touch_heap(set_break(heap_start() + 7 * PAGE) - 7 * PAGE, 7);
   touch_anonymous(map_anonymous(0, 11, 0), 11);
   touch_file(map(0, 3, MAP_PRIVATE, fd), 3);
   touch_shared(map(0, 2, MAP_SHARED, fd), 2);
   touch_bss(bss, 8);
   far_away();
}

/* 5 + 2 + 3 pages are mapped again and accessed before and after. */
static void reuse(void)
{
   char* p = map_anonymous(0, 8, 0);
   touch_unmapped(p, 8);
   call(SYS_munmap, (long)p, 8 * PAGE, 0, 0, 0);
   map_anonymous(p, 8, MAP_FIXED);
   touch_again(p, 5);

   char* q = map_anonymous(0, 6, 0);
   touch_covered(q, 4); /* and two are not */
   map_anonymous(q + 2 * PAGE, 3, MAP_FIXED);
   touch_again(q, 6); /* two are new, two are covered, two were not used */

   char* heap = heap_start();
   set_break(heap + 4 * PAGE);
   touch_grown(heap, 4);
   set_break(heap + PAGE);
   set_break(heap + 6 * PAGE);
   touch_again(heap, 6);
}

/* Of 100 pages 50 are written as well. */
static void dirty(void)
{
   char* p = map_anonymous(0, 100, 0);
   read_pages(p, 100);
   touch_again(p + 30 * PAGE, 50);
}

/* The next instruction is in another line: it has not made the call. */
#define SYSCALL_3(number, a, b, c)                                             \
   __asm__ volatile("syscall"                                                  \
                    :                                                          \
                    : "a"(number), "D"((long)(a)), "S"(b), "d"((long)(c))      \
                    : "rcx", "r11", "memory")

NEVER_INLINE static void let_write(char* first, unsigned n)
{
   SYSCALL_3(SYS_read, from_zero, first, n * PAGE); /* @read */
   __asm__ volatile("nop");
}

NEVER_INLINE static void let_read(const char* first, unsigned n)
{
   SYSCALL_3(SYS_write, to_file, first, n * PAGE); /* @write */
   __asm__ volatile("nop");
}

/* The kernel writes to 20 pages, and reads 10 others. */
static void kernel(const char* file)
{
   char* p = map_anonymous(0, 30, 0);

   from_zero = (int)call(SYS_open, (long)"/dev/zero", O_RDONLY, 0, 0, 0);
   to_file   = (int)call(SYS_open, (long)file, O_WRONLY, 0, 0, 0);
   let_write(p, 20);
   let_read(p + 20 * PAGE, 10);
}

static void modify(void)
{
   add_to_page(bss, 1000);
   read_pages(bss + PAGE, 1);
   touch_bss(bss + 2 * PAGE, 1);
}

/* The stack at the start: argc, argv[0], argv[1], ... */
__attribute__((used)) void start(char** stack)
{
   switch (stack[2][0]) {
   case 'o': owners(stack[3]); break;
   case 'r': reuse(); break;
   case 'd': dirty(); break;
   case 'k': kernel(stack[3]); break;
   case 'm': modify(); break;
   }
   call(SYS_exit, 0, 0, 0, 0, 0);
   __builtin_unreachable();
}

__asm__(".globl _start\n"
        "_start: mov %rsp, %rdi\n"
        "        and $-16, %rsp\n"
        "        call start\n");
