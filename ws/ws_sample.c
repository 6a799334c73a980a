/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_sample.h"

#include "pub_tool_libcproc.h"
#include "ws_clo.h"
#include "ws_forks.h"
#include "ws_heap.h"
#include "ws_mappings.h"
#include "ws_outfiles.h"
#include "ws_sets.h"
#include "ws_stacks.h"
#include "ws_stats.h"

/* What is known of the samples so far; all of it is the run's. */
typedef struct {
   WsReportRow row;               // the last one
   WsPeak      peaks[WS_N_KINDS]; // not of dirty pages
   ULong       n_samples;
   ULong       late_us, max_late_us; // sum and maximum
   Word        n_info_at; // times of --ws-info-at that have been passed
   UInt        begin_ms;
   Bool        is_resident_changing;
} Sample;

static Sample sample;

/* --- What is kept --------------------------------------------------------- */

typedef struct {
   WsProminence prominence;
   WsReportKept highest; // the candidate, while the prominence rises
   XArray*      peaks; // of WsKept: the highest first, of equal ones the first
} OfSet;               // a working set

static UInt    n_sets; // with those of memory, which are the first
static OfSet   of_set[WS_N_ORIGIN_SETS];
static XArray* others;  // of WsKept: in the order of time
static XArray* pending; // of labels: snapshots of the next sample
// Of the heap: at the most of resident memory, and at the end.
static WsKept heap_at_most, heap_at_end;

/* Lines for snapshots in a report: 2 to 4 MB. */
#define MAX_SNAPSHOT_LINES 50000

static struct {
   UInt n;      // so far
   UInt stride; // from one that is kept to the next
} snapshots;

/* The shares of a WsKept are its own: who drops it frees them. */

/* Gives an empty array in place of an old one, if there is one. */
static XArray* emptied(XArray* old, SizeT item_szB)
{
   if (old)
      VG_(deleteXA)(old);
   return VG_(newXA)(VG_(malloc), "ws.sample", VG_(free), item_szB);
}

/* Gives an empty list of WsKept; the shares of the old one go with it. */
static XArray* new_list(XArray* old)
{
   for (Word i = 0; old && i < VG_(sizeXA)(old); i++)
      VG_(free)(((WsKept*)VG_(indexXA)(old, i))->shares.items);
   return emptied(old, sizeof(WsKept));
}

/* Tells whether a set knows what was written: only working sets of data do, and
   only with --ws-dirty=yes. */
static Bool is_writing_known(UInt set)
{
   return WS_(clo).dirty && set >= WS_FIRST_SET &&
          WS_(kind_of_set)(set) == Ws_Data;
}

/* Takes the composition of the set, now or as it was kept.  The number of pages
   is the sum of its shares. */
static WsKept take(const WsReportKept* row, WsSharesOf of)
{
   WsKept k = {*row, WS_(origins_shares)(row->set, of)};

   k.row.n_pages = k.row.n_written = 0;
   for (UWord i = 0; i < k.shares.n; i++) {
      k.row.n_pages += k.shares.items[i].n_pages;
      k.row.n_written += k.shares.items[i].n_written;
   }
   if (!is_writing_known(row->set))
      k.row.n_written = WS_NONE;
   return k;
}

/* Takes a snapshot of the heap; without --ws-heap=yes, it is empty. */
static WsKept take_heap(const WsReportKept* row)
{
   WsKept k = {*row, {0, NULL}};

   if (WS_(clo).heap)
      k.shares = WS_(heap_now)();
   k.row.n_pages   = WS_(resident).of[WS_ALL_RESIDENT].n_pages;
   k.row.n_written = WS_NONE;
   return k;
}

static UWord height(const OfSet* o, Word i)
{
   return ((const WsKept*)VG_(indexXA)(o->peaks, i))->row.n_pages;
}

/* Tells how many samples a set keeps: at least one, the largest. */
static Word n_wanted(void)
{
   return WS_(clo).peaks ? WS_(clo).peaks : 1;
}

