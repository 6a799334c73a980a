/* A program that waits, or works, for a time on the clock.

   usage: clock_waits sleep|work|stop|fork|exec MS PAGES

   It always touches PAGES pages, spends MS milliseconds, touches twice as many
   others, and spends MS milliseconds again. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../ws.h"

#define PAGE 4096

static volatile char memory[6000 * PAGE];

static void touch(int first, int n_pages)
{
   for (int i = 0; i < n_pages; i++)
      memory[(first + i) * PAGE] = 1;
}

static void rest(int ms)
{
   struct timespec time = {ms / 1000, ms % 1000 * 1000000L};

   while (nanosleep(&time, &time) != 0)
      ;
}

static double now_ms(void)
{
   struct timespec now;

   clock_gettime(CLOCK_MONOTONIC, &now);
   return now.tv_sec * 1e3 + now.tv_nsec * 1e-6;
}

/* Touches these pages all the time; to look at the clock is a system call. */
static void work(int ms, int first, int n_pages)
{
   double end = now_ms() + ms;

   do
      for (int i = 0; i < 10000000 / n_pages; i++)
         touch(first, n_pages);
   while (now_ms() < end);
}

int main(int argc, char** argv)
{
   const char* mode    = argv[1];
   int         ms      = argc > 2 ? atoi(argv[2]) : 0;
   int         n_pages = argc > 3 ? atoi(argv[3]) : 0;

   touch(0, n_pages);
   if (strcmp(mode, "stop") == 0)
      WS_STOP;
   if (strcmp(mode, "work") == 0)
      work(ms, 0, n_pages);
   else
      rest(ms);
   WS_START;
   if (strcmp(mode, "fork") == 0 && fork() != 0) {
      wait(NULL);
      return 0;
   }
   if (strcmp(mode, "exec") == 0)
      execl("/nonexistent", "nonexistent", (char*)NULL);
   touch(n_pages, 2 * n_pages);
   WS_MARK("second half");
   if (strcmp(mode, "work") == 0)
      work(ms, n_pages, 2 * n_pages);
   else
      rest(ms);
   return 0;
}
