/* Signals, for the oracle: handlers on the stack and on a stack of their own,
   nested, left by siglongjmp, and for signals that were blocked. All of them
   are sent by the program to itself, so that each run is like the other.

   (Faults are not here: lackey loses up to four events at each of them.) */

#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#define PAGE 4096

static volatile unsigned char pages[64 * PAGE];
static volatile unsigned      handled;
static sigjmp_buf             out;

static void touch(unsigned from, unsigned n)
{
   for (unsigned i = 0; i < n; i++)
      pages[(from + i) % 64 * PAGE]++;
}

static void handle(int number)
{
   handled++;
   touch(handled, number % 7);
   if (number == SIGUSR1 && handled % 4 == 0)
      raise(SIGUSR2); /* nested */
   if (number == SIGHUP)
      siglongjmp(out, 1);
}

int main(void)
{
   static char            stack[16 * PAGE];
   const stack_t          alternate = {.ss_sp = stack, .ss_size = sizeof stack};
   const struct sigaction here      = {.sa_handler = handle};
   const struct sigaction there     = {.sa_handler = handle,
                                       .sa_flags   = SA_ONSTACK};
   sigset_t               blocked, before;

   sigemptyset(&blocked);
   sigaddset(&blocked, SIGUSR1);
   if (sigaltstack(&alternate, NULL) != 0 || sigaction(SIGUSR1, &here, NULL) ||
       sigaction(SIGUSR2, &there, NULL) || sigaction(SIGHUP, &here, NULL))
      return 2;
   for (volatile unsigned i = 0; i < 50; i++) {
      touch(i, 1);
      raise(SIGUSR1);
      if (i % 5 == 0)
         kill(getpid(), SIGUSR2);
      if (i % 7 == 0 && sigsetjmp(out, 1) == 0)
         raise(SIGHUP);
      if (i % 11 == 0) {
         sigprocmask(SIG_BLOCK, &blocked, &before);
         raise(SIGUSR1);
         touch(2 * i, 4);
         sigprocmask(SIG_SETMASK, &before, NULL); /* delivered here */
      }
   }
   printf("%u\n", handled);
   return 0;
}
