/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_report.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"

#define FORMAT_VERSION 2
#define LOG_VERSION    1
#define TITLE          "Working Set Measurement by valgrind-ws-"
#define LOG_TITLE      "Page log by valgrind-ws-"

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

ULong WS_(report_units)(WsReportParts parts, WsTick ticks)
{
   return parts.is_clocked && ticks != WS_NEVER ? ticks / 1000 : ticks;
}

/* A line of the header, for a value that is a number. */
static void put_number(WsSink sink, const HChar* name, ULong value,
                       const HChar* unit)
{
   HChar line[100];
   VG_(snprintf)(line, sizeof line, "%-16s%llu%s\n", name, value, unit);
   put(sink, line);
}

static void put_taus(WsSink sink, WsReportParts parts)
{
   HChar number[64];

   put_number(sink, "Tau:", WS_(report_units)(parts, parts.taus->tau[0]), "");
   for (UInt i = 1; i < parts.taus->n; i++) {
      VG_(snprintf)(number, sizeof number, "%s%llu",
                    i == 1 ? "Further taus:   " : ",",
                    WS_(report_units)(parts, parts.taus->tau[i]));
      put(sink, number);
   }
   if (parts.taus->n > 1)
      put(sink, "\n");
}

/* A row without its text: for each column a blank, and at most 20 digits or a
   word of less than 32 characters. */
#define ROW_SZB (16 * 33 + WS_N_KINDS * WS_MAX_TAUS * 21)

static const HChar* const kind_names[WS_N_KINDS]  = {"insn", "data", "dirty"};
static const HChar* const stacks_names[]          = {"no", "yes", "all"};
static const HChar* const kind_titles[WS_N_KINDS] = {"Insn", "Data", "Dirty"};

static void put_yes_no(WsSink sink, const HChar* name, Bool yes)
{
   put_text(sink, name, yes ? "yes" : "no");
}

/* What headers of reports and of page logs have in common. */
static void put_header(WsSink sink, const WsReportHeader* h, UInt version)
{
   put_number(sink, "Format:", version, "");
   put_text(sink, "Command:", h->command);
   put_number(sink, "PID:", h->pid, "");
   if (h->parent_pid)
      put_number(sink, "Parent PID:", h->parent_pid, "");
   put_number(sink, "Page size:", h->page_szB, " B");
   put_text(sink, "Time unit:",
            h->parts.is_clocked ? "milliseconds" : "instructions");
   put_number(sink, "Start:", h->start_ms, "");
   put_number(sink, "Every:", WS_(report_units)(h->parts, h->every), "");
   put_taus(sink, h->parts);
   put_text(sink, "Stacks:", stacks_names[h->parts.stacks]);
}

void WS_(report_log_begin)(WsSink sink, const WsReportHeader* h)
{
   put(sink, LOG_TITLE WS_VERSION "\n");
   put_header(sink, h, LOG_VERSION);
   put_yes_no(sink, "Dirty:", h->parts.dirty);
   put_yes_no(sink, "Threads:", h->threads);
   put(sink, "--\n");
}

void WS_(report_begin)(WsSink sink, const WsReportHeader* h)
{
   put(sink, TITLE WS_VERSION "\n");
   put_header(sink, h, FORMAT_VERSION);
   if (h->parts.peaks) {
      put_number(sink, "Peak window:", h->peak_window_samples, "");
      put_text(sink, "Peak threshold:", h->peak_thresh);
      put_text(sink, "Peak adapt:", h->peak_adapt);
   }
   put(sink, "--\n\n");
   WS_(report_section)(sink, h->parts, Ws_WorkingSets);
}

static Bool begins_with(const HChar* text, const HChar* title)
{
   return VG_(strncmp)(text, title, VG_(strlen)(title)) == 0;
}

Int WS_(report_pid)(const HChar* head)
{
   const HChar* line;

   if (!begins_with(head, TITLE) && !begins_with(head, LOG_TITLE))
      return 0;
   line = VG_(strstr)(head, "\nPID:");
   return line ? (Int)VG_(strtoll10)(line + VG_(strlen)("\nPID:"), NULL) : 0;
}

/* --- Tables --------------------------------------------------------------- */

