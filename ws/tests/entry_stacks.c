/* Touches pages from chains of functions that are easily taken for each other.
   It says "done" at the end. */

#define _GNU_SOURCE
#include <alloca.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096
#define AREA 400

/* A function that keeps its frame and its name: no inlining, no copies, and
   after() behind its last call, or the call would become a jump. */
#if defined(__GNUC__) && !defined(__clang__)
#define FUNCTION __attribute__((noipa)) static
#else
#define FUNCTION __attribute__((noinline)) static
#endif

static volatile unsigned done;
static char*             area;
static size_t            used;

static inline void after(void)
{
   done++;
}

static inline char* fresh(void)
{
   return area + PAGE * used++;
}

static char* mapped(size_t size)
{
   char* p = mmap(NULL, size, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
   if (p == MAP_FAILED)
      exit(2);
   return p;
}

FUNCTION void leaf(char* p)
{
   *(volatile char*)p;
   *(volatile char*)p = 1;
}

/* --- twins: all is the same in the leaf but a return address far out ------ */

#define CALLER(name, callee)                                                   \
   FUNCTION void name(char* p)                                                 \
   {                                                                           \
      callee(p);                                                               \
      after();                                                                 \
   }
CALLER(inner, leaf)
CALLER(shared, inner)
CALLER(left, shared)
CALLER(right, shared)

FUNCTION void twins(void)
{
   for (int i = 0; i < 20; i++) {
      left(fresh());
      right(fresh());
      if (i % 4 == 0)
         right(fresh());
   }
   after();
}

/* --- the same stack and frame pointer, though the caller's frame is larger -- */

/* It aligns its stack, and keeps the stack pointer of its caller there. */
FUNCTION void aligned(char* p, size_t n)
{
   _Alignas(64) volatile char room[64];
   volatile char*             more = alloca(n);
   room[0] = more[n - 1] = 1;
   leaf(p);
   room[1] = 1;
}

#define ALIGNING(name, size)                                                   \
   FUNCTION void name(char* p)                                                 \
   {                                                                           \
      volatile char room[size];                                                \
      __asm__ volatile("" : : "r"(room) : "memory");                           \
      aligned(p, 16);                                                          \
      after();                                                                 \
   }
ALIGNING(small_room, 8)
ALIGNING(large_room, 24)

FUNCTION void aligning(void)
{
   for (int i = 0; i < 12; i++) {
      small_room(fresh());
      large_room(fresh());
   }
   after();
}

/* --- signal handlers ------------------------------------------------------ */

CALLER(handler_leaf, leaf)

static void handler(int sig)
{
   (void)sig;
   leaf(fresh());
   handler_leaf(fresh());
   after();
}

FUNCTION void raiser(void)
{
   leaf(fresh());
   kill(getpid(), SIGUSR1);
   leaf(fresh());
   after();
}

FUNCTION void signals(void)
{
   signal(SIGUSR1, handler);
   for (int i = 0; i < 3; i++)
      raiser();
   after();
}

/* --- a thread, whose outermost frames have no end ------------------------- */

static void* thread(void* nothing)
{
   twins();
   return nothing;
}

FUNCTION void threads(void)
{
   pthread_t id;
   pthread_create(&id, NULL, thread, NULL);
   pthread_join(id, NULL);
   after();
}

int main(void)
{
   area = mapped(AREA * PAGE);
   twins();
   aligning();
   signals();
   threads();
   puts("done");
   return 0;
}
