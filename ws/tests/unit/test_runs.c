/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* Pages, windows and cuts together, against a count by the definition. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ws_cuts.h"
#include "ws_pages.h"

#define LAST_PAGE (~(WsPage)0)

static UInt random_state;

static UInt random_below(UInt n)
{
   random_state = random_state * 1664525 + 1013904223;
   return (random_state >> 8) % n;
}

/* --- By the definition --------------------------------------------------- */

#define MAX_PAGES 48
#define MAX_TIME  1200
#define NO_REC    (-1)

typedef struct {
   UInt   page; // of those that the run knows: 0, 1, ...
   WsTime last;
   ULong  n_accesses;
   Bool   is_reused;
} ModelRec;

typedef struct {
   Bool     has_details;
   ModelRec recs[2 * MAX_TIME];
   int      n_recs;
   int      rec_of[MAX_PAGES]; // the latest one, or NO_REC
   Bool     is_anew[MAX_PAGES];
   UWord    n_pages, n_reused;
   struct {
      WsTime t;
      UInt   page;
   } accesses[2 * MAX_TIME]; // all of them
   int n_accesses;
} Model;

static void model_init(Model* m, Bool has_details)
{
   memset(m, 0, sizeof *m);
   m->has_details = has_details;
   for (UInt p = 0; p < MAX_PAGES; p++)
      m->rec_of[p] = NO_REC;
}

static void model_access(Model* m, UInt page, WsTime now)
{
   Bool is_first = m->rec_of[page] == NO_REC;
   Bool is_anew  = !is_first && m->is_anew[page];

   m->n_pages += is_first || is_anew;
   m->n_reused += is_anew;
   m->is_anew[page] = False;
   if (is_first || (is_anew && m->has_details)) {
      m->rec_of[page]      = m->n_recs;
      m->recs[m->n_recs++] = (ModelRec){.page = page, .is_reused = is_anew};
   }
   m->recs[m->rec_of[page]].last = now;
   m->recs[m->rec_of[page]].n_accesses++;
   m->accesses[m->n_accesses].t      = now;
   m->accesses[m->n_accesses++].page = page;
}

/* For how long each page has not been accessed; WS_NEVER: at all. */
typedef struct {
   WsTick of[MAX_PAGES];
} Ages;

static Ages model_ages(const Model* m, WsTime now)
{
   Ages ages;

   for (UInt p = 0; p < MAX_PAGES; p++)
      ages.of[p] = WS_NEVER;
   for (int i = m->n_accesses - 1; i >= 0; i--)
      if (ages.of[m->accesses[i].page] == WS_NEVER)
         ages.of[m->accesses[i].page] = now - m->accesses[i].t;
   return ages;
}

/* W(now, tau): the pages accessed at times t with now - tau < t <= now. */
static UWord wss_of(const Ages* ages, WsTick tau)
{
   UWord n = 0;

   for (UInt p = 0; p < MAX_PAGES; p++)
      n += ages->of[p] < tau;
   return n;
}

/* Pages accessed since the sample before, which is `every` ago, that were not
   in its window. */
static UWord entered_since(const Ages* before, const Ages* ages, WsTick every,
                           WsTick tau)
{
   UWord n = 0;

   for (UInt p = 0; p < MAX_PAGES; p++)
      n += ages->of[p] < every && before->of[p] >= tau;
   return n;
}

/* --- A run: what ws_segment and ws_sample do ----------------------------- */

#define MAX_SEGMENT 5 // instructions, each of which accesses a page or none
#define NO_PAGE     MAX_PAGES

/* Stamps are there for code, or for data with the counts before or behind. */
typedef enum { NoStamps, Gated, CountsBefore, CountsBehind } Layout;

typedef struct {
   WsTick every;
   WsTaus taus;
   Layout layout;
   Bool   has_details;
   Bool   renews;
   Bool   opens; // each start of a window is a cut
   WsPage page0; // number of page 0
} Setup;

typedef struct {
   const Setup* setup;
   WsPages      s;
   WsCuts       cuts;
   WsTime       epoch_start, stop, now;
   WsTime       base; // of stamps: the stop, or after it that of the next epoch
   Bool         is_told;
   Bool         is_held; // the stop is the epoch's start
   UInt         n_told;
   Model        model;
   Ages         ages; // at the last sample
   ULong        n_entered[WS_MAX_TAUS];
   UInt         trace[MAX_TIME + 1]; // the page accessed at each time
   UWord        before[2 * MAX_PAGES];
   WsStamp      stamps[MAX_PAGES];
   UWord        behind[2 * MAX_PAGES];
   WsGatedStamp gated[MAX_PAGES];
} Run;

