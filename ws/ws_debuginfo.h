/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* Places in the program's code, in words: the only user of debug
   information.

   What a place is called must be found out before the code is unmapped, and its
   debug information with it.  Texts are from ws_base.h.

   Code that the program generates has the names that it writes to
   /tmp/perf-<PID>.map for the profiler perf. */

#ifndef WS_DEBUGINFO_H
#define WS_DEBUGINFO_H

#include "ws_base.h"
#include "ws_symbols.h"

typedef struct {
   UInt         line;     // 0: not known
   const HChar* function; // empty: not known
   const HChar* file;     // with its directory; empty: not known
   const HChar* object;   // file of the code, or of its name; empty: none
   const HChar* names;    // function|file|object, for a report
   WsWhose      whose;
} WsPlace;

/* What an address is: a place in a function, and if that has been inlined, in
   the one that it has been inlined into, and so on. */
typedef struct {
   UInt n;
   Bool is_outermost; // main, or what calls it: what is further out is of
                      // no interest (--show-below-main=no)
   Bool     is_last;  // it has no caller
   WsPlace* places;   // innermost first
} WsPlaces;

/* Turns on Valgrind's reading about inlined functions, unless the user forbids
   it; the tool does so while it asks for places. The core itself reads about
   libc as soon as it is mapped, where nobody looks for inlined functions: that
   would more than double what a start takes. */
void WS_(read_inlined)(Bool on);

/* Tells whether nothing is known of an address: neither a file nor a name. */
static inline Bool WS_(is_nowhere)(const WsPlaces* of)
{
   return of->n == 1 && !of->places[0].object[0] && !of->places[0].function[0];
}

/* Compares what two addresses are called, to the line. */
Bool WS_(are_places_same)(const WsPlaces* a, const WsPlaces* b);

/* Finds the map of generated code.  Before the program starts. */
void WS_(places_init)(void);

/* Looks at that map again when it is wanted, or at once: the program may have
   created it, and may delete it.  Call it after a system call. */
void WS_(places_may_change)(Bool at_once);

/* Finds what an address is.  The result stays valid, but another call may
   give another result when code is loaded or unloaded. */
const WsPlaces* WS_(places_of)(Addr ip);

#endif
