/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_report.h"

#define TITLE     "Working Set Measurement by valgrind-ws-"
#define LOG_TITLE "Page log by valgrind-ws-"
#define FORMAT    WS_VERSION "\nFormat:         "

static WsSink sink;
static Bool   is_log; // only its header is written

/* The section that rows go to.  The first one is never over: if an execve
   fails, it goes on. */
static WsSection present = Ws_WorkingSets;

static void put(const HChar* text)
{
   sink(text, VG_(strlen)(text));
}

/* A row without its text: for each column a blank, and at most 20 digits or a
   word of less than 32 characters. */
#define MAX_COLUMNS 16
#define ROW_SZB     (MAX_COLUMNS * 33 + WS_N_KINDS * WS_MAX_TAUS * 21)

static const HChar* const kind_names[WS_N_KINDS] = {"insn", "data", "dirty"};
static const HChar* const stacks_names[]         = {"no", "yes", "all"};
static const HChar* const whose_names[] = {"-", "start", "own", "generated"};

/* --- Tables --------------------------------------------------------------- */

/* A table has all that the report says of a column, or of a line of a
   header: the names and the rows are written by the same one, and cannot
   differ.  A new column is a member of the row's struct (ws_report.h) and a
   line here; readers find it by its name. */

/* How a value is written. */
typedef enum {
   // WS_NONE: "-"
   Number,
   Life, // ticks with all their digits
   Millionths,
   // others
   NumberOrZero, // 0: "-"
   Caller,       // the same, or "?" if is_cut
   Address,
   Time, // ticks
   Average,
   Most,           // of WsStats; "-" without samples
   Kind,           // WsKind
   Set,            // a set that has origins, and
   TauOfSet,       // the length of its window
   FurtherWindows, // WsSizes: a column for each kind and further tau
   HeapSums,       // of WsReportShare: a column for each
   Why,            // a sample is kept
   YesOrNone,
   Name,       // right-aligned; NULL: "-"
   Unit,       // of time
   StacksName, // WsStacks
   Whose,      // WsWhose
   YesOrNo,
   Times, // WsTimes, separated by commas: in headers only
   Text   // of any length, in the last column
} Form;

typedef enum {
   Always,
   IfDirty,
   IfClocked,
   IfGrowing,
   IfPeaks,
   IfReport,
   IfLog
} When;

/* All that the report has of a column, or of a line of a header. */
typedef struct {
   const HChar* name;
   UInt         width; // at least
   Form         form;
   SizeT        offset, szB; // of the value in the row, or in the options
   When         when;
   Bool         is_option;
} Column;

/* Where a value lies in the row, and how large it is.  append_value reads
   integers of three sizes by `szB`; forms that are no integers read what
   lies there as what their name says. */
#define AT(Row, member)                                                        \
   .offset = offsetof(Row, member), .szB = sizeof(((Row*)0)->member)
#define OPTION(member) .is_option = True, AT(WsOptions, member)

static const Column working_sets[] = {
   {"t", 16, Time, AT(WsReportRow, t)},
   {"WSS_insn", 8, Number, AT(WsReportRow, wss.of[Ws_Insn][0])},
   {"WSS_data", 8, Number, AT(WsReportRow, wss.of[Ws_Data][0])},
   {"info", 5, Number, AT(WsReportRow, info)},
   {"new_insn", 8, Number, AT(WsReportRow, new_pages[Ws_Insn])},
   {"new_data", 8, Number, AT(WsReportRow, new_pages[Ws_Data])},
   {"total_insn", 10, Number, AT(WsReportRow, total_pages[Ws_Insn])},
   {"total_data", 10, Number, AT(WsReportRow, total_pages[Ws_Data])},
   {"mapped", 7, Number, AT(WsReportRow, mapped_pages)},
   {"resident", 8, Number, AT(WsReportRow, resident_pages)},
   {"cold", 8, Number, AT(WsReportRow, cold_pages)},
   {"shared", 8, Number, AT(WsReportRow, shared_pages), IfDirty},
   {"WSS_dirty", 9, Number, AT(WsReportRow, wss.of[Ws_Dirty][0]), IfDirty},
   {"WSS", 8, FurtherWindows, AT(WsReportRow, wss)},
   {"late_us", 7, Number, AT(WsReportRow, late), IfClocked}};