/* Phases of different locality, so that windows both grow and shrink. */
static void make_trace(UInt trace[])
{
   UInt base = 0, spread = 1, left = 0;

   for (WsTime t = 1; t <= MAX_TIME; t++) {
      if (left-- == 0) {
         spread = 1 + random_below(random_below(2) ? MAX_PAGES : 4);
         base   = random_below(MAX_PAGES - spread + 1);
         left   = random_below(100);
      }
      trace[t] = random_below(8) ? base + random_below(spread) : NO_PAGE;
   }
}

static WsStamp* stamp_of(Run* r, UInt page)
{
   switch (r->setup->layout) {
   case NoStamps: return NULL;
   case Gated: return &r->gated[page].stamp;
   default: return &r->stamps[page];
   }
}

static UWord* count_of(Run* r, UInt page)
{
   switch (r->setup->layout) {
   case Gated: return &r->gated[page].n_accesses;
   case CountsBefore: return &r->before[2 * page];
   default: return &r->behind[2 * page];
   }
}

static WsPage number_of(const Run* r, UInt page)
{
   return r->setup->page0 + page;
}

static Word counter_at(const Run* r, WsTime t)
{
   return (Word)(Long)(t - r->stop - 1);
}

static Word stamp_at(const Run* r, WsTime t)
{
   return (Word)(Long)(t - r->base - 1);
}

/* A segment that passes the stop does not pass the cut. */
static void set_stop(Run* r)
{
   WsTime n = r->cuts.next - r->epoch_start;
   r->stop  = r->cuts.next - (n < MAX_SEGMENT ? n : MAX_SEGMENT);
}

/* What the stop of the next epoch will be, or a bad guess. */
static WsTime guess_next_stop(const Run* r)
{
   Run next = {.cuts = r->cuts, .epoch_start = r->cuts.next};

   WS_(cuts_pass)(&next.cuts);
   set_stop(&next);
   return next.stop + (random_below(4) ? 0 : random_below(5));
}

static void rebase(Run* r)
{
   WS_(pages_rebase)(&r->s, r->base, r->stop);
   r->base = r->stop;
}

static void run_init(Run* r, const Setup* setup)
{
   static const WsTaus none;

   WsPagesConfig config = {.every       = setup->every,
                           .taus        = &setup->taus,
                           .is_gated    = setup->layout == Gated,
                           .has_details = setup->has_details};

   memset(r, 0, sizeof *r);
   r->setup = setup;
   for (UInt p = 0; p < MAX_PAGES; p++)
      r->gated[p].gate = WS_GATE_SHUT;
   if (setup->has_details && setup->layout != NoStamps)
      config.count_offset = (Word)((Addr)count_of(r, 0) - (Addr)stamp_of(r, 0));
   WS_(pages_init)(&r->s, &config);
   WS_(cuts_init)(&r->cuts, setup->every, setup->opens ? &setup->taus : &none);
   set_stop(r);
   r->base = r->stop;
   model_init(&r->model, setup->has_details);
   r->ages = model_ages(&r->model, 0);
   make_trace(r->trace);
}

/* An access that the tool is told of. */
static void tell(Run* r, UInt page, WsTime t, WsStamp* stamp)
{
   WsPageRec* rec = WS_(pages_touch)(&r->s, number_of(r, page), t, stamp);

   if (stamp)
      stamp->last = stamp_at(r, t);
   if (r->setup->has_details)
      rec->details[0].n_accesses++;
   r->n_told++;
   model_access(&r->model, page, t);
   assert_ptr_equal(rec, WS_(pages_nth)(&r->s, (UWord)r->model.rec_of[page]));
}

static void take_sample(Run* r, WsTime now)
{
   const Setup* setup = r->setup;
   Ages         ages  = model_ages(&r->model, now);

   WS_(windows_sample)(&r->s.windows, now);
   for (UInt i = 0; i < setup->taus.n; i++) {
      WsTick          tau = setup->taus.tau[i];
      const WsWindow* w   = WS_(windows_find)(&r->s.windows, tau);
      r->n_entered[i] += entered_since(&r->ages, &ages, setup->every, tau);
      assert_int_equal(w->tau, tau);
      assert_int_equal(WS_(pages_wss)(&r->s, tau, now), wss_of(&ages, tau));
      if (setup->opens || tau % setup->every == 0) {
         assert_int_equal(w->size, wss_of(&ages, tau));
         assert_int_equal(w->n_entered, r->n_entered[i]);
      }
   }
   assert_int_equal(WS_(windows_find)(&r->s.windows, setup->every)->tau,
                    setup->every);
   r->ages = ages;
}

