/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_symbols.h"

#include "pub_tool_seqmatch.h"

static Bool begins(const HChar* s, const HChar* with)
{
   return VG_(strncmp)(s, with, VG_(strlen)(with)) == 0;
}

static Bool begins_with_any(const HChar* s, const HChar* const* with)
{
   for (; *with; with++)
      if (begins(s, *with))
         return True;
   return False;
}

const HChar* WS_(last_name)(const HChar* path)
{
   const HChar* slash = VG_(strrchr)(path, '/');

   return slash ? slash + 1 : path;
}

/* Tells whether a file is where ld.so looks first, with /usr in front or
   without. */
static Bool is_in_lib(const HChar* path)
{
   static const HChar* const directories[] = {"/lib/", "/lib32/", "/lib64/",
                                              "/libx32/", NULL};

   return begins_with_any(begins(path, "/usr/") ? path + 4 : path, directories);
}

static Bool is_system_library(const HChar* object)
{
   static const HChar* const anywhere[] = {"ld-", "ld.so", "ld64.so",
                                           "vgpreload_", NULL};
   const HChar*              name       = WS_(last_name)(object);

   if (!VG_(string_match)("*.so", name) && !VG_(string_match)("*.so.*", name))
      return False;
   return is_in_lib(object) || begins_with_any(name, anywhere);
}

Bool WS_(is_system_source)(const HChar* file)
{
   // In /usr/lib are headers of compilers, and sources of Go's library.
   static const HChar* const directories[] = {"/usr/include/",
                                              "/usr/local/include/",
                                              "/usr/local/go/src/",
                                              "/rustc/",
                                              "/rust/deps/",
                                              "/usr/src/rustc-",
                                              NULL};

   return is_in_lib(file) || begins_with_any(file, directories);
}

Bool WS_(begins_thread)(const HChar* function)
{
   static const HChar* const names[] = {
      "start_thread", "thread_start", "clone", "clone3",
      "__clone",      "__clone3",     NULL};

   for (UInt i = 0; names[i]; i++)
      if (begins(function, names[i]) && // a version may follow
          VG_(strchr)("@", function[VG_(strlen)(names[i])]))
         return True;
   return False;
}

/* Recognizes what runs main, or a closure, by names that programs do not have
   of their own. */
static Bool is_start(const HChar* function)
{
   static const HChar* const names[] = {"(below main)",
                                        "__libc_start_",
                                        "libc_start_main_stage2",
                                        "execute_native_thread_routine",
                                        "runtime.main",
                                        "runtime.goexit",
                                        "runtime.rt0_go",
                                        "std::rt::lang_start",
                                        "std::panic::catch_unwind",
                                        "std::panicking::",
                                        "std::thread::Builder::spawn_unchecked",
                                        NULL};

   return VG_STREQ(function, "_start") || begins_with_any(function, names) ||
          VG_(strstr)(function, "::new::thread_start") ||
          VG_(strstr)(function, "::backtrace::__rust_") ||
          (VG_(strstr)(function, "core::ops::function::") &&
           VG_(strstr)(function, "::call_once"));
}

WsWhose WS_(whose)(const HChar* function, const HChar* file,
                   const HChar* object)
{
   if (is_start(function))
      return Ws_Start;
   if (*object && !WS_(is_system_source)(file) && !is_system_library(object))
      return Ws_Own;
   return WS_(begins_thread)(function) ? Ws_Start : Ws_System;
}

/* Recognizes what stands in place of a name: of a closure, or a lambda. */
static Bool is_nameless(const HChar* s)
{
   return *s == '{' || begins(s, "<lambda");
}

static Bool is_operator(const HChar* s)
{
   return begins(s, "operator") && VG_(strchr)("<>=!+-*/%^&|~,([ \"", s[8]);
}

