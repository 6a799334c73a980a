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

#include "ws_window.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_mallocfree.h"

static WsEpoch* new_epoch(WsTime start, WsEpoch* older)
{
   WsEpoch* e = VG_(malloc)("ws.window.epoch", sizeof *e);

   e->start   = start;
   e->end     = WS_NEVER;
   e->n_pages = 0;
   e->older   = older;
   e->newer   = NULL;
   if (older)
      older->newer = e;
   return e;
}

/* Only a closed epoch goes, so that there is always a newer one. */
static void drop_epoch(WsWindow* w, WsEpoch* e)
{
   tl_assert(e != w->current && e->n_pages == 0);
   if (e->older)
      e->older->newer = e->newer;
   e->newer->older = e->older;
   if (w->tail == e)
      w->tail = e->newer;
   VG_(free)(e);
}

void WS_(window_init)(WsWindow* w, WsTime tau_instrs)
{
   w->tau_instrs = tau_instrs;
   w->current = w->tail = new_epoch(0, NULL);
   w->size              = 0;
}

void WS_(window_done)(WsWindow* w)
{
   WsEpoch* e = w->current;
   while (e) {
      WsEpoch* older = e->older;
      VG_(free)(e);
      e = older;
   }
   w->current = w->tail = NULL;
}

WsEpoch* WS_(window_enter)(WsWindow* w, WsEpoch* from)
{
   if (from == w->current)
      return from;
   // An epoch outside the window no longer counts in its size.
   if (!from || from->start < w->tail->start)
      w->size++;
   w->current->n_pages++;
   if (from && --from->n_pages == 0)
      drop_epoch(w, from);
   return w->current;
}

void WS_(window_cut)(WsWindow* w, WsTime now)
{
   if (w->current->n_pages == 0) {
      w->current->start = now;
   } else {
      w->current->end = now;
      w->current      = new_epoch(now, w->current);
   }
}

void WS_(window_slide)(WsWindow* w, WsTime now)
{
   WsTime start = WS_(window_start)(w, now);

   while (w->tail != w->current && w->tail->end <= start) {
      w->size -= w->tail->n_pages;
      w->tail = w->tail->newer;
   }
}
