/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_slowpath.h"

#include "pub_tool_libcprint.h"
#include "pub_tool_machine.h"
#include "pub_tool_threadstate.h"
#include "ws_clo.h"
#include "ws_list.h"
#include "ws_marks.h"
#include "ws_out.h"
#include "ws_pending.h"
#include "ws_progress.h"
#include "ws_recount.h"
#include "ws_sample.h"
#include "ws_segment.h"
#include "ws_sets.h"
#include "ws_stack.h"
#include "ws_time.h"

static ULong n_lean, n_in_order, n_straddling, n_cuts;

/* --- Pages ---------------------------------------------------------------- */

/* The first access to a page in the interval, or since it was mapped. */
static inline void first_access(WsKind kind, WsPage page, UWord item)
{
   if (WS_(is_in_reach)(page) || kind == Ws_Insn)
      WS_(add_marked)(kind, item);
   else
      WS_(sets_enter)(kind, page);
}

/* True if it is the first access. */
static inline Bool access_code(WsCodePage* page)
{
   if (page->mark == WS_MARKED)
      return False;
   page->mark = WS_MARKED;
   first_access(Ws_Insn, page->page, (UWord)page);
   return True;
}

static inline Bool access_data(WsPage page, Bool is_write)
{
   static UChar nowhere[WS_WRITE_OFFSET + 1];
   UChar*       mark = nowhere;

   if (LIKELY(WS_(is_in_reach)(page)))
      mark = WS_(mark_of)(page);
   else
      nowhere[0] = nowhere[WS_WRITE_OFFSET] = 0;
   if (WS_(slots).has_writes && is_write && !mark[WS_WRITE_OFFSET]) {
      mark[WS_WRITE_OFFSET] = WS_MARK_BIT;
      first_access(Ws_Dirty, page, page);
   }
   if (mark[0])
      return False;
   mark[0] = WS_MARK_BIT;
   first_access(Ws_Data, page, page);
   return True;
}

void WS_(enter_marked)(void)
{
   for (UInt kind = 0; kind < WS_N_KINDS; kind++) {
      WsMarked* m = &WS_(marked)[kind];
      for (; m->n_entered < m->n; m->n_entered++)
         WS_(sets_enter)(kind, WS_(marked_page)(kind, m->n_entered));
   }
}

void WS_(unmark_all)(void)
{
   WS_(enter_marked)();
   WS_(clear_marks)();
}

/* --- Cuts ----------------------------------------------------------------- */

static void take_sample(WsTick due, WsInstrs now, WsTick late)
{
   WS_(sample_take)(due, late);
   WS_(recount_sample)(due, WS_(sample_sizes)());

   WsStack* stack = WS_(stack_at)(now);
   if (stack)
      WS_(pending_give_stack)(stack);
   WS_(out_tick)(now);
}

/* The next cut, which is due; the time is `now`, or `tick`.  If several are
   due, what was accessed meanwhile is in the windows up to all of them if the
   program was executed all the time, and else only in those up to the first. */
static void pass_cut(WsInstrs now, WsTick tick, WsSpan span)
{
   WsTick due       = WS_(time).cuts.next;
   Bool   is_sample = WS_(time_pass_cut)();

   n_cuts++;
   WS_(enter_marked)();
   if (span == Ws_Waited || WS_(time).cuts.next > tick) {
      WS_(sets_cut)(due);
      WS_(clear_marks)();
   }
   if (is_sample)
      take_sample(due, now, tick - due);
}

static void pass_deadline(void)
{
   WsInstrs now  = WS_(time).deadline;
   WsTick   tick = WS_(time_ticks)(now);

   while (WS_(time).cuts.next <= tick)
      pass_cut(now, tick, Ws_Executed);
   WS_(time_set_deadline)(now, tick);
   if (WS_(pending_is_any)())
      WS_(time_call_always)(True);
   WS_(enter_marked)();
   WS_(progress)(now, WS_(sample_sizes_name)(), WS_(sample_sizes)());
}

void WS_(look_at_clock)(ThreadId tid, WsSpan span)
{
   WsInstrs now  = WS_(time_now)();
   WsTick   tick = WS_(time_ticks)(now);

   if (!WS_(time).is_on || !WS_(clo).is_clocked || tick < WS_(time).cuts.next)
      return;
   WS_(stack_end)(); // of rows that wait already
   while (WS_(time).cuts.next <= tick) {
      pass_cut(now, tick, span);
      WS_(stack_of_waiting)(tid);
   }
   WS_(time_call_always)(False);
   WS_(time_set_deadline)(now, tick);
}

/* --- Segments ------------------------------------------------------------- */

static inline Addr address_of(const WsGroup* g, const UChar* guest)
{
   if (g->where == WS_NOWHERE)
      return g->plus;
   return WS_(guest_word)(guest, g->where) + g->plus;
}

/* Generated code does not count accesses that straddle pages, or that it has no
   slot for. */
static Bool is_counted_here(const WsGroup* g, Addr a)
{
   WsPage first = WS_(page_of)(a);

   return !g->is_counted || !WS_(is_in_reach)(first) ||
          first != WS_(page_of)(a + g->szB - 1);
}

/* All pages of the bytes are accessed, by the instruction at `instr`.  Whether
   this counts for lists; if not, generated code counts it. */
