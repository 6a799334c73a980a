/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* A clock that can be stopped, for --ws-time-unit=ms.

   Generated code counts instructions, not microseconds: the tool looks at the
   clock whenever so many have been executed, around system calls, before
   translations and at client requests.  Samples are late by
   what has gone by since they were due, and rows say so. */

#ifndef WS_CLOCK_H
#define WS_CLOCK_H

#include "ws_base.h"

/* It shows 0, and stands still. */
void WS_(clock_reset)(void);

/* From now on it goes, or not. */
void WS_(clock_switch)(Bool on);

/* Microseconds while it went. */
WsTick WS_(clock_us)(void);

/* The time of the day: milliseconds since 1970. */
ULong WS_(clock_date_ms)(void);

/* After how many instructions to look again if `left_us` remain to a cut.  A
   look costs about as much as a thousand; 100,000 that access other pages all
   the time may take ten milliseconds. */
static inline WsInstrs WS_(clock_patience_instrs)(WsTick left_us)
{
   return left_us > 20000 ? 100000 : 10000;
}

#endif
