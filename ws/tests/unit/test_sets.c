/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* Sets, windows and cuts together, against a count by the definition.

   Catches: a page that enters or leaves a window one early or one late, or is
   counted twice; a window that begins in the wrong epoch; a record or a count
   that goes to the wrong page; what is accessed at time 0; a page that counts
   for the wrong origin, or that an origin does not lose; a composition that
   changes after it has been kept. */

#include "unit.h"
#include <stdlib.h>
#include "ws_sets.h"
#include "ws_window.h"

#define LAST_PAGE (~(WsPage)0)

/* --- By the definition --------------------------------------------------- */

#define MAX_PAGES 48
#define MAX_TIME  1200
#define NEVER     (-1)
#define N_WINDOWS (WS_MAX_TAUS + 11)

/* A bit for each page: 0, 1, ... of those that the run knows. */
typedef ULong PageSet;

static UInt size_of(PageSet pages)
{
   return (UInt)__builtin_popcountll(pages);
}

#define N_CODES    5
#define N_MAPPINGS 2
#define N_ORIGINS  (N_CODES * N_MAPPINGS)

/* By origin. */
typedef struct {
   UWord pages[N_ORIGINS];
   UWord written[N_ORIGINS];
} Composition;

typedef struct {
   WsTick  tau;
   PageSet pages; // that were in it at the last sample
   ULong   sum, max, n_entered, bound;
   ULong   n_returning, n_returned; // since the last sample, and up to it
   // Of a window that was asked for:
   UInt        origin[MAX_PAGES];
   Composition entered, kept;
} ModelWindow;

typedef struct {
   Long        last[MAX_PAGES]; // access
   Long        last_write[MAX_PAGES];
   PageSet     since; // the last sample
   Long        last_fetch[MAX_PAGES];
   PageSet     mapped_anew, in_phase;
   PageSet     resident[Ws_Data + 1];
   UInt        resident_origin[MAX_PAGES];
   Composition most; // of resident memory, when it was largest
   UWord       most_resident[WS_N_RESIDENT];
   Long        most_time[WS_N_RESIDENT];
   WsTick      cold_after; // tau; 0: nothing is cold
   Composition most_cold;  // at a sample since it is that one
   UInt        most_cold_pages;
   Long        last_sample;
   UWord       n_mapped_anew;
   ModelWindow windows[N_WINDOWS]; // the profile's behind those asked for
} Model;

static Model model;

static Bool is_in(WsTick tau, Long last, Long now)
{
   return last != NEVER && (WsTick)(now - last) < tau;
}

/* W(now, tau): the pages accessed at times t with now - tau < t <= now. */
static PageSet working_set(WsTick tau, Long now)
{
   PageSet pages = 0;

   for (UInt p = 0; p < MAX_PAGES; p++)
      pages |= (PageSet)is_in(tau, model.last[p], now) << p;
   return pages;
}

/* What W(now, tau) consists of. */
static Composition compose(const ModelWindow* w, Long now)
{
   Composition c = {.pages = {0}};

   for (UInt p = 0; p < MAX_PAGES; p++) {
      c.pages[w->origin[p]] += is_in(w->tau, model.last[p], now);
      c.written[w->origin[p]] += is_in(w->tau, model.last_write[p], now);
   }
   return c;
}

/* A page enters if it has been accessed since the sample before, in whose window
   it was not. */
static void model_sample(WsTick every, WsInstrs now)
{
   PageSet accessed = working_set(every + (now == every), now); // with time 0
   model.since      = 0;

   for (UInt i = 0; i < N_WINDOWS; i++) {
      ModelWindow* w     = &model.windows[i];
      PageSet      enter = working_set(w->tau, now) & ~w->pages;
      for (UInt p = 0; p < MAX_PAGES; p++)
         w->entered.pages[w->origin[p]] += enter >> p & 1;
      w->n_entered += size_of(accessed & ~w->pages);
      w->n_returned += w->n_returning;
      w->n_returning = 0;
      if (size_of(w->pages | accessed) > w->bound)
         w->bound = size_of(w->pages | accessed);
      w->pages = working_set(w->tau, now);
      w->sum += size_of(w->pages);
      if (size_of(w->pages) > w->max)
         w->max = size_of(w->pages);
   }
}

/* --- A run --------------------------------------------------------------- */

typedef struct {
   WsTick every;
   WsTaus taus;
   WsPage page0; // number of page 0
} Setup;

static const Setup* setup;

/* Codes have numbers as they are, mappings others. */
static UInt origin_of(UInt set, UInt model_origin)
{
   return WS_(origin)(set, model_origin / N_MAPPINGS,
                      100 + model_origin % N_MAPPINGS);
}

