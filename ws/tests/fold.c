/* SPDX-License-Identifier: GPL-2.0-or-later */

/* More stacks than a report keeps apart: each way through 14 calls of `left` or
   `right` touches a page that is not in the working set, once; and the way that
   is only left does so 40,000 times more. */

#define PAGE  4096
#define DEPTH 14
#define PAGES 64

static volatile char area[PAGES * PAGE];
static unsigned      used;

static void go(unsigned path, int depth);

/* What comes after a call keeps it from being a jump. */
#define FUNCTION(name, call)                                                   \
   __attribute__((noinline, noclone)) static void name(unsigned path,          \
                                                       int      depth)         \
   {                                                                           \
      call;                                                                    \
      __asm__ volatile("");                                                    \
   }
FUNCTION(touch, area[used++ % PAGES * PAGE]++)
FUNCTION(left, go(path, depth))
FUNCTION(right, go(path, depth))

static inline __attribute__((always_inline)) void go(unsigned path, int depth)
{
   (depth == 0 ? touch : path & 1 ? right : left)(path >> 1, depth - 1);
}

int main(void)
{
   for (unsigned path = 0; path < 1 << DEPTH; path++)
      go(path, DEPTH);
   for (int i = 0; i < 40000; i++)
      go(0, DEPTH);
   return 0;
}
