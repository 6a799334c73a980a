/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* The windows of a profile against a count by the definition. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ws_cuts.h"
#include "ws_profile.h"

/* Products may have more than 64 bits. */
typedef unsigned __int128 Wide;

static UInt random_state;

static UInt random_below(UInt n)
{
   random_state = random_state * 1664525 + 1013904223;
   return (random_state >> 8) % n;
}

/* --- By the definition --------------------------------------------------- */

#define MAX_PAGES 24
#define MAX_TIME  400

/* A bit for each page. */
typedef UInt PageSet;

typedef struct {
   WsTick  end;
   PageSet accessed[MAX_TIME + 1]; // at each time from 1 to the end
} Trace;

static UInt size_of(PageSet pages)
{
   return (UInt)__builtin_popcount(pages);
}

/* Phases of different locality.  Some traces have no access at all. */
static void make_trace(Trace* trace, WsTick end)
{
   UInt base = 0, spread = 1, left = 0, idle = random_below(4);
   Bool is_empty = random_below(40) == 0;

   trace->end = end;
   for (WsTick t = 1; t <= end; t++) {
      if (left-- == 0) {
         spread = 1 + random_below(random_below(2) ? MAX_PAGES : 3);
         base   = random_below(MAX_PAGES - spread + 1);
         left   = random_below(80);
         idle   = random_below(random_below(3) ? 4 : 60);
      }
      trace->accessed[t] = 0;
      while (!is_empty && random_below(1 + idle) == 0 && random_below(4))
         trace->accessed[t] |= (PageSet)1 << (base + random_below(spread));
   }
}

/* W(t, tau): the pages accessed at times i with t - tau < i <= t. */
static PageSet working_set(const Trace* trace, WsTick t, WsTick tau)
{
   PageSet pages = 0;

   for (WsTick i = t; i > 0 && t - i < tau; i--)
      pages |= trace->accessed[i];
   return pages;
}

typedef struct {
   ULong sum, max, n_entered;
} Counts;

static Counts count(const Trace* trace, WsTick every, ULong n_samples,
                    WsTick tau)
{
   Counts  c      = {0, 0, 0};
   PageSet before = 0;

   for (ULong k = 1; k <= n_samples; k++) {
      PageSet pages    = working_set(trace, k * every, tau);
      PageSet accessed = working_set(trace, k * every, every);
      c.sum += size_of(pages);
      if (size_of(pages) > c.max)
         c.max = size_of(pages);
      c.n_entered += size_of(accessed & ~before);
      before = pages;
   }
   return c;
}

/* Do windows of half of the samples or more begin before the run? */
static Bool is_limited(WsTick every, ULong n_samples, WsTick tau)
{
   ULong n = 0;

   for (ULong k = 1; k <= n_samples; k++)
      n += k * every < tau;
   return 2 * n >= n_samples;
}

/* The windows T, 2T, 4T, ... up to the first that is as long as the run. */
static UInt n_rows(ULong n_samples)
{
   UInt n = 0;

   if (n_samples > 0)
      for (n = 1; (ULong)1 << (n - 1) < n_samples;)
         n++;
   return n;
}

/* The row with the smallest product, the first of equal ones. */
static Int knee_of(const Counts counts[], const Bool limited[], UInt n)
{
   Int knee = -1;

   for (UInt i = 0; i < n; i++) {
      Bool is_best = !limited[i] && counts[i].n_entered > 0;
      Wide product = (Wide)counts[i].n_entered * counts[i].sum;
      for (UInt j = 0; j < n; j++) {
         Wide other = (Wide)counts[j].n_entered * counts[j].sum;
         if (!limited[j] && counts[j].n_entered > 0)
            is_best &= j < i ? product < other : product <= other;
      }
      if (is_best)
         knee = (Int)i;
   }
   return knee;
}

static void check_profile(const WsWindows* ws, const Trace* trace, WsTick every,
                          ULong n_samples)
{
   WsProfile p;
   Counts    counts[WS_MAX_PROFILE_ROWS];
   Bool      limited[WS_MAX_PROFILE_ROWS];

   WS_(profile_make)(&p, ws, every);
   assert_int_equal(p.span, n_samples * every);
   assert_int_equal(p.n_rows, n_rows(n_samples));
   for (UInt i = 0; i < p.n_rows; i++) {
      WsTick tau = every << i;
      counts[i]  = count(trace, every, n_samples, tau);
      limited[i] = is_limited(every, n_samples, tau);
      assert_int_equal(p.rows[i].tau, tau);
      assert_int_equal(p.rows[i].stats.n_samples, n_samples);
      assert_int_equal(p.rows[i].stats.sum_pages, counts[i].sum);
      assert_int_equal(p.rows[i].stats.peak_pages, counts[i].max);
      assert_int_equal(p.rows[i].n_entered, counts[i].n_entered);
      assert_int_equal(p.rows[i].is_limited, limited[i]);
   }
   assert_int_equal(p.knee, knee_of(counts, limited, p.n_rows));
}

