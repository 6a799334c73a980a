/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_pagelist.h"

#include "pub_tool_hashtable.h"
#include "ws_clo.h"
#include "ws_frames.h"
#include "ws_mappings.h"
#include "ws_marks.h"
#include "ws_sets.h"

/* A page from when it was mapped until it is mapped anew. */
typedef struct _Entry {
   VgHashNode     node;       // key: the page
   ULong          n_accesses; // but for those that a table has
   WsTick         last;       // once it has ended: a cut or the next sample
   Bool           has_ended;
   UInt           frame; // of the first access (ws_frames.h)
   const HChar*   mapping;
   struct _Entry* earlier; // of the same page
} Entry;

#define N_LISTS (Ws_Data + 1)

static VgHashTable* entries[N_LISTS]; // the latest of each page
static UWord        n_entries[N_LISTS];

/* Finds where generated code counts the page's accesses; NULL: they are counted
   in its entry only. An entry's own number is what was taken from there when
   the tables were replaced, or the entry ended. */
static UWord* counter_of(WsKind kind, WsPage page)
{
   if (kind == Ws_Insn)
      return &WS_(code_page)(page)->n_accesses;
   return WS_(is_in_reach)(page) ? WS_(count_of)(page) : NULL;
}

static void take_count(WsKind kind, Entry* e)
{
   UWord* count = counter_of(kind, e->node.key);

   if (count) {
      e->n_accesses += *count;
      *count = 0;
   }
}

void WS_(list_take_counts)(void)
{
   for (UInt kind = 0; kind < N_LISTS; kind++) {
      VG_(HT_ResetIter)(entries[kind]);
      for (Entry* e; (e = VG_(HT_Next)(entries[kind]));)
         take_count(kind, e);
   }
}

static void free_entry(void* entry)
{
   for (Entry* e = entry; e;) {
      Entry* earlier = e->earlier;
      VG_(free)(e);
      e = earlier;
   }
}

void WS_(list_begin)(void)
{
   if (entries[0])
      WS_(list_take_counts)(); // of the process that has forked
   for (UInt kind = 0; kind < N_LISTS; kind++) {
      if (entries[kind])
         VG_(HT_destruct)(entries[kind], free_entry);
      entries[kind]   = VG_(HT_construct)("ws.list");
      n_entries[kind] = 0;
   }
}

/* Makes an entry, unless the page has one that goes on.  Its names are
   looked up now, while its code and its mapping are there. */
void WS_(list_page)(WsKind kind, WsPage page, Addr instr, Addr address)
{
   Entry* latest = VG_(HT_lookup)(entries[kind], page);
   Addr   start  = WS_(page_start)(page);

   counter_of(kind, page); // generated code will count there
   if (latest && !latest->has_ended)
      return;
   if (latest)
      VG_(HT_remove)(entries[kind], page);
   Entry* e    = VG_(calloc)("ws.list.entry", 1, sizeof *e);
   e->node.key = page;
   e->mapping  = WS_(mapping_name)(
      WS_(mapping_at)(address > start ? address : start));
   e->frame = WS_NO_FRAME;
   if (WS_(clo).locations) {
      e->frame = WS_(frame)(WS_NO_FRAME, instr);
      WS_(frame_places)(e->frame); // while its code is there
   }
   e->earlier = latest;
   VG_(HT_add_node)(entries[kind], e);
   n_entries[kind]++;
}

void WS_(list_count)(WsPage page)
{
   UWord* count = counter_of(Ws_Data, page);

   if (count)
      ++*count;
   else
      ((Entry*)VG_(HT_lookup)(entries[Ws_Data], page))->n_accesses++;
}

/* Ends an entry whose page is mapped anew. What generated code has counted so
   far is the old entry's, and its last access is known by the sets only until
   the new one's comes. */
static void end_entry(WsKind kind, Entry* e, WsTick next_sample)
{
   if (!e || e->has_ended)
      return;
   take_count(kind, e);
   e->last = WS_(sets_last_access)(kind, e->node.key);
   if (e->last > next_sample)
      e->last = next_sample;
   e->has_ended = True;
}

void WS_(list_map)(WsPage first, WsPage last, WsTick next_sample)
{
   UWord n_pages = last - first + 1; // 0: all that there are

   for (UInt kind = 0; kind < N_LISTS; kind++) {
      VgHashTable* list = entries[kind];
      if (n_pages - 1 < VG_(HT_count_nodes)(list)) {
         for (UWord i = 0; i < n_pages; i++)
            end_entry(kind, VG_(HT_lookup)(list, first + i), next_sample);
         continue;
      }
      VG_(HT_ResetIter)(list);
      for (Entry* e; (e = VG_(HT_Next)(list));)
         if (first <= e->node.key && e->node.key <= last)
            end_entry(kind, e, next_sample);
   }
}

ULong WS_(list_n_accesses)(WsKind kind, WsPage page)
{
   Entry*       e     = VG_(HT_lookup)(entries[kind], page);
   const UWord* count = counter_of(kind, page);
   ULong        n     = count ? *count : 0;

   for (; e; e = e->earlier)
      n += e->n_accesses;
   return n;
}

/* Orders entries by accesses, the most first; then by page, and by time: a
   total order. */
static Int compare(const void* a, const void* b)
{
   const Entry *s = *(Entry*const*)a, *t = *(Entry*const*)b;

   if (s->n_accesses != t->n_accesses)
      return s->n_accesses > t->n_accesses ? -1 : 1;
   if (s->node.key != t->node.key)
      return s->node.key < t->node.key ? -1 : 1;
   return s->last < t->last ? -1 : s->last > t->last;
}

/* Finds the sample up to which a page was last accessed, from the first cut
   after the access; or the end of the run if there was none. */
static WsTick sample_of(WsTick cut, WsTick end)
{
   WsTick past  = cut % WS_(clo).every;
   WsTick after = past ? WS_(clo).every - past : 0;

   return cut >= end || after > end - cut ? end : cut + after;
}

/* Sorts entries of all times in one array, by accesses. Those that go on have
   been accessed last at the cut that the sets know. */
void WS_(list_report)(WsKind kind, WsTick end)
{
   UWord   n = 0;
   Entry** sorted;

   WS_(list_take_counts)();
   sorted = VG_(malloc)("ws.list.sorted",
                        (n_entries[kind] + 1) * sizeof *sorted);
   VG_(HT_ResetIter)(entries[kind]);
   for (Entry* e; (e = VG_(HT_Next)(entries[kind]));) {
      if (!e->has_ended)
         e->last = WS_(sets_last_access)(kind, e->node.key);
      for (; e; e = e->earlier)
         sorted[n++] = e;
   }
   VG_(ssort)(sorted, n, sizeof *sorted, compare);

   WsSection section = kind == Ws_Insn ? Ws_CodePages : Ws_DataPages;
   WS_(report_section)(section); // it may be empty
   for (UWord i = 0; i < n; i++) {
      const Entry* e    = sorted[i];
      WsReportPage page = {.n_accesses     = e->n_accesses,
                           .a              = WS_(page_start)(e->node.key),
                           .last           = sample_of(e->last, end),
                           .is_mapped_anew = e->earlier != NULL,
                           .frame          = WS_(frame_number)(e->frame),
                           .mapping        = e->mapping};
      WS_(report_row)(section, &page);
   }
   WS_(report_section_end)();
   VG_(free)(sorted);
}
