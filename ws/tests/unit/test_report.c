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

/* The report, byte by byte, against docs/report-format.md. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ws_report.h"

#define MAX64     (~(ULong)0)
#define TWENTY    "18446744073709551615" // its digits
#define LONG_TEXT 10000

/* What has been written since the last assert_text. */
static HChar text[2 * LONG_TEXT];
static SizeT text_szB;

/* A piece need not end with a 0, and need not be there later. */
static void sink(const HChar* piece, SizeT n_bytes)
{
   assert_true(text_szB + n_bytes < sizeof text);
   memcpy(text + text_szB, piece, n_bytes);
   text_szB += n_bytes;
   text[text_szB] = 0;
   assert_int_equal(strlen(text), text_szB);
}

static void clear(void)
{
   text_szB = 0;
   text[0]  = 0;
}

static void assert_text(const HChar* expected)
{
   assert_string_equal(text, expected);
   clear();
}

static const WsReportHeader header = {
   .command      = "./pageramp 1024 10",
   .pid          = 4711,
   .page_szB     = 4096,
   .every_instrs = 100000,
   .tau_instrs   = 250000,
};

#define TITLE_LINE "Working Set Measurement by valgrind-ws-" WS_VERSION "\n"

/* --- Whole reports ------------------------------------------------------- */

/* Nothing that has to be asked for. */
static void test_least(void** state)
{
   static const WsReportRow row0 = {.info = WS_NO_INFO};
   static const WsReportRow row1 = {.t         = 100000,
                                    .wss       = {21, 80, 7},
                                    .new_pages = {22, 81, 8},
                                    .info      = WS_NO_INFO};
   const WsReportSummary    s    = {
            .instrs      = 123456,
            .page_szB    = 4096,
            .stats       = {{.n_samples = 10, .sum_pages = 21, .peak_pages = 40},
                            {.n_samples = 10, .sum_pages = 3485, .peak_pages = 534}},
            .total_pages = {57, 1098, 3},
            .n_peaks     = {1, 2, 3},
   };

   WS_(report_begin)(sink, &header);
   WS_(report_row)(sink, header.parts, &row0);
   WS_(report_row)(sink, header.parts, &row1);
   WS_(report_summary)(sink, &s);
   WS_(report_end)(sink);
   // 348.5 * 4 = 1394
   assert_text(TITLE_LINE
               "Format:         1\n"
               "Command:        ./pageramp 1024 10\n"
               "PID:            4711\n"
               "Page size:      4096 B\n"
               "Time unit:      instructions\n"
               "Every:          100000\n"
               "Tau:            250000\n"
               "--\n"
               "\n"
               "Working sets:\n"
               "               t WSS_insn WSS_data  info new_insn new_data\n"
               "               0        0        0     -        0        0\n"
               "          100000       21       80     -       22       81\n"
               "\n"
               "--\n"
               "\n"
               "Instructions:   123456\n"
               "Insn avg/peak/total: 2.1/40/57 pages (8/160/228 kB)\n"
               "Data avg/peak/total: 348.5/534/1098 pages (1394/2136/4392 kB)\n"
               "--\n"
               "\n"
               "End of report\n");
}

/* Everything.  The rows: the start, a sample, a mark, two snapshots and a mark
   at one time, a sample with a peak, and the end, where --ws-info-at has no
   stack any more. */
