/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_kept.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_xarray.h"
#include "ws_clo.h"
#include "ws_files.h"
#include "ws_frames.h"
#include "ws_mappings.h"
#include "ws_origins.h"
#include "ws_stats.h"

typedef struct {
   WsReportKept row;
   WsShares     shares;
} Kept;

typedef struct {
   WsProminence prominence;
   WsReportKept highest; // the candidate, while the prominence rises
   XArray*      peaks;   // of Kept: the highest first, of equal ones the first
} OfSet;                 // a working set

static WsReportParts parts;
static UInt          n_sets; // with those of memory, which are the first
static OfSet         of_set[WS_N_ORIGIN_SETS];
static XArray*       others;  // of Kept: in the order of time
static XArray*       pending; // of labels: snapshots of the next sample

/* The shares of a Kept are its own: who drops it frees them. */

static XArray* new_list(void)
{
   return VG_(newXA)(VG_(malloc), "ws.kept", VG_(free), sizeof(Kept));
}

static void delete_list(XArray* list)
{
   for (Word i = 0; list && i < VG_(sizeXA)(list); i++)
      VG_(free)(((Kept*)VG_(indexXA)(list, i))->shares.items);
   if (list)
      VG_(deleteXA)(list);
}

void WS_(kept_begin)(WsReportParts report_parts)
{
   parts  = report_parts;
   n_sets = WS_FIRST_SET + 2 * parts.taus->n;
   for (UInt set = WS_FIRST_SET; set < n_sets; set++) {
      delete_list(of_set[set].peaks);
      of_set[set] = (OfSet){.peaks = new_list()};
   }
   delete_list(others);
   others = new_list();
   if (pending)
      VG_(deleteXA)(pending);
   pending = VG_(newXA)(VG_(malloc), "ws.kept", VG_(free), sizeof(HChar*));
}

static Bool is_writing_known(UInt set)
{
   return parts.dirty && set >= WS_FIRST_SET &&
          WS_(kind_of_set)(set) == Ws_Data;
}

/* Takes the composition of the set, now or as it was kept.  The number of pages
   is the sum of its shares. */
static Kept take(const WsReportKept* row, WsSharesOf of)
{
   Kept k = {*row, WS_(origins_shares)(row->set, of)};

   k.row.n_pages = k.row.n_written = 0;
   for (UWord i = 0; i < k.shares.n; i++) {
      k.row.n_pages += k.shares.items[i].n_pages;
      k.row.n_written += k.shares.items[i].n_written;
   }
   if (!is_writing_known(row->set))
      k.row.n_written = WS_NONE;
   return k;
}

static UWord height(const OfSet* o, Word i)
{
   return ((const Kept*)VG_(indexXA)(o->peaks, i))->row.n_pages;
}

/* One is kept in any case: the largest. */
static Word n_wanted(void)
{
   return WS_(clo).peaks ? WS_(clo).peaks : 1;
}

/* The candidate is a peak. */
static void add_peak(OfSet* o)
{
   Word n = VG_(sizeXA)(o->peaks), i = n;

   while (i > 0 && height(o, i - 1) < o->highest.n_pages)
      i--;
   if (i == n_wanted())
      return;
   Kept k    = take(&o->highest, Ws_Kept);
   k.row.why = WS_(clo).peaks > 0 ? Ws_Peak : 0;
   VG_(insertIndexXA)(o->peaks, i, &k);
   if (n < n_wanted())
      return;
   VG_(free)(((Kept*)VG_(indexXA)(o->peaks, n))->shares.items);
   VG_(removeIndexXA)(o->peaks, n);
}

/* Tells the set's size to its prominence.  WS_(origins_keep) must follow at
   once when a size is the highest so far: what is kept is the composition at
   this sample, and it is asked for only when the ground has shown that it
   was a peak. */
static void sample(UInt set, WsTick t, UWord n_pages)
{
   OfSet* o = &of_set[set];

   switch (WS_(prominence_sample)(&o->prominence, n_pages)) {
   case Ws_HighestSoFar:
      o->highest = (WsReportKept){.set = set, .t = t, .n_pages = n_pages};
      WS_(origins_keep)(set);
      break;
   case Ws_PeakBefore: add_peak(o); break;
   case Ws_NoPeak: break;
   }
}

