/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_run.h"

#include "pub_tool_clientstate.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_machine.h"
#include "pub_tool_options.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_xarray.h"
#include "ws_answer.h"
#include "ws_callers.h"
#include "ws_clo.h"
#include "ws_clock.h"
#include "ws_frames.h"
#include "ws_info.h"
#include "ws_instrument.h"
#include "ws_kept.h"
#include "ws_list.h"
#include "ws_marks.h"
#include "ws_out.h"
#include "ws_phases.h"
#include "ws_recount.h"
#include "ws_sample.h"
#include "ws_sets.h"
#include "ws_slowpath.h"
#include "ws_text.h"
#include "ws_time.h"

/* The report has been ended for an execve, which may fail. */
static Bool is_ended;
static UInt last_info; // of its last row

static WsReportParts parts(void)
{
   return (WsReportParts){.taus       = &WS_(clo).taus,
                          .dirty      = WS_(clo).dirty,
                          .stacks     = WS_(clo).stacks,
                          .peaks      = WS_(clo).peak_detect,
                          .is_clocked = WS_(clo).is_clocked};
}

/* --- Beginning ------------------------------------------------------------ */

static void add_string(XArray* text, const HChar* s)
{
   WS_(text_add)(text, s, VG_(strlen)(s));
}

static const HChar* client_command(void)
{
   XArray* command = WS_(text_begin)();

   add_string(command, VG_(args_the_exename));
   for (Word i = 0; i < VG_(sizeXA)(VG_(args_for_client)); i++) {
      add_string(command, " ");
      add_string(command, *(HChar**)VG_(indexXA)(VG_(args_for_client), i));
   }
   return WS_(text_end)(command);
}

static void write_header(Int parent_pid)
{
   WsReportHeader header = {
      .parts               = parts(),
      .command             = client_command(),
      .pid                 = VG_(getpid)(),
      .parent_pid          = parent_pid,
      .start_ms            = WS_(clock_date_ms)(),
      .page_szB            = WS_(clo).page_szB,
      .every               = WS_(clo).every,
      .peak_window_samples = WS_(clo).peak_window_samples,
      .peak_thresh         = WS_(clo).peak_thresh.text,
      .peak_adapt          = WS_(clo).peak_adapt.text,
   };
   WS_(report_begin)(WS_(out_append), &header);
}

/* Of the process that has forked, only translations go on. */
static void forget(void)
{
   WS_(clear_marks)();
   WS_(info_clear)();
   WS_(recount_forget)();
   WS_(out_abandon)();
}

static Bool open_report(Bool is_child)
{
   return WS_(out_open)(
      is_child ? VG_(expand_file_name)("--ws-out-file", WS_(clo).out_file)
               : WS_(clo).out_name,
      is_child);
}

Bool WS_(run_begin)(Int parent_pid)
{
   if (parent_pid)
      forget();
   WS_(time_begin)();
   WS_(sets_begin)(WS_(report_n_kinds)(parts()), WS_(clo).every,
                   &WS_(clo).taus);
   WS_(phases_begin)();
   if (WS_(clo).list_pages)
      WS_(list_begin)();
   Bool is_open = open_report(parent_pid != 0);
   if (is_open)
      write_header(parent_pid);
   WS_(sample_begin)(parts());
   WS_(out_flush)();
   return is_open;
}

void WS_(run_switch)(Bool on)
{
   if (on == WS_(time).is_on)
      return;
   WS_(time_switch)(on);
   WS_(discard_all)(); // what is translated from now on is instrumented, or not
}

/* --- Between -------------------------------------------------------------- */

void WS_(run_mapped)(Addr a, SizeT szB)
{
   const UWord page_szB = WS_(clo).page_szB;
   WsPage      first    = WS_(page_of)(a) + (a % page_szB != 0);
   WsPage      last     = WS_(page_of)(a + szB - 1);

   if ((a + szB) % page_szB != 0) {
      if (last == 0)
         return;
      last--;
   }
   if (szB == 0 || first > last)
      return;
   WS_(clear_marks_of)(first, last);
   if (WS_(clo).list_pages)
      WS_(list_map)(first, last, WS_(time).cuts.sample);
   WS_(sets_map)(first, last);
}

void WS_(run_reach)(Addr a, SizeT szB)
{
   if (WS_(marks_reach)(WS_(page_of)(a), WS_(page_of)(a + szB - 1)))
      return;
   WS_(clear_marks)();
   if (WS_(clo).list_pages)
      WS_(list_take_counts)();
   WS_(marks_extend)();
   WS_(discard_all)();
}

static UInt info_of_stack(const HChar* label, ThreadId tid)
{
   const HChar *place, *lines;

   if (tid == VG_INVALID_THREADID)
      return WS_NO_INFO;
   WS_(callers_of_thread)(tid);
   WS_(frames_text)(WS_(stack_of)(VG_(get_IP)(tid)), &place, &lines);
   return WS_(info_refer)(NULL, label, place, lines);
}

