/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* What a program says about code that it has generated: the text of a
   /tmp/perf-<PID>.map.  Each line has the address and size of a piece of code,
   in hexadecimal, and its name.

   Pure; memory comes from VG_(malloc). */

#ifndef WS_PERFMAP_H
#define WS_PERFMAP_H

#include "ws_base.h"

/* A part of the text. */
typedef struct {
   const HChar* chars;
   SizeT        n;
} WsWords;

typedef struct {
   Addr    start;
   SizeT   szB;
   WsWords name;
} WsPerfRange;

typedef struct {
   UWord        n;
   WsPerfRange* ranges; // by addresses, those at the same by lines
} WsPerfMap;

/* The names are in the text, which has to stay.  Lines that make no sense are
   left out, and what follows the last newline. */
WsPerfMap WS_(perfmap_read)(const HChar* text, SizeT n_chars);
void WS_(perfmap_done)(WsPerfMap* map);

/* What the address is in; of several, the one with the highest start, and of
   these the last one: code is replaced.  NULL: nothing. */
const WsPerfRange* WS_(perfmap_find)(const WsPerfMap* map, Addr a);

/* Python writes py::function:file, Node.js JS:*function file:line:column; with
   others, all of the name is the function's. */
typedef struct {
   WsWords function, file;
   UInt    line; // 0: not known
} WsPerfName;
WsPerfName WS_(perfmap_name)(WsWords name);

#endif
