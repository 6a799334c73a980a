/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* Records of page logs: their bytes, and the order of pages.

   Catches: a number of seven, eight or 64 bits that takes a byte too many or
   too few; pages that differ in high bits only and are not sorted; a page that
   is there twice; code that is lost with a page's second access. */

#include "unit.h"
#include "ws_record.h"

static UChar written[1000];
static SizeT n_written;

static void to_written(const HChar* bytes, SizeT n_bytes)
{
   memcpy(written + n_written, bytes, n_bytes);
   n_written += n_bytes;
}

static void test_bytes(void** state)
{
   static const UChar want[] = {'M',  27,   0,    127,  0x80, 1,    0xff, 0x7f,
                                0x80, 0x80, 1,    0xff, 0xff, 0xff, 0xff, 0xff,
                                0xff, 0xff, 0xff, 0xff, 1,    'a',  'b',  0,
                                1,    2,    127,  0x80, 1};
   static const ULong numbers[] = {0, 127, 128, 16383, 16384, ~(ULong)0};
   static const Long  signeds[] = {0, -1, 1, -64, 64};
   WsRecord           r         = {NULL, 0, 0};

   for (UInt round = 0; round < 2; round++) {
      WS_(record_begin)(&r);
      for (UInt i = 0; i < 6; i++)
         WS_(record_number)(&r, numbers[i]);
      WS_(record_text)(&r, "ab");
      for (UInt i = 0; i < 5; i++)
         WS_(record_signed)(&r, signeds[i]);
      n_written = 0;
      WS_(record_end)(&r, 'M', to_written);
      assert_int_equal(n_written, sizeof want);
      assert_memory_equal(written, want, sizeof want);
   }
   n_written = 0;
   WS_(record_begin)(&r);
   while (r.n_bytes < 200)
      WS_(record_text)(&r, "x");
   WS_(record_end)(&r, 'T', to_written);
   assert_int_equal(n_written, 1 + 2 + 200);
   free(r.bytes);
}

/* Against a look at each page that can be. */
static void test_order(void** state)
{
   WsLoggedPages l = {0};

   for (UInt seed = 1; seed <= 2000; seed++) {
      UInt  code[64];
      UInt  n_pages = 1 + seed % 64, n_there = 0, entering = 0;
      UWord spread    = (UWord)1 << seed % 58;
      Bool  there[64] = {False};

      random_state = seed;
      l.n = l.n_entering = 0;
      for (UInt i = 0; i < 200; i++) {
         UInt page        = random_below(n_pages);
         Bool is_entering = random_below(3) == 0 &&
                            (!there[page] || code[page] == WS_NOT_ENTERING);
         if (!there[page] || is_entering)
            code[page] = is_entering ? i : WS_NOT_ENTERING;
         there[page] = True;
         entering += is_entering;
         WS_(logged_add)(&l, page * spread, is_entering ? i : WS_NOT_ENTERING);
      }
      WS_(logged_sort)(&l);
      assert_int_equal(l.n_entering, entering);
      for (UInt page = 0; page < n_pages; page++) {
         if (!there[page])
            continue;
         assert_true(l.items[n_there].page == page * spread);
         assert_int_equal(l.items[n_there].code, code[page]);
         n_there++;
      }
      assert_int_equal(l.n, n_there);
   }
   free(l.items);
   free(l.others);
}

/* It takes no more room if the same ones come again, and the first code
   remains. */
static void test_repeated(void** unused)
{
   WsLoggedPages l = {0};

   for (UInt i = 0; i < 100000; i++)
      WS_(logged_add)(&l, i % 100, i < 100 ? i : WS_NOT_ENTERING);
   assert_int_equal(l.n_max, 1024);
   WS_(logged_sort)(&l);
   assert_int_equal(l.n, 100);
   for (UInt i = 0; i < 100; i++)
      assert_int_equal(l.items[i].code, i);
   free(l.items);
   free(l.others);
}

int main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bytes),
      cmocka_unit_test(test_order),
      cmocka_unit_test(test_repeated),
   };
   return cmocka_run_group_tests_name("record", tests, NULL, NULL);
}