static void check_window(const WsWindows* ws, const Trace* trace, WsTick every,
                         ULong n_samples, WsTick tau)
{
   const WsWindow* w = WS_(windows_find)(ws, tau);
   Counts          c = count(trace, every, n_samples, tau);

   assert_int_equal(w->tau, tau);
   assert_int_equal(w->stats.n_samples, n_samples);
   assert_int_equal(w->stats.sum_pages, c.sum);
   assert_int_equal(w->stats.peak_pages, c.max);
   assert_int_equal(w->n_entered, c.n_entered);
}

/* --- Runs ---------------------------------------------------------------- */

typedef struct {
   WsTick every;
   WsTaus taus;
   UInt   cuts_percent;   // of the times: further cuts
   UInt   checks_percent; // of the times: what would be if the run ended there
} Setup;

typedef struct {
   const Setup* setup;
   const Trace* trace;
   WsWindows    ws;
   WsEpoch*     epochs[MAX_PAGES];
   ULong        n_samples;
} Run;

static void check(const WsWindows* ws, const Run* r, ULong n_samples)
{
   const Setup* setup = r->setup;

   check_profile(ws, r->trace, setup->every, n_samples);
   for (UInt i = 0; i < setup->taus.n; i++)
      check_window(ws, r->trace, setup->every, n_samples, setup->taus.tau[i]);
   check_window(ws, r->trace, setup->every, n_samples, WS_NEVER);
}

/* Shorter windows first, each once; no epoch without pages. */
static void check_lists(const Run* r)
{
   PageSet seen     = working_set(r->trace, r->trace->end, WS_NEVER);
   UInt    n_epochs = 0;

   for (const WsEpoch* e = r->ws.current; e; e = e->older) {
      assert_true(e->n_pages > 0 || e == r->ws.current);
      assert_true(!e->older || e->older->newer == e);
      n_epochs++;
   }
   assert_true(n_epochs <= size_of(seen) + 1);
   for (UInt i = 1; i < r->ws.n; i++)
      assert_true(r->ws.windows[i - 1].tau < r->ws.windows[i].tau);
   assert_int_equal(r->ws.windows[r->ws.n - 1].tau, WS_NEVER);
}

static void access_pages(Run* r, WsTick t)
{
   for (UInt p = 0; p < MAX_PAGES; p++)
      if (r->trace->accessed[t] >> p & 1) {
         r->epochs[p] = WS_(windows_enter)(&r->ws, r->epochs[p]);
         assert_ptr_equal(r->epochs[p], r->ws.current);
      }
}

/* The run might end here, or it might go on. */
static void check_end(const Run* r, Bool is_sample)
{
   static WsWindows copy;

   copy = r->ws;
   if (is_sample)
      WS_(windows_sample)(&copy, (r->n_samples + 1) * r->setup->every);
   check(&copy, r, r->n_samples + is_sample);
}

static void run_begin(Run* r, const Setup* setup, const Trace* trace)
{
   WsCuts cuts;

   memset(r, 0, sizeof *r);
   r->setup = setup;
   r->trace = trace;
   WS_(windows_init)(&r->ws, setup->every, &setup->taus);
   WS_(cuts_init)(&cuts, setup->every, &setup->taus);
   for (WsTick t = 1; t <= trace->end; t++) {
      Bool is_due    = cuts.next == t;
      Bool is_sample = is_due && WS_(cuts_pass)(&cuts);
      access_pages(r, t);
      if (random_below(100) < setup->checks_percent)
         check_end(r, is_sample);
      if (is_due || random_below(100) < setup->cuts_percent) {
         WS_(windows_cut)(&r->ws, t, 10 * t);
         assert_int_equal(r->ws.current->start, t);
         assert_int_equal(r->ws.current->start_instrs, 10 * t);
      }
      if (is_sample) {
         WS_(windows_sample)(&r->ws, t);
         r->n_samples++;
      }
      check_lists(r);
   }
   assert_int_equal(r->n_samples, trace->end / setup->every);
}

