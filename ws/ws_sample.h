/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* The run: time goes by, pages are accessed, and at every k*T a row of the
   report is written.

   This is where the pieces meet: the cuts of time (ws_cuts.h), the sets of
   pages (ws_pages.h), the statistics and the report.  It is told of
   accesses and cuts in the order of time. */

#ifndef WS_SAMPLE_H
#define WS_SAMPLE_H

#include "ws_base.h"
#include "ws_pages.h"

/* A run starts at time 0: opens the report and writes its first row.
   `parent_pid` is 0, or says that this is a child forked from that process.
   False if the report can't be opened: it will not be written then. */
Bool WS_(run_begin)(Int parent_pid);

/* Up to where time may go before WS_(run_cut) must be called: an instruction
   at the time of the cut is still before it.  (With --ws-time-unit=ms, there
   need not be a cut then.) */
WsTime WS_(run_next_cut)(void);

/* Up to here an access to an armed page need not be told; from here up to the
   cut, every access must be.  The counter counts from here. */
WsTime WS_(run_next_stop)(void);

/* The base of the stamps: the stop, or after it that of the next span. */
WsTime WS_(run_stamp_base)(void);

/* Time has gone past the stop, but not past the cut. */
void WS_(run_stop)(void);

/* Time has come to the next cut and every access up to it is known.  Accesses
   up to `end`, after the cut, will be told in any case. */
void WS_(run_cut)(WsTime end);

/* What the process did up to now, since it was known what time it is. */
typedef enum { Ws_Executed, Ws_Waited } WsSpan;

/* Time may have gone by, by the clock, up to `now`.  If samples were due then,
   their stack is that of the thread, or is not to be had any more
   (VG_INVALID_THREADID). */
void WS_(run_look_at_clock)(WsTime now, ThreadId tid, WsSpan span);

/* A row may have got the stack that it had waited for, at `end`, where time is
   now.  Until then the stop is the cut. */
void WS_(run_resume)(WsTime end);

/* Whether the stack at `now` may be needed for the next sample. */
Bool WS_(run_may_want_stack)(WsTime now);

/* The page is accessed, in the current epoch.  It is armed with `stamp`, unless
   that is NULL. */
void WS_(run_access)(WsKind kind, WsPage page, const WsTouch* touch,
                     WsStamp* stamp);

/* The program may access [a, a + szB) from now on. */
void WS_(run_reach)(Addr a, SizeT szB);

/* The program has mapped [a, a + szB).  Pages that lie in it are new ones; of a
   page that is larger than the system's, all must be mapped at once. */
void WS_(run_mapped)(Addr a, SizeT szB);

/* A row of its own at `now`, with a label (a text from ws_text.h), and with the
   stack of the thread unless that is VG_INVALID_THREADID. */
void WS_(run_mark)(WsTime now, const HChar* label, ThreadId tid);

/* The sizes of W(now, tau). */
void WS_(run_look)(WsTime now, /*OUT*/ WsSizes* wss);

/* Whether the program is measured; if not, time stands still, and nothing of
   the above is to be called but marks and what is mapped. */
Bool WS_(run_is_on)(void);

/* Says so.  Existing translations are to be discarded after a change. */
void WS_(run_switch)(Bool on);

/* The run ends at `now`: completes the report and says on the terminal what
   was found. */
void WS_(run_end)(WsTime now);

/* The process will become another program at `now`, unless execve fails: then
   it goes on as if nothing had been. */
void WS_(run_before_exec)(WsTime now);
void WS_(run_after_failed_exec)(void);

/* In a forked child: forgets everything, in order to begin anew.  The report
   so far is the parent's and stays as it is. */
void WS_(run_abandon)(void);

/* For --stats=yes. */
void WS_(run_print_stats)(void);

#endif
