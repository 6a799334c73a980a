/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* Statistics of a series of sizes, found while it comes in: average, maximum
   and percentiles; the peaks of the paper's detector, and prominent ones, which
   are kept (ws_sample.h).

   Pure, but for options; state is the caller's; memory is VG_(malloc)ed. */

#ifndef WS_STATS_H
#define WS_STATS_H

#include "ws_base.h"
#include "ws_clo.h"

/* An empty series has zeros throughout. */
typedef struct {
   ULong weight;     // sum over the samples: how often each counts
   ULong sum_pages;  // over the samples; 2^64 page-samples are out of reach
   UWord peak_pages; // the largest
} WsStats;

/* Takes samples of this size and weight. */
static inline void WS_(stats_sample)(WsStats* s, UWord pages, ULong weight)
{
   s->weight += weight;
   s->sum_pages += weight * pages;
   s->peak_pages = VG_MAX(s->peak_pages, pages);
}

/* Divides a by b, in units of 10^-n_digits, rounded.  b is not 0, and below
   2^60. */
ULong WS_(stats_ratio)(ULong a, ULong b, UInt n_digits);

/* --- Percentiles ---------------------------------------------------------- */

/* The weight of each size that was sampled.  Percentiles are exact up to 2,047
   pages, and of more within 1/1024, rounded down: a counter for each size of
   each window would take more memory than the pages do.  All 0: no samples. */
typedef struct {
   ULong weight;
   UWord n_counts; // in the array
   UInt* counts;   // of sizes in ascending order
} WsRanks;

#define WS_RANK_DIGITS 11 // leading binary digits that are kept of a size

/* Counts samples of this size and weight. */
void WS_(ranks_add)(WsRanks* r, UWord size, ULong weight);

/* Finds the smallest size that samples of `percent` of the weight do not exceed
   (nearest rank), rounded as said; 0 without samples. */
UWord WS_(ranks_percentile)(const WsRanks* r, UInt percent);

/* Gives a copy with counters of its own. */
WsRanks WS_(ranks_copy)(const WsRanks* r);

/* Removes all samples and frees the counters. */
void WS_(ranks_done)(WsRanks* r);

/* --- Unusual peaks -------------------------------------------------------- */

/* PURPOSE: to tell when something unusual happens, in constant memory, at the
   very sample at which it begins, so that the code that runs then can be
   blamed (Becker & Chakraborty 2018, section 2.2).

   Let mu and sigma^2 be the exponential moving average and variance of the
   samples before x; a sample enters them with weight alpha = 2/(window + 1):

      d       = x - mu
      mu'     = mu + alpha * d
      sigma'^2 = (1 - alpha) * (sigma^2 + alpha * d^2)

   The first sample makes mu = x, sigma^2 = 0.  With the Fano factor
   F = sigma^2/mu and c = 1 - exp(-F/2), a sample is part of a peak iff

      x - mu > E = c * g * sigma^2 + (1 - c) * g * mu

   and at least `window` samples came before it; a dip is no peak.  If mu = 0,
   then c = 1.  mu and sigma^2 are 0 if they are below 1e-100.

   As long as a peak lasts, from its first sample on, not x enters but
   adapt * x + (1 - adapt) * y, where y is what entered the time before: a huge
   peak must not hide the ones that follow. */

/* All 0 at the start.  Options have the window, g and adapt, from 0 (not
   included) to 1. */
typedef struct {
   ULong  n_samples; // so far
   double mean;
   double variance;
   double entered; // what was last added to both
   Bool   is_peak; // the last sample was part of one
   ULong  n_peaks;
} WsPeak;

/* Takes the next sample; True if a peak begins with it. */
Bool WS_(peak_sample)(WsPeak* p, UWord pages);

/* Computes exp(-y) for y >= 0 (or infinite), without the host's libm: 1 for 0;
   the relative error is below 1e-15, and what is below 1e-300 has an absolute
   error below 1e-300. */
double WS_(exp_minus)(double y);

/* --- Prominent peaks ------------------------------------------------------ */

/* Peaks that stand out from the ground on both sides.

   PURPOSE: a peak is a sample that is the largest between two grounds, and of
   equal ones the first.  Ground is a sample of at most three quarters of its
   height.  So its topographic prominence is at least a quarter of its height.

      sizes   2  7  6  9  7  6  8  7  5      peaks: 9 and 8

   6 is ground for 9, as 6 <= 3/4 * 9, and for 8, which has the ground 5 on its
   other side. 7 has no ground before the higher 9 comes.

   Before the series, sizes were 0: that is ground. Its end is none, for nobody
   knows what would follow.

   It takes a comparison or two per sample: the series either falls from the
   last peak, or rises from the last ground. */

/* All 0 at the start. */
typedef struct {
   Bool  is_rising;
   UWord low;  // while it falls: the lowest since the last peak
   UWord high; // while it rises: the highest since the last ground
} WsProminence;

typedef enum {
   Ws_NoPeak,
   Ws_HighestSoFar, // a peak, if ground follows before a higher sample
   Ws_PeakBefore    // ground: the last Ws_HighestSoFar was a peak
} WsPeakEvent;

WsPeakEvent WS_(prominence_sample)(WsProminence* p, UWord size);

#endif