static void run_end(Run* r)
{
   check(&r->ws, r, r->n_samples);
   WS_(windows_done)(&r->ws);
}

static Bool has_tau(const WsTaus* taus, WsTick tau)
{
   for (UInt i = 0; i < taus->n; i++)
      if (taus->tau[i] == tau)
         return True;
   return False;
}

static WsTick random_tau(WsTick every)
{
   switch (random_below(6)) {
   case 0: return every << random_below(8);
   case 1: return every * (1 + random_below(20));
   case 2: return 1 + random_below(40);
   case 3: return 1 + random_below(MAX_TIME);
   case 4: return MAX_TIME + random_below(1000);
   default: return WS_NEVER - random_below(3);
   }
}

/* Each once, in any order: rungs of the ladder, what is between them, shorter
   and longer. */
static WsTaus random_taus(WsTick every, UInt n)
{
   WsTaus taus = {.n = 0};

   while (taus.n < n) {
      WsTick tau = random_tau(every);
      if (!has_tau(&taus, tau))
         taus.tau[taus.n++] = tau;
   }
   return taus;
}

static WsTick random_every(void)
{
   return random_below(4) ? 1 + random_below(30) : 1 + random_below(3);
}

static void test_random_runs(void** state)
{
   static Trace trace;
   static Run   r;

   for (UInt seed = 1; seed <= 2000; seed++) {
      random_state = seed;
      Setup setup  = {.every = random_every()};
      if (random_below(4) == 0)
         setup.taus = (WsTaus){1, {setup.every}};
      else
         setup.taus = random_taus(setup.every, 1 + random_below(WS_MAX_TAUS));
      setup.cuts_percent   = random_below(3) ? 0 : random_below(101);
      setup.checks_percent = random_below(3);
      make_trace(&trace, random_below(MAX_TIME + 1));
      run_begin(&r, &setup, &trace);
      run_end(&r);
   }
}

/* Runs of a few samples, where windows of T, 2T, ... come into being, and ends
   at each time. */
static void test_short_runs(void** state)
{
   static Trace trace;
   static Run   r;

   for (WsTick every = 1; every <= 4; every++)
      for (WsTick end = 0; end <= 9 * every; end++) {
         Setup setup = {
            .every = every, .taus = {1, {every}}, .checks_percent = 100};
         make_trace(&trace, end);
         run_begin(&r, &setup, &trace);
         run_end(&r);
         setup.taus = (WsTaus){3, {2 * every, 8 * every, 4 * every}};
         run_begin(&r, &setup, &trace);
         run_end(&r);
      }
}

/* S(tau + T) - S(tau) = entered(tau) - WSS(K*T, tau), with S(tau) = the sum of
   the WSS over all samples. */
static void test_slope(void** state)
{
   static Trace trace;
   static Run   r;

   for (UInt seed = 1; seed <= 1000; seed++) {
      random_state = seed;
      Setup setup  = {.every = random_every()};
      ULong n      = random_below(MAX_TIME / setup.every + 1);
      setup.taus.n = WS_MAX_TAUS;
      for (UInt i = 0; i < WS_MAX_TAUS; i += 2) {
         setup.taus.tau[i]     = 1 + random_below(random_below(2) ? 60 : 600);
         setup.taus.tau[i + 1] = setup.taus.tau[i] + setup.every;
      }
      make_trace(&trace, n * setup.every);
      run_begin(&r, &setup, &trace);
      for (UInt i = 0; i < WS_MAX_TAUS; i += 2) {
         WsTick          tau = setup.taus.tau[i];
         const WsWindow* w   = WS_(windows_find)(&r.ws, tau);
         const WsWindow* v   = WS_(windows_find)(&r.ws, tau + setup.every);
         assert_int_equal(v->stats.sum_pages - w->stats.sum_pages,
                          w->n_entered - w->size);
         assert_int_equal(w->size,
                          size_of(working_set(&trace, trace.end, tau)));
      }
      run_end(&r);
   }
}

/* --- By hand ------------------------------------------------------------- */

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
      ULong sum = n_samples, n_cut = 0;
      for (ULong k = 1; k <= n_samples; k++) {
         sum += k * every <= tau; // A is in it, too
         n_cut += k * every < tau;
      }
      assert_true(n < p.n_rows);
      assert_int_equal(p.rows[n].tau, tau);
      assert_int_equal(p.rows[n].stats.sum_pages, sum);
      assert_int_equal(p.rows[n].stats.peak_pages, 2);
      assert_int_equal(p.rows[n].n_entered, 2);
      assert_int_equal(p.rows[n].is_limited, 2 * n_cut >= n_samples);
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
   run_huge(WS_NEVER - 1);
   run_huge(half + 1);
   run_huge(half);
   run_huge(half - 1);
   run_huge(half / 2 + 1);
   run_huge(half / 2);
   run_huge(half / 2 - 1);
   run_huge(WS_NEVER / 3);
   run_huge(WS_NEVER / 3 + 1);
   run_huge(WS_NEVER / 5);
   run_huge(half / 64);
   run_huge(half / 64 + 12345);
   run_huge(half / 64 - 12345);
}