/* Adds a snapshot, or a sample that the user has named, of all sets. */
static void add_others(WsTick t, UInt why, const HChar* label)
{
   for (UInt set = 0; set < n_sets; set++) {
      WsReportKept row = {.set = set, .t = t, .why = why, .label = label};
      Kept         k   = take(&row, Ws_Now);
      VG_(addToXA)(others, &k);
   }
}

void WS_(kept_sample)(WsTick t, const WsSizes* wss, Bool is_info_at)
{
   for (Word i = 0; i < VG_(sizeXA)(pending); i++)
      add_others(t, Ws_Snapshot, *(const HChar**)VG_(indexXA)(pending, i));
   VG_(dropTailXA)(pending, VG_(sizeXA)(pending));
   for (UInt set = WS_FIRST_SET; set < n_sets; set++)
      sample(set, t, wss->of[WS_(kind_of_set)(set)][WS_(tau_of_set)(set)]);
   if (is_info_at)
      add_others(t, Ws_InfoAt, NULL);
}

void WS_(kept_snapshot)(WsTick t, Bool is_due, const HChar* label)
{
   if (is_due)
      VG_(addToXA)(pending, &label);
   else
      add_others(t, Ws_Snapshot, label);
}

/* --- Report --------------------------------------------------------------- */

/* The candidate is higher than all peaks. */
static Bool is_candidate_largest(const OfSet* o)
{
   return o->prominence.is_rising &&
          (VG_(sizeXA)(o->peaks) == 0 || height(o, 0) < o->highest.n_pages);
}

/* When the most was resident. */
static Kept most_resident(void)
{
   const WsResidentCount* both = &WS_(resident).of[WS_ALL_RESIDENT];
   const WsReportKept     row  = {
           .set = WS_RESIDENT_SET, .t = both->most_t, .why = Ws_Largest};

   return take(&row, Ws_Kept);
}

/* The sample with the most that was cold. */
static Kept most_cold(void)
{
   const WsReportKept row = {
      .set = WS_COLD_SET, .t = WS_(cold).most_t, .why = Ws_Largest};

   return take(&row, Ws_Kept);
}

/* Return the largest sample of a working set. The caller frees its items,
   which are NULL if there is none. */
static Kept largest_sample(UInt set)
{
   const OfSet* o = &of_set[set];

   if (is_candidate_largest(o))
      return take(&o->highest, Ws_Kept);
   if (VG_(sizeXA)(o->peaks) == 0)
      return (Kept){.shares = {.items = NULL}};
   Kept  k   = *(Kept*)VG_(indexXA)(o->peaks, 0);
   SizeT szB = k.shares.n * sizeof(WsShare);
   void* own = VG_(malloc)("ws.kept.largest", szB + 1);
   VG_(memcpy)(own, k.shares.items, szB);
   k.shares.items = own;
   return k;
}

Bool WS_(kept_largest)(UInt set, /*OUT*/ WsReportKept* row,
                       /*OUT*/ WsShares* shares)
{
   Kept k = set == WS_RESIDENT_SET ? most_resident()
            : set == WS_COLD_SET   ? most_cold()
                                   : largest_sample(set);

   *row    = k.row;
   *shares = k.shares;
   return k.shares.items != NULL;
}

/* The same sample of the same set; or NULL. */
static Kept* find(XArray* all, const WsReportKept* row)
{
   for (Word i = 0; i < VG_(sizeXA)(all); i++) {
      Kept* k = VG_(indexXA)(all, i);
      if (k->row.set == row->set && k->row.t == row->t && !k->row.label)
         return k;
   }
   return NULL;
}

/* Return whether a shorter window of this working set has all of the run. */
static Bool is_repeated(UInt set, WsTick end)
{
   const WsTaus* taus = parts.taus;

   if (set < WS_FIRST_SET)
      return False;
   for (UInt i = 0; i < taus->n; i++)
      if (end <= taus->tau[i] && taus->tau[i] < taus->tau[WS_(tau_of_set)(set)])
         return True;
   return False;
}

