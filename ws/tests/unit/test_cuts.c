/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* Cuts against a list made by the definition. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ws_cuts.h"

/* A sum may have more than 64 bits. */
typedef unsigned __int128 Wide;

static UInt random_state;

static UInt random_below(UInt n)
{
   random_state = random_state * 1664525 + 1013904223;
   return (random_state >> 8) % n;
}

/* Is `t` one of k*T - tau, k >= 1? */
static Bool opens_window(WsTick t, WsTick every, WsTick tau)
{
   return ((Wide)t + tau) % every == 0;
}

static Bool opens_any_window(WsTick t, WsTick every, const WsTaus* taus)
{
   for (UInt i = 0; i < taus->n; i++)
      if (opens_window(t, every, taus->tau[i]))
         return True;
   return False;
}

static void compare(WsTick every, const WsTaus* taus, WsTick until)
{
   WsCuts cuts;

   WS_(cuts_init)(&cuts, every, taus);
   for (WsTick t = 1; t <= until; t++) {
      Bool is_sample = t % every == 0;
      Bool expected  = is_sample || opens_any_window(t, every, taus);
      if (expected) {
         assert_int_equal(cuts.next, t);
         assert_int_equal(WS_(cuts_pass)(&cuts), is_sample);
      } else {
         assert_true(cuts.next > t);
      }
   }
}

static WsTaus one(WsTick tau)
{
   return (WsTaus){1, {tau}};
}

static void test_small(void** state)
{
   for (WsTick every = 1; every <= 12; every++)
      for (WsTick tau = 1; tau <= 40; tau++) {
         WsTaus taus = one(tau);
         compare(every, &taus, 200);
      }
}

/* Up to 16 lengths: multiples of T, such that differ by one, shorter ones, and
   such that are longer than all time. */
static WsTaus random_taus(WsTick every, UInt range)
{
   WsTaus taus = {.n = 1 + random_below(WS_MAX_TAUS)};
   UInt   past = random_below(every);

   for (UInt i = 0; i < taus.n; i++) {
      WsTick k = random_below(5) + 1;
      switch (random_below(5)) {
      case 0: taus.tau[i] = k * every; break;
      case 1: taus.tau[i] = k * every + past; break;
      case 2: taus.tau[i] = 1 + random_below(every); break;
      case 3: taus.tau[i] = 1 + random_below(range); break;
      case 4: taus.tau[i] = WS_NEVER - random_below(range); break;
      }
   }
   return taus;
}

/* How many series of openings there are beside that of the samples. */
static UInt n_series(WsTick every, const WsTaus* taus)
{
   UInt n = 0;

   for (UInt i = 0; i < taus->n; i++) {
      Bool is_new = taus->tau[i] % every != 0;
      for (UInt j = 0; j < i; j++)
         is_new &= taus->tau[i] % every != taus->tau[j] % every;
      n += is_new;
   }
   return n;
}

static void test_several_windows(void** state)
{
   for (UInt seed = 1; seed <= 2000; seed++) {
      random_state = seed;
      WsTick every = 1 + random_below(40);
      WsTaus taus  = random_taus(every, 200);
      WsCuts cuts;

      compare(every, &taus, 300);
      WS_(cuts_init)(&cuts, every, &taus);
      assert_int_equal(cuts.n_openings, n_series(every, &taus));
   }
}

static void test_most_windows(void** state)
{
   WsTaus taus = {.n = WS_MAX_TAUS};

   // All openings are different ones.
   for (UInt i = 0; i < WS_MAX_TAUS; i++)
      taus.tau[i] = 1 + i;
   compare(WS_MAX_TAUS + 1, &taus, 1000);
   compare(1000, &taus, 10000);
   compare(2, &taus, 1000);
   compare(1, &taus, 1000);
   // And all are the same: at 3, 10, 17, ...
   for (UInt i = 0; i < WS_MAX_TAUS; i++)
      taus.tau[i] = 7 * i + 4;
   compare(7, &taus, 1000);
}

static void test_epochs_are_bounded(void** state)
{
   WsCuts cuts;
   WsTick every = 3 * WS_MAX_EPOCH_INSTRS + 5;
   WsTaus taus  = one(every);

   WS_(cuts_init)(&cuts, every, &taus);
   assert_int_equal(cuts.n_openings, 0); // all are samples
   for (int i = 1; i <= 3; i++) {
      assert_int_equal(cuts.next, i * WS_MAX_EPOCH_INSTRS);
      assert_false(WS_(cuts_pass)(&cuts));
   }
   assert_int_equal(cuts.next, every);
   assert_true(WS_(cuts_pass)(&cuts));
   assert_int_equal(cuts.next, every + WS_MAX_EPOCH_INSTRS);
}

