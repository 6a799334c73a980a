/* Touches memory uniformly: goes round a region again and again at a steady
   pace by the clock.

   usage: rounds MIB MS_PER_ROUND SECONDS */

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#define PAGE 4096

static long now_us(void)
{
   struct timespec now;

   clock_gettime(CLOCK_MONOTONIC, &now);
   return now.tv_sec * 1000000L + now.tv_nsec / 1000;
}

int main(int argc, char** argv)
{
   long  n_pages = argc == 4 ? atol(argv[1]) << 20 >> 12 : 0;
   long  ms      = argc == 4 ? atol(argv[2]) : 0;
   long  end_us  = argc == 4 ? atol(argv[3]) * 1000000 : 0;
   char* memory  = mmap(NULL, n_pages * PAGE, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
   long  start   = now_us(), done = 0;

   if (memory == MAP_FAILED || ms <= 0)
      return 1;
   // Pages of 4 KiB, of which each has a referenced bit of its own.
   madvise(memory, n_pages * PAGE, MADV_NOHUGEPAGE);
   for (long i = 0; i < n_pages; i++)
      memory[i * PAGE] = 1;
   puts("ready");
   fflush(stdout);
   for (long us = 0; us < end_us; us = now_us() - start) {
      struct timespec pause = {0, 200000};
      for (; done < us * n_pages / (ms * 1000); done++)
         memory[done % n_pages * PAGE]++;
      nanosleep(&pause, NULL);
   }
   return 0;
}