static void test_most(void** state)
{
   static const WsReportParts parts  = {.dirty = True, .peaks = True};
   static const WsReportRow   rows[] = {
        {.t = 0, .info = WS_NO_INFO},
        {100000, {32, 68, 5}, {32, 68, 5}, WS_NO_INFO},
        {104711, {31, 70, 6}, {0, 2, 1}, 0},
        {150000, {31, 70, 6}, {2, 20, 2}, 1},
        {150000, {31, 70, 6}, {0, 0, 0}, 1},
        {150000, {31, 70, 6}, {0, 0, 0}, 0},
        {200000, {24, 152, 9}, {9, 61, 1}, 2},
        {232154, {25, 151, 8}, {1, 13, 0}, 3},
   };
   static const WsReportInfo infos[] = {
      {0, 2, "loading is done", NULL, ""},
      {1, 2, "here, label=there", "pageramp.c:29|pageramp.c:77",
       "at fill (pageramp.c:29)\n"
       "by main (pageramp.c:77)\n"},
      {2, 1, NULL, "pageramp.c:37|pageramp.c:77|start",
       "at touch_pages (pageramp.c:37)\n"
       "by main (pageramp.c:77)\n"
       "by start (in /lib/ld.so)\n"},
      {3, 1, NULL, NULL, "no stack: the process had ended\n"},
   };
   static const WsReportPage code[] = {
      {112000, 0x400000, 132101, "touch_pages (pageramp.c:36)",
       "/home/me/pageramp", False},
      {7, 0x401000, 99, NULL, "anonymous", False},
   };
   static const WsReportPage data[] = {
      {12000, 0x1ffeffe000, 232154, "start (in /lib/ld.so)",
       "stack of thread 1", False},
      {10, 0x5200000, 232000, "main (pageramp.c:77)", "heap", True},
      {10, 0x5200000, 1000, NULL, "heap", True},
   };
   static const WsTime not_reached[] = {232155, 1000000, WS_NEVER};

   WsReportHeader h      = header;
   h.parts               = parts;
   h.parent_pid          = 4710;
   h.peak_window_samples = 30;
   h.peak_thresh         = "3";
   h.peak_adapt          = "0.25";

   WsReportSummary s = {
      .parts    = parts,
      .instrs   = 232154,
      .page_szB = 4096,
      // (32 + 24) / 2, (68 + 152) / 2, (5 + 9) / 2
      .stats         = {{.n_samples = 2, .sum_pages = 56, .peak_pages = 32},
                        {.n_samples = 2, .sum_pages = 220, .peak_pages = 152},
                        {.n_samples = 2, .sum_pages = 14, .peak_pages = 9}},
      .total_pages   = {44, 164, 9},
      .reused_pages  = {0, 2, 5},
      .n_peaks       = {0, 1, 77},
      .not_reached   = not_reached,
      .n_not_reached = 3,
   };

   WS_(report_begin)(sink, &h);
   for (UInt i = 0; i < sizeof rows / sizeof *rows; i++)
      WS_(report_row)(sink, parts, &rows[i]);
   WS_(report_summary)(sink, &s);
   WS_(report_infos_begin)(sink);
   for (UInt i = 0; i < sizeof infos / sizeof *infos; i++)
      WS_(report_info)(sink, &infos[i]);
   WS_(report_section_end)(sink);
   WS_(report_pages_begin)(sink, Ws_Insn, 44);
   for (UInt i = 0; i < sizeof code / sizeof *code; i++)
      WS_(report_page)(sink, &code[i]);
   WS_(report_section_end)(sink);
   WS_(report_pages_begin)(sink, Ws_Data, 164);
   for (UInt i = 0; i < sizeof data / sizeof *data; i++)
      WS_(report_page)(sink, &data[i]);
   WS_(report_section_end)(sink);
   WS_(report_end)(sink);
   assert_text(
      TITLE_LINE
      "Format:         1\n"
      "Command:        ./pageramp 1024 10\n"
      "PID:            4711\n"
      "Parent PID:     4710\n"
      "Page size:      4096 B\n"
      "Time unit:      instructions\n"
      "Every:          100000\n"
      "Tau:            250000\n"
      "Peak window:    30\n"
      "Peak threshold: 3\n"
      "Peak adapt:     0.25\n"
      "--\n"
      "\n"
      "Working sets:\n"
      "               t WSS_insn WSS_data  info new_insn new_data WSS_dirty\n"
      "               0        0        0     -        0        0         0\n"
      "          100000       32       68     -       32       68         5\n"
      "          104711       31       70     0        0        2         6\n"
      "          150000       31       70     1        2       20         6\n"
      "          150000       31       70     1        0        0         6\n"
      "          150000       31       70     0        0        0         6\n"
      "          200000       24      152     2        9       61         9\n"
      "          232154       25      151     3        1       13         8\n"
      "\n"
      "--\n"
      "\n"
      "Instructions:   232154\n"
      "Insn avg/peak/total: 28.0/32/44 pages (112/128/176 kB)\n"
      "Data avg/peak/total: 110.0/152/164 pages (440/608/656 kB)\n"
      "Dirty avg/peak/total: 7.0/9/9 pages (28/36/36 kB)\n"
      "Reused insn/data: 0/2 pages\n"
      "Peaks insn/data: 0/1\n"
      "Not reached:    232155,1000000," TWENTY "\n"
      "--\n"
      "\n"
      "Sample info:\n"
      "[   0] refs=2, loc=-, label=loading is done\n"
      "[   1] refs=2, loc=pageramp.c:29|pageramp.c:77, "
      "label=here, label=there\n"
      "       at fill (pageramp.c:29)\n"
      "       by main (pageramp.c:77)\n"
      "[   2] refs=1, loc=pageramp.c:37|pageramp.c:77|start\n"
      "       at touch_pages (pageramp.c:37)\n"
      "       by main (pageramp.c:77)\n"
      "       by start (in /lib/ld.so)\n"
      "[   3] refs=1, loc=-\n"
      "       no stack: the process had ended\n"
      "--\n"
      "\n"
      "Code pages (44 entries):\n"
      "           count               page             last  information\n"
      "          112000 0x0000000000400000           132101  "
      "touch_pages (pageramp.c:36) [/home/me/pageramp]\n"
      "               7 0x0000000000401000               99  [anonymous]\n"
      "--\n"
      "\n"
      "Data pages (164 entries):\n"
      "           count               page             last  information\n"
      "           12000 0x0000001ffeffe000           232154  "
      "start (in /lib/ld.so) [stack of thread 1]\n"
      "              10 0x0000000005200000           232000  "
      "main (pageramp.c:77) [heap, reused]\n"
      "              10 0x0000000005200000             1000  [heap, reused]\n"
      "--\n"
      "\n"
      "End of report\n");
}

