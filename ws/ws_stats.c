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

ULong WS_(stats_avg_times)(const WsStats* s, ULong n)
{
   if (s->n_samples == 0)
      return 0;
   // Whole pages and rest apart: n times the sum might not fit.
   ULong whole = s->sum_pages / s->n_samples;
   ULong rest  = s->sum_pages % s->n_samples;
   return n * whole + (n * rest + s->n_samples / 2) / s->n_samples;
}
