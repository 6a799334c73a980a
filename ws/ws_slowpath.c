/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_slowpath.h"

#include "pub_tool_threadstate.h"
#include "ws_clo.h"
#include "ws_forks.h"
#include "ws_mappings.h"
#include "ws_outfiles.h"
#include "ws_pagelist.h"
#include "ws_pagelog.h"
#include "ws_pagemarks.h"
#include "ws_recount.h"
#include "ws_sample.h"
#include "ws_sets.h"
#include "ws_stacks.h"
#include "ws_time.h"
#include "ws_unwind.h"

/* --- Pages ---------------------------------------------------------------- */

/* The instruction that makes an access, and its time. */
typedef struct {
   Addr     instr;
   WsInstrs t;
} By;

/* Enters the page that was just accessed into windows, or makes it resident.
   Gives the code that brings it into the first window, or WS_NO_CODE; with
   its stack if that is known, for a log is read with other windows, too.
   Unwinds at most once, and only if one of the windows, or resident memory, has
   stacks; the others get the innermost frame alone. */
static UInt enter(WsKind kind, UInt accessed, By by, UInt mapping)
{
   UInt with_callers = accessed & WS_(clo).with_callers;
   UInt code  = with_callers ? WS_(code_of)(by.instr, True) : WS_NO_FRAME;
   UInt alone = with_callers == accessed ? code : WS_(code_of)(by.instr, False);
   UInt first = WS_NO_CODE;

   if (accessed & Ws_BecomesResident) {
      UInt   by_code = with_callers & Ws_BecomesResident ? code : alone;
      UInt   origin  = WS_(origin)(WS_RESIDENT_SET, by_code, mapping);
      WsTick t       = WS_(time_ticks)(by.t);
      WS_(sample_resident)(True, t);
      WS_(sets_make_resident)(kind, origin, t);
   }
   for (UInt i = 0, windows = accessed & Ws_Enters; windows >> i; i++) {
      if (!(windows >> i & 1))
         continue;
      UInt by_code = with_callers >> i & 1 ? code : alone;
      WS_(sets_enter)(kind, i,
                      WS_(origin)(WS_(set_of)(kind, i), by_code, mapping));
      if (i == 0)
         first = with_callers ? code : alone;
   }
   return first;
}

/* Makes a shared page private, by a write. */
static void unshare(WsPage page, By by, UInt mapping)
{
   UInt code = WS_(code_of)(by.instr, WS_(clo).with_callers != 0);

   WS_(sample_resident)(True, WS_(time_ticks)(by.t));
   if (WS_(forks_write)(page))
      WS_(origin_change)(WS_UNSHARED_SET,
                         WS_(origin)(WS_UNSHARED_SET, code, mapping), 1, 0);
}

/* Handles the first access to a page in the interval, or since it was mapped.
   `address` may lie in the page before. */
static void access_page(WsKind kind, WsPage page, By by, Addr address)
{
   UInt accessed = WS_(sets_access)(kind, page);
   UInt code     = WS_NO_CODE;

   if (UNLIKELY(accessed)) {
      Addr start   = WS_(page_start)(page);
      UInt mapping = WS_(mapping_at)(address > start ? address : start);
      if (accessed & (Ws_Enters | Ws_BecomesResident))
         code = enter(kind, accessed & ~Ws_IsMapped, by, mapping);
      if (accessed & Ws_Unshares)
         unshare(page, by, mapping);
      if (accessed & Ws_IsMapped)
         WS_(sets_change_mapping)(kind, mapping);
   }
   if (kind == Ws_Dirty && WS_(clo).threads)
      code = WS_(code_of)(by.instr, WS_(clo).with_callers != 0);
   if (WS_(clo).page_log)
      WS_(pagelog_access)(kind, page, code);
}

/* Marks the page, or a line and its page, and handles its first access. Tells
   whether this was the first. */
static inline Bool access_code(WsCodePage* page, By by)
{
   if (page->mark == WS_MARKED)
      return False;
   page->mark = WS_MARKED;
   WS_(add_marked)(Ws_Insn, (UWord)page);
   if (WS_(clo).code_lines && page->line) {
      WS_(pagelog_line)(page->line - 1);
      return access_code(WS_(code_page)(page->page), by);
   }
   access_page(Ws_Insn, page->page, by, by.instr);
   return True;
}

