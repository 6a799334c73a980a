/* Pages that a process and its child share, and who writes to them.

   usage: shares NEW CHILD PARENT

   Of 1,000 pages, the child writes to CHILD, and to NEW of its own; then the
   parent, to PARENT others. So all are there at one time: what each has of
   its own, and the 1,000, whoever has written to them. In the end, the parent
   writes to all, without its child. */

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define SHARED 1000
#define PAGE   4096L

static volatile char* pages(void)
{
   return mmap(NULL, SHARED * PAGE, PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

__attribute__((noinline)) static void load(volatile char* p, int n)
{
   for (int i = 0; i < n; i++)
      p[i * PAGE] = 1;
}

__attribute__((noinline)) static void change(volatile char* p, int n)
{
   for (int i = 0; i < n; i++)
      p[i * PAGE] = 2;
}

__attribute__((noinline)) static void alone(volatile char* p, int n)
{
   for (int i = 0; i < n; i++)
      p[i * PAGE] = 3;
}

int main(int argc, char** argv)
{
   volatile char* shared = pages();
   int            written[2], read_by[2];
   char           c;

   if (argc != 4 || pipe(written) != 0 || pipe(read_by) != 0)
      return 1;
   load(shared, SHARED);
   if (fork() == 0) {
      close(read_by[1]);
      load(pages(), atoi(argv[1]));
      change(shared, atoi(argv[2]));
      /* The parent may go on; the child ends with it. */
      return write(written[1], "", 1) != 1 || read(read_by[0], &c, 1) != 0;
   }
   if (read(written[0], &c, 1) != 1)
      return 1;
   change(shared + SHARED / 2 * PAGE, atoi(argv[3]));
   usleep(100000);
   close(read_by[1]);
   wait(NULL);
   usleep(100000);
   alone(shared, SHARED);
   return 0;
}