/* Those of a working set, the largest first. */
static void add_kept(XArray* all, const OfSet* o)
{
   Bool has_largest = is_candidate_largest(o);
   Kept k;

   if (has_largest) {
      k         = take(&o->highest, Ws_Kept);
      k.row.why = Ws_Largest;
      VG_(addToXA)(all, &k);
   }
   for (Word i = 0; i < VG_(sizeXA)(o->peaks); i++) {
      k = *(Kept*)VG_(indexXA)(o->peaks, i);
      if (!has_largest && i == 0)
         k.row.why |= Ws_Largest;
      if (k.row.why)
         VG_(addToXA)(all, &k);
   }
}

/* All that are kept: the most of resident and of cold memory; of each window,
   data and code; then the others. */
static XArray* all_kept(WsTick end)
{
   XArray*    all    = new_list();
   const Kept most[] = {most_resident(), most_cold()};

   for (UInt i = 0; i < 2; i++)
      if (most[i].row.n_pages > 0)
         VG_(addToXA)(all, &most[i]);
   for (UInt i = 0; i < parts.taus->n; i++) {
      if (is_repeated(WS_(set_of)(Ws_Data, i), end))
         continue;
      add_kept(all, &of_set[WS_(set_of)(Ws_Data, i)]);
      add_kept(all, &of_set[WS_(set_of)(Ws_Insn, i)]);
   }
   for (Word i = 0; i < VG_(sizeXA)(others); i++) {
      const Kept* other = VG_(indexXA)(others, i);
      Kept* same = other->row.why == Ws_InfoAt ? find(all, &other->row) : NULL;
      if (same)
         same->row.why |= Ws_InfoAt;
      else if (!is_repeated(other->row.set, end))
         VG_(addToXA)(all, other);
   }
   return all;
}

static WsReportShare in_words(const Kept* k, UWord i)
{
   const WsShare* s = &k->shares.items[i];

   return (WsReportShare){
      .sample    = k->row.number,
      .set       = k->row.set,
      .n_pages   = s->n_pages,
      .n_written = is_writing_known(k->row.set) ? s->n_written : WS_NONE,
      .frame     = WS_(frame_number)(s->code),
      .is_folded = s->is_folded,
      .mapping   = WS_(mapping_name)(s->mapping)};
}

static void report_shares(WsSection section, const Kept* k)
{
   for (UWord i = 0; i < k->shares.n; i++) {
      WsReportShare share = in_words(k, i);
      WS_(report_row)(WS_(to_report), parts, section, &share);
   }
}

static void report_samples(const XArray* all)
{
   if (VG_(sizeXA)(all) == 0)
      return;
   WS_(report_section)(WS_(to_report), parts, Ws_KeptSamples);
   for (Word i = 0; i < VG_(sizeXA)(all); i++)
      WS_(report_row)(WS_(to_report), parts, Ws_KeptSamples,
                      &((Kept*)VG_(indexXA)(all, i))->row);
   WS_(report_section_end)(WS_(to_report));
   WS_(report_section)(WS_(to_report), parts, Ws_Composition);
   for (Word i = 0; i < VG_(sizeXA)(all); i++)
      report_shares(Ws_Composition, VG_(indexXA)(all, i));
   WS_(report_section_end)(WS_(to_report));
}

static void report_entries(const Kept* entered)
{
   UWord n = 0;

   for (UInt set = WS_FIRST_SET; set < n_sets; set++)
      n += entered[set].shares.n;
   if (n == 0)
      return;
   WS_(report_section)(WS_(to_report), parts, Ws_Entries);
   for (UInt set = WS_FIRST_SET; set < n_sets; set++)
      report_shares(Ws_Entries, &entered[set]);
   WS_(report_section_end)(WS_(to_report));
}

void WS_(kept_report)(WsTick end)
{
   XArray* all = all_kept(end);
   Kept    entered[WS_N_ORIGIN_SETS];

   for (Word i = 0; i < VG_(sizeXA)(all); i++) {
      Kept* k       = VG_(indexXA)(all, i);
      k->row.number = i;
   }
   for (UInt set = WS_FIRST_SET; set < n_sets; set++) {
      entered[set].row    = (WsReportKept){.set = set};
      entered[set].shares = WS_(origins_shares)(set, Ws_Entered);
      if (is_repeated(set, end))
         entered[set].shares.n = 0;
      WS_(frames_fold)(&entered[set].shares);
   }
   report_samples(all);
   report_entries(entered);
   VG_(deleteXA)(all);
   for (UInt set = WS_FIRST_SET; set < n_sets; set++)
      VG_(free)(entered[set].shares.items);
}
