/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* The report's numbers about the whole run, byte by byte, against
   docs/report-format.md. */

#include "report_text.h"

/* The average and the largest of all sizes, with one sample. */
#define STATS(avg, max)                                                        \
   {                                                                           \
      .n_samples = 1, .sum_pages = avg, .peak_pages = max                      \
   }

/* For lines that stand alone. */
static UInt  n_lines;
static HChar lines[100][300];

static void sink_line(const HChar* piece, SizeT n_bytes)
{
   assert_true(n_bytes > 0 && n_bytes < sizeof lines[0]);
   assert_int_equal(piece[n_bytes - 1], '\n');
   assert_int_equal(piece[n_bytes], 0);
   assert_int_equal(strcspn(piece, "\n"), n_bytes - 1);
   assert_true(n_lines < sizeof lines / sizeof *lines);
   memcpy(lines[n_lines], piece, n_bytes);
   lines[n_lines++][n_bytes - 1] = 0;
}

/* --- Summary ------------------------------------------------------------- */

/* In no profile is there a row. */
#define NO_PROFILE                                                             \
   {                                                                           \
      {.knee = -1}, {.knee = -1},                                              \
      {                                                                        \
         .knee = -1                                                            \
      }                                                                        \
   }

static void make_lines(const WsReportSummary* s)
{
   n_lines = 0;
   WS_(report_summary_lines)(sink_line, s);
}

/* Line n of those made, or none. */
static void assert_line(UInt n, const HChar* expected)
{
   if (expected) {
      assert_true(n < n_lines);
      assert_string_equal(lines[n], expected);
   } else {
      assert_int_equal(n, n_lines);
   }
}

/* A run without any sample. */
static void test_nothing_sampled(void** state)
{
   WsReportSummary s = {.parts    = {.taus = &one_tau},
                        .instrs   = 5,
                        .page_szB = 16,
                        .profile  = NO_PROFILE};

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
      .parts       = {.taus = &one_tau},
      .page_szB    = 16,
      .stats       = {{{.n_samples = 3, .sum_pages = 287, .peak_pages = 96}},
                      {{.n_samples = 16, .sum_pages = 511, .peak_pages = 31}}},
      .profile     = NO_PROFILE,
      .total_pages = {95, 32},
   };

   make_lines(&s);
   // 95.67 * 16 = 1530.7, 96 * 16 = 1536, 95 * 16 = 1520
   assert_line(1, "Insn avg/peak/total: 95.7/96/95 pages (1/2/1 kB)");
   // 511 / 16 * 16 = 511, 31 * 16 = 496, 32 * 16 = 512
   assert_line(2, "Data avg/peak/total: 31.9/31/32 pages (0/0/1 kB)");
   assert_line(3, NULL);
}