static const Column window_sizes[] = {
   {"set", 5, Kind, AT(WsReportSize, kind)},
   {"tau", 16, Time, AT(WsReportSize, tau)},
   {"avg", 10, Average, AT(WsReportSize, stats)},
   {"max", 8, Most, AT(WsReportSize, stats)},
   {"bound", 8, Number, AT(WsReportSize, bound_pages)}};

static const Column totals[] = {
   {"set", 5, Kind, AT(WsReportTotal, kind)},
   {"pages", 8, Number, AT(WsReportTotal, n_pages)},
   {"anew", 8, Number, AT(WsReportTotal, n_mapped_anew)},
   {"peaks", 8, Number, AT(WsReportTotal, n_peaks), IfPeaks}};

static const Column resident[] = {
   {"set", 5, Name, AT(WsResidentCount, set)},
   {"most", 8, Number, AT(WsResidentCount, most_pages)},
   {"t", 16, Time, AT(WsResidentCount, most_t)},
   {"end", 8, Number, AT(WsResidentCount, n_pages)}};

static const Column profile[] = {
   {"set", 5, Kind, AT(WsProfileRow, kind)},
   {"tau", 16, Time, AT(WsProfileRow, tau)},
   {"until", 16, Time, AT(WsProfileRow, until), IfGrowing},
   {"avg", 10, Average, AT(WsProfileRow, stats)},
   {"p50", 8, Number, AT(WsProfileRow, median_pages)},
   {"p95", 8, Number, AT(WsProfileRow, p95_pages)},
   {"max", 8, Number, AT(WsProfileRow, stats.peak_pages)},
   {"entered", 10, Number, AT(WsProfileRow, n_entered)},
   {"returned", 10, Number, AT(WsProfileRow, n_returned)},
   {"miss", 12, Millionths, AT(WsProfileRow, miss)},
   {"life", 12, Life, AT(WsProfileRow, life)},
   {"note", 0, Text, AT(WsProfileRow, note)}};

static const Column kept_samples[] = {
   {"sample", 8, Number, AT(WsReportKept, number)},
   {"set", 8, Set, AT(WsReportKept, set)},
   {"tau", 16, TauOfSet, AT(WsReportKept, set)},
   {"t", 16, Time, AT(WsReportKept, t)},
   {"pages", 8, Number, AT(WsReportKept, n_pages)},
   {"written", 8, Number, AT(WsReportKept, n_written)},
   {"why                 ", 20, Why, AT(WsReportKept, why)},
   {"label", 0, Text, AT(WsReportKept, label)}};

static const Column composition[] = {
   {"sample", 8, Number, AT(WsReportShare, sample)},
   {"pages", 8, Number, AT(WsReportShare, n_pages)},
   {"written", 8, Number, AT(WsReportShare, n_written)},
   {"frame", 8, NumberOrZero, AT(WsReportShare, frame)},
   {"folded", 6, YesOrNone, AT(WsReportShare, is_folded)},
   {"lead", 8, NumberOrZero, AT(WsReportShare, lead)},
   {"mapping", 0, Text, AT(WsReportShare, mapping)}};
static const Column entries[] = {
   {"set", 8, Set, AT(WsReportShare, set)},
   {"tau", 16, TauOfSet, AT(WsReportShare, set)},
   {"entered", 16, Number, AT(WsReportShare, n_pages)},
   {"frame", 8, NumberOrZero, AT(WsReportShare, frame)},
   {"folded", 6, YesOrNone, AT(WsReportShare, is_folded)},
   {"lead", 8, NumberOrZero, AT(WsReportShare, lead)},
   {"mapping", 0, Text, AT(WsReportShare, mapping)}};

static const Column heap[] = {
   {"sample", 8, Number, AT(WsReportShare, sample)},
   {"sums", 12, HeapSums, AT(WsReportShare, sums)},
   {"frame", 8, NumberOrZero, AT(WsReportShare, frame)},
   {"folded", 6, YesOrNone, AT(WsReportShare, is_folded)},
   {"lead", 8, NumberOrZero, AT(WsReportShare, lead)},
   {"mapping", 0, Text, AT(WsReportShare, mapping)}};