/* Marks the page, and its write if that is wanted, and handles its first access
   of the interval. Tells whether this was the first. A page beyond the reach of
   the table has no mark: each access to it is told as a first one, which the
   sets allow. */
static inline Bool access_data(WsPage page, Bool is_write, By by, Addr address)
{
   static UChar nowhere[WS_WRITE_OFFSET + 1];
   UChar*       mark     = nowhere;
   Bool         is_there = WS_(is_in_reach)(page);
   Bool         is_first;

   if (LIKELY(is_there))
      mark = WS_(mark_of)(page);
   else
      nowhere[0] = nowhere[WS_WRITE_OFFSET] = 0;
   is_first = !mark[0];
   if (is_first) {
      mark[0] = WS_MARK_BIT;
      if (is_there)
         WS_(add_marked)(Ws_Data, page);
      access_page(Ws_Data, page, by, address);
   }
   if (WS_(slots).has_writes && is_write && !mark[WS_WRITE_OFFSET]) {
      mark[WS_WRITE_OFFSET] = WS_MARK_BIT;
      if (is_there)
         WS_(add_marked)(Ws_Dirty, page);
      access_page(Ws_Dirty, page, by, address);
   }
   return is_first;
}

/* Gives an address in the instruction that a thread between segments has
   executed last. 0: VG_INVALID_THREADID. */
static Addr last_instr(ThreadId tid)
{
   return tid == VG_INVALID_THREADID ? 0 : VG_(get_IP)(tid) - 1;
}

/* --- Cuts ----------------------------------------------------------------- */

/* The stack of the last instruction before a cut at `t`. */
static struct {
   WsInstrs t;
   UInt     stack;
} kept;

/* Passes the next cut, which is due; the time is `now`, or `tick`. If several
   are due, and the program was executed meanwhile, its accesses are in the
   windows that end at each of them; if it waited, only in those that end at the
   first. `instr` is the last instruction before the cut; 0: it was in an
   earlier segment. */
static void pass_cut(WsInstrs now, WsTick tick, WsSpan span, Addr instr)
{
   WsTick due       = WS_(time).cuts.next;
   Bool   is_sample = WS_(cuts_pass)(&WS_(time).cuts);
   Bool   goes_on   = span == Ws_Executed && WS_(time).cuts.next <= tick;

   WS_(work).n_cuts++;
   WS_(pagelog_cut)(due, now, is_sample, goes_on);
   if (!goes_on) {
      WS_(time).cuts.n_again += WS_(sets_cut)(due);
      WS_(clear_marks)();
   }
   if (!is_sample)
      return;
   UInt stack = WS_NO_FRAME;
   if (WS_(sample_may_want_stack)(due)) {
      if (instr)
         stack = WS_(stack_of)(instr);
      else if (kept.t == now)
         stack = kept.stack;
   }
   WS_(recount_sample)(due, WS_(sample_take)(due, tick - due, stack));
   WS_(files_tick)(now);
}

/* Passes the deadline: by instructions, it is a cut; by the clock, it is a time
   to look, at which several cuts may be due, or none. */
static void pass_deadline(Addr instr)
{
   WsInstrs now  = WS_(time).deadline;
   WsTick   tick = WS_(time_ticks)(now);

   while (WS_(time).cuts.next <= tick)
      pass_cut(now, tick, Ws_Executed, instr);
   WS_(time_set_deadline)(now, tick);
   WS_(progress)(now);
}

WsTick WS_(reach_end)(void)
{
   WsInstrs now = WS_(time_now)();
   WsTick   end = WS_(time_ticks_of_end)(now);

   if (end == WS_(time).cuts.sample) {
      while (WS_(time).cuts.next <= end)
         pass_cut(now, end, Ws_Executed, 0);
      WS_(time_set_deadline)(now, end);
   }
   return end;
}

void WS_(look_at_clock)(ThreadId tid, WsSpan span)
{
   WsInstrs now  = WS_(time_now)();
   WsTick   tick = WS_(time_ticks)(now);

   WS_(sample_resident)(False, tick);
   if (!WS_(time).is_on || !WS_(clo).is_clocked || tick < WS_(time).cuts.next)
      return;
   WS_(callers_of_thread)(tid);
   while (WS_(time).cuts.next <= tick)
      pass_cut(now, tick, span, last_instr(tid));
   WS_(time_set_deadline)(now, tick);
}

