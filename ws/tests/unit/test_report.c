/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* The report, byte by byte, against docs/report-format.md. */

#include "report_text.h"

static const WsReportHeader header = {
   .parts    = {.taus = &one_tau},
   .command  = "./pageramp 1024 10",
   .pid      = 4711,
   .page_szB = 4096,
   .every    = 100000,
};

/* Sizes with one window. */
#define WSS(insn, data, dirty)                                                 \
   {                                                                           \
      {                                                                        \
         {insn}, {data},                                                       \
         {                                                                     \
            dirty                                                              \
         }                                                                     \
      }                                                                        \
   }

#define COLUMNS                                                                \
   "               t WSS_insn WSS_data  info new_insn new_data"                \
   " total_insn total_data"

#define TITLE_LINE "Working Set Measurement by valgrind-ws-" WS_VERSION "\n"

/* --- Whole reports ------------------------------------------------------- */

/* Nothing that has to be asked for. */
static void test_least(void** state)
{
   static const WsReportRow row0 = {.info = WS_NO_INFO};
   static const WsReportRow row1 = {.t           = 100000,
                                    .late        = 77,
                                    .wss         = WSS(21, 80, 7),
                                    .new_pages   = {22, 81, 8},
                                    .total_pages = {23, 82, 9},
                                    .info        = WS_NO_INFO};
   const WsReportSummary    s    = {
            .parts       = header.parts,
            .instrs      = 123456,
            .end         = 123457,
            .page_szB    = 4096,
            .stats       = {{{10, 21, 40}}, {{10, 3485, 534}}},
            .late_avg_us = 5,
            .late_max_us = 6,
            .profile     = {{.knee = -1}, {.knee = -1}, {.knee = -1}},
            .total_pages = {57, 1098, 3},
            .n_peaks     = {1, 2, 3},
   };

   WS_(report_begin)(sink, &header);
   WS_(report_row)(sink, header.parts, &row0);
   WS_(report_row)(sink, header.parts, &row1);
   WS_(report_summary)(sink, &s);
   WS_(report_profile)(sink, &s);
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
               "Working sets:\n" COLUMNS "\n"
               "               0        0        0     -        0        0"
               "          0          0\n"
               "          100000       21       80     -       22       81"
               "         23         82\n"
               "\n"
               "--\n"
               "\n"
               "Instructions:   123456\n"
               "Insn avg/peak/total: 2.1/40/57 pages (8/160/228 kB)\n"
               "Data avg/peak/total: 348.5/534/1098 pages (1394/2136/4392 kB)\n"
               "--\n"
               "\n"
               "Working set profile:\n" PROFILE_COLUMNS "--\n"
               "\n"
               "End of report\n");
}

/* Everything.  The rows: the start, a sample, a mark, two snapshots and a mark
   at one time, a sample with a peak, and the end, where --ws-info-at has no
   stack any more. */