static const Column phases[] = {
   {"start", 16, Time, AT(WsReportPhase, start)},
   {"end", 16, Time, AT(WsReportPhase, end)},
   {"instructions", 16, Number, AT(WsReportPhase, instrs)},
   {"insn", 8, Number, AT(WsReportPhase, n_pages[Ws_Insn])},
   {"data", 8, Number, AT(WsReportPhase, n_pages[Ws_Data])},
   {"dirty", 8, Number, AT(WsReportPhase, n_pages[Ws_Dirty]), IfDirty},
   {"samples", 8, Number, AT(WsReportPhase, n_samples)},
   {"avg_insn", 9, Average, AT(WsReportPhase, stats[Ws_Insn])},
   {"max_insn", 9, Most, AT(WsReportPhase, stats[Ws_Insn])},
   {"avg_data", 9, Average, AT(WsReportPhase, stats[Ws_Data])},
   {"max_data", 9, Most, AT(WsReportPhase, stats[Ws_Data])},
   {"avg_dirty", 9, Average, AT(WsReportPhase, stats[Ws_Dirty]), IfDirty},
   {"max_dirty", 9, Most, AT(WsReportPhase, stats[Ws_Dirty]), IfDirty},
   {"info", 5, Number, AT(WsReportPhase, info)},
   {"label", 0, Text, AT(WsReportPhase, label)}};

static const Column sample_info[] = {
   {"info", 5, Number, AT(WsReportInfo, number)},
   {"refs", 8, Number, AT(WsReportInfo, n_rows)},
   {"kind", 8, Name, AT(WsReportInfo, kind)},
   {"set", 9, Name, AT(WsReportInfo, sets)},
   {"frame", 8, NumberOrZero, AT(WsReportInfo, frame)},
   {"label", 0, Text, AT(WsReportInfo, label)}};

static const Column pages[] = {
   {"count", 16, Number, AT(WsReportPage, n_accesses)},
   {"page", 18, Address, AT(WsReportPage, a)},
   {"last", 16, Time, AT(WsReportPage, last)},
   {"anew", 4, YesOrNone, AT(WsReportPage, is_mapped_anew)},
   {"frame", 8, NumberOrZero, AT(WsReportPage, frame)},
   {"mapping", 0, Text, AT(WsReportPage, mapping)}};

static const Column stacks[] = {
   {"frame", 8, Number, AT(WsReportFrame, number)},
   {"caller", 8, Caller, AT(WsReportFrame, caller)},
   {"address", 18, Address, AT(WsReportFrame, address)},
   {"line", 8, NumberOrZero, AT(WsReportFrame, line)},
   {"whose", 9, Whose, AT(WsReportFrame, whose)},
   {"place", 0, Text, AT(WsReportFrame, names)}};

static const Column spans[] = {
   {"t", 16, Time, AT(WsResidentSpan, t)},
   {"ms", 16, Number, AT(WsResidentSpan, ms)},
   {"resident", 8, Number, AT(WsResidentSpan, n_pages)},
   {"private", 8, Number, AT(WsResidentSpan, forked.n_private), IfDirty},
   {"owned", 8, Number, AT(WsResidentSpan, forked.n_owned), IfDirty},
   {"inherited", 9, Number, AT(WsResidentSpan, forked.n_inherited), IfDirty},
   {"lost", 8, Number, AT(WsResidentSpan, forked.n_lost), IfDirty}};

static const Column threads[] = {{"thread", 8, Number, AT(WsReportThread, tid)},
                                 {"name", 0, Text, AT(WsReportThread, name)}};

typedef struct {
   const HChar*  title;
   const Column* columns;
   UInt          n_columns;
} Table;

#define TABLE(title, columns) title, columns, sizeof columns / sizeof *columns

