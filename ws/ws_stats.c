/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_stats.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

ULong WS_(stats_ratio)(ULong a, ULong b, UInt n_digits)
{
   ULong ratio = a / b;

   // As on paper: a times a power of ten might not fit.
   for (a %= b; n_digits > 0; n_digits--) {
      a *= 10;
      ratio = 10 * ratio + a / b;
      a %= b;
   }
   return ratio + (a >= b - a);
}

ULong WS_(stats_avg_times)(const WsStats* s, ULong n)
{
   if (s->n_samples == 0)
      return 0;
   // Whole pages and rest apart: n times the sum might not fit.
   ULong whole = s->sum_pages / s->n_samples;
   ULong rest  = s->sum_pages % s->n_samples;
   return n * whole + (n * rest + s->n_samples / 2) / s->n_samples;
}

/* --- Percentiles ---------------------------------------------------------- */

/* Up to 2^n_digits, a counter belongs to a size; from each power of two to the
   next there are half as many. */
static UWord number_of(const WsRanks* r, UWord size)
{
   ULong half  = (ULong)1 << (r->n_digits - 1);
   UInt  shift = 0;

   while (size >> shift >= 2 * half)
      shift++;
   return shift * half + (size >> shift);
}

static UWord size_of(const WsRanks* r, UWord number)
{
   ULong half  = (ULong)1 << (r->n_digits - 1);
   UInt  shift = number < 2 * half ? 0 : number / half - 1;

   return (number - shift * half) << shift;
}

static void grow(WsRanks* r, UWord number)
{
   UWord n = number + number / 2 + 64;

   r->counts = VG_(realloc)("ws.ranks", r->counts, n * sizeof(UInt));
   VG_(memset)(&r->counts[r->n_counts], 0, (n - r->n_counts) * sizeof(UInt));
   r->n_counts = n;
}

/* Counts a size; the array grows by half, so that a series that grows page
   by page copies little. */
void WS_(ranks_add)(WsRanks* r, UWord size)
{
   UWord number = number_of(r, size);

   if (number >= r->n_counts)
      grow(r, number);
   r->counts[number]++;
   r->n_samples++;
}

UWord WS_(ranks_percentile)(const WsRanks* r, UInt percent)
{
   // Whole hundreds first: the product may not fit.
   ULong rank = r->n_samples / 100 * percent +
                (r->n_samples % 100 * percent + 99) / 100;
   ULong n      = 0;
   UWord number = 0;

   while ((n += r->counts[number]) < rank)
      number++;
   return size_of(r, number);
}

UWord WS_(ranks_round)(UWord size, UInt n_digits)
{
   const WsRanks r = {.n_digits = n_digits};

   return size_of(&r, number_of(&r, size));
}

WsRanks WS_(ranks_copy)(const WsRanks* r)
{
   WsRanks copy = *r;

   if (r->counts) {
      copy.counts = VG_(malloc)("ws.ranks", r->n_counts * sizeof(UInt));
      VG_(memcpy)(copy.counts, r->counts, r->n_counts * sizeof(UInt));
   }
   return copy;
}

void WS_(ranks_done)(WsRanks* r)
{
   if (r->counts)
      VG_(free)(r->counts);
   *r = (WsRanks){.n_digits = r->n_digits};
}
