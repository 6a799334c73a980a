/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_segment.h"

#include "pub_tool_libcprint.h"
#include "pub_tool_machine.h"
#include "pub_tool_mallocfree.h"
#include "ws_clo.h"
#include "ws_fastpath.h"
#include "ws_recount.h"
#include "ws_stack.h"

#define NO_ID (~(UWord)0)

/* With segments that are shorter yet, their number outweighs all else. */
#define MIN_SEGMENT_INSTRS 6

static ULong n_done, n_cuts, n_straddling;

/* All segments, by id.  Ids that are free form a list, of which each entry has
   the next one's id instead of a pointer. */
typedef union {
   WsSegment* segment;
   UWord      next_free;
} SegmentEntry;
static SegmentEntry* segments;
static UWord         n_segments, n_segments_max;
static UWord         free_id = NO_ID;

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

WsSegment* WS_(new_segment)(const WsSegment* like)
{
   WsSegment* seg = VG_(malloc)("ws.segment", WS_(segment_szB)(like));
   *seg           = *like;
   seg->id        = new_id(seg);
   return seg;
}

void WS_(delete_segment)(WsSegment* seg)
{
   segments[seg->id].next_free = free_id;
   free_id                     = seg->id;
   VG_(free)(seg);
}

UInt WS_(max_segment_instrs)(void)
{
   WsTick n = WS_(clo).every / 160;

   if (WS_(clo).is_clocked || n > WS_MAX_SEGMENT_INSTRS)
      return WS_MAX_SEGMENT_INSTRS;
   return n < MIN_SEGMENT_INSTRS ? MIN_SEGMENT_INSTRS : n;
}

SizeT WS_(segment_szB)(const WsSegment* seg)
{
   return sizeof *seg + seg->n_runs * sizeof(WsCodeRun) +
          (seg->n_exits + seg->n_addresses) * sizeof(Addr) +
          seg->n_groups * sizeof(WsGroup) + seg->n_accesses * sizeof(WsAccess);
}

/* As the counter and stamps tell it. */
static Word relative_to(WsTime base, WsTime now)
{
   return (Word)(Long)(now - base - 1);
}

/* What the counter is at `now`, as long as the next cut is not passed. */
static Word counter_at(WsTime now)
{
   return relative_to(WS_(run_next_stop)(), now);
}

WsTime WS_(time_now)(void)
{
   return WS_(run_next_stop)() + 1 + (Long)WS_COUNTER;
}

/* Tells of an access, and renews the stamp, if there is one. */
static void access_page(WsKind kind, WsPage page, const WsTouch* touch,
                        WsStamp* stamp)
{
   WS_(run_access)(kind, page, touch, stamp);
   if (stamp)
      stamp->last = relative_to(WS_(run_stamp_base)(), touch->now);
}

typedef enum { Stamp, DontStamp } Stamping;

/* All data pages of the bytes from touch->at on are accessed. */
static void access_data(SizeT szB, Bool is_write, const WsTouch* touch,
                        Stamping stamping)
{
   WsPage last = WS_(page_of)(touch->at + szB - 1);

   for (WsPage p = WS_(page_of)(touch->at);; p = WS_(next_page)(p)) {
      WsStamp* stamp = NULL;
      if (stamping == Stamp && WS_(has_data_stamp)(p))
         stamp = WS_(data_stamp)(p);
      access_page(Ws_Data, p, touch, stamp);
      if (is_write && WS_(clo).dirty)
         access_page(Ws_Dirty, p, touch,
                     stamp ? WS_(write_stamp)(stamp) : NULL);
      if (p == last)
         return;
   }
}

static Bool is_absent(const WsSegment* seg, const Addr* addresses, UInt g)
{
   return WS_(groups_of)(seg)[g].is_guarded && addresses[g] == WS_NO_ADDRESS;
}

/* From these generated code has found the group's slot. */
static void pages_of_slot(const WsGroup* group, Addr a, /*OUT*/ WsPage* first,
                          /*OUT*/ WsPage* last)
{
   *first = *last = WS_(page_of)(a);
   if (group->szB > 1)
      *last = WS_(page_of)(a + group->szB - 1);
}

/* Slots that are those of no page must not stay written. */
static void clear_slots(const WsSegment* seg, const Addr* addresses)
{
   for (UInt g = 0; g < seg->n_groups; g++) {
      const WsGroup* group = &WS_(groups_of)(seg)[g];
      WsPage         first, last;
      if (group->szB == 0 || is_absent(seg, addresses, g))
         continue;
      pages_of_slot(group, addresses[g], &first, &last);
      if (first != last || !WS_(has_data_stamp)(last)) {
         WS_(clear_untold)(first, last);
         n_straddling++;
      }
   }
}

