/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* What the working sets consisted of, at the samples that matter: the largest
   one, the highest peaks (ws_stats.h), those that the user names, and
   snapshots.

   PURPOSE: to tell what a sample consisted of after it has turned out to be a
   peak.  Each one that is the highest so far is a candidate, and its
   composition is kept (ws_origins.h), which costs nothing.  When the next
   ground shows that it was a peak, and among the highest ones, it is copied. */

#ifndef WS_KEPT_H
#define WS_KEPT_H

#include "ws_base.h"
#include "ws_origins.h"
#include "ws_report.h"

/* Begins a run. */
void WS_(kept_begin)(WsReportParts parts);

/* Looks at a sample of these sizes at `t`; whether the user has named it. */
void WS_(kept_sample)(WsTick t, const WsSizes* wss, Bool is_info_at);

/* Keeps a snapshot at `t`, with its label.  If a sample `is_due` then, and
   has not been taken, it will be the snapshot. */
void WS_(kept_snapshot)(WsTick t, Bool is_due, const HChar* label);

/* Finds the largest sample, and its composition, whose items are to be freed.
   False: there is none. */
Bool WS_(kept_largest)(UInt set, /*OUT*/ WsReportKept* row,
                       /*OUT*/ WsShares* shares);

/* Writes the sections: samples that are kept, what they consist of, what has
   entered, and the stacks that these refer to.  Windows that are as long as the
   run, which ends at `end`, or longer, are all the same: only the shortest of
   them is there. */
void WS_(kept_report)(WsTick end);

#endif