/* A sample that is due now has not been taken: what the kernel accesses for the
   present instruction would belong to it, too. */
static void snapshot(WsTick t, const HChar* label)
{
   if (t == WS_(time).cuts.sample) {
      WS_(sets_save)();
      WS_(sets_sample)(t, NULL);
      WS_(kept_snapshot)(t, label);
      WS_(sets_restore)();
   } else {
      WS_(kept_snapshot)(t, label);
   }
}

void WS_(run_mark)(const HChar* label, ThreadId tid)
{
   WsInstrs now = WS_(time_now)();
   WsTick   t   = WS_(time_ticks_of_end)(now);

   WS_(clear_marks)();
   if (tid != VG_INVALID_THREADID)
      snapshot(t, label);
   for (UInt kind = 0; kind < WS_(report_n_kinds)(parts()); kind++)
      WS_(recount_phase)(now, kind, WS_(sets_n_in_phase)(kind));
   WS_(recount_begin_phase)();
   WS_(phases_end_one)(t, now, label, info_of_stack(label, tid));
}

/* --- End ------------------------------------------------------------------ */

/* Valid up to the next call. */
static const WsReportSummary* write_end(void)
{
   static WsReportSummary summary;

   WsInstrs now = WS_(time_now)();
   WsTick   end = WS_(time_ticks_of_end)(now);

   last_info = WS_NO_INFO;
   if (end == WS_(time).cuts.sample) {
      last_info = WS_(sample_take)(end, 0, WS_(last_stack)(now));
      WS_(recount_now)(end, WS_(sample_sizes)());
   }
   summary = (WsReportSummary){.parts    = parts(),
                               .instrs   = now,
                               .end      = end,
                               .page_szB = WS_(clo).page_szB};
   WS_(sample_summary)(&summary);
   WS_(report_summary)(WS_(out_append), &summary);
   WS_(report_profile)(WS_(out_append), &summary);
   WS_(kept_report)(WS_(out_append));
   WS_(phases_report)(WS_(out_append), parts(), end, now);
   WS_(info_report)(WS_(out_append));
   if (WS_(clo).list_pages)
      for (UInt kind = Ws_Insn; kind <= Ws_Data; kind++)
         WS_(list_report)(WS_(out_append), parts(), kind, WS_(clo).every, end);
   WS_(out_pad)(WS_REPORT_END_SZB);
   WS_(report_end)(WS_(out_append));
   WS_(out_flush)();
   return &summary;
}

static void recount(void)
{
   WsInstrs now = WS_(time_now)();

   for (UInt kind = 0; kind < WS_(report_n_kinds)(parts()); kind++) {
      WS_(recount_phase)(now, kind, WS_(sets_n_in_phase)(kind));
      WS_(recount_pages)(now, kind);
   }
}

void WS_(run_end)(void)
{
   recount();
   const WsReportSummary* s        = write_end();
   Bool                   complete = WS_(out_close)();

   if (!complete)
      VG_(umsg)("The report is not complete: %s: %s\n", WS_(out_name)(),
                WS_(out_error)());
   if (VG_(clo_verbosity) == 0)
      return;
   WS_(answer)(s, complete ? WS_(out_name)() : NULL);
}

/* What it does to samples is undone at once: if the call fails, the sample that
   is due comes later, and what the kernel accesses for the call belongs to
   it. */
static void write_end_for_now(void)
{
   WS_(sample_save)(WS_(time).cuts.sample);
   write_end();
   if (last_info != WS_NO_INFO)
      WS_(info_retract)(last_info);
   WS_(sample_restore)();
}

void WS_(run_before_exec)(void)
{
   is_ended = WS_(out_mark)();
   if (is_ended) {
      write_end_for_now();
      WS_(out_release)();
   } else {
      WS_(out_flush)();
   }
}

void WS_(run_after_failed_exec)(void)
{
   if (!is_ended)
      return;
   WS_(out_reopen)();
   is_ended = False;
}

void WS_(run_print_stats)(void)
{
   static const HChar* const names[WS_N_KINDS] = {"insn", "data", "dirty"};

   for (UInt kind = 0; kind < WS_(report_n_kinds)(parts()); kind++)
      VG_(dmsg)(" ws: %s pages: %lu, %lu bytes\n", names[kind],
                WS_(sets_n_pages)(kind), WS_(sets_memory_szB)(kind));
   VG_(dmsg)(" ws: marks: %lu bytes\n", WS_(marks_memory_szB)());
   VG_(dmsg)(" ws: origins: %lu bytes; frames: %lu bytes\n",
             WS_(origins_memory_szB)(), WS_(frames_memory_szB)());
}
