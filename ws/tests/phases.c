/* Pages that are accessed between marks, in C for every platform.

   How many instructions a compiler makes of this, and which pages of stack and
   libraries it needs, is anybody's guess.  So everything is done twice: the
   first time brings all that in, the second time the marks stand around it, and
   only the pages named here can be new.  Each use has pages of its own. */

#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "../ws.h"

#define PAGE_SZB  4096
#define LARGE_SZB 65536
#define N_PAGES   64

/* Aligned by us: not every version of Valgrind loads a program as it wants to
   be aligned. */
static volatile char memory_for_pages[N_PAGES * PAGE_SZB + LARGE_SZB];

static volatile char* page(int n)
{
   uintptr_t a = (uintptr_t)memory_for_pages + LARGE_SZB - 1;
   return (volatile char*)(a / LARGE_SZB * LARGE_SZB) + n * PAGE_SZB;
}

static int          null_fd, zero_fd;
static volatile int is_second;
static volatile int sum; // VEX drops loads whose result is never used

static void write_pages(int first, int n)
{
   for (int i = first; i < first + n; i++)
      page(i)[10] = 1;
}

static void read_pages(int first, int n)
{
   for (int i = first; i < first + n; i++)
      sum += page(i)[20];
}

/* Eight bytes of which the last four are in the next page. */
static void straddle(int first)
{
   struct __attribute__((packed)) word {
      long long value;
   };
   volatile struct word* w = (volatile struct word*)(page(first + 1) - 4);
   w->value                = 1;
}

/* Longer than the second window.  What the functions above need besides, such
   as constants among the code, is accessed once more, with pages 0 and 1. */
static void forget(void)
{
   for (volatile int i = 0; i < 100000; i++)
      ;
   write_pages(0, 1);
   read_pages(0, 1);
   straddle(0);
}

/* One function per page of code.  The last one is never called: what follows is
   in its page. */
#define OWN_PAGE                                                               \
   __attribute__((noinline, aligned(4096), section(".text.pages")))
static OWN_PAGE int code0(int x)
{
   return x + is_second;
}
static OWN_PAGE int code1(int x)
{
   return x - is_second;
}
static OWN_PAGE int code2(int x)
{
   return x * is_second;
}
static OWN_PAGE int code3(int x)
{
   return x ^ is_second;
}
static OWN_PAGE int code4(int x)
{
   return x / is_second;
}

static int (*const volatile codes[])(int) = {code0, code1, code2, code3, code4};

static void call(int first, int n)
{
   for (int i = first; i < first + n; i++)
      codes[i](i);
}

static void mark(const char* label)
{
   if (is_second)
      WS_MARK(label);
}

/* With pages from `base` on, each use with pages of its own. */
static void memory(int base)
{
   forget();
   mark("start");
   write_pages(base, 5);
   mark("5 written");
   write_pages(base, 5);
   mark("the same 5");
   read_pages(base + 5, 3);
   mark("3 read");
   straddle(base + 8);
   mark("2 straddled");
   forget();
   mark("all forgotten");
   read_pages(base, 4);
   mark("4 again");
   WS_STOP;
   write_pages(base + 10, 9);
   WS_START;
   mark("9 unseen");
   read_pages(base + 18, 2);
   mark("1 of them, 1 other");
}

/* Here libraries take part, and what they access is in short windows. */
static void outside(int base)
{
   mark("start");
   write(null_fd, (char*)page(base), PAGE_SZB);
   mark("1 read by the kernel");
   read(zero_fd, (char*)page(base + 1) + 1, PAGE_SZB);
   mark("2 written by the kernel");
   call(is_second, is_second ? 3 : 1);
   mark("3 of code");
}

/* A page with a number of accesses that no other has. */
static void counts(int base)
{
   for (int i = 0; i < 47111; i++)
      write_pages(base, 1);
}

int main(int argc, char** argv)
{
   void (*part)(int) = argc < 2                    ? counts
                       : strcmp(argv[1], "memory") ? outside
                                                   : memory;

   null_fd = open("/dev/null", O_WRONLY);
   zero_fd = open("/dev/zero", O_RDONLY);
   part(2);
   is_second = 1;
   part(N_PAGES / 2);
   return 0;
}