/* --- Segments ------------------------------------------------------------- */

/* Tells whether the slow path counts the access: generated code does not if it
   straddles pages, or has no slot. */
static Bool is_counted_here(const WsGroup* g, Addr a)
{
   WsPage first = WS_(page_of)(a);

   return !g->is_counted || !WS_(is_in_reach)(first) ||
          first != WS_(page_of)(a + g->szB - 1);
}

/* Accesses all pages of the bytes. `counts` says whether this counts for lists;
   if not, generated code counts it. */
static inline void do_bytes(Addr start, SizeT szB, Bool is_write, By by,
                            Bool counts)
{
   WsPage last = WS_(page_of)(start + szB - 1);

   for (WsPage p = WS_(page_of)(start);; p = WS_(next_page)(p)) {
      Bool is_first = access_data(p, is_write, by, start);
      if (WS_(clo).list_pages && is_first)
         WS_(list_page)(Ws_Data, p, by.instr, start);
      if (WS_(clo).list_pages && counts)
         WS_(list_count)(p);
      if (p == last)
         return;
   }
}

/* Names instruction n of the segment that has just been executed. */
static inline By by_instr(const WsSegment* seg, WsInstrs start, UInt n)
{
   return (By){WS_(instr_of)(seg, n), start + n};
}

static void do_access(const WsSegment* seg, WsInstrs start,
                      const WsAccess* access, Addr at)
{
   const WsGroup* group = &WS_(groups_of)(seg)[access->group];

   do_bytes(at + access->offset, access->szB, access->is_write,
            by_instr(seg, start, access->instr), is_counted_here(group, at));
}

static Bool is_absent(const WsGroup* group, Addr a)
{
   return group->is_guarded && a == WS_NO_ADDRESS;
}

/* Fetches the instructions from `from` to `to`, which lie in this page, too. */
static void do_fetch(const WsSegment* seg, WsInstrs start, const WsFetch* f,
                     UInt from, UInt to)
{
   from = VG_MAX(from, f->first_instr);
   if (from > to || from > f->last_instr)
      return;
   By by = by_instr(seg, start, from);
   if (access_code(f->page, by) && WS_(clo).list_pages)
      WS_(list_page)(Ws_Insn, f->page->page, by.instr, by.instr);
}

/* Does the instructions from `from` to `to`, with no cut between them.
   `access` is their first one; gives the first one after them.  Fetches come
   first, for an instruction is fetched before it accesses memory. */
static const WsAccess* do_instrs(const WsSegment* seg, WsInstrs start,
                                 const Addr* at, UInt from, UInt to,
                                 const WsAccess* access)
{
   const WsAccess* end = WS_(accesses_of)(seg) + seg->n_accesses;

   for (UInt f = 0; f < seg->n_fetches; f++)
      do_fetch(seg, start, &WS_(fetches_of)(seg)[f], from, to);
   for (; access < end && access->instr <= to; access++)
      if (!is_absent(&WS_(groups_of)(seg)[access->group], at[access->group]))
         do_access(seg, start, access, at[access->group]);
   return access;
}

static void get_addresses(const WsSegment* seg, const UChar* guest,
                          /*OUT*/ Addr* at)
{
   for (UInt g = 0; g < seg->n_groups; g++)
      at[g] = WS_(address_of_group)(&WS_(groups_of)(seg)[g], guest);
}

/* Does a segment that no cut has divided, and in which a group straddles two
   pages, access by access. Is needed again only when one of the two pages loses
   its mark. */
static void do_straddling(const WsSegment* seg, const UChar* guest,
                          WsInstrs start)
{
   const WsGroup* groups = WS_(groups_of)(seg);
   Addr           at[WS_MAX_GROUPS];

   WS_(work).n_straddling++;
   get_addresses(seg, guest, at);
   do_instrs(seg, start, at, 0, seg->n_instrs, WS_(accesses_of)(seg));
   for (UInt g = 0; g < seg->n_groups; g++) {
      WsPage last = WS_(page_of)(at[g] + groups[g].szB - 1);
      if (!is_absent(&groups[g], at[g]) && last != WS_(page_of)(at[g]))
         WS_(mark_straddled)(last);
   }
}