/* --- Header -------------------------------------------------------------- */

static void begin(const WsReportHeader* h)
{
   clear();
   WS_(report_begin)(sink, h);
}

static void test_parts_of_header(void** state)
{
   WsReportHeader h = header;

   h.parts.dirty = True; // and no peaks
   h.peak_thresh = h.peak_adapt = "no";
   begin(&h);
   assert_null(strstr(text, "Peak"));
   assert_non_null(strstr(text, "\nTau:            250000\n--\n\n"));
   assert_non_null(strstr(text, " new_data WSS_dirty\n"));

   h.parts               = (WsReportParts){.peaks = True};
   h.peak_window_samples = 1;
   begin(&h);
   assert_non_null(strstr(text, "\nTau:            250000\n"
                                "Peak window:    1\n"
                                "Peak threshold: no\n"
                                "Peak adapt:     no\n"
                                "--\n\n"));
   assert_non_null(strstr(text, " new_data\n"));
   clear();
}

static void test_child(void** state)
{
   WsReportHeader child = header;

   child.parent_pid = 4710;
   begin(&child);
   assert_non_null(strstr(text, "PID:            4711\n"
                                "Parent PID:     4710\n"
                                "Page size:"));
   assert_int_equal(WS_(report_pid)(text), 4711);
   clear();
}

static void test_pid_of_file(void** state)
{
   begin(&header);
   assert_int_equal(WS_(report_pid)(text), 4711);
   *strstr(text, "PID:") = 0; // cut off
   assert_int_equal(WS_(report_pid)(text), 0);
   assert_int_equal(WS_(report_pid)(""), 0);
   assert_int_equal(WS_(report_pid)("another file\nPID:            5\n"), 0);
   assert_int_equal(WS_(report_pid)("Working Set Measurement by valgrind-ws"
                                    "\nPID:            5\n"),
                    0);
   clear();
}

/* In what has the program's name, nothing is found that is no line. */
static void test_pid_is_not_in_command(void** state)
{
   WsReportHeader h = header;

   h.command = "prog PID: 12 Parent PID: 13";
   h.pid     = 0x7fffffff;
   begin(&h);
   assert_int_equal(WS_(report_pid)(text), 0x7fffffff);
   clear();
}

/* Commands and labels are of any length, and of any bytes. */
static HChar long_text[LONG_TEXT + 1];

static void make_long_text(void)
{
   for (int i = 0; i < LONG_TEXT; i++)
      long_text[i] = (HChar)(i % 255 + 1 == '\n' ? '%' : i % 255 + 1);
}

static void test_long_command(void** state)
{
   WsReportHeader h = header;

   make_long_text();
   h.command = long_text;
   begin(&h);
   const HChar* line = strstr(text, "\nCommand:        ");
   assert_non_null(line);
   line += strlen("\nCommand:        ");
   assert_memory_equal(line, long_text, LONG_TEXT);
   assert_memory_equal(line + LONG_TEXT, "\nPID:   ", 8);
   clear();
}