/* Keeps the candidate, which is a peak. Peaks are sorted by height, the highest
   first, and there are no more of them than the user wants: a lower one is not
   copied at all. */
static void add_peak(OfSet* o)
{
   Word n = VG_(sizeXA)(o->peaks), i = n;

   while (i > 0 && height(o, i - 1) < o->highest.n_pages)
      i--;
   if (i == n_wanted())
      return;
   WsKept k  = take(&o->highest, Ws_Kept);
   k.row.why = WS_(clo).peaks > 0 ? Ws_Peak : 0;
   VG_(insertIndexXA)(o->peaks, i, &k);
   if (n < n_wanted())
      return;
   VG_(free)(((WsKept*)VG_(indexXA)(o->peaks, n))->shares.items);
   VG_(removeIndexXA)(o->peaks, n);
}

/* Tells the set's size to its prominence.  WS_(origins_keep) must follow at
   once when a size is the highest so far: what is kept is the composition at
   this sample, and it is asked for only when the ground has shown that it
   was a peak. */
static void sample_set(UInt set, WsTick t, UWord n_pages)
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

void WS_(sample_heap)(WsTick t)
{
   if (!WS_(heap_most)(&heap_at_most.shares))
      return;
   heap_at_most.row.t       = t;
   heap_at_most.row.n_pages = WS_(resident).of[WS_ALL_RESIDENT].n_pages;
}

/* Adds a snapshot, or a sample that the user has named, of all sets. */
static void add_others(WsTick t, UInt why, const HChar* label)
{
   for (UInt set = 0; set < n_sets; set++) {
      WsReportKept row = {
         .number = snapshots.n, .set = set, .t = t, .why = why, .label = label};
      WsKept k = set == WS_HEAP_SET ? take_heap(&row) : take(&row, Ws_Now);
      if (k.shares.n == 0 && (set == WS_UNSHARED_SET || set == WS_HEAP_SET))
         VG_(free)(k.shares.items);
      else
         VG_(addToXA)(others, &k);
   }
}

/* Drops the snapshots between the strides, but for the last one. Gives the
   lines that the others take in the report. */
static UWord keep_snapshots(void)
{
   Word  n       = 0;
   UWord n_lines = 0;

   for (Word i = 0; i < VG_(sizeXA)(others); i++) {
      WsKept k = *(WsKept*)VG_(indexXA)(others, i);
      if (k.row.why == Ws_Snapshot && k.row.number % snapshots.stride != 0 &&
          k.row.number != snapshots.n) {
         VG_(free)(k.shares.items);
         continue;
      }
      if (k.row.why == Ws_Snapshot)
         n_lines += 1 + k.shares.n;
      *(WsKept*)VG_(indexXA)(others, n++) = k;
   }
   VG_(dropTailXA)(others, VG_(sizeXA)(others) - n);
   return n_lines;
}

/* Adds a snapshot. If there are too many, every second one goes, then every
   second one of those that are left; the first and the last stay. */
static void add_snapshot(WsTick t, const HChar* label)
{
   add_others(t, Ws_Snapshot, label);
   while (keep_snapshots() > MAX_SNAPSHOT_LINES &&
          snapshots.stride <= snapshots.n) {
      if (snapshots.stride == 1)
         WS_(say)("There are more snapshots than the report can have: it keeps "
                  "every 2nd one, or 4th, and so on; and all marks.\n");
      snapshots.stride *= 2;
   }
   snapshots.n++;
}

/* Looks at a sample of these sizes; whether the user has named it. */
static void sample_sets(WsTick t, const WsSizes* wss, Bool is_info_at)
{
   for (Word i = 0; i < VG_(sizeXA)(pending); i++)
      add_snapshot(t, *(const HChar**)VG_(indexXA)(pending, i));
   VG_(dropTailXA)(pending, VG_(sizeXA)(pending));
   for (UInt set = WS_FIRST_SET; set < n_sets; set++)
      sample_set(set, t, wss->of[WS_(kind_of_set)(set)][WS_(tau_of_set)(set)]);
   if (is_info_at)
      add_others(t, Ws_InfoAt, NULL);
}

