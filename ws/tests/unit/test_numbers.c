/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* Statistics against definitions in 128 bits, and spans of time.  (Profiles
   and their percentiles: vgtests, the page log.)

   Catches: overflow at the end of 64 bits; wrong rounding; a maximum that is
   lost, or a wait that is joined. */

#include "unit.h"
#include "ws_resident.h"
#include "ws_stats.h"

/* --- Statistics ---------------------------------------------------------- */

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
   assert_int_equal(WS_(stats_ratio)(MAX64 - 1, MAX64, 0), 1);
}

/* --- Spans of time with resident memory --------------------------------- */

#define N_SPANS 20000

static WsResidentSpan added[N_SPANS];

/* Busy times of up to a millisecond, and now and then one as long as a wait. */
static void add_spans(UInt n, UInt most_ms)
{
   WsResidentSpan span = {.t = 0};

   WS_(resident_begin)();
   for (UInt i = 0; i < n; i++) {
      span.t += 1 + random_below(1000);
      span.ms += random_below(100) ? random_below(2) : random_below(most_ms);
      span.n_pages                              = random_below(1000000);
      added[i]                                  = span;
      WS_(resident).of[WS_ALL_RESIDENT].n_pages = span.n_pages;
      WS_(resident_span)(span.t, span.ms);
   }
}

/* Each span has the most of those added that it consists of, exactly. */
static void check_spans(UInt n)
{
   const WsResident* r = &WS_(resident);
   UInt              i = 0;

   assert_true(r->n_spans <= WS_MAX_SPANS);
   for (UInt k = 0; k < r->n_spans; k++) {
      const WsResidentSpan* span  = &r->spans[k];
      UInt                  begin = k > 0 ? span[-1].ms : 0, first = i;
      UWord                 most = 0;
      do {
         assert_true(i < n);
         if (most < added[i].n_pages)
            most = added[i].n_pages;
      } while (added[i++].t != span->t);
      assert_int_equal(span->n_pages, most);
      assert_int_equal(span->ms, added[i - 1].ms);
      assert_true(i == first + 1 || span->ms - begin <= r->step_ms);
      assert_true(k == 0 || span->ms - (k > 1 ? span[-2].ms : 0) > r->step_ms);
   }
   assert_int_equal(i, n);
}

static void test_spans(void** state)
{
   for (UInt run = 0; run < 200; run++) {
      UInt n = 1 + random_below(N_SPANS);
      add_spans(n, 1 + random_below(run % 2 ? 100000 : 10));
      check_spans(n);
   }
   // A long run uses much of the room.
   add_spans(N_SPANS, 1000);
   assert_true(WS_(resident).n_spans > WS_MAX_SPANS / 3);
}

UNIT_TESTS("numbers", cmocka_unit_test(test_ratios),
           cmocka_unit_test(test_spans))