/* --- Rows ---------------------------------------------------------------- */

static void assert_row(WsReportParts parts, WsReportRow row,
                       const HChar* expected)
{
   WS_(report_row)(sink, parts, &row);
   assert_text(expected);
}

/* Numbers that fill their columns, and such that need one more digit. */
static void test_columns(void** state)
{
   static const WsReportParts none = {.peaks = True}, dirty = {.dirty = True};

   assert_row(none,
              (WsReportRow){9999999999999999,
                            {99999999, 99999998, 1},
                            {99999997, 99999996, 1},
                            99999},
              "9999999999999999 99999999 99999998 99999 99999997 99999996\n");
   assert_row(dirty,
              (WsReportRow){10000000000000000,
                            {100000000, 100000001, 999999999},
                            {100000002, 100000003, 1},
                            100000},
              "10000000000000000 100000000 100000001 100000 100000002 "
              "100000003 999999999\n");
   assert_row(
      dirty, (WsReportRow){10, {1, 2, 3}, {4, 5, 6}, 0},
      "              10        1        2     0        4        5         3\n");
   assert_row(
      dirty,
      (WsReportRow){1, {0, 90, 1000000000}, {800, 7000, 6}, WS_NO_INFO - 1},
      "               1        0       90 4294967294      800     7000 "
      "1000000000\n");
}

static void test_largest_row(void** state)
{
   static const WsReportParts dirty = {.dirty = True};

   assert_row(
      dirty,
      (WsReportRow){
         MAX64, {MAX64, MAX64, MAX64}, {MAX64, MAX64, MAX64}, WS_NO_INFO},
      TWENTY " " TWENTY " " TWENTY "     - " TWENTY " " TWENTY " " TWENTY "\n");
   assert_row(
      dirty,
      (WsReportRow){
         MAX64, {MAX64, MAX64, MAX64}, {MAX64, MAX64, MAX64}, WS_NO_INFO - 1},
      TWENTY " " TWENTY " " TWENTY " 4294967294 " TWENTY " " TWENTY " " TWENTY
             "\n");
}

/* --- Summary ------------------------------------------------------------- */

static void assert_line(const WsReportSummary* s, UInt n, const HChar* expected)
{
   HChar line[WS_SUMMARY_LINE_SZB];

   if (!expected) {
      assert_false(WS_(report_summary_line)(s, n, line));
   } else {
      assert_true(WS_(report_summary_line)(s, n, line));
      assert_string_equal(line, expected);
   }
}

/* A run without any sample. */
static void test_nothing_sampled(void** state)
{
   WsReportSummary s = {.instrs = 5, .page_szB = 16};

   WS_(report_summary)(sink, &s);
   assert_text("\n--\n\n"
               "Instructions:   5\n"
               "Insn avg/peak/total: 0.0/0/0 pages (0/0/0 kB)\n"
               "Data avg/peak/total: 0.0/0/0 pages (0/0/0 kB)\n"
               "--\n\n");
}

/* Small pages: kB are rounded, from the exact average. */
static void test_rounding(void** state)
{
   WsReportSummary s = {
      .page_szB    = 16,
      .stats       = {{.n_samples = 3, .sum_pages = 287, .peak_pages = 96},
                      {.n_samples = 16, .sum_pages = 511, .peak_pages = 31}},
      .total_pages = {95, 32},
   };

   // 95.67 * 16 = 1530.7, 96 * 16 = 1536, 95 * 16 = 1520
   assert_line(&s, 1, "Insn avg/peak/total: 95.7/96/95 pages (1/2/1 kB)");
   // 511 / 16 * 16 = 511, 31 * 16 = 496, 32 * 16 = 512
   assert_line(&s, 2, "Data avg/peak/total: 31.9/31/32 pages (0/0/1 kB)");
   assert_line(&s, 3, NULL);
}

