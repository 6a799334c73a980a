/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_run.h"

#include "pub_tool_clientstate.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_machine.h"
#include "pub_tool_options.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_vki.h"
#include "ws_clo.h"
#include "ws_forks.h"
#include "ws_heapcalls.h"
#include "ws_instrument.h"
#include "ws_pagelist.h"
#include "ws_pagelog.h"
#include "ws_pagemarks.h"
#include "ws_recount.h"
#include "ws_sample.h"
#include "ws_sets.h"
#include "ws_slowpath.h"
#include "ws_stacks.h"
#include "ws_time.h"
#include "ws_unwind.h"

/* --- Beginning ------------------------------------------------------------ */

/* What must stay true: time begins first, for all others count from it; the
   page log is open before the report, whose header has its name; and the
   header and the first row are in the file before the program executes
   anything, so that even one that is killed at once has a report. */

/* Gives the command with its arguments, as it was given: for people, not to be
   parsed. */
static const HChar* client_command(void)
{
   XArray* command = WS_(text_begin)();

   WS_(text_add)(command, VG_(args_the_exename),
                 VG_(strlen)(VG_(args_the_exename)));
   for (Word i = 0; i < VG_(sizeXA)(VG_(args_for_client)); i++) {
      const HChar* arg = *(HChar**)VG_(indexXA)(VG_(args_for_client), i);
      WS_(text_add)(command, " ", 1);
      WS_(text_add)(command, arg, VG_(strlen)(arg));
   }
   return WS_(text_end)(command);
}

/* Makes a header of all that readers need to know before the first row: one
   that follows a run sees nothing else. */
static WsReportHeader header_of(Int parent_pid)
{
   const WsTaus*      taus = &WS_(clo).taus;
   struct vki_timeval now;

   VG_(gettimeofday)(&now, NULL);
   return (WsReportHeader){
      .command      = client_command(),
      .pid          = VG_(getpid)(),
      .pid_since    = WS_(process_start)(VG_(getpid)()),
      .parent_pid   = parent_pid,
      .start_ms     = (ULong)now.tv_sec * 1000 + now.tv_usec / 1000,
      .further_taus = {taus->tau + 1, taus->n - 1},
      .page_log     = WS_(log_file).fd != -1 ? WS_(file_name)(&WS_(log_file))
                                             : NULL,
   };
}

const WsFile* WS_(run_begin)(Int parent_pid)
{
   const WsOptions* o        = &WS_(clo);
   const WsFile*    missing  = NULL;
   Bool             is_child = parent_pid != 0;

   // A child forgets the process that has forked, whose marks are cleared by
   // the cut at 0: before the first access.
   if (is_child)
      WS_(files_abandon)();
   WS_(recount_begin)();
   WS_(time_begin)();
   WS_(sets_begin)();
   WS_(forks_begin)(is_child);
   if (o->list_pages)
      WS_(list_begin)();
   if (o->page_log && !WS_(file_open)(&WS_(log_file), &o->log, is_child))
      missing = &WS_(log_file);
   UInt           begin_ms = VG_(read_millisecond_timer)();
   WsReportHeader header   = header_of(parent_pid);
   WS_(pagelog_begin)(&header);
   // Now that the log can be recognized: it may have this name, spelled
   // otherwise.
   if (!WS_(file_open)(&WS_(report_file), &o->report, is_child))
      missing = &WS_(report_file);
   WS_(report_begin)(WS_(to_report), &header, False);
   WS_(sample_begin)(begin_ms);
   WS_(file_flush)(&WS_(report_file));
   return missing;
}

/* Drops code that was translated while nothing was measured: it does not count,
   and must not go on. */
void WS_(run_switch)(Bool on)
{
   if (on == WS_(time).is_on)
      return;
   WS_(time_switch)(on);
   WS_(discard_all)(); // what is translated from now on is instrumented, or not
}

/* --- Marks ---------------------------------------------------------------- */

/* A phase ends at its mark, to the instruction: marks of pages are cleared, so
   that the next phase sees its own accesses; the sets know all those before. */

