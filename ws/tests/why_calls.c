/* Call stacks of C programs, for why.test: why_calls MODE [ARGUMENT]. It finds
   the lines that it expects in a stack by the words behind the @. */

#define _GNU_SOURCE /* sigaltstack */

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ws.h"

#define PAGE 4096
#define LONG 1500000 /* times two instructions */

#define NEVER_INLINE  __attribute__((noinline, noclone))
#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* Two instructions per turn, in a single line. */
#define SPIN(turns)                                                            \
   do {                                                                        \
      unsigned long left = (turns);                                            \
      __asm__ volatile("1: dec %0; jnz 1b" : "+r"(left) : : "cc");             \
   } while (0)

/* Against tail calls, after which there would be no frame. */
static volatile unsigned long after;

/* --- Inlined functions ------------------------------------------------- */

ALWAYS_INLINE void inner(unsigned long turns)
{
   SPIN(turns); /* @inner */
   WS_SNAPSHOT("in inner");
   after++;
}

ALWAYS_INLINE void middle(unsigned long turns)
{
   inner(turns); /* @middle */
   after++;
}

NEVER_INLINE static void outer(unsigned long turns)
{
   middle(turns); /* @outer */
   after++;
}

static int inlined(void)
{
   outer(LONG); /* @inlined */
   after++;
   return 0;
}

/* --- A library that goes ------------------------------------------------ */

static int library(const char* name, int times)
{
   while (times-- > 0) {
      void (*lib_work)(unsigned long);
      void* lib = dlopen(name, RTLD_NOW);
      if (!lib) {
         fprintf(stderr, "%s\n", dlerror());
         return 1;
      }
      *(void**)&lib_work = dlsym(lib, "lib_work");
      lib_work(LONG); /* @library */
      dlclose(lib);
   }
   SPIN(LONG); /* @spins */
   return 0;
}

/* --- Signals ------------------------------------------------------------ */

static void on_signal(int number)
{
   SPIN(LONG); /* @handler */
   after += (unsigned long)number;
   if (number == SIGILL)
      _exit(0);
}

static void handle(int number, int on_other_stack)
{
   static char      stack[16 * PAGE];
   struct sigaction action;
   stack_t          other = {.ss_sp = stack, .ss_size = sizeof stack};

   memset(&action, 0, sizeof action);
   action.sa_handler = on_signal;
   if (on_other_stack) {
      sigaltstack(&other, NULL);
      action.sa_flags = SA_ONSTACK;
   }
   sigaction(number, &action, NULL);
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

static int signals(int on_other_stack)
{
   handle(SIGUSR1, on_other_stack);
   handle(SIGILL, on_other_stack);
   interrupted(); /* @interrupts */
   SPIN(LONG);    /* @between */
   faulty();      /* @faults */
   return 1;      /* not reached */
}

/* --- Threads ------------------------------------------------------------ */

static volatile char few[10 * PAGE], many[50 * PAGE];

NEVER_INLINE static void walk(volatile char* pages, unsigned n, unsigned turns)
{
   for (unsigned turn = 0; turn < turns; turn++)
      for (unsigned i = 0; i < n; i++)
         pages[i * PAGE]++;
}

static void* thread_of_few(void* nothing)
{
   walk(few, 10, 100000); /* @few */
   after++;
   return nothing;
}

static void* thread_of_many(void* nothing)
{
   walk(many, 50, 20000); /* @many */
   after++;
   return nothing;
}

static int threads(void)
{
   pthread_t id[2];

   pthread_create(&id[0], NULL, thread_of_few, NULL);
   pthread_create(&id[1], NULL, thread_of_many, NULL);
   pthread_join(id[0], NULL);
   pthread_join(id[1], NULL);
   return 0;
}

/* --- Stacks and what lies beside them ---------------------------------- */

static void say(const char* what, const volatile char* page)
{
   printf("%s %#lx\n", what, (unsigned long)page);
}

/* Touches five pages; says which is the lowest. */
NEVER_INLINE static void use_stack(const char* whose)
{
   volatile char  frame[6 * PAGE];
   volatile char* first = (volatile char*)(((unsigned long)frame + PAGE - 1) &
                                           -(unsigned long)PAGE);

   for (unsigned i = 0; i < 5; i++)
      first[i * PAGE] = 1; /* @stack */
   say(whose, first);
}

/* Five pages beside the ones before, as the kernel likes it. */
NEVER_INLINE static void use_mapping(const char* what)
{
   volatile char* first = mmap(NULL, 5 * PAGE, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

   for (unsigned i = 0; i < 5; i++)
      first[i * PAGE] = 1; /* @mapping */
   say(what, first);
}

static pthread_barrier_t both;

static void* thread_of_stack(void* whose)
{
   use_stack(whose);
   use_mapping("its mapping");
   pthread_barrier_wait(&both); /* mapped as long as it runs */
   pthread_barrier_wait(&both);
   return NULL;
}

static int stacks(void)
{
   static char whose[] = "second stack";
   pthread_t   id;

   use_mapping("mapping before");
   pthread_barrier_init(&both, NULL, 2);
   pthread_create(&id, NULL, thread_of_stack, whose);
   pthread_barrier_wait(&both);
   use_mapping("mapping after");
   use_stack("first stack");
   pthread_barrier_wait(&both);
   pthread_join(id, NULL);
   return 0;
}

/* --- For a debugger ------------------------------------------------------ */

NEVER_INLINE static void busy(void)
{
   __asm__ volatile("1: jmp 1b"); /* @busy */
   after++;
}

NEVER_INLINE static void wait_for_input(void)
{
   after += (unsigned long)getchar(); /* @idle */
   after++;
}

static int forever(int is_busy)
{
   puts("ready");
   fflush(stdout);
   if (is_busy)
      busy();
   wait_for_input();
   return 0;
}

/* --- Other processes ---------------------------------------------------- */

static int family(void)
{
   char* const none[] = {NULL};

   WS_MARK("before");
   fflush(stdout);
   execve("/nonexistent", none, none);
   if (fork() == 0) {
      WS_MARK("child");
      printf("child\n");
      fflush(stdout);
      execl("/bin/echo", "echo", "from", "echo", (char*)NULL);
      _exit(9);
   }
   wait(NULL);
   SPIN(LONG);
   printf("parent\n");
   WS_SNAPSHOT("after");
   return 5;
}

int main(int argc, char** argv)
{
   const char* mode = argc > 1 ? argv[1] : "";

   if (strcmp(mode, "inlined") == 0)
      return inlined(); /* @main inlined */
   if (strcmp(mode, "library") == 0)
      return library(argv[2], argc - 2); /* @main library */
   if (strcmp(mode, "signals") == 0)
      return signals(argc > 2); /* @main signals */
   if (strcmp(mode, "threads") == 0)
      return threads();
   if (strcmp(mode, "stacks") == 0)
      return stacks();
   if (strcmp(mode, "busy") == 0)
      return forever(1); /* @main busy */
   if (strcmp(mode, "idle") == 0)
      return forever(0); /* @main idle */
   if (strcmp(mode, "family") == 0)
      return family();
   return 2;
}
