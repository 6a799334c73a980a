/* Changes what is mapped, in steps that can be counted, and lets time pass
   between them. */

#define _GNU_SOURCE
#include <alloca.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096

static void pass_time(void)
{
   for (volatile int i = 0; i < 20000; i++)
      ;
}

/* The lowest byte of a piece of the stack. */
static void touch(volatile char* lowest)
{
   *lowest = 1;
   pass_time();
}

int main(void)
{
   char* p;

   pass_time();
   p = mmap((void*)0x60000000, 1000 * PAGE, PROT_READ | PROT_WRITE,
            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
   pass_time();
   for (int i = 0; i < 1000; i += 2) // many mappings, of the same pages
      mprotect(p + i * PAGE, PAGE, PROT_READ);
   pass_time();
   mprotect(p, 300 * PAGE, PROT_NONE);
   pass_time();
   mprotect(p, 100 * PAGE, PROT_READ);
   pass_time();
   // The kernel moves one mapping only.
   mprotect(p + 500 * PAGE, 500 * PAGE, PROT_READ);
   p = mremap(p + 500 * PAGE, 500 * PAGE, 450 * PAGE, 0);
   pass_time();
   munmap(p, 450 * PAGE);
   pass_time();
   sbrk(70 * PAGE); // perhaps there is some of it already
   pass_time();
   sbrk(30 * PAGE);
   pass_time();
   touch(alloca(100 * PAGE)); // and of this
   touch(alloca(40 * PAGE));
   return 0;
}
