/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* A program that generates code, which calls touch(), and says its name in
   /tmp/perf-<PID>.map.  Between the code's frame and that of main, frame
   pointers lead to one that is nowhere.

      generated plain|grows|link|foreign|stale|none */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "ws.h"

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
   FILE* map = fopen(file, "a");

   if (!map || fputs(text, map) < 0 || fclose(map) != 0)
      exit(1);
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
   if (strcmp(mode, "grows") == 0) {
      add_to_map("77000100 10 elsewhere\nnonsense\n");
      WS_SNAPSHOT("named so far");
   }
   if (strcmp(mode, "none") != 0)
      add_to_map("77000000 100 py::made:/x/made.py\n");
   if (strcmp(mode, "foreign") == 0 && chown(file, 1, 1) != 0)
      return 1;
   if (strcmp(mode, "stale") == 0) {
      execl(argv[0], argv[0], "none", NULL);
      return 1;
   }
   ((void (*)(void (*)(void)))AT)(touch);
   return 0;
}
