/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* Resident and cold memory, and their origins, windows and when T grows, against
   a count by the definition.  (What windows consist of: the recount, the oracle,
   and the page log.)

   Catches: T that grows late, early, or out of step with the cuts; a page that
   becomes resident or cold one early or one late, is counted twice, or goes to
   the wrong page; a page that counts for the wrong origin, or that an origin does
   not lose; a composition that changes after it has been kept. */

#include "unit.h"
#include <stdlib.h>
#include "ws_sets.h"

#define LAST_PAGE (~(WsPage)0)

/* --- By the definition --------------------------------------------------- */

#define MAX_PAGES 48
#define MAX_TIME  1200
#define GROWING   7000
#define NEVER     (-1)

/* A bit for each page: 0, 1, ... of those that the run knows. */
typedef ULong PageSet;

static UInt size_of(PageSet pages)
{
   return (UInt)__builtin_popcountll(pages);
}

#define N_ORIGINS 10

/* Pages by origin. */
typedef struct {
   UWord pages[N_ORIGINS];
} Composition;

typedef struct {
   Long        last[MAX_PAGES]; // access as any kind
   Long        last_of[Ws_Data + 1][MAX_PAGES];
   WsTick      every, sample; // T, and the next sample
   UInt        n_samples;     // with this T
   PageSet     accessed[Ws_Data + 1], mapped_anew[Ws_Data + 1];
   PageSet     resident[Ws_Data + 1];
   UInt        origin[MAX_PAGES]; // while it is resident
   Composition most;              // of resident memory, when it was largest
   UWord       most_resident[WS_N_RESIDENT];
   Long        most_time[WS_N_RESIDENT];
   WsTick      cold_after; // tau; 0: nothing is cold
   Composition most_cold;  // at a sample since it is that one
   UInt        most_cold_pages;
   Long        last_sample;
} Model;

static Model model;

/* --- A run --------------------------------------------------------------- */

typedef struct {
   WsTick every;
   WsTaus taus;
   WsPage page0;  // number of page 0
   UInt   growth; // T doubles after so many samples; 0: never
} Setup;

static const Setup* setup;

static UInt origin_of(UInt set, UInt model_origin)
{
   return WS_(origin)(set, model_origin / 2, 100 + model_origin % 2);
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
      if (model.last[p] > start)
         pages &= ~((PageSet)1 << p);
   return pages;
}

static Composition by_origin(PageSet pages)
{
   Composition c = {{0}};

   for (UInt p = 0; p < MAX_PAGES; p++)
      c.pages[model.origin[p]] += pages >> p & 1;
   return c;
}

