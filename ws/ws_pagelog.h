/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* The page log: which pages each interval accessed, in which mappings they
   were, and which code brought pages into the first window.  Its format is in
   docs/page-log-format.md.

   Without a log, these functions do nothing; but WS_(pagelog_access) must not
   be called then.

   The log consists of parts. A part ends at each cut, at each mark, where
   memory is discarded, and where another thread goes on; it has the accesses
   since the end before. */

#ifndef WS_PAGELOG_H
#define WS_PAGELOG_H

#include "ws_base.h"
#include "ws_report.h"

/* Begins a log.  WS_(log_file) is open. */
void WS_(pagelog_begin)(const WsReportHeader* header);

/* Logs the first access to a page since its mark was cleared. `code` brings it
   into the first window, or writes it, or is WS_NO_CODE. */
#define WS_NO_CODE (~(UInt)0)
void WS_(pagelog_access)(WsKind kind, WsPage page, UInt code);

/* Logs the first fetch from a line of code, with --ws-code-lines=yes. */
void WS_(pagelog_line)(UWord line);

/* Ends a part at the cut t, passed at `now`. It `goes_on` if what was accessed
   counts up to the next cut, too (several cuts are due at once). */
void WS_(pagelog_cut)(WsTick t, WsInstrs now, Bool is_sample, Bool goes_on);

/* Notes which thread runs from here on. Tells whether another one did
   before. */
Bool WS_(pagelog_switch)(WsTick t, WsInstrs now, ThreadId tid);

/* The names of threads, as Linux has them (comm): that of the creator, at first
   the program's, up to a prctl, or a write to /proc/self/task/<n>/comm.  The
   last one is taken for the thread's own.  Only with --ws-threads=yes. */

/* Notes that a thread begins, with a number that another one may have had. */
void WS_(pagelog_thread)(ThreadId tid);

/* Looks at the name of the running thread.  WS_(pagelog_switch) does, too, for
   another thread may have named it. */
void WS_(pagelog_name)(ThreadId tid);

/* Writes all names to the report. */
void WS_(pagelog_names)(void);

/* Ends a part with a mark of the program. */
void WS_(pagelog_mark)(WsTick t, WsInstrs now, const HChar* label);

/* Note that memory has been mapped, or has changed; has been unmapped. */
void WS_(pagelog_map)(Addr a, SizeT szB);
void WS_(pagelog_unmap)(Addr a, SizeT szB);

/* Ends a part where mapped pages cease to be resident. */
void WS_(pagelog_discard)(WsTick t, WsInstrs now, Addr a, SizeT szB);

/* Ends the run's log. If an execve fails, the log goes on from where it was
   before this end. */
void WS_(pagelog_end)(WsTick t, WsInstrs now);

#endif