/* Accesses are counted here: not by generated code, too. */
static void take_counts_back(const WsSegment* seg, const Addr* addresses)
{
   for (UInt r = 0; r < seg->n_runs; r++) {
      const WsCodeRun* run = &WS_(runs_of)(seg)[r];
      run->stamp->n_accesses -= run->last_instr - run->first_instr + 1;
   }
   for (UInt g = 0; g < seg->n_groups; g++) {
      const WsGroup* group = &WS_(groups_of)(seg)[g];
      WsPage         first, last;
      if (is_absent(seg, addresses, g))
         continue;
      pages_of_slot(group, addresses[g], &first, &last);
      *WS_(count_of_untold)(first, last) -= group->n_accesses;
   }
}

static Addr address_of_instr(const WsSegment* seg, UInt instr)
{
   return seg->n_addresses ? WS_(addresses_of)(seg)[instr] : 0;
}

/* The part of a run that lies between two instructions. */
static void access_code(const WsSegment* seg, const WsCodeRun* r, WsTime start,
                        UInt from, UInt to)
{
   if (from < r->first_instr)
      from = r->first_instr;
   if (to > r->last_instr)
      to = r->last_instr;
   if (from > to)
      return;
   WsTouch touch = {.now        = start + to,
                    .n_accesses = to - from + 1,
                    .by         = address_of_instr(seg, from),
                    .at         = address_of_instr(seg, from)};
   access_page(Ws_Insn, r->page, &touch, &r->stamp->stamp);
}

/* Does the instructions from `from` to `to`, between which there is no cut;
   then it does not matter when a page was accessed but for the last time.
   `a` is their first access; gives the first one after them. */
static const WsAccess* do_instrs(const WsSegment* seg, const Addr* addresses,
                                 WsTime start, UInt from, UInt to,
                                 const WsAccess* a)
{
   const WsAccess* end = WS_(accesses_of)(seg) + seg->n_accesses;

   for (UInt r = 0; r < seg->n_runs; r++)
      access_code(seg, &WS_(runs_of)(seg)[r], start, from, to);
   for (; a < end && a->instr <= to; a++) {
      if (is_absent(seg, addresses, a->group))
         continue;
      WsTouch touch = {.now        = start + a->instr,
                       .n_accesses = 1,
                       .by         = address_of_instr(seg, a->instr),
                       .at         = addresses[a->group] + a->offset};
      access_data(a->szB, a->is_write, &touch, Stamp);
   }
   return a;
}

static void do_segment(const WsSegment* seg, const Addr* addresses, WsTime end)
{
   WsTime          start = end - seg->n_instrs;
   const WsAccess* a     = WS_(accesses_of)(seg);
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
}

static Addr address_of_group(const WsGroup* g)
{
   return g->where == WS_NOWHERE ? g->plus
                                 : WS_(get_guest_word)(g->where) + g->plus;
}

VG_REGPARM(1) void WS_(do_segment)(UWord id)
{
   const WsSegment* seg = segments[id].segment;
   WsTime           end = WS_(time_now)();
   Addr             addresses[WS_MAX_GROUPS];

   for (UInt g = 0; g < seg->n_groups; g++)
      addresses[g] = address_of_group(&WS_(groups_of)(seg)[g]);
   if (seg->is_counted)
      take_counts_back(seg, addresses);
   if (WS_(clo_wants_stacks)()) {
      WS_(stack_before)(seg);
      do_segment(seg, addresses, end);
      WS_(stack_after)(seg, end);
   } else {
      do_segment(seg, addresses, end);
   }
   WS_COUNTER = counter_at(end);
}

void WS_(reset_time)(void)
{
   WS_COUNTER = counter_at(0);
}

void WS_(access_by_kernel)(ThreadId tid, Addr a, SizeT szB, Bool is_write)
{
   WsTouch touch = {.now = WS_(time_now)(), .n_accesses = 1, .at = a};

   touch.by = VG_(get_IP)(tid) - 1; // in the instruction that made the call
   if (!szB || !WS_(run_is_on)())
      return;
   WS_(recount_kernel)(a, szB, is_write);
   access_data(szB, is_write, &touch, DontStamp);
}

void WS_(look_at_clock)(ThreadId tid, WsSpan span)
{
   WsTime now = WS_(time_now)();

   WS_(run_look_at_clock)(now, tid, span);
   WS_COUNTER = counter_at(now);
}

void WS_(segment_print_stats)(void)
{
   VG_(dmsg)(
      " ws: slow path: %llu segments, %llu cuts, %llu straddling groups\n",
      n_done, n_cuts, n_straddling);
}
