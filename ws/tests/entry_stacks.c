/* Touches pages from chains of functions that are easily taken for each other.
   It says "done" at the end. */

#define _GNU_SOURCE
#include <alloca.h>
#include <pthread.h>
#include <setjmp.h>
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

/* Valgrind does not look beyond the innermost frame when that is within 512
   bytes of the end of a mapping: the last page is not used. */
#define STACK (64 * PAGE)

static char* other_stack(void)
{
   return mapped(STACK + PAGE);
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

/* --- longjmp -------------------------------------------------------------- */

static jmp_buf back;

#define RECURSING(name, end)                                                   \
   FUNCTION void name(int n)                                                   \
   {                                                                           \
      leaf(fresh());                                                           \
      if (n == 0)                                                              \
         end;                                                                  \
      name(n - 1);                                                             \
      after();                                                                 \
   }
RECURSING(jumper, longjmp(back, 1))
RECURSING(stepper, return )

FUNCTION void jumps(void)
{
   for (volatile int i = 0; i < 4; i++) {
      if (setjmp(back) == 0)
         jumper(1);
      stepper(1);
   }
   after();
}

/* --- signal handlers, on this stack and on another ------------------------ */

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
   kill(getpid(), SIGUSR2);
   leaf(fresh());
   after();
}

FUNCTION void signals(void)
{
   stack_t          stack  = {.ss_sp = other_stack(), .ss_size = STACK};
   struct sigaction action = {.sa_handler = handler};
   sigaction(SIGUSR1, &action, NULL);
   action.sa_flags = SA_ONSTACK;
   sigaltstack(&stack, NULL);
   sigaction(SIGUSR2, &action, NULL);
   for (int i = 0; i < 3; i++)
      raiser();
   after();
}

/* --- threads, of which one goes on after the other ------------------------ */

static pthread_barrier_t turn;

static void* thread(void* how)
{
   for (int i = 0; i < 10; i++) {
      pthread_barrier_wait(&turn);
      if (i % 2 != *(int*)how)
         continue;
      if (i % 2)
         left(fresh());
      else
         right(fresh());
   }
   after();
   return NULL;
}

FUNCTION void threads(void)
{
   pthread_t id[2];
   int       how[2] = {0, 1};
   pthread_barrier_init(&turn, NULL, 2);
   for (int i = 0; i < 2; i++)
      pthread_create(&id[i], NULL, thread, &how[i]);
   for (int i = 0; i < 2; i++)
      pthread_join(id[i], NULL);
   after();
}

int main(void)
{
   area = mapped(AREA * PAGE);
   twins();
   aligning();
   jumps();
   signals();
   threads();
   puts("done");
   return 0;
}
