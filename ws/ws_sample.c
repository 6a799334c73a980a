/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_sample.h"

#include "pub_tool_clientstate.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_options.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_xarray.h"
#include "ws_clo.h"
#include "ws_clock.h"
#include "ws_cuts.h"
#include "ws_fastpath.h"
#include "ws_info.h"
#include "ws_instrument.h"
#include "ws_list.h"
#include "ws_out.h"
#include "ws_peak.h"
#include "ws_place.h"
#include "ws_progress.h"
#include "ws_recount.h"
#include "ws_report.h"
#include "ws_rows.h"
#include "ws_segment.h"
#include "ws_stack.h"
#include "ws_text.h"

static struct {
   WsCuts  cuts;
   WsTime  epoch_start;
   WsTime  span_start; // of the time up to the next cut
   WsTime  next_cut;
   WsTime  stop;
   WsTime  base;    // of the stamps: the stop, or after it the next one
   Bool    is_told; // all of the epoch, up to now and from now on
   Bool    is_held; // the stop is the span's start: a row waits for its stack
   Bool    is_on;
   UInt    n_kinds;
   WsPages pages[WS_N_KINDS];
   WsStats stats[WS_N_KINDS][WS_MAX_TAUS]; // of all rows
   WsPeak  peaks[WS_N_KINDS];              // not of dirty pages
   WsTick  last_row;                       // that is not a mark
   ULong   late_us, max_late_us;           // sum and maximum, of samples
   UWord   n_pages_at_row[WS_N_KINDS];     // at the last one
   UInt    last_info; // of the last row, which an execve that fails takes back
   Word    n_info_at; // times of --ws-info-at that have been passed by samples
} run = {.is_on = True};

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

