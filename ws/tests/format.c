/* Something of everything that a report can tell of. */

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ws.h"

#define PAGE 4096

static void touch(volatile char* first, int n_pages)
{
   for (int i = 0; i < n_pages; i++)
      first[i * PAGE] = 1;
}

static char* map(void* at, int n_pages, int flags)
{
   return mmap(at, (size_t)n_pages * PAGE, PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
}

/* Long enough for many samples, and several milliseconds. */
static void work(volatile char* first)
{
   for (int i = 0; i < 3000; i++)
      touch(first, 100);
}

int main(void)
{
   char* pages = map(NULL, 200, 0);
   int   id;

   work(pages);
   WS_MARK("more");
   touch(pages, 200);
   map(pages, 200, MAP_FIXED);
   touch(pages, 200); /* they are reused */
   WS_SNAPSHOT("all");

   touch(malloc(8 * PAGE), 8);
   id = shmget(IPC_PRIVATE, 4 * PAGE, IPC_CREAT | 0600);
   if (id >= 0) {
      touch(shmat(id, NULL, 0), 4);
      shmctl(id, IPC_RMID, NULL);
   }
   /* The kernel does not read what is not there, but it is asked to. */
   munmap(pages, PAGE);
   if (write(1, pages, 1) == 1)
      return 1;
   if (fork() == 0)
      work(pages + PAGE);
   else
      wait(NULL);
   return 0;
}
