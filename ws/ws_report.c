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

#include "ws_report.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"

#define FORMAT_VERSION 1
#define TITLE          "Working Set Measurement by valgrind-ws-"

static void put(WsSink sink, const HChar* text)
{
   sink(text, VG_(strlen)(text));
}

static void put_text(WsSink sink, const HChar* name, const HChar* value)
{
   HChar head[32];
   VG_(snprintf)(head, sizeof head, "%-16s", name);
   put(sink, head);
   put(sink, value); // of any length
   put(sink, "\n");
}

/* A line of the header, for a value that is a number. */
static void put_number(WsSink sink, const HChar* name, ULong value,
                       const HChar* unit)
{
   HChar line[100];
   VG_(snprintf)(line, sizeof line, "%-16s%llu%s\n", name, value, unit);
   put(sink, line);
}

void WS_(report_begin)(WsSink sink, const WsReportHeader* h)
{
   put(sink, TITLE WS_VERSION "\n");
   put_number(sink, "Format:", FORMAT_VERSION, "");
   put_text(sink, "Command:", h->command);
   put_number(sink, "PID:", h->pid, "");
   if (h->parent_pid)
      put_number(sink, "Parent PID:", h->parent_pid, "");
   put_number(sink, "Page size:", h->page_szB, " B");
   put(sink, "Time unit:      instructions\n");
   put_number(sink, "Every:", h->every_instrs, "");
   put_number(sink, "Tau:", h->tau_instrs, "");
   if (h->parts.peaks) {
      put_number(sink, "Peak window:", h->peak_window_samples, "");
      put_text(sink, "Peak threshold:", h->peak_thresh);
      put_text(sink, "Peak adapt:", h->peak_adapt);
   }
   put(sink, "--\n\n"
             "Working sets:\n"
             "               t WSS_insn WSS_data  info new_insn new_data");
   put(sink, h->parts.dirty ? " WSS_dirty\n" : "\n");
}

Int WS_(report_pid)(const HChar* head)
{
   const HChar* line;

   if (VG_(strncmp)(head, TITLE, VG_(strlen)(TITLE)) != 0)
      return 0;
   line = VG_(strstr)(head, "\nPID:");
   return line ? (Int)VG_(strtoll10)(line + VG_(strlen)("\nPID:"), NULL) : 0;
}

/* Writes n right-aligned in a field that grows where it must.  There may be
   millions of rows: this is several times as fast as VG_(snprintf). */
static HChar* append_number(HChar* to, ULong n, UInt width)
{
   HChar digits[20];
   UInt  n_digits = 0;

   do {
      digits[n_digits++] = '0' + n % 10;
      n /= 10;
   } while (n);
   for (; width > n_digits; width--)
      *to++ = ' ';
   while (n_digits)
      *to++ = digits[--n_digits];
   return to;
}

static HChar* append_info(HChar* to, UInt info)
{
   if (info != WS_NO_INFO)
      return append_number(to, info, 5);
   for (UInt i = 0; i < 4; i++)
      *to++ = ' ';
   *to++ = '-';
   return to;
}

void WS_(report_row)(WsSink sink, WsReportParts parts, const WsReportRow* row)
{
   HChar  line[200]; // seven numbers of up to 20 digits
   HChar* end = append_number(line, row->t, 16);

   for (UInt kind = Ws_Insn; kind <= Ws_Data; kind++) {
      *end++ = ' ';
      end    = append_number(end, row->wss[kind], 8);
   }
   *end++ = ' ';
   end    = append_info(end, row->info);
   for (UInt kind = Ws_Insn; kind <= Ws_Data; kind++) {
      *end++ = ' ';
      end    = append_number(end, row->new_pages[kind], 8);
   }
   if (parts.dirty) {
      *end++ = ' ';
      end    = append_number(end, row->wss[Ws_Dirty], 9);
   }
   *end++ = '\n';
   sink(line, end - line);
}

static ULong to_kB(ULong n_bytes)
{
   return (n_bytes + 512) / 1024;
}

static void avg_peak_total(const WsReportSummary* s, WsKind kind,
                           HChar line[WS_SUMMARY_LINE_SZB])
{
   static const HChar* const names[WS_N_KINDS] = {"Insn", "Data", "Dirty"};

   ULong avg   = WS_(stats_avg_times)(&s->stats[kind], 10); // in tenths
   ULong peak  = s->stats[kind].peak_pages;
   ULong total = s->total_pages[kind];
   VG_(snprintf)(line, WS_SUMMARY_LINE_SZB,
                 "%s avg/peak/total: %llu.%llu/%llu/%llu pages "
                 "(%llu/%llu/%llu kB)",
                 names[kind], avg / 10, avg % 10, peak, total,
                 to_kB(WS_(stats_avg_times)(&s->stats[kind], s->page_szB)),
                 to_kB(peak * s->page_szB), to_kB(total * s->page_szB));
}

