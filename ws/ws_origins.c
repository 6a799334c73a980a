/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_origins.h"

typedef struct {
   UInt n_pages;
   UInt n_written;
} Counts;

/* The counts of an origin, now and at the sample that is kept.
   WS_(origins_keep) only raises the set's `keeping`; the first change of a
   count after that puts its old value aside.  So an origin whose `keeping`
   is older has not changed since then. */
typedef struct {
   Counts now;
   Counts kept;      // if `keeping` is that of its set, else the same as now
   ULong  n_entered; // in the whole run
   UInt   keeping;
} Origin;

typedef struct {
   WsPairs pairs;   // code and mapping: an Origin each
   UInt    keeping; // how often something was kept
} Origins;

static Origins of_set[WS_N_ORIGIN_SETS];

static Origin* origin_of(const Origins* all, UInt origin)
{
   return &((Origin*)all->pairs.entries)[origin];
}

void WS_(origins_begin)(void)
{
   for (UInt set = 0; set < WS_N_ORIGIN_SETS; set++) {
      Origins* all = &of_set[set];
      WS_(pairs_done)(&all->pairs);
      *all = (Origins){.pairs = {.entry_szB = sizeof(Origin)}};
   }
}

/* Numbers origins in the order of their first use, and never renumbers them:
   records of pages refer to them. */
UInt WS_(origin)(UInt set, UInt code, UInt mapping)
{
   return WS_(pair_number)(&of_set[set].pairs, code, mapping);
}

WsPair WS_(origin_pair)(UInt set, UInt origin)
{
   return of_set[set].pairs.pairs[origin];
}

void WS_(origin_change)(UInt set, UInt origin, Int pages, Int written)
{
   Origins* all = &of_set[set];
   Origin*  o   = origin_of(all, origin);

   if (o->keeping != all->keeping) {
      o->keeping = all->keeping;
      o->kept    = o->now;
   }
   o->now.n_pages += pages;
   o->now.n_written += written;
}

void WS_(origin_count_entry)(UInt set, UInt origin)
{
   origin_of(&of_set[set], origin)->n_entered++;
}

void WS_(origins_keep)(UInt set)
{
   of_set[set].keeping++;
}

/* Orders shares totally, so that two reports of the same run are the same to
   the byte. Numbers of code and mappings are given in the order of first use,
   which is the same in both. */
static Int compare_origins(const void* a, const void* b)
{
   const WsShare *s = a, *t = b;

   if (s->lead != t->lead)
      return s->lead < t->lead ? -1 : 1;
   if (s->code != t->code)
      return s->code < t->code ? -1 : 1;
   if (s->is_folded != t->is_folded)
      return s->is_folded ? 1 : -1;
   return s->mapping < t->mapping ? -1 : s->mapping > t->mapping;
}

static Int compare_shares(const void* a, const void* b)
{
   const WsShare *s = a, *t = b;

   if (s->n_pages != t->n_pages)
      return s->n_pages > t->n_pages ? -1 : 1;
   return compare_origins(a, b);
}

void WS_(shares_sort)(WsShares* shares)
{
   VG_(ssort)(shares->items, shares->n, sizeof(WsShare), compare_shares);
}

void WS_(shares_merge)(WsShares* shares)
{
   WsShare* last = shares->items;

   VG_(ssort)(shares->items, shares->n, sizeof(WsShare), compare_origins);
   for (UWord i = 1; i < shares->n; i++) {
      const WsShare* s = &shares->items[i];
      if (compare_origins(last, s) != 0) {
         *++last = *s;
      } else {
         last->n_pages += s->n_pages;
         if (!s->is_of_heap)
            last->n_written += s->n_written;
         for (UInt j = 0; s->is_of_heap && j < WS_(n_heap_sums)(); j++)
            last->sums[j] += s->sums[j];
      }
   }
   shares->n = shares->n > 0 ? last + 1 - shares->items : 0;
}

/* Gives the counts of an origin as they are, were, or add up. Entries count
   pages, not how many of them were written. */
static WsShare share_of(const Origins* all, UInt i, WsSharesOf of)
{
   const Origin* o      = origin_of(all, i);
   Bool          is_old = of == Ws_Kept && o->keeping == all->keeping;
   const Counts* counts = is_old ? &o->kept : &o->now;

   return (WsShare){.code      = all->pairs.pairs[i].a,
                    .mapping   = all->pairs.pairs[i].b,
                    .n_pages   = of == Ws_Entered ? o->n_entered
                                                  : counts->n_pages,
                    .n_written = counts->n_written};
}

WsShares WS_(origins_shares)(UInt set, WsSharesOf of)
{
   const Origins* all    = &of_set[set];
   WsShares       shares = {.n = 0};
   UWord          n      = 0;

   for (UInt i = 0; i < all->pairs.n; i++)
      n += share_of(all, i, of).n_pages > 0;
   shares.items = VG_(malloc)("ws.origins.shares", (n + 1) * sizeof(WsShare));
   for (UInt i = 0; i < all->pairs.n; i++) {
      WsShare share = share_of(all, i, of);
      if (share.n_pages > 0)
         shares.items[shares.n++] = share;
   }
   WS_(shares_sort)(&shares);
   return shares;
}
