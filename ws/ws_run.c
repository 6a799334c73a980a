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
#include "pub_tool_vki.h"
#include "pub_tool_xarray.h"
#include "ws_callers.h"
#include "ws_clo.h"
#include "ws_files.h"
#include "ws_frames.h"
#include "ws_instrument.h"
#include "ws_list.h"
#include "ws_mappings.h"
#include "ws_marks.h"
#include "ws_pagelog.h"
#include "ws_recount.h"
#include "ws_sample.h"
#include "ws_sets.h"
#include "ws_slowpath.h"
#include "ws_time.h"

/* Report or log, or both, have been ended for an execve, which may fail. */
static Bool is_ended;

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

/* Milliseconds since 1970. */
static ULong date_ms(void)
{
   struct vki_timeval now;

   VG_(gettimeofday)(&now, NULL);
   return (ULong)now.tv_sec * 1000 + now.tv_usec / 1000;
}

static WsReportHeader header_of(Int parent_pid)
{
   const WsTaus* taus = &WS_(clo).taus;

   return (WsReportHeader){
      .parts        = parts(),
      .command      = client_command(),
      .pid          = VG_(getpid)(),
      .parent_pid   = parent_pid,
      .start_ms     = date_ms(),
      .page_szB     = WS_(clo).page_szB,
      .every        = WS_(clo).every,
      .tau          = taus->tau[0],
      .further_taus = {taus->tau + 1, taus->n - 1},
      .page_log     = WS_(log_file).fd != -1 ? WS_(file_name)(&WS_(log_file))
                                             : NULL,
      .peak_window_samples = WS_(clo).peak_window_samples,
      .peak_thresh         = WS_(clo).peak_thresh.text,
      .peak_adapt          = WS_(clo).peak_adapt.text,
   };
}

/* Forget the process that has forked, except for its translations. */
static void forget(void)
{
   WS_(clear_marks)();
   WS_(recount_forget)();
   WS_(files_abandon)();
}

/* `name` is that of a first process; a child's is made from `pattern`. */
static Bool open_file(WsFile* file, const HChar* option, const HChar* pattern,
                      HChar* name, Bool is_child)
{
   return WS_(file_open)(
      file, is_child ? VG_(expand_file_name)(option, pattern) : name, is_child);
}

const WsFile* WS_(run_begin)(Int parent_pid)
{
   const WsOptions* o        = &WS_(clo);
   const WsFile*    missing  = NULL;
   Bool             is_child = parent_pid != 0;

   if (is_child)
      forget();
   WS_(time_begin)();
   WS_(sets_begin)(WS_(report_n_kinds)(parts()), o->every, &o->taus);
   if (o->list_pages)
      WS_(list_begin)();
   if (o->page_log && !open_file(&WS_(log_file), "--ws-page-log", o->page_log,
                                 o->log_name, is_child))
      missing = &WS_(log_file);
   UInt           begin_ms = VG_(read_millisecond_timer)();
   WsReportHeader header   = header_of(parent_pid);
   WS_(pagelog_begin)(&header);
   // Now that the log can be recognized: it may have this name, spelled
   // otherwise.
   if (!open_file(&WS_(report_file), o->out_option, o->out_file, o->out_name,
                  is_child))
      missing = &WS_(report_file);
   WS_(report_begin)(WS_(to_report), &header);
   WS_(sample_begin)(parts(), begin_ms);
   WS_(file_flush)(&WS_(report_file));
   return missing;
}

void WS_(run_switch)(Bool on)
{
   if (on == WS_(time).is_on)
      return;
   WS_(time_switch)(on);
   WS_(discard_all)(); // what is translated from now on is instrumented, or not
}

/* --- Between -------------------------------------------------------------- */

/* The program's memory changes only here.  What must stay true: a page that is
   mapped anew has no mark, or its next access would not be seen; one that is
   lost is not resident; and the sets hear of a change after all accesses that
   came before it, which they do, for a change takes a system call, and segments
   end before one. */

/* The pages that lie in [a, a + szB) as a whole; False: there is none. */
static Bool whole_pages(Addr a, SizeT szB, /*OUT*/ WsPage* first,
                        /*OUT*/ WsPage* last)
{
   const UWord page_szB = WS_(clo).page_szB;

   *first = WS_(page_of)(a) + (a % page_szB != 0);
   *last  = WS_(page_of)(a + szB - 1);
   if ((a + szB) % page_szB != 0) {
      if (*last == 0)
         return False;
      --*last;
   }
   return szB > 0 && *first <= *last;
}

void WS_(run_mapped)(Addr a, SizeT szB)
{
   WsPage first, last;

   if (!whole_pages(a, szB, &first, &last))
      return;
   WS_(clear_marks_of)(first, last);
   if (WS_(clo).list_pages)
      WS_(list_map)(first, last, WS_(time).cuts.sample);
   WS_(sets_map)(first, last);
}

/* Makes pages no longer resident.  The span of time in which resident memory
   stayed as it was ends before they go. */
static void lose(WsPage first, WsPage last)
{
   WS_(sample_resident)(True, WS_(time_ticks)(WS_(time_now)()));
   WS_(sets_unmap)(first, last);
}

