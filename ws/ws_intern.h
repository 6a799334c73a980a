/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* Small numbers for pairs of words: 0, 1, 2, ... in the order in which they
   come first; and for each pair an entry, in which its owner keeps what it
   likes.

   Pure: state is the caller's WsPairs; memory is VG_(malloc)ed. */

#ifndef WS_INTERN_H
#define WS_INTERN_H

#include "ws_base.h"

typedef struct {
   UWord a;
   UWord b;
} WsPair;

/* All 0 but for the size of entries: no pairs. */
typedef struct {
   SizeT   entry_szB;
   UInt    n;
   UInt    n_max;
   WsPair* pairs;   // by number
   void*   entries; // the same; 0 at first.  They move when one is added
   UInt*   index;   // open hash table of numbers + 1, 0 where free
   UWord   mask;
} WsPairs;

/* Gives the pair's number, a new one if it comes for the first time. */
UInt WS_(pair_number)(WsPairs* p, UWord a, UWord b);

/* The same, but without a new one: then WS_NO_PAIR. */
#define WS_NO_PAIR (~(UInt)0)
UInt WS_(pair_find)(const WsPairs* p, UWord a, UWord b);

static inline void* WS_(pair_entry)(const WsPairs* p, UInt number)
{
   return (UChar*)p->entries + number * p->entry_szB;
}

/* Gives the pair's entry, of 0 if it comes for the first time. */
static inline void* WS_(pair_get)(WsPairs* p, UWord a, UWord b)
{
   UInt n = WS_(pair_number)(p, a, b); // entries may move
   return WS_(pair_entry)(p, n);
}

/* Hides the pair with this number: if it comes once more, it gets a new one. */
void WS_(pair_hide)(WsPairs* p, UInt number);

/* Frees what it has: there are no pairs any more. */
void WS_(pairs_done)(WsPairs* p);

#endif
