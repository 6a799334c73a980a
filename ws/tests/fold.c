/* SPDX-License-Identifier: GPL-2.0-or-later */

/* More stacks than a report keeps apart: each way through 14 calls of `left` or
   `right` touches a page that is not in the working set, once; and the way that
   is only left does so 40,000 times more. Every second page is that of `odd`,
   the others are those of `even`, and libc touches them. */

#include <stdlib.h>
#include <string.h>

#define PAGE  4096
#define DEPTH 14
#define PAGES (1 << DEPTH)

static char*           area;
static unsigned        used;
static volatile size_t one = 1;

#define FUNCTION __attribute__((noinline, noclone)) static void

static void go(unsigned path, int depth);

FUNCTION odd(void)
{
   memset(area + used++ % PAGES * PAGE, 1, one);
   __asm__ volatile("");
}

/* What comes after a call keeps it from being a jump. */
FUNCTION even(void)
{
   memset(area + used++ % PAGES * PAGE, 2, one);
   __asm__ volatile("");
}

FUNCTION left(unsigned path, int depth)
{
   go(path, depth);
   __asm__ volatile("");
}

FUNCTION right(unsigned path, int depth)
{
   go(path, depth);
   __asm__ volatile("");
}

static inline __attribute__((always_inline)) void go(unsigned path, int depth)
{
   if (depth == 0 && used % 2)
      odd();
   else if (depth == 0)
      even();
   else if (path & 1)
      right(path >> 1, depth - 1);
   else
      left(path >> 1, depth - 1);
}

int main(void)
{
   area = aligned_alloc(PAGE, PAGES * PAGE);
   for (unsigned path = 0; path < 1 << DEPTH; path++)
      go(path, DEPTH);
   for (int i = 0; i < 40000; i++)
      go(0, DEPTH);
   return 0;
}
