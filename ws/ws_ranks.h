/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* How often each size has been sampled, for percentiles: exact, with a counter
   of 4 bytes for each size up to the largest.

   Pure: state is the caller's WsRanks; memory is VG_(malloc)ed. */

#ifndef WS_RANKS_H
#define WS_RANKS_H

#include "ws_base.h"

/* All 0: no samples. */
typedef struct {
   ULong n_samples;
   UWord n_sizes; // in the array
   UInt* counts;
} WsRanks;

void WS_(ranks_add)(WsRanks* r, UWord size);

/* As if it had not been added. */
void WS_(ranks_remove)(WsRanks* r, UWord size);

/* The smallest size that `percent` of the samples do not exceed (nearest rank).
   There is a sample. */
UWord WS_(ranks_percentile)(const WsRanks* r, UInt percent);

void WS_(ranks_done)(WsRanks* r);

#endif
