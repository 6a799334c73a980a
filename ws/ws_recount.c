/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_recount.h"

#include "pub_tool_machine.h"
#include "ws_clo.h"
#include "ws_intern.h"
#include "ws_pagelist.h"
#include "ws_segment.h"
#include "ws_sets.h"
#include "ws_time.h"

/* An instruction, or an access, of the present segment. */
typedef struct {
   Addr  a;
   UWord szB;
   UWord how; // WsRecountHow; 0: an instruction
} Event;

#define MAX_EVENTS (WS_MAX_SEGMENT_INSTRS + 2 * WS_MAX_ACCESSES)

typedef struct {
   WsInstrs last;  // access
   ULong    phase; // of that
   ULong    n_accesses;
} Page;

typedef struct {
   WsTick  t;
   WsSizes wss;
} Sample;

static struct {
   WsInstrs now;
   Event    events[MAX_EVENTS];
   UInt     n_events;
   WsPairs  pages[WS_N_KINDS]; // of 0 and the page: a Page
   // Samples that the tool has not taken: it does so at the segment's end.
   Sample samples[WS_MAX_SEGMENT_INSTRS];
   UInt   n_samples;
   WsTick last_sample;
   ULong  phase; // counts up
} re;

static const HChar* const names[WS_N_KINDS] = {"insn", "data", "dirty"};

void WS_(recount_begin)(void)
{
   for (UInt kind = 0; kind < WS_N_KINDS; kind++) {
      re.pages[kind].entry_szB = sizeof(Page);
      WS_(pairs_done)(&re.pages[kind]);
   }
   re.now = re.last_sample = re.phase = 0;
   re.n_events = re.n_samples = 0;
}

static const Page* counted(WsKind kind, UInt n)
{
   return WS_(pair_entry)(&re.pages[kind], n);
}

static void must_equal(WsTick t, const HChar* set, const HChar* what, ULong of,
                       ULong n, ULong recounted)
{
   if (n == recounted)
      return;
   VG_(umsg)("At %llu: %s %s %llu: %llu; recounted: %llu\n", t, set, what, of,
             n, recounted);
   VG_(tool_panic)("ws: recounted numbers differ");
}

/* --- Counting ------------------------------------------------------------ */

/* Notes the last access to each page, and its phase: the definitions need no
   more. Nothing is ever removed. */
static void touch(WsKind kind, Addr a, UWord szB, Bool is_counted)
{
   WsPage page = 0;

   for (UWord i = 0; i < szB; i++) {
      if (i > 0 && WS_(page_of)(a + i) == page)
         continue;
      page    = WS_(page_of)(a + i);
      Page* p = WS_(pair_get)(&re.pages[kind], 0, page);
      // What a failed execve accesses after the sample belongs to the next one.
      p->last  = re.now + (re.last_sample == re.now);
      p->phase = re.phase;
      p->n_accesses += is_counted;
   }
}

static void touch_data(Addr a, UWord szB, UWord how)
{
   touch(Ws_Data, a, szB, !(how & Ws_IsMerged));
   if (how & Ws_Stores)
      touch(Ws_Dirty, a, szB, False);
}

/* Takes a sample, which waits for the tool's own: that one is taken at a
   segment's end. At most one per instruction waits.  Counts by the definition
   itself: page p is in W(t, tau) iff its last access is in (t - tau, t]. */
static void take_sample(void)
{
   const WsTaus* taus = &WS_(clo).taus;

   tl_assert(re.n_samples < WS_MAX_SEGMENT_INSTRS);
   Sample* s      = &re.samples[re.n_samples++];
   *s             = (Sample){.t = re.now};
   re.last_sample = re.now;
   for (UInt kind = 0; kind < WS_N_KINDS; kind++)
      for (UInt n = 0; n < re.pages[kind].n; n++)
         for (UInt i = 0; i < taus->n; i++)
            s->wss.of[kind][i] += re.now - counted(kind, n)->last <
                                  taus->tau[i];
}

/* Counts the segment's events. They are counted only now, so that what a fault
   has cut short can be dropped. When an instruction begins, what the last one
   has done is complete. */
static void end_of_segment(void)
{
   for (UInt i = 0; i < re.n_events; i++) {
      const Event* e = &re.events[i];
      if (e->how) {
         touch_data(e->a, e->szB, e->how);
         continue;
      }
      if (!WS_(clo).is_clocked && re.now % WS_(time).cuts.every == 0 &&
          re.now != re.last_sample)
         take_sample();
      re.now++;
      touch(Ws_Insn, e->a, e->szB, True);
   }
   re.n_events = 0;
}

/* Is called by generated code for an access. */
static void add_event(Addr a, UWord szB, UWord how)
{
   tl_assert(re.n_events < MAX_EVENTS);
   re.events[re.n_events++] = (Event){a, szB, how};
}