typedef enum { Instructions, Insn, Data, Dirty, Reused, Peaks, End } Line;

static Bool has_line(const WsReportSummary* s, Line n)
{
   switch (n) {
   case Dirty: return s->parts.dirty;
   case Reused: return s->reused_pages[Ws_Insn] || s->reused_pages[Ws_Data];
   case Peaks: return s->parts.peaks;
   default: return True;
   }
}

/* The n-th of those that this summary has. */
static Line nth_line(const WsReportSummary* s, UInt n)
{
   Line line = Instructions;
   while (line < End && (!has_line(s, line) || n-- > 0))
      line++;
   return line;
}

Bool WS_(report_summary_line)(const WsReportSummary* s, UInt n,
                              HChar line[WS_SUMMARY_LINE_SZB])
{
   switch (nth_line(s, n)) {
   case Instructions:
      VG_(snprintf)(line, WS_SUMMARY_LINE_SZB, "Instructions:   %llu",
                    s->instrs);
      return True;
   case Insn: avg_peak_total(s, Ws_Insn, line); return True;
   case Data: avg_peak_total(s, Ws_Data, line); return True;
   case Dirty: avg_peak_total(s, Ws_Dirty, line); return True;
   case Reused:
      VG_(snprintf)(line, WS_SUMMARY_LINE_SZB,
                    "Reused insn/data: %lu/%lu pages", s->reused_pages[Ws_Insn],
                    s->reused_pages[Ws_Data]);
      return True;
   case Peaks:
      VG_(snprintf)(line, WS_SUMMARY_LINE_SZB, "Peaks insn/data: %llu/%llu",
                    s->n_peaks[Ws_Insn], s->n_peaks[Ws_Data]);
      return True;
   default: return False;
   }
}

static void put_not_reached(WsSink sink, const WsReportSummary* s)
{
   HChar number[32];

   if (s->n_not_reached == 0)
      return;
   put(sink, "Not reached:    ");
   for (UWord i = 0; i < s->n_not_reached; i++) {
      VG_(snprintf)(number, sizeof number, i ? ",%llu" : "%llu",
                    s->not_reached[i]);
      put(sink, number);
   }
   put(sink, "\n");
}

void WS_(report_summary)(WsSink sink, const WsReportSummary* s)
{
   HChar line[WS_SUMMARY_LINE_SZB];

   put(sink, "\n--\n\n");
   for (UInt n = 0; WS_(report_summary_line)(s, n, line); n++) {
      put(sink, line);
      put(sink, "\n");
   }
   put_not_reached(sink, s);
   WS_(report_section_end)(sink);
}

void WS_(report_section_end)(WsSink sink)
{
   put(sink, "--\n\n");
}

void WS_(report_infos_begin)(WsSink sink)
{
   put(sink, "Sample info:\n");
}

void WS_(report_info)(WsSink sink, const WsReportInfo* info)
{
   HChar head[64];

   VG_(snprintf)(head, sizeof head, "[%4u] refs=%u, loc=", info->number,
                 info->n_rows);
   put(sink, head);
   put(sink, info->place ? info->place : "-");
   if (info->label) {
      put(sink, ", label=");
      put(sink, info->label);
   }
   put(sink, "\n");
   for (const HChar* line = info->stack; *line;) {
      const HChar* end = VG_(strchr)(line, '\n') + 1;
      put(sink, "       ");
      sink(line, end - line);
      line = end;
   }
}

void WS_(report_pages_begin)(WsSink sink, WsKind kind, UWord n_pages)
{
   HChar title[64];

   VG_(snprintf)(title, sizeof title, "%s pages (%lu entries):\n",
                 kind == Ws_Insn ? "Code" : "Data", n_pages);
   put(sink, title);
   put(sink, "           count               page             last"
             "  information\n");
}

void WS_(report_page)(WsSink sink, const WsReportPage* page)
{
   HChar numbers[100];

   VG_(snprintf)(numbers, sizeof numbers, "%16llu 0x%016lx %16llu  ",
                 page->n_accesses, page->a, page->last);
   put(sink, numbers);
   if (page->place) {
      put(sink, page->place);
      put(sink, " ");
   }
   put(sink, "[");
   put(sink, page->owner);
   put(sink, page->is_reused ? ", reused]\n" : "]\n");
}

void WS_(report_end)(WsSink sink)
{
   put(sink, WS_REPORT_END);
}
