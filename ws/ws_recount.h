/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* The same numbers once more, the plain and slow way, for tests
   (--ws-recount=yes): every instruction and every access calls the tool, which
   keeps for each page the exact time of its last access, and at each sample
   looks at all pages.  A difference ends the run.

   What a segment does is counted at its end, and what a fault has cut short
   must not be more than the instruction that has faulted.

   With --ws-time-unit=ms, windows have no exact size: only totals are
   recounted then. */

#ifndef WS_RECOUNT_H
#define WS_RECOUNT_H

#include "pub_tool_tooliface.h"
#include "ws_base.h"

/* Once, if it is wanted; if not, the rest does nothing. */
void WS_(recount_init)(void);

/* Code for the instruction at [a, a + szB), which may be the first of a
   segment, with nothing before it. */
void WS_(recount_emit_instr)(IRSB* sb, Addr a, UInt szB, Bool is_first);

/* How an access counts. */
typedef enum { Ws_Loads = 1, Ws_Stores = 2, Ws_IsMerged = 4 } WsRecountHow;

/* Code for an access of the instruction.  One that is merged with the access
   before is not counted as another one.  (Between a load-linked and its
   store-conditional, this wants --sim-hints=fallback-llsc.) */
void WS_(recount_emit_access)(IRSB* sb, IRExpr* address, UInt szB,
                              IRExpr* guard, WsRecountHow how);

/* Code for the end of a segment, before what the tool itself does there. */
void WS_(recount_emit_end)(IRSB* sb);

/* A fault is about to be handled, for the first time in its code.  What it has
   cut short is lost; later, nothing may be. */
void WS_(recount_first_fault)(void);

/* The kernel accesses memory, now. */
void WS_(recount_kernel)(Addr a, SizeT szB, Bool is_write);

/* These are the sizes at the next sample, due at `t`. */
void WS_(recount_sample)(WsTick t, const WsSizes* wss);

/* So many pages have been accessed in the phase up to now.  Another begins. */
void WS_(recount_phase)(WsInstrs now, WsKind kind, UWord n_pages);
void WS_(recount_begin_phase)(void);

/* The run ends: compares totals and lists. */
void WS_(recount_pages)(WsInstrs now, WsKind kind);

/* A new run. */
void WS_(recount_forget)(void);

#endif