/* How a value is written. */
typedef enum {
   Number,
   NumberOrNone, // WS_NONE, or WS_NO_INFO: "-"
   NumberOrZero, // 0: "-"
   Caller,       // the same, or "?" if is_cut
   Address,
   Time,       // ticks
   Life,       // ticks with all their digits, or WS_NONE
   Millionths, // or WS_NONE
   Average,
   Most,           // of WsStats; "-" without samples
   Set,            // a set that has origins, and
   TauOfSet,       // the length of its window
   FurtherWindows, // WsSizes: a column for each kind and further tau
   Why,            // a sample is kept
   YesOrNone,
   Name, // right-aligned
   Text  // of any length, in the last column
} Form;

typedef enum { Always, IfDirty, IfClocked } When;

/* All that the report has of a column. */
typedef struct {
   const HChar* name;
   UInt         width; // at least
   Form         form;
   SizeT        offset, szB; // of the value in the row
   When         when;
} Column;

#define AT(Row, member)                                                        \
   .offset = offsetof(Row, member), .szB = sizeof(((Row*)0)->member)

#define SETS(member) AT(WsReportRow, member)
static const Column working_sets[] = {
   {"t", 16, Time, SETS(t)},
   {"WSS_insn", 8, Number, SETS(wss.of[Ws_Insn][0])},
   {"WSS_data", 8, Number, SETS(wss.of[Ws_Data][0])},
   {"info", 5, NumberOrNone, SETS(info)},
   {"new_insn", 8, Number, SETS(new_pages[Ws_Insn])},
   {"new_data", 8, Number, SETS(new_pages[Ws_Data])},
   {"total_insn", 10, Number, SETS(total_pages[Ws_Insn])},
   {"total_data", 10, Number, SETS(total_pages[Ws_Data])},
   {"mapped", 7, Number, SETS(mapped_pages)},
   {"resident", 8, Number, SETS(resident_pages)},
   {"cold", 8, Number, SETS(cold_pages)},
   {"WSS_dirty", 9, Number, SETS(wss.of[Ws_Dirty][0]), IfDirty},
   {"WSS", 8, FurtherWindows, SETS(wss)},
   {"late_us", 7, Number, SETS(late), IfClocked},
   {.name = NULL}};

#define RESIDENT(member) AT(WsReportResident, member)
static const Column resident[] = {
   {"set", 5, Name, RESIDENT(set)},
   {"most", 8, Number, RESIDENT(count.most_pages)},
   {"t", 16, Time, RESIDENT(count.most_t)},
   {"end", 8, Number, RESIDENT(count.n_pages)},
   {.name = NULL}};

#define PROFILE(member) AT(WsReportProfile, member)
static const Column profile[] = {
   {"set", 5, Name, PROFILE(set)},
   {"tau", 16, Time, PROFILE(window.tau)},
   {"avg", 10, Average, PROFILE(window.stats)},
   {"p50", 8, Number, PROFILE(window.median_pages)},
   {"p95", 8, Number, PROFILE(window.p95_pages)},
   {"max", 8, Number, PROFILE(window.stats.peak_pages)},
   {"entered", 10, NumberOrNone, PROFILE(n_entered)},
   {"returned", 10, NumberOrNone, PROFILE(n_returned)},
   {"miss", 12, Millionths, PROFILE(miss)},
   {"life", 12, Life, PROFILE(life)},
   {"note", 0, Text, PROFILE(note)},
   {.name = NULL}};

#define KEPT(member) AT(WsReportKept, member)
static const Column kept_samples[] = {
   {"sample", 8, Number, KEPT(number)},
   {"set", 8, Set, KEPT(set)},
   {"tau", 16, TauOfSet, KEPT(set)},
   {"t", 16, Time, KEPT(t)},
   {"pages", 8, Number, KEPT(n_pages)},
   {"written", 8, NumberOrNone, KEPT(n_written)},
   {"why                 ", 20, Why, KEPT(why)},
   {"label", 0, Text, KEPT(label)},
   {.name = NULL}};

#define SHARE(member) AT(WsReportShare, member)
static const Column composition[] = {
   {"sample", 8, Number, SHARE(sample)},
   {"pages", 8, Number, SHARE(n_pages)},
   {"written", 8, NumberOrNone, SHARE(n_written)},
   {"frame", 8, NumberOrZero, SHARE(frame)},
   {"mapping", 0, Text, SHARE(mapping)},
   {.name = NULL}};
