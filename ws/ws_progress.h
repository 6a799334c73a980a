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

/* When to look at the clock after `now`, but not after `deadline`, at which the
   tool is called anyway. */
WsInstrs WS_(progress_next_look)(WsInstrs now, WsInstrs deadline);

/* Says something at `now` if it is due, with sizes and what to call them. */
void WS_(progress)(WsInstrs now, const HChar* name, const WsSizes* sizes);

/* Millions of instructions in a second, in tenths. */
ULong WS_(progress_speed)(WsInstrs instrs, ULong us);

#endif
