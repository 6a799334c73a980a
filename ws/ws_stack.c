/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_stack.h"

#include "pub_tool_machine.h"
#include "pub_tool_threadstate.h"
#include "ws_marks.h"
#include "ws_pending.h"
#include "ws_sample.h"
#include "ws_time.h"

/* The stack at the superblock entry that may come after a segment. */
static struct {
   const WsSegment* seg; // NULL: none; to be compared only
   WsInstrs         t;
   ThreadId         tid;
   UInt             n_exits;
   Addr             exits[WS_MAX_EXITS];
   WsStack          stack;
} kept;

void WS_(stack_begin)(void)
{
   kept.seg = NULL;
}

static void keep(const WsSegment* seg, const UChar* guest, WsInstrs end)
{
   kept.seg     = seg;
   kept.t       = end;
   kept.tid     = VG_(get_running_tid)();
   kept.n_exits = seg->n_exits;
   for (UInt i = 0; i < seg->n_exits; i++)
      kept.exits[i] = WS_(exits_of)(seg)[i];
   if (seg->exit_where != WS_NOWHERE)
      kept.exits[0] = WS_(guest_word)(guest, seg->exit_where);
   WS_(unwind)(kept.tid, kept.exits[0], &kept.stack);
}

/* Which of the exits it was: the one that leads to this segment.  (If none
   does, a signal has come before.) */
static void choose_exit(const WsSegment* seg)
{
   if (kept.tid != VG_(get_running_tid)() || seg->n_instrs == 0)
      return;
   Addr entry = WS_(addresses_of)(seg)[1];
   for (UInt i = 0; i < kept.n_exits; i++)
      if (kept.exits[i] == entry)
         kept.stack.ips[0] = entry;
}

void WS_(stack_before)(const WsSegment* seg)
{
   if (!kept.seg)
      return;
   if (seg->next == kept.seg) { // the superblock has not been left there
      kept.seg = NULL;
      return;
   }
   choose_exit(seg);
   WS_(pending_give_stack)(&kept.stack);
}

/* Whether the stack at `now` may be needed for the next sample. */
static Bool may_be_wanted(WsInstrs now)
{
   return now == WS_(time).cuts.sample && WS_(sample_may_want_stack)(now);
}

void WS_(stack_after)(const WsSegment* seg, const UChar* guest)
{
   Bool     waits = WS_(pending_is_any)();
   WsInstrs end   = WS_(time_now)();

   kept.seg = NULL;
   if (seg->exit_kind != Ws_NoExit && (waits || may_be_wanted(end))) {
      keep(seg, guest, end);
      if (waits && seg->exit_kind == Ws_LastExit && kept.n_exits == 1)
         WS_(pending_give_stack)(&kept.stack);
   }
   if (!WS_(pending_is_any)())
      WS_(time_call_always)(False);
}

void WS_(stack_end)(void)
{
   if (kept.seg)
      WS_(pending_give_stack)(&kept.stack);
   kept.seg = NULL;
}

WsStack* WS_(stack_at)(WsInstrs t)
{
   return kept.seg && kept.t == t ? &kept.stack : NULL;
}

void WS_(stack_of_waiting)(ThreadId tid)
{
   static WsStack stack;

   if (!WS_(pending_is_any)())
      return;
   if (tid == VG_INVALID_THREADID) {
      WS_(pending_give_none)();
   } else {
      WS_(unwind)(tid, VG_(get_IP)(tid), &stack);
      WS_(pending_give_stack)(&stack);
   }
}
