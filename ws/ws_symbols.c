/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_symbols.h"

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
   const HChar* name = path;

   for (; *path; path++)
      if (*path == '/')
         name = path + 1;
   return name;
}

/* Tells whether a file is where ld.so looks first, with /usr in front or
   without. */
static Bool is_in_lib(const HChar* path)
{
   static const HChar* const directories[] = {"/lib/", "/lib32/", "/lib64/",
                                              "/libx32/", NULL};

   return begins_with_any(begins(path, "/usr/") ? path + 4 : path, directories);
}

/* Recognizes x.so, or x.so.1. */
static Bool is_library(const HChar* name)
{
   const HChar* so = name;

   while ((so = VG_(strstr)(so, ".so"))) {
      so += 3;
      if (*so == 0 || *so == '.')
         return True;
   }
   return False;
}

static Bool is_system_library(const HChar* object)
{
   static const HChar* const anywhere[] = {"ld-", "ld.so", "ld64.so",
                                           "vgpreload_", NULL};
   const HChar*              name       = WS_(last_name)(object);

   return is_library(name) &&
          (is_in_lib(object) || begins_with_any(name, anywhere));
}

Bool WS_(is_system_source)(const HChar* file)
{
   // In /usr/lib are headers of compilers, and sources of Go's library.
   static const HChar* const directories[] = {
      "/usr/include/", "/usr/local/include/", "/rustc/", NULL};

   return is_in_lib(file) || begins_with_any(file, directories);
}

/* Recognizes what calls main: the C library's code around it. */
static Bool runs_main(const HChar* function)
{
   return VG_STREQ(function, "(below main)") || VG_STREQ(function, "_start");
}

Bool WS_(is_own)(const HChar* function, const HChar* file, const HChar* object)
{
   return *object && !runs_main(function) && !WS_(is_system_source)(file) &&
          !is_system_library(object);
}

/* Walks the name from left to right and keeps where the last part outside
   all brackets begins.  Brackets are <>, () and {}; the name of an operator
   may contain some, so it ends the walk.  Parameters begin at the first
   parenthesis behind a name, and " [clone ...]" ends it. */
const HChar* WS_(member_name)(const HChar* function, /*OUT*/ SizeT* n_chars)
{
   const HChar *start = function, *end = NULL, *s = function;
   UInt         depth = 0;

   for (; *s && !begins(s, " ["); s++) {
      if (depth == 0 && begins(s, "operator")) {
         *n_chars = VG_(strlen)(s);
         // Behind the first one of operator().
         end = *n_chars > 10 ? VG_(strchr)(s + 10, '(') : NULL;
         if (end)
            *n_chars = end - s;
         return s;
      }
      if (depth == 0 && (*s == ':' || *s == ' ')) {
         start = s + 1;
         end   = NULL;
      } else if (*s == '(' && depth == 0 && s > start) {
         break;
      } else if (VG_(strchr)("<({", *s)) {
         if (depth++ == 0 && s > start)
            end = s;
      } else if (VG_(strchr)(">)}", *s)) {
         depth -= depth > 0;
      }
   }
   *n_chars = (end ? end : s) - start;
   return start;
}

/* --- The map of generated code -------------------------------------------- */

/* The text is the program's, and may be cut off anywhere, or be nonsense. */

static Int digit(HChar c)
{
   return c >= '0' && c <= '9'   ? c - '0'
          : c >= 'a' && c <= 'f' ? c - 'a' + 10
          : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                 : -1;
}

/* Parses a hexadecimal number and the blank behind it. Gives what follows;
   NULL: there is none. */
