/* Says which addresses it can have.

   usage: addresses fixed       one line for each 4 MiB below 4 GiB: page or not
          addresses hint AT N   where it gets 64 MiB if it would like AT; it
                                reserves them, as Go does, and writes N pages
          addresses signal AT N the same in a signal's handler, then as touch
          addresses again N     maps a page, writes and unmaps it, N times
          addresses exec N FILE tries to execute it so often, after use 64
          addresses touch       writes some pages of its own
          addresses use MIB N   writes so many MiB once, then N times to little */

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif
#define PAGE 4096UL
#define MIB  (1UL << 20)

static volatile char own[100 * PAGE];

static volatile char* map(unsigned long at, size_t size, int flags, int prot)
{
   return mmap((void*)at, size, prot, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1,
               0);
}

static void touch(volatile char* first, unsigned long n_pages)
{
   for (unsigned long i = 0; i < n_pages; i++)
      first[i * PAGE] = 1;
}

static void fixed(void)
{
   const unsigned long inside = 0x123000; /* not where others would begin */

   for (unsigned long at = inside; at < 4096 * MIB; at += 4 * MIB) {
      volatile char* p = map(at, PAGE, MAP_FIXED_NOREPLACE,
                             PROT_READ | PROT_WRITE);
      if (p == (volatile char*)at)
         touch(p, 1);
      printf("%#lx %d\n", at, p == (volatile char*)at);
      if (p != MAP_FAILED)
         munmap((void*)p, PAGE);
   }
}

static void again(unsigned long n)
{
   while (n-- > 0) {
      volatile char* p = map(0, PAGE, 0, PROT_READ | PROT_WRITE);
      touch(p, 1);
      munmap((void*)p, PAGE);
   }
}

static void hint(unsigned long at, unsigned long n_pages)
{
   volatile char* p = map(at, 64 * MIB, MAP_NORESERVE, PROT_NONE);

   map((unsigned long)p, 4 * MIB, MAP_FIXED, PROT_READ | PROT_WRITE);
   touch(p, n_pages);
   printf("%p\n", (void*)p);
}

static void use(unsigned long mib, unsigned long n)
{
   touch(map(0, mib * MIB, 0, PROT_READ | PROT_WRITE), mib * (MIB / PAGE));
   for (unsigned long i = 0; i < n; i++)
      own[i % 4 * PAGE]++;
}

static char** hints;

static void handler(int number)
{
   hint(strtoul(hints[0], NULL, 0), strtoul(hints[1], NULL, 10));
}

int main(int argc, char** argv)
{
   const char* what = argc > 1 ? argv[1] : "";

   if (strcmp(what, "fixed") == 0)
      fixed();
   else if (strcmp(what, "again") == 0)
      again(strtoul(argv[2], NULL, 10));
   else if (strcmp(what, "use") == 0)
      use(strtoul(argv[2], NULL, 10), strtoul(argv[3], NULL, 10));
   else if (strcmp(what, "exec") == 0) {
      use(64, 0);
      for (unsigned long i = strtoul(argv[2], NULL, 10); i > 0; i--)
         execl(argv[3], argv[3], NULL);
   } else if (strcmp(what, "touch") == 0)
      touch(own, 100);
   hints = argv + 2;
   if (strcmp(what, "hint") == 0)
      handler(0);
   if (strcmp(what, "signal") == 0) {
      signal(SIGUSR1, handler);
      raise(SIGUSR1);
      touch(own, 100);
   }
   printf("done\n");
   return 3;
}
