/* The ways to make a process or to become another program. Each process, and
   each program that one of them becomes, touches a number of pages of its own;
   a parent does so before it has children. Of each, somebody says
   "<role> <pid> <parent's pid>". */

#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static char* self;

/* New pages, for old ones are no news to a process that has been forked. */
static void work(int n_pages)
{
   volatile char* p = mmap(NULL, n_pages * 4096L, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
   int            i;

   if (p == MAP_FAILED)
      _exit(99);
   for (i = 0; i < n_pages; i++)
      p[i * 4096L] = 1;
}

static void say(const char* role, int pid, int parent)
{
   dprintf(1, "%s %d %d\n", role, pid, parent);
}

static void become(char* how, char* argument)
{
   char* argv[] = {self, how, argument, NULL};

   setenv("ROLE", "image", 1);
   execv(self, argv);
   _exit(98);
}

static int end_of(pid_t pid)
{
   int status;

   if (pid < 0 || waitpid(pid, &status, 0) != pid)
      return 97;
   return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}

/* It ends with the code of its child plus 1. */
static int parent(pid_t pid)
{
   int code = end_of(pid);

   say("parent", getpid(), getppid());
   say("child", pid, getpid());
   return code + 1;
}

static int by_fork(const char* how)
{
   pid_t pid;

   /* It leaves no file descriptor to anybody. */
   while (strcmp(how, "fork-fds") == 0 && open("/dev/null", O_RDONLY) >= 0)
      ;
   pid = fork();
   if (pid == 0) {
      work(2000);
      if (strcmp(how, "fork-exec") == 0)
         become("image", "4000");
      _exit(5);
   }
   return parent(pid);
}

/* One process becomes one program after the other. */
static int chain(char* argument)
{
   int  left = atoi(argument);
   char next[16];

   work(1000 * (1 + left));
   say("link", getpid(), getppid());
   if (left == 0)
      return 7;
   snprintf(next, sizeof next, "%d", left - 1);
   become("chain", next);
   return 0;
}

/* What a second thread does to the process, after work of its own. */
static void* second(void* argument)
{
   const char* how = argument;

   work(1000);
   if (strcmp(how, "exec") == 0)
      become("image", "4000");
   exit(strcmp(how, "fork") == 0 ? by_fork(how) : 6);
}

static int by_thread(char* how)
{
   pthread_t thread;

   say("threads", getpid(), getppid());
   if (pthread_create(&thread, NULL, second, how) != 0)
      return 91;
   pthread_join(thread, NULL);
   return 10;
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void* wait_for_others(void* unused)
{
   work(500);
   for (int i = 0; i < 100; i++) {
      pthread_mutex_lock(&mutex);
      if (i % 10 == 0)
         sched_yield();
      pthread_mutex_unlock(&mutex);
   }
   return NULL;
}

static int crowd(void)
{
   pthread_t threads[64];

   for (int i = 0; i < 64; i++)
      if (pthread_create(&threads[i], NULL, wait_for_others, NULL) != 0)
         return 90;
   for (int i = 0; i < 64; i++)
      pthread_join(threads[i], NULL);
   return 0;
}

static void* go(void* name)
{
   pthread_mutex_lock(&mutex);
   pthread_mutex_unlock(&mutex);
   if (name)
      prctl(PR_SET_NAME, name);
   return NULL;
}

/* It names itself, and so its child. A helper does it last of all. */
static void* name_itself(void* unused)
{
   pthread_t helper;

   prctl(PR_SET_NAME, "itself, not others");
   if (pthread_create(&helper, NULL, go, "last\n") == 0)
      pthread_join(helper, NULL);
   pid_t pid = fork();
   if (pid == 0)
      _exit(0);
   return end_of(pid) == 0 ? &mutex : NULL;
}

/* Both threads have the same number. The second one gets a name while it
   waits. */
static int names(void)
{
   pthread_t thread;
   void*     result = NULL;

   if (pthread_create(&thread, NULL, name_itself, NULL) == 0)
      pthread_join(thread, &result);
   pthread_mutex_lock(&mutex);
   if (!result || pthread_create(&thread, NULL, go, NULL) != 0)
      return 89;
   usleep(1000);
   pthread_setname_np(thread, "by\tmain");
   pthread_mutex_unlock(&mutex);
   return pthread_join(thread, NULL);
}

int main(int argc, char** argv)
{
   const char* how      = argv[1];
   char*       argument = argc > 2 ? argv[2] : "";

   self = argv[0];
   if (strcmp(how, "image") == 0) {
      work(atoi(argument));
      say(how, getpid(), getppid());
      return 8;
   }
   if (strcmp(how, "chain") == 0)
      return chain(argument);
   work(1000);
   if (strcmp(how, "crowd") == 0)
      return crowd();
   if (strcmp(how, "names") == 0)
      return names();
   if (strcmp(how, "thread") == 0)
      return by_thread(argument);
   return by_fork(how);
}
