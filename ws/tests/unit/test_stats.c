/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ws_stats.h"

static void test_empty(void** state)
{
   WsStats s;
   WS_(stats_init)(&s);
   assert_int_equal(WS_(stats_avg_times)(&s, 10), 0);
   WS_(stats_other_row)(&s, 7);
   assert_int_equal(WS_(stats_avg_times)(&s, 10), 0);
   assert_int_equal(s.peak_pages, 7);
}

static void test_average_and_peak(void** state)
{
   WsStats s;
   WS_(stats_init)(&s);
   WS_(stats_sample)(&s, 1);
   WS_(stats_sample)(&s, 2);
   WS_(stats_sample)(&s, 2);
   WS_(stats_other_row)(&s, 9);                        // not in the average
   assert_int_equal(WS_(stats_avg_times)(&s, 10), 17); // 5/3 = 1.67
   assert_int_equal(WS_(stats_avg_times)(&s, 4096), 6827);
   assert_int_equal(s.peak_pages, 9);
   WS_(stats_sample)(&s, 1);
   assert_int_equal(WS_(stats_avg_times)(&s, 10), 15); // exactly
   WS_(stats_sample)(&s, 10);
   assert_int_equal(s.peak_pages, 10);
}

/* 2^60 page-samples: ten times as much does not fit. */
static void test_huge(void** state)
{
   WsStats s = {.n_samples = 3, .sum_pages = ((ULong)1 << 60) + 1};
   assert_int_equal(WS_(stats_avg_times)(&s, 10), 3843071682022823257ULL);
}

/* --- Ratios -------------------------------------------------------------- */

typedef unsigned __int128 Wide;

#define MAX_B (((ULong)1 << 60) - 1)
#define MAX64 (~(ULong)0)

static ULong random_state;

/* A number of any magnitude. */
static ULong random_bits(UInt n_bits)
{
   ULong r = 0;

   for (int i = 0; i < 4; i++) {
      random_state = random_state * 6364136223846793005ULL + 1;
      r            = r << 16 ^ random_state >> 40;
   }
   random_state = random_state * 6364136223846793005ULL + 1;
   return r >> (64 - 1 - (random_state >> 33) % n_bits);
}

static Wide power_of_10(UInt n)
{
   Wide power = 1;
   while (n-- > 0)
      power *= 10;
   return power;
}

/* False if the digits do not fit into 64 bits. */
static Bool compare_ratio(ULong a, ULong b, UInt n_digits)
{
   Wide scaled   = (Wide)a * power_of_10(n_digits);
   Wide rest     = scaled % b;
   Wide expected = scaled / b + (2 * rest >= b);

   if (expected > MAX64)
      return False;
   assert_int_equal(WS_(stats_ratio)(a, b, n_digits), (ULong)expected);
   return True;
}

static void test_ratios_by_hand(void** state)
{
   assert_int_equal(WS_(stats_ratio)(0, 1, 0), 0);
   assert_int_equal(WS_(stats_ratio)(0, MAX_B, 19), 0);
   assert_int_equal(WS_(stats_ratio)(2, 3, 0), 1);
   assert_int_equal(WS_(stats_ratio)(1, 3, 0), 0);
   assert_int_equal(WS_(stats_ratio)(2, 3, 9), 666666667);
   assert_int_equal(WS_(stats_ratio)(1, 3, 9), 333333333);
   assert_int_equal(WS_(stats_ratio)(999, 1000, 2), 100);
   assert_int_equal(WS_(stats_ratio)(MAX64, 1, 0), MAX64);
   assert_int_equal(WS_(stats_ratio)(MAX64, 2, 0), (ULong)1 << 63);
   assert_int_equal(WS_(stats_ratio)(40, 3100000, 9), 12903);
   assert_int_equal(WS_(stats_ratio)(3100000, 40, 0), 77500);
}

/* A half is rounded up; what is a little less or more is not. */
static void test_ties(void** state)
{
   assert_int_equal(WS_(stats_ratio)(1, 2, 0), 1);
   assert_int_equal(WS_(stats_ratio)(3, 2, 0), 2);
   assert_int_equal(WS_(stats_ratio)(5, 2, 0), 3);
   assert_int_equal(WS_(stats_ratio)(1, 8, 2), 13); // 0.125
   assert_int_equal(WS_(stats_ratio)(3, 8, 2), 38); // 0.375
   assert_int_equal(WS_(stats_ratio)(1, 2000, 3), 1);
   assert_int_equal(WS_(stats_ratio)(1, 2001, 3), 0);
   assert_int_equal(WS_(stats_ratio)(2, 3999, 3), 1);
   for (ULong half = 1; half <= MAX_B / 2; half = 3 * half + 1) {
      assert_int_equal(WS_(stats_ratio)(half, 2 * half, 0), 1);
      assert_int_equal(WS_(stats_ratio)(half - 1, 2 * half, 0), 0);
      assert_int_equal(WS_(stats_ratio)(half, 2 * half + 1, 0), 0);
      assert_int_equal(WS_(stats_ratio)(half + 1, 2 * half + 1, 0), 1);
   }
}

static void test_small_ratios(void** state)
{
   for (ULong a = 0; a <= 60; a++)
      for (ULong b = 1; b <= 60; b++)
         for (UInt n_digits = 0; n_digits <= 17; n_digits++)
            assert_true(compare_ratio(a, b, n_digits));
}

/* Of all magnitudes. */
static void test_random_ratios(void** state)
{
   int n = 0;

   random_state = 1;
   for (int i = 0; i < 300000; i++) {
      ULong b = random_bits(60);
      n += compare_ratio(random_bits(64), b ? b : 1, i % 12);
   }
   assert_true(n > 100000);
   // What is largest in between: the rest b - 1.
   for (ULong b = 1; b <= MAX_B; b = 2 * b + 1)
      for (UInt n_digits = 0; n_digits <= 19; n_digits++) {
         compare_ratio(b - 1, b, n_digits);
         compare_ratio(MAX64 / b * b - 1, b, n_digits);
         compare_ratio(MAX64, b, n_digits);
         compare_ratio(b / 2, b, n_digits);
         compare_ratio(b / 2 + 1, b, n_digits);
         compare_ratio(1, b, n_digits);
      }
   assert_true(compare_ratio(MAX_B - 1, MAX_B, 18));
   assert_true(compare_ratio(MAX_B, MAX_B - 1, 19));
}

int main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_empty),
      cmocka_unit_test(test_average_and_peak),
      cmocka_unit_test(test_huge),
      cmocka_unit_test(test_ratios_by_hand),
      cmocka_unit_test(test_ties),
      cmocka_unit_test(test_small_ratios),
      cmocka_unit_test(test_random_ratios),
   };
   return cmocka_run_group_tests_name("stats", tests, NULL, NULL);
}