static const Column entries[] = {{"set", 8, Set, SHARE(set)},
                                 {"tau", 16, TauOfSet, SHARE(set)},
                                 {"entered", 16, Number, SHARE(n_pages)},
                                 {"frame", 8, NumberOrZero, SHARE(frame)},
                                 {"folded", 6, YesOrNone, SHARE(is_folded)},
                                 {"mapping", 0, Text, SHARE(mapping)},
                                 {.name = NULL}};

#define FRAME(member) AT(WsReportFrame, member)
static const Column stacks[] = {{"frame", 8, Number, FRAME(number)},
                                {"caller", 8, Caller, FRAME(caller)},
                                {"address", 18, Address, FRAME(address)},
                                {"line", 8, NumberOrZero, FRAME(line)},
                                {"place", 0, Text, FRAME(names)},
                                {.name = NULL}};

#define PHASE(member) AT(WsReportPhase, member)
static const Column phases[] = {
   {"start", 16, Time, PHASE(start)},
   {"end", 16, Time, PHASE(end)},
   {"instructions", 16, Number, PHASE(instrs)},
   {"insn", 8, Number, PHASE(n_pages[Ws_Insn])},
   {"data", 8, Number, PHASE(n_pages[Ws_Data])},
   {"dirty", 8, Number, PHASE(n_pages[Ws_Dirty]), IfDirty},
   {"samples", 8, Number, PHASE(stats[Ws_Insn].n_samples)},
   {"avg_insn", 9, Average, PHASE(stats[Ws_Insn])},
   {"max_insn", 9, Most, PHASE(stats[Ws_Insn])},
   {"avg_data", 9, Average, PHASE(stats[Ws_Data])},
   {"max_data", 9, Most, PHASE(stats[Ws_Data])},
   {"avg_dirty", 9, Average, PHASE(stats[Ws_Dirty]), IfDirty},
   {"max_dirty", 9, Most, PHASE(stats[Ws_Dirty]), IfDirty},
   {"info", 5, NumberOrNone, PHASE(info)},
   {"label", 0, Text, PHASE(label)},
   {.name = NULL}};

#define SPAN(member) AT(WsResidentSpan, member)
static const Column spans[] = {{"t", 16, Time, SPAN(t)},
                               {"ms", 16, Number, SPAN(ms)},
                               {"resident", 8, Number, SPAN(n_pages)},
                               {.name = NULL}};

static const struct {
   const HChar*  title;
   const Column* columns;
} sections[] = {
   [Ws_WorkingSets]    = {"Working sets:\n", working_sets},
   [Ws_ResidentMemory] = {"Resident:\n", resident},
   [Ws_Profile]        = {"Working set profile:\n", profile},
   [Ws_KeptSamples]    = {"Kept samples:\n", kept_samples},
   [Ws_Composition]    = {"Composition:\n", composition},
   [Ws_Entries]        = {"Entries:\n", entries},
   [Ws_Stacks]         = {"Stacks:\n", stacks},
   [Ws_Phases]         = {"Phases:\n", phases},
   [Ws_Clock]          = {"Clock:\n", spans},
};

