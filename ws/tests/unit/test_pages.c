/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* Pages, windows and cuts together, in runs like those of ws_segment
   and ws_sample, against a count by the definition.

   Catches: an access that is lost when a stamp is collected, moved to another
   base, renewed or forgotten, or when a page enters or leaves an epoch; a window
   that is off by one; a record or a count that goes to the wrong page. */

#include "unit.h"
#include "ws_cuts.h"
#include "ws_pages.h"

#define LAST_PAGE (~(WsPage)0)

/* --- By the definition --------------------------------------------------- */

#define MAX_PAGES 48
#define MAX_TIME  1200

/* A bit for each page: 0, 1, ... of those that the run knows. */
typedef ULong PageSet;

static UInt size_of(PageSet pages)
{
   return (UInt)__builtin_popcountll(pages);
}

typedef struct {
   WsTick  tau;
   PageSet pages; // that were in it at the last sample
   ULong   sum, max, n_entered;
} ModelWindow;

typedef struct {
   UInt   page;
   WsTime last;
   ULong  n_accesses;
   Bool   is_reused;
} ModelRec;

typedef struct {
   Bool        has_details;
   ModelRec    recs[2 * MAX_TIME];
   int         n_recs;
   int         rec_of[MAX_PAGES]; // the latest one, or -1
   Bool        is_anew[MAX_PAGES];
   UWord       n_pages, n_reused;
   ModelWindow windows[WS_MAX_TAUS];
} Model;

static void model_access(Model* m, UInt page, WsTime now)
{
   Bool is_first = m->rec_of[page] < 0;
   Bool is_anew  = !is_first && m->is_anew[page];

   m->n_pages += is_first || is_anew;
   m->n_reused += is_anew;
   m->is_anew[page] = False;
   if (is_first || (is_anew && m->has_details)) {
      m->rec_of[page]      = m->n_recs;
      m->recs[m->n_recs++] = (ModelRec){.page = page, .is_reused = is_anew};
   }
   if (m->recs[m->rec_of[page]].last < now)
      m->recs[m->rec_of[page]].last = now;
   m->recs[m->rec_of[page]].n_accesses++;
}

/* W(now, tau): the pages accessed at times t with now - tau < t <= now. */
static PageSet working_set(const Model* m, WsTick tau, WsTime now)
{
   PageSet pages = 0;

   for (UInt p = 0; p < MAX_PAGES; p++)
      if (m->rec_of[p] >= 0 && now - m->recs[m->rec_of[p]].last < tau)
         pages |= (PageSet)1 << p;
   return pages;
}

/* A page enters if it has been accessed since the sample before, in whose window
   it was not. */
static void model_sample(Model* m, WsTick every, WsTime now)
{
   PageSet accessed = working_set(m, every, now);

   for (UInt i = 0; i < WS_MAX_TAUS; i++) {
      ModelWindow* w = &m->windows[i];
      w->n_entered += size_of(accessed & ~w->pages);
      w->pages = working_set(m, w->tau, now);
      w->sum += size_of(w->pages);
      if (size_of(w->pages) > w->max)
         w->max = size_of(w->pages);
   }
}

/* --- A run --------------------------------------------------------------- */

#define MAX_SEGMENT 5 // instructions, each of which accesses a page or none
#define NO_PAGE     MAX_PAGES

typedef struct {
   WsTick every;
   WsTaus taus;
   Bool   has_stamps, is_gated, has_details;
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
   Model        model;
   UInt         trace[MAX_TIME + 1];  // the page accessed at each time
   WsGatedStamp tables[2][MAX_PAGES]; // a plain stamp's gate is never touched
   UInt         table;                // the one in use
} Run;

/* Phases of different locality, so that windows both grow and shrink. */
static void make_trace(UInt trace[])
{
   UInt base = 0, spread = 1;

   for (WsTick t = 1; t <= MAX_TIME; t++) {
      if (random_below(50) == 0) {
         spread = 1 + random_below(random_below(2) ? MAX_PAGES : 4);
         base   = random_below(MAX_PAGES - spread + 1);
      }
      trace[t] = random_below(8) ? base + random_below(spread) : NO_PAGE;
   }
}

static WsStamp* stamp_of(Run* r, UInt page)
{
   return r->setup->has_stamps ? &r->tables[r->table][page].stamp : NULL;
}

static UWord* count_of(Run* r, UInt page)
{
   return &r->tables[r->table][page].n_accesses;
}

/* A time as a stamp has it. */
static Word relative(WsTime t, WsTime base)
{
   return (Word)(Long)(t - base - 1);
}

/* A segment that passes the stop does not pass the cut. */
static void set_stop(Run* r)
{
   WsTime n = r->cuts.next - r->epoch_start;
   r->stop  = r->cuts.next - (n < MAX_SEGMENT ? n : MAX_SEGMENT);
}

