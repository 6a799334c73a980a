/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* Statistics of a series of sizes, found while it comes in: average, maximum
   and percentiles.

   Pure: state is the caller's; memory is VG_(malloc)ed. */

#ifndef WS_STATS_H
#define WS_STATS_H

#include "ws_base.h"

/* An empty series has zeros throughout. */
typedef struct {
   ULong n_samples;
   ULong sum_pages;  // over the samples; 2^64 page-samples are out of reach
   UWord peak_pages; // the largest
} WsStats;

/* Takes the next sample. */
static inline void WS_(stats_sample)(WsStats* s, UWord pages)
{
   s->n_samples++;
   s->sum_pages += pages;
   if (pages > s->peak_pages)
      s->peak_pages = pages;
}

/* Divides a by b, in units of 10^-n_digits, rounded.  b is not 0, and below
   2^60. */
ULong WS_(stats_ratio)(ULong a, ULong b, UInt n_digits);

/* Gives the average of `n` times the size, rounded; 0 when there is no
   sample.  n times the largest size must fit into 64 bits. */
ULong WS_(stats_avg_times)(const WsStats* s, ULong n);

/* --- Percentiles ---------------------------------------------------------- */

/* How often each size has been sampled: with a counter of 4 bytes for each size
   up to the largest, or for those that have no more than so many binary digits
   in front of zeros.  All but n_digits is 0: no samples. */
typedef struct {
   UInt  n_digits; // of a size that is exact; longer ones are rounded down
   ULong n_samples;
   UWord n_counts; // in the array
   UInt* counts;   // of sizes in ascending order
} WsRanks;

#define WS_ALL_DIGITS 50 // no size has more

void WS_(ranks_add)(WsRanks* r, UWord size);

/* Finds the smallest size that `percent` of the samples do not exceed
   (nearest rank), rounded as said.  There is a sample. */
UWord WS_(ranks_percentile)(const WsRanks* r, UInt percent);

/* Rounds a size as those of so many digits are. */
UWord WS_(ranks_round)(UWord size, UInt n_digits);

/* Gives a copy with counters of its own. */
WsRanks WS_(ranks_copy)(const WsRanks* r);

/* Frees the counters: there are no samples any more. */
void WS_(ranks_done)(WsRanks* r);

#endif
