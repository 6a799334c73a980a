/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_stack.h"

#include "pub_tool_machine.h"
#include "pub_tool_options.h"
#include "pub_tool_stacktrace.h"
#include "pub_tool_threadstate.h"
#include "ws_clo.h"
#include "ws_fastpath.h"
#include "ws_rows.h"
#include "ws_sample.h"

/* The stack at the superblock entry that may come after a segment. */
static struct {
   const WsSegment* seg; // NULL: none; to be compared only
   WsTime           t;
   ThreadId         tid;
   UInt             n_exits;
   Addr             exits[WS_MAX_EXITS];
   WsStack          stack;
} kept;

static void unwind(ThreadId tid, Addr ip, /*OUT*/ WsStack* stack)
{
   UInt n_max = VG_(clo_backtrace_size);
   Word delta = ip - VG_(get_IP)(tid);

   stack->n = VG_(get_StackTrace)(tid, stack->ips,
                                  n_max < WS_MAX_FRAMES ? n_max : WS_MAX_FRAMES,
                                  NULL, NULL, delta);
}

void WS_(stack_of_thread)(ThreadId tid, /*OUT*/ WsStack* stack)
{
   unwind(tid, VG_(get_IP)(tid), stack);
}

static void keep(const WsSegment* seg, WsTime end)
{
   kept.seg     = seg;
   kept.t       = end;
   kept.tid     = VG_(get_running_tid)();
   kept.n_exits = seg->n_exits;
   for (UInt i = 0; i < seg->n_exits; i++)
      kept.exits[i] = WS_(exits_of)(seg)[i];
   if (seg->exit_where != WS_NOWHERE)
      kept.exits[0] = WS_(get_guest_word)(seg->exit_where);
   unwind(kept.tid, kept.exits[0], &kept.stack);
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
   if (WS_(rows_wait)())
      WS_(rows_give_stack)(&kept.stack);
}

void WS_(stack_after)(const WsSegment* seg, WsTime end)
{
   Bool waits = WS_(rows_wait)();

   kept.seg = NULL;
   if (seg->exit_kind != Ws_NoExit && (waits || WS_(run_may_want_stack)(end))) {
      keep(seg, end);
      if (waits && seg->exit_kind == Ws_LastExit && kept.n_exits == 1)
         WS_(rows_give_stack)(&kept.stack);
   }
   WS_(run_resume)(end);
}

void WS_(stack_end)(void)
{
   if (kept.seg && WS_(rows_wait)())
      WS_(rows_give_stack)(&kept.stack);
   kept.seg = NULL;
}

WsStack* WS_(stack_at)(WsTime t)
{
   return kept.seg && kept.t == t ? &kept.stack : NULL;
}