/* --- The report of what is kept ------------------------------------------- */

/* Samples are numbered in the order of the report.  A working set's largest
   sample need not have been a peak so far: then it is the candidate. */

/* Tells whether the candidate is higher than all peaks. */
static Bool is_candidate_largest(const OfSet* o)
{
   return o->prominence.is_rising &&
          (VG_(sizeXA)(o->peaks) == 0 || height(o, 0) < o->highest.n_pages);
}

/* Gives the moment when the most was resident, or cold; or what has been
   unshared. */
static WsKept most_of(UInt set)
{
   WsReportKept row = {.set = set, .why = Ws_Largest, .t = WS_(cold).most_t};

   if (set == WS_UNSHARED_SET) {
      row.t = sample.row.t;
      return take(&row, Ws_Now);
   }
   if (set == WS_RESIDENT_SET)
      row.t = WS_(resident).of[WS_ALL_RESIDENT].most_t;
   return take(&row, Ws_Kept);
}

/* Gives a copy, whose items are to be freed; sums of the heap lie behind
   them. */
static WsShares copy_of(const WsShares* shares)
{
   Bool     is_of_heap = shares->n > 0 && shares->items[0].is_of_heap;
   UInt     n_sums     = is_of_heap ? WS_(n_heap_sums)() : 0;
   SizeT    szB        = shares->n * (sizeof(WsShare) + n_sums * sizeof(ULong));
   WsShares copy       = {shares->n, VG_(malloc)("ws.kept.copy", szB + 1)};
   ULong*   sums       = (ULong*)(copy.items + copy.n);

   VG_(memcpy)(copy.items, shares->items, copy.n * sizeof(WsShare));
   for (UWord i = 0; n_sums > 0 && i < copy.n; i++, sums += n_sums) {
      VG_(memcpy)(sums, copy.items[i].sums, n_sums * sizeof(ULong));
      copy.items[i].sums = sums;
   }
   return copy;
}

WsKept WS_(sample_largest)(UInt set)
{
   const OfSet* o = &of_set[set];

   if (set < WS_FIRST_SET)
      return most_of(set);
   if (is_candidate_largest(o))
      return take(&o->highest, Ws_Kept);
   if (VG_(sizeXA)(o->peaks) == 0)
      return (WsKept){.shares = {.items = NULL}};
   WsKept k = *(WsKept*)VG_(indexXA)(o->peaks, 0);
   k.shares = copy_of(&k.shares);
   return k;
}

/* Finds the same sample of the same set; or NULL. */
static WsKept* find_kept(XArray* all, const WsReportKept* row)
{
   for (Word i = 0; i < VG_(sizeXA)(all); i++) {
      WsKept* k = VG_(indexXA)(all, i);
      if (k->row.set == row->set && k->row.t == row->t && !k->row.label)
         return k;
   }
   return NULL;
}

/* Return whether a shorter window of this working set has all of the run. */
static Bool is_repeated(UInt set, WsTick end)
{
   const WsTaus* taus = &WS_(clo).taus;

   if (set < WS_FIRST_SET)
      return False;
   for (UInt i = 0; i < taus->n; i++)
      if (end <= taus->tau[i] && taus->tau[i] < taus->tau[WS_(tau_of_set)(set)])
         return True;
   return False;
}

/* Adds the kept samples of a working set, the largest first. */
static void add_kept(XArray* all, const OfSet* o)
{
   Bool   has_largest = is_candidate_largest(o);
   WsKept k;

   if (has_largest) {
      k         = take(&o->highest, Ws_Kept);
      k.row.why = Ws_Largest;
      VG_(addToXA)(all, &k);
   }
   for (Word i = 0; i < VG_(sizeXA)(o->peaks); i++) {
      k = *(WsKept*)VG_(indexXA)(o->peaks, i);
      if (!has_largest && i == 0)
         k.row.why |= Ws_Largest;
      if (k.row.why)
         VG_(addToXA)(all, &k);
   }
}

