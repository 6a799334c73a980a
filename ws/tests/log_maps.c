/* Changes mappings in all ways that there are, and says at the end what is
   mapped where, or is no longer: lines of a page's address, the kind and the
   permissions that the page log must have for it.  A child says the same of
   itself.  With "threads", two threads take turns: each writes its own page and
   one of both, and then waits in read(), which fills another one of its own. */

#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ANONYMOUS, FILE_OF, HEAP, STACK, SHARED, BSS };

#define PAGE 4096

static void say(const char* who, volatile void* page, int kind, int permissions)
{
   printf("%s %lx %d %d\n", who, (unsigned long)page / PAGE, kind, permissions);
}

static char* map(int n_pages)
{
   return mmap(NULL, n_pages * PAGE, PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void* deep(void* who)
{
   volatile char here = 1;
   say(who, &here, STACK, 6);
   return NULL;
}

static char large[64 * PAGE];

static void change_mappings(const char* self)
{
   char*     a    = map(5);
   char*     b    = map(2);
   char*     free = map(6);
   char*     heap = sbrk(3 * PAGE + 100);
   int       fd   = open(self, O_RDONLY);
   char*     file = mmap(NULL, 2 * PAGE, PROT_READ, MAP_PRIVATE, fd, 0);
   pthread_t thread;

   sbrk(3 * PAGE);
   sbrk(-3 * PAGE - 50);
   mprotect(file + PAGE, PAGE, PROT_READ | PROT_WRITE);
   mprotect(a + PAGE, PAGE, PROT_READ);
   mprotect(a + 2 * PAGE, PAGE, PROT_NONE);
   munmap(a + 3 * PAGE, PAGE);
   munmap(free, 6 * PAGE);
   char* c = mremap(b, 2 * PAGE, 4 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED,
                    free + PAGE);
   mmap(a + 4 * PAGE, PAGE, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, PAGE);
   pthread_create(&thread, NULL, deep, "all");
   pthread_join(thread, NULL);
   if (c != free + PAGE)
      say("all", c, -2, 0);
   say("all", a, ANONYMOUS, 6);
   say("all", a + PAGE, ANONYMOUS, 4);
   say("all", a + 2 * PAGE, ANONYMOUS, 0);
   say("all", a + 3 * PAGE, -1, 0);
   say("all", a + 4 * PAGE, FILE_OF, 4);
   say("all", b, -1, 0);
   say("all", b + PAGE, -1, 0);
   say("all", c, ANONYMOUS, 6);
   say("all", c + 3 * PAGE, ANONYMOUS, 6);
   say("all", free, -1, 0);
   say("all", file + PAGE, FILE_OF, 6);
   say("all", heap + PAGE, HEAP, 6);
   say("all", heap + 3 * PAGE, HEAP, 6);
   say("all", large + 32 * PAGE, BSS, 6);
   volatile char main_stack[40 * PAGE];
   main_stack[0] = 1;
   say("all", main_stack, STACK, 6);
}

/* --- Threads -------------------------------------------------------------- */

static int   turn[2][2]; // pipes: whoever reads waits for his turn
static char* both;
static char* own[2];

static void* take_turns(void* number)
{
   long me = (long)number;

   for (int i = 0; i < 3; i++) {
      if (read(turn[me][0], own[me] + PAGE, 1) != 1)
         return NULL;
      own[me][0] = both[0] = i;
      if (write(turn[!me][1], "x", 1) != 1)
         return NULL;
   }
   return NULL;
}

static void take_turns_in_threads(void)
{
   pthread_t threads[2];

   both = map(1);
   for (long i = 0; i < 2; i++) {
      own[i] = map(2);
      if (pipe(turn[i]) != 0)
         return;
   }
   for (long i = 0; i < 2; i++)
      pthread_create(&threads[i], NULL, take_turns, (void*)i);
   if (write(turn[0][1], "x", 1) != 1)
      return;
   for (int i = 0; i < 2; i++)
      pthread_join(threads[i], NULL);
   for (int i = 0; i < 2; i++) {
      say(i ? "3" : "2", own[i], 0, 0);
      say(i ? "3" : "2", own[i] + PAGE, 0, 0);
   }
   say("23", both, 0, 0);
}

int main(int argc, char** argv)
{
   if (argc > 1 && strcmp(argv[1], "threads") == 0) {
      take_turns_in_threads();
      return 0;
   }
   change_mappings(argv[0]);
   fflush(stdout);
   if (fork() == 0)
      return 0;
   wait(NULL);
   return 0;
}