/* The first k*T - tau that is after `now`. */
static Wide next_opening(WsTick now, WsTick every, WsTick tau)
{
   return ((Wide)now + tau) / every * every + every - tau;
}

/* The next cut by the definition. */
static Wide next_cut(WsTick now, WsTick every, const WsTaus* taus)
{
   Wide next = (Wide)now + WS_MAX_EPOCH_INSTRS;

   if (next_opening(now, every, 0) < next)
      next = next_opening(now, every, 0);
   for (UInt i = 0; i < taus->n; i++)
      if (next_opening(now, every, taus->tau[i]) < next)
         next = next_opening(now, every, taus->tau[i]);
   return next;
}

static void compare_large(WsTick every, const WsTaus* taus, int n_cuts)
{
   WsCuts cuts;
   WsTick now = 0;

   WS_(cuts_init)(&cuts, every, taus);
   for (int k = 0; k < n_cuts; k++) {
      assert_true(cuts.next == next_cut(now, every, taus));
      assert_true(cuts.next - now <= WS_MAX_EPOCH_INSTRS);
      now = cuts.next;
      assert_int_equal(WS_(cuts_pass)(&cuts), now % every == 0);
   }
}

/* Intervals and windows about as long as the longest epoch, and many times as
   long: samples and openings are where they belong, with cuts between them. */
static void test_large(void** state)
{
   static const WsTick m = WS_MAX_EPOCH_INSTRS;

   const WsTick times[] = {1000003,   m / 2,     m - 1,         m,
                           m + 1,     2 * m - 1, 2 * m,         2 * m + 1,
                           3 * m + 7, 10 * m,    100 * m + 999, ~(UInt)0};
   const UInt   n       = sizeof times / sizeof *times;
   WsTaus       all     = {.n = n};

   memcpy(all.tau, times, sizeof times);
   for (UInt i = 0; i < n; i++) {
      for (UInt j = 0; j < n; j++) {
         WsTaus taus = one(times[j]);
         compare_large(times[i], &taus, 1000);
      }
      compare_large(times[i], &all, 3000);
   }
   for (UInt seed = 1; seed <= 200; seed++) {
      random_state = seed;
      WsTick every = 1 + (WsTick)32 * random_below(8 * m / 32);
      WsTaus taus  = random_taus(every, 1 << 24);
      compare_large(every, &taus, 1000);
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
   WsTaus longest = one(WS_NEVER);

   WS_(cuts_init)(&cuts, WS_NEVER, &longest);
   assert_int_equal(cuts.next, WS_MAX_EPOCH_INSTRS);
   assert_int_equal(cuts.sample, WS_NEVER);
   assert_int_equal(cuts.n_openings, 0);

   WS_(cuts_init)(&cuts, 10, &longest);
   assert_int_equal(cuts.n_openings, 1);
   assert_int_equal(cuts.openings[0], 10 - WS_NEVER % 10);
}

static void pass(WsCuts* cuts, Bool is_sample)
{
   assert_int_equal(WS_(cuts_pass)(cuts), is_sample);
}

/* The only sample is at 2^63, the openings are some before it, and some before
   2^64. */
static void test_last_cuts(void** state)
{
   const WsTick half = (WsTick)1 << 63;
   const WsTaus taus = {3, {1, half, 5}};
   WsCuts       cuts;

   WS_(cuts_init)(&cuts, half, &taus);
   assert_int_equal(cuts.sample, half);
   assert_int_equal(cuts.n_openings, 2);
   assert_int_equal(cuts.openings[0], half - 1);
   assert_int_equal(cuts.openings[1], half - 5);
   cuts.next = half - 5;
   pass(&cuts, False);
   assert_int_equal(cuts.next, half - 1);
   pass(&cuts, False);
   assert_int_equal(cuts.next, half);
   pass(&cuts, True);
   assert_int_equal(cuts.sample, WS_NEVER);
   assert_int_equal(cuts.next, half + WS_MAX_EPOCH_INSTRS);
   cuts.next = WS_NEVER - 4;
   pass(&cuts, False);
   assert_int_equal(cuts.next, WS_NEVER);
   assert_int_equal(cuts.openings[0], WS_NEVER);
   assert_int_equal(cuts.openings[1], WS_NEVER);
}

int main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_small),
      cmocka_unit_test(test_several_windows),
      cmocka_unit_test(test_most_windows),
      cmocka_unit_test(test_epochs_are_bounded),
      cmocka_unit_test(test_large),
      cmocka_unit_test(test_epochs_fit_in_32_bits),
      cmocka_unit_test(test_huge),
      cmocka_unit_test(test_last_cuts),
   };
   return cmocka_run_group_tests_name("cuts", tests, NULL, NULL);
}