/* Tells whether two snapshots of the heap are the same. */
static Bool are_same(const WsKept* k, const WsKept* l)
{
   Bool same = k->row.t == l->row.t && k->shares.n == l->shares.n;

   for (UWord i = 0; same && i < k->shares.n; i++) {
      const WsShare *s = &k->shares.items[i], *t = &l->shares.items[i];
      same = s->code == t->code && s->mapping == t->mapping &&
             VG_(memcmp)(s->sums, t->sums,
                         WS_(n_heap_sums)() * sizeof(ULong)) == 0;
   }
   return same;
}

/* Adds the heap when most was resident, and at the end. */
static void add_heap(XArray* all, WsTick end)
{
   WsReportKept row = {.set = WS_HEAP_SET, .t = end, .why = Ws_End};

   WS_(sample_heap)(end);
   VG_(free)(heap_at_end.shares.items);
   heap_at_end          = take_heap(&row);
   heap_at_most.row.why = Ws_Largest;
   const Bool same      = are_same(&heap_at_most, &heap_at_end);
   if (same)
      heap_at_most.row.why |= Ws_End;
   VG_(addToXA)(all, &heap_at_most);
   if (!same)
      VG_(addToXA)(all, &heap_at_end);
}

/* Collects all that are kept: the most of resident and of cold memory; what has
   been unshared; of each window, data and code; then the others. */
static XArray* all_kept(WsTick end)
{
   XArray* all = new_list(NULL);

   for (UInt set = 0; set < WS_HEAP_SET; set++) {
      WsKept most = most_of(set);
      if (most.row.n_pages > 0)
         VG_(addToXA)(all, &most);
   }
   if (WS_(clo).heap)
      add_heap(all, end);
   for (UInt i = 0; i < WS_(clo).taus.n; i++) {
      if (is_repeated(WS_(set_of)(Ws_Data, i), end))
         continue;
      add_kept(all, &of_set[WS_(set_of)(Ws_Data, i)]);
      add_kept(all, &of_set[WS_(set_of)(Ws_Insn, i)]);
   }
   for (Word i = 0; i < VG_(sizeXA)(others); i++) {
      const WsKept* other = VG_(indexXA)(others, i);
      WsKept* same = other->row.why == Ws_InfoAt ? find_kept(all, &other->row)
                                                 : NULL;
      if (same)
         same->row.why |= Ws_InfoAt;
      else if (!is_repeated(other->row.set, end))
         VG_(addToXA)(all, other);
   }
   return all;
}

/* Compositions and entries are whole if both take no more lines, with frames.
   Else there are so many of each.  But each sample may have some; and most the
   most of resident memory, which the answer explains. */
#define WHOLE_LINES       32000
#define COMPOSITION_LINES 22000
#define ENTRIES_LINES     8000
#define HEAP_LINES        8000
#define LEAST_LINES       100
#define ANSWER_LINES      6000

static UWord lines_of(const XArray* all)
{
   UWord n = 0;

   for (Word i = 0; i < VG_(sizeXA)(all); i++)
      n += WS_(frames_lines)(&((WsKept*)VG_(indexXA)(all, i))->shares);
   return n;
}

/* Tells whether the leads of a set matter: not those of code, whose owner is
   its mapping, where call trees tell more. */
static Bool has_leads(UInt set)
{
   return set < WS_FIRST_SET || WS_(kind_of_set)(set) == Ws_Data ||
          !(WS_(clo).with_callers & (1U << WS_(tau_of_set)(set)));
}

/* Reports the shares of a sample in the order of ws_origins.h: the largest
   first.  They are not changed, for another report may follow.  Gives the lines
   that they took, with frames. */
