/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* The names of threads, as Linux has them (comm): a thread has that of its
   creator, and the first one that of the program, up to a prctl, or a write to
   /proc/self/task/<n>/comm.  The last name of a thread is taken for its own:

      thread 2 begins             prog     (its creator's)
      prctl                       worker
      ends, after 5,000 instr.             Threads: 2  5000  worker

   Only with --ws-threads=yes. */

#ifndef WS_THREADS_H
#define WS_THREADS_H

#include "ws_base.h"

/* Begins a run. The process's own name is still the tool's, unless it is a
   forked child. */
void WS_(threads_begin)(Bool is_child);

/* Begins a thread, with the number of one that may have ended. */
void WS_(thread_begins)(ThreadId tid);

/* Looks at the name of the running thread: when it goes on after another one,
   which may have named it, and when it has named itself. */
void WS_(thread_look)(ThreadId tid, WsInstrs now);

/* Writes the names of all threads, and how much each has executed. */
void WS_(threads_report)(WsInstrs now);

#endif