static Bool is_there(const Column* c, WsReportParts parts)
{
   return c->when == Always || (c->when == IfDirty && parts.dirty) ||
          (c->when == IfClocked && parts.is_clocked);
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

static HChar* append_word(HChar* to, const HChar* word, UInt width)
{
   for (UInt n = VG_(strlen)(word); n < width; n++)
      *to++ = ' ';
   while (*word)
      *to++ = *word++;
   return to;
}

/* n / one, where `one` is 10, 1000 and so on, with all digits. */
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

static HChar* append_stats(HChar* to, Form form, const WsStats* s, UInt width)
{
   if (s->n_samples == 0)
      return append_word(to, "-", width);
   return form == Most
             ? append_number(to, s->peak_pages, width)
             : append_decimal(to, WS_(stats_avg_times)(s, 10), 10, width);
}

/* Padded behind, for what follows may have blanks. */
static HChar* append_why(HChar* to, UInt why, UInt width)
{
   static const HChar* const words[] = {"largest", "peak", "info-at",
                                        "snapshot"};
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
   return set == WS_RESIDENT_SET ? "resident"
          : set == WS_COLD_SET   ? "cold"
                                 : kind_names[WS_(kind_of_set)(set)];
}

/* Resident and cold memory have none. */
static HChar* append_tau(HChar* to, WsReportParts parts, UInt set, UInt width)
{
   if (set < WS_FIRST_SET)
      return append_word(to, "-", width);
   WsTick tau = parts.taus->tau[WS_(tau_of_set)(set)];
   return append_number(to, WS_(report_units)(parts, tau), width);
}

static HChar* append_windows(HChar* to, WsReportParts parts,
                             const WsSizes* sizes, UInt width)
{
   for (UInt i = 1; i < parts.taus->n; i++)
      for (UInt kind = 0; kind < WS_(report_n_kinds)(parts); kind++) {
         *to++ = ' ';
         to    = append_number(to, sizes->of[kind][i], width);
      }
   return to;
}

static HChar* append_optional(HChar* to, ULong n, ULong none, UInt width)
{
   return n == none ? append_word(to, "-", width) : append_number(to, n, width);
}

static HChar* append_caller(HChar* to, const WsReportFrame* f, UInt width)
{
   return f->is_cut ? append_word(to, "?", width)
                    : append_optional(to, f->caller, 0, width);
}

/* All but texts. */
static HChar* append_value(HChar* to, WsReportParts parts, const Column* c,
                           const void* row)
{
   const void* at = (const UChar*)row + c->offset;
   UInt        w  = c->width;
   ULong       n  = c->szB == sizeof(ULong)  ? *(const ULong*)at
                    : c->szB == sizeof(UInt) ? *(const UInt*)at
                                             : *(const UChar*)at;

   switch (c->form) {
   case Number: return append_number(to, n, w);
   case NumberOrNone:
      return append_optional(to, n, c->szB == sizeof n ? WS_NONE : WS_NO_INFO,
                             w);
   case NumberOrZero: return append_optional(to, n, 0, w);
   case Caller: return append_caller(to, row, w);
   case Address:
      return to + VG_(snprintf)(to, 32, "0x%016lx", *(const Addr*)at);
   case Time: return append_number(to, WS_(report_units)(parts, n), w);
   case Life:
      return n != WS_NONE && parts.is_clocked
                ? append_decimal(to, n, 1000, w)
                : append_optional(to, n, WS_NONE, w);
   case Millionths:
      return n == WS_NONE ? append_word(to, "-", w)
                          : append_decimal(to, n, 1000000, w);
   case Average:
   case Most: return append_stats(to, c->form, at, w);
   case Set: return append_word(to, set_name(n), w);
   case TauOfSet: return append_tau(to, parts, n, w);
   case FurtherWindows: return append_windows(to, parts, at, w);
   case Why: return append_why(to, n, w);
   case YesOrNone: return append_word(to, n ? "yes" : "-", w);
   case Name: return append_word(to, *(const HChar* const*)at, w);
   case Text: break;
   }
   return to;
}

static void put_names(WsSink sink, WsReportParts parts, const Column* c)
{
   HChar name[64];

   *append_word(name, c->name, c->width) = 0;
   if (c->form != FurtherWindows) {
      put(sink, name);
      return;
   }
   for (UInt i = 1; i < parts.taus->n; i++)
      for (UInt kind = 0; kind < WS_(report_n_kinds)(parts); kind++) {
         VG_(snprintf)(name, sizeof name, " %s_%s_%llu", c->name,
                       kind_names[kind],
                       WS_(report_units)(parts, parts.taus->tau[i]));
         put(sink, name);
      }
}

void WS_(report_section)(WsSink sink, WsReportParts parts, WsSection section)
{
   const Column* c = sections[section].columns;

   put(sink, sections[section].title);
   for (Bool is_first = True; c->name; c++) {
      if (!is_there(c, parts))
         continue;
      if (!is_first && c->form != FurtherWindows)
         put(sink, " ");
      put_names(sink, parts, c);
      is_first = False;
   }
   put(sink, "\n");
}

void WS_(report_row)(WsSink sink, WsReportParts parts, WsSection section,
                     const void* row)
{
   HChar         line[ROW_SZB];
   HChar*        end = line;
   const Column* c   = sections[section].columns;

   for (; c->name && c->form != Text; c++) {
      if (!is_there(c, parts))
         continue;
      if (end > line && c->form != FurtherWindows)
         *end++ = ' ';
      end = append_value(end, parts, c, row);
   }
   *end++ = c->name ? ' ' : '\n';
   sink(line, end - line);
   if (!c->name)
      return;
   const HChar* text = *(const HChar* const*)((const UChar*)row + c->offset);
   put(sink, text ? text : "");
   put(sink, "\n");
}

static ULong to_kB(ULong n_bytes)
{
   return (n_bytes + 512) / 1024;
}

#define LINE_SZB 200

/* "2.1/40 pages (8/160 kB)", and the totals as well if there is one; "-" for
   what only samples have. */
static void format_sizes(HChar* line, const WsStats* stats, const UWord* total,
                         UWord page_szB)
{
   HChar total_pages[32] = "", total_kB[32] = "";
   HChar pages[48] = "-/-", kB[48] = "-/-";
   ULong avg = WS_(stats_avg_times)(stats, 10); // in tenths

   if (total) {
      VG_(snprintf)(total_pages, sizeof total_pages, "/%lu", *total);
      VG_(snprintf)(total_kB, sizeof total_kB, "/%llu",
                    to_kB((ULong)*total * page_szB));
   }
   if (stats->n_samples > 0) {
      VG_(snprintf)(pages, sizeof pages, "%llu.%llu/%lu", avg / 10, avg % 10,
                    stats->peak_pages);
      VG_(snprintf)(kB, sizeof kB, "%llu/%llu",
                    WS_(stats_avg_kB)(stats, page_szB),
                    to_kB((ULong)stats->peak_pages * page_szB));
   }
   VG_(snprintf)(line, LINE_SZB, "%s%s pages (%s%s kB)", pages, total_pages, kB,
                 total_kB);
}

static void put_sizes(WsSink sink, const WsReportSummary* s)
{
   HChar line[2 * LINE_SZB], sizes[LINE_SZB];

   for (UInt kind = 0; kind < WS_(report_n_kinds)(s->parts); kind++) {
      format_sizes(sizes, &s->stats[kind][0], &s->total_pages[kind],
                   s->page_szB);
      VG_(snprintf)(line, sizeof line, "%s avg/peak/total: %s\n",
                    kind_titles[kind], sizes);
      put(sink, line);
   }
   for (UInt i = 1; i < s->parts.taus->n; i++)
      for (UInt kind = 0; kind < WS_(report_n_kinds)(s->parts); kind++) {
         format_sizes(sizes, &s->stats[kind][i], NULL, s->page_szB);
         VG_(snprintf)(
            line, sizeof line, "%s avg/peak, tau=%llu: %s\n", kind_titles[kind],
            WS_(report_units)(s->parts, s->parts.taus->tau[i]), sizes);
         put(sink, line);
      }
}

/* Samples can miss a short rise, this cannot. */
static void put_bounds(WsSink sink, const WsReportSummary* s)
{
   HChar line[LINE_SZB];

   for (UInt kind = 0; kind < WS_(report_n_kinds)(s->parts); kind++) {
      VG_(snprintf)(line, sizeof line, "%s bound: %lu pages (%llu kB)\n",
                    kind_titles[kind], s->bound_pages[kind],
                    to_kB((ULong)s->bound_pages[kind] * s->page_szB));
      put(sink, line);
   }
}

static void put_no_sample(WsSink sink, const WsReportSummary* s)
{
   HChar line[LINE_SZB];
   ULong every = WS_(report_units)(s->parts, s->end) / 100;

   if (s->n_samples > 0)
      return;
   VG_(snprintf)(line, sizeof line,
                 "No sample:      the run ended before the first one; "
                 "--ws-every=%llu gives 100\n",
                 every ? every : 1);
   put(sink, line);
}

void WS_(report_summary_lines)(WsSink sink, const WsReportSummary* s)
{
   HChar line[LINE_SZB];

   VG_(snprintf)(line, sizeof line, "Instructions:   %llu\n", s->instrs);
   put(sink, line);
   if (s->parts.is_clocked) {
      VG_(snprintf)(line, sizeof line, "Milliseconds:   %llu\n",
                    WS_(report_units)(s->parts, s->end));
      put(sink, line);
   }
   put_sizes(sink, s);
   put_bounds(sink, s);
   put_no_sample(sink, s);
   if (s->parts.is_clocked && s->n_samples > 0) {
      VG_(snprintf)(line, sizeof line, "Late avg/max:   %llu/%llu us\n",
                    s->late_avg_us, s->late_max_us);
      put(sink, line);
   }
   if (s->n_mapped_anew[Ws_Insn] || s->n_mapped_anew[Ws_Data]) {
      VG_(snprintf)(line, sizeof line, "Mapped anew insn/data: %lu/%lu pages\n",
                    s->n_mapped_anew[Ws_Insn], s->n_mapped_anew[Ws_Data]);
      put(sink, line);
   }
   if (s->parts.peaks) {
      VG_(snprintf)(line, sizeof line, "Peaks insn/data: %llu/%llu\n",
                    s->n_peaks[Ws_Insn], s->n_peaks[Ws_Data]);
      put(sink, line);
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
                    WS_(report_units)(s->parts, s->not_reached[i]));
      put(sink, number);
   }
   put(sink, "\n");
}

