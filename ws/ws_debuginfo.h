/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* The places of an address in the program's code: function, file, line and
   object. Only this module uses debug information.

   A place must be looked up before its code is unmapped, for the debug
   information goes with it. Texts are interned (ws_base.h).

   Generated code has the names that the program writes to /tmp/perf-<PID>.map
   for the profiler perf. */

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

/* The places of an address: in a function, and if that was inlined, in the
   function that it was inlined into, and so on. */
typedef struct {
   UInt n;
   Bool is_outermost; // main, or what calls it: frames further out are not
                      // shown (--show-below-main=no)
   Bool     is_last;  // it has no caller
   WsPlace* places;   // innermost first
} WsPlaces;

/* Makes Valgrind read about inlined functions, unless the user forbids it. The
   tool turns this on only while it looks up places: the core reads about libc
   as soon as libc is mapped, and with its inlined functions a start would take
   more than twice as long. */
void WS_(read_inlined)(Bool on);

/* Tells whether neither a file nor a name is known for an address. */
static inline Bool WS_(is_nowhere)(const WsPlaces* of)
{
   return of->n == 1 && !of->places[0].object[0] && !of->places[0].function[0];
}

/* Tells whether two addresses have the same places, to the line. */
Bool WS_(are_places_same)(const WsPlaces* a, const WsPlaces* b);

/* Finds the map of generated code.  Before the program starts. */
void WS_(places_init)(void);

/* Notes that the map may have grown, or been created. It is read when a name is
   wanted, or at once, for the program may delete it. Call it after a system
   call. */
void WS_(places_may_change)(Bool at_once);

/* Finds the places of an address. The result stays valid, but later calls may
   give another one when code is loaded or unloaded. */
const WsPlaces* WS_(places_of)(Addr ip);

#endif
