/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* All pages that were ever accessed, and the working sets that they form: one
   set of instruction pages, one of data pages, one of written ones.

   PURPOSE: there is a record per distinct page, and windows (ws_window.h) that
   count them.  It is told of the first access to a page in each interval; of
   further ones it may be.  What it is told is in the order of time, between
   cuts.

   In each window, a page has an origin (ws_origins.h), which gains it when it
   comes in, and loses it at the sample that finds it gone.  Windows file their
   pages by epochs (ws_window.h), so that no more pages are looked at than may
   have gone.

   A page that was unmapped and mapped again goes on as the page that it was.

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

/* The page is accessed.  For a page that is written, the data page must have
   been accessed before: its origins are taken.  Gives what must follow. */
enum {
   // It comes into windows, a bit for each tau: WS_(sets_enter)
   Ws_Enters = (1 << WS_MAX_TAUS) - 1,
   // It is in some, but mapped anew: WS_(sets_change_mapping)
   Ws_IsMapped = 1 << WS_MAX_TAUS,
   // WS_(sets_make_resident)
   Ws_BecomesResident = 2 << WS_MAX_TAUS
};
UInt WS_(sets_access)(WsKind kind, WsPage page);

/* Sets the origin, in the window of this tau, of the page that was accessed
   last. */
void WS_(sets_enter)(WsKind kind, UInt tau, UInt origin);

/* Makes it resident, from `t` on (ws_resident.h), by this origin of the set of
   resident memory; a page that is resident as one of the other kind keeps that
   one's. When there never were more, the composition is kept. */
void WS_(sets_make_resident)(WsKind kind, UInt origin, WsTick t);

/* Sets its mapping, in all windows; it keeps the code. */
void WS_(sets_change_mapping)(WsKind kind, UInt mapping);

/* Cuts at `now`.  Gives how many pages, of code and of data, the epoch that
   ends has in common with the one before. */
UWord WS_(sets_cut)(WsTick now);

/* Ends the windows at `now`, the next sample, and gives their sizes. */
void WS_(sets_sample)(WsTick now, /*OUT*/ WsSizes* sizes);

/* Note that the pages from `first` to `last` have been mapped anew; are no
   longer resident; have been moved to `to`, and are resident there if they
   were. The cost is one look at each, or at each record, whatever is less. */
void WS_(sets_map)(WsPage first, WsPage last);
void WS_(sets_unmap)(WsPage first, WsPage last);
void WS_(sets_move)(WsPage first, WsPage last, WsPage to);

typedef struct {
   UWord n_pages;       // distinct ones so far
   UWord n_mapped_anew; // how often one was accessed that had been
   UWord n_in_phase;    // distinct ones since it began, or since the start
} WsCounts;
const WsCounts* WS_(sets_counts)(WsKind kind);

/* Begins a phase. */
void WS_(sets_begin_phase)(void);

/* Gives the first cut that is not before the page's last access; WS_NEVER: it
   has not come yet. The page has been accessed. */
WsTick WS_(sets_last_access)(WsKind kind, WsPage page);

/* Gives the windows to be read: all samples so far are in the statistics. */
const WsWindows* WS_(sets_windows)(WsKind kind);

#endif