void WS_(report_summary)(WsSink sink, const WsReportSummary* s)
{
   put(sink, "\n--\n\n");
   WS_(report_summary_lines)(sink, s);
   put_not_reached(sink, s);
   WS_(report_section_end)(sink);
}

void WS_(report_section_end)(WsSink sink)
{
   put(sink, "--\n\n");
}

void WS_(report_resident)(WsSink sink, const WsReportSummary* s)
{
   static const HChar* const names[WS_N_RESIDENT] = {"insn", "data", "both"};

   WS_(report_section)(sink, s->parts, Ws_ResidentMemory);
   for (UInt i = 0; i < WS_N_RESIDENT; i++)
      WS_(report_row)(sink, s->parts, Ws_ResidentMemory,
                      &(WsReportResident){names[i], s->resident.of[i]});
   WS_(report_section_end)(sink);
}

/* Nothing is known of how often pages enter a window that is shorter than T,
   nor of how written ones return. */
static WsReportProfile profile_row(const WsReportSummary* s, WsKind kind,
                                   const WsProfileRow* window)
{
   const ULong     span = s->profile[kind].span;
   const ULong     n    = window->n_entered;
   WsReportProfile row  = {.set        = kind_names[kind],
                           .window     = *window,
                           .n_entered  = WS_NONE,
                           .n_returned = WS_NONE,
                           .miss       = WS_NONE,
                           .life       = WS_NONE,
                           .note       = window->is_limited ? "limited" : "-"};

   if (window->is_short)
      return row;
   row.n_entered = n;
   row.miss      = WS_(stats_ratio)(n, WS_(report_units)(s->parts, span), 9);
   if (n > 0)
      row.life = WS_(stats_ratio)(span, n, 0);
   if (kind != Ws_Dirty)
      row.n_returned = window->n_returned;
   return row;
}