static const HChar* parse(const HChar* s, const HChar* end, /*OUT*/ UWord* n)
{
   const HChar* first;

   if (end - s > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X'))
      s += 2;
   first = s;
   for (*n = 0; s < end && digit(*s) >= 0; s++) {
      if (*n > ~(UWord)0 >> 4)
         return NULL;
      *n = *n << 4 | digit(*s);
   }
   return s > first && s < end && *s == ' ' ? s + 1 : NULL;
}

static Bool parse_line(const HChar* s, const HChar* end,
                       /*OUT*/ WsPerfRange* r)
{
   UWord start, szB;

   if (!(s = parse(s, end, &start)) || !(s = parse(s, end, &szB)))
      return False;
   *r = (WsPerfRange){start, szB, {s, end - s}};
   return s < end && szB > 0 && start + szB > start;
}

/* Orders by address; at the same one, the later line is last, which wins. */
static Int compare(const void* a, const void* b)
{
   const WsPerfRange *one = a, *other = b;

   if (one->start != other->start)
      return one->start < other->start ? -1 : 1;
   return one->name.chars < other->name.chars ? -1 : 1;
}

/* Reads whole lines only: the program may be writing the last one just now.
   Lines that make no sense are left out rather than refused, for the map is
   another program's format. */
WsPerfMap WS_(perfmap_read)(const HChar* text, SizeT n_chars)
{
   WsPerfMap    map     = {.n = 0};
   UWord        n_lines = 0;
   const HChar *end = text + n_chars, *line = text;

   for (const HChar* s = text; s < end; s++)
      n_lines += *s == '\n';
   map.ranges = VG_(malloc)("ws.perfmap", (n_lines + 1) * sizeof *map.ranges);
   for (const HChar* s = text; s < end; s++)
      if (*s == '\n') {
         map.n += parse_line(line, s, &map.ranges[map.n]);
         line = s + 1;
      }
   VG_(ssort)(map.ranges, map.n, sizeof *map.ranges, compare);
   return map;
}

void WS_(perfmap_done)(WsPerfMap* map)
{
   VG_(free)(map->ranges);
   *map = (WsPerfMap){.n = 0};
}

/* Searches for the last range that starts at or before the address, by halving.
   Ranges may overlap, as code is replaced: the last one wins, and an older one
   around it is not looked for. */
const WsPerfRange* WS_(perfmap_find)(const WsPerfMap* map, Addr a)
{
   UWord low = 0, high = map->n; // the number of those that start up to a

   while (low < high) {
      UWord middle = low + (high - low) / 2;
      if (map->ranges[middle].start <= a)
         low = middle + 1;
      else
         high = middle;
   }
   const WsPerfRange* r = low > 0 ? &map->ranges[low - 1] : NULL;
   return r && a - r->start < r->szB ? r : NULL;
}

/* Finds where a character is first; or the end. */
static SizeT find(WsWords w, HChar c)
{
   SizeT i = 0;

   while (i < w.n && w.chars[i] != c)
      i++;
   return i;
}

static WsWords from(WsWords w, SizeT i)
{
   i = i < w.n ? i : w.n;
   return (WsWords){w.chars + i, w.n - i};
}

static Bool words_begin(WsWords w, const HChar* with)
{
   SizeT n = VG_(strlen)(with);

   return w.n >= n && VG_(strncmp)(w.chars, with, n) == 0;
}

/* Leaves out :number at the end, and gives it; 0: there is none. */
static UInt take_number(WsWords* w)
{
   UInt  n = 0, factor = 1;
   SizeT i = w->n;

   for (; i > 0 && w->chars[i - 1] >= '0' && w->chars[i - 1] <= '9';
        factor *= 10)
      n += factor * (w->chars[--i] - '0');
   if (i == 0 || i == w->n || w->chars[i - 1] != ':')
      return 0;
   w->n = i - 1;
   return n;
}

/* Leaves names whole that do not look like those of Python or Node.js. */
WsPerfName WS_(perfmap_name)(WsWords name)
{
   WsPerfName found = {.function = name, .file = {"", 0}};

   if (words_begin(name, "py::")) {
      found.function   = from(name, 4);
      found.file       = from(found.function, find(found.function, ':') + 1);
      found.function.n = find(found.function, ':');
   } else if (words_begin(name, "JS:")) {
      found.function = from(name, 3);
      while (found.function.n > 0 &&
             VG_(strchr)("~^*+'", *found.function.chars))
         found.function = from(found.function, 1);
      found.file       = from(found.function, find(found.function, ' ') + 1);
      found.function.n = find(found.function, ' ');
      UInt column      = take_number(&found.file);
      UInt line        = take_number(&found.file);
      found.line       = line ? line : column;
      if (found.function.n == 0)
         found.function = (WsWords){"(anonymous)", 11};
   }
   return found;
}
