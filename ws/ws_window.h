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

/* The size of W(t, tau), kept up to date in O(1) per first touch.

   PURPOSE: Denning's working set W(t, tau) holds the pages referenced in
   (t - tau, t].  Time is cut into epochs (ws_cuts.h) so that t and t - tau
   are cuts; so a page belongs to W(t, tau) iff the epoch of its last access
   does.  This module counts the pages of every epoch.  A page that is
   touched for the first time in an epoch moves from its previous epoch's
   count to the present one's; the size of the window is a running sum.

      oldest                                    current
      +------+    +------+    +------+    +------+
      |  3   |--->|  12  |--->|  7   |--->|  2   |
      +------+    +------+    +------+    +------+
                  ^ tail: the oldest epoch of the window; size = 12 + 7 + 2

   An epoch that no page belongs to any more is dropped from the list, so
   that there are never more epochs than pages (plus the current one),
   however long the run.

   Pure: state is the caller's WsWindow; epochs are VG_(malloc)ed. */

#ifndef WS_WINDOW_H
#define WS_WINDOW_H

#include "ws_base.h"

/* The span (start, end] of time.  `end` is WS_NEVER in the current epoch. */
typedef struct _WsEpoch {
   WsTime           start;
   WsTime           end;
   UWord            n_pages; // whose last access was in this epoch
   struct _WsEpoch* older;
   struct _WsEpoch* newer;
} WsEpoch;

typedef struct {
   WsTime   tau_instrs;
   WsEpoch* current;
   WsEpoch* tail; // the oldest epoch of the window
   UWord    size; // sum of n_pages from tail to current
} WsWindow;

/* Starts the first epoch at time 0. */
void WS_(window_init)(WsWindow* w, WsTime tau_instrs);

/* Frees all epochs. */
void WS_(window_done)(WsWindow* w);

/* A page that was last accessed in epoch `from` (NULL: never) is accessed
   now.  Gives the current epoch, which is its epoch from here on. */
WsEpoch* WS_(window_enter)(WsWindow* w, WsEpoch* from);

/* The current epoch ends at `now`; the next one starts. */
void WS_(window_cut)(WsWindow* w, WsTime now);

/* Drops the epochs that ended at or before now - tau.  Afterwards w->size is
   the size of W(now, tau), provided that now - tau is a cut or not positive.
   Otherwise the epoch that it splits is w->tail, counted in full. */
void WS_(window_slide)(WsWindow* w, WsTime now);

/* The time at which the window that ends at `now` starts, never below 0. */
static inline WsTime WS_(window_start)(const WsWindow* w, WsTime now)
{
   return now > w->tau_instrs ? now - w->tau_instrs : 0;
}

#endif
