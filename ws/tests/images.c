/* A library for LD_PRELOAD: each program that a process becomes says so in the
   file that IMAGES names, in one line: whether it runs under Valgrind, its
   process id, and the arguments, which are those of the report's Command. */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "valgrind.h"

static void __attribute__((constructor))
log_image(int argc, char** argv, char** envp)
{
   static char line[64 * 1024];
   size_t      end  = 0;
   const char* name = getenv("IMAGES");
   int         fd = name ? open(name, O_WRONLY | O_APPEND | O_CREAT, 0644) : -1;
   int         i;

   if (fd == -1)
      return;
   end += snprintf(line, sizeof line, "%d %d", RUNNING_ON_VALGRIND > 0,
                   (int)getpid());
   for (i = 0; i < argc; i++) {
      if (end + strlen(argv[i]) + 2 >= sizeof line)
         abort();
      line[end++] = ' ';
      strcpy(line + end, argv[i]);
      end += strlen(argv[i]);
   }
   line[end++] = '\n';
   if (write(fd, line, end) != (ssize_t)end)
      abort();
   close(fd);
}