/* Does a segment that no cut has divided, and whose groups lie in one page
   each. Groups are in the order of their first accesses, which are all that
   matters. */
static inline void do_lean(const WsSegment* seg, const UChar* guest)
{
   const WsFetch* fetches = WS_(fetches_of)(seg);
   const WsGroup* groups  = WS_(groups_of)(seg);
   WsInstrs       start   = WS_(time_now)() - seg->n_instrs;

   WS_(work).n_lean++;
   for (UInt f = 0; f < seg->n_fetches; f++)
      access_code(fetches[f].page,
                  by_instr(seg, start, fetches[f].first_instr));
   for (UInt g = 0; g < seg->n_groups; g++) {
      Addr   a    = WS_(address_of_group)(&groups[g], guest);
      WsPage page = WS_(page_of)(a);
      if (is_absent(&groups[g], a))
         continue;
      if (UNLIKELY(page != WS_(page_of)(a + groups[g].szB - 1))) {
         do_straddling(seg, guest, start);
         return;
      }
      access_data(page, groups[g].is_write,
                  by_instr(seg, start, groups[g].first_instr), a);
   }
}

/* Cuts the segment's instructions at each deadline in it.  Instruction 0 is
   the rest of one that began in the segment before: its accesses count here,
   at the time at which that segment ended. */
static void do_in_order(const WsSegment* seg, const UChar* guest)
{
   Addr            at[WS_MAX_GROUPS];
   WsInstrs        end    = WS_(time_now)();
   WsInstrs        start  = end - seg->n_instrs;
   const WsAccess* access = WS_(accesses_of)(seg);
   UInt            to     = 0;

   WS_(work).n_in_order++;
   get_addresses(seg, guest, at);
   for (UInt from = 0; from <= seg->n_instrs; from = to + 1) {
      while (WS_(time).deadline < start + from)
         pass_deadline(from > 1 ? WS_(instr_of)(seg, from - 1) : 0);
      to = seg->n_instrs;
      if (WS_(time).deadline < end)
         to = WS_(time).deadline - start;
      access = do_instrs(seg, start, at, from, to, access);
   }
}

/* Keeps the stack at the end of the segment: a cut may come right after it, and
   is known to have been passed only in the next one. */
static void keep_stack(const WsSegment* seg)
{
   WsInstrs now = WS_(time_now)();

   if (WS_(time).deadline == now &&
       WS_(sample_may_want_stack)(WS_(time).cuts.sample)) {
      kept.t     = now;
      kept.stack = WS_(stack_of)(WS_(instr_of)(seg, seg->n_instrs));
   }
}

VG_REGPARM(1) void WS_(slowpath)(const WsSegment* seg, const UChar* guest)
{
   __builtin_prefetch((const UChar*)seg + 64); // its last groups, as a rule
   WS_(callers_at_end)(seg, guest);
   // Lists want each access by itself.
   if (LIKELY(WS_(shared).counter < 0 && !WS_(clo).list_pages)) {
      do_lean(seg, guest);
   } else {
      do_in_order(seg, guest);
      keep_stack(seg);
   }
}

/* Marks are cleared, so that the log sees the new thread's own accesses to
   pages that the others have accessed in this interval. */
void WS_(thread_runs)(ThreadId tid, ULong n_blocks)
{
   WsInstrs now = WS_(time_now)();

   if (WS_(pagelog_switch)(WS_(time_ticks_of_end)(now), now, tid))
      WS_(clear_marks)();
}

/* Counts the kernel's accesses as those of the instruction that made the system
   call. */
void WS_(access_by_kernel)(ThreadId tid, Addr a, SizeT szB, Bool is_write)
{
   if (!szB || !WS_(time).is_on)
      return;
   if (WS_(clo).threads)
      WS_(thread_runs)(tid, 0);
   WS_(recount_kernel)(a, szB, is_write);
   WS_(callers_of_thread)(tid);
   do_bytes(a, szB, is_write, (By){last_instr(tid), WS_(time_now)()}, True);
}
