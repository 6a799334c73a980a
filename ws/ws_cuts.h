/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* Where time is cut into epochs.

   PURPOSE: cuts are laid so that each sample is one, and each start of a
   sample's window; then a window consists of whole epochs, and which epoch a
   page was last accessed in is all that has to be known of it.

   For a sampling interval T and a window tau, samples are at k*T and their
   windows (k*T - tau, k*T] start at k*T - tau (Denning 1968), k = 1, 2, ...
   When tau is a multiple of T both series are the same.  So are those of
   windows that differ by a multiple of T.

   The first cut is at 0: what the kernel has accessed before the first
   instruction is in no window that starts there.

   Pure: no state but the caller's WsCuts, no memory. */

#ifndef WS_CUTS_H
#define WS_CUTS_H

#include "ws_base.h"

typedef struct {
   WsTick every;
   WsTick next;   // the next cut; WS_NEVER after the last representable one
   WsTick sample; // the next k*T, or WS_NEVER
   // The next k*T - tau, or WS_NEVER, of each series of openings but that
   // of the samples.
   WsTick openings[WS_MAX_TAUS];
   UInt   n_openings;
} WsCuts;

/* A run begins.  No length is 0. */
void WS_(cuts_init)(WsCuts* cuts, WsTick every, const WsTaus* taus);

/* Step over cuts->next.  True if a sample is due there. */
Bool WS_(cuts_pass)(WsCuts* cuts);

#endif