/* All combinations, in the order of the report. */
static void test_lines(void** state)
{
   for (UInt wanted = 0; wanted < 256; wanted++) {
      WsReportSummary s = {
         .parts         = {.taus       = wanted & 16 ? &three_taus : &one_tau,
                           .dirty      = wanted & 1,
                           .peaks      = (wanted & 2) != 0,
                           .is_clocked = (wanted & 32) != 0},
         .instrs        = 17,
         .end           = 1999,
         .page_szB      = 1024,
         .stats         = {{STATS(1, 2), STATS(3, 4), STATS(5, 6)},
                           {STATS(7, 8), STATS(9, 10), STATS(11, 12)},
                           {STATS(13, 14), STATS(15, 16), STATS(17, 18)}},
         .late_avg_us   = 21,
         .late_max_us   = 22,
         .total_pages   = {1, 2, 3},
         .reused_pages  = {wanted & 4 ? 5 : 0, wanted & 8 ? 6 : 0, 7},
         .n_peaks       = {8, 9, 10},
         .not_reached   = &three_taus.tau[0],
         .n_not_reached = 1,
      };
      Bool  ms = s.parts.is_clocked;
      UInt  n  = 0;
      HChar reused[40];

      for (UInt kind = 0; kind < WS_N_KINDS; kind++)
         s.profile[kind] = (WsProfile){
            .span   = 3000,
            .n_rows = 1,
            .rows   = {{.tau = 1000, .stats = STATS(23, 24), .n_entered = 2}},
            .knee   = wanted & 64 << kind ? 0 : -1};
      make_lines(&s);
      assert_line(n++, "Instructions:   17");
      if (ms)
         assert_line(n++, "Milliseconds:   1");
      assert_line(n++, "Insn avg/peak/total: 1.0/2/1 pages (1/2/1 kB)");
      assert_line(n++, "Data avg/peak/total: 7.0/8/2 pages (7/8/2 kB)");
      if (wanted & 1)
         assert_line(n++, "Dirty avg/peak/total: 13.0/14/3 pages (13/14/3 kB)");
      if (wanted & 16) {
         assert_line(n++, ms ? "Insn avg/peak, tau=1: 3.0/4 pages (3/4 kB)"
                             : "Insn avg/peak, tau=1000: 3.0/4 pages (3/4 kB)");
         assert_line(n++,
                     ms ? "Data avg/peak, tau=1: 9.0/10 pages (9/10 kB)"
                        : "Data avg/peak, tau=1000: 9.0/10 pages (9/10 kB)");
         if (wanted & 1)
            assert_line(
               n++, ms ? "Dirty avg/peak, tau=1: 15.0/16 pages (15/16 kB)"
                       : "Dirty avg/peak, tau=1000: 15.0/16 pages (15/16 kB)");
         assert_line(n++,
                     ms ? "Insn avg/peak, tau=10000: 5.0/6 pages (5/6 kB)"
                        : "Insn avg/peak, tau=10000000: 5.0/6 pages (5/6 kB)");
         assert_line(
            n++, ms ? "Data avg/peak, tau=10000: 11.0/12 pages (11/12 kB)"
                    : "Data avg/peak, tau=10000000: 11.0/12 pages (11/12 kB)");
         if (wanted & 1)
            assert_line(
               n++,
               ms ? "Dirty avg/peak, tau=10000: 17.0/18 pages (17/18 kB)"
                  : "Dirty avg/peak, tau=10000000: 17.0/18 pages (17/18 kB)");
      }
      if (ms)
         assert_line(n++, "Late avg/max:   21/22 us");
      if (wanted & 12) {
         snprintf(reused, sizeof reused, "Reused insn/data: %d/%d pages",
                  wanted & 4 ? 5 : 0, wanted & 8 ? 6 : 0);
         assert_line(n++, reused);
      }
      if (wanted & 2)
         assert_line(n++, "Peaks insn/data: 8/9");
      if (wanted & 64)
         assert_line(n++, ms ? "Insn knee: 23 kB hold it at tau=1, a page "
                               "missing every 1.500 ms"
                             : "Insn knee: 23 kB hold it at tau=1000, a page "
                               "missing every 1500 instructions");
      if (wanted & 128)
         assert_line(n++, ms ? "Data knee: 23 kB hold it at tau=1, a page "
                               "missing every 1.500 ms"
                             : "Data knee: 23 kB hold it at tau=1000, a page "
                               "missing every 1500 instructions");
      assert_line(n, NULL);

      // The summary is these lines, and what was not reached.
      clear();
      WS_(report_summary_lines)(sink, &s);
      HChar all[sizeof lines];
      snprintf(all, sizeof all, "\n--\n\n%sNot reached:    %s\n--\n\n", text,
               ms ? "250" : "250000");
      clear();
      WS_(report_summary)(sink, &s);
      assert_text(all);
   }
}

static void test_not_reached(void** state)
{
   static const WsTime times[] = {7, 70, 700};
   WsReportSummary     s       = {.parts       = {.taus = &one_tau},
                                  .page_szB    = 16,
                                  .profile     = NO_PROFILE,
                                  .not_reached = times};

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
   s.not_reached      = (const WsTick[]){1000, 2999, MAX64};
   s.parts.is_clocked = True;
   WS_(report_summary)(sink, &s);
   assert_non_null(strstr(text, " us\nNot reached:    1,2," TWENTY "\n--\n\n"));
   clear();
}

