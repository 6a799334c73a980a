/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* Blocks of the heap, by the call stacks that allocated them: with
   --ws-heap=yes.

   PURPOSE: origins (ws_origins.h) tell who has touched a page first; this
   module tells who keeps it.  A block is memory between its allocation and its
   release (ws_heapcalls.h tells of both).  A snapshot divides the resident
   pages, byte by byte, among the blocks in them; bytes of no block are those of
   the page's mapping: memory that the allocator keeps, code, stacks.

      page            0                 1            2
      blocks     [ A  ][ B             ]        [ A ]
      windows    none              10M          10M

      A: live 2, resident 1.5 pages, 0.5 hot in 10M; 0.5 in pages that are mixed
      B: live 1.5, resident 1.5, 1 hot; 0.5 mixed
      no block: the rest of pages 1 and 2

   So the rows of a snapshot add up to the resident pages.  Bytes are hot in a
   window if their page is: a hot block keeps its cold neighbours there. */

#ifndef WS_HEAP_H
#define WS_HEAP_H

#include "ws_base.h"
#include "ws_origins.h"
#include "ws_resident.h"

/* Adds a block, which the program has allocated or, with `is_mapped`, mapped
   itself. */
void WS_(heap_add)(Addr a, SizeT szB, UInt stack, Bool is_mapped);

/* Removes the block that begins at `a`, if there is one. */
void WS_(heap_remove)(Addr a, Bool is_mapped);

/* Cuts [a, a + szB), which has been unmapped, out of the mapped blocks. */
void WS_(heap_unmap)(Addr a, SizeT szB);

/* Begins a run: there is no maximum so far.  Blocks stay, for a child of a fork
   has those of its parent. */
void WS_(heap_begin)(void);

/* Notes that a block is about to be released: if so much was never resident
   before, the blocks are remembered as they are.  Tells whether many have been
   released since then: WS_(heap_most) is due. */
Bool WS_(heap_release_begins)(void);

/* Take a snapshot: a share for each stack and mapping, in bytes (WsShare). The
   caller frees the items; their sums lie behind the last one. */

/* Of the blocks that there are now. */
WsShares WS_(heap_now)(void);

/* Of those that there were when most was resident, with the present windows, in
   place of an older snapshot, if the maximum has grown by a hundredth since
   then (with less live: a twentieth); or else does nothing, and gives False.
   Call it before pages cease to be resident. */
Bool WS_(heap_most)(WsShares* shares);

#endif
