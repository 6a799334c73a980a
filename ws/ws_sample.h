/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* Samples: at each k*T the sizes of all windows, what statistics make of them,
   and a row of the table; and phases, from one mark that the program makes to
   the next.

   Rows and phases refer to call stacks.  The section "Sample info" has each
   distinct entry once, with a small number, however many refer to it.

   What the working sets consisted of is kept at the samples that matter: the
   largest one, the highest peaks (ws_stats.h), those that the user names, and
   snapshots.

   PURPOSE: to tell what a sample consisted of after it has turned out to be a
   peak.  Each one that is the highest so far is a candidate, and its
   composition is kept (ws_origins.h), which costs nothing.  When the next
   ground shows that it was a peak, and among the highest ones, it is copied. */

#ifndef WS_SAMPLE_H
#define WS_SAMPLE_H

#include "ws_base.h"
#include "ws_origins.h"
#include "ws_report.h"

/* Begins a run with the first row.  VG_(read_millisecond_timer) gave `begin_ms`
   at its start. */
void WS_(sample_begin)(UInt begin_ms);

/* Takes the sample that was due `late` ticks ago; the sets know all accesses
   that belong to it.  `stack` is that of its last instruction (ws_stacks.h),
   or WS_NO_FRAME.  Gives the sizes. */
const WsSizes* WS_(sample_take)(WsTick due, WsTick late, UInt stack);

/* Notes that resident memory changes from `t` on (call it before it does), or
   stays as it is. While it stays, nobody looks at the clock. */
void WS_(sample_resident)(Bool changes, WsTick t);

/* Gives the sizes at the last sample; before the first one, the number of all
   pages that the sets know.  And what to call them. */
const WsSizes* WS_(sample_sizes)(/*OUT*/ const HChar** name);

/* Tells whether the next sample may want a stack if it is due at `due`. */
Bool WS_(sample_may_want_stack)(WsTick due);

/* Ends a phase with a mark at `t`, and begins the next one.  All accesses so
   far are known to the sets.  With a stack, the mark is a snapshot;
   WS_NO_FRAME: it is none.  Equal labels are one pointer. `is_sample_due`: at
   `t`, too. */
void WS_(sample_mark)(WsTick t, WsInstrs now, const HChar* label, UInt stack,
                      Bool is_sample_due);

/* Takes a snapshot of the heap if resident memory has grown by a hundredth
   since the one before. Call it before memory is given back. */
void WS_(sample_heap)(WsTick t);

/* Fills in what the summary says of samples, and of the totals, at s->end;
   whether the run ends there. */
void WS_(sample_summary)(/*OUT*/ WsReportSummary* s, Bool is_end);

/* A sample that is kept, and its composition. */
typedef struct {
   WsReportKept row;
   WsShares     shares;
} WsKept;

/* Finds the largest sample of a set.  The caller frees its items: NULL if there
   is none. */
WsKept WS_(sample_largest)(UInt set);

/* Writes the sections: samples that are kept, what they consist of, and what
   has entered; phases, if there was any mark; and sample info.  The run ends at
   `end`.  Windows that are as long as the run or longer are all the same: only
   the shortest of them is there. */
void WS_(sample_report)(WsTick end, WsInstrs now);

#endif