/* As many windows as there can be: one for each doubling, and those asked for.
   The samples between are left out. */
static void test_most_windows(void** state)
{
   WsTaus    taus = {.n = WS_MAX_TAUS};
   WsEpoch*  e    = NULL;
   WsWindows ws;

   for (UInt i = 0; i < WS_MAX_TAUS; i++)
      taus.tau[i] = ((WsTick)1 << (4 * i)) + (i == 0 ? 2 : 1);
   WS_(windows_init)(&ws, 1, &taus);
   assert_int_equal(ws.n, WS_MAX_TAUS + 1);
   for (UInt j = 0; j < 64; j++) {
      e = WS_(windows_enter)(&ws, e);
      WS_(windows_cut)(&ws, (WsTick)1 << j, j);
      WS_(windows_sample)(&ws, (WsTick)1 << j);
      assert_int_equal(ws.n, WS_MAX_TAUS + 1 + j + 1);
      assert_int_equal(WS_(windows_find)(&ws, (WsTick)1 << j)->tau,
                       (WsTick)1 << j);
   }
   assert_int_equal(ws.n, sizeof ws.windows / sizeof *ws.windows);
   WS_(windows_cut)(&ws, WS_NEVER, 64);
   WS_(windows_sample)(&ws, WS_NEVER);
   assert_int_equal(ws.n, sizeof ws.windows / sizeof *ws.windows);
   for (UInt i = 0; i < ws.n; i++)
      assert_int_equal(ws.windows[i].stats.sum_pages,
                       ws.windows[i].tau < (WsTick)1 << 63 ? 64 : 65);
   WS_(windows_done)(&ws);
}

/* Only what a profile reads; of each row, what entered and the sum. */
static void make_windows(WsWindows* ws, WsTick every, ULong n_samples, UInt n,
                         const ULong rows[][2])
{
   memset(ws, 0, sizeof *ws);
   for (UInt i = 0; i < n; i++) {
      ws->windows[i].tau             = every << i;
      ws->windows[i].n_entered       = rows[i][0];
      ws->windows[i].stats.sum_pages = rows[i][1];
      ws->windows[i].stats.n_samples = n_samples;
   }
   ws->windows[n].tau             = WS_NEVER;
   ws->windows[n].stats.n_samples = n_samples;
   ws->n                          = n + 1;
}

static void assert_rows(WsTick every, ULong n_samples, UInt n,
                        UInt first_limited)
{
   static WsWindows ws;
   WsProfile        p;

   make_windows(&ws, every, n_samples, 0, NULL);
   WS_(profile_make)(&p, &ws, every);
   assert_int_equal(p.span, every * n_samples);
   assert_int_equal(p.n_rows, n);
   for (UInt i = 0; i < n; i++) {
      assert_int_equal(p.rows[i].tau, every << i);
      assert_int_equal(p.rows[i].is_limited, i >= first_limited);
   }
   assert_int_equal(p.knee, -1);
}

/* Very many samples: as by 2 * min(tau/T - 1, K) >= K. */
static void test_many_samples(void** state)
{
   assert_rows(1, 0, 0, 0);
   assert_rows(WS_NEVER, 0, 0, 0);
   assert_rows(1, 1, 1, 1);
   assert_rows(1, 2, 2, 1); // 2 * 1 >= 2
   assert_rows(1, 3, 3, 2); // 2 * 1 < 3
   assert_rows(1, 6, 4, 2); // 2 * 3 >= 6
   assert_rows(1, 7, 4, 3); // 2 * 3 < 7
   assert_rows(1, (ULong)1 << 62, 63, 62);
   assert_rows(1, ((ULong)1 << 62) - 2, 63, 61);
   assert_rows(1, ((ULong)1 << 62) - 1, 63, 62);
   assert_rows(1, ((ULong)1 << 62) + 1, 64, 62);
   assert_rows(1, (ULong)1 << 63, 64, 63);
   assert_rows(1, WS_NEVER - 1, 64, 63);
   assert_rows(1, WS_NEVER, 64, 64);
   assert_rows(1000, WS_NEVER / 1000, 55, 54);
   assert_rows(((WsTick)1 << 62) + 1, 3, 2, 2);
   assert_rows((WsTick)1 << 63, 1, 1, 1);
}

