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

#include "ws_sample.h"

#include "pub_tool_clientstate.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"
#include "pub_tool_xarray.h"
#include "ws_clo.h"
#include "ws_cuts.h"
#include "ws_out.h"
#include "ws_report.h"
#include "ws_segment.h"

static struct {
   WsCuts  cuts;
   WsTime  stop;
   Bool    is_told; // all of the epoch, up to now and from now on
   WsPages pages[WS_N_KINDS];
   WsStats stats[WS_N_KINDS];
   WsTime  last_row;
} run;

static HChar* client_command(void)
{
   SizeT szB  = VG_(strlen)(VG_(args_the_exename)) + 1;
   Word  argc = VG_(sizeXA)(VG_(args_for_client));

   for (Word i = 0; i < argc; i++)
      szB += 1 + VG_(strlen)(*(HChar**)VG_(indexXA)(VG_(args_for_client), i));

   HChar* command = VG_(malloc)("ws.command", szB);
   VG_(strcpy)(command, VG_(args_the_exename));
   for (Word i = 0; i < argc; i++) {
      VG_(strcat)(command, " ");
      VG_(strcat)(command, *(HChar**)VG_(indexXA)(VG_(args_for_client), i));
   }
   for (HChar* c = command; *c; c++)
      if (*c == '\n' || *c == '\r')
         *c = ' '; // the header's lines end at their newlines
   return command;
}

static void write_header(Int parent_pid)
{
   HChar*         command = client_command();
   WsReportHeader header  = {
       .command      = command,
       .pid          = VG_(getpid)(),
       .parent_pid   = parent_pid,
       .page_szB     = WS_(clo).page_szB,
       .every_instrs = WS_(clo).every_instrs,
       .tau_instrs   = WS_(clo).tau_instrs,
   };
   WS_(report_begin)(WS_(out_append), &header);
   VG_(free)(command);
}

static void write_row(WsTime now, const UWord wss[WS_N_KINDS])
{
   WS_(report_row)(WS_(out_append), now, wss);
   run.last_row = now;
}

/* The segment in which time passes the stop must not pass the cut: what it
   does to stamps would hide what was done before the cut. */
static void set_stop(WsTime epoch_start)
{
   WsTime epoch_instrs = run.cuts.next - epoch_start;
   run.stop            = run.cuts.next - (epoch_instrs < WS_MAX_SEGMENT_INSTRS
                                             ? epoch_instrs
                                             : WS_MAX_SEGMENT_INSTRS);
}

Bool WS_(run_begin)(Int parent_pid)
{
   static const UWord nothing[WS_N_KINDS];

   WS_(cuts_init)(&run.cuts, WS_(clo).every_instrs, WS_(clo).tau_instrs);
   set_stop(0);
   run.is_told = False;
   for (UInt kind = 0; kind < WS_N_KINDS; kind++) {
      WS_(pages_init)(&run.pages[kind], WS_(clo).tau_instrs, kind == Ws_Insn);
      WS_(stats_init)(&run.stats[kind]);
   }
   if (!WS_(out_open)(
          parent_pid ? VG_(expand_file_name)("--ws-out-file", WS_(clo).out_file)
                     : WS_(clo).out_name))
      return False;
   write_header(parent_pid);
   write_row(0, nothing);
   WS_(out_flush)();
   return True;
}

WsTime WS_(run_next_cut)(void)
{
   return run.cuts.next;
}

WsTime WS_(run_next_stop)(void)
{
   return run.stop;
}

static void collect_stamps(void)
{
   for (UInt kind = 0; kind < WS_N_KINDS; kind++)
      WS_(pages_collect)(&run.pages[kind], run.stop);
}

void WS_(run_stop)(void)
{
   if (!run.is_told)
      collect_stamps();
   run.is_told = True;
}

void WS_(run_cut)(WsTime end)
{
   WsTime now  = run.cuts.next;
   WsTime stop = run.stop;
   UWord  wss[WS_N_KINDS];
   Bool   is_sample = WS_(cuts_pass)(&run.cuts);

   set_stop(now);
   run.is_told = run.stop < end;
   for (UInt kind = 0; kind < WS_N_KINDS; kind++)
      WS_(pages_cut)(&run.pages[kind], now, stop, run.stop);
   if (!is_sample)
      return;

   for (UInt kind = 0; kind < WS_N_KINDS; kind++) {
      wss[kind] = WS_(pages_wss)(&run.pages[kind], now);
      WS_(stats_sample)(&run.stats[kind], wss[kind]);
   }
   write_row(now, wss);
   WS_(out_tick)(now);
}

void WS_(run_access)(WsKind kind, WsPage page, WsTime now, WsStamp* stamp)
{
   WS_(pages_touch)(&run.pages[kind], page, now, stamp);
}

/* Nothing of the run itself changes, for it may go on. */
static void write_end(WsTime now, /*OUT*/ WsReportSummary* summary)
{
   UWord wss[WS_N_KINDS];

   collect_stamps();
   summary->instrs   = now;
   summary->page_szB = WS_(clo).page_szB;
   for (UInt kind = 0; kind < WS_N_KINDS; kind++) {
      wss[kind] = WS_(pages_wss_anywhere)(&run.pages[kind], now);
      summary->total_pages[kind] = run.pages[kind].n_pages;
      summary->stats[kind]       = run.stats[kind];
      // The end may be at a sample that no instruction has come after.
      if (now == run.cuts.sample)
         WS_(stats_sample)(&summary->stats[kind], wss[kind]);
      else
         WS_(stats_other_row)(&summary->stats[kind], wss[kind]);
   }
   if (now != run.last_row)
      WS_(report_row)(WS_(out_append), now, wss);
   WS_(report_summary)(WS_(out_append), summary);
   WS_(out_pad)(WS_REPORT_END_SZB);
   WS_(report_end)(WS_(out_append));
   WS_(out_flush)();
}

void WS_(run_end)(WsTime now)
{
   WsReportSummary summary;
   HChar           line[WS_SUMMARY_LINE_SZB];

   write_end(now, &summary);
   Bool complete = WS_(out_close)();
   if (!complete)
      VG_(umsg)("The report is not complete: %s: %s\n", WS_(out_name)(),
                WS_(out_error)());
   if (VG_(clo_verbosity) == 0)
      return;
   for (UInt n = 0; WS_(report_summary_line)(&summary, n, line); n++)
      VG_(umsg)("%s\n", line);
   if (complete)
      VG_(umsg)("Report:         %s\n", WS_(out_name)());
}

void WS_(run_before_exec)(WsTime now)
{
   WsReportSummary summary;

   if (WS_(out_mark)()) {
      write_end(now, &summary);
      WS_(out_release)();
   } else {
      WS_(out_flush)();
   }
}

void WS_(run_after_failed_exec)(void)
{
   WS_(out_reopen)();
}

void WS_(run_abandon)(void)
{
   // Translations, and with them stamps, live on.
   for (UInt kind = 0; kind < WS_N_KINDS; kind++)
      WS_(pages_done)(&run.pages[kind]);
   WS_(out_abandon)();
}

void WS_(run_print_stats)(void)
{
   static const HChar* const names[WS_N_KINDS] = {"insn", "data"};

   for (UInt kind = 0; kind < WS_N_KINDS; kind++)
      VG_(dmsg)
   (" ws: %s pages: %lu, %lu bytes\n", names[kind], run.pages[kind].n_pages,
    WS_(pages_memory_szB)(&run.pages[kind]));
   VG_(dmsg)(" ws: samples: %llu\n", run.stats[Ws_Data].n_samples);
}
