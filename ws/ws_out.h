/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* The file that the report goes to.

   What is appended reaches the file when 4 KiB have come together, when the
   program has run for a second, and before it enters a system call in which
   it might wait, so that a killed run loses next to nothing.

   The file descriptor is kept out of the client's sight, and the file stays
   open until the end: a client that changes its directory, root or user does
   not touch it.  When a write fails the user is told at once; the client runs
   on. */

#ifndef WS_OUT_H
#define WS_OUT_H

#include "ws_base.h"

/* Creates the file, or empties what is there.  But a report that this process
   has written before it became another program (execve), that a running process
   is writing, or, for a child, that any process has written, stays: a number is
   appended to the name then.  The name, from VG_(malloc), becomes this
   module's.  False, and no file, if it can't be created: WS_(out_error) says
   why. */
Bool WS_(out_open)(HChar* name, Bool is_child);

/* The name of the file, for people, and why an operation on it failed. */
const HChar* WS_(out_name)(void);
const HChar* WS_(out_error)(void);

/* Takes text; a WsSink. */
void WS_(out_append)(const HChar* text, SizeT n_bytes);

/* To be called after each row.  `now` says whether enough has been executed
   to make a look at the clock worth its price. */
void WS_(out_tick)(WsInstrs now);

/* To be called before a system call. */
void WS_(out_before_syscall)(void);

/* Everything taken so far goes to the file. */
void WS_(out_flush)(void);

/* For execve, before which the report must be complete, but which can fail.
   What is appended after WS_(out_mark) is overwritten if WS_(out_reopen) is
   called; in between WS_(out_release) closes the file, for the new program
   must not inherit it.  False, and nothing is marked, if the file can't do
   that: then the other two do nothing. */
Bool WS_(out_mark)(void);
void WS_(out_release)(void);
void WS_(out_reopen)(void);

/* Appends empty lines until the `n_bytes` that are still to come will cover
   whatever was overwritten. */
void WS_(out_pad)(SizeT n_bytes);

/* Flushes and closes.  False if something is missing in the file. */
Bool WS_(out_close)(void);

/* Forgets the file without touching it: it is the parent's. */
void WS_(out_abandon)(void);

#endif
