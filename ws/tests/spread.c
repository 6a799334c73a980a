/* Accesses a page of data at each power of two that it can get, the highest
   first, and writes their numbers.  Then accesses one that is mapped anew each
   time, and again and again. */

#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>

#define SZB 4096

static volatile char* mapped_at(uintptr_t a)
{
   return mmap((void*)a, SZB, PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

int main(void)
{
   for (int shift = sizeof(void*) == 8 ? 46 : 30; shift > 24; shift--) {
      volatile char* page = mapped_at((uintptr_t)1 << shift);
      if (page == MAP_FAILED)
         continue;
      *page = 1;
      printf("%lu\n", (unsigned long)((uintptr_t)page / SZB));
   }
   fflush(stdout);
   volatile char* page = mapped_at(0);
   for (int i = 0; i < 5000; i++) {
      *page = 1;
      munmap((void*)page, SZB);
      mmap((void*)page, SZB, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
   }
   return 0;
}
