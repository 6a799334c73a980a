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
   put(sink, "Command:        ");
   put(sink, h->command); // of any length
   put(sink, "\n");
   put_number(sink, "PID:", h->pid, "");
   if (h->parent_pid)
      put_number(sink, "Parent PID:", h->parent_pid, "");
   put_number(sink, "Page size:", h->page_szB, " B");
   put(sink, "Time unit:      instructions\n");
   put_number(sink, "Every:", h->every_instrs, "");
   put_number(sink, "Tau:", h->tau_instrs, "");
   put(sink, "--\n\n"
             "Working sets:\n"
             "               t WSS_insn WSS_data\n");
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

void WS_(report_row)(WsSink sink, WsTime t, const UWord wss[WS_N_KINDS])
{
   HChar  row[100];
   HChar* end = append_number(row, t, 16);

   for (UInt kind = 0; kind < WS_N_KINDS; kind++) {
      *end++ = ' ';
      end    = append_number(end, wss[kind], 8);
   }
   *end++ = '\n';
   sink(row, end - row);
}

static ULong to_kB(ULong n_bytes)
{
   return (n_bytes + 512) / 1024;
}

Bool WS_(report_summary_line)(const WsReportSummary* s, UInt n,
                              HChar line[WS_SUMMARY_LINE_SZB])
{
   static const HChar* const names[WS_N_KINDS] = {"Insn", "Data"};

   if (n == 0) {
      VG_(snprintf)(line, WS_SUMMARY_LINE_SZB, "Instructions:   %llu",
                    s->instrs);
      return True;
   }
   if (n > WS_N_KINDS)
      return False;

   UInt  kind  = n - 1;
   ULong avg   = WS_(stats_avg_times)(&s->stats[kind], 10); // in tenths
   ULong peak  = s->stats[kind].peak_pages;
   ULong total = s->total_pages[kind];
   VG_(snprintf)(line, WS_SUMMARY_LINE_SZB,
                 "%s avg/peak/total: %llu.%llu/%llu/%llu pages "
                 "(%llu/%llu/%llu kB)",
                 names[kind], avg / 10, avg % 10, peak, total,
                 to_kB(WS_(stats_avg_times)(&s->stats[kind], s->page_szB)),
                 to_kB(peak * s->page_szB), to_kB(total * s->page_szB));
   return True;
}

void WS_(report_summary)(WsSink sink, const WsReportSummary* s)
{
   HChar line[WS_SUMMARY_LINE_SZB];

   put(sink, "\n--\n\n");
   for (UInt n = 0; WS_(report_summary_line)(s, n, line); n++) {
      put(sink, line);
      put(sink, "\n");
   }
   put(sink, "--\n\n");
}

void WS_(report_end)(WsSink sink)
{
   put(sink, WS_REPORT_END);
}