/* Rows T, 2T, 4T, 8T: with 8 samples, only the last is limited. */
static void assert_knee(Int knee, ULong n_samples, const ULong rows[4][2])
{
   static WsWindows ws;
   WsProfile        p;

   make_windows(&ws, 100, n_samples, 4, rows);
   WS_(profile_make)(&p, &ws, 100);
   assert_int_equal(p.n_rows, 4);
   assert_int_equal(p.knee, knee);
}

static void test_knees(void** state)
{
   const ULong big = (ULong)1 << 40;

   assert_knee(0, 8, (const ULong[4][2]){{9, 10}, {9, 11}, {8, 12}});
   assert_knee(1, 8, (const ULong[4][2]){{9, 10}, {8, 11}, {8, 12}});
   assert_knee(2, 8, (const ULong[4][2]){{9, 10}, {8, 11}, {7, 12}});
   // 7 * 12 = 6 * 14
   assert_knee(1, 8, (const ULong[4][2]){{9, 10}, {7, 12}, {6, 14}});
   assert_knee(0, 8, (const ULong[4][2]){{7, 12}, {6, 14}, {4, 21}});
   // The best row is limited, and with 6 samples so is the second best.
   assert_knee(2, 8, (const ULong[4][2]){{9, 10}, {8, 10}, {4, 14}, {3, 15}});
   assert_knee(1, 6, (const ULong[4][2]){{9, 10}, {8, 10}, {4, 14}, {3, 15}});
   // Nothing ever entered.
   assert_knee(-1, 8, (const ULong[4][2]){{0, 0}, {0, 0}, {0, 0}, {0, 0}});
   // Products beyond 64 bits.
   assert_knee(1, 8,
               (const ULong[4][2]){
                  {big, big}, {big - 1, big}, {big - 1, big + 1}, {1, 1}});
   assert_knee(
      2, 8,
      (const ULong[4][2]){
         {big, big}, {big / 2, 2 * big}, {big / 4, 4 * big - 9}, {1, 1}});
}

/* Before the first sample, and without one. */
static void test_no_rows(void** state)
{
   const WsTaus taus = {2, {10, 5}};
   WsWindows    ws;
   WsProfile    p;

   WS_(windows_init)(&ws, 10, &taus);
   WS_(windows_enter)(&ws, NULL);
   WS_(windows_cut)(&ws, 5, 5);
   WS_(windows_enter)(&ws, NULL);
   WS_(profile_make)(&p, &ws, 10);
   assert_int_equal(p.span, 0);
   assert_int_equal(p.n_rows, 0);
   assert_int_equal(p.knee, -1);
   WS_(windows_done)(&ws);
}

/* However long the run, there are no more epochs than pages and one, and no
   more windows than doublings. */
static void test_memory_is_flat(void** state)
{
   WsTaus    taus      = {.n = WS_MAX_TAUS};
   WsEpoch*  epochs[5] = {NULL};
   UInt      n_epochs  = 0;
   WsWindows ws;

   for (UInt i = 0; i < WS_MAX_TAUS; i++)
      taus.tau[i] = 1000000 + 77777 * i;
   WS_(windows_init)(&ws, 1, &taus);
   for (WsTick t = 1; t <= 100000; t++) {
      epochs[t % 5] = WS_(windows_enter)(&ws, epochs[t % 5]);
      WS_(windows_cut)(&ws, t, t);
      WS_(windows_sample)(&ws, t);
   }
   for (const WsEpoch* e = ws.current; e; e = e->older)
      n_epochs++;
   assert_int_equal(n_epochs, 6);
   assert_int_equal(ws.n, WS_MAX_TAUS + 1 + 17); // 2^0, ..., 2^16
   WS_(windows_done)(&ws);
}

int main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_runs),
      cmocka_unit_test(test_short_runs),
      cmocka_unit_test(test_slope),
      cmocka_unit_test(test_huge_intervals),
      cmocka_unit_test(test_most_windows),
      cmocka_unit_test(test_many_samples),
      cmocka_unit_test(test_knees),
      cmocka_unit_test(test_no_rows),
      cmocka_unit_test(test_memory_is_flat),
   };
   return cmocka_run_group_tests_name("profile", tests, NULL, NULL);
}