static void rebase(Run* r)
{
   WS_(pages_rebase)(&r->s, r->base, r->stop);
   r->base = r->stop;
}

static void use_table(Run* r, UInt table)
{
   r->table = table;
   memset(r->tables[table], 0, sizeof r->tables[table]);
   for (UInt p = 0; p < MAX_PAGES; p++)
      r->tables[table][p].gate = WS_GATE_SHUT;
}

static void run_init(Run* r, const Setup* setup)
{
   static const WsTaus none;

   WsPagesConfig config = {.every       = setup->every,
                           .taus        = &setup->taus,
                           .is_gated    = setup->is_gated,
                           .has_details = setup->has_details};

   memset(r, 0, sizeof *r);
   r->setup = setup;
   use_table(r, 0);
   if (setup->has_details && setup->has_stamps)
      config.count_offset = offsetof(WsGatedStamp, n_accesses);
   WS_(pages_init)(&r->s, &config);
   WS_(cuts_init)(&r->cuts, setup->every, setup->opens ? &setup->taus : &none);
   set_stop(r);
   r->base              = r->stop;
   r->model.has_details = setup->has_details;
   memset(r->model.rec_of, -1, sizeof r->model.rec_of);
   for (UInt i = 0; i < WS_MAX_TAUS; i++)
      r->model.windows[i].tau = i < setup->taus.n
                                   ? setup->taus.tau[i]
                                   : setup->every << (i - setup->taus.n);
   make_trace(r->trace);
}

/* An access that the tool is told of. */
static void tell(Run* r, UInt page, WsTime t, WsStamp* stamp)
{
   WsPageRec* rec = WS_(pages_touch)(&r->s, r->setup->page0 + page, t, stamp);

   if (stamp)
      stamp->last = relative(t, r->base);
   if (r->setup->has_details)
      rec->details[0].n_accesses++;
   model_access(&r->model, page, t);
   assert_ptr_equal(rec, WS_(pages_nth)(&r->s, (UWord)r->model.rec_of[page]));
}

static void check_sizes(const Run* r, WsTime now)
{
   for (UInt i = 0; i < r->setup->taus.n; i++) {
      WsTick tau = r->setup->taus.tau[i];
      assert_int_equal(WS_(pages_wss)(&r->s, tau, now),
                       size_of(working_set(&r->model, tau, now)));
   }
}

/* Beside those asked for there are the windows of T, 2T, 4T, ... that are not
   longer than the run. */
static void take_sample(Run* r, WsTime now)
{
   const Setup* setup = r->setup;

   WS_(windows_sample)(&r->s.windows, now);
   model_sample(&r->model, setup->every, now);
   check_sizes(r, now);
   for (UInt i = 0; i < WS_MAX_TAUS; i++) {
      const ModelWindow* expected = &r->model.windows[i];
      const WsWindow*    w = WS_(windows_find)(&r->s.windows, expected->tau);
      if (i >= setup->taus.n && expected->tau > now)
         continue;
      assert_int_equal(w->tau, expected->tau);
      if (!setup->opens && w->tau % setup->every != 0)
         continue;
      assert_int_equal(w->size, size_of(expected->pages));
      assert_int_equal(w->n_entered, expected->n_entered);
      assert_int_equal(w->stats.sum_pages, expected->sum);
      assert_int_equal(w->stats.peak_pages, expected->max);
   }
}

static void pass_cut(Run* r, WsTime end)
{
   WsTime now       = r->cuts.next;
   Bool   is_sample = WS_(cuts_pass)(&r->cuts);

   r->epoch_start = now;
   set_stop(r);
   WS_(pages_cut)(&r->s, now, now, r->base, r->stop);
   r->base = r->stop;
   if (is_sample)
      take_sample(r, now);
   r->is_held = random_below(8) == 0;
   if (r->is_held) {
      r->stop = now;
      rebase(r);
   }
   r->is_told = r->stop < end;
}

/* Generated code, up to `end`.  False: all that it has done is to be done
   again, by the tool. */
static Bool run_segment_fast(Run* r, WsTime end)
{
   Bool ok = r->setup->has_stamps && relative(end, r->stop) < 0;

   for (WsTime t = r->now + 1; t <= end && r->setup->has_stamps; t++)
      if (r->trace[t] != NO_PAGE) {
         WsStamp* stamp = stamp_of(r, r->trace[t]);
         ok &= stamp->last < 0;
         stamp->last = relative(t, r->stop);
      }
   for (WsTime t = r->now + 1; t <= end && ok; t++)
      if (r->trace[t] != NO_PAGE) {
         *count_of(r, r->trace[t]) += r->setup->has_details;
         model_access(&r->model, r->trace[t], t);
      }
   return ok;
}

