/*
   This file is part of ws, a Valgrind tool that measures working sets.

   Copyright (C) 2026 the ws developers

   This program is free software; you can redistribute it and/or
   modify it under the terms of the GNU General Public License as
   published by the Free Software Foundation; either version 2 of the
   License, or (at your option) any later version.

   This program is distributed in the hope that it will be useful, but
   WITHOUT ANY WARRANTY; without even the implied warranty of
   MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE.  See the GNU
   General Public License for more details.

   The GNU General Public License is contained in the file LICENSE.
*/

#include "ws_profile.h"

/* Of n samples, which are at T, 2T, ..., the first tau/T - 1 have windows that
   begin before the run. */
static Bool is_limited(WsTick tau, WsTick every, ULong n_samples)
{
   ULong n_cut = tau / every - 1;
   return n_cut >= n_samples - n_samples / 2;
}

/* Life per page is span / n_entered / (sum_pages / n_samples): the longest has
   the smallest product. */
static Int find_knee(const WsProfile* p)
{
   Int    knee  = -1;
   double least = 0;

   for (UInt i = 0; i < p->n_rows; i++) {
      const WsProfileRow* row = &p->rows[i];
      double cost = (double)row->n_entered * (double)row->stats.sum_pages;
      if (row->is_limited || row->n_entered == 0)
         continue;
      if (knee < 0 || cost < least) {
         knee  = i;
         least = cost;
      }
   }
   return knee;
}

void WS_(profile_make)(WsProfile* p, const WsWindows* ws, WsTick every)
{
   ULong  n_samples = WS_(windows_find)(ws, WS_NEVER)->stats.n_samples;
   WsTick tau       = every;

   p->span   = n_samples * every;
   p->n_rows = 0;
   while (n_samples > 0 && p->n_rows < WS_MAX_PROFILE_ROWS) {
      const WsWindow* w    = WS_(windows_find)(ws, tau);
      p->rows[p->n_rows++] = (WsProfileRow){
         .tau        = tau,
         .stats      = w->stats,
         .n_entered  = w->n_entered,
         .is_limited = is_limited(tau, every, n_samples)};
      if (tau >= p->span || tau > WS_NEVER / 2)
         break;
      tau *= 2;
   }
   p->knee = find_knee(p);
}
