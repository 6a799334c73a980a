/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* What names of functions and files tell: which code is the program's own, and
   which the system's; and the names of generated code.

   Pure; memory comes from VG_(malloc). */

#ifndef WS_SYMBOLS_H
#define WS_SYMBOLS_H

#include "ws_base.h"

/* --- Own code ------------------------------------------------------------- */

/* Whose code a frame is. Only the tool decides; readers take its answer. The
   system's are libraries in its directories, the dynamic linker, Valgrind's
   preloads, and functions whose source lies in its include directories.
   Ws_Start runs main, a thread's function, or a closure. */
typedef enum { Ws_System, Ws_Start, Ws_Own, Ws_Generated } WsWhose;

/* Tells whose code this is, if the program has not generated it. `object` is
   its file; what is not known is empty. */
WsWhose WS_(whose)(const HChar* function, const HChar* file,
                   const HChar* object);

/* Tells whether a function of the system begins a thread. */
Bool WS_(begins_thread)(const HChar* function);

/* Tells whether the source file lies in the system's include directories. */
Bool WS_(is_system_source)(const HChar* file);

/* Finds a function's name without parameters in the long names of C++ and Rust;
   if it is longer than `max`, without type, class and template arguments, too.
   A closure keeps the name of its function. */
const HChar* WS_(brief_name)(const HChar* function, SizeT max,
                             /*OUT*/ SizeT* n_chars);

/* Recognizes functions that copy or move an object of a class; mostly, the
   compiler has made them. If the name is the class's alone, the caller that it
   is inlined into decides. */
Bool WS_(copies)(const HChar* function, const HChar* caller);

/* Recognizes the names of inlined closures and lambdas. */
Bool WS_(is_closure)(const HChar* function);

/* Gives the part of a path behind its last slash. */
const HChar* WS_(last_name)(const HChar* path);

/* --- The map of generated code -------------------------------------------- */

/* A program writes to /tmp/perf-<PID>.map what code it has generated.  Each
   line has the address and size of a piece of code, in hexadecimal, and its
   name. */

typedef struct {
   Addr         start;
   SizeT        szB;
   const HChar* name; // in the text
} WsPerfRange;

/* By addresses. */
typedef struct {
   UWord        n;
   WsPerfRange* ranges;
} WsPerfRun;

/* What has been read at different times; the oldest first. */
typedef struct {
   UInt      n;
   WsPerfRun runs[8 * sizeof(UWord)];
} WsPerfMap;

/* Adds lines that have been appended to a perf map. The names are in the text,
   which has to stay, and whose lines get 0 as their ends. Malformed lines are
   left out, and what follows the last newline. */
void WS_(perfmap_add)(WsPerfMap* map, HChar* text, SizeT n_chars);

/* Finds the range that the address is in; of several, the one with the highest
   start, and of these the last one: code is replaced. NULL: there is none. */
const WsPerfRange* WS_(perfmap_find)(const WsPerfMap* map, Addr a);

/* Cuts a name into its parts. Python writes py::function:file, Node.js
   JS:*function file:line:column; with others, all of the name is the
   function's. */
typedef struct {
   const HChar *function, *file;
   UInt         line; // 0: not known
} WsCodeName;
WsCodeName WS_(perfmap_name)(HChar* name);

#endif
