/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* Sections of reports, byte by byte, against docs/report-format.md; and the
   largest numbers and texts.

   Catches: any other byte; a buffer that is too short; a number in another's
   place.  (Milliseconds: clock.test.  Compositions, entries and sample info,
   whose values have the same forms: oracle, stacks, why.) */

#include "unit.h"
#include "ws_report.h"

#define TWENTY    "18446744073709551615" // the digits of MAX64
#define LONG_TEXT 10000

/* What has been written since the last assert_text. */
static HChar text[7 * LONG_TEXT];
static SizeT text_szB;

static void sink(const HChar* piece, SizeT n_bytes)
{
   assert_true(text_szB + n_bytes < sizeof text);
   memcpy(text + text_szB, piece, n_bytes);
   text_szB += n_bytes;
   text[text_szB] = 0;
}

/* cmocka would show no more than the first 1000 bytes. */
static void assert_text(const HChar* expected)
{
   SizeT same = 0;

   text_szB = 0;
   while (text[same] && text[same] == expected[same])
      same++;
   if (strcmp(text, expected) != 0)
      fail_msg("...%.300s\n--- expected ...%.300s", text + same,
               expected + same);
}

#define TITLE "Working Set Measurement by valgrind-ws-" WS_VERSION "\n"
#define COLUMNS                                                                \
   "               t WSS_insn WSS_data  info new_insn new_data"                \
   " total_insn total_data  mapped resident     cold"
#define PROFILE                                                                \
   "Working set profile:\n"                                                    \
   "  set              tau        avg      p50      p95      max    entered"   \
   "   returned         miss         life note\n"

#define DATA (WS_FIRST_SET + Ws_Data)
#define INSN (WS_FIRST_SET + Ws_Insn)

#define SIZES  "  set              tau        avg      max    bound\n"
#define TOTALS "  set    pages     anew"
#define PAGES                                                                  \
   "           count               page             last anew    frame"        \
   " mapping\n"

/* Sizes are a, a + 1, a + 2, the other numbers those that follow. */
static void put_row(WsTick t, UWord a, UInt info)
{
   const WsReportRow row = {.t              = t,
                            .late           = 7,
                            .wss            = {{{a}, {a + 1}, {a + 2}}},
                            .new_pages      = {a + 3, a + 4, 7},
                            .total_pages    = {a + 5, a + 6, 7},
                            .mapped_pages   = a + 7,
                            .resident_pages = a + 8,
                            .cold_pages     = a + 9,
                            .info           = info};

   WS_(report_row)(Ws_WorkingSets, &row);
}

static void put_section(WsSection section, const void* rows, UInt n,
                        SizeT row_szB)
{
   for (UInt i = 0; i < n; i++)
      WS_(report_row)(section, (const UChar*)rows + i * row_szB);
   WS_(report_section_end)();
}

