/* An allocator of its own, which puts each block behind the one before, and what
   uses it, in pages of 4 KiB that can be counted. At the end, only the page of
   hot() is in use. */

#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "../ws.h"

#define PAGE       4096
#define ALIKE      __attribute__((noinline, noclone))
#define N_PAGES    200
#define MAP(pages) map((pages)*PAGE)

static char *     area, *next;
static sigjmp_buf left;

static char* map(size_t szB)
{
   return mmap(NULL, szB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
               -1, 0);
}

/* --- The allocator -------------------------------------------------------- */

ALIKE void* aligned_alloc(size_t align, size_t szB)
{
   if (!area)
      next = area = MAP(N_PAGES); // not the caller's: it is in a call
   next += -(size_t)next % align;
   next += szB;
   return next - szB;
}

ALIKE void* malloc(size_t szB)
{
   if (szB == 1)
      siglongjmp(left, 1);
   return aligned_alloc(16, szB);
}

ALIKE void* calloc(size_t n, size_t szB)
{
   return aligned_alloc(16, n * szB);
}

/* The last block grows where it is. */
ALIKE void* realloc(void* old, size_t szB)
{
   if (szB == 3 * PAGE)
      return NULL;
   if (szB == 2 * PAGE) {
      next = (char*)old + szB;
      return old;
   }
   return szB ? aligned_alloc(16, szB) : NULL;
}

ALIKE int posix_memalign(void** result, size_t align, size_t szB)
{
   if (szB > PAGE)
      return ENOMEM;
   *result = aligned_alloc(align, szB);
   return 0;
}

ALIKE void free(void* old)
{
   __asm__ volatile("" : : "r"(old) : "memory");
}

/* --- Its users ------------------------------------------------------------ */

static char* touch(char* at, size_t szB)
{
   for (size_t i = 0; i < szB; i += PAGE)
      ((volatile char*)at)[i] = 1;
   return at;
}

/* Begins a page. */
static void align(void)
{
   next += -(size_t)next % PAGE;
}

ALIKE char* two_pages(void)
{
   return touch(malloc(2 * PAGE), 2 * PAGE);
}

ALIKE char* at_most(void)
{
   align();
   return touch(malloc(50 * PAGE), 50 * PAGE);
}

ALIKE char* mixed_first(void)
{
   return touch(malloc(1008), 1);
}

ALIKE char* mixed_second(void)
{
   return touch(malloc(2000), 1);
}

/* 100 bytes of it lie in the page of hot(). */
ALIKE char* straddling(void)
{
   align();
   next += PAGE - 112;
   return touch(malloc(212), PAGE);
}

ALIKE char* hot(void)
{
   return touch(malloc(96), 1);
}

ALIKE char* untouched(void)
{
   return calloc(10, PAGE);
}

ALIKE char* grows(void)
{
   char* p = touch(malloc(PAGE), 1);
   p       = touch(realloc(p, 2 * PAGE), 2 * PAGE);
   return realloc(p, 3 * PAGE) ? NULL : p; // fails: the block stays
}

ALIKE char* moves(void)
{
   char* p = touch(malloc(PAGE), 1);
   return touch(realloc(p, PAGE), 1);
}

ALIKE char* ends(void)
{
   return realloc(touch(malloc(PAGE), 1), 0);
}

ALIKE void aligned(void)
{
   void* p = area;
   if (posix_memalign(&p, PAGE, 2 * PAGE) == 0 || posix_memalign(&p, PAGE, 100))
      abort();
   touch(p, 1);
}

/* Its release is not seen: the next one has a part of the same memory. */
ALIKE void overlapping(void)
{
   for (int i = 0; i < 2; i++) {
      char* p     = touch(malloc(PAGE), 1);
      p[PAGE - 1] = 1;
      next        = p + 16;
   }
   next += PAGE;
}

/* More is resident then, but less is live. */
ALIKE char* after_most(void)
{
   align();
   return touch(malloc(5 * PAGE), 5 * PAGE);
}

/* The most is resident before its end. */
ALIKE void unmapped(void)
{
   munmap(touch(MAP(70), 70 * PAGE), 70 * PAGE);
}

/* Three pages, of which the middle one goes. */
ALIKE char* mapped(void)
{
   char* p = touch(MAP(3), 3 * PAGE);
   munmap(p + PAGE, PAGE);
   return p;
}

static void* release(void* p)
{
   free(p);
   return NULL;
}

ALIKE void freed_by_thread(void)
{
   pthread_t thread;
   char*     p = touch(malloc(5 * PAGE), 5 * PAGE);

   pthread_create(&thread, NULL, release, p);
   pthread_join(thread, NULL);
}

static void leave(int signal)
{
   malloc(1);
}

/* Leaves malloc by a jump from a higher stack, which goes. */
static void* left_by_jump(void* high)
{
   stack_t          at     = {.ss_sp = high, .ss_size = 32 * PAGE};
   struct sigaction action = {.sa_handler = leave, .sa_flags = SA_ONSTACK};

   sigaltstack(&at, NULL);
   sigaction(SIGUSR1, &action, NULL);
   if (!sigsetjmp(left, 1))
      raise(SIGUSR1);
   at.ss_flags = SS_DISABLE;
   sigaltstack(&at, NULL);
   munmap(high, 32 * PAGE);
   align();
   return touch(malloc(2 * PAGE), 2 * PAGE);
}

ALIKE void low_stack(void)
{
   char*          stacks = MAP(64);
   pthread_attr_t attr;
   pthread_t      thread;

   pthread_attr_init(&attr);
   pthread_attr_setstack(&attr, stacks, 32 * PAGE);
   pthread_create(&thread, &attr, left_by_jump, stacks + 32 * PAGE);
   pthread_join(thread, NULL);
}

int main(int argc, char** argv)
{
   two_pages();
   align();
   mixed_first();
   mixed_second();
   straddling();
   volatile char* at = hot();
   align();
   untouched();
   grows();
   align();
   moves();
   ends();
   aligned();
   align();
   overlapping();
   align();
   mapped();
   freed_by_thread();
   low_stack();
   WS_SNAPSHOT("all");
   release(at_most());
   after_most();
   if (argc > 1)
      unmapped();
   for (int i = 0; i < 100000; i++)
      at[0]++;
   return 0;
}
