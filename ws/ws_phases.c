/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_phases.h"

#include "pub_tool_mallocfree.h"
#include "pub_tool_xarray.h"
#include "ws_clo.h"
#include "ws_sets.h"

static XArray*       ended; // of WsReportPhase
static WsReportPhase present;
static WsInstrs      start_instrs;

void WS_(phases_begin)(void)
{
   if (!ended)
      ended = VG_(newXA)(VG_(malloc), "ws.phases", VG_(free), sizeof present);
   VG_(dropTailXA)(ended, VG_(sizeXA)(ended));
   present      = (WsReportPhase){.start = 0};
   start_instrs = 0;
}

WsReportPhase* WS_(phase_of)(WsTick t)
{
   WsReportPhase* phase = &present;

   for (Word i = VG_(sizeXA)(ended) - 1; i >= 0 && t <= phase->start; i--)
      phase = VG_(indexXA)(ended, i);
   return phase;
}

void WS_(phases_sample)(WsTick t, const WsSizes* sizes)
{
   WsReportPhase* phase = WS_(phase_of)(t);

   for (UInt kind = 0; kind < WS_N_KINDS; kind++)
      WS_(stats_sample)(&phase->stats[kind], sizes->of[kind][0]);
}

/* The present phase as it would be if it ended now. */
static WsReportPhase ended_now(WsTick t, WsInstrs now, const HChar* label,
                               UInt info)
{
   WsReportPhase phase = present;

   phase.end    = t;
   phase.instrs = now - start_instrs;
   phase.label  = label;
   phase.info   = info;
   for (UInt kind = 0; kind < WS_N_KINDS; kind++)
      phase.n_pages[kind] = WS_(sets_n_in_phase)(kind);
   return phase;
}

void WS_(phases_end_one)(WsTick t, WsInstrs now, const HChar* label, UInt info)
{
   WsReportPhase phase = ended_now(t, now, label, info);

   VG_(addToXA)(ended, &phase);
   present      = (WsReportPhase){.start = t};
   start_instrs = now;
   WS_(sets_begin_phase)();
}

void WS_(phases_report)(WsSink sink, WsReportParts parts, WsTick t,
                        WsInstrs now)
{
   WsReportPhase last = ended_now(t, now, "", WS_NO_INFO);

   if (VG_(sizeXA)(ended) == 0)
      return;
   WS_(report_section)(sink, parts, Ws_Phases);
   for (Word i = 0; i < VG_(sizeXA)(ended); i++)
      WS_(report_row)(sink, parts, Ws_Phases, VG_(indexXA)(ended, i));
   WS_(report_row)(sink, parts, Ws_Phases, &last);
   WS_(report_section_end)(sink);
}