static void pass_cut(Run* r, WsTime end)
{
   WsTime now       = r->cuts.next;
   Bool   is_sample = WS_(cuts_pass)(&r->cuts);

   r->epoch_start = now;
   set_stop(r);
   WS_(pages_cut)(&r->s, now, now, r->base, r->stop);
   r->base = r->stop;
   for (UInt p = 0; p < MAX_PAGES; p++)
      assert_int_equal(*count_of(r, p), 0);
   if (is_sample)
      take_sample(r, now);
   r->is_held = random_below(8) == 0;
   if (r->is_held) {
      r->stop = now;
      rebase(r);
   }
   r->is_told = r->stop < end;
}

/* Not everything needs to be told any more. */
static void resume(Run* r)
{
   r->is_held = False;
   set_stop(r);
   rebase(r);
   r->is_told = r->stop < r->now;
}

/* Generated code, up to `end`.  False: all that it has done is to be done
   again, by the tool. */
static Bool run_segment_fast(Run* r, WsTime end)
{
   Bool ok = counter_at(r, end) < 0;

   if (r->setup->layout == NoStamps)
      return False;
   for (WsTime t = r->now + 1; t <= end; t++) {
      if (r->trace[t] == NO_PAGE)
         continue;
      WsStamp* stamp = stamp_of(r, r->trace[t]);
      ok &= stamp->last < 0;
      stamp->last = counter_at(r, t);
   }
   for (WsTime t = r->now + 1; t <= end && ok; t++) {
      if (r->trace[t] == NO_PAGE)
         continue;
      if (r->setup->has_details)
         ++*count_of(r, r->trace[t]);
      model_access(&r->model, r->trace[t], t);
   }
   return ok;
}

static void run_segment_slowly(Run* r, WsTime end)
{
   if (end > r->stop && !r->is_told) {
      WsTime next = guess_next_stop(r);
      WS_(pages_collect_and_rebase)(&r->s, r->base, next);
      r->base    = next;
      r->is_told = True;
   }
   for (WsTime t = r->now + 1; t <= end; t++) {
      if (r->cuts.next < t)
         pass_cut(r, end);
      if (r->trace[t] != NO_PAGE)
         tell(r, r->trace[t], t, stamp_of(r, r->trace[t]));
   }
}

static void renew_some(Run* r)
{
   UInt   first = random_below(MAX_PAGES);
   UInt   last  = first;
   WsPage from, to;

   if (random_below(2))
      last += random_below(MAX_PAGES - first);
   from = number_of(r, first);
   to   = number_of(r, last);
   if (first == 0 && random_below(2))
      from = 0;
   if (last == MAX_PAGES - 1 && random_below(2))
      to = LAST_PAGE;
   for (UInt p = first; p <= last; p++)
      r->model.is_anew[p] = True; // even if it has no record: see above
   WS_(pages_renew)(&r->s, from, to, r->base);
   for (UInt p = first; p <= last && r->setup->layout != NoStamps; p++)
      assert_int_equal(stamp_of(r, p)->last, 0);
}

/* As at a mark, and as at the end of a run.  Samples that follow are none the
   wiser. */
static void look(Run* r)
{
   Ages ages = model_ages(&r->model, r->now);

   WS_(pages_collect)(&r->s, r->base);
   for (UInt i = 0; i < r->setup->taus.n; i++) {
      WsTick tau = r->setup->taus.tau[i];
      assert_int_equal(WS_(pages_wss)(&r->s, tau, r->now), wss_of(&ages, tau));
   }
   for (UInt p = 0; p < MAX_PAGES; p++)
      assert_int_equal(*count_of(r, p), 0);
   for (int i = 0; i < r->model.n_recs; i++) {
      const ModelRec*  expected = &r->model.recs[i];
      const WsPageRec* rec      = WS_(pages_nth)(&r->s, (UWord)i);
      assert_int_equal(rec->page, number_of(r, expected->page));
      assert_int_equal(rec->last, expected->last);
      if (!r->setup->has_details)
         continue;
      assert_int_equal(rec->details[0].n_accesses, expected->n_accesses);
      assert_int_equal(rec->details[0].is_reused, expected->is_reused);
      assert_null(rec->details[0].place);
      assert_null(rec->details[0].owner);
   }
}

