/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* Numbers pairs of words, 0, 1, 2, ... in the order of their first use. Each
   pair has an entry for data of the owner's.

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
   void*   entries; // by number; zeroed; they move when one is added
   UInt*   index;   // open hash table of numbers + 1, 0 where free
   UWord   mask;
} WsPairs;

/* Gives the pair's number; a new pair gets the next one. */
UInt WS_(pair_number)(WsPairs* p, UWord a, UWord b);

/* Finds the pair's number; WS_NO_PAIR: it has none. */
#define WS_NO_PAIR (~(UInt)0)
UInt WS_(pair_find)(const WsPairs* p, UWord a, UWord b);

static inline void* WS_(pair_entry)(const WsPairs* p, UInt number)
{
   return (UChar*)p->entries + number * p->entry_szB;
}

/* Gives the pair's entry; that of a new pair is zeroed. */
static inline void* WS_(pair_get)(WsPairs* p, UWord a, UWord b)
{
   UInt n = WS_(pair_number)(p, a, b); // entries may move
   return WS_(pair_entry)(p, n);
}

/* Hides the pair with this number: if it is used again, it gets a new
   number. Its `a` has one more bit, which no other has then. */
#define WS_HIDDEN_PAIR (~(~(UWord)0 >> 1))
void WS_(pair_hide)(WsPairs* p, UInt number);

/* Removes all pairs and frees their memory. */
void WS_(pairs_done)(WsPairs* p);

#endif