static void test_most(void** state)
{
   static const WsReportParts parts = {
      .taus = &one_tau, .dirty = True, .peaks = True};
   static const WsReportRow rows[] = {
      {.t = 0, .info = WS_NO_INFO},
      {100000, 0, WSS(32, 68, 5), {32, 68, 5}, {32, 68, 5}, WS_NO_INFO},
      {104711, 0, WSS(31, 70, 6), {0, 2, 1}, {32, 70, 6}, 0},
      {150000, 0, WSS(31, 70, 6), {2, 20, 2}, {34, 90, 8}, 1},
      {150000, 0, WSS(31, 70, 6), {0, 0, 0}, {34, 90, 8}, 1},
      {150000, 0, WSS(31, 70, 6), {0, 0, 0}, {34, 90, 8}, 0},
      {200000, 0, WSS(24, 152, 9), {9, 61, 1}, {43, 151, 9}, 2},
      {232154, 0, WSS(25, 151, 8), {1, 13, 0}, {44, 164, 9}, 3},
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
      .stats = {{{.n_samples = 2, .sum_pages = 56, .peak_pages = 32}},
                {{.n_samples = 2, .sum_pages = 220, .peak_pages = 152}},
                {{.n_samples = 2, .sum_pages = 14, .peak_pages = 9}}},
      // Only of data.
      .profile       = {{.knee = -1},
                        {.span   = 200000,
                         .n_rows = 1,
                         .rows   = {{.tau       = 100000,
                                     .stats     = {.n_samples  = 2,
                                                   .sum_pages  = 220,
                                                   .peak_pages = 152},
                                     .n_entered = 160}},
                         .knee   = 0},
                        {.knee = -1}},
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
   WS_(report_profile)(sink, &s);
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
      "Working sets:\n" COLUMNS " WSS_dirty\n"
      "               0        0        0     -        0        0"
      "          0          0         0\n"
      "          100000       32       68     -       32       68"
      "         32         68         5\n"
      "          104711       31       70     0        0        2"
      "         32         70         6\n"
      "          150000       31       70     1        2       20"
      "         34         90         6\n"
      "          150000       31       70     1        0        0"
      "         34         90         6\n"
      "          150000       31       70     0        0        0"
      "         34         90         6\n"
      "          200000       24      152     2        9       61"
      "         43        151         9\n"
      "          232154       25      151     3        1       13"
      "         44        164         8\n"
      "\n"
      "--\n"
      "\n"
      "Instructions:   232154\n"
      "Insn avg/peak/total: 28.0/32/44 pages (112/128/176 kB)\n"
      "Data avg/peak/total: 110.0/152/164 pages (440/608/656 kB)\n"
      "Dirty avg/peak/total: 7.0/9/9 pages (28/36/36 kB)\n"
      "Reused insn/data: 0/2 pages\n"
      "Peaks insn/data: 0/1\n"
      "Data knee: 440 kB hold it at tau=100000, a page missing every 1250 "
      "instructions\n"
      "Not reached:    232155,1000000," TWENTY "\n"
      "--\n"
      "\n"
      "Working set profile:\n" PROFILE_COLUMNS
      " data           100000      110.0      152        160     0.800000"
      "         1250 knee\n"
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
   assert_non_null(strstr(text, " total_data WSS_dirty\n"));

   h.parts               = (WsReportParts){.taus = &one_tau, .peaks = True};
   h.peak_window_samples = 1;
   begin(&h);
   assert_non_null(strstr(text, "\nTau:            250000\n"
                                "Peak window:    1\n"
                                "Peak threshold: no\n"
                                "Peak adapt:     no\n"
                                "--\n\n"));
   assert_non_null(strstr(text, " total_data\n"));
   clear();
}

static void test_several_windows(void** state)
{
   WsReportHeader h = header;

   h.parts.taus  = &three_taus;
   h.parts.peaks = True;
   h.peak_thresh = h.peak_adapt = "1";
   begin(&h);
   assert_non_null(strstr(text, "Time unit:      instructions\n"
                                "Every:          100000\n"
                                "Tau:            250000\n"
                                "Further taus:   1000,10000000\n"
                                "Peak window:    0\n"));
   assert_non_null(strstr(text, COLUMNS
                          " WSS_insn_1000 WSS_data_1000 WSS_insn_10000000"
                          " WSS_data_10000000\n"));

   h.parts = (WsReportParts){.taus = &three_taus, .dirty = True};
   begin(&h);
   assert_non_null(
      strstr(text, COLUMNS
             " WSS_dirty WSS_insn_1000 WSS_data_1000 WSS_dirty_1000"
             " WSS_insn_10000000 WSS_data_10000000 WSS_dirty_10000000\n"));

   h.parts.taus = &(WsTaus){2, {1, MAX64}};
   begin(&h);
   assert_non_null(strstr(text, "Tau:            1\n"
                                "Further taus:   " TWENTY "\n"
                                "--\n\n"));
   clear();
}

/* Milliseconds and a rest are not in any header. */
static void test_header_with_clock(void** state)
{
   WsReportHeader h = header;

   h.parts.is_clocked = True;
   h.start_ms         = 1795312345678;
   begin(&h);
   assert_non_null(strstr(text, "\nTime unit:      milliseconds\n"
                                "Start:          1795312345678\n"
                                "Every:          100\n"
                                "Tau:            250\n"
                                "--\n\n"));
   assert_non_null(strstr(text, COLUMNS " late_us\n"));

   h.parts.taus  = &three_taus;
   h.parts.dirty = True;
   begin(&h);
   assert_non_null(strstr(text, "Tau:            250\n"
                                "Further taus:   1,10000\n"
                                "--\n\n"));
   assert_non_null(strstr(text, COLUMNS " WSS_dirty WSS_insn_1 WSS_data_1"
                                        " WSS_dirty_1 WSS_insn_10000"
                                        " WSS_data_10000 WSS_dirty_10000"
                                        " late_us\n"));
   clear();
}

/* 16 windows of 20 digits. */
static void test_largest_header(void** state)
{
   WsTaus         taus = {.n = WS_MAX_TAUS};
   WsReportHeader h    = header;
   const HChar*   at;

   for (UInt i = 0; i < WS_MAX_TAUS; i++)
      taus.tau[i] = MAX64 - i;
   h.parts               = (WsReportParts){.taus = &taus, .dirty = True};
   h.every               = MAX64;
   h.page_szB            = MAX64;
   h.peak_window_samples = MAX64;
   begin(&h);
   assert_non_null(strstr(text, "\nPage size:      " TWENTY " B\n"));
   assert_non_null(strstr(text, "\nEvery:          " TWENTY "\n"
                                "Tau:            " TWENTY "\n"
                                "Further taus:   18446744073709551614,"));
   at = strstr(text, ",18446744073709551600\n--\n\n");
   assert_non_null(at);
   at = strstr(text, " WSS_insn_18446744073709551614"
                     " WSS_data_18446744073709551614"
                     " WSS_dirty_18446744073709551614 WSS_insn_");
   assert_non_null(at);
   assert_int_equal(strlen(at), 15 * (3 * 30 + 1) + 1);
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
   static const WsReportParts none  = {.taus = &one_tau, .peaks = True};
   static const WsReportParts dirty = {.taus = &one_tau, .dirty = True};

   assert_row(none,
              (WsReportRow){9999999999999999,
                            1,
                            WSS(99999999, 99999998, 1),
                            {99999997, 99999996, 1},
                            {9999999999, 9999999998, 1},
                            99999},
              "9999999999999999 99999999 99999998 99999 99999997 99999996"
              " 9999999999 9999999998\n");
   assert_row(dirty,
              (WsReportRow){10000000000000000,
                            1,
                            WSS(100000000, 100000001, 999999999),
                            {100000002, 100000003, 1},
                            {10000000004, 10000000005, 1},
                            100000},
              "10000000000000000 100000000 100000001 100000 100000002 "
              "100000003 10000000004 10000000005 999999999\n");
   assert_row(dirty,
              (WsReportRow){10, 0, WSS(1, 2, 3), {4, 5, 6}, {7, 8, 9}, 0},
              "              10        1        2     0        4        5"
              "          7          8         3\n");
   assert_row(dirty,
              (WsReportRow){1,
                            0,
                            WSS(0, 90, 1000000000),
                            {800, 7000, 6},
                            {60000, 500000, 4},
                            WS_NO_INFO - 1},
              "               1        0       90 4294967294      800     7000"
              "      60000     500000 1000000000\n");
}

static void test_rows_of_several_windows(void** state)
{
   WsReportParts     parts = {.taus = &three_taus};
   const WsReportRow row   = {
        .t           = 250000,
        .wss         = {{{1, 2, 3, 99}, {4, 5, 100000000, 99}, {7, 8, 9, 99}}},
        .new_pages   = {10, 11, 12},
        .total_pages = {13, 14, 15},
        .info        = WS_NO_INFO};

   assert_row(parts, row,
              "          250000        1        4     -       10       11"
              "         13         14        2        5        3 100000000\n");
   parts.dirty = True;
   assert_row(parts, row,
              "          250000        1        4     -       10       11"
              "         13         14         7        2        5        8"
              "        3 100000000        9\n");
   parts.is_clocked = True;
   assert_row(parts, row,
              "             250        1        4     -       10       11"
              "         13         14         7        2        5        8"
              "        3 100000000        9       0\n");
}

/* Whole milliseconds, and how late they are. */
static void test_rows_with_clock(void** state)
{
   static const struct {
      WsTick       t, late;
      const HChar *t_text, *late_text;
   } rows[] = {
      {0, 0, "               0", "       0\n"},
      {100000, 0, "             100", "       0\n"},
      {100000, 999999, "             100", "  999999\n"},
      {100000, 9999999, "             100", " 9999999\n"},
      {100000, 10000000, "             100", " 10000000\n"},
      {1000, 1, "               1", "       1\n"},
      {MAX64 - 615, MAX64, "18446744073709551", " " TWENTY "\n"},
   };
   static const WsReportParts parts = {.taus = &one_tau, .is_clocked = True};

   for (UInt i = 0; i < sizeof rows / sizeof *rows; i++) {
      HChar expected[200];
      snprintf(expected, sizeof expected, "%s%s%s", rows[i].t_text,
               "        1        2     -        4        5          7"
               "          8",
               rows[i].late_text);
      assert_row(parts,
                 (WsReportRow){rows[i].t,
                               rows[i].late,
                               WSS(1, 2, 3),
                               {4, 5, 6},
                               {7, 8, 9},
                               WS_NO_INFO},
                 expected);
   }
}

#define MAX_ALL                                                                \
   {                                                                           \
      MAX64, MAX64, MAX64                                                      \
   }

static void test_largest_row(void** state)
{
   static const WsReportParts dirty = {.taus = &one_tau, .dirty = True};

   assert_row(dirty,
              (WsReportRow){MAX64, 0, WSS(MAX64, MAX64, MAX64), MAX_ALL,
                            MAX_ALL, WS_NO_INFO},
              TWENTY " " TWENTY " " TWENTY "     - " TWENTY " " TWENTY
                     " " TWENTY " " TWENTY " " TWENTY "\n");
   assert_row(dirty,
              (WsReportRow){MAX64, 0, WSS(MAX64, MAX64, MAX64), MAX_ALL,
                            MAX_ALL, WS_NO_INFO - 1},
              TWENTY " " TWENTY " " TWENTY " 4294967294 " TWENTY " " TWENTY
                     " " TWENTY " " TWENTY " " TWENTY "\n");
}

/* 16 windows of each of three kinds, and all else that there is. */
static void test_widest_row(void** state)
{
   WsTaus        taus  = {.n = WS_MAX_TAUS};
   WsReportParts parts = {
      .taus = &taus, .dirty = True, .peaks = True, .is_clocked = True};
   WsReportRow row    = {.t           = MAX64,
                         .late        = MAX64,
                         .new_pages   = MAX_ALL,
                         .total_pages = MAX_ALL,
                         .info        = WS_NO_INFO - 1};
   UInt        n      = 0;
   HChar*      number = text;

   memset(&row.wss, 0xff, sizeof row.wss);
   WS_(report_row)(sink, parts, &row);
   for (; *number; n++) {
      const HChar* expected = n == 3   ? "4294967294 "
                              : n < 54 ? TWENTY " "
                                       : TWENTY "\n";
      assert_memory_equal(number, expected, strlen(expected));
      number += strlen(expected);
   }
   assert_int_equal(n, 1 + 3 * WS_MAX_TAUS + 1 + 4 + 1);
   clear();

   // Each number in its place.
   for (UInt i = 0; i < WS_MAX_TAUS; i++)
      for (UInt kind = 0; kind < WS_N_KINDS; kind++)
         row.wss.of[kind][i] = 100000000 * (kind + 1) + i;
   WS_(report_row)(sink, parts, &row);
   number = strstr(text, " 300000000 "); // dirty
   assert_non_null(number);
   number += strlen(" 300000000 ");
   for (UInt i = 1; i < WS_MAX_TAUS; i++)
      for (UInt kind = 0; kind < WS_N_KINDS; kind++)
         assert_int_equal(strtoll(number, &number, 10),
                          100000000 * (kind + 1) + i);
   assert_string_equal(number, " " TWENTY "\n");
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
      cmocka_unit_test(test_several_windows),
      cmocka_unit_test(test_header_with_clock),
      cmocka_unit_test(test_largest_header),
      cmocka_unit_test(test_child),
      cmocka_unit_test(test_pid_of_file),
      cmocka_unit_test(test_pid_is_not_in_command),
      cmocka_unit_test(test_long_command),
      cmocka_unit_test(test_columns),
      cmocka_unit_test(test_rows_of_several_windows),
      cmocka_unit_test(test_rows_with_clock),
      cmocka_unit_test(test_largest_row),
      cmocka_unit_test(test_widest_row),
      cmocka_unit_test(test_infos),
      cmocka_unit_test(test_long_infos),
      cmocka_unit_test(test_pages),
      cmocka_unit_test(test_end),
   };
   return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
