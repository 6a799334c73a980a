/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* The sizes of W(t, tau) for several tau, kept up to date in O(1) per page that
   is accessed in an epoch, and how they depend on tau.

   PURPOSE: Denning's working set W(t, tau) holds the pages referenced in
   (t - tau, t].  Time is cut into epochs so that each sample t is a
   cut, and t - tau, too; then a page belongs to W(t, tau) iff the epoch of its
   last access does.  This module counts the pages of every epoch.  A page that
   is accessed for the first time in an epoch moves from its previous epoch's
   count to the present one's; the size of each window is a running sum.

      oldest                                    current
      +------+    +------+    +------+    +------+
      |  3   |--->|  12  |--->|  7   |--->|  2   |
      +------+    +------+    +------+    +------+
                  ^ tail: the oldest epoch of a window; size = 12 + 7 + 2

   Each window that the user has asked for knows its pages, too.  A page is
   filed under the epoch in which it comes into the window, and stays there
   when it is accessed again; only when that epoch leaves the window, it is
   filed anew under that of its last access, or has left.  So a further access
   costs nothing here, and a page is filed once per length of the window.

   An epoch that no page belongs to any more, and under which none is filed, is
   dropped, so that there are never more epochs than pages, times one and the
   number of windows, however long the run.

   Windows are those that the user has asked for, and for the profile those of
   T, 2T, 4T, ...: each of these begins at the time t = tau, for until then W(t,
   tau) is all that was ever accessed, which the last window holds.  So there is
   one per doubling of the run's length.  It ends when T becomes longer than
   tau, for then no cut is where it would start.  A page that enters a window
   enters all shorter ones, too; nearly always it enters only the shortest.

   A sample stands for the time since the one before.  Statistics weigh it so,
   in units of the first T.

   Pure: state is the caller's; epochs are VG_(malloc)ed.  Lengths of windows,
   and the times of samples, are those of the options. */

#ifndef WS_WINDOW_H
#define WS_WINDOW_H

#include "ws_base.h"
#include "ws_clo.h"
#include "ws_stats.h"

/* --- Cuts ----------------------------------------------------------------- */

/* Cuts are laid so that each sample is one, and each start of a sample's
   window; then a window consists of whole epochs, and which epoch a page was
   last accessed in is all that has to be known of it.

   For a sampling interval T and a window tau, samples are at k*T and their
   windows (k*T - tau, k*T] start at k*T - tau (Denning 1968), k = 1, 2, ...
   When tau is a multiple of T both series are the same.  So are those of
   windows that differ by a multiple of T.

   The first cut is at 0: what the kernel has accessed before the first
   instruction is in no window that starts there.

   With --ws-every=auto, T doubles at a sample that is a multiple of the doubled
   T, too.  Then each later sample and opening belonged to the series before, so
   a window that reaches back behind the doubling starts at a cut as well.  T
   doubles after 1,024 samples; or after 32, if a longer T saves work: if pages
   that were accessed in two epochs in a row, each time anew, are more than
   200,000 and one per 1,000 instructions.

      T = 1, tau = 1      sample at 1 2 3 4 .. 1023 1024
      T = 2, tau = 1      opening at                     1025      1027
                          sample at                           1026      1028 */

typedef struct {
   WsTick next;      // the next cut; WS_NEVER after the last representable one
   WsTick sample;    // the next k*T, or WS_NEVER
   WsTick every;     // T
   UInt   n_samples; // with this T
   ULong  n_again;   // sum over epochs: pages that the one before had, too
   // The next k*T - tau, or WS_NEVER, of each series of openings but that
   // of the samples.
   WsTick openings[WS_MAX_TAUS];
   UInt   n_openings;
} WsCuts;

/* Begins a run. No length is 0. */
void WS_(cuts_init)(WsCuts* cuts);

/* Step over cuts->next.  True if a sample is due there. */
Bool WS_(cuts_pass)(WsCuts* cuts);

/* --- Windows -------------------------------------------------------------- */

/* The time from one cut to the next, without its start, with its end; the first
   epoch has its start, too. If no page is accessed, the epoch goes on. */
typedef struct _WsEpoch {
   ULong            number;  // greater than that of older ones
   WsTick           end;     // WS_NEVER in the current epoch
   UWord            n_pages; // whose last access was in this epoch
   struct _WsEpoch* older;
   struct _WsEpoch* newer;
   UInt             filed[]; // lists of pages, one per tau; 0: empty
} WsEpoch;

typedef struct {
   WsTick   tau;
   UInt     asked;   // number of its tau, or WS_NOT_ASKED
   WsEpoch* tail;    // the oldest epoch of the window
   UWord    size;    // sum of n_pages from tail to the current epoch
   WsTick   leaving; // no epoch leaves the window before
   // Pages that entered since the last sample; those of them that were
   // resident return.
   UWord n_entering, n_returning;
   // Up to the last sample:
   ULong   n_entered, n_returned;
   UWord   most_pages; // upper bound of the size so far
   ULong   counted;    // weight of the samples that are in the statistics
   UWord   last_size;  // at all later ones
   WsStats stats;
   WsRanks ranks;
} WsWindow;

