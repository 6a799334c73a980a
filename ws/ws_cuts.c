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

#include "ws_cuts.h"

/* The member of a series after `t`; times beyond 64 bits never come. */
static WsTime step(WsTime t, WsTime every_instrs)
{
   return t > WS_NEVER - every_instrs ? WS_NEVER : t + every_instrs;
}

static WsTime earliest(const WsCuts* cuts, WsTime now)
{
   WsTime next = step(now, WS_MAX_EPOCH_INSTRS);
   if (cuts->sample < next)
      next = cuts->sample;
   if (cuts->opening < next)
      next = cuts->opening;
   return next;
}

void WS_(cuts_init)(WsCuts* cuts, WsTime every_instrs, WsTime tau_instrs)
{
   WsTime past_sample = tau_instrs % every_instrs;

   cuts->every_instrs = every_instrs;
   cuts->sample       = every_instrs;
   cuts->opening      = past_sample ? every_instrs - past_sample : WS_NEVER;
   cuts->next         = earliest(cuts, 0);
}

Bool WS_(cuts_pass)(WsCuts* cuts)
{
   WsTime now       = cuts->next;
   Bool   is_sample = now == cuts->sample;

   if (is_sample)
      cuts->sample = step(now, cuts->every_instrs);
   if (now == cuts->opening)
      cuts->opening = step(now, cuts->every_instrs);
   cuts->next = earliest(cuts, now);
   return is_sample;
}
