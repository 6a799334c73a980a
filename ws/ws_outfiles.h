/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* The files that are written: the report, and the page log if it is wanted.

   What is appended reaches the file when 4 KiB have come together, when the
   program has run for a second, and before it enters a system call in which
   it might wait, so that a killed run loses next to nothing.

   The file descriptor is kept out of the client's sight, and the file stays
   open until the end: a client that changes its directory, root or user does
   not touch it.  When a write fails the user is told at once; the client runs
   on.

   A file that is not open takes what is appended, and forgets it. */

#ifndef WS_OUTFILES_H
#define WS_OUTFILES_H

#include "ws_base.h"
#include "ws_clo.h"

#define WS_FILE_BUFFER_SZB 4096

/* Its fields are this module's own. */
typedef struct {
   const HChar* noun;       // what it is, for people
   HChar*       name;       // expanded; NULL: never opened
   Int          fd;         // -1: not open
   Int          error;      // errno of the first failure, or 0
   Bool         is_regular; // a file with a position, and of this process alone

   HChar buffer[WS_FILE_BUFFER_SZB];
   SizeT n_buffered;
   UInt  last_write_ms;

   Off64T end;      // of the file, as if the buffer had been written
   Off64T mark;     // where to go back to, or none
   Off64T furthest; // the largest `end` that a return to the mark left behind
} WsFile;

extern WsFile WS_(report_file), WS_(log_file);

/* Append to a file; sinks (ws_report.h). */
void WS_(to_report)(const HChar* text, SizeT n_bytes);
void WS_(to_log)(const HChar* text, SizeT n_bytes);

/* --- One of them ---------------------------------------------------------- */

/* Gives since when a process has been running, in units of the system; or the
   largest number: there is none. PIDs come again, this does not. */
ULong WS_(process_start)(Int pid);

/* Creates the file, or empties what is there.  But a report that this process
   has written before it became another program (execve), that a running process
   is writing, or, for a child, that any process with another PID has written,
   stays: a number is appended to the name then.  A child's name is expanded
   anew; that of the first process becomes this module's.  False, and no file,
   if it can't be created: WS_(file_error) says why. */
Bool WS_(file_open)(WsFile* f, const WsFileOption* o, Bool is_child);

/* Give the name of the file, for people, and why an operation on it failed. */
const HChar* WS_(file_name)(const WsFile* f);
const HChar* WS_(file_error)(const WsFile* f);

/* Writes everything taken so far. */
void WS_(file_flush)(WsFile* f);

/* Marks this place for execve, before which the file must be complete, but
   which can fail.  What is appended after this is overwritten if
   WS_(files_go_back) is called.  False, and nothing is marked, if the file
   can't do that: then WS_(files_go_back) does nothing to it. */
Bool WS_(file_mark)(WsFile* f);

/* Appends empty lines until the `n_bytes` that are still to come will cover
   whatever was overwritten. */
void WS_(file_pad)(WsFile* f, SizeT n_bytes);

/* Flushes and closes. Gives the name; NULL: the file is not there, or something
   is missing in it, which is said. */
const HChar* WS_(file_close)(WsFile* f);

/* --- Messages ------------------------------------------------------------- */

/* Says something to the user while the program runs, as VG_(umsg) does. If it
   can't be written, that raises no signal that the program would get. (The
   end says once more which file is not complete.) */
UInt WS_(say)(const HChar* format, ...) PRINTF_CHECK(1, 2);

/* --- All of them ---------------------------------------------------------- */

/* Writes rows that are old enough.  Call it after each row: `now` says whether
   enough has been executed to make a look at the clock worth its price. */
void WS_(files_tick)(WsInstrs now);

/* Writes rows before a system call, in which the program might wait. */
void WS_(files_before_syscall)(void);

/* Goes back to the marks, if there are any. */
void WS_(files_go_back)(void);

/* Removes what has been made, for there will be no run. */
void WS_(files_discard)(void);

/* Forgets the files without touching them: they are the parent's. */
void WS_(files_abandon)(void);

#endif
