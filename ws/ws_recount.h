/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* Counts everything once more, the plain and slow way, for tests
   (--ws-recount=yes): every instruction and every access calls the tool, which
   keeps for each page the exact time of its last access, and at each sample
   looks at all pages. A difference ends the run.

   The accesses of a segment are counted at its end. A fault may cut off no more
   than the instruction that faulted.

   With --ws-time-unit=ms, windows have no exact size: only totals are
   recounted then. */

#ifndef WS_RECOUNT_H
#define WS_RECOUNT_H

#include "pub_tool_tooliface.h"
#include "ws_base.h"

/* Begins a run and forgets the one before. Without the option, the other
   functions do nothing. */
void WS_(recount_begin)(void);

/* Emits code for the instruction at [a, a + szB), which may be the first of a
   segment, with nothing before it. */
void WS_(recount_emit_instr)(IRSB* sb, Addr a, UInt szB, Bool is_first);

/* How an access counts. */
typedef enum { Ws_Loads = 1, Ws_Stores = 2, Ws_IsMerged = 4 } WsRecountHow;

/* Emits code for an access of the instruction. One that is merged with the
   access before is not counted as another one. (Between a load-linked and its
   store-conditional, this wants --sim-hints=fallback-llsc.) */
void WS_(recount_emit_access)(IRSB* sb, IRExpr* address, UInt szB,
                              IRExpr* guard, WsRecountHow how);

/* Emits code for the end of a segment, before what the tool itself does
   there. */
void WS_(recount_emit_end)(IRSB* sb);

/* Allows for the first fault in a piece of code, which is about to be handled:
   it may lose a part of its segment; later ones may lose nothing. */
void WS_(recount_first_fault)(void);

/* Counts an access that the kernel makes now. */
void WS_(recount_kernel)(Addr a, SizeT szB, Bool is_write);

/* Compares with the tool's sizes at the next sample, due at `t`. */
void WS_(recount_sample)(WsTick t, const WsSizes* wss);

/* Compares with the tool's numbers of pages in the phase that ends now.
   Another one begins. */
void WS_(recount_phase)(WsInstrs now);

/* Compares at the end of the run what samples do not show: the last phase, the
   time, distinct pages, and the number of accesses to each. */
void WS_(recount_end)(WsInstrs now);

#endif
