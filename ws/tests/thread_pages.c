/* Three threads, all there at the same time, and each page that they access in
   two files has one owner, two, or three: thread k writes 10 * k pages of its
   own; two of them read 5 pages, all three read 7. */

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096L

static pthread_barrier_t barrier;
static volatile char*    own;
static volatile char*    common;

static void* work(void* arg)
{
   long           k     = (long)arg;
   volatile char* first = own + 30 * k * PAGE;

   pthread_barrier_wait(&barrier);
   for (long i = 0; i < 10 * k; i++)
      first[i * PAGE] = 1;
   for (long i = k < 3 ? 0 : 5; i < 12; i++)
      (void)common[i * PAGE];
   pthread_barrier_wait(&barrier);
   return NULL;
}

static volatile char* file(const char* name)
{
   int fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);

   if (ftruncate(fd, 150 * PAGE) != 0)
      _exit(1);
   return mmap(NULL, 150 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
}

int main(void)
{
   pthread_t threads[3];

   own    = file("own");
   common = file("common");
   pthread_barrier_init(&barrier, NULL, 3);
   for (long k = 1; k <= 3; k++)
      pthread_create(&threads[k - 1], NULL, work, (void*)k);
   for (int k = 0; k < 3; k++)
      pthread_join(threads[k], NULL);
   // Samples follow, the windows of which have it all.
   for (volatile int i = 0; i < 20000; i++)
      ;
   return 0;
}