/* As a kind, or as any. */
static PageSet resident(UInt kind)
{
   return kind == WS_ALL_RESIDENT
             ? model.resident[Ws_Insn] | model.resident[Ws_Data]
             : model.resident[kind];
}

/* Resident pages that were not accessed in the window of the last sample, or
   since. */
static PageSet cold(void)
{
   PageSet pages = model.cold_after ? resident(WS_ALL_RESIDENT) : 0;
   Long    start = model.last_sample - (Long)model.cold_after;

   for (UInt p = 0; p < MAX_PAGES; p++)
      if (model.last[p] > start || model.last_fetch[p] > start)
         pages &= ~((PageSet)1 << p);
   return pages;
}

static Composition by_origin(PageSet pages)
{
   Composition c = {{0}, {0}};

   for (UInt p = 0; p < MAX_PAGES; p++)
      c.pages[model.resident_origin[p]] += pages >> p & 1;
   return c;
}

static void check_shares(UInt set, WsSharesOf of, const Composition* model_of)
{
   WsShares shares = WS_(origins_shares)(set, of);
   UInt     n      = 0;

   for (UWord i = 0; i < shares.n; i++) {
      const WsShare* s = &shares.items[i];
      UInt           o = s->code * N_MAPPINGS + s->mapping - 100;
      assert_int_equal(s->n_pages, model_of->pages[o]);
      if (of != Ws_Entered)
         assert_int_equal(s->n_written, model_of->written[o]);
      assert_true(i == 0 || s[-1].n_pages >= s->n_pages);
   }
   for (UInt o = 0; o < N_ORIGINS; o++)
      n += model_of->pages[o] > 0;
   assert_int_equal(n, shares.n);
   free(shares.items);
}

static void make_resident(WsKind kind, UInt page, WsInstrs now)
{
   PageSet bit    = (PageSet)1 << page;
   UInt    origin = random_below(N_ORIGINS);

   WS_(sets_make_resident)(kind, origin_of(WS_RESIDENT_SET, origin), now);
   if (!(resident(WS_ALL_RESIDENT) & bit))
      model.resident_origin[page] = origin;
   model.resident[kind] |= bit;
   for (UInt i = 0; i < WS_N_RESIDENT; i++)
      if (size_of(resident(i)) > model.most_resident[i]) {
         model.most_resident[i] = size_of(resident(i));
         model.most_time[i]     = now;
         if (i == WS_ALL_RESIDENT)
            model.most = by_origin(resident(i));
      }
}

/* Of what code is made, only its memory is looked at. */
static void fetch_from_page(UInt page, WsInstrs now)
{
   UInt accessed = WS_(sets_access)(Ws_Insn, setup->page0 + page);

   if (accessed & Ws_BecomesResident)
      make_resident(Ws_Insn, page, now);
   for (UInt i = 0; i < setup->taus.n; i++)
      if (accessed >> i & 1)
         WS_(sets_enter)(Ws_Insn, i,
                         WS_(origin)(WS_(set_of)(Ws_Insn, i), 0, 0));
   model.last_fetch[page] = now;
}

static void access_page(UInt page, WsInstrs now)
{
   PageSet bit      = (PageSet)1 << page;
   UInt    accessed = WS_(sets_access)(Ws_Data, setup->page0 + page);
   UInt    random = random_below(N_MAPPINGS), enters = 0;

   assert_int_equal(!(accessed & Ws_BecomesResident),
                    (model.resident[Ws_Data] & bit) != 0);
   for (UInt i = 0; i < N_WINDOWS; i++)
      if (~(model.windows[i].pages | model.since) & model.resident[Ws_Data] &
          bit)
         model.windows[i].n_returning++;
   if (accessed & Ws_BecomesResident)
      make_resident(Ws_Data, page, now);
   for (UInt i = 0; i < setup->taus.n; i++) {
      ModelWindow* w = &model.windows[i];
      if (!((w->pages | model.since) & bit)) {
         w->origin[page] = random_below(N_CODES) * N_MAPPINGS + random;
         WS_(sets_enter)(Ws_Data, i,
                         origin_of(WS_(set_of)(Ws_Data, i), w->origin[page]));
         enters |= 1 << i;
      } else if (model.mapped_anew & bit) {
         w->origin[page] += random - w->origin[page] % N_MAPPINGS;
      }
   }
   assert_int_equal(accessed & Ws_Enters, enters);
   assert_int_equal(!(accessed & Ws_IsMapped), !(model.mapped_anew & bit));
   if (accessed & Ws_IsMapped)
      WS_(sets_change_mapping)(Ws_Data, 100 + random);
   model.last[page] = now;
   if (random_below(3) == 0) {
      WS_(sets_access)(Ws_Dirty, setup->page0 + page);
      model.last_write[page] = now;
   }
   model.n_mapped_anew += (model.mapped_anew & bit) != 0;
   model.mapped_anew &= ~bit;
   model.in_phase |= bit;
   model.since |= bit;
}

