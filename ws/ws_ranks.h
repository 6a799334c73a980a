/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* How often each size has been sampled, for percentiles: with a counter of 4
   bytes for each size up to the largest, or for those that have no more than so
   many binary digits in front of zeros.

   Pure: state is the caller's WsRanks; memory is VG_(malloc)ed. */

#ifndef WS_RANKS_H
#define WS_RANKS_H

#include "ws_base.h"

/* All but n_digits is 0: no samples. */
typedef struct {
   UInt  n_digits; // of a size that is exact; longer ones are rounded down
   ULong n_samples;
   UWord n_counts; // in the array
   UInt* counts;   // of sizes in ascending order
} WsRanks;

#define WS_ALL_DIGITS 50 // no size has more

void WS_(ranks_add)(WsRanks* r, UWord size);

/* The smallest size that `percent` of the samples do not exceed (nearest rank),
   rounded as said.  There is a sample. */
UWord WS_(ranks_percentile)(const WsRanks* r, UInt percent);

/* As sizes of so many digits are. */
UWord WS_(ranks_round)(UWord size, UInt n_digits);

/* With counters of its own. */
WsRanks WS_(ranks_copy)(const WsRanks* r);

/* No samples any more. */
void WS_(ranks_done)(WsRanks* r);

#endif
