/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* The code that is added at a segment's end: C for IR.

   A draft is a segment that is being made. ws_instrument.c puts instructions
   and accesses into it; when it is complete, this module makes its code and its
   description (ws_segment.h). The code looks like this:

      counter += number of instructions
      all      = counter
      for each group of accesses in the segment, and its mark (ws_pagemarks.h):
         all  &= mark
      for each further code page:
         all  &= ~mark
      if (all >= mark of the first code page)
         slowpath()

   and if accesses are counted, before it for each code page and group

      count += number of accesses

   So the tool is called if the counter is not negative, or a mark is missing.

   The code comes after the accesses: a bad address must fault in the client,
   not in the tool. If a fault cuts a segment short, none of it is counted. */

#ifndef WS_EMIT_H
#define WS_EMIT_H

#include "ws_base.h"
#include "ws_ir.h"
#include "ws_segment.h"

typedef enum {
   Ws_Slotted, // accesses around a root
   Ws_Fixed,   // all accesses in a page that is known now
   Ws_Other    // a single access for which there is no slot
} WsGroupKind;

/* A set of accesses whose addresses differ by constants and that lie close
   together, or all accesses to constant addresses in one page. */
typedef struct {
   WsGroup     group; // but for its address
   WsGroupKind kind;
   WsAddress   first; // byte
   IRExpr*     at;    // its address as an atom, or NULL
   UInt        n_accesses;
   IRExpr*     guard; // NULL: always; else of a single access
} WsDraftGroup;

/* Instructions are numbered as in the description. */
typedef struct {
   IRSB* out;

   WsSegment    seg; // its counts; the arrays follow
   Addr         addresses[WS_MAX_SEGMENT_INSTRS + 1]; // of instructions
   WsFetch      fetches[WS_MAX_FETCHES];
   WsDraftGroup groups[WS_MAX_GROUPS];
   WsAccess     accesses[WS_MAX_ACCESSES];
   Bool         must_call; // the tool each time: an access has no slot

   // While the code is made: addresses.
   IRExpr* shared;
   IRExpr* marks; // of the table; NULL: not needed so far
   IRExpr* counts;
} WsDraft;

/* Makes a call of a helper with an argument in a register, and the guest state,
   of which it reads the first bytes, as far as its shadow if need be. */
IRDirty* WS_(guest_call)(const HChar* name, void* helper, UWord arg,
                         UInt read_szB);

/* Appends the code, and makes the description. */
WsSegment* WS_(emit_segment)(WsDraft* d);

#endif