/* All that there is with instructions and one window. */
static void test_most(void** state)
{
   static const WsReportHeader header = {.command    = "a PID: b",
                                         .pid        = 4711,
                                         .parent_pid = 4710,
                                         .page_log   = "/home/%s/b"};
   // 161 / 16 = 10.06 pages of half a kB; 1600000 / 70 = 22857.14
   static const WsProfile profile = {
      .span   = 1600000,
      .n_rows = 4,
      .rows   = {{1000, {16, 24, 3}, 1, 2, True, 0, 0, False},
                 {100000, {16, 161, 20}, 17, 18, False, 70, 21, False},
                 {200000, {16, 170, 21}, 19, 20, False, 33, 0, False},
                 {10000000000000000,
                  {1, 100000000, 100000000},
                  99999999,
                  100000000,
                  False,
                  9999999999,
                  9999999998,
                  True}}};
   static const WsTick not_reached[] = {232155, 1000000, WS_NEVER};
   // 56 / 3 pages of half a kB are 9.33 kB; 7 and 9 halves are rounded up.
   static const WsReportSummary s = {
      .n_samples     = 1,
      .instrs        = 232154,
      .stats         = {{{3, 56, 32}}, {{16, 1533, 152}}, {{2, 14, 9}}},
      .profile       = {{0}, profile, {0}},
      .total_pages   = {44, 10000000000, 9},
      .bound_pages   = {33, 9999999999, 10},
      .n_mapped_anew = {0, 2, 5},
      .n_peaks       = {0, 1, 77},
      .cached_pages  = 17,
      .not_reached   = {not_reached, 3}};
   static const WsReportKept kept[] = {
      {0, DATA, 1800000, 534, 12, Ws_Largest | Ws_Peak, NULL},
      {1, INSN, 200000, 57, WS_NONE, Ws_Largest, NULL},
      {99999999, DATA, 10000000000000000, 9999999999, 0, Ws_Peak, NULL},
      {3, WS_RESIDENT_SET, 1, 1, WS_NONE, Ws_InfoAt, NULL},
      {4, DATA, 1, 1, 1, Ws_Snapshot, "after %s  sorting"}};
   static const WsReportFrame frames[] = {
      {1, 0, True, 0x401136, 94, "main|pageramp.c|/home/me/a"},
      {7, 1, False, 0x4010f0, 0, "||"},
      {8, 0, False, ~(Addr)0, 4294967295U, "f%s|a b|c"}};
   static const WsReportPage pages[] = {
      {112000, 0x400000, 132101, False, 7, "/home/%s/a b"},
      {9999999999999999, 0x1ffeffe000, 10000000000000000, True, 0, "heap"}};

   static const WsReportPhase phases[] = {
      {0,
       104711,
       104711,
       {44, 70, 3},
       {{2, 63, 32}, {2, 120, 68}, {2, 3, 2}},
       WS_NO_INFO,
       "a%s  b"},
      {104711,
       10000000000000000,
       9999999999895289,
       {9, 10000000000, 0},
       {{0, 0, 0}},
       7,
       ""}};

   WS_(clo) = (WsOptions){.page_szB            = 512,
                          .every               = 100000,
                          .taus                = {1, {250000}},
                          .dirty               = True,
                          .stacks              = Ws_LongStacks,
                          .peak_detect         = True,
                          .peak_window_samples = 30,
                          .peak_thresh         = {"3", 3},
                          .peak_adapt          = {"0.25", 0.25}};
   WS_(report_begin)(sink, &header, False);
   assert_int_equal(WS_(report_pid)(text), 4711);
   put_row(100000, 32, 0);
   // Wider than the columns.
   put_row(10000000000000000, 10000000000, 100000);
   WS_(report_summary)(&s);
   put_section(Ws_KeptSamples, kept, 5, sizeof kept[0]);
   put_section(Ws_Phases, phases, 2, sizeof phases[0]);
   put_section(Ws_CodePages, &pages[0], 1, sizeof pages[0]);
   put_section(Ws_DataPages, &pages[1], 1, sizeof pages[1]);
   put_section(Ws_Stacks, frames, 3, sizeof frames[0]);
   assert_text(
      TITLE
      "Format:         3\n"
      "Command:        a PID: b\n"
      "PID:            4711\n"
      "Parent PID:     4710\n"
      "Page size:      512\n"
      "Time unit:      instructions\n"
      "Start:          0\n"
      "Every:          100000\n"
      "Tau:            250000\n"
      "Stacks:         yes\n"
      "Page log:       /home/%s/b\n"
      "Peak window:    30\n"
      "Peak threshold: 3\n"
      "Peak adapt:     0.25\n"
      "--\n\n"
      "Working sets:\n" COLUMNS " WSS_dirty\n"
      "          100000       32       33     0       35       36"
      "         37         38      39       40       41        34\n"
      "10000000000000000 10000000000 10000000001 100000 10000000003 "
      "10000000004 10000000005 10000000006 10000000007 10000000008"
      " 10000000009 10000000002\n"
      "\n--\n\n"
      "Summary:\n"
      "Instructions:   232154\n"
      "Cached pages:   17\n"
      "Not reached:    232155,1000000," TWENTY "\n"
      "--\n\n"
      "Sizes:\n" SIZES " insn           250000       18.7       32       33\n"
      " data           250000       95.8      152 9999999999\n"
      "dirty           250000        7.0        9       10\n"
      "--\n\n"
      "Totals:\n" TOTALS "    peaks\n"
      " insn       44        0        0\n"
      " data 10000000000        2        1\n"
      "dirty        9        -        -\n"
      "--\n\n"
      "Resident:\n"
      "  set     most                t      end\n"
      " insn        0                0        0\n"
      " data        0                0        0\n"
      " both        0                0        0\n"
      "--\n\n" PROFILE
      " data             1000        1.5        1        2        3          -"
      "          -            -            - -\n"
      " data           100000       10.1       17       18       20         70"
      "         21     0.043750        22857 -\n"
      " data           200000       10.6       19       20       21         33"
      "          0     0.020625        48485 -\n"
      " data 10000000000000000 100000000.0 99999999 100000000 100000000"
      " 9999999999 9999999998 6249999.999375            0 limited\n"
      "--\n\n"
      "Kept samples:\n"
      "  sample      set              tau                t    pages  written"
      " why                  label\n"
      "       0     data           250000          1800000      534       12 largest,peak         \n"
      "       1     insn           250000           200000       57        - largest              \n"
      "99999999     data           250000 10000000000000000 9999999999        0"
      " peak                 \n"
      "       3 resident                -                1        1        -"
      " info-at              \n"
      "       4     data           250000                1        1        1"
      " snapshot             after %s  sorting\n"
      "--\n\n"
      "Phases:\n"
      "           start              end     instructions     insn     data"
      "    dirty  samples  avg_insn  max_insn  avg_data  max_data avg_dirty"
      " max_dirty  info label\n"
      "               0           104711           104711       44       70"
      "        3        2      31.5        32      60.0        68       1.5"
      "         2     - a%s  b\n"
      "          104711 10000000000000000 9999999999895289        9 10000000000"
      "        0        0         -         -         -         -         -"
      "         -     7 \n"
      "--\n\n"
      "Code pages:\n" PAGES
      "          112000 0x0000000000400000           132101    -        7"
      " /home/%s/a b\n"
      "--\n\n"
      "Data pages:\n" PAGES
      "9999999999999999 0x0000001ffeffe000 10000000000000000  yes        -"
      " heap\n"
      "--\n\n"
      "Stacks:\n"
      "   frame   caller            address     line place\n"
      "       1        ? 0x0000000000401136       94"
      " main|pageramp.c|/home/me/a\n"
      "       7        1 0x00000000004010f0        - ||\n"
      "       8        - 0xffffffffffffffff 4294967295 f%s|a b|c\n"
      "--\n\n");
}

