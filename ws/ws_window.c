/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_window.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_mallocfree.h"

static WsEpoch* new_epoch(WsWindows* ws, WsEpoch* older)
{
   WsEpoch* e = ws->spare;

   if (e)
      ws->spare = e->older;
   else
      e = VG_(malloc)("ws.window.epoch", sizeof *e);
   e->number  = older ? older->number + 1 : 0;
   e->end     = WS_NEVER;
   e->n_pages = 0;
   e->older   = older;
   e->newer   = NULL;
   if (older)
      older->newer = e;
   return e;
}

/* Only a closed epoch goes, so that there is always a newer one. */
static void drop_epoch(WsWindows* ws, WsEpoch* e)
{
   tl_assert(e != ws->current && e->n_pages == 0);
   if (e->older)
      e->older->newer = e->newer;
   e->newer->older = e->older;
   for (UInt i = 0; i < ws->n; i++)
      if (ws->windows[i].tail == e)
         ws->windows[i].tail = e->newer;
   e->older  = ws->spare;
   ws->spare = e;
}

/* A new window of length tau, unless there is one: the same as that of all of
   the run. */
static void add_window(WsWindows* ws, WsTick tau)
{
   WsWindow like = ws->windows[ws->n - 1];
   UInt     i    = ws->n;

   if (WS_(windows_find)(ws, tau)->tau == tau)
      return;
   tl_assert(ws->n < sizeof ws->windows / sizeof ws->windows[0]);
   for (; i > 0 && ws->windows[i - 1].tau > tau; i--)
      ws->windows[i] = ws->windows[i - 1];
   ws->windows[i]       = like;
   ws->windows[i].tau   = tau;
   ws->windows[i].ranks = WS_(ranks_copy)(&like.ranks);
   ws->n++;
   ws->first = WS_(windows_find)(ws, ws->first_tau) - ws->windows;
}

void WS_(windows_init)(WsWindows* ws, WsTick every, const WsTaus* taus)
{
   ws->spare         = NULL;
   ws->current       = new_epoch(ws, NULL);
   ws->next_doubling = every;
   ws->windows[0]    = (WsWindow){.tau   = WS_NEVER,
                                  .tail  = ws->current,
                                  .ranks = {.n_digits = WS_RANK_DIGITS}};
   ws->n             = 1;
   ws->first         = 0;
   ws->first_tau     = taus->tau[0];
   for (UInt i = 0; i < taus->n; i++)
      add_window(ws, taus->tau[i]);
   ws->windows[ws->first].ranks.n_digits = WS_ALL_DIGITS;
}

static void free_epochs(WsEpoch* newest)
{
   for (WsEpoch* e = newest; e;) {
      WsEpoch* older = e->older;
      VG_(free)(e);
      e = older;
   }
}

void WS_(windows_done)(WsWindows* ws)
{
   free_epochs(ws->current);
   free_epochs(ws->spare);
   for (UInt i = 0; i < ws->n; i++)
      WS_(ranks_done)(&ws->windows[i].ranks);
}

WsEpoch* WS_(windows_enter_outside)(WsWindows* ws, WsEpoch* from)
{
   if (from == ws->current)
      return from;
   // An epoch outside a window does not count in its size.
   for (UInt i = 0; i < ws->n; i++) {
      WsWindow* w = &ws->windows[i];
      if (from && from->number >= w->tail->number)
         break;
      w->size++;
      w->n_entering++;
   }
   ws->current->n_pages++;
   if (from && --from->n_pages == 0)
      drop_epoch(ws, from);
   return ws->current;
}

void WS_(windows_cut)(WsWindows* ws, WsTick now)
{
   if (ws->current->n_pages == 0)
      return;
   ws->current->end = now;
   ws->current      = new_epoch(ws, ws->current);
}

/* Drops the epochs that ended before the window that ends at `now` starts; one
   that would start before the run has all of them. */
static void slide(WsWindow* w, WsTick now)
{
   while (now >= w->tau && w->tail->end <= now - w->tau) {
      w->size -= w->tail->n_pages;
      w->tail = w->tail->newer;
   }
}

void WS_(windows_sample)(WsWindows* ws, WsTick now)
{
   if (now == ws->next_doubling) {
      add_window(ws, now);
      ws->next_doubling = now > WS_NEVER / 2 ? WS_NEVER : 2 * now;
   }
   for (UInt i = 0; i < ws->n; i++) {
      WsWindow* w   = &ws->windows[i];
      w->most_pages = WS_(window_bound)(w);
      slide(w, now);
      WS_(stats_sample)(&w->stats, w->size);
      WS_(ranks_add)(&w->ranks, w->size);
      w->n_entered += w->n_entering;
      w->n_entering = 0;
   }
}

const WsWindow* WS_(windows_find)(const WsWindows* ws, WsTick tau)
{
   UInt i = 0;
   while (ws->windows[i].tau != tau && i < ws->n - 1)
      i++;
   return &ws->windows[i];
}
