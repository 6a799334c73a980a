/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* A run, from the process's start, or the fork that made it, to its end or the
   execve that makes another program of it: one report, and one page log. */

#ifndef WS_RUN_H
#define WS_RUN_H

#include "ws_base.h"
#include "ws_outfiles.h"
#include "ws_summary.h"

/* Begins a run at time 0: opens report and page log, and writes their headers
   and the first row.  `parent_pid` is 0, or says that this is a child forked
   from that process, whose files stay as they are.  Gives the file that can't
   be opened, and will not be written then; NULL: there is none. */
const WsFile* WS_(run_begin)(Int parent_pid);

/* Ends the run: completes the files, and prints the summary. */
void WS_(run_end)(void);

/* Completes the files before the process becomes another program. If execve
   fails, the run goes on as if nothing had happened, after WS_(files_go_back).
   Says where the report is. */
void WS_(run_before_exec)(void);

/* Ends a phase here, with a label (a text from ws_base.h), and with the stack
   of the thread unless that is VG_INVALID_THREADID. */
void WS_(run_mark)(const HChar* label, ThreadId tid);

/* Prints the summary so far, as if the run ended here. */
void WS_(run_answer)(WsSay to);

/* Starts or stops measuring. */
void WS_(run_switch)(Bool on);

#endif