/* How often the number stands in what has been written, in so many lines. */
static void assert_numbers(const HChar* number, UInt n, UInt n_lines)
{
   for (const HChar* at = text; (at = strstr(at, number)); at++)
      n--;
   for (const HChar* at = text; (at = strchr(at, '\n')); at++)
      n_lines--;
   text_szB = 0;
   assert_int_equal(n, 0);
   assert_int_equal(n_lines, 0);
}

/* Commands, labels and names are of any length, and of any bytes. */
static void test_long_texts(void** state)
{
   static HChar bytes[LONG_TEXT + 1];

   for (int i = 0; i < LONG_TEXT; i++)
      bytes[i] = (HChar)(i % 255 + 1 == '\n' ? '%' : i % 255 + 1);
   WS_(clo) = (WsOptions){.taus = {1, {250000}}};
   WS_(report_begin)(
      sink, &(WsReportHeader){.command = bytes, .page_log = bytes}, False);
   WS_(report_row)(Ws_SampleInfo, &(WsReportInfo){.label = bytes});
   WS_(report_row)(Ws_DataPages, &(WsReportPage){.mapping = bytes});
   assert_numbers(bytes, 2 + 1 + 1, 15 + 3 + 3);
}

static void test_pid_of_file(void** state)
{
   assert_int_equal(WS_(report_pid)(TITLE "\nPID:            12\n"), 12);
   assert_int_equal(WS_(report_pid)(TITLE), 0); // cut off
   assert_int_equal(WS_(report_pid)("another file\nPID:            5\n"), 0);
}

int main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_most),
      cmocka_unit_test(test_long_texts),
      cmocka_unit_test(test_pid_of_file),
   };
   return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
