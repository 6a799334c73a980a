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

#include "ws_slowpath.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_xarray.h"
#include "ws_fastpath.h"
#include "ws_sample.h"

/* An access in the superblock that is going to be replayed. */
typedef struct {
   UShort instr;
   UShort szB;
   Addr   addr;
} NotedAccess;

static struct {
   const WsBlock* block; // NULL: there is nothing to replay
   WsTime         start; // when it was entered
   XArray*        noted; // of NotedAccess
} replay;

static struct {
   ULong block_entries;
   ULong code_runs;
   ULong data_calls;
   ULong replays;
} n;

/* What the counter is at `now`, outside a replay. */
static WsCounter counter_at(WsTime now)
{
   return (WsCounter)(Long)(now - WS_(run_next_cut)() - 1);
}

static WsTime time_of(WsCounter counter)
{
   return WS_(run_next_cut)() + 1 + (Long)counter;
}

typedef enum { Arm, DontArm } Arming;

/* All data pages of [a, a + szB) are accessed at `now`. */
static void access_data(Addr a, SizeT szB, WsTime now, Arming arming)
{
   WsPage last = WS_(page_of)(a + szB - 1);
   for (WsPage p = WS_(page_of)(a);; p = WS_(next_page)(p)) {
      WsStamp* stamp = arming == Arm ? WS_(data_stamp)(p) : NULL;
      WS_(run_access)(Ws_Data, p, now, stamp);
      if (p == last)
         break;
   }
}

/* --- Replay ---------------------------------------------------------- */

static void begin_replay(const WsBlock* block, WsTime now)
{
   WS_(run_collect)();
   if (!replay.noted)
      replay.noted = VG_(newXA)(VG_(malloc), "ws.replay", VG_(free),
                                sizeof(NotedAccess));
   replay.block = block;
   replay.start = now;
   n.replays++;
}

static void replay_instr(UInt instr)
{
   const WsBlock* block = replay.block;
   WsTime         now   = replay.start + instr;

   while (WS_(run_next_cut)() < now)
      WS_(run_cut)();
   for (UInt r = 0; r < block->n_runs; r++) {
      const WsCodeRun* code = &block->runs[r];
      if (code->first_instr <= instr && instr <= code->last_instr)
         WS_(run_access)(Ws_Insn, code->page, now, NULL);
   }
   for (Word i = 0; i < VG_(sizeXA)(replay.noted); i++) {
      const NotedAccess* a = VG_(indexXA)(replay.noted, i);
      if (a->instr == instr)
         access_data(a->addr, a->szB, now, DontArm);
   }
}

/* What the counter says of the time, with everything booked that has been
   executed until then. */
static WsTime settle(WsCounter counter)
{
   if (!replay.block)
      return time_of(counter);

   WsTime now = time_of(counter - WS_REPLAY_BIAS);
   UInt   n_executed = now - replay.start;
   tl_assert(n_executed <= replay.block->n_instrs);
   for (UInt instr = 1; instr <= n_executed; instr++)
      replay_instr(instr);
   replay.block = NULL;
   VG_(dropTailXA)(replay.noted, VG_(sizeXA)(replay.noted));
   return now;
}

/* --- Calls from generated code ---------------------------------------- */

VG_REGPARM(1)
void WS_(enter_block)(const WsBlock* block)
{
   WsTime now = settle(WS_(get_counter)() - block->n_first);

   n.block_entries++;
   while (WS_(run_next_cut)() <= now)
      WS_(run_cut)();

   WsCounter before = counter_at(now);
   Bool is_replay   = WS_(run_next_cut)() - now < block->n_instrs;
   if (is_replay) {
      begin_replay(block, now);
      before += WS_REPLAY_BIAS;
   }
   WS_(set_counter)(before + block->n_first);

   for (UInt r = 0; r < block->n_runs && block->runs[r].first_instr == 1; r++) {
      const WsCodeRun* code = &block->runs[r];
      if (!is_replay)
         WS_(run_access)(Ws_Insn, code->page, now + 1, code->stamp);
      // What generated code has stored here does not know of the cut.
      *code->stamp =
         before + (code->last_instr < block->n_first ? code->last_instr
                                                     : block->n_first);
   }
}

VG_REGPARM(1)
void WS_(enter_code_run)(const WsCodeRun* code)
{
   n.code_runs++;
   // The stamp, which has been written, tells the time.
   if (!replay.block)
      WS_(run_access)(Ws_Insn, code->page, 0, code->stamp);
}

static void visit(const WsDataCall* call, const Addr* groups)
{
   n.data_calls++;
   if (replay.block) {
      for (UInt i = 0; i < call->n_accesses; i++) {
         const WsAccess* a     = &call->accesses[i];
         NotedAccess     noted = {.instr = a->instr,
                                  .szB   = a->szB,
                                  .addr  = groups[a->group] + a->offset};
         VG_(addToXA)(replay.noted, &noted);
      }
      return;
   }

   WsTime start = time_of(WS_(get_counter)()) - call->counted_instrs;
   for (UInt i = 0; i < call->n_accesses; i++) {
      const WsAccess* a = &call->accesses[i];
      access_data(groups[a->group] + a->offset, a->szB, start + a->instr, Arm);
   }
   for (UInt g = 0; g < call->n_groups; g++) {
      WsPage first = WS_(page_of)(groups[g]);
      WsPage last  = WS_(page_of)(groups[g] + call->group_szB[g] - 1);
      if (call->group_szB[g] && first != last)
         WS_(clear_straddled)(first, last);
   }
}

VG_REGPARM(2)
void WS_(access_data_1)(const WsDataCall* call, Addr a0)
{
   Addr groups[] = {a0};
   visit(call, groups);
}

VG_REGPARM(3)
void WS_(access_data_2)(const WsDataCall* call, Addr a0, Addr a1)
{
   Addr groups[] = {a0, a1};
   visit(call, groups);
}

VG_REGPARM(3)
void WS_(access_data_3)(const WsDataCall* call, Addr a0, Addr a1, Addr a2)
{
   Addr groups[] = {a0, a1, a2};
   visit(call, groups);
}

/* --- While no client code runs ----------------------------------------- */

WsTime WS_(settle_time)(void)
{
   WsTime now    = settle(WS_(counter));
   WS_(counter) = counter_at(now);
   return now;
}

void WS_(access_by_kernel)(Addr a, SizeT szB)
{
   if (szB)
      access_data(a, szB, WS_(settle_time)(), DontArm);
}

void WS_(reset_time)(void)
{
   replay.block = NULL;
   if (replay.noted)
      VG_(dropTailXA)(replay.noted, VG_(sizeXA)(replay.noted));
   WS_(counter) = counter_at(0);
}

void WS_(slowpath_print_stats)(void)
{
   VG_(dmsg)
   (" ws: slow path: %llu block entries, %llu code pages, %llu data calls, "
    "%llu replays\n",
    n.block_entries, n.code_runs, n.data_calls, n.replays);
}
