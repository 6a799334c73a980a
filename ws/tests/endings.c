/* The ways in which a program can end, after some work. With "fds" it says
   what it sees of its file descriptors. */

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile unsigned char pages[16 * 4096];

static void work(void)
{
   unsigned i;
   for (i = 0; i < 200000; i++)
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

int main(int argc, char** argv)
{
   const char* how       = argc > 1 ? argv[1] : "";
   int* volatile nowhere = NULL;

   work();
   if (strcmp(how, "fds") == 0)
      return fds();
   printf("about to %s\n", how);
   fflush(stdout);
   if (strcmp(how, "abort") == 0)
      abort();
   if (strcmp(how, "_exit") == 0)
      _exit(7);
   if (strcmp(how, "segv") == 0)
      *nowhere = 1;
   if (strcmp(how, "fpe") == 0)
      raise(SIGFPE);
   if (strcmp(how, "kill") == 0)
      kill(getpid(), SIGKILL);
   if (strcmp(how, "system") == 0)
      return WEXITSTATUS(system("exit 9"));
   if (strcmp(how, "exec") == 0)
      execl("/bin/ls", "ls", "/proc/self/fd", NULL);
   if (strncmp(how, "noexec", 6) == 0) {
      execl("/nonexistent/program", "program", NULL);
      if (strcmp(how, "noexec-wait") == 0) {
         puts("waiting");
         fflush(stdout);
         pause();
      }
      if (strcmp(how, "noexec-kill") == 0)
         kill(getpid(), SIGKILL);
      work();
   }
   if (strcmp(how, "orphan") == 0 && fork() == 0)
      abort();
   if (strcmp(how, "orphan") == 0)
      wait(NULL);
   return 3;
}
