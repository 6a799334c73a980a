/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* Code that the program generates, by the names that it writes to
   /tmp/perf-<PID>.map for the profiler perf.

   The file is trusted only if it is the user's own, and no link.  It is read
   again when it has grown, which takes a system call; what was in it before the
   process executed this program, or was forked, is left out.  Of a large file,
   MAX_MAP_SZB are read. */

#ifndef WS_GENERATED_H
#define WS_GENERATED_H

#include "ws_base.h"
#include "ws_symbols.h"

/* Before the program starts. */
void WS_(generated_init)(void);

/* The program has made a system call. */
void WS_(generated_may_change)(void);

/* The name of the code at an address, and of the map's file (a text from
   ws_text.h); NULL: there is none.  It is valid until the next call. */
const WsPerfRange* WS_(generated_at)(Addr a, /*OUT*/ const HChar** file);

#endif
