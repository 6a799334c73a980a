/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* Resident memory: the pages that the kernel would have to keep if it paged
   nothing out.

   PURPOSE: a page is resident from its first access since it was mapped, until
   it is unmapped, mapped over or discarded.  A page of both code and data
   counts once in the sum.  This module counts.  Which pages are resident, and
   which of these are cold, is known by their records (ws_sets.h).

   Between unmappings, the number of pages only grows. So its maximum, and when
   that was reached, are exact.

   The run is divided into spans of time, each with its largest number of pages.
   Spans that are short, compared with the run so far, are joined.

   Pure, but for the state of the one run. */

#ifndef WS_RESIDENT_H
#define WS_RESIDENT_H

#include "ws_base.h"
#include "ws_forks.h"

typedef struct {
   const HChar* set;
   UWord        n_pages;    // now
   UWord        most_pages; // at any time so far
   WsTick       most_t;     // when there were as many for the first time
} WsResidentCount;

/* Code pages, data pages, and both together. */
#define WS_N_RESIDENT   3
#define WS_ALL_RESIDENT 2

#define WS_MAX_SPANS 1000

typedef struct {
   WsTick t;       // its end
   UInt   ms;      // the same by the clock, since the run began
   UWord  n_pages; // the most
   // The most of each:
   WsForked forked;
} WsResidentSpan;

/* Why a run may need more memory than was counted. */
typedef enum {
   Ws_HugePages,
   Ws_LockedAll,
   Ws_Overlap,
   Ws_IoUring,
   Ws_UserFaults
} WsDoubt;
#define WS_N_DOUBTS 5

typedef struct {
   WsResidentCount of[WS_N_RESIDENT];
   Bool            has_doubt[WS_N_DOUBTS];
   UInt            step_ms; // spans are joined up to this length
   UInt            n_spans;
   WsResidentSpan  spans[WS_MAX_SPANS];
} WsResident;
extern WsResident WS_(resident); // only to be read

/* Begins a run: nothing is resident. */
void WS_(resident_begin)(void);

/* Count a page that becomes resident as one of this kind at `t`, or ceases to
   be. `is_other` says whether it is resident as one of the other kind. The
   first tells whether the sum is a new maximum. */
Bool WS_(resident_add)(WsKind kind, Bool is_other, WsTick t);
void WS_(resident_drop)(WsKind kind, Bool is_other);

/* Ends a span. The present number of pages is its largest: pages went only at
   its start. */
void WS_(resident_span)(WsTick t, UInt ms);

/* Names the doubts; NULL: there is none.  Valid up to the next call. */
const HChar* WS_(resident_doubts)(void);

/* Notes a doubt. */
void WS_(resident_doubt)(WsDoubt why);

/* Cold memory: the resident pages that are not in the longest window shorter
   than the run so far. */
typedef struct {
   WsTick tau;     // of that window; 0: there is none
   UWord  n_pages; // now
   // The largest of the samples since this window became the longest, and its
   // time:
   UWord  most_pages;
   WsTick most_t;
} WsCold;
extern WsCold WS_(cold); // only to be read; ws_sets.c counts n_pages

/* Begins statistics for another window, outside which memory is cold. */
void WS_(cold_begin)(WsTick tau);

/* Samples cold memory at `t`. Tells whether it is a new maximum. */
Bool WS_(cold_sample)(WsTick t);

#endif
