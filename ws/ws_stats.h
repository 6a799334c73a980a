/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* Average and maximum of a series of working set sizes, in constant memory.  Of
   an empty series, all is 0.  Pure. */

#ifndef WS_STATS_H
#define WS_STATS_H

#include "ws_base.h"

typedef struct {
   ULong n_samples;
   ULong sum_pages;  // over the samples; 2^64 page-samples are out of reach
   UWord peak_pages; // the largest
} WsStats;

/* The next sample. */
static inline void WS_(stats_sample)(WsStats* s, UWord pages)
{
   s->n_samples++;
   s->sum_pages += pages;
   if (pages > s->peak_pages)
      s->peak_pages = pages;
}

/* a / b in units of 10^-n_digits, rounded.  b is not 0, and below 2^60. */
ULong WS_(stats_ratio)(ULong a, ULong b, UInt n_digits);

/* The average of `n` times the size, rounded; 0 when there is no sample.  n
   times the largest size must fit into 64 bits. */
ULong WS_(stats_avg_times)(const WsStats* s, ULong n);

#endif