static UWord report_shares(WsSection section, const WsKept* k, UWord most)
{
   Bool     is_known = is_writing_known(k->row.set);
   WsShares shares   = copy_of(&k->shares);

   WS_(frames_fold)(&shares, most, has_leads(k->row.set));
   const UWord n_lines = WS_(frames_lines)(&shares);
   for (UWord i = 0; i < shares.n; i++) {
      const WsShare* s     = &shares.items[i];
      WsReportShare  share = {.sample    = k->row.number,
                              .set       = k->row.set,
                              .n_pages   = s->n_pages,
                              .n_written = is_known ? s->n_written : WS_NONE,
                              .frame     = WS_(frame_number)(s->code),
                              .is_folded = s->is_folded,
                              .lead      = WS_(frame_number)(s->lead),
                              .mapping   = s->mapping == WS_NO_MAPPING
                                              ? NULL
                                              : WS_(mapping_name)(s->mapping),
                              .sums      = s->is_of_heap ? s->sums : NULL};
      WS_(report_row)(section, &share);
   }
   VG_(free)(shares.items);
   return n_lines;
}

/* Gives those of the kept samples that are, or are not, of the heap. */
static XArray* of_heap(const XArray* all, Bool is_heap)
{
   XArray* some = new_list(NULL);

   for (Word i = 0; i < VG_(sizeXA)(all); i++) {
      const WsKept* k = VG_(indexXA)(all, i);
      if ((k->row.set == WS_HEAP_SET) == is_heap)
         VG_(addToXA)(some, k);
   }
   return some;
}

/* Reports the shares of all samples: as they are, if that takes no more than so
   many lines; else each has an equal part of those that are left. */
static void report_all(WsSection section, const XArray* all, UWord n_lines)
{
   const Word n        = VG_(sizeXA)(all);
   const Bool is_whole = lines_of(all) <= n_lines;
   UWord      left     = n_lines;

   if (n > 0 && section == Ws_Composition) // which may be empty
      WS_(report_section)(section);
   for (Word i = 0; i < n; i++) {
      const WsKept* k         = VG_(indexXA)(all, i);
      Bool          is_answer = k->row.set == WS_RESIDENT_SET &&
                       (k->row.why & Ws_Largest);
      UWord least = is_answer ? ANSWER_LINES : LEAST_LINES;
      UWord part  = is_whole ? n_lines : VG_MAX(left / (n - i), least);
      UWord taken = report_shares(section, k, part);
      left -= VG_MIN(left, taken);
   }
   WS_(report_section_end)();
}

/* Gives the entries of all sets, which are those of the whole run and belong to
   no sample. */
static XArray* all_entered(WsTick end)
{
   XArray* all = new_list(NULL);

   for (UInt set = WS_FIRST_SET; set < n_sets; set++) {
      WsKept entered = {.row = {.set = set}};
      if (is_repeated(set, end))
         continue;
      entered.shares = WS_(origins_shares)(set, Ws_Entered);
      VG_(addToXA)(all, &entered);
   }
   return all;
}

/* Numbers samples in the order of the report, for their compositions refer
   to them. */
static void report_kept(XArray* all)
{
   for (Word i = 0; i < VG_(sizeXA)(all); i++) {
      WsKept* k     = VG_(indexXA)(all, i);
      k->row.number = i;
      WS_(report_row)(Ws_KeptSamples, &k->row);
   }
   WS_(report_section_end)();
}

/* --- Sample info ---------------------------------------------------------- */

/* Entries are numbered from 0 in the order of their first use.  Two are the
   same if they read the same, whatever their addresses: the same stack may
   consist of other frames.  So those of one text and one innermost function
   are compared, the latest first. */

typedef struct {
   WsReportInfo row;    // with the stack as its frame
   UInt         before; // number + 1 of the last one of these before; or 0
} Info;

static XArray* infos;                                // of Info, by number
static WsPairs latest = {.entry_szB = sizeof(UInt)}; // number + 1

/* Gives the number of the entry for this stack, to which one row more
   refers: of a sample, with the sets in which a peak begins, or NULL; or of
   a snapshot, with its label, or NULL. */
