/*
   This file is part of ws, a Valgrind tool that measures working sets.

   Copyright (C) 2026 the ws developers

   This program is free software; you can redistribute it and/or
   modify it under the terms of the GNU General Public License as
   published by the Free Software Foundation; either version 2 of the
   License, or (at your option) any later version.

   This program is distributed in the hope that it will be useful, but
   WITHOUT ANY WARRANTY; without even the implied warranty of
   MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE.  See the GNU
   General Public License for more details.

   The GNU General Public License is contained in the file LICENSE.
*/

#include "ws_segment.h"

#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"
#include "ws_fastpath.h"
#include "ws_sample.h"

#define NO_ID (~(UWord)0)

static ULong n_done, n_cuts, n_straddling;

/* All segments, by id.  Ids that are free form a list, of which each entry has
   the next one's id instead of a pointer. */
static union {
   WsSegment* segment;
   UWord      next_free;
} * segments;
static UWord n_segments, n_segments_max;
static UWord free_id = NO_ID;

static UInt new_id(WsSegment* seg)
{
   UWord id = free_id;

   if (id != NO_ID) {
      free_id = segments[id].next_free;
   } else {
      if (n_segments == n_segments_max) {
         n_segments_max = n_segments_max ? 2 * n_segments_max : 4096;
         segments       = VG_(realloc)("ws.segments", segments,
                                 n_segments_max * sizeof *segments);
      }
      id = n_segments++;
   }
   segments[id].segment = seg;
   return id;
}

WsSegment* WS_(new_segment)(UInt n_runs, UInt n_groups, UInt n_accesses)
{
   WsSegment* seg = VG_(malloc)("ws.segment", sizeof *seg +
                                                 n_runs * sizeof(WsCodeRun) +
                                                 n_accesses * sizeof(WsAccess) +
                                                 n_groups * sizeof(WsGroup));

   *seg          = (WsSegment){.id = new_id(seg)};
   seg->runs     = (WsCodeRun*)(seg + 1); // most strictly aligned first
   seg->groups   = (WsGroup*)(seg->runs + n_runs);
   seg->accesses = (WsAccess*)(seg->groups + n_groups);
   return seg;
}

void WS_(delete_segment)(WsSegment* seg)
{
   segments[seg->id].next_free = free_id;
   free_id                     = seg->id;
   VG_(free)(seg);
}

SizeT WS_(segment_szB)(const WsSegment* seg)
{
   return sizeof *seg + seg->n_runs * sizeof(WsCodeRun) +
          seg->n_accesses * sizeof(WsAccess) + seg->n_groups * sizeof(WsGroup);
}

/* What the counter is at `now`, as long as the next cut is not passed. */
static Word counter_at(WsTime now)
{
   return (Word)(Long)(now - WS_(run_next_stop)() - 1);
}

WsTime WS_(time_now)(void)
{
   return WS_(run_next_stop)() + 1 + (Long)WS_(shared).counter;
}

typedef enum { Stamp, DontStamp } Stamping;

/* All data pages of [a, a + szB) are accessed at `now`. */
static void access_data(Addr a, SizeT szB, WsTime now, Stamping stamping)
{
   WsPage last = WS_(page_of)(a + szB - 1);

   for (WsPage p = WS_(page_of)(a);; p = WS_(next_page)(p)) {
      WsStamp* stamp = NULL;
      if (stamping == Stamp && WS_(has_data_stamp)(p))
         stamp = WS_(data_stamp)(p);
      WS_(run_access)(Ws_Data, p, now, stamp);
      if (stamp)
         stamp->last = counter_at(now);
      if (p == last)
         return;
   }
}

static void access_code(const WsCodeRun* code, WsTime now)
{
   WS_(run_access)(Ws_Insn, code->page, now, &code->stamp->stamp);
   code->stamp->stamp.last = counter_at(now);
}

static Bool is_absent(const WsSegment* seg, const Addr* addresses, UInt g)
{
   return seg->groups[g].is_guarded && addresses[g] == WS_NO_ADDRESS;
}

/* Slots of straddling groups must not stay written. */
static void clear_slots(const WsSegment* seg, const Addr* addresses)
{
   for (UInt g = 0; g < seg->n_groups; g++) {
      if (seg->groups[g].szB == 0 || is_absent(seg, addresses, g))
         continue;
      WsPage first = WS_(page_of)(addresses[g]);
      WsPage last  = WS_(page_of)(addresses[g] + seg->groups[g].szB - 1);
      if (first != last) {
         WS_(clear_straddled)(first, last);
         n_straddling++;
      }
   }
}

/* Does the instructions from `from` to `to`, between which there is no cut;
   then it does not matter when a page was accessed but for the last time.
   `a` is their first access; gives the first one after them. */
static const WsAccess* do_instrs(const WsSegment* seg, const Addr* addresses,
                                 WsTime start, UInt from, UInt to,
                                 const WsAccess* a)
{
   const WsAccess* end = seg->accesses + seg->n_accesses;

   for (const WsCodeRun* r = seg->runs; r < seg->runs + seg->n_runs; r++)
      if (r->first_instr <= to && from <= r->last_instr)
         access_code(r, start + (r->last_instr < to ? r->last_instr : to));
   for (; a < end && a->instr <= to; a++)
      if (!is_absent(seg, addresses, a->group))
         access_data(addresses[a->group] + a->offset, a->szB, start + a->instr,
                     Stamp);
   return a;
}

static void do_segment(const WsSegment* seg, const Addr* addresses, WsTime end)
{
   WsTime          start = end - seg->n_instrs;
   const WsAccess* a     = seg->accesses;
   UInt            to;

   n_done++;
   if (end > WS_(run_next_stop)())
      WS_(run_stop)();
   clear_slots(seg, addresses);
   for (UInt from = 0; from <= seg->n_instrs; from = to + 1) {
      for (; WS_(run_next_cut)() < start + from; n_cuts++)
         WS_(run_cut)(end);
      to = seg->n_instrs;
      if (WS_(run_next_cut)() < end)
         to = WS_(run_next_cut)() - start;
      a = do_instrs(seg, addresses, start, from, to, a);
   }
   WS_(shared).counter = counter_at(end);
}

static Addr address_of_group(const WsGroup* g)
{
   return g->where == WS_NOWHERE ? g->plus
                                 : WS_(get_guest_word)(g->where) + g->plus;
}

void WS_(do_segment)(void)
{
   const WsSegment* seg = segments[WS_(shared).segment_id].segment;
   Addr             addresses[WS_MAX_GROUPS];

   for (UInt g = 0; g < seg->n_groups; g++)
      addresses[g] = address_of_group(&seg->groups[g]);
   do_segment(seg, addresses, WS_(time_now)());
}

void WS_(reset_time)(void)
{
   WS_(shared).counter = counter_at(0);
}

void WS_(access_by_kernel)(Addr a, SizeT szB)
{
   if (szB)
      access_data(a, szB, WS_(time_now)(), DontStamp);
}

void WS_(segment_print_stats)(void)
{
   VG_(dmsg)
   (" ws: slow path: %llu segments, %llu cuts, %llu straddling groups\n",
    n_done, n_cuts, n_straddling);
}