/* Lines are numbered without gaps, in the order of the report. */
static void test_numbers_of_lines(void** state)
{
   for (UInt wanted = 0; wanted < 16; wanted++) {
      WsReportSummary s = {
         .parts        = {.dirty = wanted & 1, .peaks = (wanted & 2) != 0},
         .instrs       = 17,
         .page_szB     = 1024,
         .total_pages  = {1, 2, 3},
         .reused_pages = {wanted & 4 ? 5 : 0, wanted & 8 ? 6 : 0, 7},
         .n_peaks      = {8, 9, 10},
      };
      UInt  n = 0;
      HChar reused[40];

      assert_line(&s, n++, "Instructions:   17");
      assert_line(&s, n++, "Insn avg/peak/total: 0.0/0/1 pages (0/0/1 kB)");
      assert_line(&s, n++, "Data avg/peak/total: 0.0/0/2 pages (0/0/2 kB)");
      if (wanted & 1)
         assert_line(&s, n++, "Dirty avg/peak/total: 0.0/0/3 pages (0/0/3 kB)");
      if (wanted & 12) {
         snprintf(reused, sizeof reused, "Reused insn/data: %d/%d pages",
                  wanted & 4 ? 5 : 0, wanted & 8 ? 6 : 0);
         assert_line(&s, n++, reused);
      }
      if (wanted & 2)
         assert_line(&s, n++, "Peaks insn/data: 8/9");
      assert_line(&s, n, NULL);
      assert_line(&s, n + 1, NULL);
      assert_line(&s, ~(UInt)0, NULL);
   }
}

static void test_not_reached(void** state)
{
   static const WsTime times[] = {7, 70, 700};
   WsReportSummary     s       = {.page_szB = 16, .not_reached = times};

   WS_(report_summary)(sink, &s);
   assert_null(strstr(text, "Not reached"));
   clear();
   s.n_not_reached = 1;
   WS_(report_summary)(sink, &s);
   assert_non_null(strstr(text, " kB)\nNot reached:    7\n--\n\n"));
   clear();
   s.n_not_reached = 3;
   WS_(report_summary)(sink, &s);
   assert_non_null(strstr(text, " kB)\nNot reached:    7,70,700\n--\n\n"));
   clear();
}

/* All of the address space but a page: (2^52 - 1) * 4 kB = 2^54 - 4. */
static void test_largest_sizes(void** state)
{
   const ULong     n = ((ULong)1 << 52) - 1;
   WsReportSummary s = {
      .page_szB    = 4096,
      .stats       = {{.n_samples = 1, .sum_pages = n, .peak_pages = n}},
      .total_pages = {n},
   };

   assert_line(&s, 1,
               "Insn avg/peak/total: 4503599627370495.0/4503599627370495/"
               "4503599627370495 pages (18014398509481980/"
               "18014398509481980/18014398509481980 kB)");
}

/* Of numbers that are out of reach, the digits fit. */
static void test_largest_summary(void** state)
{
   static const WsTime times[] = {MAX64, MAX64};
   HChar               line[WS_SUMMARY_LINE_SZB];
   WsReportSummary     s = {
          .parts         = {.dirty = True, .peaks = True},
          .instrs        = MAX64,
          .page_szB      = MAX64,
          .not_reached   = times,
          .n_not_reached = 2,
   };

   for (UInt kind = 0; kind < WS_N_KINDS; kind++) {
      s.stats[kind]        = (WsStats){1, MAX64, MAX64};
      s.total_pages[kind]  = MAX64;
      s.reused_pages[kind] = MAX64;
      s.n_peaks[kind]      = MAX64;
   }
   assert_line(&s, 0, "Instructions:   " TWENTY);
   for (UInt n = 1; n <= 3; n++) {
      assert_true(WS_(report_summary_line)(&s, n, line));
      assert_non_null(strstr(line, "/" TWENTY "/" TWENTY " pages ("));
      assert_string_equal(line + strlen(line) - 4, " kB)");
   }
   assert_line(&s, 4, "Reused insn/data: " TWENTY "/" TWENTY " pages");
   assert_line(&s, 5, "Peaks insn/data: " TWENTY "/" TWENTY);
   assert_line(&s, 6, NULL);
   WS_(report_summary)(sink, &s);
   assert_non_null(strstr(text, "\nNot reached:    " TWENTY "," TWENTY "\n"));
   clear();
}

/* --- Further sections ---------------------------------------------------- */

static void assert_info(WsReportInfo info, const HChar* expected)
{
   WS_(report_info)(sink, &info);
   assert_text(expected);
}

