/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* The entry from generated code: accesses to pages that are not marked, and
   cuts of time.

   Generated code does a segment alone if all its pages are marked and the
   deadline has not been passed.  Else, after the segment has been executed, it
   calls the tool.  Mostly only a mark is missing; then the pages are marked and
   the time at which each was accessed does not matter.  If time has passed the
   deadline, the segment is done in the order of time, with the cuts at their
   places: samples are exact. */

#ifndef WS_SLOWPATH_H
#define WS_SLOWPATH_H

#include "ws_base.h"
#include "ws_segment.h"

/* Helps generated code: the segment has been executed, and the counter includes
   it. The guest state tells where its accesses were: `guest` is for
   WS_(guest_word). */
VG_REGPARM(1) void WS_(slowpath)(const WsSegment* seg, const UChar* guest);

/* While no client code runs, or from what it calls: */

/* Notes that this thread runs from here on: what it accesses is told apart from
   what others have (--ws-threads=yes).  The second argument is the core's. */
void WS_(thread_runs)(ThreadId tid, ULong n_blocks);

/* Counts that the kernel accesses [a, a + szB) for the process, now. */
void WS_(access_by_kernel)(ThreadId tid, Addr a, SizeT szB, Bool is_write);

/* What the process did since the last look at the clock. */
typedef enum { Ws_Executed, Ws_Waited } WsSpan;

/* Takes the samples that are due by the clock, with the stack of the thread;
   VG_INVALID_THREADID: without one. */
void WS_(look_at_clock)(ThreadId tid, WsSpan span);

/* Gives the time at which the run ends, if it ends now.  A sample that is due
   at this very moment is taken. */
WsTick WS_(reach_end)(void);

#endif
