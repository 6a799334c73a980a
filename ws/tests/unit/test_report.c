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

/* The report, byte by byte. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ws_report.h"

static HChar text[4096];

static void sink(const HChar* piece, SizeT n_bytes)
{
   strncat(text, piece, n_bytes);
}

static const WsReportHeader header = {
   .command      = "./pageramp 1024 10",
   .pid          = 4711,
   .page_szB     = 4096,
   .every_instrs = 100000,
   .tau_instrs   = 250000,
};

static void test_whole(void** state)
{
   static const UWord rows[][WS_N_KINDS] = {{0, 0}, {21, 80}, {20, 123456789}};
   WsReportSummary    summary            = {
                    .instrs      = 123456,
                    .page_szB    = 4096,
                    .stats       = {{.n_samples = 10, .sum_pages = 21, .peak_pages = 40},
                                    {.n_samples = 10, .sum_pages = 3485, .peak_pages = 534}},
                    .total_pages = {57, 1098},
   };

   text[0] = 0;
   WS_(report_begin)(sink, &header);
   WS_(report_row)(sink, 0, rows[0]);
   WS_(report_row)(sink, 100000, rows[1]);
   WS_(report_row)(sink, WS_NEVER, rows[2]);
   WS_(report_summary)(sink, &summary);
   WS_(report_end)(sink);
   assert_string_equal(
      text, "Working Set Measurement by valgrind-ws-" WS_VERSION "\n"
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
            "               t WSS_insn WSS_data\n"
            "               0        0        0\n"
            "          100000       21       80\n"
            "18446744073709551615       20 123456789\n"
            "\n"
            "--\n"
            "\n"
            "Instructions:   123456\n"
            "Insn avg/peak/total: 2.1/40/57 pages (8/160/228 kB)\n"
            "Data avg/peak/total: 348.5/534/1098 pages (1394/2136/4392 kB)\n"
            "--\n"
            "\n"
            "End of report\n");
   assert_int_equal(strlen("End of report\n"), WS_REPORT_END_SZB);
}

static void test_child(void** state)
{
   WsReportHeader child = header;

   text[0]          = 0;
   child.parent_pid = 4710;
   WS_(report_begin)(sink, &child);
   assert_non_null(strstr(text, "PID:            4711\n"
                                "Parent PID:     4710\n"
                                "Page size:"));
}

static void test_pid_of_file(void** state)
{
   text[0] = 0;
   WS_(report_begin)(sink, &header);
   assert_int_equal(WS_(report_pid)(text), 4711);
   *strstr(text, "PID:") = 0; // cut off
   assert_int_equal(WS_(report_pid)(text), 0);
   assert_int_equal(WS_(report_pid)(""), 0);
   assert_int_equal(WS_(report_pid)("another file\nPID:            5\n"), 0);
}

/* A run without any sample. */
static void test_nothing_sampled(void** state)
{
   WsReportSummary summary = {.instrs = 5, .page_szB = 16};

   text[0] = 0;
   WS_(report_summary)(sink, &summary);
   assert_string_equal(text, "\n--\n\n"
                             "Instructions:   5\n"
                             "Insn avg/peak/total: 0.0/0/0 pages (0/0/0 kB)\n"
                             "Data avg/peak/total: 0.0/0/0 pages (0/0/0 kB)\n"
                             "--\n\n");
}

/* Small pages: kB are rounded, from the exact average. */
static void test_rounding(void** state)
{
   HChar           line[WS_SUMMARY_LINE_SZB];
   WsReportSummary summary = {
      .page_szB    = 16,
      .stats       = {{.n_samples = 3, .sum_pages = 287, .peak_pages = 96}},
      .total_pages = {95},
   };

   assert_true(WS_(report_summary_line)(&summary, 1, line));
   // 95.67 * 16 = 1530.7, 96 * 16 = 1536, 95 * 16 = 1520
   assert_string_equal(line,
                       "Insn avg/peak/total: 95.7/96/95 pages (1/2/1 kB)");
   assert_true(WS_(report_summary_line)(&summary, 2, line));
   assert_false(WS_(report_summary_line)(&summary, 3, line));
}

int main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_whole),
      cmocka_unit_test(test_child),
      cmocka_unit_test(test_pid_of_file),
      cmocka_unit_test(test_nothing_sampled),
      cmocka_unit_test(test_rounding),
   };
   return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
