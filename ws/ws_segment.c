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

static ULong n_done, n_cuts, n_straddling;

WsSegment* WS_(new_segment)(UInt n_runs, UInt n_groups, UInt n_accesses)
{
   WsSegment* seg = VG_(malloc)("ws.segment", sizeof *seg +
                                                 n_runs * sizeof(WsCodeRun) +
                                                 n_accesses * sizeof(WsAccess) +
                                                 n_groups * sizeof(WsGroup));

   *seg          = (WsSegment){.next = NULL};
   seg->runs     = (WsCodeRun*)(seg + 1); // most strictly aligned first
   seg->accesses = (WsAccess*)(seg->runs + n_runs);
   seg->groups   = (WsGroup*)(seg->accesses + n_accesses);
   return seg;
}

SizeT WS_(segment_szB)(const WsSegment* seg)
{
   return sizeof *seg + seg->n_runs * sizeof(WsCodeRun) +
          seg->n_accesses * sizeof(WsAccess) + seg->n_groups * sizeof(WsGroup);
}

/* What the counter is at `now`, as long as the next cut is not passed. */
static WsCounter counter_at(WsTime now)
{
   return (WsCounter)(Long)(now - WS_(run_next_cut)() - 1);
}

static WsTime time_of(WsCounter counter)
{
   return WS_(run_next_cut)() + 1 + (Long)counter;
}

typedef enum { Stamp, DontStamp } Stamping;

/* All data pages of [a, a + szB) are accessed at `now`. */
static void access_data(Addr a, SizeT szB, WsTime now, Stamping stamping)
{
   WsPage last = WS_(page_of)(a + szB - 1);

   for (WsPage p = WS_(page_of)(a);; p = WS_(next_page)(p)) {
      WsStamp* stamp = stamping == Stamp ? WS_(data_stamp)(p) : NULL;
      WS_(run_access)(Ws_Data, p, now, stamp);
      if (stamp)
         *stamp = counter_at(now);
      if (p == last)
         return;
   }
}

static void access_code(const WsCodeRun* code, WsTime now)
{
   WS_(run_access)(Ws_Insn, code->page, now, code->stamp);
   *code->stamp = counter_at(now);
}

/* The code pages of an instruction.  Within a run its page needs no more than
   a first and a last access, and one after each cut. */
static void fetch_instr(const WsSegment* seg, UInt instr, WsTime now,
                        Bool is_after_cut)
{
   for (UInt r = 0; r < seg->n_runs; r++) {
      const WsCodeRun* code = &seg->runs[r];
      if (code->first_instr == instr || code->last_instr == instr ||
          (is_after_cut && code->first_instr < instr &&
           instr < code->last_instr))
         access_code(code, now);
   }
}

/* Slots of straddling groups must not stay written. */
static void clear_slots(const WsSegment* seg, const Addr* addresses)
{
   for (UInt g = 0; g < seg->n_groups; g++) {
      if (seg->groups[g].szB == 0 || addresses[g] == WS_NO_ADDRESS)
         continue;
      WsPage first = WS_(page_of)(addresses[g]);
      WsPage last  = WS_(page_of)(addresses[g] + seg->groups[g].szB - 1);
      if (first != last) {
         WS_(clear_straddled)(first, last);
         n_straddling++;
      }
   }
}

/* The segment has been executed; the counter includes it. */
static void do_segment(const WsSegment* seg, const Addr* addresses)
{
   WsTime          start = time_of(WS_(get_counter)()) - seg->n_instrs;
   const WsAccess* a     = seg->accesses;
   const WsAccess* end   = a + seg->n_accesses;

   n_done++;
   for (UInt instr = 0; instr <= seg->n_instrs; instr++) {
      WsTime now          = start + instr;
      Bool   is_after_cut = False;
      while (WS_(run_next_cut)() < now) {
         WS_(run_cut)();
         is_after_cut = True;
         n_cuts++;
      }
      if (instr > 0)
         fetch_instr(seg, instr, now, is_after_cut);
      for (; a < end && a->instr == instr; a++)
         if (addresses[a->group] != WS_NO_ADDRESS)
            access_data(addresses[a->group] + a->offset, a->szB, now, Stamp);
   }
   clear_slots(seg, addresses);
   WS_(set_counter)(counter_at(start + seg->n_instrs));
}

VG_REGPARM(1)
void WS_(do_segment_0)(const WsSegment* seg)
{
   do_segment(seg, NULL);
}

VG_REGPARM(2)
void WS_(do_segment_1)(const WsSegment* seg, Addr a0)
{
   Addr addresses[] = {a0};
   do_segment(seg, addresses);
}

VG_REGPARM(3)
void WS_(do_segment_2)(const WsSegment* seg, Addr a0, Addr a1)
{
   Addr addresses[] = {a0, a1};
   do_segment(seg, addresses);
}

VG_REGPARM(3)
void WS_(do_segment_3)(const WsSegment* seg, Addr a0, Addr a1, Addr a2)
{
   Addr addresses[WS_MAX_GROUPS] = {a0, a1, a2};
   if (seg->n_groups > WS_ADDRESSES_PASSED)
      WS_(get_addresses)(addresses + WS_ADDRESSES_PASSED,
                         seg->n_groups - WS_ADDRESSES_PASSED);
   do_segment(seg, addresses);
}

WsTime WS_(time_now)(void)
{
   return time_of(WS_(counter));
}

void WS_(reset_time)(void)
{
   WS_(counter) = counter_at(0);
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