static const Table sections[] = {
   [Ws_WorkingSets]    = {TABLE("Working sets:\n", working_sets)},
   [Ws_Sizes]          = {TABLE("Sizes:\n", window_sizes)},
   [Ws_Totals]         = {TABLE("Totals:\n", totals)},
   [Ws_ResidentMemory] = {TABLE("Resident:\n", resident)},
   [Ws_Profile]        = {TABLE("Working set profile:\n", profile)},
   [Ws_KeptSamples]    = {TABLE("Kept samples:\n", kept_samples)},
   [Ws_Composition]    = {TABLE("Composition:\n", composition)},
   [Ws_Entries]        = {TABLE("Entries:\n", entries)},
   [Ws_HeapBlocks]     = {TABLE("Heap:\n", heap)},
   [Ws_Phases]         = {TABLE("Phases:\n", phases)},
   [Ws_SampleInfo]     = {TABLE("Sample info:\n", sample_info)},
   [Ws_CodePages]      = {TABLE("Code pages:\n", pages)},
   [Ws_DataPages]      = {TABLE("Data pages:\n", pages)},
   [Ws_Stacks]         = {TABLE("Stacks:\n", stacks)},
   [Ws_Clock]          = {TABLE("Clock:\n", spans)},
   [Ws_Threads]        = {TABLE("Threads:\n", threads)},
};

/* These have the most. */
_Static_assert(sizeof working_sets / sizeof *working_sets <= MAX_COLUMNS &&
                  sizeof phases / sizeof *phases <= MAX_COLUMNS,
               "ROW_SZB has room for all columns");

static const Column header_lines[] = {
   {"Command:", 0, Text, AT(WsReportHeader, command)},
   {"PID:", 0, Number, AT(WsReportHeader, pid)},
   {"PID since:", 0, Number, AT(WsReportHeader, pid_since)},
   {"Parent PID:", 0, NumberOrZero, AT(WsReportHeader, parent_pid)},
   {"Page size:", 0, Number, OPTION(page_szB)},
   {"Time unit:", 0, Unit, OPTION(is_clocked)},
   {"Start:", 0, Number, AT(WsReportHeader, start_ms)},
   {"Every:", 0, Time, OPTION(every)},
   {"Tau:", 0, Time, OPTION(taus.tau[0])},
   {"Further taus:", 0, Times, AT(WsReportHeader, further_taus)},
   {"Stacks:", 0, StacksName, OPTION(stacks)},
   {"Page log:", 0, Text, AT(WsReportHeader, page_log), IfReport},
   {"Peak window:", 0, Number, OPTION(peak_window_samples), IfPeaks},
   {"Peak threshold:", 0, Text, OPTION(peak_thresh.text), IfPeaks},
   {"Peak adapt:", 0, Text, OPTION(peak_adapt.text), IfPeaks},
   {"Dirty:", 0, YesOrNo, OPTION(dirty), IfLog},
   {"Threads:", 0, YesOrNo, OPTION(threads), IfLog},
   {"Code lines:", 0, YesOrNo, OPTION(code_lines), IfLog}};

static const Column summary_lines[] = {
   {"Instructions:", 0, Number, AT(WsReportSummary, instrs)},
   {"Milliseconds:", 0, Time, AT(WsReportSummary, end), IfClocked},
   {"Late avg us:", 0, Number, AT(WsReportSummary, late_avg_us), IfClocked},
   {"Late max us:", 0, Number, AT(WsReportSummary, late_max_us), IfClocked},
   {"Cached pages:", 0, Number, AT(WsReportSummary, cached_pages)},
   {"Not in limit:", 0, Text, AT(WsReportSummary, not_in_limit)},
   {"Not reached:", 0, Times, AT(WsReportSummary, not_reached)}};

static const Table report_header = {TABLE(TITLE FORMAT "3\n", header_lines)};
static const Table log_header = {TABLE(LOG_TITLE FORMAT "1\n", header_lines)};
static const Table summary    = {TABLE("\n--\n\nSummary:\n", summary_lines)};

/* Decides for the name of a column and for its values, so that no report has
   one without the other. */