static void check_shares(UInt set, WsSharesOf of, const Composition* model_of)
{
   WsShares shares = WS_(origins_shares)(set, of);
   UInt     n      = 0;

   for (UWord i = 0; i < shares.n; i++) {
      const WsShare* s = &shares.items[i];
      UInt           o = 2 * s->code + s->mapping - 100;
      assert_int_equal(s->n_pages, model_of->pages[o]);
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
      model.origin[page] = origin;
   model.resident[kind] |= bit;
   for (UInt i = 0; i < WS_N_RESIDENT; i++)
      if (size_of(resident(i)) > model.most_resident[i]) {
         model.most_resident[i] = size_of(resident(i));
         model.most_time[i]     = now;
         if (i == WS_ALL_RESIDENT)
            model.most = by_origin(resident(i));
      }
}

static void access_page(WsKind kind, UInt page, WsInstrs now)
{
   UInt    accessed = WS_(sets_access)(kind, setup->page0 + page);
   PageSet bit      = (PageSet)1 << page;

   assert_int_equal(!(accessed & Ws_BecomesResident),
                    (model.resident[kind] & bit) != 0);
   assert_int_equal(!(accessed & Ws_IsMapped),
                    !(model.mapped_anew[kind] & bit));
   if (accessed & Ws_BecomesResident)
      make_resident(kind, page, now);
   for (UInt i = 0; i < setup->taus.n; i++)
      if (accessed >> i & 1)
         WS_(sets_enter)(kind, i, origin_of(WS_(set_of)(kind, i), 0));
   model.last[page] = model.last_of[kind][page] = now;
   model.accessed[kind] |= bit;
   model.mapped_anew[kind] &= ~bit;
}

/* Maps others where there are a few pages, or all that there may be from one on;
   or moves one to where none need have been accessed. */
static void change_pages(void)
{
   UInt    from = random_below(MAX_PAGES), to = random_below(MAX_PAGES);
   UInt    last     = from + random_below(4);
   PageSet gone     = (PageSet)1 << from;
   Bool    is_there = resident(WS_ALL_RESIDENT) >> to & 1;

   if (random_below(2)) {
      WsPage end = last < MAX_PAGES ? setup->page0 + last : LAST_PAGE;
      gone       = ((PageSet)2 << last) - gone;
      WS_(sets_unmap)(setup->page0 + from, end);
      WS_(sets_map)(setup->page0 + from, end);
      for (UInt kind = Ws_Insn; kind <= Ws_Data; kind++)
         model.mapped_anew[kind] |= gone & model.accessed[kind];
   } else if (from != to) {
      WS_(sets_move)(setup->page0 + from, setup->page0 + from,
                     setup->page0 + to);
      if (!is_there)
         model.origin[to] = model.origin[from];
      for (UInt kind = Ws_Insn; kind <= Ws_Data; kind++)
         if (model.resident[kind] & gone)
            model.resident[kind] |= (PageSet)1 << to;
   } else {
      return;
   }
   for (UInt kind = Ws_Insn; kind <= Ws_Data; kind++)
      model.resident[kind] &= ~gone;
}

static void check_sample(WsInstrs now)
{
   WsSizes sizes;

   WS_(sets_sample)(now, &sizes);
   model.last_sample = now;
   for (UInt kind = Ws_Insn; kind <= Ws_Data; kind++)
      for (UInt i = 0; i < setup->taus.n; i++) {
         UInt n = 0;
         for (UInt p = 0; p < MAX_PAGES; p++)
            n += model.last_of[kind][p] != NEVER &&
                 now - model.last_of[kind][p] < setup->taus.tau[i];
         assert_int_equal(sizes.of[kind][i], n);
      }
   assert_int_equal(now, model.sample);
   if (++model.n_samples >= setup->growth && setup->growth &&
       now % (2 * model.every) == 0) {
      model.every *= 2;
      model.n_samples = 0;
   }
   model.sample = now + model.every;
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
}

static void check(void)
{
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
}

static void run(const Setup* s, WsInstrs until)
{
   WsCuts cuts;
   UInt   base = 0, spread = 4, rest = 0;

   setup = s;
   model = (Model){.every = s->every, .sample = s->every};
   for (UInt p = 0; p < MAX_PAGES; p++)
      model.last[p] = model.last_of[0][p] = model.last_of[1][p] = NEVER;
   // By the clock, what a sample costs does not count.
   Bool is_clocked = s->growth == WS_SAMPLES_PER_EVERY && random_below(2);
   WS_(clo)        = (WsOptions){.every       = s->every,
                                 .every_grows = s->growth > 0,
                                 .is_clocked  = is_clocked,
                                 .taus        = s->taus};
   WS_(cuts_init)(&cuts);
   if (s->growth == WS_SAMPLES_IF_COSTLY || is_clocked)
      cuts.n_again = 1000000;
   WS_(sets_begin)();
   for (WsInstrs now = 0; now <= until; now++) {
      // Phases of different locality, so that windows both grow and shrink.
      if (random_below(50) == 0) {
         spread = 1 + random_below(random_below(2) ? MAX_PAGES : 4);
         base   = random_below(MAX_PAGES - spread + 1);
         rest   = random_below(4) == 0; // for all windows to become empty
      }
      for (UInt n = rest ? 0 : random_below(3); n > 0; n--)
         access_page(Ws_Data, base + random_below(spread), now);
      if (random_below(8) == 0)
         access_page(Ws_Insn, base + random_below(spread), now);
      if (random_below(10) == 0)
         change_pages();
      check();
      if (cuts.next == now) {
         WS_(sets_cut)(now);
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
      if (seed % 20 == 0)
         s.growth = seed % 40 ? WS_SAMPLES_IF_COSTLY : WS_SAMPLES_PER_EVERY;
      s.taus = random_taus(1 + random_below(seed % 2 ? 1 : WS_MAX_TAUS),
                           s.every);
      run(&s, (s.growth ? GROWING : MAX_TIME) - random_below(200));
   }
}

UNIT_TESTS("sets", cmocka_unit_test(test_random_runs))
