/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* The example of the manual for ws_attach: it uses 50 MiB in known ways, for
   some seconds of the clock on the wall.  5 MiB are used all the time, 45 MiB
   once per second, page by page. */

#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

enum { PAGE = 4096, FAST = 5 * 256, SLOW = 45 * 256 };

static double seconds(void)
{
   struct timespec now;
   clock_gettime(CLOCK_MONOTONIC, &now);
   return now.tv_sec + now.tv_nsec / 1e9;
}

int main(int argc, char* argv[])
{
   size_t size   = (size_t)(FAST + SLOW) * PAGE;
   double length = argc > 1 ? atof(argv[1]) : 10, start = seconds(), now = 0;
   size_t done          = 0;
   char*  all           = mmap(NULL, size, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
   volatile char* pages = all;

   if (all == MAP_FAILED)
      return 1;
   madvise(all, size, MADV_NOHUGEPAGE); /* the kernel counts these whole */
   for (; now < length; now = seconds() - start) {
      for (size_t i = 0; i < FAST; i++)
         pages[i * PAGE]++;
      for (; done < now * SLOW; done++)
         pages[(FAST + done % SLOW) * PAGE]++;
   }
   return 0;
}