static Bool is_there(const Column* c)
{
   switch (c->when) {
   case IfDirty: return WS_(clo).dirty;
   case IfGrowing: return WS_(clo).every_grows;
   case IfClocked: return WS_(clo).is_clocked;
   case IfPeaks: return WS_(clo).peak_detect && !is_log;
   case IfReport: return !is_log;
   case IfLog: return is_log;
   default: return True;
   }
}

/* --- Values --------------------------------------------------------------- */

/* Each function appends a value to a line that has room for it (ROW_SZB), and
   gives the end of the line.  No value but Text contains a blank: readers split
   rows at blanks. */

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

/* Appends a word, right-aligned as numbers are: names of columns stand above
   the ends of their values. */
static HChar* append_word(HChar* to, const HChar* word, UInt width)
{
   for (UInt n = VG_(strlen)(word); n < width; n++)
      *to++ = ' ';
   while (*word)
      *to++ = *word++;
   return to;
}

/* Appends n / one, where `one` is 10, 1000 and so on, with all digits. */
static HChar* append_decimal(HChar* to, ULong n, ULong one, UInt width)
{
   UInt n_digits = 0;

   for (ULong rest = one; rest > 1; rest /= 10)
      n_digits++;
   to    = append_number(to, n / one, width - n_digits - 1);
   *to++ = '.';
   for (one /= 10; one > 0; one /= 10)
      *to++ = '0' + n / one % 10;
   return to;
}

/* Appends why a sample is kept, padded behind, for what follows may have
   blanks. */
static HChar* append_why(HChar* to, UInt why, UInt width)
{
   static const HChar* const words[] = {"largest", "peak", "info-at",
                                        "snapshot", "end"};
   HChar*                    end     = to;

   for (UInt i = 0; why >> i; i++)
      if (why >> i & 1) {
         if (end > to)
            *end++ = ',';
         end = append_word(end, words[i], 0);
      }
   while (end < to + width)
      *end++ = ' ';
   return end;
}

static const HChar* set_name(UInt set)
{
   return set == WS_RESIDENT_SET   ? "resident"
          : set == WS_COLD_SET     ? "cold"
          : set == WS_UNSHARED_SET ? "unshared"
          : set == WS_HEAP_SET     ? "heap"
                                   : kind_names[WS_(kind_of_set)(set)];
}

/* Appends the further windows of a row: for each tau but the first, a column
   per kind. put_names has the same two loops. */
static HChar* append_windows(HChar* to, const WsSizes* sizes, UInt width)
{
   for (UInt i = 1; i < WS_(clo).taus.n; i++)
      for (UInt kind = 0; kind < WS_(n_kinds)(); kind++) {
         *to++ = ' ';
         to    = append_number(to, sizes->of[kind][i], width);
      }
   return to;
}

/* Appends what is summed up for an owner of the heap. put_heap_names has the
   same order. */
static HChar* append_heap(HChar* to, const ULong* sums, UInt width)
{
   for (UInt i = 0; i < WS_(n_heap_sums)(); i++) {
      *to++ = ' ';
      to    = append_number(to, sums[i], width);
   }
   return to;
}

static const void* value_of(const Column* c, const void* row)
{
   return (const UChar*)(c->is_option ? &WS_(clo) : row) + c->offset;
}

static const HChar* text_at(const Column* c, const void* row, const HChar* none)
{
   const HChar* text = *(const HChar* const*)value_of(c, row);
   return text ? text : none;
}

