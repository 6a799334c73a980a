/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* Small numbers for pairs of words: 0, 1, 2, ... in the order in which they
   come first.

   Pure: state is the caller's WsPairs; memory is VG_(malloc)ed. */

#ifndef WS_INTERN_H
#define WS_INTERN_H

#include "ws_base.h"

typedef struct {
   UWord a;
   UWord b;
} WsPair;

/* All 0: no pairs. */
typedef struct {
   UInt    n;
   UInt    n_max;
   WsPair* pairs; // by number
   UInt*   index; // open hash table of numbers + 1, 0 where free
   UWord   mask;
} WsPairs;

/* Gives the pair's number, a new one if it comes for the first time. */
UInt WS_(pair_number)(WsPairs* p, UWord a, UWord b);

/* Hides the pair with this number: if it comes once more, it gets a new one. */
void WS_(pair_hide)(WsPairs* p, UInt number);

void WS_(pairs_done)(WsPairs* p);
#endif
