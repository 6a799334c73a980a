/* SPDX-License-Identifier: GPL-2.0-or-later */

/* More stacks than a report keeps apart: each way through 14 calls of `left` or
   `right` touches a page that is not in the working set, once; and the way that
   is only left does so 40,000 times more. */

#define PAGE  4096
#define DEPTH 14
#define PAGES 64

static volatile char area[PAGES * PAGE];
static unsigned      used;

#define FUNCTION __attribute__((noinline, noclone)) static void

static void go(unsigned path, int depth);

/* What comes after a call keeps it from being a jump. */
FUNCTION touch(void)
{
   area[used++ % PAGES * PAGE]++;
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
   if (depth == 0)
      touch();
   else if (path & 1)
      right(path >> 1, depth - 1);
   else
      left(path >> 1, depth - 1);
}

int main(void)
{
   for (unsigned path = 0; path < 1 << DEPTH; path++)
      go(path, DEPTH);
   for (int i = 0; i < 40000; i++)
      go(0, DEPTH);
   return 0;
}