/* Appends a value of any form but texts. */
static HChar* append_value(HChar* to, const Column* c, const void* row)
{
   const void*    at = value_of(c, row);
   const WsStats* s  = at;
   UInt           w  = c->width;
   ULong          n  = c->szB == sizeof(ULong)  ? *(const ULong*)at
                       : c->szB == sizeof(UInt) ? *(const UInt*)at
                                                : *(const UChar*)at;

   if (n == WS_NONE && c->form <= Millionths && !c->is_option)
      return append_word(to, "-", w);
   switch (c->form) {
   case Number: return append_number(to, n, w);
   case Caller: // nobody knows it if the stack was cut
      if (((const WsReportFrame*)row)->is_cut)
         return append_word(to, "?", w);
      // Fall through.
   case NumberOrZero:
      return n ? append_number(to, n, w) : append_word(to, "-", w);
   case Address:
      return to + VG_(snprintf)(to, 32, "0x%016lx", *(const Addr*)at);
   case Time: return append_number(to, WS_(units)(n), w);
   case Life:
      return WS_(clo).is_clocked ? append_decimal(to, n, 1000, w)
                                 : append_number(to, n, w);
   case Millionths: return append_decimal(to, n, 1000000, w);
   case Average:
      if (s->weight == 0)
         return append_word(to, "-", w);
      n = WS_(stats_ratio)(s->sum_pages, s->weight, 1);
      return append_decimal(to, n, 10, w);
   case Most:
      return s->weight ? append_number(to, s->peak_pages, w)
                       : append_word(to, "-", w);
   case Kind: return append_word(to, kind_names[n], w);
   case Set: return append_word(to, set_name(n), w);
   case TauOfSet: // what is no working set has none
      if (n < WS_FIRST_SET)
         return append_word(to, "-", w);
      n = WS_(clo).taus.tau[WS_(tau_of_set)(n)];
      return append_number(to, WS_(units)(n), w);
   case FurtherWindows: return append_windows(to, at, w);
   case HeapSums: return append_heap(to, *(const ULong* const*)at, w);
   case Why: return append_why(to, n, w);
   case YesOrNone: return append_word(to, n ? "yes" : "-", w);
   case Name: return append_word(to, text_at(c, row, "-"), w);
   case Unit: return append_word(to, n ? "milliseconds" : "instructions", w);
   case StacksName: return append_word(to, stacks_names[n], w);
   case Whose: return append_word(to, whose_names[n], w);
   case YesOrNo: return append_word(to, n ? "yes" : "no", w);
   case Times:
   case Text: break;
   }
   return to;
}

static void put_text(const HChar* text)
{
   put(text);
   put("\n");
}

static void put_times(const WsTimes* times)
{
   HChar number[32];

   for (UWord i = 0; i < times->n; i++) {
      VG_(snprintf)(number, sizeof number, i ? ",%llu" : "%llu",
                    WS_(units)(times->first[i]));
      put(number);
   }
   put("\n");
}

/* Writes the lines of a header, or of the summary. */
static void put_lines(const Table* t, const void* of)
{
   HChar line[ROW_SZB];

   put(t->title);
   for (UInt i = 0; i < t->n_columns; i++) {
      const Column*  c     = &t->columns[i];
      const WsTimes* times = c->form == Times ? value_of(c, of) : NULL;
      const HChar*   text  = c->form == Text ? text_at(c, of, NULL) : NULL;
      HChar*         value = line + VG_(snprintf)(line, 32, "%-16s", c->name);
      HChar*         end   = append_value(value, c, of);

      *end = 0;
      if (!is_there(c) || VG_STREQ(value, "-") || (times && times->n == 0) ||
          (c->form == Text && !text))
         continue;
      put(line);
      if (times)
         put_times(times);
      else
         put_text(text ? text : "");
   }
   put("--\n");
}

static void put_heap_names(UInt width)
{
   static const HChar* const names[Ws_HotBytes] = {"blocks", "live", "resident",
                                                   "mixed"};
   HChar                     hot[64], column[64];

   for (UInt i = 0; i < WS_(n_heap_sums)(); i++) {
      if (i >= Ws_HotBytes)
         VG_(snprintf)(hot, sizeof hot, "hot_%llu",
                       WS_(units)(WS_(clo).taus.tau[i - Ws_HotBytes]));
      *append_word(column, i < Ws_HotBytes ? names[i] : hot, width) = 0;
      put(" ");
      put(column);
   }
}

/* Writes the name of a column, or of a column per further window and kind,
   in the order of append_windows. */
static void put_names(const Column* c)
{
   HChar name[64];

   if (c->form == HeapSums) {
      put_heap_names(c->width);
      return;
   }
   *append_word(name, c->name, c->width) = 0;
   if (c->form != FurtherWindows) {
      put(name);
      return;
   }
   for (UInt i = 1; i < WS_(clo).taus.n; i++)
      for (UInt kind = 0; kind < WS_(n_kinds)(); kind++) {
         VG_(snprintf)(name, sizeof name, " %s_%s_%llu", c->name,
                       kind_names[kind], WS_(units)(WS_(clo).taus.tau[i]));
         put(name);
      }
}