void WS_(run_unmapped)(Addr a, SizeT szB)
{
   WsPage first, last;

   if (whole_pages(a, szB, &first, &last))
      lose(first, last);
}

void WS_(run_discarded)(Addr a, SizeT szB)
{
   WsPage first, last;

   if (!whole_pages(a, szB, &first, &last))
      return;
   WS_(clear_marks_of)(first, last);
   lose(first, last);
}

/* Memory that moves by whole pages keeps them: each goes on at its new
   place. */
void WS_(run_moved)(Addr from, Addr to, SizeT szB)
{
   WsPage first, last;

   if (!whole_pages(from, szB, &first, &last))
      return;
   if ((to - from) % WS_(clo).page_szB == 0)
      WS_(sets_move)(first, last,
                     WS_(page_of)(WS_(page_start)(first) + to - from));
   else // no page lies as it did
      lose(first, last);
}

void WS_(run_thread_begins)(ThreadId tid)
{
   SizeT szB        = VG_(thread_get_stack_size)(tid);
   Addr  top        = VG_(thread_get_stack_max)(tid);
   Addr  main_start = WS_(main_stack_start)();

   // All of it need not have been mapped.
   if (main_start <= top && top - main_start < szB)
      szB = top - main_start + 1;
   WS_(pagelog_map)(top - szB + 1, szB);
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
   for (UInt kind = 0; kind < WS_(report_n_kinds)(parts()); kind++)
      WS_(recount_phase)(now, kind, WS_(sets_n_in_phase)(kind));
   WS_(recount_begin_phase)();
   WS_(sample_mark)(t, now, label, stack);
}

/* --- End ------------------------------------------------------------------ */

/* Valid up to the next call. */
static const WsReportSummary* summary_of(WsInstrs now, WsTick end, Bool is_end)
{
   static WsReportSummary summary;

   summary = (WsReportSummary){.parts    = parts(),
                               .instrs   = now,
                               .end      = end,
                               .page_szB = WS_(clo).page_szB};
   WS_(sample_summary)(&summary, is_end);
   return &summary;
}

/* Writes everything behind the table.  The sections that refer to stacks come
   before the stacks, which get their numbers by that. */
static const WsReportSummary* write_end(WsInstrs now, WsTick end)
{
   const WsReportSummary* s = summary_of(now, end, True);

   WS_(report_summary)(WS_(to_report), s);
   WS_(sample_report)(end, now);
   if (WS_(clo).list_pages)
      for (UInt kind = Ws_Insn; kind <= Ws_Data; kind++)
         WS_(list_report)(WS_(to_report), parts(), kind, WS_(clo).every, end);
   WS_(frames_report)(WS_(to_report), parts());
   WS_(report_clock)(WS_(to_report), s);
   WS_(file_pad)(&WS_(report_file), WS_REPORT_END_SZB);
   WS_(report_end)(WS_(to_report));
   WS_(file_flush)(&WS_(report_file));
   return s;
}

void WS_(run_answer)(WsSay to)
{
   WsInstrs now = WS_(time_now)();

   WS_(summary_say)(to, summary_of(now, WS_(time_ticks_of_end)(now), False),
                    NULL, NULL);
}

/* Compares what is not compared at samples: pages of the last phase, totals and
   lists. */
static void recount(void)
{
   WsInstrs now = WS_(time_now)();

   for (UInt kind = 0; kind < WS_(report_n_kinds)(parts()); kind++) {
      WS_(recount_phase)(now, kind, WS_(sets_n_in_phase)(kind));
      WS_(recount_pages)(now, kind);
   }
}

/* Its name; NULL: it is not there, or something is missing in it. */
static const HChar* close_file(WsFile* file)
{
   if (!file->name)
      return NULL;
   if (WS_(file_close)(file))
      return WS_(file_name)(file);
   VG_(umsg)("The %s is not complete: %s: %s\n", file->noun,
             WS_(file_name)(file), WS_(file_error)(file));
   return NULL;
}

void WS_(run_end)(void)
{
   WsTick   end = WS_(reach_end)();
   WsInstrs now = WS_(time_now)();

   recount();
   WS_(pagelog_end)(end, now);
   const WsReportSummary* s      = write_end(now, end);
   const HChar*           report = close_file(&WS_(report_file));
   const HChar*           log    = close_file(&WS_(log_file));

   if (VG_(clo_verbosity) > 0)
      WS_(summary_say)(VG_(umsg), s, report, log);
}

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
   WS_(files_release)();
   is_ended = is_log_ended || is_report_ended;
   if (is_report_ended && VG_(clo_verbosity) > 0)
      VG_(umsg)("The report before this execve: %s.  Use --trace-children=yes "
                "to get a report for the new program, too.\n",
                WS_(file_name)(&WS_(report_file)));
}

void WS_(run_after_failed_exec)(void)
{
   if (!is_ended)
      return;
   WS_(files_reopen)();
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
   if (WS_(clo).page_log)
      VG_(dmsg)(" ws: page log: %lu bytes\n", WS_(pagelog_memory_szB)());
}
