/* 64 threads that wait for each other. Each, the first one included, touches 500
   pages of its own before. */

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mman.h>

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

int main(void)
{
   pthread_t threads[64];
   int       i;

   work();
   for (i = 0; i < 64; i++)
      if (pthread_create(&threads[i], NULL, one_of_many, NULL) != 0)
         return 99;
   for (i = 0; i < 64; i++)
      pthread_join(threads[i], NULL);
   return n_ended == 64 ? 9 : 98;
}
