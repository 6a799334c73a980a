/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* Peaks of a series of sizes that stand out from the ground on both sides,
   found while it comes in.

   PURPOSE: a peak is a sample that is the largest between two grounds, and of
   equal ones the first.  Ground is a sample of at most three quarters of its
   height.  So its topographic prominence is at least a quarter of its height.

      sizes   2  7  6  9  7  6  8  7  5      peaks: 9 and 8

   From 9 down to 6 is ground, for 6 <= 3/4 * 9; and so it is for 8, which has 5
   on the other side.  7 has none before the higher 9 comes.

   The series begins with a row of zeros: that is ground.  Its end is none: what
   would come then is not known.

   It takes a comparison or two per sample: the series either falls from the
   last peak, or rises from the last ground; see WS_(prominence_sample).

   Pure: state is the caller's WsProminence, no memory. */

#ifndef WS_PROMINENCE_H
#define WS_PROMINENCE_H

#include "ws_base.h"

typedef struct {
   Bool  is_rising;
   UWord low;  // while it falls: the lowest since the last peak
   UWord high; // while it rises: the highest since the last ground
} WsProminence;

/* All 0 at the start. */

typedef enum {
   Ws_NoPeak,
   Ws_HighestSoFar, // a peak, if ground follows before a higher sample
   Ws_PeakBefore    // it is ground: the last highest one was a peak
} WsPeakEvent;

WsPeakEvent WS_(prominence_sample)(WsProminence* p, UWord size);

#endif
