/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* Limits of windows and profiles; what is usual is in test_pages.c.

   Catches: overflow at the end of 64 bits; a row too many or too few; a row
   that is called limited and is not; a knee in the wrong row. */

#include "unit.h"
#include "ws_profile.h"

/* Page A at 1, page B once before each sample.  T and the number of samples are
   such that the next one would be beyond 64 bits. */
static void run_huge(WsTick every)
{
   WsTaus    taus      = {3, {every, WS_NEVER, WS_NEVER - 1}};
   ULong     n_samples = WS_NEVER / every;
   WsEpoch*  b         = NULL;
   UInt      n         = 0;
   WsWindows ws;
   WsProfile p;

   WS_(windows_init)(&ws, every, &taus);
   WS_(windows_enter)(&ws, NULL);
   for (ULong k = 1; k <= n_samples; k++) {
      b = WS_(windows_enter)(&ws, b);
      WS_(windows_cut)(&ws, k * every, k);
      WS_(windows_sample)(&ws, k * every);
   }
   WS_(profile_make)(&p, &ws, every);
   assert_int_equal(p.span, n_samples * every);
   for (Wide tau = every; tau <= WS_NEVER; tau *= 2) {
      ULong sum = n_samples;
      for (ULong k = 1; k <= n_samples; k++)
         sum += k * every <= tau; // A is in it, too
      assert_true(n < p.n_rows);
      assert_int_equal(p.rows[n].tau, tau);
      assert_int_equal(p.rows[n].stats.sum_pages, sum);
      assert_int_equal(p.rows[n].stats.peak_pages, 2);
      assert_int_equal(p.rows[n].n_entered, 2);
      n++;
      if (tau >= n_samples * every)
         break;
   }
   assert_int_equal(p.n_rows, n);
   assert_int_equal(p.knee, 0);
   WS_(windows_done)(&ws);
}

static void test_huge_intervals(void** state)
{
   const WsTick half = (WsTick)1 << 63;

   run_huge(WS_NEVER);
   run_huge(half + 1);
   run_huge(half);
   run_huge(half - 1);
   run_huge(WS_NEVER / 3);
   run_huge(half / 64 + 12345);
}

/* A profile of windows T, 2T, ...: of each, what entered and the sum. */
static WsProfile profile_of(WsTick every, ULong n_samples, UInt n,
                            const ULong rows[][2])
{
   static WsWindows ws;
   WsProfile        p;

   memset(&ws, 0, sizeof ws);
   for (UInt i = 0; i < n; i++)
      ws.windows[i] = (WsWindow){.tau       = every << i,
                                 .n_entered = rows[i][0],
                                 .stats     = {.sum_pages = rows[i][1]}};
   ws.windows[n] = (WsWindow){.tau   = WS_NEVER,
                              .stats = {.n_samples = n_samples}};
   ws.n          = n + 1;
   WS_(profile_make)(&p, &ws, every);
   return p;
}

/* A row is limited if 2 * min(tau/T - 1, K) >= K. */
static void test_many_samples(void** state)
{
   static const struct {
      WsTick every;
      ULong  n_samples;
      UInt   n_rows, first_limited;
   } cases[] = {
      {WS_NEVER, 0, 0, 0},
      {1, 1, 1, 1},
      {1, 2, 2, 1}, // 2 * 1 >= 2
      {1, 3, 3, 2}, // 2 * 1 < 3
      {1, 6, 4, 2}, // 2 * 3 >= 6
      {1, 7, 4, 3}, // 2 * 3 < 7
      {1, (ULong)1 << 62, 63, 62},
      {1, ((ULong)1 << 62) - 2, 63, 61},
      {1, ((ULong)1 << 62) + 1, 64, 62},
      {1, WS_NEVER - 1, 64, 63},
      {1, WS_NEVER, 64, 64},
      {1000, WS_NEVER / 1000, 55, 54},
      {((WsTick)1 << 62) + 1, 3, 2, 2},
      {(WsTick)1 << 63, 1, 1, 1},
   };

   for (UInt i = 0; i < sizeof cases / sizeof *cases; i++) {
      WsProfile p = profile_of(cases[i].every, cases[i].n_samples, 0, NULL);
      assert_int_equal(p.n_rows, cases[i].n_rows);
      for (UInt n = 0; n < p.n_rows; n++) {
         assert_int_equal(p.rows[n].tau, cases[i].every << n);
         assert_int_equal(p.rows[n].is_limited, n >= cases[i].first_limited);
      }
      assert_int_equal(p.knee, -1);
   }
}

/* Rows T, 2T, 4T, 8T: with 8 samples, only the last is limited. */
static void test_knees(void** state)
{
   const ULong big = (ULong)1 << 40;
   const struct {
      Int   knee;
      ULong n_samples, rows[4][2];
   } cases[] = {
      {1, 8, {{9, 10}, {8, 11}, {8, 12}}},
      {2, 8, {{9, 10}, {8, 11}, {7, 12}}},
      {1, 8, {{9, 10}, {7, 12}, {6, 14}}}, // the first of equal ones
      // The best row is limited, and with 6 samples so is the second best.
      {2, 8, {{9, 10}, {8, 10}, {4, 14}, {3, 15}}},
      {1, 6, {{9, 10}, {8, 10}, {4, 14}, {3, 15}}},
      {1, 8, {{0, 10}, {8, 10}}}, // nothing entered
      // Products beyond 64 bits.
      {1, 8, {{big, big}, {big - 1, big}, {big - 1, big + 1}, {1, 1}}},
   };

   for (UInt i = 0; i < sizeof cases / sizeof *cases; i++) {
      WsProfile p = profile_of(100, cases[i].n_samples, 4, cases[i].rows);
      assert_int_equal(p.n_rows, 4);
      assert_int_equal(p.knee, cases[i].knee);
   }
}

int main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_huge_intervals),
      cmocka_unit_test(test_many_samples),
      cmocka_unit_test(test_knees),
   };
   return cmocka_run_group_tests_name("profile", tests, NULL, NULL);
}
