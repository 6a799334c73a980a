/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_stats.h"

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

/* --- Percentiles ---------------------------------------------------------- */

#define HALF ((UWord)1 << (WS_RANK_DIGITS - 1))

/* Gives the counter of a size. Up to 2 * HALF, a counter belongs to one size;
   from each power of two to the next there are HALF. */
static UWord number_of(UWord size)
{
   UInt shift = 0;

   while (size >> shift >= 2 * HALF)
      shift++;
   return shift * HALF + (size >> shift);
}

static UWord size_of(UWord number)
{
   UInt shift = number < 2 * HALF ? 0 : number / HALF - 1;

   return (number - shift * HALF) << shift;
}

/* Grows the array by half, so that a series that grows page by page copies
   little. */
void WS_(ranks_add)(WsRanks* r, UWord size, ULong weight)
{
   UWord number = number_of(size);

   if (number >= r->n_counts) {
      UWord n_old = r->n_counts;
      r->n_counts = number + number / 2 + 64;
      r->counts   = VG_(realloc)("ws.ranks", r->counts,
                               r->n_counts * sizeof(UInt));
      VG_(memset)(&r->counts[n_old], 0, (r->n_counts - n_old) * sizeof(UInt));
   }
   r->counts[number] += weight;
   r->weight += weight;
}

/* Adds up counters until the rank is reached. */
UWord WS_(ranks_percentile)(const WsRanks* r, UInt percent)
{
   // Whole hundreds first: the product may not fit.
   ULong rank = r->weight / 100 * percent +
                (r->weight % 100 * percent + 99) / 100;
   ULong n      = 0;
   UWord number = 0;

   while (number < r->n_counts && (n += r->counts[number]) < rank)
      number++;
   return size_of(number);
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
   VG_(free)(r->counts);
   *r = (WsRanks){.n_counts = 0};
}

/* --- Unusual peaks -------------------------------------------------------- */

/* ln 2 in two parts: the product of the first with any number below 2^11 is
   exact. */
#define LN2_HIGH 0x1.62e42fefa0000p-1
#define LN2_LOW  0x1.cf79abc9e3b39p-40

/* exp(-y) is below the smallest number that there is. */
#define MAX_EXPONENT 746.0

double WS_(exp_minus)(double y)
{
   if (y > MAX_EXPONENT)
      return 0.0;

   // exp(-y) = 2^-n * exp(-r) with |r| <= ln(2)/2.
   UInt   n      = (UInt)(y / LN2_HIGH + 0.5);
   double r      = (y - n * LN2_HIGH) - n * LN2_LOW;
   double result = 1.0;

   // Taylor's series; the first term that is missing is below 1e-17.
   for (Int k = 13; k > 0; k--)
      result = 1.0 - result * r / k;
   for (double half = 0.5; n > 0; n >>= 1, half *= half)
      if (n & 1)
         result *= half;
   return result;
}

/* Tells whether x is high enough for a peak: farther from the mean than E.
   While fewer samples than the window came before, mean and variance say
   nothing, and nothing is. */
static Bool is_high(const WsPeak* p, double x)
{
   double g = WS_(clo).peak_thresh.value, c = 1.0;

   if (p->mean > 0.0)
      c = 1.0 - WS_(exp_minus)(p->variance / p->mean / 2.0);
   return p->n_samples >= WS_(clo).peak_window_samples &&
          x - p->mean > c * g * p->variance + (1.0 - c) * g * p->mean;
}

/* Turns what is far below any page into 0. The smallest numbers that there are
   do not become 0 if they are multiplied by 0.9, but their products with others
   do: in a program that sleeps, each sample would be farther from the mean than
   a peak is. */
static double or_nothing(double x)
{
   return x < 1e-100 ? 0.0 : x;
}

static void enter(WsPeak* p, double x)
{
   double alpha = 2.0 / ((double)WS_(clo).peak_window_samples + 1.0);
   double d     = x - p->mean;

   p->mean     = or_nothing(p->mean + alpha * d);
   p->variance = or_nothing((1.0 - alpha) * (p->variance + alpha * d * d));
   p->entered  = x;
}

Bool WS_(peak_sample)(WsPeak* p, UWord pages)
{
   double x        = (double)pages;
   double adapt    = WS_(clo).peak_adapt.value;
   Bool   was_peak = p->is_peak;

   p->is_peak = is_high(p, x);
   if (p->n_samples++ == 0)
      p->mean = x;
   enter(p, p->is_peak ? adapt * x + (1.0 - adapt) * p->entered : x);
   if (!p->is_peak || was_peak)
      return False;
   p->n_peaks++;
   return True;
}

/* --- Prominent peaks ------------------------------------------------------ */

/* Compares size <= 3/4 * height, without overflow. */
static Bool is_ground(UWord size, UWord height)
{
   return size <= height / 4 * 3 + height % 4 * 3 / 4;
}

WsPeakEvent WS_(prominence_sample)(WsProminence* p, UWord size)
{
   if (p->is_rising && size > p->high) {
      p->high = size;
      return Ws_HighestSoFar;
   }
   if (p->is_rising && is_ground(size, p->high)) {
      p->is_rising = False;
      p->low       = size;
      return Ws_PeakBefore;
   }
   if (p->is_rising)
      return Ws_NoPeak;
   p->low = VG_MIN(p->low, size);
   if (size == 0 || !is_ground(p->low, size))
      return Ws_NoPeak;
   p->is_rising = True;
   p->high      = size;
   return Ws_HighestSoFar;
}