void WS_(report_profile)(WsSink sink, const WsReportSummary* s)
{
   WS_(report_section)(sink, s->parts, Ws_Profile);
   for (UInt kind = 0; kind < WS_(report_n_kinds)(s->parts); kind++)
      for (UInt n = 0; n < s->profile[kind].n_rows; n++) {
         WsReportProfile row = profile_row(s, kind, &s->profile[kind].rows[n]);
         WS_(report_row)(sink, s->parts, Ws_Profile, &row);
      }
   WS_(report_section_end)(sink);
}

void WS_(report_infos_begin)(WsSink sink)
{
   put(sink, "Sample info:\n");
}

void WS_(report_info)(WsSink sink, const WsReportInfo* info)
{
   HChar head[64];

   VG_(snprintf)(head, sizeof head, "[%4u] refs=%u, ", info->number,
                 info->n_rows);
   put(sink, head);
   if (info->sets) {
      put(sink, "set=");
      put(sink, info->sets);
      put(sink, ", ");
   }
   put(sink, "loc=");
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

void WS_(report_page)(WsSink sink, WsReportParts parts,
                      const WsReportPage* page)
{
   HChar numbers[100];

   VG_(snprintf)(numbers, sizeof numbers, "%16llu 0x%016lx %16llu  ",
                 page->n_accesses, page->a,
                 WS_(report_units)(parts, page->last));
   put(sink, numbers);
   if (page->place) {
      put(sink, page->place);
      put(sink, " ");
   }
   put(sink, "[");
   put(sink, page->owner);
   put(sink, page->is_mapped_anew ? ", mapped anew]\n" : "]\n");
}

void WS_(report_clock)(WsSink sink, const WsReportSummary* s)
{
   WS_(report_section)(sink, s->parts, Ws_Clock);
   for (UInt i = 0; i < s->resident.n_spans; i++)
      WS_(report_row)(sink, s->parts, Ws_Clock, &s->resident.spans[i]);
   WS_(report_section_end)(sink);
}

void WS_(report_end)(WsSink sink)
{
   put(sink, WS_REPORT_END);
}
