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

int main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_empty),
      cmocka_unit_test(test_average_and_peak),
      cmocka_unit_test(test_huge),
   };
   return cmocka_run_group_tests_name("stats", tests, NULL, NULL);
}
