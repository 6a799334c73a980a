/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_prominence.h"

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
   if (size < p->low)
      p->low = size;
   if (size == 0 || !is_ground(p->low, size))
      return Ws_NoPeak;
   p->is_rising = True;
   p->high      = size;
   return Ws_HighestSoFar;
}
