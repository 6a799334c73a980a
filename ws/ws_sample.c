/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_sample.h"

#include "pub_tool_xarray.h"
#include "ws_clo.h"
#include "ws_peak.h"
#include "ws_pending.h"
#include "ws_phases.h"
#include "ws_sets.h"

typedef struct {
   WsReportRow row;               // the last one
   WsPeak      peaks[WS_N_KINDS]; // not of dirty pages
   ULong       n_samples;
   ULong       late_us, max_late_us; // sum and maximum
   Word        n_info_at; // times of --ws-info-at that have been passed
} Sample;

static Sample        sample;
static WsReportParts parts;
static UInt          n_kinds;

/* The last row is complete but for the number of pages. */
static void add_row(Bool wants_stack)
{
   WsReportRow* row = &sample.row;

   for (UInt kind = 0; kind < n_kinds; kind++) {
      UWord n_pages          = WS_(sets_n_pages)(kind);
      row->new_pages[kind]   = n_pages - row->total_pages[kind];
      row->total_pages[kind] = n_pages;
   }
   row->info = WS_NO_INFO;
   WS_(pending_add)(row, wants_stack);
}

void WS_(sample_begin)(WsReportParts report_parts)
{
   parts   = report_parts;
   n_kinds = WS_(report_n_kinds)(parts);
   sample  = (Sample){.n_samples = 0};
   for (UInt kind = 0; kind < n_kinds; kind++)
      WS_(peak_init)(&sample.peaks[kind], WS_(clo).peak_window_samples,
                     WS_(clo).peak_thresh.value, WS_(clo).peak_adapt.value);
   WS_(pending_begin)(parts);
   add_row(False);
}

static void get_sizes(WsTick due)
{
   for (UInt kind = 0; kind < n_kinds; kind++) {
      WsWindows* windows = WS_(sets_windows)(kind);
      UWord*     sizes   = sample.row.wss.of[kind];
      WS_(windows_sample)(windows, due);
      for (UInt i = 0; i < parts.taus->n; i++)
         sizes[i] = WS_(windows_find)(windows, parts.taus->tau[i])->size;
   }
}

/* True if a peak begins in any of the sets. */
static Bool begins_peak(void)
{
   Bool found = False;

   if (parts.peaks)
      for (UInt kind = Ws_Insn; kind <= Ws_Data; kind++)
         found |= WS_(peak_sample)(&sample.peaks[kind],
                                   sample.row.wss.of[kind][0]);
   return found;
}

/* How many of the times that the user names are not after `t`. */
static Word n_info_at(WsTick t)
{
   const XArray* times = WS_(clo).info_at;
   Word          n     = sample.n_info_at;

   while (times && n < VG_(sizeXA)(times) &&
          *(WsTick*)VG_(indexXA)(times, n) <= t)
      n++;
   return n;
}

void WS_(sample_take)(WsTick due, WsTick late)
{
   Word n       = n_info_at(due);
   Bool is_info = n > sample.n_info_at;

   sample.row.t     = due;
   sample.row.late  = late;
   sample.n_info_at = n;
   sample.n_samples++;
   sample.late_us += late;
   if (sample.max_late_us < late)
      sample.max_late_us = late;
   get_sizes(due);
   is_info |= begins_peak();
   WS_(phases_sample)(due, &sample.row.wss);
   add_row(is_info);
}

const WsSizes* WS_(sample_sizes)(void)
{
   if (sample.n_samples == 0)
      for (UInt kind = 0; kind < n_kinds; kind++)
         for (UInt i = 0; i < parts.taus->n; i++)
            sample.row.wss.of[kind][i] = WS_(sets_n_pages)(kind);
   return &sample.row.wss;
}

const HChar* WS_(sample_sizes_name)(void)
{
   return sample.n_samples ? "working set" : "accessed so far";
}

Bool WS_(sample_may_want_stack)(WsTick due)
{
   return parts.peaks || n_info_at(due) > sample.n_info_at;
}

/* Times of --ws-info-at that no sample has reached. */
static void set_not_reached(WsReportSummary* s)
{
   const XArray* times = WS_(clo).info_at;

   s->n_not_reached = times ? VG_(sizeXA)(times) - sample.n_info_at : 0;
   if (s->n_not_reached)
      s->not_reached = VG_(indexXA)(times, sample.n_info_at);
}

void WS_(sample_summary)(/*OUT*/ WsReportSummary* s)
{
   s->n_samples   = sample.n_samples;
   s->late_max_us = sample.max_late_us;
   s->late_avg_us = sample.n_samples
                       ? WS_(stats_ratio)(sample.late_us, sample.n_samples, 0)
                       : 0;
   for (UInt kind = 0; kind < n_kinds; kind++) {
      const WsWindows* windows = WS_(sets_windows)(kind);
      for (UInt i = 0; i < parts.taus->n; i++)
         s->stats[kind][i] = WS_(windows_find)(windows, parts.taus->tau[i])
                                ->stats;
      s->n_peaks[kind]       = sample.peaks[kind].n_peaks;
      s->total_pages[kind]   = WS_(sets_n_pages)(kind);
      s->n_mapped_anew[kind] = WS_(sets_n_mapped_anew)(kind);
      WS_(profile_make)(&s->profile[kind], windows, WS_(clo).every);
   }
   set_not_reached(s);
}

static struct {
   Sample        sample;
   WsWindows     windows[WS_N_KINDS];
   WsTick        due;
   WsReportPhase phase;
} saved;

void WS_(sample_save)(WsTick due)
{
   saved.sample = sample;
   saved.due    = due;
   saved.phase  = *WS_(phase_of)(due);
   for (UInt kind = 0; kind < n_kinds; kind++)
      saved.windows[kind] = *WS_(sets_windows)(kind);
}

void WS_(sample_restore)(void)
{
   sample                    = saved.sample;
   *WS_(phase_of)(saved.due) = saved.phase;
   for (UInt kind = 0; kind < n_kinds; kind++)
      *WS_(sets_windows)(kind) = saved.windows[kind];
}