/* What holds between any two segments. */
static void check(Run* r)
{
   assert_int_equal(r->s.n_pages, r->model.n_pages);
   assert_int_equal(r->s.n_reused, r->model.n_reused);
   assert_int_equal(r->s.n_recs, r->model.n_recs);
   for (UInt p = 0; p < MAX_PAGES && r->now <= r->stop; p++)
      if (r->setup->layout == Gated)
         assert_int_equal(r->gated[p].gate, r->gated[p].stamp.last < 0
                                               ? WS_GATE_OPEN
                                               : WS_GATE_SHUT);
}

static void happens_between_segments(Run* r)
{
   UInt     page  = random_below(MAX_PAGES);
   WsStamp* stamp = stamp_of(r, page);

   // The kernel accesses a page.
   if (random_below(20) == 0)
      tell(r, page, r->now, NULL);
   // Generated code has used the word for something else.
   if (random_below(20) == 0 && stamp && stamp->rec > 0)
      stamp->rec = random_below(2) ? 0 : -7;
   if (r->setup->renews && random_below(30) == 0)
      renew_some(r);
   if (random_below(60) == 0)
      look(r);
   if (r->is_held && random_below(2))
      resume(r);
}

static void run(const Setup* setup, WsTime until)
{
   static Run r;

   run_init(&r, setup);
   while (r.now < until) {
      WsTime end = r.now + 1 + random_below(MAX_SEGMENT);
      if (end > until)
         end = until;
      if (!run_segment_fast(&r, end))
         run_segment_slowly(&r, end);
      r.now = end;
      check(&r);
      happens_between_segments(&r);
      check(&r);
   }
   look(&r);
   for (UInt p = 0; p < MAX_PAGES && setup->has_details; p++)
      if (stamp_of(&r, p) && stamp_of(&r, p)->last < 0)
         *count_of(&r, p) = 1; // not collected yet
   WS_(pages_done)(&r.s);
   for (UInt p = 0; p < MAX_PAGES; p++) {
      WsStamp* stamp = stamp_of(&r, p);
      if (stamp) {
         assert_int_equal(stamp->last, 0);
         assert_int_equal(stamp->rec, 0);
      }
      if (setup->has_details)
         assert_int_equal(*count_of(&r, p), 0);
      assert_int_equal(r.gated[p].gate, WS_GATE_SHUT);
   }
}

static const WsTick some_taus[] = {1,  2,   7,    10,       13,      50,
                                   99, 100, 1000, MAX_TIME, WS_NEVER};

static Bool has_tau(const WsTaus* taus, WsTick tau)
{
   for (UInt i = 0; i < taus->n; i++)
      if (taus->tau[i] == tau)
         return True;
   return False;
}

/* Each once, in any order. */
static WsTaus random_taus(UInt n)
{
   WsTaus taus = {.n = 0};

   while (taus.n < n) {
      WsTick tau = random_below(2)
                      ? some_taus[random_below(11)]
                      : 1 + random_below(random_below(2) ? 40 : 900);
      if (!has_tau(&taus, tau))
         taus.tau[taus.n++] = tau;
   }
   return taus;
}

static void test_random_runs(void** state)
{
   static const WsTick every[] = {1, 2, 4, 13, 40, 100, 121, 700};
   static const WsPage page0[] = {0, 3, (WsPage)1 << 36,
                                  LAST_PAGE - MAX_PAGES + 1};

   for (UInt seed = 1; seed <= 2500; seed++) {
      random_state = seed;
      UInt  n_taus = seed % 2 ? 1 : 1 + random_below(WS_MAX_TAUS);
      Setup setup  = {.every       = every[random_below(8)],
                      .taus        = random_taus(n_taus),
                      .layout      = (Layout)random_below(4),
                      .has_details = random_below(2),
                      .renews      = random_below(4) != 0,
                      .opens       = random_below(3) == 0,
                      .page0       = page0[random_below(4)]};
      run(&setup, MAX_TIME - random_below(30));
   }
}

/* --- Runs with ticks that are no instructions ----------------------------- */

#define N_STAMPS 8

