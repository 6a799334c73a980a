/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_pagelist.h"

#include "ws_clo.h"
#include "ws_intern.h"
#include "ws_mappings.h"
#include "ws_pagemarks.h"
#include "ws_sets.h"
#include "ws_stacks.h"

/* A page from when it was mapped until it is mapped anew. Its row has the
   accesses that a table does not count; once it has ended, the last access, as
   a cut or the next sample; and the frame of the first access (ws_stacks.h). */
typedef struct {
   WsReportPage row;
   Bool         has_ended;
   ULong        n_before; // accesses to earlier entries of the page
} Entry;

#define N_LISTS (Ws_Data + 1)

/* Pairs of 0 and a page, whose entry is the page's latest; earlier ones are
   hidden. */
static WsPairs lists[N_LISTS] = {{.entry_szB = sizeof(Entry)},
                                 {.entry_szB = sizeof(Entry)}};

static Entry* entry_of(WsKind kind, UInt n)
{
   return WS_(pair_entry)(&lists[kind], n);
}

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
   UWord* count = e->has_ended ? NULL
                               : counter_of(kind, WS_(page_of)(e->row.a));

   if (count) {
      e->row.n_accesses += *count;
      *count = 0;
   }
}

void WS_(list_take_counts)(void)
{
   for (UInt kind = 0; kind < N_LISTS; kind++)
      for (UInt n = 0; n < lists[kind].n; n++)
         take_count(kind, entry_of(kind, n));
}

void WS_(list_begin)(void)
{
   WS_(list_take_counts)(); // of the process that has forked
   for (UInt kind = 0; kind < N_LISTS; kind++)
      WS_(pairs_done)(&lists[kind]);
}

/* Makes an entry, unless the page has one that goes on.  Its names are
   looked up now, while its code and its mapping are there. */
void WS_(list_page)(WsKind kind, WsPage page, Addr instr, Addr address)
{
   UInt   number  = WS_(pair_number)(&lists[kind], 0, page);
   Entry  before  = *entry_of(kind, number);
   Addr   start   = WS_(page_start)(page);
   UInt   mapping = WS_(mapping_at)(address > start ? address : start);
   Entry* e;

   counter_of(kind, page); // generated code will count there
   if (before.row.mapping && !before.has_ended)
      return;
   if (before.has_ended)
      WS_(pair_hide)(&lists[kind], number);
   e           = WS_(pair_get)(&lists[kind], 0, page);
   e->n_before = before.n_before + before.row.n_accesses;
   e->row      = (WsReportPage){.a              = start,
                                .is_mapped_anew = before.has_ended,
                                .frame          = WS_NO_FRAME,
                                .mapping        = WS_(mapping_name)(mapping)};
   if (WS_(clo).locations) {
      e->row.frame = WS_(frame)(WS_NO_FRAME, instr);
      WS_(frame_places)(e->row.frame); // while its code is there
   }
}

void WS_(list_count)(WsPage page)
{
   UWord* count = counter_of(Ws_Data, page);

   if (count)
      ++*count;
   else
      ((Entry*)WS_(pair_get)(&lists[Ws_Data], 0, page))->row.n_accesses++;
}

/* Ends an entry whose page is mapped anew. What generated code has counted so
   far is the old entry's, and its last access is known by the sets only until
   the new one's comes. */
static void end_entry(WsKind kind, UInt n, WsTick next_sample)
{
   Entry* e = entry_of(kind, n);

   if (e->has_ended)
      return;
   take_count(kind, e);
   e->row.last  = WS_(sets_last_access)(kind, WS_(page_of)(e->row.a));
   e->row.last  = VG_MIN(e->row.last, next_sample);
   e->has_ended = True;
}

void WS_(list_map)(WsPage first, WsPage last, WsTick next_sample)
{
   UWord n_pages = last - first + 1; // 0: all that there are

   for (UInt kind = 0; kind < N_LISTS; kind++) {
      const WsPairs* list   = &lists[kind];
      Bool           is_few = n_pages - 1 < list->n;
      UWord          n_all  = is_few ? n_pages : list->n;
      for (UWord i = 0; i < n_all; i++) {
         UInt n = is_few ? WS_(pair_find)(list, 0, first + i) : i;
         if (n != WS_NO_PAIR &&
             WS_(page_of)(entry_of(kind, n)->row.a) - first <= last - first)
            end_entry(kind, n, next_sample);
      }
   }
}

ULong WS_(list_n_accesses)(WsKind kind, WsPage page)
{
   const UWord* count = counter_of(kind, page);
   const Entry* e     = WS_(pair_get)(&lists[kind], 0, page);

   return (count ? *count : 0) + e->row.n_accesses + e->n_before;
}

/* Orders entries by accesses, the most first; then by page, and by time: a
   total order. */
static Int compare(const void* a, const void* b)
{
   const WsReportPage *s = &((const Entry*)a)->row,
                      *t = &((const Entry*)b)->row;

   if (s->n_accesses != t->n_accesses)
      return s->n_accesses > t->n_accesses ? -1 : 1;
   if (s->a != t->a)
      return s->a < t->a ? -1 : 1;
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

/* Sorts a copy of all entries, by accesses. Those that go on have been accessed
   last at the cut that the sets know. */
void WS_(list_report)(WsKind kind, WsTick end)
{
   WsSection section = kind == Ws_Insn ? Ws_CodePages : Ws_DataPages;
   UInt      n_all   = lists[kind].n;
   Entry*    sorted = VG_(malloc)("ws.list.sorted", n_all * sizeof *sorted + 1);

   WS_(list_take_counts)();
   for (UInt n = 0; n < n_all; n++) {
      Entry* e = entry_of(kind, n);
      if (!e->has_ended)
         e->row.last = WS_(sets_last_access)(kind, WS_(page_of)(e->row.a));
      sorted[n] = *e;
   }
   VG_(ssort)(sorted, n_all, sizeof *sorted, compare);
   WS_(report_section)(section); // it may be empty
   for (UInt n = 0; n < n_all; n++) {
      WsReportPage* row = &sorted[n].row;
      row->last         = sample_of(row->last, end);
      row->frame        = WS_(frame_number)(row->frame);
      WS_(report_row)(section, row);
   }
   WS_(report_section_end)();
   VG_(free)(sorted);
}
