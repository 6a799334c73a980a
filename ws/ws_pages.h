/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* All pages of one kind (instruction or data) that were ever accessed, and
   the working sets that they form.

   PURPOSE: one WsPages holds a record per distinct page and the windows
   (ws_window.h) that count them.  Its users say when a page is touched and
   when time is cut; it says how large the working sets are.

   Generated code does the common work itself: for each page it keeps a stamp
   (ws_fastpath.h), the time of its latest access.  A page whose stamp is in use
   is "armed".  An access to an armed page need not be told; that it took place
   is found out when the stamps are looked at, which must be once in each epoch,
   unless all of its accesses are told.  A page that has not been accessed in an
   epoch is disarmed, for it is looked at in each as long as it is armed; but
   one that had been disarmed and was accessed again soon lingers for some
   epochs.  So a page is told only when it has not been accessed for a while.

   Pure: state is the caller's WsPages, memory comes from VG_(malloc). */

#ifndef WS_PAGES_H
#define WS_PAGES_H

#include "ws_base.h"
#include "ws_window.h"

/* What generated code knows of a page.  The time of the latest access is
   relative to a base that is the same for all stamps: base + 1 + last. */
typedef struct {
   Word last; // not negative if the page is not armed
   Word rec;  // if positive, where the page's record is; or anything else
} __attribute__((aligned(2 * sizeof(Word)))) WsStamp;

/* A stamp with a second way to tell whether the page is armed. */
typedef struct {
   WsStamp stamp;
   Word    gate;
   UWord   n_accesses; // as below
} WsGatedStamp;

#define WS_GATE_OPEN ((Word)0) // armed
#define WS_GATE_SHUT ((Word)((UWord)1 << (8 * sizeof(Word) - 1)))

/* For a list of all pages. */
typedef struct {
   ULong        n_accesses; // as far as it is known
   const HChar* place;      // the rest is its user's, and 0 at first
   const HChar* owner;
   Bool         is_reused; // an earlier record is of the same page
} WsPageDetails;

/* A page that is mapped anew is a new page, with a record of its own if there
   are details.  For working sets, it goes on as the page that it was. */
typedef struct _WsPageRec {
   WsPage   page;
   WsTime   last;  // of the last access, as far as it is known
   WsEpoch* epoch; // in which `last` lies
   UWord    stamp; // its address (0: it had none so far) and a WsRecState,
                   // perhaps with WS_LINGERS
   struct _WsPageRec* next_listed; // NULL: not in the list of armed pages
   WsPageDetails      details[];   // one or none
} WsPageRec;

/* A record in one of the last two states is not armed; if it is listed, that is
   only because nobody has taken it out yet. */
typedef enum {
   Ws_Present,  // armed if it is listed
   Ws_Disarmed, // it was mapped anew, and has not been armed since
   Ws_Anew      // the same, and it has not been accessed either
} WsRecState;

#define WS_STATE_BITS ((UWord)3)
#define WS_LINGERS    ((UWord)4)

/* What may be wanted of the pages of one kind. */
typedef struct {
   WsTick        every; // samples are at multiples of it
   const WsTaus* taus;
   Bool          is_clocked;  // ticks are no instructions
   Bool          is_gated;    // all stamps are
   Bool          has_details; // and all records
   // Distance in bytes from a stamp to where generated code counts accesses;
   // with details only.
   Word count_offset;
} WsPagesConfig;

typedef struct {
   WsPagesConfig config;
   UWord         n_pages;  // so far; one that is mapped anew counts again
   UWord         n_reused; // of them, were mapped anew
   UWord         n_recs;
   // Records never move.  They lie in blocks, in order of first access;
   // `index` is an open hash table of their numbers + 1, 0 where free.  (A
   // VgHashTable would take 16 bytes more per page, and a miss more per look.)
   HChar**    blocks;
   UWord      n_blocks;
   UInt*      index;
   UWord      index_mask;
   WsPageRec* listed; // the armed pages; ended by a mark that is no record
   WsTime     linger_instrs; // since the last access, until a page is disarmed
   // Where windows start within epochs, each record is linked to the others of
   // its epoch.  Distance in bytes from it to its links; 0: there are none.
   SizeT     links_offset;
   WsWindows windows; // large: what is used often lies together before it
} WsPages;

void WS_(pages_init)(WsPages* s, const WsPagesConfig* config);

/* Frees everything.  All stamps are as if they had never been used. */
void WS_(pages_done)(WsPages* s);

/* What WS_(pages_touch) does unless all but the time is known already. */
WsPageRec* WS_(pages_arm)(WsPages* s, WsPage page, WsTime now, WsStamp* stamp);

/* The page is accessed at time `now`, which lies in the current epoch.  From
   now on generated code tells accesses to it in its stamp, which is always the
   same one; without a stamp (NULL) the next access is told here, too.  Gives
   the record, in which the access is not counted. */
static inline WsPageRec* WS_(pages_touch)(WsPages* s, WsPage page, WsTime now,
                                          WsStamp* stamp)
{
   if (!stamp || stamp->rec <= 0)
      return WS_(pages_arm)(s, page, now, stamp);

   // It is Ws_Present: a stamp does not refer to a record in another state.
   WsPageRec* rec = (WsPageRec*)((UWord)stamp->rec << 1);
   if (rec->epoch != s->windows.current || !rec->next_listed)
      return WS_(pages_arm)(s, page, now, stamp);
   if (rec->last < now)
      rec->last = now;
   return rec;
}

/* What is known of an access, or of several to the same page. */
typedef struct {
   WsTime now; // of the last one
   UWord  n_accesses;
   Addr   by; // the instruction that made the first one
   Addr   at; // an address that it accessed; may lie in the page before
} WsTouch;

/* The pages from `first` to `last` are mapped anew.  The cost is one look at
   each, or at each record, whatever is less. */
void WS_(pages_renew)(WsPages* s, WsPage first, WsPage last, WsTime base);

/* All records, in order of first access: n from 0 to s->n_recs - 1. */
WsPageRec* WS_(pages_nth)(const WsPages* s, UWord n);

/* Looks at all stamps: all accesses so far are known then. */
void WS_(pages_collect)(WsPages* s, WsTime base);

/* The same, and the base of the stamps changes. */
void WS_(pages_collect_and_rebase)(WsPages* s, WsTime base, WsTime next_base);

/* Pages get other stamps from now on; none is armed. */
void WS_(pages_forget_stamps)(WsPages* s, WsTime base);

/* The current epoch ends at `now`, and all accesses up to it are known.  The
   base of the stamps changes; if it does not, stamps are not looked at. */
void WS_(pages_cut)(WsPages* s, WsTick now, WsTime now_instrs, WsTime base,
                    WsTime next_base);

/* The base of the stamps changes, at any time. */
void WS_(pages_rebase)(WsPages* s, WsTime base, WsTime next_base);

/* Size of W(now, tau) at any time in the current epoch, with all stamps
   collected.  If the window starts within an epoch, the cost is one look at
   each of its pages if they are linked, and else at all; but if ticks are no
   instructions, that epoch counts in full. */
UWord WS_(pages_wss)(const WsPages* s, WsTick tau, WsTick now);

/* Bytes of memory in use. */
SizeT WS_(pages_memory_szB)(const WsPages* s);

#endif