#define WS_NOT_ASKED WS_MAX_TAUS

/* Files the pages of an epoch anew, for it leaves the window of a tau. `of` is
   the caller's own. */
typedef void (*WsRefile)(UInt of, UInt tau, WsEpoch* epoch);

typedef struct {
   WsEpoch* current;
   WsEpoch* spare;         // linked by `older`
   WsTick   next_doubling; // the shortest T * 2^j that has no window so far
   WsRefile refile;
   UInt     of;
   UWord    n_again; // pages of the current epoch that the one before had
   WsTick   sampled; // the last sample
   WsTick   every;   // T up to there
   UInt     n;
   UInt     asked[WS_MAX_TAUS]; // numbers of the windows, by those of the taus
   // Shorter ones first.  The last, of length WS_NEVER, is all of the run.
   WsWindow windows[WS_MAX_TAUS + 65];
   // Those that have ended, in the order of their lengths and ends.
   UInt n_ended;
   struct {
      WsWindow window;
      WsTick   end;
   } ended[64];
} WsWindows;

/* Starts the first epoch at time 0. */
void WS_(windows_init)(WsWindows* ws, WsRefile refile, UInt of);

/* Frees its epochs and counters. */
void WS_(windows_done)(WsWindows* ws);

/* Does the unusual case of WS_(windows_enter), in which sizes of windows change
   or an epoch becomes empty. */
WsEpoch* WS_(windows_enter_outside)(WsWindows* ws, WsEpoch* from, Bool returns);

/* Enters a page that is accessed now, and was last accessed in epoch `from`
   (NULL: never). `returns` says whether it has been resident since then. Gives
   the current epoch, which is its epoch from here on. */
static inline WsEpoch* WS_(windows_enter)(WsWindows* ws, WsEpoch* from,
                                          Bool returns)
{
   ws->n_again += from && from->number + 1 == ws->current->number;
   // The usual case: it is in the shortest window, and so in all.
   if (!from || from->n_pages == 1 ||
       from->number < ws->windows[0].tail->number)
      return WS_(windows_enter_outside)(ws, from, returns);
   from->n_pages--;
   ws->current->n_pages++;
   return ws->current;
}

/* Tells whether a page that was last accessed in epoch `from` (NULL: never) is
   in the window of this tau. */
static inline Bool WS_(windows_has)(const WsWindows* ws, UInt tau,
                                    const WsEpoch* from)
{
   return from && from->number >= ws->windows[ws->asked[tau]].tail->number;
}

/* Gives the windows that do not have such a page: a bit for each tau. */
static inline UInt WS_(windows_without)(const WsWindows* ws,
                                        const WsEpoch*   from)
{
   UInt bits = 0;

   if (!from || from->number < ws->windows[0].tail->number)
      for (UInt i = 0; i < WS_(clo).taus.n; i++)
         bits |= (UInt)!WS_(windows_has)(ws, i, from) << i;
   return bits;
}

/* Ends the current epoch at `now`, and starts the next one.  Gives how many of
   its pages the one before had, too. */
UWord WS_(windows_cut)(WsWindows* ws, WsTick now);

/* Ends all windows at `now`, the next sample, which is a cut or just about to
   be, and counts their sizes. */
void WS_(windows_sample)(WsWindows* ws, WsTick now);

/* Adds all samples to the statistics. */
void WS_(windows_count_samples)(WsWindows* ws);

/* Gives an upper bound of the window's size so far, at samples and between
   them: a window only grows until the next sample. */
static inline UWord WS_(window_bound)(const WsWindow* w)
{
   return w->size > w->most_pages ? w->size : w->most_pages;
}

/* --- The profile ---------------------------------------------------------- */

/* How the size of the working set depends on the length of the window: the
   curve through the windows of T, 2T, 4T, ..., and shorter ones that the user
   has asked for. Its slope is the missing-page rate (Denning and Schwartz, CACM
   15, 1972). */

typedef struct {
   WsKind  kind;
   WsTick  tau;
   WsTick  until; // all that follows is about the samples up to then
   WsStats stats; // of the sizes
   UWord   median_pages, p95_pages;
   // Pages that entered.  Those that were resident then have returned.
   // WS_NONE if windows are shorter than T: from one to the next, there is a
   // gap.  It is not known which written pages return.
   ULong        n_entered, n_returned;
   ULong        miss; // in millionths of a page in 1,000 units; or WS_NONE
   ULong        life; // in ticks; or WS_NONE
   const HChar* note; // "limited" or "-"
} WsProfileRow;

#define WS_MAX_PROFILE_ROWS (WS_MAX_TAUS + 65)

typedef struct {
   WsTick       until; // the last sample
   WsTick       every; // T up to there
   UInt         n_rows;
   WsProfileRow rows[WS_MAX_PROFILE_ROWS];
} WsProfile;

/* Makes the profile up to the last sample. */
void WS_(profile_make)(WsProfile* p, const WsWindows* ws);

#endif