static ULong refer(const HChar* sets, const HChar* label, UInt stack)
{
   UWord function = 0;

   if (WS_(is_frame)(stack))
      function = (UWord)WS_(frame_places)(stack)->places[0].names;
   UInt* last = WS_(pair_get)(&latest, (UWord)(label ? label : sets), function);
   for (UInt n = *last; n > 0;) {
      Info*         info = VG_(indexXA)(infos, n - 1);
      WsReportInfo* row  = &info->row;
      if (row->sets == sets && row->label == label &&
          WS_(are_stacks_same)(row->frame, stack)) {
         row->n_rows++;
         return row->number;
      }
      n = info->before;
   }
   Info entry = {.row    = {.number = VG_(sizeXA)(infos),
                            .n_rows = 1,
                            .kind   = label ? "snapshot" : "sample",
                            .sets   = sets,
                            .frame  = stack,
                            .label  = label},
                 .before = *last};
   VG_(addToXA)(infos, &entry);
   *last = entry.row.number + 1;
   return entry.row.number;
}

static void report_info(void)
{
   for (Word i = 0; i < VG_(sizeXA)(infos); i++) {
      WsReportInfo row = ((Info*)VG_(indexXA)(infos, i))->row;
      row.frame        = WS_(frame_number)(row.frame);
      WS_(report_row)(Ws_SampleInfo, &row);
   }
   WS_(report_section_end)();
}

/* --- Phases --------------------------------------------------------------- */

/* A phase is from one mark to the next.  Its samples are those that are due in
   it, its pages those that were accessed in it; the last one has not ended when
   the report is written. */

static XArray*       ended;   // of WsReportPhase
static WsReportPhase present; // its `instrs` are those at its start

/* Adds a sample due at `t`, now or later, to the phase that it belongs to: it
   may be taken right after a mark at that time, which has ended its phase. */
static void sample_phase(WsTick t, const WsSizes* sizes, ULong weight)
{
   WsReportPhase* phase = &present;

   for (Word i = VG_(sizeXA)(ended) - 1; i >= 0 && t <= phase->start; i--)
      phase = VG_(indexXA)(ended, i);
   for (UInt kind = 0; kind < WS_N_KINDS; kind++)
      WS_(stats_sample)(&phase->stats[kind], sizes->of[kind][0], weight);
   phase->n_samples++;
}

/* Gives the present phase as it would be if it ended now. */
static WsReportPhase ended_now(WsTick t, WsInstrs now, const HChar* label,
                               ULong info)
{
   WsReportPhase phase = present;

   phase.end    = t;
   phase.instrs = now - present.instrs;
   phase.label  = label;
   phase.info   = info;
   for (UInt kind = 0; kind < WS_N_KINDS; kind++)
      phase.n_pages[kind] = WS_(sets_counts)(kind)->n_in_phase;
   return phase;
}

void WS_(sample_mark)(WsTick t, WsInstrs now, const HChar* label, UInt stack,
                      Bool is_sample_due)
{
   ULong info = WS_NONE;

   if (stack != WS_NO_FRAME) {
      // A sample that is due, and has not been taken, will be the snapshot.
      if (is_sample_due)
         VG_(addToXA)(pending, &label);
      else
         add_snapshot(t, label);
      info = refer(NULL, label, stack);
   }
   WsReportPhase phase = ended_now(t, now, label, info);
   VG_(addToXA)(ended, &phase);
   present = (WsReportPhase){.start = t, .instrs = now};
   WS_(sets_begin_phase)();
}

static void report_phases(WsTick t, WsInstrs now)
{
   WsReportPhase last = ended_now(t, now, "", WS_NONE);

   if (VG_(sizeXA)(ended) == 0)
      return;
   for (Word i = 0; i < VG_(sizeXA)(ended); i++)
      WS_(report_row)(Ws_Phases, VG_(indexXA)(ended, i));
   WS_(report_row)(Ws_Phases, &last);
   WS_(report_section_end)();
}

/* --- Samples -------------------------------------------------------------- */

/* Completes the last row by the numbers of pages, and reports it. */
static void add_row(ULong info)
{
   WsReportRow* row = &sample.row;

   for (UInt kind = 0; kind < WS_(n_kinds)(); kind++) {
      UWord n_pages          = WS_(sets_counts)(kind)->n_pages;
      row->new_pages[kind]   = n_pages - row->total_pages[kind];
      row->total_pages[kind] = n_pages;
   }
   row->mapped_pages   = WS_(mapped_pages)();
   row->resident_pages = WS_(resident).of[WS_ALL_RESIDENT].n_pages;
   row->cold_pages     = WS_(cold).n_pages;
   row->shared_pages   = WS_(forked).n_owned + WS_(forked).n_inherited;
   row->info           = info;
   WS_(report_row)(Ws_WorkingSets, row);
}

