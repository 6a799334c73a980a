/* SPDX-License-Identifier: GPL-2.0-or-later */

/*
 * A sawtooth of working sets: the demo of ws.
 *
 *     cc -g -O1 pageramp.c -o pageramp
 *     valgrind --tool=ws ./pageramp [pages [cycles [stride]]]
 *
 * Claims pages one by one up to `pages` (1024), then releases them one by one,
 * and does so `cycles` (10) times. After each step it writes one byte to every
 * `stride`-th (2nd) of the pages that it holds: with a stride of 2, half of
 * the memory that it holds is in its working set, and the other half is what
 * the resident set size counts too much.
 *
 * The first tooth is some 20 pages higher than the others: the first release
 * is also the first call of munmap, which the dynamic linker then looks up.
 */

#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#endif

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct {
   volatile char** page; /* volatile: each write is to happen */
   size_t          held;
   size_t          page_size;
} Pages;

/* Never inlined: the name is to be seen in call stacks at every -O level. */
__attribute__((noinline)) static void touch_pages(const Pages* pages,
                                                  size_t       stride)
{
   for (size_t i = 0; i < pages->held; i += stride)
      pages->page[i][0] = 1;
}

/* Each page is a mapping of its own, so that a page released is really gone. */
static void claim_page(Pages* pages)
{
   void* page = mmap(NULL, pages->page_size, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
   if (page == MAP_FAILED) {
      perror("pageramp: mmap");
      exit(1);
   }
   pages->page[pages->held++] = page;
}

static void release_page(Pages* pages)
{
   if (munmap((void*)pages->page[--pages->held], pages->page_size) != 0) {
      perror("pageramp: munmap");
      exit(1);
   }
}

/* The argument with this index, a number from 1, or its default. */
static size_t argument(int argc, char** argv, int index, size_t otherwise)
{
   if (index >= argc)
      return otherwise;
   char* end;
   errno      = 0;
   long value = strtol(argv[index], &end, 10);
   if (errno || end == argv[index] || *end != '\0' || value < 1) {
      fprintf(stderr, "usage: pageramp [pages [cycles [stride]]]\n");
      exit(2);
   }
   return (size_t)value;
}

int main(int argc, char** argv)
{
   size_t limit  = argument(argc, argv, 1, 1024);
   size_t cycles = argument(argc, argv, 2, 10);
   size_t stride = argument(argc, argv, 3, 2);

   Pages pages = {.held = 0, .page_size = (size_t)sysconf(_SC_PAGESIZE)};
   pages.page  = calloc(limit, sizeof *pages.page);
   if (!pages.page) {
      perror("pageramp: calloc");
      return 1;
   }

   for (size_t cycle = 0; cycle < cycles; cycle++) {
      while (pages.held < limit) {
         claim_page(&pages);
         touch_pages(&pages, stride);
      }
      while (pages.held > 0) {
         release_page(&pages);
         touch_pages(&pages, stride);
      }
   }

   free(pages.page);
   return 0;
}
