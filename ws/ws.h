/*
   ----------------------------------------------------------------

   Notice that the following BSD-style license applies to this one
   file (ws.h) only.  The rest of ws is licensed under the terms of the
   GNU General Public License, version 2 or later, unless otherwise
   indicated.  See the LICENSE file for details.

   ----------------------------------------------------------------

   This file is part of ws, a Valgrind tool that measures working sets.

   Copyright (C) 2026 the ws developers.  All rights reserved.

   Redistribution and use in source and binary forms, with or without
   modification, are permitted provided that the following conditions
   are met:

   1. Redistributions of source code must retain the above copyright
      notice, this list of conditions and the following disclaimer.

   2. Redistributions in binary form must reproduce the above copyright
      notice, this list of conditions and the following disclaimer in the
      documentation and/or other materials provided with the
      distribution.

   THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS
   "AS IS" AND ANY EXPRESS OR IMPLIED WARRANTIES, INCLUDING, BUT NOT
   LIMITED TO, THE IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS FOR
   A PARTICULAR PURPOSE ARE DISCLAIMED.  IN NO EVENT SHALL THE COPYRIGHT
   HOLDER OR CONTRIBUTORS BE LIABLE FOR ANY DIRECT, INDIRECT, INCIDENTAL,
   SPECIAL, EXEMPLARY, OR CONSEQUENTIAL DAMAGES (INCLUDING, BUT NOT
   LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS OR SERVICES; LOSS OF USE,
   DATA, OR PROFITS; OR BUSINESS INTERRUPTION) HOWEVER CAUSED AND ON ANY
   THEORY OF LIABILITY, WHETHER IN CONTRACT, STRICT LIABILITY, OR TORT
   (INCLUDING NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY OUT OF THE USE
   OF THIS SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.

   ----------------------------------------------------------------
*/

/* What a program can tell ws, the working set profiler, when it runs under
   it.  Include this file, as <valgrind/ws.h>, in a C or C++ program.  Without
   Valgrind, and under its other tools, the macros do nothing; they cost a few
   instructions. */

#ifndef __WS_H
#define __WS_H

#include "valgrind.h"

/* !! ABIWARNING !! The numbers are in compiled programs: add new ones at the
   end. */
typedef enum {
   VG_USERREQ__WS_MARK = VG_USERREQ_TOOL_BASE('W', 'S'),
   VG_USERREQ__WS_SNAPSHOT,
   VG_USERREQ__WS_START,
   VG_USERREQ__WS_STOP
} Vg_WsClientRequest;

/* Ends a phase here, at this very instruction: the report says how many pages
   the program has accessed since the mark before, or the start.  The label, a
   0-terminated string, names the phase that ends. */
#define WS_MARK(label)                                                         \
   VALGRIND_DO_CLIENT_REQUEST_STMT(VG_USERREQ__WS_MARK, (label), 0, 0, 0, 0)

/* The same, and the report has the call stack. */
#define WS_SNAPSHOT(label)                                                     \
   VALGRIND_DO_CLIENT_REQUEST_STMT(VG_USERREQ__WS_SNAPSHOT, (label), 0, 0, 0, 0)

/* Measure only a part of the program: between WS_STOP and WS_START its time
   stands still, and what it accesses is not seen.  It runs nearly as fast there
   as with --tool=none, but each change makes Valgrind translate all code anew:
   do not change thousands of times.  With --ws-at-start=no, measuring begins at
   the first WS_START.  WS_START does nothing while measuring, nor does WS_STOP
   while not. */
#define WS_START                                                               \
   VALGRIND_DO_CLIENT_REQUEST_STMT(VG_USERREQ__WS_START, 0, 0, 0, 0, 0)
#define WS_STOP                                                                \
   VALGRIND_DO_CLIENT_REQUEST_STMT(VG_USERREQ__WS_STOP, 0, 0, 0, 0, 0)

#endif