static WsReportParts parts(void)
{
   return (WsReportParts){.taus       = &WS_(clo).taus,
                          .dirty      = WS_(clo).dirty,
                          .peaks      = WS_(clo).peak_detect,
                          .is_clocked = WS_(clo).is_clocked};
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

static WsTick ticks(WsTime now)
{
   return WS_(clo).is_clocked ? WS_(clock_us)() : now;
}

/* The same for a row that is no sample, in units of the report: a millisecond
   that has begun.  The next sample has not been taken, even if the clock has
   just passed it. */
static WsTick ticks_of_row(WsTime now)
{
   WsTick tick = ticks(now);

   if (WS_(clo).is_clocked)
      tick = (tick + 999) / 1000 * 1000;
   return tick < run.cuts.sample ? tick : run.cuts.sample;
}

/* Makes a row without information of one that has sizes only, for these are
   many. */
static void complete_row(WsReportRow* row, WsTick now)
{
   row->t    = now;
   row->late = 0;
   row->info = WS_NO_INFO;
   for (UInt kind = 0; kind < run.n_kinds; kind++) {
      UWord n_pages          = run.pages[kind].n_pages;
      row->total_pages[kind] = n_pages;
      row->new_pages[kind]   = n_pages - run.n_pages_at_row[kind];
   }
}

static void write_row(const WsReportRow* row, Bool wants_stack)
{
   WS_(rows_add)(row, wants_stack);
   for (UInt kind = 0; kind < run.n_kinds; kind++)
      run.n_pages_at_row[kind] = run.pages[kind].n_pages;
}

/* How many of the times that the user names are not after `now`. */
static Word n_info_at(WsTick now)
{
   const XArray* times = WS_(clo).info_at;
   Word          n     = run.n_info_at;

   while (times && n < VG_(sizeXA)(times) &&
          *(WsTick*)VG_(indexXA)(times, n) <= now)
      n++;
   return n;
}

/* The segment in which time passes the stop must not pass the cut: what it
   does to stamps would hide what was done before the cut. */
static WsTime stop_before(WsTime cut, WsTime span_instrs)
{
   UInt max_instrs = WS_(max_segment_instrs)();
   return cut - (span_instrs < max_instrs ? span_instrs : max_instrs);
}

static void set_stop(void)
{
   run.stop = stop_before(run.next_cut, run.next_cut - run.span_start);
}

/* A cut has been passed. */
static void begin_span(WsTime now, WsTick tick)
{
   WsTick left = tick < run.cuts.next ? run.cuts.next - tick : 0;

   run.span_start = now;
   run.next_cut   = WS_(clo).is_clocked
                       ? now + WS_(clock_patience_instrs)(left)
                       : WS_(progress_next_cut)(now, run.cuts.next);
   set_stop();
}

static Bool has_counts(WsKind kind)
{
   return WS_(clo).list_pages && kind != Ws_Dirty;
}

static Word count_offset(WsKind kind)
{
   if (!has_counts(kind))
      return 0;
   return kind == Ws_Insn ? (Word)offsetof(WsGatedStamp, n_accesses)
                          : (Word)WS_(stamp_table).counts_offset;
}

static void begin_pages(WsKind kind)
{
   WsPagesConfig config = {.every        = WS_(clo).every,
                           .taus         = &WS_(clo).taus,
                           .is_clocked   = WS_(clo).is_clocked,
                           .is_gated     = kind == Ws_Insn,
                           .has_details  = has_counts(kind),
                           .count_offset = count_offset(kind)};

   WS_(pages_init)(&run.pages[kind], &config);
   for (UInt i = 0; i < WS_(clo).taus.n; i++)
      WS_(stats_init)(&run.stats[kind][i]);
   WS_(peak_init)(&run.peaks[kind], WS_(clo).peak_window_samples,
                  WS_(clo).peak_thresh.value, WS_(clo).peak_adapt.value);
   run.n_pages_at_row[kind] = 0;
}

Bool WS_(run_begin)(Int parent_pid)
{
   static const WsTaus none;

   // Instructions can be told apart within an epoch, microseconds cannot.
   WS_(cuts_init)(&run.cuts, WS_(clo).every,
                  WS_(clo).is_clocked ? &WS_(clo).taus : &none);
   WS_(clock_reset)();
   WS_(clock_switch)(run.is_on);
   WS_(progress_begin)();
   run.late_us = run.max_late_us = 0;
   run.epoch_start               = 0;
   begin_span(0, 0);
   run.base      = run.stop;
   run.is_told   = False;
   run.is_held   = False;
   run.last_info = WS_NO_INFO;
   run.n_info_at = 0;
   run.n_kinds   = WS_(clo).dirty ? Ws_Dirty + 1 : Ws_Data + 1;
   for (UInt kind = 0; kind < run.n_kinds; kind++)
      begin_pages(kind);
   if (!WS_(out_open)(
          parent_pid ? VG_(expand_file_name)("--ws-out-file", WS_(clo).out_file)
                     : WS_(clo).out_name,
          parent_pid != 0))
      return False;
   write_header(parent_pid);
   WS_(rows_begin)(parts());
   WsReportRow row = {.wss.of = {{0}}};
   complete_row(&row, 0);
   write_row(&row, False);
   run.last_row = 0;
   WS_(out_flush)();
   return True;
}

Bool WS_(run_is_on)(void)
{
   return run.is_on;
}

void WS_(run_switch)(Bool on)
{
   run.is_on = on;
   WS_(clock_switch)(on);
}

WsTime WS_(run_next_cut)(void)
{
   return run.next_cut;
}

WsTime WS_(run_next_stop)(void)
{
   return run.stop;
}

WsTime WS_(run_stamp_base)(void)
{
   return run.base;
}

static void collect_stamps(void)
{
   for (UInt kind = 0; kind < run.n_kinds; kind++)
      WS_(pages_collect)(&run.pages[kind], run.base);
}

/* From here to the cut all accesses are told, so the stamps may have the base
   of the time after it already: mostly the next span is as long as this one,
   and then they need not be looked at again. */
void WS_(run_stop)(void)
{
   if (run.is_told)
      return;

   WsTime span_instrs = run.next_cut - run.span_start;
   WsTime next        = stop_before(run.next_cut + span_instrs, span_instrs);
   for (UInt kind = 0; kind < run.n_kinds; kind++)
      WS_(pages_collect_and_rebase)(&run.pages[kind], run.base, next);
   run.base    = next;
   run.is_told = True;
}

/* True if a peak begins in any of the sets. */
static Bool find_peaks(WsPeak peaks[WS_N_KINDS], const WsSizes* wss)
{
   Bool found = False;

   if (WS_(clo).peak_detect)
      for (UInt kind = Ws_Insn; kind <= Ws_Data; kind++)
         found |= WS_(peak_sample)(&peaks[kind], wss->of[kind][0]);
   return found;
}

static void add_lateness(ULong late_us)
{
   run.late_us += late_us;
   if (run.max_late_us < late_us)
      run.max_late_us = late_us;
}

/* All has been told up to `now`. */
static void get_sizes(WsTick now, /*OUT*/ WsSizes* wss)
{
   for (UInt kind = 0; kind < run.n_kinds; kind++)
      for (UInt i = 0; i < WS_(clo).taus.n; i++)
         wss->of[kind][i] = WS_(pages_wss)(&run.pages[kind],
                                           WS_(clo).taus.tau[i], now);
}

/* The sample at `due`; the process has come to `now`. */
static void take_sample(WsTick due, WsTime now, WsTick late)
{
   WsReportRow    row;
   WsSizes* const wss     = &row.wss;
   Word           n       = n_info_at(due);
   Bool           is_info = n > run.n_info_at;

   run.n_info_at = n;
   for (UInt kind = 0; kind < run.n_kinds; kind++)
      WS_(windows_sample)(&run.pages[kind].windows, due);
   get_sizes(due, wss);
   for (UInt kind = 0; kind < run.n_kinds; kind++)
      for (UInt i = 0; i < WS_(clo).taus.n; i++)
         WS_(stats_sample)(&run.stats[kind][i], wss->of[kind][i]);
   WS_(recount_sample)(due, wss);
   is_info |= find_peaks(run.peaks, wss);
   complete_row(&row, due);
   row.late = late;
   add_lateness(late);
   write_row(&row, is_info);
   run.last_row = due;

   WsStack* stack = WS_(stack_at)(now);
   if (stack && WS_(rows_wait)())
      WS_(rows_give_stack)(stack);
   WS_(out_tick)(now);
}

Bool WS_(run_may_want_stack)(WsTime now)
{
   return now == run.cuts.sample &&
          (WS_(clo).peak_detect || n_info_at(now) > run.n_info_at);
}

/* At a cut. */
static void report_progress(WsTick due, WsTime now)
{
   WsSizes wss;

   if (!WS_(progress_is_due)(now))
      return;
   get_sizes(due, &wss);
   WS_(progress_say)(now, &wss);
}

/* The stop is the base again. */
static void rebase_stamps(void)
{
   for (UInt kind = 0; kind < run.n_kinds; kind++)
      WS_(pages_rebase)(&run.pages[kind], run.base, run.stop);
   run.base = run.stop;
}

/* What there is to do at `now`: the next cut, if one is due.  Its time is that
   at which it was due.  If several are, what was accessed meanwhile is in the
   windows up to all of them if the program was executed all the time, and else
   only in those up to the first.  An epoch that has lasted for the longest time
   is cut, too. */
static void pass_cut(WsTime now, WsTick tick, WsSpan span)
{
   Bool   is_due     = run.cuts.next <= tick;
   WsTick due        = is_due ? run.cuts.next : tick;
   Bool   is_sample  = is_due && WS_(cuts_pass)(&run.cuts);
   Bool   ends_epoch = is_due ? span == Ws_Waited || run.cuts.next > tick
                              : now - run.epoch_start >= WS_MAX_EPOCH_INSTRS;

   begin_span(now, tick);
   if (ends_epoch) {
      run.epoch_start = now;
      for (UInt kind = 0; kind < run.n_kinds; kind++)
         WS_(pages_cut)(&run.pages[kind], due, now, run.base, run.stop);
      run.base = run.stop;
   } else {
      rebase_stamps();
   }
   if (is_sample)
      take_sample(due, now, tick - due);
   report_progress(due, now);
}

void WS_(run_cut)(WsTime end)
{
   WsTime now  = run.next_cut;
   WsTick tick = ticks(now);

   run.is_held = False;
   do
      pass_cut(now, tick, Ws_Executed);
   while (run.cuts.next <= tick);
   if (WS_(rows_wait)()) {
      run.stop = now;
      rebase_stamps();
      run.is_held = True;
   }
   run.is_told = run.stop < end;
}

/* Rows need not wait: the stack of the thread is there. */
static void give_stack_of(ThreadId tid)
{
   static WsStack stack;

   if (!WS_(rows_wait)())
      return;
   if (tid == VG_INVALID_THREADID) {
      WS_(rows_give_none)();
   } else {
      WS_(stack_of_thread)(tid, &stack);
      WS_(rows_give_stack)(&stack);
   }
}

void WS_(run_look_at_clock)(WsTime now, ThreadId tid, WsSpan span)
{
   WsTick tick = ticks(now);

   if (!run.is_on || !WS_(clo).is_clocked || tick < run.cuts.next)
      return;
   WS_(run_stop)();
   WS_(stack_end)(); // of rows that wait already
   do {
      pass_cut(now, tick, span);
      give_stack_of(tid);
   } while (run.cuts.next <= tick);
   run.is_held = False;
   run.is_told = False;
}

void WS_(run_resume)(WsTime end)
{
   if (!run.is_held || WS_(rows_wait)())
      return;
   set_stop();
   rebase_stamps();
   run.is_held = False;
   run.is_told = run.stop < end;
}

void WS_(run_access)(WsKind kind, WsPage page, const WsTouch* touch,
                     WsStamp* stamp)
{
   WsPageRec* rec = WS_(pages_touch)(&run.pages[kind], page, touch->now, stamp);

   if (run.pages[kind].config.has_details)
      WS_(list_touch)(rec, touch);
}

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
   if (szB > 0 && first <= last)
      for (UInt kind = 0; kind < run.n_kinds; kind++)
         WS_(pages_renew)(&run.pages[kind], first, last, run.base);
}

