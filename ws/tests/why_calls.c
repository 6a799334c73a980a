/* What C programs do, for why.test: why_calls MODE [LIBRARY...]. It finds the
   lines that it expects in a stack by the words behind the @. As a library, it
   is this file, too. */

#define _GNU_SOURCE /* MAP_ANONYMOUS */

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../ws.h"

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

/* --- Libraries that come and go, one where the other was ------------------- */

void lib_work(void);

void lib_work(void)
{
   SPIN(LONG);
   after++;
}

static int libraries(char** names)
{
   for (; *names; names++) {
      void (*work)(void);
      void* lib = dlopen(*names, RTLD_NOW);
      if (!lib)
         return 1;
      *(void**)&work = dlsym(lib, "lib_work");
      work();
      dlclose(lib);
   }
   return 0;
}

/* --- Stacks of threads, and what lies beside them -------------------------- */

/* Each is seen in the list of pages: it came first to five. */
#define TOUCHER(name)                                                          \
   NEVER_INLINE static void name(volatile char* first)                         \
   {                                                                           \
      for (unsigned i = 0; i < 5; i++)                                         \
         first[i * PAGE] = 1;                                                  \
   }

TOUCHER(first_stack)
TOUCHER(second_stack)
TOUCHER(mapping)

NEVER_INLINE static void on_stack(void (*touch_pages)(volatile char* first))
{
   volatile char deep[40 * PAGE]; /* where nobody came before */
   touch_pages(deep + PAGE);
}

/* The next instruction is in another line: it has not made the call. */
NEVER_INLINE static void let_write(volatile char* first)
{
   long zero = open("/dev/zero", O_RDONLY), done = SYS_read;

   __asm__ volatile("syscall" /* @read */
                    : "+a"(done)
                    : "D"(zero), "S"(first), "d"(5L * PAGE)
                    : "rcx", "r11", "memory");
   __asm__ volatile("nop");
}

static void* thread(void* nothing)
{
   char* pages = mmap(NULL, 10 * PAGE, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

   on_stack(second_stack);
   mapping(pages);
   let_write(pages + 5 * PAGE);
   return nothing;
}

static int threads(void)
{
   pthread_t id;

   pthread_create(&id, NULL, thread, NULL);
   pthread_join(id, NULL);
   on_stack(first_stack);
   return 0;
}

/* --- For a debugger -------------------------------------------------------- */

static int forever(int is_busy)
{
   puts("ready");
   fflush(stdout);
   if (is_busy)
      __asm__ volatile("1: jmp 1b");  /* @busy */
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
   WS_MARK("before");
   WS_STOP;
   touch(600);
   WS_STOP;
   if (fork() == 0) {
      touch(100);
      WS_MARK("child, stopped");
      WS_START;
      touch(200);
      WS_MARK("child");
      _exit(9);
   }
   wait(NULL);
   WS_MARK("still");
   WS_START;
   WS_START;
   WS_SNAPSHOT("after");
   SPIN(LONG);
   // The kernel does not read what is not there, but it is asked to.
   return write(1, (char*)PAGE, 1) == 1 ? 1 : 5;
}

static int snapshots(int n)
{
   for (int i = 0; i < n; i++) {
      touch(100);
      WS_SNAPSHOT("again");
   }
   return 0;
}

int main(int argc, char** argv)
{
   const char* mode = argc > 1 ? argv[1] : "";

   if (strcmp(mode, "libraries") == 0)
      return libraries(argv + 2);
   if (strcmp(mode, "threads") == 0)
      return threads();
   if (strcmp(mode, "busy") == 0)
      return forever(1);
   if (strcmp(mode, "idle") == 0)
      return forever(0);
   if (strcmp(mode, "family") == 0)
      return family();
   if (strcmp(mode, "snapshots") == 0)
      return snapshots(atoi(argv[2]));
   return 2;
}