/* Columns are separated by one blank; further windows bring their own, for
   there may be none. */
void WS_(report_section)(WsSection section)
{
   const Table* t = &sections[section];

   present = section;
   put(t->title);
   for (UInt i = 0; i < t->n_columns; i++) {
      const Column* c = &t->columns[i];
      if (!is_there(c))
         continue;
      if (i > 0 && c->form != FurtherWindows && c->form != HeapSums)
         put(" ");
      put_names(c);
   }
   put("\n");
}

void WS_(report_row)(WsSection section, const void* row)
{
   HChar         line[ROW_SZB];
   HChar*        end  = line;
   const Column* c    = sections[section].columns;
   const Column* last = c + sections[section].n_columns;

   if (section != present)
      WS_(report_section)(section);
   for (; c < last && c->form != Text; c++) {
      if (!is_there(c))
         continue;
      if (end > line && c->form != FurtherWindows && c->form != HeapSums)
         *end++ = ' ';
      end = append_value(end, c, row);
   }
   *end++ = c < last ? ' ' : '\n';
   sink(line, end - line);
   if (c < last)
      put_text(text_at(c, row, ""));
}

void WS_(report_section_end)(void)
{
   if (present != Ws_WorkingSets)
      put("--\n\n");
   present = Ws_WorkingSets;
}

/* --- Header and sections -------------------------------------------------- */

/* The order of the sections is that of their calls, here and in ws_run.c.  What
   refers to stacks comes before them, for their numbers are given by that. */

void WS_(report_begin)(WsSink to, const WsReportHeader* h, Bool of_log)
{
   sink   = to;
   is_log = of_log;
   put_lines(is_log ? &log_header : &report_header, h);
   if (is_log)
      return;
   put("\n");
   WS_(report_section)(Ws_WorkingSets);
}

static ULong number_behind(const HChar* head, const HChar* key)
{
   const HChar* line = VG_(strstr)(head, key);
   return line ? VG_(strtoull10)(line + VG_(strlen)(key), NULL) : 0;
}

/* Recognizes what this module writes, of this or an earlier version.
   ws_outfiles asks before it would overwrite a file. */
Int WS_(report_pid)(const HChar* head, /*OUT*/ ULong* since)
{
   if (VG_(strncmp)(head, TITLE, sizeof TITLE - 1) != 0 &&
       VG_(strncmp)(head, LOG_TITLE, sizeof LOG_TITLE - 1) != 0)
      return 0;
   *since = number_behind(head, "\nPID since:");
   return (Int)number_behind(head, "\nPID:");
}

/* Writes sizes of windows, with the bound of the first one: samples can miss a
   short rise, the bound cannot. Then come totals, resident memory, and the
   profile, which may be empty. */
void WS_(report_summary)(const WsReportSummary* s)
{
   const UInt n_kinds = WS_(n_kinds)();

   put_lines(&summary, s);
   put("\n");
   for (UInt i = 0; i < WS_(clo).taus.n; i++)
      for (UInt kind = 0; kind < n_kinds; kind++)
         WS_(report_row)(Ws_Sizes, &s->sizes[kind][i]);
   WS_(report_section_end)();
   for (UInt kind = 0; kind < n_kinds; kind++)
      WS_(report_row)(Ws_Totals, &s->totals[kind]);
   WS_(report_section_end)();
   for (UInt i = 0; i < WS_N_RESIDENT; i++)
      WS_(report_row)(Ws_ResidentMemory, &WS_(resident).of[i]);
   WS_(report_section_end)();
   WS_(report_section)(Ws_Profile);
   for (UInt kind = 0; kind < n_kinds; kind++)
      for (UInt n = 0; n < s->profile[kind].n_rows; n++)
         WS_(report_row)(Ws_Profile, &s->profile[kind].rows[n]);
   WS_(report_section_end)();
}