void WS_(run_reach)(Addr a, SizeT szB)
{
   if (WS_(fastpath_reaches)(WS_(page_of)(a), WS_(page_of)(a + szB - 1)))
      return;
   for (UInt kind = Ws_Data; kind < run.n_kinds; kind++)
      WS_(pages_forget_stamps)(&run.pages[kind], run.base);
   WS_(fastpath_extend)();
   for (UInt kind = Ws_Data; kind < run.n_kinds; kind++)
      run.pages[kind].config.count_offset = count_offset(kind);
   WS_(discard_all)();
}

static void look(WsTick now, /*OUT*/ WsSizes* wss)
{
   collect_stamps();
   get_sizes(now, wss);
   WS_(recount_now)(now, wss);
}

void WS_(run_look)(WsTime now, /*OUT*/ WsSizes* wss)
{
   look(ticks_of_row(now), wss);
}

/* A row that is no sample.  By the clock, its window is not known well enough:
   it would often be the largest. */
static void count_other_row(WsStats        stats[WS_N_KINDS][WS_MAX_TAUS],
                            const WsSizes* wss)
{
   for (UInt kind = 0; kind < run.n_kinds && !WS_(clo).is_clocked; kind++)
      for (UInt i = 0; i < WS_(clo).taus.n; i++)
         WS_(stats_other_row)(&stats[kind][i], wss->of[kind][i]);
}