static void run_segment_slowly(Run* r, WsTime end)
{
   if (end > r->stop && !r->is_told) {
      // The stop of the next epoch, if it is like this one; or a bad guess.
      WsTime next = r->cuts.next + (r->stop - r->epoch_start) +
                    (random_below(4) ? 0 : random_below(5));
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

/* One page, several, all of the run, or all that there can be. */
static void renew_some(Run* r)
{
   UInt   first = random_below(MAX_PAGES);
   UInt   last  = first + random_below(random_below(2) ? MAX_PAGES - first : 1);
   WsPage from = r->setup->page0 + first, to = r->setup->page0 + last;

   if (random_below(4) == 0) {
      first = 0;
      last  = MAX_PAGES - 1;
      from  = 0;
      to    = random_below(2) ? LAST_PAGE : r->setup->page0 + last;
   }
   WS_(pages_renew)(&r->s, from, to, r->base);
   for (UInt p = first; p <= last; p++) {
      r->model.is_anew[p] = True;
      if (r->setup->has_stamps)
         assert_int_equal(stamp_of(r, p)->last, 0);
   }
}

/* As at a mark, and as at the end of a run.  Samples that follow are none the
   wiser. */
static void look(Run* r)
{
   WS_(pages_collect)(&r->s, r->base);
   check_sizes(r, r->now);
   for (UInt p = 0; p < MAX_PAGES; p++)
      assert_int_equal(*count_of(r, p), 0);
   for (int i = 0; i < r->model.n_recs; i++) {
      const ModelRec*  expected = &r->model.recs[i];
      const WsPageRec* rec      = WS_(pages_nth)(&r->s, (UWord)i);
      assert_int_equal(rec->page, r->setup->page0 + expected->page);
      assert_int_equal(rec->last, expected->last);
      if (!r->setup->has_details)
         continue;
      assert_int_equal(rec->details[0].n_accesses, expected->n_accesses);
      assert_int_equal(rec->details[0].is_reused, expected->is_reused);
      assert_null(rec->details[0].place);
      assert_null(rec->details[0].owner);
   }
}

/* What holds between any two segments.  However long the run, there are no more
   epochs than pages and one. */
static void check(Run* r)
{
   UInt n_epochs = 0;

   assert_int_equal(r->s.n_pages, r->model.n_pages);
   assert_int_equal(r->s.n_reused, r->model.n_reused);
   assert_int_equal(r->s.n_recs, r->model.n_recs);
   for (const WsEpoch* e = r->s.windows.current; e; e = e->older)
      n_epochs++;
   assert_true(n_epochs <=
               size_of(working_set(&r->model, WS_NEVER, r->now)) + 1);
   for (UInt p = 0; p < MAX_PAGES && r->now <= r->stop; p++) {
      Bool is_open = r->setup->is_gated && stamp_of(r, p) &&
                     stamp_of(r, p)->last < 0;
      assert_int_equal(r->tables[r->table][p].gate,
                       is_open ? WS_GATE_OPEN : WS_GATE_SHUT);
   }
}

static void happens_between_segments(Run* r)
{
   UInt     page  = random_below(MAX_PAGES);
   WsStamp* stamp = stamp_of(r, page);

   // The kernel has accessed a page, perhaps some time ago.
   if (random_below(20) == 0)
      tell(r, page,
           r->now - (r->now > r->epoch_start + 3 ? random_below(3) : 0), NULL);
   // Generated code has used the word for something else.
   if (random_below(20) == 0 && stamp && stamp->rec > 0)
      stamp->rec = random_below(2) ? 0 : -7;
   if (r->setup->renews && random_below(30) == 0)
      renew_some(r);
   if (random_below(100) == 0) { // the old table has nothing to say any more
      WS_(pages_forget_stamps)(&r->s, r->base);
      memset(r->tables[r->table], 0xf5, sizeof r->tables[0]);
      use_table(r, !r->table);
   }
   if (random_below(60) == 0)
      look(r);
   if (r->is_held && random_below(2)) { // not everything is told any more
      r->is_held = False;
      set_stop(r);
      rebase(r);
      r->is_told = r->stop < r->now;
   }
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
   WS_(pages_done)(&r.s);
   // The old table has been left alone; the other is as if never used.
   assert_memory_equal(r.tables[!r.table], (HChar*)r.tables[!r.table] + 1,
                       sizeof r.tables[0] - 1);
   memcpy(r.tables[!r.table], r.tables[r.table], sizeof r.tables[0]);
   use_table(&r, r.table);
   assert_memory_equal(r.tables[0], r.tables[1], sizeof r.tables[0]);
}

static WsTick random_tau(WsTick every)
{
   switch (random_below(4)) {
   case 0: return every * (1 + random_below(20));
   case 1: return 1 + random_below(40);
   case 2: return 1 + random_below(2 * MAX_TIME);
   default: return WS_NEVER - random_below(3);
   }
}

static void test_random_runs(void** state)
{
   static const WsTick every[] = {1, 2, 4, 13, 40, 100, 121, 700};
   static const WsPage page0[] = {0, 3, (WsPage)1 << 36,
                                  LAST_PAGE - MAX_PAGES + 1};

   for (UInt seed = 1; seed <= 800; seed++) {
      random_state = seed;
      Setup setup  = {.every       = every[random_below(8)],
                      .has_stamps  = random_below(3) != 0,
                      .is_gated    = random_below(2),
                      .has_details = random_below(2),
                      .renews      = random_below(4) != 0,
                      .opens       = random_below(3) == 0,
                      .page0       = page0[random_below(4)]};
      setup.taus   = random_taus(1 + random_below(seed % 2 ? 1 : WS_MAX_TAUS),
                                 random_tau, setup.every);
      run(&setup, MAX_TIME - random_below(200));
   }
}

/* --- By hand ------------------------------------------------------------- */

static const WsTaus tau_100 = {1, {100}};

/* Ticks that are no instructions: an epoch counts in full if it ends in the
   window. */
static void test_clocked(void** state)
{
   const WsPagesConfig config = {
      .every = 90, .taus = &tau_100, .is_clocked = True};
   WsPages s;

   WS_(pages_init)(&s, &config);
   WS_(pages_touch)(&s, 1, 1, NULL);
   WS_(pages_touch)(&s, 2, 1000, NULL);
   WS_(pages_cut)(&s, 90, 1001, 1001, 1001);
   WS_(windows_sample)(&s.windows, 90);
   WS_(pages_touch)(&s, 2, 1002, NULL);
   assert_int_equal(WS_(pages_wss)(&s, 100, 90), 2);
   assert_int_equal(WS_(pages_wss)(&s, 100, 189), 2); // (89, 189]
   assert_int_equal(WS_(pages_wss)(&s, 100, 190), 1);
   WS_(pages_cut)(&s, 180, 1003, 1003, 1003);
   assert_int_equal(WS_(pages_wss)(&s, 100, 280), 0);
   WS_(pages_done)(&s);
}

/* Epochs of 100, each with one access to page 1.  Page 0 is accessed in the
   first and in that of number `n_away`; a stamp below 0 is armed: accesses need
   not be told. */
static void test_lingering(void** state)
{
   static const UInt n_away[] = {2, 7, 8, 11};

   for (UInt i = 0; i < 4; i++) {
      WsPagesConfig config    = {.every = 100, .taus = &tau_100};
      WsStamp       stamps[2] = {{0, 0}};
      WsPages       s;

      WS_(pages_init)(&s, &config);
      for (UInt n = 0; n < 25; n++) {
         WsTime now = 100 * n, base = now + 100;
         for (UInt p = n == 0 || n == n_away[i] ? 0 : 1; p < 2; p++) {
            if (stamps[p].last >= 0)
               WS_(pages_touch)(&s, p, now + 50, &stamps[p]);
            stamps[p].last = relative(now + 50, base);
         }
         WS_(pages_collect_and_rebase)(&s, base, base + 100);
         WS_(pages_cut)(&s, now + 100, now + 100, base + 100, base + 100);
         // After up to seven epochs without an access, it lingers for as many.
         UInt n_linger = n_away[i] < 8 ? 7 : 0;
         Bool is_armed = n == 0 ||
                         (n >= n_away[i] && n <= n_away[i] + n_linger);
         assert_int_equal(stamps[0].last < 0, is_armed);
         assert_true(stamps[1].last < 0);
      }
      WS_(pages_done)(&s);
   }
}

/* As many as make all tables grow, with numbers of all magnitudes.  When they
   are mapped anew, the index leads to the latest records. */
static void test_many_pages(void** state)
{
   const WsPagesConfig config = {
      .every = 100, .taus = &tau_100, .has_details = True};
   const UWord n = 50000;
   WsPages     s;

   WS_(pages_init)(&s, &config);
   for (UWord round = 0; round < 4; round++) {
      if (round == 2)
         WS_(pages_renew)(&s, 0, LAST_PAGE, 5000);
      for (UWord i = 0; i < n; i++) {
         WsPage     page = i % 3 ? i << 20 * (i % 3) : i * i * i;
         WsPageRec* rec  = WS_(pages_touch)(&s, page, n * round + i, NULL);
         assert_int_equal(rec->page, page);
         assert_ptr_equal(rec, WS_(pages_nth)(&s, round / 2 * n + i));
      }
   }
   assert_int_equal(s.n_pages, 2 * n);
   WS_(pages_done)(&s);
}

int main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_runs),
      cmocka_unit_test(test_clocked),
      cmocka_unit_test(test_lingering),
      cmocka_unit_test(test_many_pages),
   };
   return cmocka_run_group_tests_name("pages", tests, NULL, NULL);
}