/* All of the address space but a page: (2^52 - 1) * 4 kB = 2^54 - 4. */
static void test_largest_sizes(void** state)
{
   const ULong     n = ((ULong)1 << 52) - 1;
   WsReportSummary s = {
      .parts       = {.taus = &one_tau},
      .page_szB    = 4096,
      .stats       = {{STATS(n, n)}},
      .profile     = NO_PROFILE,
      .total_pages = {n},
   };

   make_lines(&s);
   assert_line(1, "Insn avg/peak/total: 4503599627370495.0/4503599627370495/"
                  "4503599627370495 pages (18014398509481980/"
                  "18014398509481980/18014398509481980 kB)");
}

/* Of numbers that are out of reach, the digits fit. */
static void test_largest_summary(void** state)
{
   static const WsTick times[] = {MAX64, MAX64};
   WsTaus              taus    = {.n = WS_MAX_TAUS};
   WsReportSummary     s       = {
                .parts         = {.taus = &taus, .dirty = True, .peaks = True},
                .instrs        = MAX64,
                .end           = MAX64,
                .page_szB      = MAX64,
                .late_avg_us   = MAX64,
                .late_max_us   = MAX64,
                .not_reached   = times,
                .n_not_reached = 2,
   };

   for (UInt i = 0; i < WS_MAX_TAUS; i++)
      taus.tau[i] = MAX64;
   for (UInt kind = 0; kind < WS_N_KINDS; kind++) {
      for (UInt i = 0; i < WS_MAX_TAUS; i++)
         s.stats[kind][i] = (WsStats)STATS(MAX64, MAX64);
      s.profile[kind] = (WsProfile){
         .span   = MAX64,
         .n_rows = 2,
         .rows   = {{MAX64, STATS(MAX64, MAX64), 1, False},
                    {MAX64, STATS(MAX64, MAX64), 1, False}},
         .knee   = 1};
      s.total_pages[kind]  = MAX64;
      s.reused_pages[kind] = MAX64;
      s.n_peaks[kind]      = MAX64;
   }
   make_lines(&s);
   assert_line(0, "Instructions:   " TWENTY);
   for (UInt n = 1; n <= 3 * WS_MAX_TAUS; n++) {
      assert_non_null(strstr(lines[n], n <= 3 ? "/" TWENTY "/" TWENTY " pages ("
                                              : "/" TWENTY " pages ("));
      assert_string_equal(lines[n] + strlen(lines[n]) - 4, " kB)");
   }
   assert_line(49, "Reused insn/data: " TWENTY "/" TWENTY " pages");
   assert_line(50, "Peaks insn/data: " TWENTY "/" TWENTY);
   assert_line(51, "Insn knee: 0 kB hold it at tau=" TWENTY
                   ", a page missing every " TWENTY " instructions; at " TWENTY
                   ", every " TWENTY);
   assert_non_null(strstr(lines[52], "Data knee: "));
   assert_line(53, NULL);
   WS_(report_summary)(sink, &s);
   assert_non_null(strstr(text, "\nNot reached:    " TWENTY "," TWENTY "\n"));
   clear();

   s.parts.is_clocked = True;
   make_lines(&s);
   assert_line(1, "Milliseconds:   " TWENTY); // never
   assert_line(50, "Late avg/max:   " TWENTY "/" TWENTY " us");
   assert_line(53, "Insn knee: 0 kB hold it at tau=" TWENTY ", a page "
                   "missing every 18446744073709551.615 ms; at " TWENTY
                   ", every 18446744073709551.615");
   assert_line(55, NULL);
}

/* --- Profile ------------------------------------------------------------- */

/* Three windows, of 16 samples each; the knee is in the second. */
static const WsProfile profile = {
   .span   = 1600000,
   .n_rows = 3,
   .rows   = {{100000, {16, 161, 20}, 70, False},
              {200000, {16, 170, 21}, 33, False},
              {400000, {16, 256, 22}, 32, True}},
   .knee   = 1,
};

static WsReportSummary profiled(WsReportParts parts, WsProfile p)
{
   return (WsReportSummary){
      .parts = parts, .page_szB = 512, .profile = {p, {.knee = -1}, p}};
}

