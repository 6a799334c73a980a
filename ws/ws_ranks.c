/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_ranks.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

static void grow(WsRanks* r, UWord size)
{
   UWord n = size + size / 2 + 64;

   r->counts = VG_(realloc)("ws.ranks", r->counts, n * sizeof(UInt));
   VG_(memset)(&r->counts[r->n_sizes], 0, (n - r->n_sizes) * sizeof(UInt));
   r->n_sizes = n;
}

void WS_(ranks_add)(WsRanks* r, UWord size)
{
   if (size >= r->n_sizes)
      grow(r, size);
   r->counts[size]++;
   r->n_samples++;
}

void WS_(ranks_remove)(WsRanks* r, UWord size)
{
   r->counts[size]--;
   r->n_samples--;
}

UWord WS_(ranks_percentile)(const WsRanks* r, UInt percent)
{
   // Whole hundreds first: the product may not fit.
   ULong rank = r->n_samples / 100 * percent +
                (r->n_samples % 100 * percent + 99) / 100;
   ULong n    = 0;
   UWord size = 0;

   while ((n += r->counts[size]) < rank)
      size++;
   return size;
}

void WS_(ranks_done)(WsRanks* r)
{
   if (r->counts)
      VG_(free)(r->counts);
   *r = (WsRanks){.n_samples = 0};
}
