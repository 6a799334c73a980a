/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* Spans of time against all that was added.

   Catches: more spans than there is room for, or far fewer; a maximum that is
   lost, or is there twice; a long wait that gets the pages of what was before or
   behind it; an end that is not the last one's. */

#include "unit.h"
#include "ws_resident.h"

#define N 20000

static WsResidentSpan added[N];

static void add(WsResidentSpan span)
{
   WS_(resident).of[WS_ALL_RESIDENT].n_pages = span.n_pages;
   WS_(resident_span)(span.t, span.ms);
}

/* Busy times of up to a millisecond, and now and then one as long as a wait. */
static void add_all(UInt n, UInt most_ms)
{
   WsResidentSpan span = {.t = 0};

   WS_(resident_begin)();
   for (UInt i = 0; i < n; i++) {
      span.t += 1 + random_below(1000);
      span.ms += random_below(100) ? random_below(2) : random_below(most_ms);
      span.n_pages = random_below(1000000);
      added[i]     = span;
      add(span);
   }
}

/* Each span has the most of those added that it consists of, exactly. */
static void check_all(UInt n)
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

static void test_random_runs(void** state)
{
   for (UInt run = 0; run < 200; run++) {
      UInt n = 1 + random_below(N);
      add_all(n, 1 + random_below(run % 2 ? 100000 : 10));
      check_all(n);
   }
   // A long run uses much of the room.
   add_all(N, 1000);
   assert_true(WS_(resident).n_spans > WS_MAX_SPANS / 3);
}

/* The wait from 2 to 5000 has its own pages. */
static void test_wait(void** state)
{
   static const WsResidentSpan spans[] = {{1, 0, 900},  {2, 1, 1000},
                                          {3, 2, 500},  {3, 5000, 500},
                                          {4, 5000, 7}, {9, 5001, 8}};
   const WsResidentSpan*       found   = WS_(resident).spans;

   WS_(resident_begin)();
   for (UInt i = 0; i < sizeof spans / sizeof *spans; i++)
      add(spans[i]);
   assert_int_equal(WS_(resident).n_spans, 4);
   assert_int_equal(found[0].n_pages, 1000);
   assert_int_equal(found[1].n_pages, 500);
   assert_int_equal(found[2].ms, 5000);
   assert_int_equal(found[2].n_pages, 500);
   assert_int_equal(found[3].n_pages, 8);
   assert_int_equal(found[3].t, 9);
}

int main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_runs),
      cmocka_unit_test(test_wait),
   };

   return cmocka_run_group_tests_name("resident", tests, NULL, NULL);
}