static void assert_profile(const WsReportSummary* s, const HChar* rows)
{
   static const HChar begin[] = "Working set profile:\n" PROFILE_COLUMNS;

   clear();
   WS_(report_profile)(sink, s);
   assert_memory_equal(text, begin, sizeof begin - 1);
   assert_string_equal(text + text_szB - 4, "--\n\n");
   text[text_szB - 4] = 0;
   assert_string_equal(text + sizeof begin - 1, rows);
   clear();
}

static void test_profile(void** state)
{
   // 161 / 16 = 10.06; 1600000 / 70 = 22857.14, / 33 = 48484.85
   WsReportSummary s = profiled((WsReportParts){.taus = &one_tau}, profile);

   assert_profile(
      &s, " insn           100000       10.1       20         70     0.043750"
          "        22857 -\n"
          " insn           200000       10.6       21         33     0.020625"
          "        48485 knee\n"
          " insn           400000       16.0       22         32     0.020000"
          "        50000 limited\n");
   // The other sets, in their order.
   s.profile[Ws_Insn] = (WsProfile){.knee = -1};
   s.profile[Ws_Data] = (WsProfile){
      .span   = 7,
      .n_rows = 1,
      .rows   = {{7, {1, 3, 3}, 3, False}},
      .knee   = -1,
   };
   assert_profile(&s, " data                7        3.0        3          3"
                      "   428.571429            2 -\n");
   s.parts.dirty      = True;
   s.profile[Ws_Insn] = s.profile[Ws_Dirty] = s.profile[Ws_Data];
   s.profile[Ws_Dirty].rows[0].n_entered    = 7;
   assert_profile(&s, " insn                7        3.0        3          3"
                      "   428.571429            2 -\n"
                      " data                7        3.0        3          3"
                      "   428.571429            2 -\n"
                      "dirty                7        3.0        3          7"
                      "  1000.000000            1 -\n");
}

static void test_nothing_entered(void** state)
{
   WsReportSummary s = profiled(
      (WsReportParts){.taus = &one_tau},
      (WsProfile){
         .span   = 7000,
         .n_rows = 2,
         .rows   = {{5000, {1, 0, 0}, 0, False}, {10000, {1, 0, 0}, 0, True}},
         .knee   = -1});

   assert_profile(&s, " insn             5000        0.0        0          0"
                      "     0.000000            - -\n"
                      " insn            10000        0.0        0          0"
                      "     0.000000            - limited\n");
   s.parts.is_clocked = True;
   assert_profile(&s, " insn                5        0.0        0          0"
                      "     0.000000            - -\n"
                      " insn               10        0.0        0          0"
                      "     0.000000            - limited\n");
}

/* Rates are of milliseconds then: 1000 * 70 / 1600. */
static void test_profile_with_clock(void** state)
{
   WsReportSummary s = profiled(
      (WsReportParts){.taus = &one_tau, .is_clocked = True}, profile);

   s.profile[Ws_Insn].rows[2].n_entered = 1600000;
   assert_profile(
      &s, " insn              100       10.1       20         70    43.750000"
          "       22.857 -\n"
          " insn              200       10.6       21         33    20.625000"
          "       48.485 knee\n"
          " insn              400       16.0       22    1600000 1000000.000000"
          "        0.001 limited\n");
   s.profile[Ws_Insn].n_rows            = 1;
   s.profile[Ws_Insn].rows[0].n_entered = 1600;
   assert_profile(&s, " insn              100       10.1       20       1600"
                      "  1000.000000        1.000 -\n");
   s.profile[Ws_Insn].rows[0].n_entered = 30;
   assert_profile(&s, " insn              100       10.1       20         30"
                      "    18.750000       53.333 -\n");
   s.profile[Ws_Insn].rows[0].n_entered = 398;
   assert_profile(&s, " insn              100       10.1       20        398"
                      "   248.750000        4.020 -\n");
}

