/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* What is the program's own code, and short names: the cases that ws_print has,
   too.  The map of generated code.

   Catches: a directory that only begins like one of the system's; a library
   that is not told from a program; a name that only looks like one; a colon,
   a blank or a parenthesis in another pair that ends a name; nonsense that
   is taken for a range, or takes the next line with it; a line that is cut;
   a range that is a byte too long or short; older code at the same address;
   names of Python and Node.js that are taken apart wrongly. */

#include "unit.h"
#include "ws_symbols.h"

static void check_whose(WsWhose whose, const HChar* function, const HChar* file,
                        const HChar* object)
{
   if (WS_(whose)(function, file, object) != whose)
      fail_msg("%s, %s, %s", function, file, object);
}

static void check_name(SizeT max, const HChar* function, const HChar* expected)
{
   SizeT        n_chars;
   const HChar* name = WS_(brief_name)(function, max, &n_chars);

   if (n_chars != strlen(expected) || strncmp(name, expected, n_chars) != 0)
      fail_msg("%s: %.*s", function, (int)n_chars, name);
}

static void test_cases(void** state)
{
#define WHOSE(whose, ...) check_whose(Ws_##whose, __VA_ARGS__);
#define NAME(...)         check_name(__VA_ARGS__);
#define COPIES(does, ...)                                                      \
   if (WS_(copies)(__VA_ARGS__) != does)                                       \
      fail_msg("copies: " #__VA_ARGS__);
#include "../own.inc"
}

/* --- The map of generated code -------------------------------------------- */

static const HChar text[] = "1000 10 a function with blanks\n"
                            "2000 20 first\n"
                            "\n"
                            "nonsense\n"
                            "3000 10\n"
                            "3000 10 \n"
                            "3000 0 empty\n"
                            "3000 zz x\n"
                            "fffffffffffffff8 10 beyond\n"
                            "-1800 1000 negative\n"
                            "0x800 0X10 Prefixed\n"
                            "FFF 1 before\n"
                            "2000 10 second\n"
                            "1800 10 cut";

static void test_ranges(void** state)
{
   static const struct {
      Addr         a;
      const HChar* name; // NULL: nothing
   } cases[] = {{0x7ff, NULL},
                {0x800, "Prefixed"},
                {0x80f, "Prefixed"},
                {0x810, NULL},
                {0xfff, "before"},
                {0x1000, "a function with blanks"},
                {0x100f, "a function with blanks"},
                {0x1010, NULL},
                {0x1800, NULL},
                {0x2000, "second"},
                {0x200f, "second"},
                {0x2010, NULL},
                {0x3000, NULL},
                {~(Addr)0, NULL}};
   static WsPerfMap maps[14]; // of lines that were added so many at a time

   for (UInt n = 1; n < 14; n++) {
      HChar* begin = strdup(text);
      HChar* end   = begin + sizeof text - 1;
      UInt   lines = 0;
      for (HChar* s = begin; s < end; s++)
         if (s == end - 1 || (*s == '\n' && ++lines % n == 0)) {
            WS_(perfmap_add)(&maps[n], begin, s + 1 - begin);
            begin = s + 1;
         }
      for (UInt i = 0; i < sizeof cases / sizeof cases[0]; i++) {
         const WsPerfRange* r = WS_(perfmap_find)(&maps[n], cases[i].a);
         if (!r != !cases[i].name)
            fail_msg("%lx: %s", cases[i].a, r ? "a range" : "none");
         if (r)
            assert_string_equal(r->name, cases[i].name);
      }
   }
}

static void test_map_names(void** state)
{
   static const struct {
      const HChar *name, *function, *file;
      UInt         line;
   } cases[] = {
      {"py::Rows.add:/x/j y.py", "Rows.add", "/x/j y.py", 0},
      {"py::main", "main", "", 0},
      {"JS:*fact /x/n.js:3:17", "fact", "/x/n.js", 3},
      {"JS:~ /x/n.js:3:1", "(anonymous)", "/x/n.js", 3},
      {"JS:^grow file:///x.mjs:12:5", "grow", "file:///x.mjs", 12},
      {"JS:*f", "f", "", 0},
      {"Builtin:Array a:1", "Builtin:Array a:1", "", 0},
      {"", "", "", 0},
   };

   for (UInt i = 0; i < sizeof cases / sizeof cases[0]; i++) {
      HChar      name[64];
      WsCodeName found = WS_(perfmap_name)(strcpy(name, cases[i].name));
      assert_string_equal(found.function, cases[i].function);
      assert_string_equal(found.file, cases[i].file);
      assert_int_equal(found.line, cases[i].line);
   }
}

UNIT_TESTS("symbols", cmocka_unit_test(test_cases),
           cmocka_unit_test(test_ranges), cmocka_unit_test(test_map_names))