/* Walks the name from left to right and keeps where the last part outside all
   brackets begins, and where the brackets behind it do: template arguments,
   then parameters. Text that follows brackets makes them a part of the name, as
   in Java's getList(I)[B or Python's f.<locals>.g. */
const HChar* WS_(brief_name)(const HChar* function, SizeT max,
                             /*OUT*/ SizeT* n_chars)
{
   const HChar *part = function, *own = function, *s = function;
   const HChar *end = NULL, *parameters = NULL;
   UInt         depth = 0;

   for (; *s && !(depth == 0 && begins(s, " [")); s++) { // [clone ...]
      if (s == part && depth == 0 && is_operator(s)) {
         s += begins(s, "operator()") ? 10 : 8;
         parameters = end = VG_(strchr)(s, '(');
         s += VG_(strlen)(s);
         break;
      }
      if (depth == 0 && (begins(s, "::") || *s == ' ')) {
         const HChar* next = s + (*s == ' ' ? 1 : 2);
         if (*s == ' ' || (!is_nameless(part) && !is_nameless(next)))
            own = next;
         part = next;
         end  = NULL;
         s    = next - 1;
      } else if (VG_(strchr)("<({", *s)) {
         if (depth == 0 && s > part && s[-1] != '.') {
            end        = end ? end : s;
            parameters = *s == '(' && !begins(part, "decltype") ? s : NULL;
         }
         depth++;
      } else if (depth > 0 && VG_(strchr)(">)}", *s) && !begins(s - 1, "->")) {
         if (--depth > 0)
            continue;
         if (parameters && (!s[1] || s[1] == ' '))
            break;
         parameters = NULL;
         if (!VG_(strchr)(":(<{ ", s[1]))
            end = NULL;
      }
   }
   parameters = parameters ? parameters : s;
   *n_chars   = parameters - function;
   if (*n_chars <= max)
      return function;
   *n_chars = (end ? end : parameters) - own;
   return own;
}

Bool WS_(copies)(const HChar* function, const HChar* caller)
{
   SizeT        n, n_class;
   const HChar* own     = WS_(brief_name)(function, 0, &n);
   const HChar* a_class = own > function ? function : VG_(strchr)(caller, '<');
   const HChar* from    = own > function ? own + n : VG_(strstr)(caller, ", ");

   if (!a_class || !from || from < a_class)
      return False;
   if (own > function) { // Class::Class(Class&&)
      n_class = own - 2 - a_class;
      from += *from == '(';
   } else { // Class, which is inlined into construct<Class, const Class&>
      a_class++;
      n_class = from - a_class;
      from += begins(from, ", const ") ? 8 : 2;
   }
   return VG_(strncmp)(from, a_class, n_class) == 0 &&
          VG_(strchr)(" &>,", from[n_class]) &&
          (begins(own, "operator=(") ||
           (n_class >= n && VG_(strncmp)(a_class + n_class - n, own, n) == 0));
}

Bool WS_(is_closure)(const HChar* function)
{
   return is_nameless(function) || VG_STREQ(function, "operator()");
}

/* --- The map of generated code -------------------------------------------- */

/* The text is the program's, and may be cut off anywhere, or be nonsense. */

/* Parses a line: two hexadecimal numbers and the name, each behind a blank. */
static Bool parse_line(HChar* line, /*OUT*/ WsPerfRange* r)
{
   HChar *size, *name;
   Addr   start = VG_(strtoull16)(line, &size);
   SizeT  szB   = VG_(strtoull16)(size, &name);

   *r = (WsPerfRange){start, szB, name + 1};
   return size > line && *size == ' ' && *name == ' ' && name[1] && szB > 0 &&
          start + szB > start;
}

