/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* How the working set depends on the length of the window.

   PURPOSE: from the windows of T, 2T, 4T, ..., and shorter ones that the user
   has asked for (ws_window.h), it makes the curve of which Denning and Schwartz
   (CACM 15, 1972) say that its slope is the rate at which pages are missing.

   Pure: no state, no memory. */

#ifndef WS_PROFILE_H
#define WS_PROFILE_H

#include "ws_base.h"
#include "ws_window.h"

typedef struct {
   WsTick  tau;
   WsStats stats; // of the sizes at all samples
   UWord   median_pages, p95_pages;
   Bool    is_short; // than T: from one to the next, there is a gap
   // Pages, up to the last sample; 0 if is_short.  Those that were resident
   // when they entered have returned.
   ULong n_entered, n_returned;
   Bool  is_limited; // half of the windows or more begin before the run
} WsProfileRow;

#define WS_MAX_PROFILE_ROWS (WS_MAX_TAUS + 65)

typedef struct {
   WsTick       span; // up to the last sample
   UInt         n_rows;
   WsProfileRow rows[WS_MAX_PROFILE_ROWS];
} WsProfile;

/* Up to the last sample; these are at multiples of `every`. */
void WS_(profile_make)(WsProfile* p, const WsWindows* ws, WsTick every);

/* The shortest window that so many percent of what returns to that of T did not
   leave, as far as windows are known; NULL: nothing returns. */
const WsProfileRow* WS_(profile_reuse)(const WsProfile* p, UInt percent);

#endif
