/*
   This file is part of ws, a Valgrind tool that measures working sets.

   Copyright (C) 2026 the ws developers

   This program is free software; you can redistribute it and/or
   modify it under the terms of the GNU General Public License as
   published by the Free Software Foundation; either version 2 of the
   License, or (at your option) any later version.

   This program is distributed in the hope that it will be useful, but
   WITHOUT ANY WARRANTY; without even the implied warranty of
   MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE.  See the GNU
   General Public License for more details.

   The GNU General Public License is contained in the file LICENSE.
*/

/* Cuts against a list made by the definition. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ws_cuts.h"

/* Is `t` one of k*T - tau, k >= 1? */
static Bool opens_window(WsTime t, WsTime every, WsTime tau)
{
   WsTime k = (t + tau) / every;
   return k * every == t + tau;
}

static void compare(WsTime every, WsTime tau, WsTime until)
{
   WsCuts cuts;

   WS_(cuts_init)(&cuts, every, tau);
   for (WsTime t = 1; t <= until; t++) {
      Bool is_sample = t % every == 0;
      Bool expected  = is_sample || opens_window(t, every, tau);
      if (expected) {
         assert_int_equal(cuts.next, t);
         assert_int_equal(WS_(cuts_pass)(&cuts), is_sample);
      } else {
         assert_true(cuts.next > t);
      }
   }
}

static void test_small(void** state)
{
   for (WsTime every = 1; every <= 12; every++)
      for (WsTime tau = 1; tau <= 40; tau++)
         compare(every, tau, 200);
}

static void test_epochs_are_bounded(void** state)
{
   WsCuts cuts;
   WsTime every = 3 * WS_MAX_EPOCH_INSTRS + 5;

   WS_(cuts_init)(&cuts, every, every);
   assert_int_equal(cuts.opening, WS_NEVER); // all are samples
   for (int i = 1; i <= 3; i++) {
      assert_int_equal(cuts.next, i * WS_MAX_EPOCH_INSTRS);
      assert_false(WS_(cuts_pass)(&cuts));
   }
   assert_int_equal(cuts.next, every);
   assert_true(WS_(cuts_pass)(&cuts));
   assert_int_equal(cuts.next, every + WS_MAX_EPOCH_INSTRS);
}

/* The first of the series first, first + T, ... that is after `now`. */
static WsTime after(WsTime now, WsTime first, WsTime every)
{
   return now < first ? first : first + ((now - first) / every + 1) * every;
}

/* The next cut by the definition, for times far below 2^64. */
static WsTime next_cut(WsTime now, WsTime every, WsTime tau)
{
   WsTime sample  = after(now, every, every);
   WsTime opening = after(now + tau, every, every) - tau;
   WsTime next    = sample < opening ? sample : opening;
   WsTime bound   = now + WS_MAX_EPOCH_INSTRS;
   return next < bound ? next : bound;
}

/* Intervals and windows about as long as the longest epoch, and many times as
   long: samples and openings are where they belong, with cuts between them. */
static void test_large(void** state)
{
   static const WsTime m = WS_MAX_EPOCH_INSTRS;

   const WsTime times[] = {1000003,   m / 2,     m - 1,         m,
                           m + 1,     2 * m - 1, 2 * m,         2 * m + 1,
                           3 * m + 7, 10 * m,    100 * m + 999, ~(UInt)0};
   const int    n       = sizeof times / sizeof *times;

   for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
         WsCuts cuts;
         WsTime now = 0;
         WS_(cuts_init)(&cuts, times[i], times[j]);
         for (int k = 0; k < 1000; k++) {
            assert_int_equal(cuts.next, next_cut(now, times[i], times[j]));
            assert_true(cuts.next - now <= WS_MAX_EPOCH_INSTRS);
            now = cuts.next;
            assert_int_equal(WS_(cuts_pass)(&cuts), now % times[i] == 0);
         }
      }
}

/* What stamps and counts in words of 32 bits need. */
static void test_epochs_fit_in_32_bits(void** state)
{
   assert_true(2 * WS_MAX_EPOCH_INSTRS < (WsTime)1 << 31);
   assert_true(63 * WS_MAX_EPOCH_INSTRS < (WsTime)1 << 32);
}

/* No time is lost or invented at the end of 64 bits. */
static void test_huge(void** state)
{
   WsCuts cuts;

   WS_(cuts_init)(&cuts, WS_NEVER, WS_NEVER);
   assert_int_equal(cuts.next, WS_MAX_EPOCH_INSTRS);
   assert_int_equal(cuts.opening, WS_NEVER);

   WS_(cuts_init)(&cuts, (WsTime)1 << 63, 1);
   assert_int_equal(cuts.sample, (WsTime)1 << 63);
   assert_int_equal(cuts.opening, ((WsTime)1 << 63) - 1);
   cuts.next = (WsTime)1 << 63;
   assert_true(WS_(cuts_pass)(&cuts));
   assert_int_equal(cuts.sample, WS_NEVER);

   WS_(cuts_init)(&cuts, 10, WS_NEVER);
   assert_int_equal(cuts.opening, 10 - WS_NEVER % 10);
}

int main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_small),
      cmocka_unit_test(test_epochs_are_bounded),
      cmocka_unit_test(test_large),
      cmocka_unit_test(test_epochs_fit_in_32_bits),
      cmocka_unit_test(test_huge),
   };
   return cmocka_run_group_tests_name("cuts", tests, NULL, NULL);
}
