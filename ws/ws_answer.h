/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* What is said at the end of a run: how much memory the program needs, when,
   and for what, in plain words and in 15 lines at most. */

#ifndef WS_ANSWER_H
#define WS_ANSWER_H

#include "ws_base.h"
#include "ws_report.h"

/* `report` is the name of its file, or NULL if it could not be written; `log`
   that of the page log. */
void WS_(answer)(const WsReportSummary* s, const HChar* report,
                 const HChar* log);

#endif
