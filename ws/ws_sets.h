/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* All pages that were ever accessed, and the working sets that they form: one
   set of instruction pages, one of data pages, one of written ones.

   PURPOSE: there is a record per distinct page, and windows (ws_window.h) count
   them. The caller tells the first access to a page in each interval, and may
   tell later ones. Calls between two cuts come in order of time.

   In each window, a page has an origin (ws_origins.h), which counts it from
   when it enters up to the sample that finds that it has left. Windows file
   their pages by epochs (ws_window.h), so that a sample looks only at pages
   that may have left.

   A page that was unmapped and mapped again is the same page.

   Pure, but for the options and the state of the one run; memory comes from
   VG_(malloc). */

#ifndef WS_SETS_H
#define WS_SETS_H

#include "ws_base.h"
#include "ws_origins.h"
#include "ws_resident.h"
#include "ws_window.h"

/* Begins a run at time 0: all sets are empty. */
void WS_(sets_begin)(void);

/* Notes an access. A written page takes the origins of its data page, which
   must have been accessed before. Gives what the caller must do then. */
enum {
   // It enters windows, a bit for each tau: WS_(sets_enter)
   Ws_Enters = (1 << WS_MAX_TAUS) - 1,
   // It was in windows and is mapped anew: WS_(sets_change_mapping)
   Ws_IsMapped = 1 << WS_MAX_TAUS,
   // It becomes resident: WS_(sets_make_resident)
   Ws_BecomesResident = 2 << WS_MAX_TAUS,
   // The write makes it private: WS_(forks_write)
   Ws_Unshares = 4 << WS_MAX_TAUS
};
UInt WS_(sets_access)(WsKind kind, WsPage page);

/* Sets the origin, in the window of this tau, of the page that was accessed
   last. */
void WS_(sets_enter)(WsKind kind, UInt tau, UInt origin);

/* Makes the page that was accessed last resident from `t` on (ws_resident.h),
   with this origin in resident memory, or with that of the other kind if it is
   resident as that already. At a new maximum, the composition is kept. */
void WS_(sets_make_resident)(WsKind kind, UInt origin, WsTick t);

/* Changes the mapping of the page that was accessed last in all windows; it
   keeps the code. */
void WS_(sets_change_mapping)(WsKind kind, UInt mapping);

/* Cuts at `now`.  Gives how many pages, of code and of data, the epoch that
   ends has in common with the one before. */
UWord WS_(sets_cut)(WsTick now);

/* Ends the windows at `now`, the next sample, and gives their sizes. */
void WS_(sets_sample)(WsTick now, /*OUT*/ WsSizes* sizes);

/* Note that the pages from `first` to `last` have been mapped anew; are no
   longer resident; have been moved to `to`, and are resident there if they
   were. They look at each page of the range, or at each record, whichever are
   fewer. */
void WS_(sets_map)(WsPage first, WsPage last);
void WS_(sets_unmap)(WsPage first, WsPage last);
void WS_(sets_move)(WsPage first, WsPage last, WsPage to);

/* Tells whether a page from `first` to `last` is resident. */
Bool WS_(sets_has_resident)(WsPage first, WsPage last);

/* Calls `visit` with each resident page, the mapping in which it became so, and
   the windows that have it as code or data: a bit for each tau. */
void WS_(sets_resident)(void (*visit)(WsPage page, UInt mapping, UInt windows));

/* Makes all resident pages shared, before a fork (ws_forks.h). */
void WS_(sets_share)(void);

typedef struct {
   UWord n_pages;       // distinct ones so far
   UWord n_mapped_anew; // first accesses since they were
   UWord n_in_phase;    // distinct ones since it began, or since the start
} WsCounts;
const WsCounts* WS_(sets_counts)(WsKind kind);

/* Begins a phase. */
void WS_(sets_begin_phase)(void);

/* Gives the first cut at or after the last access to a page that has been
   accessed; WS_NEVER: it has not come yet. */
WsTick WS_(sets_last_access)(WsKind kind, WsPage page);

/* Gives the windows to be read: all samples so far are in the statistics. */
const WsWindows* WS_(sets_windows)(WsKind kind);

#endif
