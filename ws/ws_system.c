/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_system.h"

#include "pub_tool_libcbase.h"

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

/* Where ld.so looks first, with /usr in front or without. */
static Bool is_in_lib(const HChar* path)
{
   static const HChar* const directories[] = {"/lib/", "/lib32/", "/lib64/",
                                              "/libx32/", NULL};

   return begins_with_any(begins(path, "/usr/") ? path + 4 : path, directories);
}

/* x.so, or x.so.1 */
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

static Bool runs_main(const HChar* function)
{
   return VG_STREQ(function, "(below main)") || VG_STREQ(function, "_start");
}

Bool WS_(is_own)(const HChar* function, const HChar* file, const HChar* object)
{
   return *object && !runs_main(function) && !WS_(is_system_source)(file) &&
          !is_system_library(object);
}

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
