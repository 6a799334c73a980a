/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* What is said at the end of a run, or before, in some five lines: how much
   memory the program needs, when, and for what. ws_print has the rest. */

#ifndef WS_SUMMARY_H
#define WS_SUMMARY_H

#include "ws_base.h"
#include "ws_report.h"

/* To whom: VG_(umsg) or VG_(gdb_printf). */
typedef UInt (*WsSay)(const HChar* format, ...) PRINTF_CHECK(1, 2);

/* Says the summary. `report` is the name of its file, or NULL if it could not
   be written; `log` that of the page log. */
void WS_(summary_say)(WsSay to, const WsReportSummary* s, const HChar* report,
                      const HChar* log);

#endif