void WS_(run_mark)(const HChar* label, ThreadId tid)
{
   WsInstrs now   = WS_(time_now)();
   WsTick   t     = WS_(time_ticks_of_end)(now);
   UInt     stack = WS_NO_FRAME;

   WS_(clear_marks)();
   WS_(pagelog_mark)(t, now, label);
   if (tid != VG_INVALID_THREADID) {
      WS_(callers_of_thread)(tid);
      stack = WS_(stack_of)(VG_(get_IP)(tid));
   }
   WS_(recount_phase)(now);
   WS_(sample_mark)(t, now, label, stack, t == WS_(time).cuts.sample);
}

/* --- End ------------------------------------------------------------------ */

/* An execve may fail after the end has been written: then the run goes on as
   if it had not, and ends once more.  What is said on the terminal comes
   last, for it names files that are complete. */

/* Makes the summary, which is valid up to the next call. */
static const WsReportSummary* summary_of(WsInstrs now, WsTick end, Bool is_end)
{
   static WsReportSummary summary;

   summary = (WsReportSummary){.instrs = now, .end = end};
   WS_(sample_summary)(&summary, is_end);
   return &summary;
}

/* Writes everything behind the table.  The sections that refer to stacks come
   before the stacks, which get their numbers by that. */
static const WsReportSummary* write_end(WsInstrs now, WsTick end)
{
   const WsReportSummary* s = summary_of(now, end, True);

   WS_(report_summary)(s);
   WS_(sample_report)(end, now);
   if (WS_(clo).list_pages)
      for (UInt kind = Ws_Insn; kind <= Ws_Data; kind++)
         WS_(list_report)(kind, end);
   WS_(frames_report)();
   for (UInt i = 0; i < WS_(resident).n_spans; i++)
      WS_(report_row)(Ws_Clock, &WS_(resident).spans[i]);
   WS_(report_section_end)();
   WS_(pagelog_names)();
   WS_(file_pad)(&WS_(report_file), WS_REPORT_END_SZB);
   WS_(to_report)(WS_REPORT_END, WS_REPORT_END_SZB);
   WS_(file_flush)(&WS_(report_file));
   return s;
}

void WS_(run_answer)(WsSay to)
{
   WsInstrs now = WS_(time_now)();

   WS_(summary_say)(to, summary_of(now, WS_(time_ticks_of_end)(now), False),
                    NULL, NULL);
}

void WS_(run_end)(void)
{
   WsTick   end = WS_(reach_end)();
   WsInstrs now = WS_(time_now)();

   WS_(recount_end)(now);
   WS_(pagelog_end)(end, now);
   const WsReportSummary* s      = write_end(now, end);
   const HChar*           report = WS_(file_close)(&WS_(report_file));
   const HChar*           log    = WS_(file_close)(&WS_(log_file));

   if (VG_(clo_verbosity) > 0)
      WS_(summary_say)(VG_(umsg), s, report, log);
   if (WS_(clo).heap && !WS_(heapcalls_seen)())
      WS_(say)("--ws-heap=yes: no malloc was seen. A program that is linked "
               "statically, or with an allocator of its own, needs symbols.\n");
}

/* Ends report and log each for itself: a pipe, which cannot go back to its
   mark, is only flushed. */
void WS_(run_before_exec)(void)
{
   WsTick   end             = WS_(reach_end)();
   WsInstrs now             = WS_(time_now)();
   Bool     is_log_ended    = WS_(file_mark)(&WS_(log_file));
   Bool     is_report_ended = WS_(file_mark)(&WS_(report_file));

   if (is_log_ended)
      WS_(pagelog_end)(end, now);
   if (is_report_ended)
      write_end(now, end);
   WS_(file_flush)(&WS_(log_file));
   WS_(file_flush)(&WS_(report_file));
   if (is_report_ended && VG_(clo_verbosity) > 0 &&
       !VG_STREQ(WS_(clo_value)("trace-children="), "yes"))
      WS_(say)("The report before this execve: %s.  Use --trace-children=yes "
               "to get a report for the new program, too.\n",
               WS_(file_name)(&WS_(report_file)));
}
