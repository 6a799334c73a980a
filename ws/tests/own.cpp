// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the ws developers

// A program whose memory is accessed by code of the system: a container, and
// memset.

#include <cstring>
#include <map>
#include <string>
#include <vector>

static char bytes[1 << 21];

static std::map<int, int> build_map(int n)
{
   std::map<int, int> built;
   for (int i = 0; i < n; i++)
      built[i * 7919 % n] = i; // @map
   return built;
}

struct AndIsInstantiatedWithAnother;
template <class T> struct ThatHasAVeryLongName {
   __attribute__((noinline)) static int clear(int byte)
   {
      memset(bytes, byte, sizeof bytes); // @clear
      return bytes[byte];
   }
};

// The compiler makes its move constructor, which is inlined.
struct Doc {
   std::string name;
   char        text[5000];
};

static int load(int n)
{
   std::vector<Doc> docs;
   auto             add = [&docs]() __attribute__((always_inline)) {
      docs.push_back(Doc());
   };
   docs.reserve(n);
   for (int i = 0; i < n; i++)
      add(); // @load
   return docs.size();
}

static inline int fill_some(int n);
static inline int fill_others(int n);

int main(int argc, char* argv[])
{
   if (argc > 1)
      return load(1000) == 0;
   return ThatHasAVeryLongName<AndIsInstantiatedWithAnother>::clear(argc) +
             build_map(60000).size() + fill_some(argc) + fill_others(argc) ==
          0;
}

#line 1 "own.h"
struct Some {
   alignas(4096) char bytes[400 * 4096];
   int  operator|(int n)
   {
      for (int i = 0; i < 400; i++)
         bytes[4096 * i] = n;
      return bytes[n];
   }
} static some;

static inline int fill_some(int n)
{
   return some | n;
}

#line 1 "others.h"
// Of the same name, with as many pages: it is not the same function.
struct Others {
   alignas(4096) char bytes[400 * 4096];
   int  operator|(int n)
   {
      for (int i = 0; i < 400; i++)
         bytes[4096 * i] = 3 * n;
      return bytes[n];
   }
} static others;

static inline int fill_others(int n)
{
   return others | n;
}
