/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* The summary on the terminal, some five lines: how much memory the program
   needs, when, and for what. ws_print has the rest. */

#ifndef WS_SUMMARY_H
#define WS_SUMMARY_H

#include "ws_base.h"
#include "ws_report.h"

/* Where it is printed: VG_(umsg) or VG_(gdb_printf). */
typedef UInt (*WsSay)(const HChar* format, ...) PRINTF_CHECK(1, 2);

/* Prints the summary. `report` is the name of its file, or NULL if it could not
   be written; `log` that of the page log. */
void WS_(summary_say)(WsSay to, const WsReportSummary* s, const HChar* report,
                      const HChar* log);

#endif