void WS_(run_mark)(WsTime now, const HChar* label, ThreadId tid)
{
   static WsStack stack;
   WsTick         tick = ticks_of_row(now);
   WsReportRow    row;
   const HChar *  place = NULL, *lines = WS_(text)("");

   look(tick, &row.wss);
   count_other_row(run.stats, &row.wss);
   if (tid != VG_INVALID_THREADID) {
      WS_(stack_of_thread)(tid, &stack);
      WS_(place_stack)(&stack, &place, &lines);
   }
   complete_row(&row, tick);
   row.info = WS_(info_refer)(label, place, lines);
   write_row(&row, False);
}

/* With the windows as they are after the last sample, which may come only now:
   at the end, and no instruction comes after it. */
static void set_profile(WsReportSummary* s, WsKind kind, Bool is_sample)
{
   static WsWindows windows;

   windows = run.pages[kind].windows;
   if (is_sample)
      WS_(windows_sample)(&windows, run.cuts.sample);
   WS_(profile_make)(&s->profile[kind], &windows, WS_(clo).every);
}

static void set_summary(WsReportSummary* s, WsTime now, WsTick tick,
                        Bool is_sample)
{
   ULong n_samples = run.stats[Ws_Data][0].n_samples + is_sample;

   s->parts       = parts();
   s->instrs      = now;
   s->end         = tick;
   s->page_szB    = WS_(clo).page_szB;
   s->late_max_us = run.max_late_us;
   s->late_avg_us = n_samples ? WS_(stats_ratio)(run.late_us, n_samples, 0) : 0;
   VG_(memcpy)(s->stats, run.stats, sizeof s->stats);
   for (UInt kind = 0; kind < run.n_kinds; kind++) {
      s->total_pages[kind]  = run.pages[kind].n_pages;
      s->reused_pages[kind] = run.pages[kind].n_reused;
      set_profile(s, kind, is_sample);
   }
}

/* Times of --ws-info-at from the n-th on have not been reached. */
static void set_not_reached(WsReportSummary* s, Word n)
{
   const XArray* times = WS_(clo).info_at;

   s->n_not_reached = times ? VG_(sizeXA)(times) - n : 0;
   if (s->n_not_reached)
      s->not_reached = VG_(indexXA)(times, n);
}

