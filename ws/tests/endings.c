/* The ways in which a program can end, after some work. With "fds" it
   says what it sees of its file descriptors. */

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile unsigned char pages[16 * 4096];

static void work(int turns)
{
   int i;
   for (i = 0; i < turns; i++)
      pages[i % 16 * 4096]++;
}

static int fds(void)
{
   struct rlimit limit;
   int           fd, n = 0;

   if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
      return 2;
   printf("limit %lu\n", (unsigned long)limit.rlim_cur);
   for (fd = 0; fd < (int)limit.rlim_cur; fd++)
      if (fcntl(fd, F_GETFD) != -1)
         printf("open %d\n", fd);
   for (n = 0; n < 5; n++)
      printf("new %d\n", open("/dev/null", O_RDONLY));
   printf("dup %d\n", dup2(0, 100));
   for (n = 0; n < 50000 && open("/dev/null", O_RDONLY) >= 0; n++)
      ;
   printf("room for %d\n", n);
   return 0;
}

/* With names in pages that have not been accessed for a while. Arguments are
   nowhere: that is not known before the call. */
static void fail_to_exec(void)
{
   static char names[40][4096];
   int         i;

   for (i = 0; i < 40; i++)
      strcpy(names[i], "/bin/sh");
   work(20000);
   for (i = 0; i < 40; i++)
      execv(names[i], (char**)8);
}

/* Sends itself a signal that is blocked, and lets the report become too large:
   the signal must still be there. */
static int keep_pending(void)
{
   const struct rlimit none = {0, 0};
   sigset_t            set;

   sigemptyset(&set);
   sigaddset(&set, SIGPIPE);
   sigprocmask(SIG_BLOCK, &set, NULL);
   raise(SIGPIPE);
   setrlimit(RLIMIT_FSIZE, &none);
   work(200000);
   sigpending(&set);
   return sigismember(&set, SIGPIPE) ? 3 : 5;
}

int main(int argc, char** argv)
{
   const char* how = argv[1];

   work(200000);
   if (strcmp(how, "fds") == 0)
      return fds();
   if (strcmp(how, "pending") == 0)
      return keep_pending();
   if (strcmp(how, "exec") == 0)
      execl(argv[0], argv[0], "fds", NULL);
   if (strcmp(how, "system") == 0)
      return WEXITSTATUS(system("exit 9"));
   if (strncmp(how, "noexec", 6) == 0) {
      fail_to_exec();
      if (strcmp(how, "noexec-kill") == 0)
         kill(getpid(), SIGKILL);
      while (strcmp(how, "noexec-loop") == 0)
         work(1);
      work(200000);
   }
   if (strcmp(how, "orphan") == 0) {
      if (fork() == 0)
         abort();
      wait(NULL);
   }
   return 3;
}
