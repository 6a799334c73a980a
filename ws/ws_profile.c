/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_profile.h"

/* Return whether half of the samples or more, which are at T, 2T, ..., have
   windows that begin before the run: the first tau/T - 1 do. */
static Bool is_limited(WsTick tau, WsTick every, ULong n_samples)
{
   ULong n_cut = tau < every ? 0 : tau / every - 1;
   return n_cut >= n_samples - n_samples / 2;
}

/* In all rows with the same digits, or longer windows could seem smaller. */
static UWord percentile(const WsWindow* w, UInt percent)
{
   return WS_(ranks_round)(WS_(ranks_percentile)(&w->ranks, percent),
                           WS_RANK_DIGITS);
}

static void add_row(WsProfile* p, const WsWindow* w, WsTick tau, WsTick every)
{
   p->rows[p->n_rows++] = (WsProfileRow){
      .tau          = tau,
      .stats        = w->stats,
      .median_pages = percentile(w, 50),
      .p95_pages    = percentile(w, 95),
      .is_short     = tau < every,
      .n_entered    = tau < every ? 0 : w->n_entered,
      .n_returned   = tau < every ? 0 : w->n_returned,
      .is_limited   = is_limited(tau, every, w->stats.n_samples)};
}

void WS_(profile_make)(WsProfile* p, const WsWindows* ws, WsTick every)
{
   ULong  n_samples = WS_(windows_find)(ws, WS_NEVER)->stats.n_samples;
   WsTick tau       = every;

   p->span   = n_samples * every;
   p->n_rows = 0;
   for (UInt i = 0; n_samples > 0 && ws->windows[i].tau < every; i++)
      add_row(p, &ws->windows[i], ws->windows[i].tau, every);
   while (n_samples > 0) {
      add_row(p, WS_(windows_find)(ws, tau), tau, every);
      if (tau >= p->span || tau > WS_NEVER / 2)
         break;
      tau *= 2;
   }
}

const WsProfileRow* WS_(profile_reuse)(const WsProfile* p, UInt percent)
{
   const WsProfileRow* row = p->rows;
   const WsProfileRow* end = p->rows + p->n_rows;

   while (row < end && row->is_short)
      row++;
   const ULong all = row < end ? row->n_returned : 0;
   for (; all > 0 && row < end; row++)
      if (row->n_returned <=
          all / 100 * (100 - percent) + all % 100 * (100 - percent) / 100)
         return row;
   return NULL;
}