/* The last row, unless there is one already.  Nothing of the run itself
   changes, for it may go on.  There is no stack any more. */
static void write_last_row(WsTick now, Bool is_sample, WsReportSummary* s)
{
   WsReportRow    row;
   WsSizes* const wss = &row.wss;
   WsPeak         peaks[WS_N_KINDS];
   Word           n       = n_info_at(now);
   Bool           is_info = n > run.n_info_at;

   look(now, wss);
   VG_(memcpy)(peaks, run.peaks, sizeof peaks);
   if (is_sample)
      is_info |= find_peaks(peaks, wss);
   for (UInt kind = 0; kind < run.n_kinds; kind++) {
      s->n_peaks[kind] = peaks[kind].n_peaks;
      for (UInt i = 0; is_sample && i < WS_(clo).taus.n; i++)
         WS_(stats_sample)(&s->stats[kind][i], wss->of[kind][i]);
   }
   count_other_row(s->stats, wss);
   set_not_reached(s, n);
   if (now != run.last_row) {
      complete_row(&row, now);
      WS_(rows_add)(&row, is_info);
   }
   run.last_info = WS_(rows_give_none)();
}

/* Valid up to the next call. */
static const WsReportSummary* write_end(WsTime now)
{
   static WsReportSummary summary;

   WsTick tick      = ticks_of_row(now);
   Bool   is_sample = tick == run.cuts.sample;

   collect_stamps();
   for (UInt kind = 0; kind < run.n_kinds; kind++)
      WS_(recount_pages)(now, kind, &run.pages[kind]);
   set_summary(&summary, now, tick, is_sample);
   WS_(stack_end)();
   write_last_row(tick, is_sample, &summary);
   WS_(report_summary)(WS_(out_append), &summary);
   WS_(report_profile)(WS_(out_append), &summary);
   WS_(info_report)(WS_(out_append));
   if (WS_(clo).list_pages)
      for (UInt kind = Ws_Insn; kind <= Ws_Data; kind++)
         WS_(list_report)(WS_(out_append), kind, &run.pages[kind]);
   WS_(out_pad)(WS_REPORT_END_SZB);
   WS_(report_end)(WS_(out_append));
   WS_(out_flush)();
   return &summary;
}

static void say(const HChar* line, SizeT n_bytes)
{
   VG_(umsg)("%s", line);
}

void WS_(run_end)(WsTime now)
{
   const WsReportSummary* s        = write_end(now);
   Bool                   complete = WS_(out_close)();

   if (!complete)
      VG_(umsg)("The report is not complete: %s: %s\n", WS_(out_name)(),
                WS_(out_error)());
   if (VG_(clo_verbosity) == 0)
      return;
   WS_(report_summary_lines)(say, s);
   if (s->n_not_reached > 0)
      VG_(umsg)("Not reached:    %llu%s\n",
                WS_(report_units)(s->parts, s->not_reached[0]),
                s->n_not_reached > 1 ? " and later times" : "");
   if (complete)
      VG_(umsg)("Report:         %s\n", WS_(out_name)());
}

void WS_(run_before_exec)(WsTime now)
{
   if (WS_(out_mark)()) {
      write_end(now);
      WS_(out_release)();
   } else {
      WS_(out_flush)();
   }
}

void WS_(run_after_failed_exec)(void)
{
   if (run.last_info != WS_NO_INFO)
      WS_(info_retract)(run.last_info);
   run.last_info = WS_NO_INFO;
   WS_(out_reopen)();
}

void WS_(run_abandon)(void)
{
   // Translations, and with them stamps, live on.
   for (UInt kind = 0; kind < run.n_kinds; kind++)
      WS_(pages_done)(&run.pages[kind]);
   WS_(info_clear)();
   WS_(recount_forget)();
   WS_(out_abandon)();
}

void WS_(run_print_stats)(void)
{
   static const HChar* const names[WS_N_KINDS] = {"insn", "data", "dirty"};

   for (UInt kind = 0; kind < run.n_kinds; kind++)
      VG_(dmsg)(" ws: %s pages: %lu, %lu bytes\n", names[kind],
                run.pages[kind].n_pages,
                WS_(pages_memory_szB)(&run.pages[kind]));
   VG_(dmsg)(" ws: samples: %llu\n", run.stats[Ws_Data][0].n_samples);
}