static void test_infos(void** state)
{
   assert_info((WsReportInfo){.stack = ""}, "[   0] refs=0, loc=-\n");
   assert_info((WsReportInfo){9999, 10, "", "f", ""},
               "[9999] refs=10, loc=f, label=\n");
   assert_info((WsReportInfo){10000, 1, NULL, "f", "at f\n"},
               "[10000] refs=1, loc=f\n       at f\n");
   assert_info((WsReportInfo){~(UInt)0, ~(UInt)0, "%s%n", "%d|%s", "by %s\n"},
               "[4294967295] refs=4294967295, loc=%d|%s, label=%s%n\n"
               "       by %s\n");
   assert_info((WsReportInfo){120, 1, NULL, NULL, "a\n\n b\n"},
               "[ 120] refs=1, loc=-\n       a\n       \n        b\n");
}

static void test_long_infos(void** state)
{
   make_long_text();
   WS_(report_info)
   (sink, &(WsReportInfo){.label = long_text, .place = "f", .stack = ""});
   assert_memory_equal(text, "[   0] refs=0, loc=f, label=", 28);
   assert_memory_equal(text + 28, long_text, LONG_TEXT);
   assert_string_equal(text + 28 + LONG_TEXT, "\n");
   clear();

   long_text[LONG_TEXT - 1] = '\n';
   WS_(report_info)(sink, &(WsReportInfo){.stack = long_text});
   assert_memory_equal(text, "[   0] refs=0, loc=-\n       ", 28);
   assert_string_equal(text + 28, long_text);
   clear();

   make_long_text();
   WS_(report_info)
   (sink, &(WsReportInfo){.place = long_text, .stack = "at f\n"});
   assert_memory_equal(text, "[   0] refs=0, loc=", 19);
   assert_memory_equal(text + 19, long_text, LONG_TEXT);
   assert_string_equal(text + 19 + LONG_TEXT, "\n       at f\n");
   clear();
}

static void assert_page(WsReportPage page, const HChar* expected)
{
   WS_(report_page)(sink, &page);
   assert_text(expected);
}

static void test_pages(void** state)
{
   assert_page((WsReportPage){.owner = "not mapped"},
               "               0 0x0000000000000000                0  "
               "[not mapped]\n");
   assert_page((WsReportPage){9999999999999999, 0x123456789abcdef0,
                              9999999999999998, "f (in %s)", "/x [y]", True},
               "9999999999999999 0x123456789abcdef0 9999999999999998  "
               "f (in %s) [/x [y], reused]\n");
   assert_page((WsReportPage){MAX64, MAX64, MAX64, "", "", False},
               TWENTY " 0xffffffffffffffff " TWENTY "   []\n");
   make_long_text();
   WS_(report_page)
   (sink, &(WsReportPage){.owner = long_text, .is_reused = True});
   assert_memory_equal(text + 54, "[", 1);
   assert_memory_equal(text + 55, long_text, LONG_TEXT);
   assert_string_equal(text + 55 + LONG_TEXT, ", reused]\n");
   clear();

   WS_(report_pages_begin)(sink, Ws_Insn, 0);
   assert_text("Code pages (0 entries):\n"
               "           count               page             last"
               "  information\n");
   WS_(report_pages_begin)(sink, Ws_Data, MAX64);
   assert_text("Data pages (" TWENTY " entries):\n"
               "           count               page             last"
               "  information\n");
}

/* The end, for which ws_out keeps room. */
static void test_end(void** state)
{
   WS_(report_end)(sink);
   assert_int_equal(text_szB, WS_REPORT_END_SZB);
   assert_string_equal(text, WS_REPORT_END);
   assert_text("End of report\n");
   WS_(report_section_end)(sink);
   assert_text("--\n\n");
}

int main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_least),
      cmocka_unit_test(test_most),
      cmocka_unit_test(test_parts_of_header),
      cmocka_unit_test(test_child),
      cmocka_unit_test(test_pid_of_file),
      cmocka_unit_test(test_pid_is_not_in_command),
      cmocka_unit_test(test_long_command),
      cmocka_unit_test(test_columns),
      cmocka_unit_test(test_largest_row),
      cmocka_unit_test(test_nothing_sampled),
      cmocka_unit_test(test_rounding),
      cmocka_unit_test(test_numbers_of_lines),
      cmocka_unit_test(test_not_reached),
      cmocka_unit_test(test_largest_sizes),
      cmocka_unit_test(test_largest_summary),
      cmocka_unit_test(test_infos),
      cmocka_unit_test(test_long_infos),
      cmocka_unit_test(test_pages),
      cmocka_unit_test(test_end),
   };
   return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
