/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* Averages and ratios against sums in 128 bits.

   Catches: overflow, digits lost or invented, wrong rounding of a tie. */

#include "unit.h"
#include "ws_stats.h"

/* False if the result does not fit into 64 bits. */
static Bool compare_ratio(ULong a, ULong b, UInt n_digits)
{
   Wide scaled = a;

   for (UInt i = 0; i < n_digits; i++)
      scaled *= 10;
   Wide expected = scaled / b + (2 * (scaled % b) >= b);
   if (expected > MAX64)
      return False;
   assert_int_equal(WS_(stats_ratio)(a, b, n_digits), (ULong)expected);
   return True;
}

static ULong random_number(UInt max_bits)
{
   ULong r = (ULong)random_below(1 << 24) << 40 ^
             (ULong)random_below(1 << 24) << 20 ^ random_below(1 << 24);

   return r >> (64 - 1 - random_below(max_bits));
}

static void test_ratios(void** state)
{
   int n = 0;

   for (ULong a = 0; a <= 60; a++)
      for (ULong b = 1; b <= 60; b++)
         for (UInt n_digits = 0; n_digits <= 17; n_digits++)
            assert_true(compare_ratio(a, b, n_digits));
   for (int i = 0; i < 100000; i++)
      n += compare_ratio(random_number(64), 1 + random_number(59), i % 12);
   assert_true(n > 10000);
   // The largest divisor and rest; ties of all magnitudes, and what is next.
   assert_true(compare_ratio(((ULong)1 << 60) - 2, ((ULong)1 << 60) - 1, 18));
   for (ULong half = 1; half < (ULong)1 << 59; half = 3 * half + 1)
      for (ULong a = half - 1; a <= half + 1; a++) {
         assert_true(compare_ratio(a, 2 * half, 0));
         assert_true(compare_ratio(a, 2 * half + 1, 0));
      }
   assert_int_equal(WS_(stats_ratio)(MAX64, 2, 0), (ULong)1 << 63);
}

static void test_averages(void** state)
{
   static const struct {
      ULong n_samples, sum, n, expected;
   } cases[] = {
      {0, 0, 10, 0},  // of nothing
      {3, 5, 10, 17}, // 1.67
      {3, 5, 4096, 6827},
      {4, 6, 10, 15}, // exactly
      {16, 511, 16, 511},
      {4, 1, 10, 3}, // a tie: 2.5
      // Ten times the sum does not fit.
      {3, ((ULong)1 << 60) + 1, 10, 3843071682022823257},
   };
   WsStats s;

   for (UInt i = 0; i < sizeof cases / sizeof *cases; i++) {
      s = (WsStats){.n_samples = cases[i].n_samples, .sum_pages = cases[i].sum};
      assert_int_equal(WS_(stats_avg_times)(&s, cases[i].n), cases[i].expected);
   }
   // Rows that are no samples count for the peak alone.
   WS_(stats_init)(&s);
   WS_(stats_other_row)(&s, 7);
   WS_(stats_sample)(&s, 5);
   WS_(stats_sample)(&s, 6);
   assert_int_equal(s.n_samples, 2);
   assert_int_equal(s.sum_pages, 11);
   assert_int_equal(s.peak_pages, 7);
   WS_(stats_sample)(&s, 8);
   assert_int_equal(s.peak_pages, 8);
}

int main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_ratios),
      cmocka_unit_test(test_averages),
   };
   return cmocka_run_group_tests_name("stats", tests, NULL, NULL);
}
