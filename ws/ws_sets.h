/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* All pages that were ever accessed, and the working sets that they form: one
   set of instruction pages, one of data pages, one of written ones.

   PURPOSE: there is a record per distinct page, and windows (ws_window.h) that
   count them.  It is told of the first access to a page in each interval; of
   further ones it may be.  What it is told is in the order of time, between
   cuts.

   A page that was unmapped and mapped again goes on as the page that it was.

   Pure, but for the state of the one run; memory comes from VG_(malloc). */

#ifndef WS_SETS_H
#define WS_SETS_H

#include "ws_base.h"
#include "ws_window.h"

/* A run begins at time 0: all sets are empty.  Samples will be at multiples of
   `every`. */
void WS_(sets_begin)(UInt n_kinds, WsTick every, const WsTaus* taus);

/* The page is accessed. */
void WS_(sets_enter)(WsKind kind, WsPage page);

/* The time is `now`, a cut. */
void WS_(sets_cut)(WsTick now);

/* The pages from `first` to `last` have been mapped anew.  The cost is one look
   at each, or at each record, whatever is less. */
void WS_(sets_map)(WsPage first, WsPage last);

/* Distinct pages so far, and how often one was accessed that had been mapped
   anew. */
UWord WS_(sets_n_pages)(WsKind kind);
UWord WS_(sets_n_mapped_anew)(WsKind kind);

/* Distinct pages since the last call of WS_(sets_begin_phase), or since the
   start. */
UWord WS_(sets_n_in_phase)(WsKind kind);
void WS_(sets_begin_phase)(void);

/* A cut not before the page's last access, and the last one that is; WS_NEVER:
   it has not come yet.  The page has been accessed. */
WsTick WS_(sets_last_access)(WsKind kind, WsPage page);

/* For samples. */
WsWindows* WS_(sets_windows)(WsKind kind);

/* Bytes of memory in use. */
SizeT WS_(sets_memory_szB)(WsKind kind);

#endif
