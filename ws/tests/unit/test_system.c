/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* What is the program's own code, and short names: the cases that ws_print has,
   too.

   Catches: a directory that only begins like one of the system's; a library
   that is not told from a program; a name that only looks like one; a colon, a
   blank or a parenthesis in another pair that ends a name. */

#include "unit.h"
#include "ws_system.h"

static void test_cases(void** state)
{
   static const struct {
      Bool         is_own;
      const HChar *function, *file, *object;
   } cases[] = {
#define OWN(is_own, function, file, object) {is_own, function, file, object},
#define MEMBER(function, name)
#include "../own.inc"
#undef OWN
#undef MEMBER
   };

   for (UInt i = 0; i < sizeof cases / sizeof cases[0]; i++)
      if (WS_(is_own)(cases[i].function, cases[i].file, cases[i].object) !=
          cases[i].is_own)
         fail_msg("%s, %s, %s", cases[i].function, cases[i].file,
                  cases[i].object);
}

static void test_names(void** state)
{
   static const struct {
      const HChar *function, *name;
   } cases[] = {
#define OWN(is_own, function, file, object)
#define MEMBER(function, name) {function, name},
#include "../own.inc"
   };

   for (UInt i = 0; i < sizeof cases / sizeof cases[0]; i++) {
      SizeT        n_chars;
      const HChar* name = WS_(member_name)(cases[i].function, &n_chars);
      if (n_chars != strlen(cases[i].name) ||
          strncmp(name, cases[i].name, n_chars) != 0)
         fail_msg("%s: %.*s", cases[i].function, (int)n_chars, name);
   }
}

int main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cases),
      cmocka_unit_test(test_names),
   };

   return cmocka_run_group_tests_name("system", tests, NULL, NULL);
}
