/* touch MIB TURNS: touch so many MiB once, then go on with little. */

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

int main(int argc, char** argv)
{
   static volatile unsigned char pages[4 * 4096];
   size_t                        size, at;
   unsigned long                 turn, turns;

   if (argc != 3)
      return 2;
   size  = strtoul(argv[1], NULL, 10) << 20;
   turns = strtoul(argv[2], NULL, 10);
   if (size > 0) {
      unsigned char* p = mmap(NULL, size, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (p == MAP_FAILED)
         return 2;
      for (at = 0; at < size; at += 4096)
         p[at] = 1;
   }
   for (turn = 0; turn < turns; turn++)
      pages[turn % 4 * 4096]++;
   return 0;
}