/* Drops all that was kept: a child of a fork begins anew. */
void WS_(sample_begin)(UInt begin_ms)
{
   sample = (Sample){.begin_ms = begin_ms};
   n_sets = WS_FIRST_SET + 2 * WS_(clo).taus.n;
   for (UInt set = WS_FIRST_SET; set < n_sets; set++)
      of_set[set] = (OfSet){.peaks = new_list(of_set[set].peaks)};
   others           = new_list(others);
   heap_at_most.row = (WsReportKept){
      .set = WS_HEAP_SET, .why = Ws_Largest, .n_written = WS_NONE};
   if (WS_(clo).heap)
      WS_(heap_begin)();
   snapshots.n      = 0;
   snapshots.stride = 1;
   pending          = emptied(pending, sizeof(HChar*));
   infos            = emptied(infos, sizeof(Info));
   WS_(pairs_done)(&latest);
   ended   = emptied(ended, sizeof present);
   present = (WsReportPhase){.start = 0};
   add_row(WS_NONE);
}

void WS_(sample_resident)(Bool changes, WsTick t)
{
   if (sample.is_resident_changing == changes)
      return;
   sample.is_resident_changing = changes;
   WS_(resident_span)(t, VG_(read_millisecond_timer)() - sample.begin_ms);
}

/* Names the sets in which a peak begins; NULL: there is none. */
static const HChar* begins_peak(void)
{
   static const HChar* const names[] = {NULL, "insn", "data", "insn+data"};
   UInt                      found   = 0;

   for (UInt kind = Ws_Insn; WS_(clo).peak_detect && kind <= Ws_Data; kind++)
      if (WS_(peak_sample)(&sample.peaks[kind], sample.row.wss.of[kind][0]))
         found |= 1 << kind;
   return names[found];
}

/* Counts the times of --ws-info-at that are not after `t`. */
static Word n_info_at(WsTick t)
{
   const XArray* times = WS_(clo).info_at;
   Word          n     = sample.n_info_at;

   while (times && n < VG_(sizeXA)(times) &&
          *(WsTick*)VG_(indexXA)(times, n) <= t)
      n++;
   return n;
}

/* The order matters: sizes first, for all else is made of them; then peaks,
   which may want the entry of a stack; then what is kept, while the sets are at
   this sample; and the row last, which refers to the entry. */
const WsSizes* WS_(sample_take)(WsTick due, WsTick late, UInt stack)
{
   Word  n          = n_info_at(due);
   Bool  is_info_at = n > sample.n_info_at;
   ULong weight     = (due - sample.row.t) / WS_(clo).every;

   sample.row.t     = due;
   sample.row.late  = late;
   sample.n_info_at = n;
   sample.n_samples++;
   sample.late_us += late;
   sample.max_late_us = VG_MAX(sample.max_late_us, late);
   WS_(sets_sample)(due, &sample.row.wss);
   const HChar* sets = begins_peak();
   ULong        info = sets || is_info_at ? refer(sets, NULL, stack) : WS_NONE;
   sample_sets(due, &sample.row.wss, is_info_at);
   sample_phase(due, &sample.row.wss, weight);
   WS_(sample_resident)(False, due);
   add_row(info);
   return &sample.row.wss;
}

const WsSizes* WS_(sample_sizes)(/*OUT*/ const HChar** name)
{
   *name = sample.n_samples ? "working set" : "accessed so far";
   if (sample.n_samples == 0)
      for (UInt kind = 0; kind < WS_(n_kinds)(); kind++)
         for (UInt i = 0; i < WS_(clo).taus.n; i++)
            sample.row.wss.of[kind][i] = WS_(sets_counts)(kind)->n_pages;
   return &sample.row.wss;
}

