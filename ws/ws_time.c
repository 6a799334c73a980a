/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_time.h"

#include "ws_clo.h"
#include "ws_clock.h"
#include "ws_progress.h"

/* So that the counter fits into a word of 32 bits. */
#define MAX_DEADLINE_INSTRS ((WsInstrs)1 << 30)

WsTimeState WS_(time) = {.is_on = True};

static void set_counter(WsInstrs now)
{
   WS_(shared).counter = (Word)(Long)(now - WS_(time).stop - 1);
}

/* A segment that ends right at a cut may be the one whose stack is wanted. */
static void set_stop(void)
{
   WsInstrs now = WS_(time_now)();

   WS_(time).stop = WS_(time).deadline - WS_(clo_wants_stacks)();
   set_counter(now);
}

void WS_(time_begin)(void)
{
   WS_(cuts_init)(&WS_(time).cuts, WS_(clo).every, &WS_(clo).taus);
   WS_(clock_reset)();
   WS_(clock_switch)(WS_(time).is_on);
   WS_(progress_begin)();
   WS_(time).deadline = WS_(time).stop = 0;
   set_counter(0);
   set_stop();
}

WsTick WS_(time_ticks)(WsInstrs now)
{
   return WS_(clo).is_clocked ? WS_(clock_us)() : now;
}

WsTick WS_(time_ticks_of_end)(WsInstrs now)
{
   WsTick tick   = WS_(time_ticks)(now);
   WsTick sample = WS_(time).cuts.sample;

   if (WS_(clo).is_clocked)
      tick = (tick + 999) / 1000 * 1000;
   return tick < sample ? tick : sample;
}

Bool WS_(time_pass_cut)(void)
{
   return WS_(cuts_pass)(&WS_(time).cuts);
}

void WS_(time_set_deadline)(WsInstrs now, WsTick tick)
{
   WsTick   next = WS_(time).cuts.next;
   WsInstrs deadline;

   if (WS_(clo).is_clocked)
      deadline = now +
                 WS_(clock_patience_instrs)(tick < next ? next - tick : 0);
   else
      deadline = WS_(progress_next_look)(now, next);
   if (deadline - now > MAX_DEADLINE_INSTRS)
      deadline = now + MAX_DEADLINE_INSTRS;
   WS_(time).deadline = deadline;
   set_stop();
}

void WS_(time_switch)(Bool on)
{
   WS_(time).is_on = on;
   WS_(clock_switch)(on);
}