/* A page belongs to a window iff the epoch of its last access ends in it. */
typedef struct {
   WsPages s;
   WsCuts  cuts;
   WsTaus  taus;
   WsStamp stamps[N_STAMPS];
   WsTick  end[N_STAMPS]; // WS_NEVER: the current epoch; 0: not accessed yet
   Bool    is_touched[N_STAMPS]; // since the last sample
   WsTick  sampled;              // the last sample
   UWord   size[WS_MAX_TAUS];
   ULong   n_entered[WS_MAX_TAUS];
} Clocked;

#define BASE ((WsTime)1 << 20)

static Bool is_in(const Clocked* c, WsPage page, WsTick tau, WsTick now)
{
   return c->end[page] > (now > tau ? now - tau : 0);
}

static UWord clocked_wss(const Clocked* c, WsTick tau, WsTick now)
{
   UWord n = 0;

   for (WsPage p = 0; p < N_STAMPS; p++)
      n += is_in(c, p, tau, now);
   return n;
}

static void clocked_sample(Clocked* c, WsTick now)
{
   WS_(windows_sample)(&c->s.windows, now);
   for (UInt i = 0; i < c->taus.n; i++) {
      const WsWindow* w = WS_(windows_find)(&c->s.windows, c->taus.tau[i]);
      assert_int_equal(w->size, clocked_wss(c, c->taus.tau[i], now));
      assert_int_equal(w->n_entered, c->n_entered[i]);
   }
   memset(c->is_touched, 0, sizeof c->is_touched);
   c->sampled = now;
}

static void clocked_cut(Clocked* c, WsTick due, WsTime now)
{
   WS_(pages_collect)(&c->s, BASE);
   WS_(pages_cut)(&c->s, due, now, BASE, BASE);
   for (WsPage p = 0; p < N_STAMPS; p++)
      if (c->end[p] == WS_NEVER)
         c->end[p] = due;
}

static void clocked_access(Clocked* c, WsPage page, WsTime now)
{
   if (c->stamps[page].last >= 0)
      WS_(pages_touch)(&c->s, page, now, &c->stamps[page]);
   c->stamps[page].last = (Word)(now - BASE - 1);
   for (UInt i = 0; i < c->taus.n && !c->is_touched[page]; i++)
      c->n_entered[i] += !is_in(c, page, c->taus.tau[i], c->sampled);
   c->is_touched[page] = True;
   c->end[page]        = WS_NEVER;
}

static void clocked_look(Clocked* c, WsTick now)
{
   WS_(pages_collect)(&c->s, BASE);
   for (UInt i = 0; i < c->taus.n; i++)
      assert_int_equal(WS_(pages_wss)(&c->s, c->taus.tau[i], now),
                       clocked_wss(c, c->taus.tau[i], now));
}

/* Time stands still, or passes several cuts at once.  An epoch that is long in
   instructions is cut in between, but no epoch is without time. */
static void run_clocked(void)
{
   Clocked       c      = {.taus = random_taus(1 + random_below(WS_MAX_TAUS))};
   WsPagesConfig config = {
      .every = 1 + random_below(30), .taus = &c.taus, .is_clocked = True};
   WsTick tick = 0;

   WS_(pages_init)(&c.s, &config);
   WS_(cuts_init)(&c.cuts, config.every, &c.taus);
   for (WsTime now = 1; now <= 500; now++) {
      if (random_below(3))
         clocked_access(&c, random_below(1 + random_below(N_STAMPS)), now);
      if (random_below(3) == 0)
         tick += random_below(random_below(8) ? 4 : 100);
      if (random_below(10) == 0 && tick > c.s.windows.current->start &&
          tick < c.cuts.next)
         clocked_cut(&c, tick, now);
      while (c.cuts.next <= tick) {
         WsTick due       = c.cuts.next;
         Bool   is_sample = WS_(cuts_pass)(&c.cuts);
         clocked_cut(&c, due, now);
         if (is_sample)
            clocked_sample(&c, due);
      }
      if (random_below(10) == 0)
         clocked_look(&c, tick);
   }
   WS_(pages_done)(&c.s);
}

static void test_clocked_runs(void** state)
{
   for (UInt seed = 1; seed <= 3000; seed++) {
      random_state = seed;
      run_clocked();
   }
}

int main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_runs),
      cmocka_unit_test(test_clocked_runs),
   };
   return cmocka_run_group_tests_name("runs", tests, NULL, NULL);
}
