/* For attach.test: pages that are used in known ways, in stages.

     attached PAGES STAGE...

   Stages: r100, the first 100 pages are read again and again; w50, 50 are
   written; x, it becomes `attached 64 r64`; f, a child becomes `attached 32
   r32`, and the next stage begins; e, it exits with 7. SIGUSR1 ends a stage,
   too.  Before them, all pages are written once, and 40 of the file in $FILE
   mapped; these, 64 of .bss and 24 that may be executed are read in each
   round. */

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { FILE_PAGES = 40, BSS_PAGES = 64, CODE_PAGES = 24, LARGEST = 65536 };

static volatile char         bss[(BSS_PAGES + 1) * LARGEST];
static volatile sig_atomic_t next;

static void go_on(int signal)
{
   next = 1;
}

static volatile char* map(size_t szB, int rights, int flags, int file)
{
   char* start = mmap(NULL, szB, rights, flags, file, 0);

   if (start == MAP_FAILED) {
      perror("mmap");
      exit(1);
   }
#ifdef MADV_NOHUGEPAGE
   madvise(start, szB, MADV_NOHUGEPAGE);
#endif
   return start;
}

static void use(volatile char* pages, long n, long szB, int is_write)
{
   for (long i = 0; i < n; i++)
      if (is_write)
         pages[i * szB]++;
      else
         (void)pages[i * szB];
}

int main(int argc, char* argv[])
{
   static char*    becomes[] = {NULL, "64", "r64", NULL};
   static char*    child[]   = {NULL, "32", "r32", NULL};
   struct timespec pause     = {0, 1000000};
   long            szB       = sysconf(_SC_PAGESIZE);
   long            n_pages   = atol(argv[1]);
   volatile char*  pages     = map(n_pages * szB, PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS, -1);
   volatile char*  file      = NULL;
   volatile char*  code      = map(CODE_PAGES * szB, PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS, -1);

   becomes[0] = child[0] = argv[0];
   signal(SIGUSR1, go_on);
   // Until it is written, a page of no file is none of its own.
   use(pages, n_pages, szB, 1);
   use(bss + szB, BSS_PAGES, szB, 1);
   use(code, CODE_PAGES, szB, 1);
   mprotect((char*)code, CODE_PAGES * szB, PROT_READ | PROT_EXEC);
   puts("ready");
   fflush(stdout);
   if (getenv("FILE"))
      file = map(FILE_PAGES * szB, PROT_READ, MAP_SHARED,
                 open(getenv("FILE"), O_RDONLY));
   for (char** stage = argv + 2; *stage; stage++) {
      long n = atol(*stage + 1);
      next   = 0;
      switch (**stage) {
      case 'x': execv("/proc/self/exe", becomes); return 1;
      case 'e': return 7;
      case 'f':
         if (fork() == 0) {
            execv("/proc/self/exe", child);
            return 1;
         }
         continue;
      }
      while (!next) {
         use(pages, n, szB, **stage == 'w');
         use(bss + szB, BSS_PAGES, szB, 0);
         use(code, CODE_PAGES, szB, 0);
         if (file)
            use(file, FILE_PAGES, szB, 0);
         nanosleep(&pause, NULL);
      }
   }
   return 0;
}
