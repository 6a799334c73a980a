/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* Phases: the time from one mark that the program makes to the next, and what
   was accessed in it. */

#ifndef WS_PHASES_H
#define WS_PHASES_H

#include "ws_base.h"
#include "ws_report.h"

/* A run begins, and the first phase with it. */
void WS_(phases_begin)(void);

/* The phase that a sample due at `t`, now or later, belongs to.  (It may be
   taken right after a mark at that time: then that is the phase before.)  Of
   the present one, the end and what comes with it are open. */
WsReportPhase* WS_(phase_of)(WsTick t);

/* A sample, due at `t`. */
void WS_(phases_sample)(WsTick t, const WsSizes* sizes);

/* The phase ends with a mark at `t`, and the next one begins.  All accesses so
   far are known to the sets. */
void WS_(phases_end_one)(WsTick t, WsInstrs now, const HChar* label, UInt info);

/* Writes the section if there was any mark; the run ends at `t`. */
void WS_(phases_report)(WsSink sink, WsReportParts parts, WsTick t,
                        WsInstrs now);

#endif
