// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the ws developers

// A program whose memory is accessed by code of the system: a container, and
// memset.  Or three containers, in a thread each; arguments: how many percent of
// their elements they have, and in which of six orders the threads start.

#include <cstdlib>
#include <cstring>
#include <map>
#include <thread>
#include <unordered_map>
#include <vector>

static char bytes[1 << 19];

static std::map<int, int> build_map(int n)
{
   std::map<int, int> built;
   for (int i = 0; i < n; i++)
      built[i * 7919 % n] = i; // @map
   return built;
}

struct AndIsInstantiated;
template <class T> struct ThatHasAVeryLongName {
   __attribute__((noinline)) static int clear(int byte)
   {
      memset(bytes, byte, sizeof bytes); // @clear
      return bytes[byte];
   }
};

static inline int fill_some(int n);
static inline int fill_others(int n);

static int                          percent;
static std::map<int, int>           ordered;
static std::unordered_map<int, int> hashed;
static std::vector<double>          numbers;

static void keep_map()
{
   ordered = build_map(600 * percent);
}

static void fill_table()
{
   for (int i = 0; i < 500 * percent; i++)
      hashed[i] = i;
}

static void append_numbers()
{
   // While a vector is copied, both copies exist: how threads take turns would
   // decide whether that is the maximum.
   numbers.reserve(4000 * percent);
   for (int i = 0; i < 4000 * percent; i++)
      numbers.push_back(i);
}

int main(int argc, char* argv[])
{
   void (*work[])() = {keep_map, fill_table, append_numbers};
   std::vector<std::thread> threads;
   if (argc < 2)
      return ThatHasAVeryLongName<AndIsInstantiated>::clear(argc) +
                build_map(20000).size() + fill_some(argc) + fill_others(argc) ==
             0;
   percent = atoi(argv[1]);
   for (int left = 3, order = atoi(argv[2]); left > 0; order /= left--) {
      threads.emplace_back(work[order % left]);
      work[order % left] = work[left - 1];
   }
   for (auto& one : threads)
      one.join();
}

#line 1 "own.h"
struct Some {
   char bytes[100 * 4096];
   int  fill(int n)
   {
      for (int i = 0; i < 100; i++)
         bytes[4096 * i] = n;
      return bytes[n];
   }
} static some;

static inline int fill_some(int n)
{
   return some.fill(n);
}

#line 1 "others.h"
// Of the same name: it is not the same function.
struct Others {
   char bytes[90 * 4096];
   int  fill(int n)
   {
      for (int i = 0; i < 90; i++)
         bytes[4096 * i] = 3 * n;
      return bytes[n];
   }
} static others;

static inline int fill_others(int n)
{
   return others.fill(n);
}
