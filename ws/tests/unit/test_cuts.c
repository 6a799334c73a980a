/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* Cuts against the definition.

   Catches: a cut that is missing, wrong by one, or there twice; an epoch that
   is too long; overflow at the end of time. */

#include "unit.h"
#include "ws_cuts.h"

/* The first k*T - tau that is after `now`. */
static Wide next_opening(WsTick now, WsTick every, WsTick tau)
{
   return ((Wide)now + tau) / every * every + every - tau;
}

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

/* Multiples of T and what is near, shorter ones, and such as are longer than all
   time. */
static WsTick random_tau(WsTick every)
{
   WsTick k = random_below(5) + 1;

   switch (random_below(4)) {
   case 0: return k * every;
   case 1: return k * every + random_below(3);
   case 2: return 1 + random_below((UInt)every);
   default: return WS_NEVER - random_below(200);
   }
}

static void test_random_cuts(void** state)
{
   // The largest T is eight times the longest epoch.
   static const WsTick units[] = {1, 10, 1 << 10, 1 << 19};

   // What stamps and counts in words of 32 bits need.
   assert_true(2 * WS_MAX_EPOCH_INSTRS < (WsTime)1 << 31);
   assert_true(63 * WS_MAX_EPOCH_INSTRS < (WsTime)1 << 32);
   for (UInt i = 0; i < 1000; i++) {
      WsTick every = 1 + random_below(1000) * units[i % 4] + random_below(10);
      WsTaus taus  = random_taus(random_below(1 + WS_MAX_TAUS), random_tau,
                                 every);
      WsTick now   = 0;
      WsCuts cuts;

      WS_(cuts_init)(&cuts, every, &taus);
      for (int k = 0; k < 300; k++) {
         assert_true(cuts.next == next_cut(now, every, &taus));
         now = cuts.next;
         assert_int_equal(WS_(cuts_pass)(&cuts), now % every == 0);
      }
   }
}

/* The only sample is at 2^63, the openings are some before it, and some before
   2^64. */
static void test_last_cuts(void** state)
{
   const WsTick half = (WsTick)1 << 63;
   const WsTaus taus = {3, {1, half, 5}};
   WsCuts       cuts;

   WS_(cuts_init)(&cuts, half, &taus);
   cuts.next = half - 5;
   assert_false(WS_(cuts_pass)(&cuts));
   assert_int_equal(cuts.next, half - 1);
   assert_false(WS_(cuts_pass)(&cuts));
   assert_int_equal(cuts.next, half);
   assert_true(WS_(cuts_pass)(&cuts));
   assert_int_equal(cuts.sample, WS_NEVER);
   assert_int_equal(cuts.next, half + WS_MAX_EPOCH_INSTRS);
   cuts.next = WS_NEVER - 4;
   assert_false(WS_(cuts_pass)(&cuts));
   assert_int_equal(cuts.next, WS_NEVER);
   assert_int_equal(cuts.openings[0], WS_NEVER);
   assert_int_equal(cuts.openings[1], WS_NEVER);
}

int main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_cuts),
      cmocka_unit_test(test_last_cuts),
   };
   return cmocka_run_group_tests_name("cuts", tests, NULL, NULL);
}
