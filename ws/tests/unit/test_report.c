/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* Rows, byte by byte, against docs/report-format.md: the widest numbers, and
   texts of all kinds.  (marks.vgtest has a whole report.)

   Catches: any other byte; a buffer that is too short; a number in another's
   place; a text that is taken for a format. */

#include "unit.h"
#include "ws_report.h"
#include "ws_symbols.h"

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
#define DATA  (WS_FIRST_SET + Ws_Data)

static void put_section(WsSection section, const void* rows, UInt n,
                        SizeT row_szB)
{
   for (UInt i = 0; i < n; i++)
      WS_(report_row)(section, (const UChar*)rows + i * row_szB);
   WS_(report_section_end)();
}

/* Numbers and texts of all widths. */
static void test_widths(void** state)
{
   // All wider than their columns.
   static const WsReportRow rows[] = {
      {.t              = 10000000000000000,
       .wss            = {{{10000000000}, {10000000001}, {10000000002}}},
       .new_pages      = {10000000003, 10000000004},
       .total_pages    = {10000000005, 10000000006},
       .mapped_pages   = 10000000007,
       .resident_pages = 10000000008,
       .cold_pages     = 10000000009,
       .shared_pages   = 10000000010,
       .info           = 100000}};
   static const WsReportKept kept[] = {
      {99999999, DATA, 10000000000000000, 9999999999, 0, Ws_Peak, NULL},
      {3, WS_RESIDENT_SET, 1, 1, WS_NONE, Ws_InfoAt, NULL},
      {4, DATA, 1, 1, 1, Ws_Snapshot, "after %s  sorting"}};
   static const WsReportFrame frames[] = {
      {1, 0, True, 0x401136, 94, Ws_Own, "main|pageramp.c|/home/me/a"},
      {7, 1, False, 0x4010f0, 0, Ws_System, "||"},
      {8, 0, False, ~(Addr)0, 4294967295U, Ws_Generated, "f%s|a b|c"}};
   static const WsReportPage pages[] = {
      {112000, 0x400000, 132101, False, 7, "/home/%s/a b"},
      {9999999999999999, 0x1ffeffe000, 10000000000000000, True, 0, "heap"}};

   WS_(clo) = (WsOptions){
      .taus = {1, {250000}}, .dirty = True, .stacks = Ws_LongStacks};
   WS_(report_begin)(
      sink,
      &(WsReportHeader){.command = "a PID: b", .pid = 4711, .pid_since = 77},
      False);
   ULong since = 0;
   assert_int_equal(WS_(report_pid)(text, &since), 4711);
   assert_int_equal(since, 77);
   const HChar* table = strstr(text, "Working sets:");
   text_szB -= (SizeT)(table - text);
   memmove(text, table, text_szB);
   put_section(Ws_WorkingSets, rows, 1, sizeof rows[0]);
   put_section(Ws_KeptSamples, kept, 3, sizeof kept[0]);
   put_section(Ws_CodePages, &pages[0], 1, sizeof pages[0]);
   put_section(Ws_DataPages, &pages[1], 1, sizeof pages[1]);
   put_section(Ws_Stacks, frames, 3, sizeof frames[0]);
   assert_text(
      "Working sets:\n"
      "               t WSS_insn WSS_data  info new_insn new_data total_insn"
      " total_data  mapped resident     cold   shared WSS_dirty\n"
      "10000000000000000 10000000000 10000000001 100000 10000000003 "
      "10000000004 10000000005 10000000006 10000000007 10000000008"
      " 10000000009 10000000010 10000000002\n"
      "Kept samples:\n"
      "  sample      set              tau                t    pages  written"
      " why                  label\n"
      "99999999     data           250000 10000000000000000 9999999999        0"
      " peak                 \n"
      "       3 resident                -                1        1        -"
      " info-at              \n"
      "       4     data           250000                1        1        1"
      " snapshot             after %s  sorting\n"
      "--\n\n"
      "Code pages:\n"
      "           count               page             last anew    frame"
      " mapping\n"
      "          112000 0x0000000000400000           132101    -        7"
      " /home/%s/a b\n"
      "--\n\n"
      "Data pages:\n"
      "           count               page             last anew    frame"
      " mapping\n"
      "9999999999999999 0x0000001ffeffe000 10000000000000000  yes        -"
      " heap\n"
      "--\n\n"
      "Stacks:\n"
      "   frame   caller            address     line     whose place\n"
      "       1        ? 0x0000000000401136       94"
      "       own main|pageramp.c|/home/me/a\n"
      "       7        1 0x00000000004010f0        -         - ||\n"
      "       8        - 0xffffffffffffffff 4294967295 generated f%s|a b|c\n"
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
   assert_numbers(bytes, 2 + 1 + 1, 16 + 3 + 3);
}

static void test_pid_of_file(void** state)
{
   ULong since;

   assert_int_equal(WS_(report_pid)(TITLE "\nPID:            12\n", &since),
                    12);
   assert_int_equal(WS_(report_pid)(TITLE, &since), 0); // cut off
   assert_int_equal(
      WS_(report_pid)("another file\nPID:            5\n", &since), 0);
}

UNIT_TESTS("report", cmocka_unit_test(test_widths),
           cmocka_unit_test(test_long_texts),
           cmocka_unit_test(test_pid_of_file))
