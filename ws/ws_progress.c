/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_progress.h"

#include "pub_tool_libcprint.h"
#include "ws_clo.h"
#include "ws_clock.h"
#include "ws_stats.h"

/* A look at the clock costs about as much as a thousand of them; a million take
   a tenth of a second at most, usually. */
#define INSTRS_PER_LOOK 1000000

static struct {
   WsInstrs last_look;
   WsInstrs said_instrs; // in the last line
   ULong    said_us;
} progress;

void WS_(progress_begin)(void)
{
   progress.last_look   = 0;
   progress.said_instrs = 0;
   progress.said_us     = 0;
}

WsInstrs WS_(progress_next_look)(WsInstrs now, WsInstrs cut)
{
   return WS_(clo).progress_s && cut - now > INSTRS_PER_LOOK
             ? now + INSTRS_PER_LOOK
             : cut;
}

/* Whether to say something at `now`. */
static Bool is_due(WsInstrs now)
{
   if (!WS_(clo).progress_s || now - progress.last_look < INSTRS_PER_LOOK)
      return False;
   progress.last_look = now;
   return (WS_(clock_us)() - progress.said_us) / 1000000 >= WS_(clo).progress_s;
}

ULong WS_(progress_speed)(WsInstrs instrs, ULong us)
{
   return us ? WS_(stats_ratio)(instrs, us, 1) : 0;
}

void WS_(progress)(WsInstrs now, const HChar* name, const WsSizes* sizes)
{
   if (!is_due(now))
      return;

   ULong us    = WS_(clock_us)();
   ULong speed = WS_(progress_speed)(now - progress.said_instrs,
                                     us - progress.said_us);

   VG_(umsg)("Progress: %llu s, %llu instructions, %llu.%llu million/s, "
             "%s: %lu pages of code, %lu of data\n",
             us / 1000000, now, speed / 10, speed % 10, name,
             sizes->of[Ws_Insn][0], sizes->of[Ws_Data][0]);
   progress.said_instrs = now;
   progress.said_us     = us;
}
