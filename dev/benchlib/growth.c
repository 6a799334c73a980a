/* Programs whose cost under ws is to grow with one thing only.

      growth stream PAGES ROUNDS    touches all pages, again and again
      growth idle PAGES LOOPS       touches all pages once, then one
      growth threads N LOOPS        N threads share the loops */

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE_SZB 4096

static long loops_per_thread;

static void *spin(void *place)
{
   volatile long *counter = place;
   for (long i = 0; i < loops_per_thread; i++)
      ++*counter;
   return NULL;
}

static void touch_all(volatile char *pages, long n)
{
   for (long i = 0; i < n; i++)
      pages[i * PAGE_SZB]++;
}

int main(int argc, char **argv)
{
   if (argc != 4)
      return 2;
   long  n    = atol(argv[2]), m = atol(argv[3]);
   char *data = mmap(NULL, n * PAGE_SZB, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
   if (data == MAP_FAILED)
      return 3;
   if (strcmp(argv[1], "stream") == 0) {
      while (m-- > 0)
         touch_all(data, n);
   } else if (strcmp(argv[1], "idle") == 0) {
      touch_all(data, n);
      loops_per_thread = m;
      spin(data);
   } else {
      pthread_t *threads = calloc(n, sizeof *threads);
      loops_per_thread   = m / n;
      for (long i = 0; i < n; i++)
         if (pthread_create(&threads[i], NULL, spin, data + i * PAGE_SZB))
            return 4;
      for (long i = 0; i < n; i++)
         pthread_join(threads[i], NULL);
   }
   return 0;
}
