/* What threads can do to their process. Each thread, the first one included,
   touches 500 pages of its own before. */

#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static char*           self;
static const char*     how;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int             n_ended;

static void work(void)
{
   volatile char* p = mmap(NULL, 500 * 4096L, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
   int            i;

   for (i = 0; i < 500; i++)
      p[i * 4096L] = 1;
}

static void* second(void* unused)
{
   work();
   if (strncmp(how, "_exit", 5) == 0)
      _exit(5);
   if (strcmp(how, "exit") == 0)
      exit(6);
   if (strcmp(how, "abort") == 0)
      abort();
   if (strcmp(how, "segv") == 0)
      *(volatile int*)8 = 1;
   if (strcmp(how, "term") == 0)
      kill(getpid(), SIGTERM);
   if (strcmp(how, "exec") == 0)
      execl(self, self, "image", NULL);
   if (strcmp(how, "fork") == 0) {
      if (fork() == 0) {
         work();
         _exit(7);
      }
      wait(NULL);
      _exit(8);
   }
   while (strcmp(how, "cancel") == 0)
      pause();
   return NULL;
}

static void* one_of_many(void* unused)
{
   int i;

   work();
   for (i = 0; i < 100; i++) {
      pthread_mutex_lock(&mutex);
      if (i % 10 == 0)
         sched_yield();
      n_ended += i == 99;
      pthread_mutex_unlock(&mutex);
   }
   if (n_ended == 64)
      puts("all of them");
   return NULL;
}

static int many(void)
{
   pthread_t threads[64];
   int       i;

   for (i = 0; i < 64; i++)
      if (pthread_create(&threads[i], NULL, one_of_many, NULL) != 0)
         return 99;
   for (i = 0; i < 64; i++)
      pthread_join(threads[i], NULL);
   return n_ended == 64 ? 9 : 98;
}

int main(int argc, char** argv)
{
   pthread_t    thread;
   volatile int turn;

   self = argv[0];
   how  = argv[1];
   work();
   if (strcmp(how, "image") == 0)
      return 11;
   if (strcmp(how, "many") == 0)
      return many();
   if (pthread_create(&thread, NULL, second, NULL) != 0)
      return 97;
   if (strcmp(how, "leave") == 0)
      pthread_exit(NULL);
   while (strcmp(how, "_exit-busy") == 0)
      turn = 1;
   if (strcmp(how, "cancel") == 0)
      pthread_cancel(thread);
   pthread_join(thread, NULL);
   return 10;
}