Bool WS_(sample_may_want_stack)(WsTick due)
{
   return WS_(clo).peak_detect || n_info_at(due) > sample.n_info_at;
}

/* Fills in sizes and totals. For written pages, neither how many were mapped
   anew nor peaks are known; only the first window has a bound. */
static void set_kind(WsReportSummary* s, UInt kind)
{
   const WsWindows* ws       = WS_(sets_windows)(kind);
   const WsCounts*  counts   = WS_(sets_counts)(kind);
   Bool             is_dirty = kind == Ws_Dirty;

   for (UInt i = 0; i < WS_(clo).taus.n; i++) {
      const WsWindow* w = &ws->windows[ws->asked[i]];
      s->sizes[kind][i] = (WsReportSize){
         .kind        = kind,
         .tau         = w->tau,
         .stats       = w->stats,
         .bound_pages = i == 0 ? WS_(window_bound)(w) : WS_NONE};
   }
   s->totals[kind] = (WsReportTotal){
      .kind          = kind,
      .n_pages       = counts->n_pages,
      .n_mapped_anew = is_dirty ? WS_NONE : counts->n_mapped_anew,
      .n_peaks       = is_dirty ? WS_NONE : sample.peaks[kind].n_peaks};
   WS_(profile_make)(&s->profile[kind], ws);
}

/* Counts the pages that the page cache may have beside those of files that were
   resident at most. */
static UWord cached_pages(void)
{
   const WsKept most  = WS_(sample_largest)(WS_RESIDENT_SET);
   WsPairs      files = {.entry_szB = sizeof(UWord)}; // of 0 and mapping
   UWord        n     = 0;

   for (UWord i = 0; i < most.shares.n; i++) {
      const WsShare* s = &most.shares.items[i];
      *(UWord*)WS_(pair_get)(&files, 0, s->mapping) += s->n_pages;
   }
   for (UInt i = 0; i < files.n; i++)
      n += WS_(mapping_cached_pages)(files.pairs[i].b,
                                     *(UWord*)WS_(pair_entry)(&files, i));
   WS_(pairs_done)(&files);
   VG_(free)(most.shares.items);
   return n;
}

void WS_(sample_summary)(/*OUT*/ WsReportSummary* s, Bool is_end)
{
   if (is_end)
      WS_(sample_resident)(!sample.is_resident_changing, s->end);
   s->n_samples   = sample.n_samples;
   s->late_avg_us = s->late_max_us = WS_NONE;
   if (sample.n_samples > 0) {
      s->late_avg_us = WS_(stats_ratio)(sample.late_us, sample.n_samples, 0);
      s->late_max_us = sample.max_late_us;
   }
   for (UInt kind = 0; kind < WS_(n_kinds)(); kind++)
      set_kind(s, kind);
   s->cached_pages     = cached_pages();
   s->not_in_limit     = WS_(resident_doubts)();
   const XArray* times = WS_(clo).info_at;
   if (times && VG_(sizeXA)(times) > sample.n_info_at)
      s->not_reached = (WsTimes){VG_(indexXA)(times, sample.n_info_at),
                                 VG_(sizeXA)(times) - sample.n_info_at};
}

void WS_(sample_report)(WsTick end, WsInstrs now)
{
   XArray *all = all_kept(end), *entered = all_entered(end);

   report_kept(all);
   XArray *kept = of_heap(all, False), *heap = of_heap(all, True);
   Bool    fits = lines_of(kept) + lines_of(entered) <= WHOLE_LINES;
   report_all(Ws_Composition, kept, fits ? WHOLE_LINES : COMPOSITION_LINES);
   report_all(Ws_Entries, entered, fits ? WHOLE_LINES : ENTRIES_LINES);
   report_all(Ws_HeapBlocks, heap, HEAP_LINES);
   VG_(deleteXA)(kept);
   VG_(deleteXA)(heap);
   VG_(deleteXA)(all);
   VG_(deleteXA)(new_list(entered));
   report_phases(end, now);
   report_info();
}