/* What fills the columns, and what is wider. */
static void test_columns_of_profile(void** state)
{
   WsReportSummary s = profiled(
      (WsReportParts){.taus = &one_tau},
      (WsProfile){
         .span   = 999999999999,
         .n_rows = 4,
         .rows   = {{9999999999999999, {1, 99999999, 99999999}, 1, True},
                    {10000000000000000, {1, 100000000, 100000000}, 1, True},
                    {1, {10, 3, 1}, 9999999999, False},
                    {1, {10, 3, 1}, 10000000000, False}},
         .knee   = -1});

   assert_profile(&s, " insn 9999999999999999 99999999.0 99999999          1"
                      "     0.000000 999999999999 limited\n"
                      " insn 10000000000000000 100000000.0 100000000          1"
                      "     0.000000 999999999999 limited\n"
                      " insn                1        0.3        1 9999999999"
                      "    10.000000          100 -\n"
                      " insn                1        0.3        1 10000000000"
                      "    10.000000          100 -\n");
   s.profile[Ws_Insn] = (WsProfile){
      .span   = ((ULong)1 << 60) - 1,
      .n_rows = 1,
      .rows   = {{MAX64, STATS(MAX64 / 10, MAX64), (ULong)1 << 59, False}},
      .knee   = 0};
   assert_profile(&s, " insn " TWENTY " 1844674407370955161.0 " TWENTY
                      " 576460752303423488   500.000000            2 knee\n");
}

static void assert_knee(const WsReportSummary* s, const HChar* expected)
{
   make_lines(s);
   assert_string_equal(lines[n_lines - 1], expected);
}

/* 170 / 16 * 512 bytes = 5.3 kB. */
static void test_knee(void** state)
{
   WsReportSummary s = profiled((WsReportParts){.taus = &one_tau}, profile);

   assert_knee(&s,
               "Insn knee: 5 kB hold it at tau=200000, a page missing every "
               "48485 instructions; at 100000, every 22857");
   s.profile[Ws_Insn].knee = 0;
   assert_knee(&s,
               "Insn knee: 5 kB hold it at tau=100000, a page missing every "
               "22857 instructions");
   s.profile[Ws_Insn].knee = 2;
   assert_knee(&s,
               "Insn knee: 8 kB hold it at tau=400000, a page missing every "
               "50000 instructions; at 200000, every 48485");
   s.profile[Ws_Insn].knee = 1;
   s.parts.is_clocked      = True;
   assert_knee(&s, "Insn knee: 5 kB hold it at tau=200, a page missing every "
                   "48.485 ms; at 100, every 22.857");
   s.profile[Ws_Insn].knee = 0;
   assert_knee(&s, "Insn knee: 5 kB hold it at tau=100, a page missing every "
                   "22.857 ms");
   s.profile[Ws_Data] = profile;
   assert_knee(&s, "Data knee: 5 kB hold it at tau=200, a page missing every "
                   "48.485 ms; at 100, every 22.857");
   assert_string_equal(lines[n_lines - 2],
                       "Insn knee: 5 kB hold it at tau=100, a page missing "
                       "every 22.857 ms");
}

static void test_units(void** state)
{
   static const WsReportParts instrs = {.taus = &one_tau};
   static const WsReportParts parts  = {.taus = &one_tau, .is_clocked = True};

   assert_int_equal(WS_(report_units)(instrs, 1999), 1999);
   assert_int_equal(WS_(report_units)(instrs, MAX64), MAX64);
   assert_int_equal(WS_(report_units)(parts, 0), 0);
   assert_int_equal(WS_(report_units)(parts, 999), 0);
   assert_int_equal(WS_(report_units)(parts, 1000), 1);
   assert_int_equal(WS_(report_units)(parts, 1999), 1);
}

int main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_nothing_sampled),
      cmocka_unit_test(test_rounding),
      cmocka_unit_test(test_lines),
      cmocka_unit_test(test_not_reached),
      cmocka_unit_test(test_largest_sizes),
      cmocka_unit_test(test_largest_summary),
      cmocka_unit_test(test_profile),
      cmocka_unit_test(test_nothing_entered),
      cmocka_unit_test(test_profile_with_clock),
      cmocka_unit_test(test_columns_of_profile),
      cmocka_unit_test(test_knee),
      cmocka_unit_test(test_units),
   };
   return cmocka_run_group_tests_name("summary", tests, NULL, NULL);
}
