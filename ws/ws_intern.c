/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_intern.h"

#define MIN_PAIRS 256

/* Hashes a pair. Both numbers are mostly small, or close to each other: all
   bits of one are spread before the other comes in. */
static UWord home_slot(const WsPairs* p, WsPair pair)
{
   ULong hash = pair.a * 0x9E3779B97F4A7C15ULL;

   hash = ((hash ^ hash >> 32) + pair.b) * 0xD6E8FEB86659FD93ULL;
   return (UWord)(hash >> 32) & p->mask;
}

/* Finds the slot of the pair, or else the free one where it belongs. */
static UInt* find_slot(const WsPairs* p, WsPair pair)
{
   UWord i = home_slot(p, pair);

   for (; p->index[i]; i = (i + 1) & p->mask) {
      const WsPair* other = &p->pairs[p->index[i] - 1];
      if (other->a == pair.a && other->b == pair.b)
         break;
   }
   return &p->index[i];
}

/* Grows the arrays by a quarter, for there may be millions of pairs. The table
   is never more than half full, so that a free slot ends each search. */
static void grow(WsPairs* p)
{
   p->n_max += p->n_max ? p->n_max / 4 : MIN_PAIRS;
   p->pairs   = VG_(realloc)("ws.pairs", p->pairs, p->n_max * sizeof(WsPair));
   p->entries = VG_(realloc)("ws.pairs.entries", p->entries,
                             p->n_max * p->entry_szB);
   VG_(memset)(WS_(pair_entry)(p, p->n), 0, (p->n_max - p->n) * p->entry_szB);
   if (p->mask / 2 >= p->n_max - 1)
      return;
   p->mask = p->mask ? 2 * p->mask + 1 : 2 * MIN_PAIRS - 1;
   VG_(free)(p->index);
   p->index = VG_(calloc)("ws.pairs.index", p->mask + 1, sizeof(UInt));
   for (UInt n = 0; n < p->n; n++)
      *find_slot(p, p->pairs[n]) = n + 1;
}

UInt WS_(pair_number)(WsPairs* p, UWord a, UWord b)
{
   WsPair pair = {a, b};

   if (p->n == p->n_max)
      grow(p);
   UInt* slot = find_slot(p, pair);
   if (*slot == 0) {
      p->pairs[p->n] = pair;
      *slot          = ++p->n;
   }
   return *slot - 1;
}

UInt WS_(pair_find)(const WsPairs* p, UWord a, UWord b)
{
   return p->n > 0 ? *find_slot(p, (WsPair){a, b}) - 1 : WS_NO_PAIR;
}

/* Leaves the number in the table, under its old slot, where nothing finds it:
   searches compare pairs, and this one cannot come again. A table that grows
   puts it elsewhere. */
void WS_(pair_hide)(WsPairs* p, UInt number)
{
   p->pairs[number].a |= WS_HIDDEN_PAIR;
}

void WS_(pairs_done)(WsPairs* p)
{
   VG_(free)(p->pairs);
   VG_(free)(p->entries);
   VG_(free)(p->index);
   *p = (WsPairs){.entry_szB = p->entry_szB};
}
