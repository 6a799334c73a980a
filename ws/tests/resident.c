/* What maps pages and makes them resident, and what ends that: the first n of
   the steps below are done, and some time passes behind each. How many pages it
   adds is known. */

#define _GNU_SOURCE
#include <alloca.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../ws.h"

#define PAGE 4096
#define ANY  (MAP_PRIVATE | MAP_ANONYMOUS)

static char *area, *file, *twice[2];
static int   fd, in_memory;

static void touch(char* at, unsigned n)
{
   for (unsigned i = 0; i < n; i++)
      ((volatile char*)at)[i * PAGE] = 1;
}

static char* map(char* at, unsigned n, int flags)
{
   return mmap(at, n * PAGE, PROT_READ | PROT_WRITE, flags, -1, 0);
}

static void step(int n)
{
   switch (n) {
   case 1: touch(area, 60); break;
   case 2: munmap(area + 40 * PAGE, 20 * PAGE); break;
   case 3: madvise(area, 10 * PAGE, MADV_DONTNEED); break;
   case 4: touch(area, 5); break;
   case 5: /* 10, of which 5 are resident, to where none is */
      mremap(area, 10 * PAGE, 10 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED,
             area + 100 * PAGE);
      break;
   case 6: /* what was moved can be discarded there */
      madvise(area + 100 * PAGE, 2 * PAGE, MADV_DONTNEED);
      break;
   case 7: map(area + 20 * PAGE, 15, ANY | MAP_FIXED); break;
   case 8: touch(sbrk(8 * PAGE), 8); break;
   case 9: sbrk(-3 * PAGE); break;
   case 10: mprotect(area + 10 * PAGE, 10 * PAGE, PROT_NONE); break;
   case 11: {
      char* shared = shmat(shmget(IPC_PRIVATE, 4 * PAGE, IPC_CREAT | 0600), 0,
                           0);
      touch(shared, 4);
      shmdt(shared);
      break;
   }
   case 12: {
      char* shared = map(NULL, 9, MAP_SHARED | MAP_ANONYMOUS);
      touch(shared, 9);
      madvise(shared, 6 * PAGE, MADV_REMOVE);
      break;
   }
   case 13: /* a hole in it, and the last page in part; 24: also if locked */
      touch(area + 150 * PAGE, 10);
      munmap(area + 154 * PAGE, PAGE);
      if (madvise(area + 150 * PAGE, 9 * PAGE + 1, 24) && errno == EINVAL)
         madvise(area + 150 * PAGE, 9 * PAGE + 1, MADV_DONTNEED);
      break;
   case 14: /* on both sides of a border: either page goes and comes back */
      for (unsigned i = 0; i < 2; i++) {
         char* border = area + (181 + 4 * i) * PAGE;
         for (unsigned j = 0; j < 6; j++) {
            *(volatile int64_t*)(border - 4) = 1;
            if (j == 3)
               madvise(border - i * PAGE, PAGE, MADV_DONTNEED);
         }
      }
      break;
   case 15: /* many mappings, of the same pages; then none of some of them */
      for (unsigned i = 190; i < 200; i += 2)
         mprotect(area + i * PAGE, PAGE, PROT_READ);
      mprotect(area + 190 * PAGE, 6 * PAGE, PROT_NONE);
      mprotect(area + 190 * PAGE, 2 * PAGE, PROT_READ);
      break;
   case 16: /* smaller, where it is */
      mremap(area + 100 * PAGE, 10 * PAGE, 7 * PAGE, 0);
      break;
   case 18: /* of a file of 100 pages, 40; then 80 */
      file = mmap(NULL, 100 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
      touch(file, 40);
      break;
   case 19: touch(file + 40 * PAGE, 40); break;
   case 20: /* two mappings of a file in memory, 30 and 6 of the same pages */
      in_memory = memfd_create("", 0);
      ftruncate(in_memory, 40 * PAGE);
      twice[0] = mmap(NULL, 40 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED,
                      in_memory, 0);
      twice[1] = mmap(NULL, 10 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED,
                      in_memory, 2 * PAGE);
      touch(twice[0], 30);
      touch(twice[1], 6);
      break;
   case 21: /* pages 3 to 21 of both, by another descriptor */
      fallocate(dup(in_memory), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                2 * PAGE + 1, 20 * PAGE - 1);
      break;
   case 22: /* tmpfs does not do that */
      fallocate(in_memory, FALLOC_FL_ZERO_RANGE, 0, 40 * PAGE);
      break;
   case 23: /* page 2 of both */ madvise(twice[1], PAGE, MADV_REMOVE); break;
   case 24: /* page 25 stays, for a part of it does */
      ftruncate(in_memory, 25 * PAGE + 1);
      break;
   case 25: open("resident.file", O_RDWR | O_TRUNC); break;
   case 26: /* paged out, they would come back as they were */
      madvise(area, 20 * PAGE, MADV_PAGEOUT);
      madvise(area, 20 * PAGE, MADV_COLD);
      break;
   case 27: /* a file says what the kernel did */
      if (syscall(SYS_io_uring_setup, 1, (char[120]){0}) >= 0)
         creat("memory that io_uring fills", 0600);
      if (syscall(SYS_userfaultfd, 1) >= 0)
         creat("memory that userfaultfd fills", 0600);
      break;
   case 28:
      if (memfd_create("", MFD_HUGETLB) >= 0)
         creat("huge pages", 0600);
      break;
   }
}

int main(int argc, char** argv)
{
   int  n = argc > 1 ? atoi(argv[1]) : 0;
   char label[9];

   fd = open("resident.file", O_RDWR | O_CREAT | O_TRUNC, 0600);
   if (ftruncate(fd, 100 * PAGE) != 0)
      return 1;
   area = map(NULL, 200, ANY);
   madvise(area + (n + 1) % 2, PAGE, MADV_HUGEPAGE); /* if even, it fails */
   mlockall(n % 2 ? MCL_FUTURE : 0);                 /* likewise */
   munlockall();
   sbrk(-(intptr_t)sbrk(0) & (PAGE - 1));
   /* Some of this is mapped already. */
   sbrk(70 * PAGE);
   touch(alloca(100 * PAGE), 1);
   for (int i = 0; i <= n; i++) {
      step(i);
      snprintf(label, sizeof label, "%d", i);
      WS_SNAPSHOT(label);
      if (i == 17) /* the stack grows, which is no system call */
         touch(alloca(40 * PAGE), 1);
      for (volatile int turn = 0; turn < 10000; turn++)
         ;
   }
   return 0;
}
