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