/* Merges two runs, which it frees. At the same address the younger one wins. */
static WsPerfRun merged(WsPerfRun older, WsPerfRun younger)
{
   UWord     n = older.n + younger.n, i = 0, j = 0;
   WsPerfRun all = {0, VG_(malloc)("ws.perfmap", n * sizeof *all.ranges)};

   while (i < older.n || j < younger.n) {
      const WsPerfRange* old = &older.ranges[i];
      const WsPerfRange* new = &younger.ranges[j];
      if (j == younger.n || (i < older.n && old->start < new->start)) {
         all.ranges[all.n++] = *old;
         i++;
      } else {
         i += i < older.n && old->start == new->start;
         all.ranges[all.n++] = *new;
         j++;
      }
   }
   VG_(free)(older.ranges);
   VG_(free)(younger.ranges);
   return all;
}

/* Each run has at least twice as many ranges as the next younger one, so there
   are few, and a range is merged a few times only. */
static void add_range(WsPerfMap* map, WsPerfRange range)
{
   WsPerfRun run = {1, VG_(malloc)("ws.perfmap", sizeof range)};

   *run.ranges = range;
   while (map->n > 0 && map->runs[map->n - 1].n < 2 * run.n)
      run = merged(map->runs[--map->n], run);
   map->runs[map->n++] = run;
}

/* Reads whole lines only: the program may be writing the last one just now.
   Lines that make no sense are left out rather than refused, for the map is
   another program's format. */
void WS_(perfmap_add)(WsPerfMap* map, HChar* text, SizeT n_chars)
{
   HChar*      line = text;
   WsPerfRange range;

   for (HChar* s = text; s < text + n_chars; s++)
      if (*s == '\n') {
         *s = 0;
         if (parse_line(line, &range))
            add_range(map, range);
         line = s + 1;
      }
}

/* Searches a run for the last range that starts at or before the address, by
   halving. */
static const WsPerfRange* last_up_to(const WsPerfRun* run, Addr a)
{
   UWord low = 0, high = run->n; // the number of those that start up to a

   while (low < high) {
      UWord middle = low + (high - low) / 2;
      if (run->ranges[middle].start <= a)
         low = middle + 1;
      else
         high = middle;
   }
   return low > 0 ? &run->ranges[low - 1] : NULL;
}

/* Ranges may overlap, as code is replaced: the last one wins, and an older one
   around it is not looked for. */
const WsPerfRange* WS_(perfmap_find)(const WsPerfMap* map, Addr a)
{
   const WsPerfRange* found = NULL;

   for (UInt i = map->n; i-- > 0;) {
      const WsPerfRange* r = last_up_to(&map->runs[i], a);
      if (r && (!found || r->start > found->start))
         found = r;
   }
   return found && a - found->start < found->szB ? found : NULL;
}

/* Cuts a text at the first such character, and gives what follows it. */
static HChar* cut(HChar* text, HChar at)
{
   HChar* end = VG_(strchr)(text, at);

   if (!end)
      return text + VG_(strlen)(text);
   *end = 0;
   return end + 1;
}

/* Cuts :number off the end, and gives it; 0: there is none. */
static UInt cut_number(HChar* text)
{
   HChar* colon = VG_(strrchr)(text, ':');
   HChar* end   = NULL;
   UInt   n     = colon ? VG_(strtoull10)(colon + 1, &end) : 0;

   if (!colon || end == colon + 1 || *end)
      return 0;
   *colon = 0;
   return n;
}

/* Leaves names whole that do not look like those of Python or Node.js. */
WsCodeName WS_(perfmap_name)(HChar* name)
{
   WsCodeName found = {.function = name, .file = ""};

   if (begins(name, "py::")) {
      found.function = name + 4;
      found.file     = cut(name + 4, ':');
   } else if (begins(name, "JS:")) {
      HChar* function = name + 3;
      while (*function && VG_(strchr)("~^*+'", *function))
         function++;
      HChar* file    = cut(function, ' ');
      UInt   column  = cut_number(file);
      UInt   line    = cut_number(file);
      found.function = *function ? function : "(anonymous)";
      found.file     = file;
      found.line     = line ? line : column;
   }
   return found;
}