static void map_pages(void)
{
   UInt   first = random_below(MAX_PAGES), last = first + random_below(4);
   WsPage all_from = random_below(2) ? 0 : setup->page0;

   if (random_below(10) == 0) { // more than there are
      WS_(sets_map)(all_from, LAST_PAGE);
      model.mapped_anew = working_set(WS_NEVER, MAX_TIME);
      return;
   }
   for (UInt p = first; p <= last && p < MAX_PAGES; p++) {
      if (model.last[p] != NEVER)
         model.mapped_anew |= (PageSet)1 << p;
      WS_(sets_map)(setup->page0 + p, setup->page0 + p);
   }
}

/* To a page that need not have been accessed, or nowhere. */
static void unmap_pages(void)
{
   UInt from = random_below(MAX_PAGES), to = random_below(MAX_PAGES);
   Bool is_there = resident(WS_ALL_RESIDENT) >> to & 1;

   if (random_below(2)) {
      WS_(sets_unmap)(setup->page0 + from, setup->page0 + from);
   } else if (from != to) {
      WS_(sets_move)(setup->page0 + from, setup->page0 + from,
                     setup->page0 + to);
      if (!is_there)
         model.resident_origin[to] = model.resident_origin[from];
      for (UInt kind = Ws_Insn; kind <= Ws_Data; kind++)
         if (model.resident[kind] & (PageSet)1 << from)
            model.resident[kind] |= (PageSet)1 << to;
   } else {
      return;
   }
   for (UInt kind = Ws_Insn; kind <= Ws_Data; kind++)
      model.resident[kind] &= ~((PageSet)1 << from);
}

static void check_composition(UInt tau, WsInstrs now)
{
   ModelWindow* w       = &model.windows[tau];
   UInt         set     = WS_(set_of)(Ws_Data, tau);
   Composition  present = compose(w, now);

   check_shares(set, Ws_Now, &present);
   check_shares(set, Ws_Kept, &w->kept);
   check_shares(set, Ws_Entered, &w->entered);
   if (random_below(4) == 0) {
      WS_(origins_keep)(set);
      w->kept = present;
   }
}

static void check_sample(WsInstrs now)
{
   WsSizes sizes;

   WS_(sets_sample)(now, &sizes);
   model_sample(setup->every, now);
   model.last_sample = now;
   for (UInt i = 0; i < setup->taus.n; i++)
      if (setup->taus.tau[i] < now && setup->taus.tau[i] > model.cold_after) {
         model.cold_after      = setup->taus.tau[i];
         model.most_cold       = (Composition){.pages = {0}};
         model.most_cold_pages = 0;
      }
   if (size_of(cold()) > model.most_cold_pages) {
      model.most_cold       = by_origin(cold());
      model.most_cold_pages = size_of(cold());
   }
   for (UInt i = 0; i < setup->taus.n; i++) {
      check_composition(i, now);
      assert_int_equal(sizes.of[Ws_Data][i], size_of(model.windows[i].pages));
   }
   if (random_below(4) > 0)
      return; // samples of the same size are not in the statistics at once
   const WsWindows* windows = WS_(sets_windows)(Ws_Data);
   for (UInt i = 0; i < N_WINDOWS; i++) {
      const ModelWindow* m = &model.windows[i];
      if (i < WS_MAX_TAUS ? i >= setup->taus.n : m->tau > now)
         continue; // the profile has it from that time on
      const WsWindow* w = WS_(windows_find)(windows, m->tau);
      assert_int_equal(w->size, size_of(m->pages));
      assert_int_equal(w->stats.sum_pages, m->sum);
      assert_int_equal(w->stats.peak_pages, m->max);
      assert_int_equal(w->n_entered, m->n_entered);
      assert_int_equal(w->n_returned, m->n_returned);
      if (i < WS_MAX_TAUS)
         assert_int_equal(WS_(window_bound)(w), m->bound);
   }
}

