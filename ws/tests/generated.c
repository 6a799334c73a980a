/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* A program that generates code, which calls touch(), and says its name in
   /tmp/perf-<PID>.map.  Between the code's frame and that of main, frame
   pointers lead to one that is nowhere.

      generated plain|link|foreign|pipe|stale|none
      generated many N   generates N functions, names each, deletes the map */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define AT    ((unsigned char*)0x77000000)
#define N_SZB (1 << 20)

static char file[100], target[110];
static char memory[N_SZB];

static inline __attribute__((always_inline)) void inlined(int i)
{
   ((volatile char*)memory)[i]++;
}

static __attribute__((noinline)) void touch(void)
{
   for (int i = 0; i < N_SZB; i += 4096)
      inlined(i);
   __asm__ volatile("");
}

static void add_to_map(const char* text)
{
   int map = open(file, O_CREAT | O_APPEND | O_WRONLY, 0600);

   if (map < 0 || write(map, text, strlen(text)) < 0 || close(map) != 0)
      exit(1);
}

/* Each function is named before it runs, and writes to a page of its own. */
static void many(int n)
{
   int   flags = MAP_PRIVATE | MAP_ANONYMOUS;
   char* code  = mmap(NULL, 16 * n, PROT_READ | PROT_WRITE | PROT_EXEC, flags,
                      -1, 0);
   char* data  = mmap(NULL, 4096L * n, PROT_READ | PROT_WRITE, flags, -1, 0);
   FILE* map   = fopen(file, "w");

   for (int i = 0; i < n; i++) {
      memcpy(code + 16 * i, "\xc6\x07\x01\xc3", 4); // movb $1, (%rdi); ret
      fprintf(map, "%lx 10 made_%d\n", (long)(code + 16 * i), i);
      fflush(map);
      ((void (*)(char*))(code + 16 * i))(data + 4096L * i);
   }
   unlink(file);
}

int main(int argc, char** argv)
{
   // push %rbp; mov %rsp, %rbp; push $0x12345678; push %rbp; mov %rsp, %rbp;
   // call *%rdi; pop %rbp; add $8, %rsp; pop %rbp; ret
   static const unsigned char code[] = {
      0x55, 0x48, 0x89, 0xe5, 0x68, 0x78, 0x56, 0x34, 0x12, 0x55, 0x48,
      0x89, 0xe5, 0xff, 0xd7, 0x5d, 0x48, 0x83, 0xc4, 0x08, 0x5d, 0xc3};
   const char* mode = argv[1];
   int         pid  = getpid();

   if (argc < 2 || mmap(AT, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != AT)
      return 1;
   memcpy(AT, code, sizeof code);
   snprintf(file, sizeof file, "/tmp/perf-%d.map", pid);
   if (strcmp(mode, "link") == 0) {
      snprintf(target, sizeof target, "%s.target", file);
      close(open(target, O_CREAT | O_WRONLY, 0600));
      if (symlink(target, file) != 0)
         return 1;
   }
   if (strcmp(mode, "foreign") == 0) {
      add_to_map("");
      if (chown(file, 1, 1) != 0)
         return 1;
   }
   if (strcmp(mode, "many") == 0) {
      many(atoi(argv[2]));
      return 0;
   }
   if (strcmp(mode, "pipe") == 0)
      mkfifo(file, 0600);
   else if (strcmp(mode, "none") != 0)
      add_to_map("77000000 100 py::made:/x/made.py\n");
   if (strcmp(mode, "stale") == 0) {
      execl(argv[0], argv[0], "none", NULL);
      return 1;
   }
   ((void (*)(void (*)(void)))AT)(touch);
   if (strcmp(mode, "pipe") == 0 && open(file, O_WRONLY | O_NONBLOCK) != -1)
      puts("it is read");
   return 0;
}
