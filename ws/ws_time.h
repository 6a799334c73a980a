/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* The present time, and when the next cut is due.

   Time is counted by generated code, in

      counter = time - stop - 1

   to which each segment adds its instructions at its end.  As long as it is
   negative, time has not passed the stop, and nothing is due.  The stop is the
   deadline: the next cut (ws_window.h), or, where that depends on a clock, when
   to look at the clock again.  If samples may want call stacks, the stop is an
   instruction earlier.

   With --ws-time-unit=ms, there is a clock that can be stopped.
   Generated code counts instructions, not microseconds: the tool looks at
   the clock whenever so many have been executed, around system calls, before
   translations and at client requests.  Samples are late by the time that
   has gone by since they were due, and rows say so. */

#ifndef WS_TIME_H
#define WS_TIME_H

#include "ws_base.h"
#include "ws_pagemarks.h"
#include "ws_window.h"

typedef struct {
   WsCuts   cuts;     // in ticks
   WsInstrs deadline; // up to here no cut is due
   WsInstrs stop;
   Bool     is_on; // the program is measured; if not, time stands still
} WsTimeState;
extern WsTimeState WS_(time); // only to be read, but for WS_(cuts_pass)

/* Begins a run at time 0. */
void WS_(time_begin)(void);

/* Counts the guest instructions that have been executed. */
static inline WsInstrs WS_(time_now)(void)
{
   return WS_(time).stop + 1 + (Long)WS_(shared).counter;
}

/* Gives microseconds by the clock, which stands still while nothing is
   measured. */
ULong WS_(time_us)(void);

/* Gives the time as the user counts it, now or when it was `now`. */
WsTick WS_(time_ticks)(WsInstrs now);

/* Gives the same for the report: a millisecond that has begun counts as a whole
   one. It is never after the next cut, even if the clock has just passed that:
   what happens at this time comes before the cut. */
WsTick WS_(time_ticks_of_end)(WsInstrs now);

/* Sets the next deadline: nothing is due any more up to `now`, which is not
   after the present time. */
void WS_(time_set_deadline)(WsInstrs now, WsTick tick);

/* Starts or stops time. */
void WS_(time_switch)(Bool on);

/* Learns from the report that --ws-progress names how long a former run was. */
void WS_(progress_init)(void);

/* Says a line for --ws-progress at `now` if it is due. While nothing is
   measured, or the program waits, nothing is said. */
void WS_(progress)(WsInstrs now);

/* Gives millions of instructions per second, in tenths. */
ULong WS_(progress_speed)(WsInstrs instrs, ULong us);

#endif