static void check(WsInstrs last_cut)
{
   assert_int_equal(WS_(sets_counts)(Ws_Data)->n_pages,
                    size_of(working_set(WS_NEVER, MAX_TIME)));
   assert_int_equal(WS_(sets_counts)(Ws_Data)->n_mapped_anew,
                    model.n_mapped_anew);
   assert_int_equal(WS_(sets_counts)(Ws_Data)->n_in_phase,
                    size_of(model.in_phase));
   for (UInt i = 0; i < WS_N_RESIDENT; i++) {
      assert_int_equal(WS_(resident).of[i].n_pages, size_of(resident(i)));
      assert_int_equal(WS_(resident).of[i].most_pages, model.most_resident[i]);
      assert_int_equal(WS_(resident).of[i].most_t, model.most_time[i]);
   }
   Composition all     = by_origin(resident(WS_ALL_RESIDENT));
   Composition of_cold = by_origin(cold());
   check_shares(WS_RESIDENT_SET, Ws_Now, &all);
   check_shares(WS_RESIDENT_SET, Ws_Kept, &model.most);
   check_shares(WS_COLD_SET, Ws_Now, &of_cold);
   if (model.cold_after)
      check_shares(WS_COLD_SET, Ws_Kept, &model.most_cold);
   assert_int_equal(WS_(cold).tau, model.cold_after);
   assert_int_equal(WS_(cold).n_pages, size_of(cold()));
   for (UInt p = 0; p < MAX_PAGES; p++)
      if (model.last[p] != NEVER) {
         WsTick cut = WS_(sets_last_access)(Ws_Data, setup->page0 + p);
         assert_true(cut >= (WsTick)model.last[p]);
         assert_int_equal(cut == WS_NEVER, model.last[p] > (Long)last_cut);
      }
}

static void run(const Setup* s, WsInstrs until)
{
   WsCuts cuts;
   UInt   base = 0, spread = 4, rest = 0;
   Long   last_cut = NEVER;

   setup = s;
   model = (Model){.mapped_anew = 0};
   for (UInt p = 0; p < MAX_PAGES; p++)
      model.last[p] = model.last_write[p] = model.last_fetch[p] = NEVER;
   for (UInt i = 0; i < s->taus.n; i++)
      model.windows[i].tau = s->taus.tau[i];
   for (UInt i = WS_MAX_TAUS; i < N_WINDOWS; i++)
      model.windows[i].tau = s->every << (i - WS_MAX_TAUS);
   WS_(clo) = (WsOptions){.every = s->every, .taus = s->taus, .dirty = True};
   WS_(cuts_init)(&cuts);
   WS_(sets_begin)();
   for (WsInstrs now = 0; now <= until; now++) {
      // Phases of different locality, so that windows both grow and shrink.
      if (random_below(50) == 0) {
         spread = 1 + random_below(random_below(2) ? MAX_PAGES : 4);
         base   = random_below(MAX_PAGES - spread + 1);
         rest   = random_below(4) == 0; // for all windows to become empty
      }
      for (UInt n = rest ? 0 : random_below(3); n > 0; n--)
         access_page(base + random_below(spread), now);
      if (random_below(8) == 0)
         fetch_from_page(base + random_below(spread), now);
      if (random_below(30) == 0)
         map_pages();
      if (random_below(10) == 0)
         unmap_pages();
      if (random_below(100) == 0) {
         WS_(sets_begin_phase)();
         model.in_phase = 0;
      }
      check(last_cut);
      if (cuts.next == now) {
         WS_(sets_cut)(now);
         last_cut = now;
         if (WS_(cuts_pass)(&cuts))
            check_sample(now);
      }
   }
}

/* Up to `n` of them, each once and in any order. */
static WsTaus random_taus(UInt n, WsTick every)
{
   WsTaus taus = {.n = 0};

   while (n-- > 0) {
      const WsTick some[] = {
         every * (1 + random_below(20)), 1 + random_below(40),
         1 + random_below(2 * MAX_TIME), WS_NEVER - random_below(3)};
      WsTick tau = some[random_below(4)];
      UInt   i   = 0;
      while (i < taus.n && taus.tau[i] != tau)
         i++;
      taus.tau[i] = tau;
      taus.n += i == taus.n;
   }
   return taus;
}

static void test_random_runs(void** state)
{
   static const WsTick every[] = {1, 2, 4, 13, 40, 100, 121, 700};
   static const WsPage page0[] = {0, 3, (WsPage)1 << 36,
                                  LAST_PAGE - MAX_PAGES + 1};

   for (UInt seed = 1; seed <= 400; seed++) {
      random_state = seed;
      Setup s      = {.every = every[random_below(8)],
                      .page0 = page0[random_below(4)]};
      s.taus       = random_taus(1 + random_below(seed % 2 ? 1 : WS_MAX_TAUS),
                                 s.every);
      run(&s, MAX_TIME - random_below(200));
   }
}

int main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_runs),
   };
   return cmocka_run_group_tests_name("sets", tests, NULL, NULL);
}