/* Drops the last instruction of a segment that a fault has cut short: it has
   not been executed. No other may be lost. */
static void drop_faulting_instr(void)
{
   UInt n_lost = 0;

   for (UInt i = 0; i < re.n_events; i++)
      if (!re.events[i].how)
         n_lost = i;
   must_equal(re.now, "instructions and accesses", "lost by fault at",
              re.events[n_lost].a, n_lost, 0);
   re.n_events = 0;
}

void WS_(recount_first_fault)(void)
{
   re.n_events = 0;
}

static void at_instr(Addr a, UWord szB, UWord is_first)
{
   if (is_first && re.n_events > 0)
      drop_faulting_instr();
   add_event(a, szB, 0);
}

void WS_(recount_kernel)(Addr a, SizeT szB, Bool is_write)
{
   if (WS_(clo).recount)
      touch_data(a, szB, is_write ? Ws_Stores : Ws_Loads);
}

/* --- Code ---------------------------------------------------------------- */

/* Emits a call of a helper. Calls are made in the order of the statements
   around them, and read no guest state. */
static void emit_call(IRSB* sb, const HChar* name, void* helper, IRExpr** args,
                      IRExpr* guard)
{
   IRDirty* call = unsafeIRDirty_0_N(0, name, VG_(fnptr_to_fnentry)(helper),
                                     args);
   if (guard)
      call->guard = deepCopyIRExpr(guard);
   addStmtToIRSB(sb, IRStmt_Dirty(call));
}

void WS_(recount_emit_instr)(IRSB* sb, Addr a, UInt szB, Bool is_first)
{
   if (WS_(clo).recount)
      emit_call(sb, "ws_recount_instr", at_instr,
                mkIRExprVec_3(mkIRExpr_HWord(a), mkIRExpr_HWord(szB),
                              mkIRExpr_HWord(is_first)),
                NULL);
}

void WS_(recount_emit_access)(IRSB* sb, IRExpr* address, UInt szB,
                              IRExpr* guard, WsRecountHow how)
{
   if (WS_(clo).recount)
      emit_call(sb, "ws_recount_access", add_event,
                mkIRExprVec_3(deepCopyIRExpr(address), mkIRExpr_HWord(szB),
                              mkIRExpr_HWord(how)),
                guard);
}

void WS_(recount_emit_end)(IRSB* sb)
{
   if (WS_(clo).recount)
      emit_call(sb, "ws_recount_end", end_of_segment, mkIRExprVec_0(), NULL);
}

/* --- Comparing ----------------------------------------------------------- */

/* Takes the oldest waiting sample, which must be this one, by time and by all
   sizes. */
void WS_(recount_sample)(WsTick t, const WsSizes* wss)
{
   if (!WS_(clo).recount || WS_(clo).is_clocked)
      return;
   if (re.n_samples == 0) // no later instruction has begun
      take_sample();
   must_equal(t, "time", "of sample", t, t, re.samples[0].t);
   for (UInt kind = Ws_Insn; kind < WS_(n_kinds)(); kind++)
      for (UInt i = 0; i < WS_(clo).taus.n; i++)
         must_equal(t, names[kind], "in window", WS_(clo).taus.tau[i],
                    wss->of[kind][i], re.samples[0].wss.of[kind][i]);
   re.n_samples--;
   for (UInt i = 0; i < re.n_samples; i++)
      re.samples[i] = re.samples[i + 1];
}

void WS_(recount_phase)(WsInstrs now)
{
   if (!WS_(clo).recount)
      return;
   for (UInt kind = Ws_Insn; kind < WS_(n_kinds)(); kind++) {
      UWord n = 0;
      for (UInt i = 0; i < re.pages[kind].n; i++)
         n += counted(kind, i)->phase == re.phase;
      must_equal(now, names[kind], "pages in phase", re.phase,
                 WS_(sets_counts)(kind)->n_in_phase, n);
   }
   re.phase++;
}

void WS_(recount_end)(WsInstrs now)
{
   WS_(recount_phase)(now);
   if (!WS_(clo).recount)
      return;
   must_equal(now, "time", "of end", now, now, re.now);
   for (UInt kind = Ws_Insn; kind < WS_(n_kinds)(); kind++) {
      must_equal(now, names[kind], "pages up to", now,
                 WS_(sets_counts)(kind)->n_pages, re.pages[kind].n);
      if (!WS_(clo).list_pages || kind == Ws_Dirty)
         continue;
      for (UInt n = 0; n < re.pages[kind].n; n++) {
         WsPage page = re.pages[kind].pairs[n].b;
         must_equal(now, names[kind], "accesses to page", page,
                    WS_(list_n_accesses)(kind, page),
                    counted(kind, n)->n_accesses);
      }
   }
}
