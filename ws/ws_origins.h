/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* Where the pages of a set come from: of a working set, or of resident memory.

   PURPOSE: some code brings a page into a set, and the page lies in some
   mapping. Pages with the same code and mapping have one origin. Each origin
   counts its pages in the set, so that the composition of the set is known at
   any time, without a look at its pages.

   The composition at one earlier sample is known, too. Keeping it costs
   nothing: a count that has changed since then has its old value beside it.

      WS_(origins_keep)      the composition is kept from here on
         count 7 -> 8        the old value, 7, is put aside
         count 8 -> 9        it has been put aside already
      WS_(origins_shares)    "now": 9; "kept": 7

   Pure, but for the state of the one run; memory comes from VG_(malloc). */

#ifndef WS_ORIGINS_H
#define WS_ORIGINS_H

#include "ws_base.h"
#include "ws_clo.h"
#include "ws_intern.h"

/* The sets that have origins: resident memory; cold memory; the pages that were
   shared when they were written to (ws_forks.h), and no page leaves it;
   resident memory by the stacks that have allocated it (ws_heap.h counts that);
   and for each window, by the index of its tau, the working sets of code and of
   data pages. */
#define WS_RESIDENT_SET  0
#define WS_COLD_SET      1
#define WS_UNSHARED_SET  2
#define WS_HEAP_SET      3
#define WS_FIRST_SET     4
#define WS_N_ORIGIN_SETS (WS_FIRST_SET + 2 * WS_MAX_TAUS)

static inline UInt WS_(set_of)(WsKind kind, UInt tau)
{
   return WS_FIRST_SET + 2 * tau + kind;
}

static inline WsKind WS_(kind_of_set)(UInt set)
{
   return (set - WS_FIRST_SET) % 2;
}

static inline UInt WS_(tau_of_set)(UInt set)
{
   return (set - WS_FIRST_SET) / 2;
}

/* Stands for the mapping of blocks of the heap, which may lie in several. */
#define WS_NO_MAPPING (~(UInt)0)

/* What a snapshot of the heap sums up for an owner. */
enum {
   Ws_Blocks,
   Ws_LiveBytes,
   Ws_ResidentBytes,
   Ws_MixedBytes, // resident, in pages that have blocks of other owners
   Ws_HotBytes    // resident, in pages of a window: a sum for each tau
};

static inline UInt WS_(n_heap_sums)(void)
{
   return Ws_HotBytes + WS_(clo).taus.n;
}

/* The pages of one origin in a set. */
typedef struct {
   UInt  code;    // entry stack or instruction (ws_stacks.h)
   UInt  mapping; // ws_mappings.h
   UWord n_pages; // of the heap: resident bytes
   union {
      UWord  n_written; // of them; or
      ULong* sums;      // of the heap
   };
   Bool is_folded; // pages of what `code` calls (ws_stacks.h)
   Bool is_of_heap;
   UInt lead; // the frame of the function that leads; 0: `code` tells
} WsShare;

/* Begins a run, without any origin. */
void WS_(origins_begin)(void);

/* Gives the number of an origin in a set. */
UInt WS_(origin)(UInt set, UInt code, UInt mapping);

/* Gives the code and the mapping of an origin. */
WsPair WS_(origin_pair)(UInt set, UInt origin);

/* Counts a page that enters the set (+1) or leaves it (-1), and a write that
   enters its window or leaves it. */
void WS_(origin_change)(UInt set, UInt origin, Int pages, Int written);

/* Counts a page that has entered the set at a sample. */
void WS_(origin_count_entry)(UInt set, UInt origin);

/* Keeps the composition at this moment, instead of the one kept before. */
void WS_(origins_keep)(UInt set);

/* Lists the shares of a set, the largest first, without empty ones: of what is
   in it now, or was when it was kept, or ever entered it. The caller frees the
   items. */
typedef enum { Ws_Now, Ws_Kept, Ws_Entered } WsSharesOf;
typedef struct {
   UWord    n;
   WsShare* items;
} WsShares;
WsShares WS_(origins_shares)(UInt set, WsSharesOf of);

/* Sorts shares, the largest first. */
void WS_(shares_sort)(WsShares* shares);

/* Puts shares together that have all in common but pages, and sorts them by
   leads. */
void WS_(shares_merge)(WsShares* shares);

#endif
