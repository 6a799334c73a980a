/* Pages that are accessed between marks, in C for every platform.

   How many instructions a compiler makes of this, and which pages of stack and
   libraries it needs, is anybody's guess.  So each phase comes twice, with the
   very same instructions: first it accesses nothing but pages 0 and 1, which all
   phases access, then its own pages besides.  All that is done once without
   marks before, as the first call of a function in a library is another one. */

#include <fcntl.h>
#include <stdint.h>
#include <unistd.h>

#include "../ws.h"

#define PAGE_SZB 4096
#define N_PAGES  64
#define BASE     35

/* Aligned by us: not every version of Valgrind loads a program as it wants to
   be aligned. */
static volatile char memory[(N_PAGES + 1) * PAGE_SZB];

static volatile char* page(int n)
{
   uintptr_t a = (uintptr_t)memory + PAGE_SZB - 1;
   return (volatile char*)(a / PAGE_SZB * PAGE_SZB) + n * PAGE_SZB;
}

static int          ends[2], zero_fd; // of a pipe, which takes 16 pages
static volatile int is_second;
static volatile int sum; // VEX drops loads whose result is never used

typedef enum { Write, Read, LetRead, LetWrite } How;

static void access_page(How how, int n)
{
   volatile char* p = page(n);

   switch (how) {
   case Write: p[10] = 1; break;
   case Read: sum += p[20]; break;
   case LetRead: sum += (int)write(ends[1], (char*)p, PAGE_SZB); break;
   case LetWrite: sum += (int)read(zero_fd, (char*)p + 1, PAGE_SZB); break;
   }
}

typedef struct {
   How         how;
   int         first, n;
   const char* label;
} Phase;

static const volatile Phase phases[] __attribute__((aligned(1024))) = {
   {Write, 0, 5, "5 written"},
   {Write, 0, 5, "the same 5"},
   {Read, 5, 3, "3 read"},
   {LetRead, 0, 1, "1 read by the kernel"},
   {LetWrite, 1, 1, "2 written by the kernel"},
   {Write, 0, 0, NULL},
};

/* With pages from `base` on.  This function and what it keeps on the stack are
   needed in each phase, and the function is in one page. */
static __attribute__((noinline, aligned(1024))) void all(int base)
{
   if (is_second)
      WS_MARK("start");
   for (const volatile Phase* phase = phases; phase->label; phase++)
      for (volatile int step = 0; step < 2; step++) {
         for (int i = 0; i < phase->n; i++)
            access_page(phase->how, 0);
         for (int i = 0; i < phase->n; i++)
            access_page(phase->how, (base + phase->first + i) * step);
         if (is_second)
            WS_MARK(phase->label);
      }
}

int main(void)
{
   zero_fd = open("/dev/zero", O_RDONLY);
   if (pipe(ends) != 0)
      return 1;
   all(BASE - 20);
   is_second = 1;
   all(BASE);
   return 0;
}
