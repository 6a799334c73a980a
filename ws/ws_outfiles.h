/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* The files that the tool writes: the report and the page log.

   The buffer is written when 4 KiB have come together, when the program has run
   for half a second, and before it enters a system call in which it might wait:
   a killed run loses next to nothing.

   The file descriptor is out of the client's range, and the file stays open
   until the end: a client that changes its directory, root or user does not
   affect it.  When a write fails the user is told at once; the client runs on.

   What is appended to a file that is not open is discarded. */

#ifndef WS_OUTFILES_H
#define WS_OUTFILES_H

#include "ws_base.h"
#include "ws_clo.h"

#define WS_FILE_BUFFER_SZB 4096

/* Its fields are private to this module. */
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

/* Gives the start time of a process in the system's units; the largest number:
   there is no such process. PIDs are used again; together with this, they are
   unique. */
ULong WS_(process_start)(Int pid);

/* Creates or empties the file. A report stays if a running process is writing
   it, if this process wrote it before an execve, or, in a child, if any other
   process wrote it: then a number is added to the name. A child's name is
   expanded anew; that of the first process becomes this module's. False if no
   file can be created: WS_(file_error) says why. */
Bool WS_(file_open)(WsFile* f, const WsFileOption* o, Bool is_child);

/* Give the name of the file, for people, and why an operation on it failed. */
const HChar* WS_(file_name)(const WsFile* f);
const HChar* WS_(file_error)(const WsFile* f);

/* Writes everything taken so far. */
void WS_(file_flush)(WsFile* f);

/* Marks the present end of the file before an execve. The file must be complete
   then, but if the execve fails, WS_(files_go_back) returns to the mark, and
   what was appended after it is overwritten. False if the file can't go back,
   as a pipe: it gets no mark. */
Bool WS_(file_mark)(WsFile* f);

/* Appends empty lines until the `n_bytes` that are still to come will cover
   whatever was overwritten. */
void WS_(file_pad)(WsFile* f, SizeT n_bytes);

/* Flushes and closes the file. Gives its name; NULL: it was never opened, or is
   not complete, which the user is told. */
const HChar* WS_(file_close)(WsFile* f);

/* --- Messages ------------------------------------------------------------- */

/* Prints a message while the program runs, as VG_(umsg) does; but if writing
   fails, the program gets no signal, and the message is lost. So the end names
   incomplete files again. Gives the length of the message. */
UInt WS_(say)(const HChar* format, ...) PRINTF_CHECK(1, 2);

/* --- All of them ---------------------------------------------------------- */

/* Writes rows that are old enough. Call it after each row. It looks at the
   clock only if enough has been executed up to `now`. */
void WS_(files_tick)(WsInstrs now);

/* Writes rows before a system call, in which the program might wait. */
void WS_(files_before_syscall)(void);

/* Goes back to the marks, if there are any. */
void WS_(files_go_back)(void);

/* Removes the files, for there will be no run. */
void WS_(files_discard)(void);

/* Forgets the files without touching them: they are the parent's. */
void WS_(files_abandon)(void);

#endif
