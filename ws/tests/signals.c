/* Signals, for the oracle: handlers on the stack and on a stack of their own,
   nested, left by siglongjmp, and for signals that were blocked. All of them
   are sent by the program to itself, so that each run is like the other.

   (Faults are not here: lackey loses up to four events at each of them.) */

#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PAGE 4096

static volatile unsigned char pages[64 * PAGE];
static volatile unsigned      handled;
static sigjmp_buf             out;

static void touch(unsigned from, unsigned n)
{
   unsigned i;
   for (i = 0; i < n; i++)
      pages[(from + i) % 64 * PAGE]++;
}

static void on_usr1(int number)
{
   (void)number;
   handled++;
   touch(handled, 3);
   if (handled % 4 == 0)
      raise(SIGUSR2); /* nested */
}

static void on_usr2(int number)
{
   (void)number;
   handled += 100;
   touch(handled, 5);
}

static void on_hup(int number)
{
   (void)number;
   handled += 10000;
   touch(handled, 2);
   siglongjmp(out, 1);
}

static void install(int number, void (*handler)(int), int flags)
{
   struct sigaction action;
   memset(&action, 0, sizeof action);
   action.sa_handler = handler;
   action.sa_flags   = flags;
   if (sigaction(number, &action, NULL) != 0)
      exit(2);
}

int main(void)
{
   static char       stack[16 * PAGE];
   const stack_t     alternate = {.ss_sp = stack, .ss_size = sizeof stack};
   volatile unsigned i;
   sigset_t          blocked, before;

   if (sigaltstack(&alternate, NULL) != 0)
      return 2;
   install(SIGUSR1, on_usr1, 0);
   install(SIGUSR2, on_usr2, SA_ONSTACK);
   install(SIGHUP, on_hup, 0);

   for (i = 0; i < 50; i++) {
      touch(i, 1);
      raise(SIGUSR1);
      if (i % 5 == 0)
         kill(getpid(), SIGUSR2);
      if (i % 7 == 0 && sigsetjmp(out, 1) == 0)
         raise(SIGHUP);
      if (i % 11 == 0) {
         sigemptyset(&blocked);
         sigaddset(&blocked, SIGUSR1);
         sigprocmask(SIG_BLOCK, &blocked, &before);
         raise(SIGUSR1);
         touch(2 * i, 4);
         sigprocmask(SIG_SETMASK, &before, NULL); /* delivered here */
      }
   }
   printf("%u\n", handled);
   return 0;
}
