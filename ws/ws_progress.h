/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* Lines for people who wait for a long run: --ws-progress.

   The time is that of ws_clock: while nothing is measured, nothing is said, and
   nothing while the program waits. */

#ifndef WS_PROGRESS_H
#define WS_PROGRESS_H

#include "ws_base.h"

/* A run begins. */
void WS_(progress_begin)(void);

/* The cut after `now` at the latest if `cut` is the next one that is due for
   another reason. */
WsTime WS_(progress_next_cut)(WsTime now, WsTime cut);

/* Whether to say something at `now`. */
Bool WS_(progress_is_due)(WsTime now);

/* Say it. */
void WS_(progress_say)(WsTime now, const WsSizes* wss);

/* Millions of instructions in a second, in tenths. */
ULong WS_(progress_speed)(WsTime instrs, ULong us);

#endif
