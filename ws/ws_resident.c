/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_resident.h"

WsResident WS_(resident);

void WS_(resident_begin)(void)
{
   WS_(resident) = (WsResident){.of = {{.n_pages = 0}}};
}

/* In one segment, pages need not come in the order of time: the latest of those
   that make up the most counts. */
static Bool add(WsResidentCount* c, WsTick t)
{
   if (++c->n_pages <= c->most_pages)
      return False;
   c->most_pages = c->n_pages;
   if (c->most_t < t)
      c->most_t = t;
   return True;
}

Bool WS_(resident_add)(WsKind kind, Bool is_other, WsTick t)
{
   add(&WS_(resident).of[kind], t);
   return !is_other && add(&WS_(resident).of[WS_ALL_RESIDENT], t);
}

void WS_(resident_drop)(WsKind kind, Bool is_other)
{
   WS_(resident).of[kind].n_pages--;
   if (!is_other)
      WS_(resident).of[WS_ALL_RESIDENT].n_pages--;
}
