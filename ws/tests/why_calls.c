/* What C programs do, for why.test: why_calls MODE [LIBRARY]. It finds the
   lines that it expects in a stack by the words behind the @. As a library, it
   is this file, too. */

#define _GNU_SOURCE /* MAP_ANONYMOUS */

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ws.h"

#define PAGE 4096
#define LONG 500000 /* a million instructions; libc starts in fewer */

#define NEVER_INLINE __attribute__((noinline, noclone))

/* Two instructions per turn, in a single line. */
#define SPIN(turns)                                                            \
   do {                                                                        \
      unsigned long left = (turns);                                            \
      __asm__ volatile("1: dec %0; jnz 1b" : "+r"(left) : : "cc");             \
   } while (0)

/* Against tail calls, after which there would be no frame. */
static volatile unsigned long after;

/* --- Stacks: inlined functions and signals, a million instructions each ---- */

static inline __attribute__((always_inline)) void inner(void)
{
   SPIN(LONG); /* @inner */
   WS_SNAPSHOT("in inner");
   after++;
}

NEVER_INLINE static void outer(void)
{
   inner(); /* @outer */
   after++;
}

static void on_signal(int number)
{
   SPIN(LONG); /* @handler */
   after += (unsigned long)number;
   if (number == SIGILL)
      _exit(0);
}

NEVER_INLINE static void interrupted(void)
{
   raise(SIGUSR1); /* @interrupted */
   after++;
}

NEVER_INLINE static void faulty(void)
{
   /* The nop: Valgrind looks for the caller of a signal handler one byte
      before the address to return to. */
   __asm__ volatile("nop; ud2"); /* @faulty */
   after++;
}

static int stacks(void)
{
   signal(SIGUSR1, on_signal);
   signal(SIGILL, on_signal);
   outer();       /* @calls outer */
   interrupted(); /* @interrupts */
   SPIN(LONG);    /* @between */
   faulty();      /* @faults */
   return 1;      /* not reached */
}

/* --- A library that comes and goes, twice ---------------------------------- */

void lib_work(void);

void lib_work(void)
{
   SPIN(LONG);
   after++;
}

static int library(const char* name)
{
   for (int i = 0; i < 2; i++) {
      void (*work)(void);
      void* lib = dlopen(name, RTLD_NOW);
      if (!lib)
         return 1;
      *(void**)&work = dlsym(lib, "lib_work");
      work();
      dlclose(lib);
   }
   return 0;
}

/* --- Stacks of threads and what lies beside them --------------------------- */

/* Touches five pages of the stack that nobody came to before. */
#define STACK_TOUCHER(name)                                                    \
   NEVER_INLINE static void name(void)                                         \
   {                                                                           \
      volatile char frame[40 * PAGE];                                          \
      for (unsigned i = 1; i <= 5; i++)                                        \
         frame[i * PAGE] = 1;                                                  \
   }

/* And five pages where the kernel likes to put them. */
#define MAPPING_TOUCHER(name)                                                  \
   NEVER_INLINE static void name(void)                                         \
   {                                                                           \
      volatile char* first = mmap(NULL, 5 * PAGE, PROT_READ | PROT_WRITE,      \
                                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);         \
      for (unsigned i = 0; i < 5; i++)                                         \
         first[i * PAGE] = 1;                                                  \
   }

STACK_TOUCHER(first_stack)
STACK_TOUCHER(second_stack)
MAPPING_TOUCHER(mapping_before)
MAPPING_TOUCHER(mapping_of_thread)
MAPPING_TOUCHER(mapping_after)

static pthread_barrier_t both;

static void* thread(void* nothing)
{
   second_stack();
   mapping_of_thread();
   pthread_barrier_wait(&both); /* its stack is there for the others */
   pthread_barrier_wait(&both);
   return nothing;
}

static int threads(void)
{
   pthread_t id;

   mapping_before();
   pthread_barrier_init(&both, NULL, 2);
   pthread_create(&id, NULL, thread, NULL);
   pthread_barrier_wait(&both);
   mapping_after();
   first_stack();
   pthread_barrier_wait(&both);
   pthread_join(id, NULL);
   return 0;
}

/* --- For a debugger -------------------------------------------------------- */

NEVER_INLINE static void busy(void)
{
   __asm__ volatile("1: jmp 1b"); /* @busy */
   after++;
}

static int forever(int is_busy)
{
   puts("ready");
   fflush(stdout);
   if (is_busy)
      busy();
   after += (unsigned long)getchar(); /* @idle */
   return 0;
}

/* --- Other processes, and what is not measured ----------------------------- */

static void touch(unsigned n_pages)
{
   static volatile char many[600 * PAGE];

   for (unsigned i = 0; i < n_pages; i++)
      many[i * PAGE] = 1;
}

static int family(void)
{
   char* const none[] = {NULL};

   WS_MARK("before");
   WS_STOP;
   touch(600);
   WS_STOP;
   execve("/nonexistent", none, none);
   if (fork() == 0) {
      touch(100);
      WS_MARK("child, stopped");
      WS_START;
      touch(200);
      WS_MARK("child");
      execl("/bin/echo", "echo", "from", "echo", (char*)NULL);
      _exit(9);
   }
   wait(NULL);
   WS_MARK("still");
   WS_START;
   WS_START;
   WS_SNAPSHOT("after");
   execve("/nonexistent", none, none);
   SPIN(LONG); /* @family */
   return 5;
}

int main(int argc, char** argv)
{
   const char* mode = argc > 1 ? argv[1] : "";

   if (strcmp(mode, "stacks") == 0)
      return stacks(); /* @main stacks */
   if (strcmp(mode, "library") == 0)
      return library(argv[2]);
   if (strcmp(mode, "threads") == 0)
      return threads();
   if (strcmp(mode, "busy") == 0)
      return forever(1); /* @main busy */
   if (strcmp(mode, "idle") == 0)
      return forever(0);
   if (strcmp(mode, "family") == 0)
      return family();
   return 2;
}
