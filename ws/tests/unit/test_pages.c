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

/* W(now, tau): the pages accessed at times t with now - tau < t <= now. */
static UWord model_wss(const Model* m, WsTime now, WsTime tau)
{
   Bool  seen[MAX_PAGES] = {0};
   UWord n               = 0;

   for (int i = m->n_accesses - 1; i >= 0 && now - m->accesses[i].t < tau;
        i--) {
      n += !seen[m->accesses[i].page];
      seen[m->accesses[i].page] = True;
   }
   return n;
}

/* --- A run: what ws_segment and ws_sample do ----------------------------- */

#define MAX_SEGMENT 5 // instructions, each of which accesses a page or none
#define NO_PAGE     MAX_PAGES

/* Stamps are there for code, or for data with the counts before or behind. */
typedef enum { NoStamps, Gated, CountsBefore, CountsBehind } Layout;

typedef struct {
   WsTime every, tau;
   Layout layout;
   Bool   has_details;
   Bool   renews;
   WsPage page0; // number of page 0
} Setup;

typedef struct {
   const Setup* setup;
   WsPages      s;
   WsCuts       cuts;
   WsTime       epoch_start, stop, now;
   Bool         is_told;
   Bool         is_held; // the stop is the epoch's start
   UInt         n_told;
   Model        model;
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

/* A segment that passes the stop does not pass the cut. */
static void set_stop(Run* r)
{
   WsTime n = r->cuts.next - r->epoch_start;
   r->stop  = r->cuts.next - (n < MAX_SEGMENT ? n : MAX_SEGMENT);
}

static void run_init(Run* r, const Setup* setup)
{
   WsPagesConfig config = {.tau_instrs  = setup->tau,
                           .is_gated    = setup->layout == Gated,
                           .has_details = setup->has_details};

   memset(r, 0, sizeof *r);
   r->setup = setup;
   for (UInt p = 0; p < MAX_PAGES; p++)
      r->gated[p].gate = WS_GATE_SHUT;
   if (setup->has_details && setup->layout != NoStamps)
      config.count_offset = (Word)((Addr)count_of(r, 0) - (Addr)stamp_of(r, 0));
   WS_(pages_init)(&r->s, &config);
   WS_(cuts_init)(&r->cuts, setup->every, setup->tau);
   set_stop(r);
   model_init(&r->model, setup->has_details);
   make_trace(r->trace);
}

/* An access that the tool is told of. */
static void tell(Run* r, UInt page, WsTime t, WsStamp* stamp)
{
   WsPageRec* rec = WS_(pages_touch)(&r->s, number_of(r, page), t, stamp);

   if (stamp)
      stamp->last = counter_at(r, t);
   if (r->setup->has_details)
      rec->details[0].n_accesses++;
   r->n_told++;
   model_access(&r->model, page, t);
   assert_ptr_equal(rec, WS_(pages_nth)(&r->s, (UWord)r->model.rec_of[page]));
}

static void pass_cut(Run* r, WsTime end)
{
   WsTime now       = r->cuts.next;
   WsTime stop      = r->stop;
   Bool   is_sample = WS_(cuts_pass)(&r->cuts);

   r->epoch_start = now;
   set_stop(r);
   WS_(pages_cut)(&r->s, now, stop, r->stop);
   for (UInt p = 0; p < MAX_PAGES; p++)
      assert_int_equal(*count_of(r, p), 0);
   if (is_sample)
      assert_int_equal(WS_(pages_wss)(&r->s, now),
                       model_wss(&r->model, now, r->setup->tau));
   r->is_held = random_below(8) == 0;
   if (r->is_held) {
      WS_(pages_rebase)(&r->s, r->stop, now);
      r->stop = now;
   }
   r->is_told = r->stop < end;
}

/* Not everything needs to be told any more. */
static void resume(Run* r)
{
   WsTime stop = r->stop;

   r->is_held = False;
   set_stop(r);
   WS_(pages_rebase)(&r->s, stop, r->stop);
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
      WS_(pages_collect)(&r->s, r->stop);
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
   WS_(pages_renew)(&r->s, from, to, r->stop);
   for (UInt p = first; p <= last && r->setup->layout != NoStamps; p++)
      assert_int_equal(stamp_of(r, p)->last, 0);
}

/* As at a mark, and as at the end of a run. */
static void look(Run* r)
{
   WS_(pages_collect)(&r->s, r->stop);
   assert_int_equal(WS_(pages_wss_anywhere)(&r->s, r->now),
                    model_wss(&r->model, r->now, r->setup->tau));
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

static void test_random_runs(void** state)
{
   static const WsTime taus[]  = {1,  2,   7,    10,       13,      50,
                                  99, 100, 1000, MAX_TIME, WS_NEVER};
   static const WsTime every[] = {1, 2, 4, 13, 40, 100, 121, 700};
   static const WsPage page0[] = {0, 3, (WsPage)1 << 36,
                                  LAST_PAGE - MAX_PAGES + 1};

   for (UInt seed = 1; seed <= 2500; seed++) {
      random_state = seed;
      Setup setup  = {.every       = every[random_below(8)],
                      .tau         = taus[random_below(11)],
                      .layout      = (Layout)random_below(4),
                      .has_details = random_below(2),
                      .renews      = random_below(4) != 0,
                      .page0       = page0[random_below(4)]};
      run(&setup, MAX_TIME - random_below(30));
   }
}

/* --- By hand ------------------------------------------------------------- */

#define N_STAMPS 8

/* For pages 0, 1, ..., each with a counter; the base of stamps is 0 unless
   something else is said. */
static WsGatedStamp stamps[N_STAMPS];

static void begin(WsPages* s, WsTime tau, Bool has_details)
{
   WsPagesConfig config = {
      .tau_instrs = tau, .is_gated = True, .has_details = has_details};
   if (has_details)
      config.count_offset = offsetof(WsGatedStamp, n_accesses);
   for (UInt p = 0; p < N_STAMPS; p++)
      stamps[p] = (WsGatedStamp){.gate = WS_GATE_SHUT};
   WS_(pages_init)(s, &config);
}

/* The page is accessed by generated code, which tells. */
static WsPageRec* touch(WsPages* s, WsPage page, WsTime now, WsTime base)
{
   WsPageRec* rec = WS_(pages_touch)(s, page, now, &stamps[page].stamp);
   stamps[page].stamp.last = (Word)(now - base - 1);
   return rec;
}

/* The same without a word. */
static void access_armed(WsPage page, WsTime now, WsTime base)
{
   assert_true(stamps[page].stamp.last < 0);
   stamps[page].stamp.last = (Word)(now - base - 1);
   stamps[page].n_accesses++;
}

static void assert_armed(WsPage page)
{
   assert_true(stamps[page].stamp.last < 0);
   assert_int_equal(stamps[page].gate, WS_GATE_OPEN);
}

static void assert_not_armed(WsPage page)
{
   assert_int_equal(stamps[page].stamp.last, 0);
   assert_int_equal(stamps[page].gate, WS_GATE_SHUT);
}

static void assert_n_pages(const WsPages* s, UWord n_pages, UWord n_reused,
                           UWord n_recs)
{
   assert_int_equal(s->n_pages, n_pages);
   assert_int_equal(s->n_reused, n_reused);
   assert_int_equal(s->n_recs, n_recs);
}

/* The worked example of the specification. */
static void test_example(void** state)
{
   static const HChar* accesses = "AABCCCCCADAD";
   static const UWord  tau4[] = {3, 1, 2}, tau8[] = {3, 3, 3};
   WsPages             s4, s8;

   WS_(pages_init)(&s4, &(WsPagesConfig){.tau_instrs = 4});
   WS_(pages_init)(&s8, &(WsPagesConfig){.tau_instrs = 8});
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
   assert_n_pages(&s4, 4, 0, 4);
   WS_(pages_done)(&s4);
   WS_(pages_done)(&s8);
}

/* As many pages as make all tables grow, with numbers of all magnitudes. */
static WsPage nth_of_many(UWord i)
{
   return i % 3 == 0 ? i : i % 3 == 1 ? i << 20 : i << 40;
}

static void test_many_pages(void** state)
{
   const UWord n = 100000;
   WsPages     s;

   WS_(pages_init)(&s, &(WsPagesConfig){.tau_instrs = WS_NEVER});
   for (int round = 0; round < 2; round++)
      for (UWord i = 0; i < n; i++)
         WS_(pages_touch)(&s, nth_of_many(i), 1 + i, NULL);
   assert_n_pages(&s, n, 0, n);
   for (UWord i = 0; i < n; i++)
      assert_int_equal(WS_(pages_nth)(&s, i)->page, nth_of_many(i));
   assert_int_equal(WS_(pages_wss_anywhere)(&s, n), n);
   assert_true(WS_(pages_memory_szB)(&s) <= 64 * n);
   WS_(pages_done)(&s);
}

/* Pages anywhere: some of them begin to search for a free slot of the index at
   its last one, and go on at its first one. */
static void test_scattered_pages(void** state)
{
   random_state = 1;
   for (int round = 0; round < 50; round++) {
      WsPage  pages[700];
      WsPages s;

      WS_(pages_init)(&s, &(WsPagesConfig){.tau_instrs = 1000});
      for (UWord i = 0; i < 700; i++) {
         pages[i] = ((WsPage)random_below(1 << 20) << 32) + 1000 * i;
         const WsPageRec* rec = WS_(pages_touch)(&s, pages[i], 1 + i, NULL);
         assert_ptr_equal(rec, WS_(pages_nth)(&s, i));
      }
      for (UWord i = 0; i < 700; i++)
         assert_ptr_equal(WS_(pages_touch)(&s, pages[i], 701 + i, NULL),
                          WS_(pages_nth)(&s, i));
      assert_n_pages(&s, 700, 0, 700);
      WS_(pages_done)(&s);
   }
}

/* Records come in blocks of 512.  The index has 1024 slots, and twice as many
   once three quarters of them are in use: 767 * 4 <= 1023 * 3 < 768 * 4. */
static void test_memory(void** state)
{
   WsPages s;
   SizeT   block_szB = 512 * sizeof(WsPageRec);

   WS_(pages_init)(&s, &(WsPagesConfig){.tau_instrs = 1});
   assert_int_equal(WS_(pages_memory_szB)(&s), 1024 * sizeof(UInt));
   for (WsPage p = 1; p <= 768; p++) {
      WS_(pages_touch)(&s, p, p, NULL);
      SizeT blocks_szB = p <= 512 ? block_szB : 2 * block_szB;
      SizeT index_szB  = (p < 768 ? 1024 : 2048) * sizeof(UInt);
      assert_int_equal(WS_(pages_memory_szB)(&s), blocks_szB + index_szB);
   }
   WS_(pages_done)(&s);

   WS_(pages_init)(&s, &(WsPagesConfig){.tau_instrs = 1, .has_details = True});
   WS_(pages_touch)(&s, 1, 1, NULL);
   assert_int_equal(WS_(pages_memory_szB)(&s), block_szB +
                                                  512 * sizeof(WsPageDetails) +
                                                  1024 * sizeof(UInt));
   WS_(pages_done)(&s);
}

/* However long the run, there are no more epochs than pages and one. */
static void test_memory_is_flat(void** state)
{
   WsPages s;
   UInt    n_epochs = 0;

   WS_(pages_init)(&s, &(WsPagesConfig){.tau_instrs = 1000000});
   for (WsTime t = 1; t <= 100000; t++) {
      WS_(pages_touch)(&s, t % 5, t, NULL);
      if (t % 7 == 0)
         WS_(pages_renew)(&s, 0, 4, t);
      WS_(pages_cut)(&s, t, t, t);
      WS_(pages_wss)(&s, t);
   }
   for (const WsEpoch* e = s.window.current; e; e = e->older)
      n_epochs++;
   assert_int_equal(n_epochs, 6);
   assert_int_equal(s.n_recs, 5);
   WS_(pages_done)(&s);
}

/* Five pages in turn, cuts every 100, of which the last 5 are told: only these
   are, and the first accesses.  Then one of the pages is left alone. */
static void test_armed_from_epoch_to_epoch(void** state)
{
   WsPages s;
   WsTime  stop   = 95;
   UInt    n_told = 0;

   begin(&s, 100, True);
   for (WsTime t = 1; t <= 1000; t++) {
      WsPage p = t % 5;
      if (t == stop + 1)
         WS_(pages_collect)(&s, stop);
      if (stamps[p].stamp.last < 0 && t <= stop) {
         access_armed(p, t, stop);
      } else {
         touch(&s, p, t, stop)->details[0].n_accesses++;
         n_told++;
      }
      if (t % 100 == 0) {
         WS_(pages_cut)(&s, t, stop, stop + 100);
         stop += 100;
         assert_int_equal(WS_(pages_wss)(&s, t), 5);
      }
   }
   assert_int_equal(n_told, 5 + 10 * 5);
   for (UWord i = 0; i < 5; i++) {
      assert_int_equal(WS_(pages_nth)(&s, i)->page, (i + 1) % 5);
      assert_int_equal(WS_(pages_nth)(&s, i)->details[0].n_accesses, 200);
   }

   // Page 0 was accessed at 1000, the end of its epoch; stop is 1095.
   for (WsPage p = 1; p < 5; p++)
      access_armed(p, 1000 + p, stop);
   assert_armed(0);
   WS_(pages_collect)(&s, stop);
   assert_not_armed(0);
   for (WsPage p = 1; p < 5; p++)
      assert_armed(p);
   WS_(pages_cut)(&s, 1100, stop, stop + 100);
   assert_int_equal(WS_(pages_wss)(&s, 1100), 4);
   WS_(pages_done)(&s);
}

/* What is not gated has no gate, and what is not counted has no counts. */
static void test_nothing_beside_stamps(void** state)
{
   WsGatedStamp st = {.gate = 77, .n_accesses = 78};
   WsPages      s;

   WS_(pages_init)(&s, &(WsPagesConfig){.tau_instrs = 9, .has_details = True});
   WsPageRec* rec = WS_(pages_touch)(&s, 5, 1, &st.stamp);
   st.stamp.last  = 1 - 10 - 1;
   WS_(pages_collect)(&s, 10);
   assert_true(st.stamp.last < 0);
   WS_(pages_renew)(&s, 5, 5, 10);
   assert_int_equal(st.stamp.last, 0);
   WS_(pages_touch)(&s, 5, 2, &st.stamp);
   st.stamp.last = 2 - 10 - 1;
   WS_(pages_cut)(&s, 3, 10, 20);
   assert_int_equal(st.stamp.last, 2 - 20 - 1);
   WS_(pages_cut)(&s, 4, 20, 20);
   assert_int_equal(st.stamp.last, 0);
   assert_int_equal(rec->details[0].n_accesses, 0);
   WS_(pages_done)(&s);
   assert_int_equal(st.gate, 77);
   assert_int_equal(st.n_accesses, 78);
}

/* Times that a stamp tells are right even if they are far from the base. */
static void test_far_base(void** state)
{
   WsTime  far = (WsTime)1 << 31;
   WsPages s;

   begin(&s, 10, False);
   WsPageRec* rec = touch(&s, 0, 1, far);
   access_armed(0, 3, far);
   WS_(pages_collect)(&s, far);
   assert_int_equal(rec->last, 3);
   WS_(pages_cut)(&s, 5, far, 2 * far);
   assert_int_equal(stamps[0].stamp.last, 3 - 2 * (Long)far - 1);
   WS_(pages_done)(&s);
}

/* Cuts may come so late that generated code has stamped what comes after. */
static void test_stamps_of_the_next_epoch(void** state)
{
   WsPages s;

   begin(&s, 10, False);
   WsPageRec* rec = touch(&s, 0, 4, 10);
   touch(&s, 1, 3, 10);
   WS_(pages_collect)(&s, 10);
   stamps[0].stamp.last = 12 - 10 - 1; // told later
   WS_(pages_cut)(&s, 10, 10, 20);
   assert_int_equal(rec->last, 4);
   assert_int_equal(stamps[0].stamp.last, 12 - 20 - 1);
   assert_int_equal(WS_(pages_wss)(&s, 10), 2);
   WS_(pages_touch)(&s, 0, 12, &stamps[0].stamp);
   assert_int_equal(rec->last, 12);
   WS_(pages_collect)(&s, 20);
   assert_armed(0);
   assert_not_armed(1); // its access was before 10
   WS_(pages_cut)(&s, 20, 20, 30);
   assert_int_equal(WS_(pages_wss)(&s, 20), 1);
   WS_(pages_done)(&s);
}

/* The kernel has accessed a page later than its stamp says. */
static void test_stamp_is_older_than_what_was_told(void** state)
{
   WsPages s;

   begin(&s, 3, False);
   WsPageRec* rec = touch(&s, 0, 2, 10);
   WS_(pages_touch)(&s, 0, 5, NULL);
   WS_(pages_collect)(&s, 10);
   assert_int_equal(rec->last, 5);
   WS_(pages_touch)(&s, 0, 4, NULL); // in any order
   assert_int_equal(rec->last, 5);
   assert_int_equal(WS_(pages_wss_anywhere)(&s, 7), 1); // (4, 7]
   assert_int_equal(WS_(pages_wss_anywhere)(&s, 8), 0); // (5, 8]
   WS_(pages_done)(&s);
}

/* Before the first instruction of a forked child, the kernel may write.  Time 0
   is in W(t, 10) for all t < 10. */
static void test_time_0(void** state)
{
   WsPages s;

   begin(&s, 10, False);
   WS_(pages_touch)(&s, 0, 0, NULL);
   assert_int_equal(WS_(pages_wss_anywhere)(&s, 0), 1);
   WS_(pages_cut)(&s, 5, 5, 5);
   assert_int_equal(WS_(pages_wss)(&s, 5), 1);
   assert_int_equal(WS_(pages_wss_anywhere)(&s, 9), 1);
   assert_int_equal(WS_(pages_wss_anywhere)(&s, 11), 0);
   WS_(pages_done)(&s);
}

/* The base is 100.  Page 7 is accessed at 1, told, and at 10, 15, 20, in
   silence.  Mapped anew, it is a new page at its access at 30. */
static void test_renew_armed(void** state)
{
   WsPages s;

   begin(&s, 50, True);
   WsPageRec* rec = touch(&s, 7, 1, 100);
   rec->details[0].n_accesses++;
   rec->details[0].place = "place";
   touch(&s, 6, 2, 100);
   touch(&s, 5, 3, 100);
   access_armed(7, 10, 100);
   access_armed(7, 15, 100);
   access_armed(7, 20, 100);
   access_armed(6, 21, 100);
   access_armed(5, 22, 100);

   WS_(pages_renew)(&s, 7, 7, 100);
   assert_not_armed(7);
   assert_int_equal(stamps[7].stamp.rec, 0);
   assert_int_equal(stamps[7].n_accesses, 0);
   assert_int_equal(rec->last, 20);
   assert_int_equal(rec->details[0].n_accesses, 4);
   // The others are left alone.
   for (WsPage p = 5; p <= 6; p++) {
      assert_armed(p);
      assert_int_equal(stamps[p].stamp.last, (27 - (Word)p) - 100 - 1);
      assert_true(stamps[p].stamp.rec > 0);
   }
   WS_(pages_collect)(&s, 100);
   for (WsPage p = 5; p <= 6; p++) {
      const WsPageRec* other = WS_(pages_nth)(&s, 7 - p);
      assert_armed(p);
      assert_int_equal(other->last, 27 - p);
      assert_int_equal(other->details[0].n_accesses, 1);
      assert_int_equal(stamps[p].n_accesses, 0);
   }
   assert_not_armed(7);
   assert_n_pages(&s, 3, 0, 3);

   WsPageRec* anew = touch(&s, 7, 30, 100);
   assert_n_pages(&s, 4, 1, 4);
   assert_ptr_equal(anew, WS_(pages_nth)(&s, 3));
   assert_int_equal(anew->page, 7);
   assert_int_equal(anew->last, 30);
   assert_int_equal(anew->details[0].n_accesses, 0);
   assert_null(anew->details[0].place);
   assert_true(anew->details[0].is_reused);
   assert_armed(7);
   access_armed(7, 33, 100);
   assert_ptr_equal(touch(&s, 7, 34, 100), anew);
   WS_(pages_collect)(&s, 100);
   assert_int_equal(anew->details[0].n_accesses, 1);
   assert_int_equal(anew->last, 34);
   assert_int_equal(rec->last, 20);
   assert_int_equal(rec->details[0].n_accesses, 4);
   assert_string_equal(rec->details[0].place, "place");
   assert_false(rec->details[0].is_reused);
   assert_int_equal(WS_(pages_wss_anywhere)(&s, 34), 3);

   // Once more, and not accessed any more.
   WS_(pages_renew)(&s, 6, 7, 100);
   assert_not_armed(6);
   assert_not_armed(7);
   assert_armed(5);
   assert_n_pages(&s, 4, 1, 4);
   WS_(pages_done)(&s);
   for (WsPage p = 0; p < N_STAMPS; p++) {
      assert_not_armed(p);
      assert_int_equal(stamps[p].stamp.rec, 0);
   }
}

/* The record of a page stays the same if there are no details. */
static void test_renew_without_details(void** state)
{
   WsPages s;

   begin(&s, 50, False);
   WsPageRec* rec = touch(&s, 3, 1, 100);
   access_armed(3, 20, 100);
   WS_(pages_renew)(&s, 3, 3, 100);
   assert_not_armed(3);
   assert_int_equal(rec->last, 20);
   assert_n_pages(&s, 1, 0, 1);
   assert_ptr_equal(touch(&s, 3, 30, 100), rec);
   assert_n_pages(&s, 2, 1, 1);
   assert_armed(3);
   assert_ptr_equal(touch(&s, 3, 31, 100), rec);
   assert_n_pages(&s, 2, 1, 1);
   WS_(pages_done)(&s);
}

/* A page that is not armed any more may be told of by the kernel, with or without
   a cut before; whatever follows, it does not get armed by that. */
static void test_renewed_and_accessed_by_kernel(void** state)
{
   for (int has_details = 0; has_details < 2; has_details++)
      for (int cuts = 0; cuts < 2; cuts++) {
         WsPages s;

         begin(&s, 100, has_details);
         touch(&s, 3, 1, 100);
         touch(&s, 4, 2, 100);
         WS_(pages_renew)(&s, 3, 3, 100);
         if (cuts)
            WS_(pages_cut)(&s, 10, 100, 100);
         WsPageRec* rec = WS_(pages_touch)(&s, 3, 11, NULL);
         assert_int_equal(rec->last, 11);
         WS_(pages_collect)(&s, 100);
         assert_int_equal(rec->last, 11);
         assert_not_armed(3);
         WS_(pages_rebase)(&s, 100, 105);
         assert_not_armed(3);
         assert_int_equal(WS_(pages_wss_anywhere)(&s, 110), 1); // (10, 110]
         assert_int_equal(WS_(pages_wss_anywhere)(&s, 111), 0);
         WS_(pages_cut)(&s, 110, 105, 200);
         assert_not_armed(3);
         WS_(pages_collect)(&s, 200);
         assert_int_equal(rec->last, 11);
         WS_(pages_renew)(&s, 3, 3, 200);
         touch(&s, 3, 120, 200);
         assert_armed(3);
         assert_n_pages(&s, 4, 2, has_details ? 4 : 2);
         WS_(pages_done)(&s);
      }
}

/* It is not the number of mappings that counts, nor who accesses the page. */
static void test_renew_twice(void** state)
{
   for (int has_details = 0; has_details < 2; has_details++) {
      WsPages s;

      begin(&s, 50, has_details);
      touch(&s, 3, 1, 100);
      WS_(pages_renew)(&s, 3, 3, 100);
      WS_(pages_renew)(&s, 0, 4, 100);
      assert_n_pages(&s, 1, 0, 1);
      WsPageRec* rec = WS_(pages_touch)(&s, 3, 2, NULL); // the kernel
      assert_n_pages(&s, 2, 1, has_details ? 2 : 1);
      assert_not_armed(3);
      assert_ptr_equal(touch(&s, 3, 3, 100), rec);
      assert_n_pages(&s, 2, 1, has_details ? 2 : 1);
      assert_armed(3);
      WS_(pages_renew)(&s, 3, 3, 100);
      WS_(pages_touch)(&s, 3, 4, NULL);
      WS_(pages_renew)(&s, 3, 3, 100); // of a record without a stamp
      touch(&s, 3, 5, 100);
      assert_n_pages(&s, 4, 3, has_details ? 4 : 1);
      assert_int_equal(WS_(pages_wss_anywhere)(&s, 5), 1);
      WS_(pages_done)(&s);
   }
}

/* tau = 10.  Accessed at 5, mapped anew at 6, accessed at 12: in W(t, 10) for
   5 <= t < 15 and 12 <= t < 22, and never twice.  Page 1, only at 5, is in
   it for 5 <= t < 15. */
static void test_working_sets_ignore_renewing(void** state)
{
   for (int has_details = 0; has_details < 2; has_details++) {
      WsPages s;

      begin(&s, 10, has_details);
      for (WsTime t = 1; t <= 30; t++) {
         if (t == 5 || t == 12)
            WS_(pages_touch)(&s, 0, t, NULL);
         if (t == 5)
            WS_(pages_touch)(&s, 1, t, NULL);
         if (t == 6)
            WS_(pages_renew)(&s, 0, 1, t);
         UWord expected = (t >= 5 && t < 22) + (t >= 5 && t < 15);
         assert_int_equal(WS_(pages_wss_anywhere)(&s, t), expected);
         WS_(pages_cut)(&s, t, t, t);
         assert_int_equal(WS_(pages_wss)(&s, t), expected);
      }
      assert_n_pages(&s, 3, 1, has_details ? 3 : 2);
      WS_(pages_done)(&s);
   }
}

/* The same within one long epoch, which starts before the window. */
static void test_working_sets_in_one_epoch(void** state)
{
   for (int has_details = 0; has_details < 2; has_details++) {
      WsPages s;

      begin(&s, 10, has_details);
      touch(&s, 0, 5, 100);
      WS_(pages_renew)(&s, 0, 0, 100);
      WS_(pages_collect)(&s, 100);
      assert_int_equal(WS_(pages_wss_anywhere)(&s, 10), 1); // (0, 10]
      assert_int_equal(WS_(pages_wss_anywhere)(&s, 14), 1); // (4, 14]
      assert_int_equal(WS_(pages_wss_anywhere)(&s, 15), 0); // (5, 15]
      touch(&s, 0, 16, 100);
      assert_int_equal(WS_(pages_wss_anywhere)(&s, 16), 1);
      assert_int_equal(WS_(pages_wss_anywhere)(&s, 25), 1);
      assert_int_equal(WS_(pages_wss_anywhere)(&s, 26), 0);
      WS_(pages_done)(&s);
   }
}

/* --- Ranges ------------------------------------------------------------- */

static const WsPage ten[] = {0,
                             1,
                             5,
                             6,
                             7,
                             100,
                             (WsPage)1 << 40,
                             ((WsPage)1 << 40) + 1,
                             LAST_PAGE - 1,
                             LAST_PAGE};

/* Of ten pages, those in the range count again, whether the range is small and
   its pages are looked up, or large and the records are looked through. */
static void renew_of_ten(WsPage first, WsPage last)
{
   for (int has_details = 0; has_details < 2; has_details++) {
      WsPages s;
      UWord   n_inside = 0, n_recs = 10;

      WS_(pages_init)
      (&s, &(WsPagesConfig){.tau_instrs = 100, .has_details = has_details});
      for (int i = 0; i < 10; i++)
         WS_(pages_touch)(&s, ten[i], 1 + i, NULL);
      WS_(pages_renew)(&s, first, last, 20);
      assert_n_pages(&s, 10, 0, 10);
      for (int i = 0; i < 10; i++) {
         Bool is_inside = first <= ten[i] && ten[i] <= last;
         n_inside += is_inside;
         n_recs += is_inside && has_details;
         WS_(pages_touch)(&s, ten[i], 20 + i, NULL);
         assert_n_pages(&s, 10 + n_inside, n_inside, n_recs);
      }
      assert_int_equal(WS_(pages_wss_anywhere)(&s, 30), 10);
      WS_(pages_done)(&s);
   }
}

static void test_ranges(void** state)
{
   renew_of_ten(0, LAST_PAGE);
   renew_of_ten(0, 0);
   renew_of_ten(LAST_PAGE, LAST_PAGE);
   renew_of_ten(LAST_PAGE - 8, LAST_PAGE); // 9, 10 and 11 pages
   renew_of_ten(LAST_PAGE - 9, LAST_PAGE);
   renew_of_ten(LAST_PAGE - 10, LAST_PAGE);
   renew_of_ten(0, 8);
   renew_of_ten(0, 9);
   renew_of_ten(0, 10);
   renew_of_ten(1, 5);
   renew_of_ten(2, 4); // none
   renew_of_ten(6, 100);
   renew_of_ten(7, (WsPage)1 << 40);
   renew_of_ten(8, 99); // none
   renew_of_ten(((WsPage)1 << 40) + 1, LAST_PAGE - 1);
}

/* Nothing happens to pages outside the range: page 0 stays armed although it has
   not been accessed in this epoch yet, and its count is left where it is. */
static void test_outside_range(void** state)
{
   WsPages s;

   begin(&s, 50, True);
   WS_(pages_renew)(&s, 0, LAST_PAGE, 100); // no record anywhere
   touch(&s, 0, 5, 100);
   touch(&s, 3, 6, 100);
   WS_(pages_cut)(&s, 10, 100, 100);
   stamps[0].n_accesses = 3;
   WS_(pages_renew)(&s, 1, 2, 100); // no record in it
   WS_(pages_renew)(&s, 4, LAST_PAGE, 100);
   assert_armed(3);
   WS_(pages_renew)(&s, 3, 3, 100);
   assert_not_armed(3);
   WS_(pages_renew)(&s, 1, LAST_PAGE, 100);
   assert_armed(0);
   assert_int_equal(stamps[0].n_accesses, 3);
   WS_(pages_renew)(&s, 0, 0, 100);
   assert_not_armed(0);
   WS_(pages_done)(&s);
}

/* --- Counts ------------------------------------------------------------- */

/* Told once, then counted by generated code. */
static void test_counts(void** state)
{
   WsPages s;

   begin(&s, 50, True);
   WsPageRec* rec = touch(&s, 2, 1, 100);
   rec->details[0].n_accesses++;
   access_armed(2, 2, 100);
   access_armed(2, 3, 100);
   assert_int_equal(rec->details[0].n_accesses, 1);
   WS_(pages_collect)(&s, 100);
   assert_int_equal(rec->details[0].n_accesses, 3);
   assert_int_equal(stamps[2].n_accesses, 0);
   WS_(pages_collect)(&s, 100);
   assert_int_equal(rec->details[0].n_accesses, 3);

   // At a cut, if the page stays armed and if it does not.
   access_armed(2, 4, 100);
   WS_(pages_cut)(&s, 10, 100, 200);
   assert_armed(2);
   assert_int_equal(rec->details[0].n_accesses, 4);
   stamps[2].n_accesses = (UWord)1 << 31;
   WS_(pages_cut)(&s, 20, 200, 300);
   assert_not_armed(2);
   assert_int_equal(rec->details[0].n_accesses, 4 + ((ULong)1 << 31));
   assert_int_equal(stamps[2].n_accesses, 0);

   touch(&s, 2, 25, 300);
   access_armed(2, 26, 300);
   WS_(pages_done)(&s);
   assert_int_equal(stamps[2].n_accesses, 0);
}

/* --- Growth ------------------------------------------------------------- */

/* Three pages, each with a thousand records: the index grows twice, and it is
   always the latest record that it leads to. */
static void test_many_records_of_a_page(void** state)
{
   WsPages s;
   WsTime  now = 0;

   begin(&s, 2, True);
   for (UWord round = 0; round < 1000; round++) {
      for (WsPage p = 0; p < 3; p++) {
         WsPageRec* rec = touch(&s, p, ++now, 5000);
         assert_ptr_equal(rec, WS_(pages_nth)(&s, 3 * round + p));
         assert_ptr_equal(WS_(pages_touch)(&s, p, now, NULL), rec);
         access_armed(p, now, 5000);
      }
      assert_n_pages(&s, 3 * (round + 1), 3 * round, 3 * (round + 1));
      assert_int_equal(WS_(pages_wss_anywhere)(&s, now), 2);
      WS_(pages_renew)(&s, round % 2 ? 0 : 1, round % 2 ? LAST_PAGE : 2, 5000);
      WS_(pages_renew)(&s, 0, 0, 5000);
   }
   WS_(pages_collect)(&s, 5000);
   for (UWord n = 0; n < 3000; n++) {
      const WsPageRec* rec = WS_(pages_nth)(&s, n);
      assert_int_equal(rec->page, n % 3);
      assert_int_equal(rec->last, 1 + n);
      assert_int_equal(rec->details[0].n_accesses, 1);
      assert_int_equal(rec->details[0].is_reused, n >= 3);
   }
   WS_(pages_done)(&s);
}

int main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_runs),
      cmocka_unit_test(test_example),
      cmocka_unit_test(test_many_pages),
      cmocka_unit_test(test_scattered_pages),
      cmocka_unit_test(test_memory),
      cmocka_unit_test(test_memory_is_flat),
      cmocka_unit_test(test_armed_from_epoch_to_epoch),
      cmocka_unit_test(test_nothing_beside_stamps),
      cmocka_unit_test(test_far_base),
      cmocka_unit_test(test_stamps_of_the_next_epoch),
      cmocka_unit_test(test_stamp_is_older_than_what_was_told),
      cmocka_unit_test(test_time_0),
      cmocka_unit_test(test_renew_armed),
      cmocka_unit_test(test_renew_without_details),
      cmocka_unit_test(test_renewed_and_accessed_by_kernel),
      cmocka_unit_test(test_renew_twice),
      cmocka_unit_test(test_working_sets_ignore_renewing),
      cmocka_unit_test(test_working_sets_in_one_epoch),
      cmocka_unit_test(test_ranges),
      cmocka_unit_test(test_outside_range),
      cmocka_unit_test(test_counts),
      cmocka_unit_test(test_many_records_of_a_page),
   };
   return cmocka_run_group_tests_name("pages", tests, NULL, NULL);
}
