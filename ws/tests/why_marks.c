/* The client requests of ws.h, in C and in C++; it says the same whether or not
   it runs under Valgrind. */

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ws.h"

#define PAGE   4096
#define LABELS 10500 /* numbers of more than four digits */

static volatile char many[600 * PAGE];

static void touch(unsigned n_pages)
{
   for (unsigned i = 0; i < n_pages; i++)
      many[i * PAGE] = 1;
}

/* Labels that are not nice. */
static void labels(void)
{
   char  text[1000];
   char* end = (char*)mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

   WS_MARK("");
   WS_MARK("two\nlines\tand\rmore\033\177");
   WS_MARK(", label=[   9] refs=1, loc=-");
   memset(text, 'x', sizeof text);
   text[199] = 0;
   WS_MARK(text); /* 199 */
   text[199] = 'y';
   text[200] = 0;
   WS_MARK(text); /* 200 */
   text[200] = 'z';
   text[999] = 0;
   WS_MARK(text); /* 999 */
   WS_MARK(NULL);
   WS_SNAPSHOT((char*)1);
   munmap(end + PAGE, PAGE);
   memcpy(end + PAGE - 5, "at it", 5); /* the end of what can be read */
   WS_MARK(end + PAGE - 5);
   printf("labels\n");
}

static void numbers(void)
{
   char text[32];

   for (int i = 0; i < LABELS; i++) {
      snprintf(text, sizeof text, "label %d", i);
      WS_MARK(text);
   }
   WS_MARK("label 7");
   printf("numbers\n");
}

/* Outside of what is measured: 600 pages, output, and a process. */
static void stopped(void)
{
   WS_MARK("before");
   WS_STOP;
   touch(600);
   WS_STOP;
   printf("stopped\n");
   fflush(stdout);
   if (fork() == 0) {
      touch(100);
      WS_MARK("child, stopped");
      WS_START;
      touch(200);
      WS_MARK("child");
      _exit(0);
   }
   wait(NULL);
   WS_MARK("still");
   WS_START;
   WS_START;
   WS_MARK("after");
   WS_STOP;
   WS_MARK("the end");
}

int main(int argc, char** argv)
{
   const char* mode = argc > 1 ? argv[1] : "";

   if (strcmp(mode, "labels") == 0)
      labels();
   else if (strcmp(mode, "numbers") == 0)
      numbers();
   else if (strcmp(mode, "stopped") == 0)
      stopped();
   else
      return 2;
   return 0;
}
