// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the ws developers

// A program whose memory is accessed by code of the system: a container, and
// memset.

#include <cstring>
#include <map>

static char bytes[1 << 19];

static std::map<int, int> build_map(int n)
{
   std::map<int, int> built;
   for (int i = 0; i < n; i++)
      built[i * 7919 % n] = i; // @map
   return built;
}

__attribute__((noinline)) static int clear(int byte)
{
   memset(bytes, byte, sizeof bytes); // @clear
   return bytes[byte];
}

static inline int fill(char* page, int n);

int main(int argc, char* argv[])
{
   return clear(argc) + build_map(20000).size() + fill(bytes, argc) == 0;
}

#line 1 "own.h"
static inline int fill(char* page, int n)
{
   for (int i = 0; i < 1 << 19; i += 4096)
      page[i] += n;
   return page[n];
}
