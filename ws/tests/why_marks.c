/* Labels that are not nice, in C and in C++, in a file whose name is none,
   either; it says the same whether or not it runs under Valgrind. */

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "../ws.h"

#define PAGE 4096

#line 7 "dir/x\033[31m\ny.c"
int main(void)
{
   static char text[3 * PAGE];
   char*       end = (char*)mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

   WS_MARK("");
   WS_MARK("two\nlines\tand\rmore\033\177");
   WS_MARK(", label=[   9] refs=1, loc=-");
   WS_MARK("End of report\n--\n\n");
   memset(text, 'x', sizeof text);
   text[999] = 0;
   WS_MARK(text + 800); /* 199 */
   WS_MARK(text + 799); /* 200 */
   WS_MARK(text);       /* 999 */
   WS_MARK(NULL);
   WS_SNAPSHOT((char*)1);
   munmap(end + PAGE, PAGE);
   memcpy(end + PAGE - 5, "at it", 5); /* the end of what can be read */
   WS_MARK(end + PAGE - 5);
   WS_STOP;
   WS_MARK("stopped");
   WS_START;
   printf("done\n");
   return 0;
}
