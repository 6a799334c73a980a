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

/* Pages, window and cuts together, against a count by the definition. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ws_cuts.h"
#include "ws_pages.h"

#define MAX_PAGES 64
#define MAX_TIME  4000

static UInt random_state;

static UInt random_below(UInt n)
{
   random_state = random_state * 1664525 + 1013904223;
   return (random_state >> 8) % n;
}

/* The page accessed at each time, and W(now, tau) by its definition. */
static WsPage trace[MAX_TIME + 1];

static UWord brute_force(WsTime now, WsTime tau)
{
   Bool  seen[MAX_PAGES] = {0};
   UWord n               = 0;

   for (WsTime t = now; t > 0 && now - t < tau; t--) {
      n += !seen[trace[t]];
      seen[trace[t]] = True;
   }
   return n;
}

/* Phases of different locality, so that windows both grow and shrink. */
static void make_trace(UInt seed)
{
   UInt base = 0, spread = 1, left = 0;

   random_state = seed;
   for (WsTime t = 1; t <= MAX_TIME; t++) {
      if (left-- == 0) {
         spread = 1 + random_below(MAX_PAGES);
         base   = random_below(MAX_PAGES - spread + 1);
         left   = random_below(200);
      }
      trace[t] = base + random_below(spread);
   }
}

/* Generated code must tell everything in the last instructions before a cut. */
static WsTime next_stop(const WsCuts* cuts, WsTime epoch_start)
{
   WsTime n = cuts->next - epoch_start;
   return cuts->next - (n < 5 ? n : 5);
}

/* What generated code would do: it tells accesses to pages that are not armed;
   of the others there is but a stamp. */
static void run(WsTime every, WsTime tau, WsTime until, Bool gated, Bool stamps)
{
   WsGatedStamp stamp[MAX_PAGES];
   WsPages      s;
   WsCuts       cuts;
   WsTime       stop;
   UInt         n_told = 0;

   WS_(pages_init)(&s, tau, gated);
   WS_(cuts_init)(&cuts, every, tau);
   stop = next_stop(&cuts, 0);
   for (UInt p = 0; p < MAX_PAGES; p++)
      stamp[p] = (WsGatedStamp){.stamp = {0, 0}, .gate = WS_GATE_SHUT};
   for (WsTime t = 1; t <= until; t++) {
      WsPage        p       = trace[t];
      WsGatedStamp* st      = &stamp[p];
      Word          counter = (Word)(Long)(t - stop - 1);
      Bool          known   = st->stamp.last < 0;
      if (gated && counter < 0)
         assert_int_equal(st->gate, known ? WS_GATE_OPEN : WS_GATE_SHUT);
      if (stamps)
         st->stamp.last = counter;
      // Unless everything in the epoch is told anyway.
      if (t == stop + 1 && stop > s.window.current->start)
         WS_(pages_collect)(&s, stop);
      if (!known || counter >= 0) {
         WS_(pages_touch)(&s, p, t, stamps ? &st->stamp : NULL);
         n_told++;
      }
      if (t % 1000 == 0)
         st->stamp.rec = 0; // generated code has used it for something else
      if (t == cuts.next) {
         Bool   is_sample = WS_(cuts_pass)(&cuts);
         WsTime next      = next_stop(&cuts, t);
         WS_(pages_cut)(&s, t, stop, next);
         stop = next;
         if (is_sample)
            assert_int_equal(WS_(pages_wss)(&s, t), brute_force(t, tau));
      }
   }
   if (stamps && every > 100 && tau % every == 0)
      assert_true(n_told < until / 3);
   // Anywhere, as at the end of a run.
   WS_(pages_collect)(&s, stop);
   assert_int_equal(WS_(pages_wss_anywhere)(&s, until),
                    brute_force(until, tau));
   WS_(pages_done)(&s);
   for (UInt p = 0; p < MAX_PAGES; p++) {
      assert_int_equal(stamp[p].stamp.last, 0);
      assert_int_equal(stamp[p].stamp.rec, 0);
      assert_int_equal(stamp[p].gate, WS_GATE_SHUT);
   }
}

static void test_random_traces(void** state)
{
   static const WsTime taus[] = {1,   2,   7,    10,   13,       50,      99,
                                 100, 101, 1000, 3999, MAX_TIME, WS_NEVER};

   for (UInt seed = 1; seed <= 8; seed++) {
      make_trace(seed);
      for (WsTime every = 1; every <= 200; every = 3 * every + 1)
         for (UInt i = 0; i < sizeof taus / sizeof *taus; i++) {
            run(every, taus[i], MAX_TIME - 7 * seed, True, True);
            run(every, taus[i], MAX_TIME - 7 * seed, False, True);
            run(every, taus[i], MAX_TIME - 7 * seed, False, False);
         }
   }
}

/* The worked example of the specification. */
static void test_example(void** state)
{
   static const HChar* accesses = "AABCCCCCADAD";
   static const UWord  tau4[] = {3, 1, 2}, tau8[] = {3, 3, 3};
   WsPages             s4, s8;

   WS_(pages_init)(&s4, 4, False);
   WS_(pages_init)(&s8, 8, False);
   for (WsTime t = 1; t <= 12; t++) {
      WS_(pages_touch)(&s4, accesses[t - 1], t, NULL);
      WS_(pages_touch)(&s8, accesses[t - 1], t, NULL);
      if (t % 4 == 0) {
         WS_(pages_cut)(&s4, t, t, t);
         WS_(pages_cut)(&s8, t, t, t);
         assert_int_equal(WS_(pages_wss)(&s4, t), tau4[t / 4 - 1]);
         assert_int_equal(WS_(pages_wss)(&s8, t), tau8[t / 4 - 1]);
      }
   }
   assert_int_equal(s4.n_pages, 4);
   WS_(pages_done)(&s4);
   WS_(pages_done)(&s8);
}

/* As many pages as make all tables grow, with numbers of all magnitudes. */
static void test_many_pages(void** state)
{
   const UWord n = 100000;
   WsPages     s;

   WS_(pages_init)(&s, WS_NEVER, False);
   for (int round = 0; round < 2; round++)
      for (UWord i = 0; i < n; i++) {
         WsPage page = i % 3 == 0 ? i : i % 3 == 1 ? i << 20 : i << 40;
         WS_(pages_touch)(&s, page, 1 + i, NULL);
      }
   assert_int_equal(s.n_pages, n);
   assert_int_equal(WS_(pages_wss_anywhere)(&s, n), n);
   assert_true(WS_(pages_memory_szB)(&s) <= 64 * n);
   WS_(pages_done)(&s);
}

/* However long the run, there are no more epochs than pages and one. */
static void test_memory_is_flat(void** state)
{
   WsPages s;
   UInt    n_epochs = 0;

   WS_(pages_init)(&s, 1000000, False);
   for (WsTime t = 1; t <= 100000; t++) {
      WS_(pages_touch)(&s, t % 5, t, NULL);
      WS_(pages_cut)(&s, t, t, t);
      WS_(pages_wss)(&s, t);
   }
   for (const WsEpoch* e = s.window.current; e; e = e->older)
      n_epochs++;
   assert_int_equal(n_epochs, 6);
   WS_(pages_done)(&s);
}

int main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_traces),
      cmocka_unit_test(test_example),
      cmocka_unit_test(test_many_pages),
      cmocka_unit_test(test_memory_is_flat),
   };
   return cmocka_run_group_tests_name("pages", tests, NULL, NULL);
}
