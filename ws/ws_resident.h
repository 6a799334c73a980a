/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* Resident memory: the pages that the kernel would have to keep if it paged
   nothing out.

   PURPOSE: a page is resident from its first access since it was mapped, until
   it is unmapped, mapped over or discarded; a page of code and data counts once
   in what is resident altogether.  This module counts.  Which pages are
   resident, and which of these are cold, is known by their records
   (ws_sets.h).

   Between unmappings, pages only come; so the most pages are known exactly, and
   when they were reached, though nobody looks at every instruction.

   A span of time has the most pages in it, and ends where the next one begins.
   Spans that are short, compared with the run so far, are joined.

   Pure, but for the state of the one run. */

#ifndef WS_RESIDENT_H
#define WS_RESIDENT_H

#include "ws_base.h"

typedef struct {
   const HChar* set;
   UWord        n_pages;    // now
   UWord        most_pages; // at any time so far
   WsTick       most_t;     // when there were as many for the first time
} WsResidentCount;

/* Those of WsKind but for written ones, and all. */
#define WS_N_RESIDENT   3
#define WS_ALL_RESIDENT 2

#define WS_MAX_SPANS 1000

typedef struct {
   WsTick t;       // its end
   UInt   ms;      // the same by the clock, since the run began
   UWord  n_pages; // the most
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

/* Count a page that becomes resident as one of this kind at `t`, or no longer
   is. `is_other` says whether it is resident as one of the other kind. Tells
   whether there never were more altogether. */
Bool WS_(resident_add)(WsKind kind, Bool is_other, WsTick t);
void WS_(resident_drop)(WsKind kind, Bool is_other);

/* Ends a span, in which there never were more pages than there are now, but for
   those that went at its start. */
void WS_(resident_span)(WsTick t, UInt ms);

/* Names the doubts there are; NULL: there is none.  Valid up to the next
   call. */
const HChar* WS_(resident_doubts)(void);

/* Notes one. */
void WS_(resident_doubt)(WsDoubt why);

/* Cold memory: the pages that are resident and not in the longest of those
   windows that are shorter than the run so far. */
typedef struct {
   WsTick tau;     // of that window; 0: there is none
   UWord  n_pages; // now
   // The largest of the samples since this window is the longest, and its time:
   UWord  most_pages;
   WsTick most_t;
} WsCold;
extern WsCold WS_(cold); // only to be read; ws_sets.c counts n_pages

/* Begins another window, outside which memory is cold; counts anew. */
void WS_(cold_begin)(WsTick tau);

/* Samples cold memory at `t`. Tells whether there never was more. */
Bool WS_(cold_sample)(WsTick t);

#endif