static inline void do_bytes(Addr start, SizeT szB, Bool is_write, Addr instr,
                            Bool counts)
{
   WsPage last = WS_(page_of)(start + szB - 1);

   for (WsPage p = WS_(page_of)(start);; p = WS_(next_page)(p)) {
      Bool is_first = access_data(p, is_write);
      if (WS_(clo).list_pages && is_first)
         WS_(list_page)(Ws_Data, p, instr, start);
      if (WS_(clo).list_pages && counts)
         WS_(list_count)(p);
      if (p == last)
         return;
   }
}

static void do_access(const WsSegment* seg, const WsAccess* access, Addr at)
{
   const WsGroup* group = &WS_(groups_of)(seg)[access->group];
   Addr           instr = 0;

   if (seg->n_addresses > 0)
      instr = WS_(addresses_of)(seg)[access->instr];
   do_bytes(at + access->offset, access->szB, access->is_write, instr,
            is_counted_here(group, at));
}

static Bool is_absent(const WsGroup* group, Addr a)
{
   return group->is_guarded && a == WS_NO_ADDRESS;
}

/* No cut has been passed: whatever was accessed is accessed now. */
static inline void do_lean(const WsSegment* seg, const UChar* guest)
{
   const WsFetch* fetches = WS_(fetches_of)(seg);
   const WsGroup* groups  = WS_(groups_of)(seg);

   n_lean++;
   for (UInt f = 0; f < seg->n_fetches; f++)
      access_code(fetches[f].page);
   for (UInt g = 0; g < seg->n_groups; g++) {
      Addr   a    = address_of(&groups[g], guest);
      WsPage page = WS_(page_of)(a);
      if (is_absent(&groups[g], a))
         continue;
      if (LIKELY(page == WS_(page_of)(a + groups[g].szB - 1))) {
         access_data(page, groups[g].is_write);
         continue;
      }
      n_straddling++;
      const WsAccess* access = WS_(accesses_of)(seg);
      for (UInt i = 0; i < seg->n_accesses; i++)
         if (access[i].group == g)
            do_access(seg, &access[i], a);
   }
}

/* The instructions from `from` to `to` are fetched from this page, too. */
static void do_fetch(const WsSegment* seg, const WsFetch* f, UInt from, UInt to)
{
   if (from < f->first_instr)
      from = f->first_instr;
   if (from > to || from > f->last_instr)
      return;
   if (access_code(f->page) && WS_(clo).list_pages) {
      Addr a = WS_(addresses_of)(seg)[from];
      WS_(list_page)(Ws_Insn, f->page->page, a, a);
   }
}

/* Instructions with no cut between them.  `access` is their first one; gives
   the first one after them. */
static const WsAccess* do_instrs(const WsSegment* seg, const Addr* at,
                                 UInt from, UInt to, const WsAccess* access)
{
   const WsAccess* end = WS_(accesses_of)(seg) + seg->n_accesses;

   for (UInt f = 0; f < seg->n_fetches; f++)
      do_fetch(seg, &WS_(fetches_of)(seg)[f], from, to);
   for (; access < end && access->instr <= to; access++)
      if (!is_absent(&WS_(groups_of)(seg)[access->group], at[access->group]))
         do_access(seg, access, at[access->group]);
   return access;
}

static void do_in_order(const WsSegment* seg, const UChar* guest)
{
   Addr            at[WS_MAX_GROUPS];
   WsInstrs        end    = WS_(time_now)();
   WsInstrs        start  = end - seg->n_instrs;
   const WsAccess* access = WS_(accesses_of)(seg);
   UInt            to;

   n_in_order++;
   for (UInt g = 0; g < seg->n_groups; g++)
      at[g] = address_of(&WS_(groups_of)(seg)[g], guest);
   for (UInt from = 0; from <= seg->n_instrs; from = to + 1) {
      while (WS_(time).deadline < start + from)
         pass_deadline();
      to = seg->n_instrs;
      if (WS_(time).deadline < end)
         to = WS_(time).deadline - start;
      access = do_instrs(seg, at, from, to, access);
   }
}

VG_REGPARM(1) void WS_(slowpath)(UWord id, const UChar* guest)
{
   const WsSegment* seg = WS_(segments)[id].segment;

   // Lists want each access by itself.
   if (LIKELY(WS_(shared).counter < 0 && !WS_(clo).list_pages)) {
      do_lean(seg, guest);
   } else if (WS_(clo_wants_stacks)()) {
      WS_(stack_before)(seg);
      do_in_order(seg, guest);
      WS_(stack_after)(seg, guest);
   } else {
      do_in_order(seg, guest);
   }
}

void WS_(access_by_kernel)(ThreadId tid, Addr a, SizeT szB, Bool is_write)
{
   if (!szB || !WS_(time).is_on)
      return;
   WS_(recount_kernel)(a, szB, is_write);
   // In the instruction that made the call.
   do_bytes(a, szB, is_write, VG_(get_IP)(tid) - 1, True);
}

void WS_(slowpath_print_stats)(void)
{
   VG_(dmsg)(" ws: slow path: %llu segments with marks missing, %llu in order, "
             "%llu straddling groups, %llu cuts\n",
             n_lean, n_in_order, n_straddling, n_cuts);
}
