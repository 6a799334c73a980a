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

static const HChar* const kind_names[WS_N_KINDS]  = {"insn", "data", "dirty"};
static const HChar* const stacks_names[]          = {"no", "yes", "all"};
static const HChar* const kind_titles[WS_N_KINDS] = {"Insn", "Data", "Dirty"};

/* The names of the table's columns. */
static void put_columns(WsSink sink, WsReportParts parts)
{
   HChar name[64];

   put(sink, "               t WSS_insn WSS_data  info new_insn new_data "
             "total_insn total_data  mapped resident     cold");
   if (parts.dirty)
      put(sink, " WSS_dirty");
   for (UInt i = 1; i < parts.taus->n; i++)
      for (UInt kind = 0; kind < WS_(report_n_kinds)(parts); kind++) {
         VG_(snprintf)(name, sizeof name, " WSS_%s_%llu", kind_names[kind],
                       WS_(report_units)(parts, parts.taus->tau[i]));
         put(sink, name);
      }
   put(sink, parts.is_clocked ? " late_us\n" : "\n");
}

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
   put(sink, "--\n\nWorking sets:\n");
   put_columns(sink, h->parts);
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

static HChar* append_none(HChar* to, UInt width)
{
   for (; width > 1; width--)
      *to++ = ' ';
   *to++ = '-';
   return to;
}

static HChar* append_info(HChar* to, UInt info)
{
   return info == WS_NO_INFO ? append_none(to, 5) : append_number(to, info, 5);
}

static HChar* append_field(HChar* to, ULong n, UInt width)
{
   *to++ = ' ';
   return append_number(to, n, width);
}

void WS_(report_row)(WsSink sink, WsReportParts parts, const WsReportRow* row)
{
   // Blank and up to 20 digits each.
   HChar  line[21 * (WS_N_KINDS * (WS_MAX_TAUS + 2) + 6)];
   HChar* end = append_number(line, WS_(report_units)(parts, row->t), 16);

   end    = append_field(end, row->wss.of[Ws_Insn][0], 8);
   end    = append_field(end, row->wss.of[Ws_Data][0], 8);
   *end++ = ' ';
   end    = append_info(end, row->info);
   end    = append_field(end, row->new_pages[Ws_Insn], 8);
   end    = append_field(end, row->new_pages[Ws_Data], 8);
   end    = append_field(end, row->total_pages[Ws_Insn], 10);
   end    = append_field(end, row->total_pages[Ws_Data], 10);
   end    = append_field(end, row->mapped_pages, 7);
   end    = append_field(end, row->resident_pages, 8);
   end    = append_field(end, row->cold_pages, 8);
   if (parts.dirty)
      end = append_field(end, row->wss.of[Ws_Dirty][0], 9);
   for (UInt i = 1; i < parts.taus->n; i++)
      for (UInt kind = 0; kind < WS_(report_n_kinds)(parts); kind++)
         end = append_field(end, row->wss.of[kind][i], 8);
   if (parts.is_clocked)
      end = append_field(end, row->late, 7);
   *end++ = '\n';
   sink(line, end - line);
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

/* The time from one missing page to the next; "-" if there was none. */
static void format_life(HChar life[32], WsReportParts parts, const WsProfile* p,
                        UInt row)
{
   ULong n_entered = p->rows[row].n_entered;
   ULong ticks     = n_entered ? WS_(stats_ratio)(p->span, n_entered, 0) : 0;

   if (n_entered == 0)
      VG_(snprintf)(life, 32, "-");
   else if (parts.is_clocked)
      VG_(snprintf)(life, 32, "%llu.%03llu", ticks / 1000, ticks % 1000);
   else
      VG_(snprintf)(life, 32, "%llu", ticks);
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

/* What follows the sizes: nothing is known of how often pages enter a window
   that is shorter than T. */
static void format_entered(HChar text[LINE_SZB], const WsReportSummary* s,
                           WsKind kind, UInt n)
{
   const WsProfile* p    = &s->profile[kind];
   ULong            span = WS_(report_units)(s->parts, p->span);
   ULong            miss = WS_(stats_ratio)(p->rows[n].n_entered, span, 9);
   HChar            life[32], returned[32] = "-"; // not known of written pages

   format_life(life, s->parts, p, n);
   if (kind != Ws_Dirty)
      VG_(snprintf)(returned, sizeof returned, "%llu", p->rows[n].n_returned);
   if (p->rows[n].is_short)
      VG_(snprintf)(text, LINE_SZB, "%10s %10s %12s %12s", "-", "-", "-", "-");
   else
      VG_(snprintf)(text, LINE_SZB, "%10llu %10s %5llu.%06llu %12s",
                    p->rows[n].n_entered, returned, miss / 1000000,
                    miss % 1000000, life);
}

static void put_profile_row(WsSink sink, const WsReportSummary* s, WsKind kind,
                            UInt n)
{
   const WsProfile*    p   = &s->profile[kind];
   const WsProfileRow* row = &p->rows[n];
   ULong               avg = WS_(stats_avg_times)(&row->stats, 10);
   HChar               line[2 * LINE_SZB], entered[LINE_SZB];

   format_entered(entered, s, kind, n);
   VG_(snprintf)(
      line, sizeof line, "%5s %16llu %8llu.%llu %8lu %8lu %8lu %s %s\n",
      kind_names[kind], WS_(report_units)(s->parts, row->tau), avg / 10,
      avg % 10, row->median_pages, row->p95_pages, row->stats.peak_pages,
      entered, row->is_limited ? "limited" : "-");
   put(sink, line);
}

void WS_(report_resident)(WsSink sink, const WsReportSummary* s)
{
   static const HChar* const names[WS_N_RESIDENT] = {"insn", "data", "both"};
   HChar                     line[LINE_SZB];

   put(sink, "Resident:\n"
             "  set     most                t      end\n");
   for (UInt i = 0; i < WS_N_RESIDENT; i++) {
      const WsResidentCount* c = &s->resident.of[i];
      HChar* end               = line + VG_(snprintf)(line, 8, "%5s", names[i]);
      end                      = append_field(end, c->most_pages, 8);
      end    = append_field(end, WS_(report_units)(s->parts, c->most_t), 16);
      end    = append_field(end, c->n_pages, 8);
      *end++ = '\n';
      sink(line, end - line);
   }
   WS_(report_section_end)(sink);
}

void WS_(report_profile)(WsSink sink, const WsReportSummary* s)
{
   put(sink, "Working set profile:\n"
             "  set              tau        avg      p50      p95      max"
             "    entered   returned"
             "         miss         life note\n");
   for (UInt kind = 0; kind < WS_(report_n_kinds)(s->parts); kind++)
      for (UInt n = 0; n < s->profile[kind].n_rows; n++)
         put_profile_row(sink, s, kind, n);
   WS_(report_section_end)(sink);
}

void WS_(report_section_end)(WsSink sink)
{
   put(sink, "--\n\n");
}

void WS_(report_phases_begin)(WsSink sink, WsReportParts parts)
{
   put(sink, "Phases:\n           start              end     instructions"
             "     insn     data");
   if (parts.dirty)
      put(sink, "    dirty");
   put(sink, "  samples  avg_insn  max_insn  avg_data  max_data");
   if (parts.dirty)
      put(sink, " avg_dirty max_dirty");
   put(sink, "  info label\n");
}

/* A field for average and maximum each. */
static HChar* append_stats(HChar* to, const WsStats* stats)
{
   ULong avg     = WS_(stats_avg_times)(stats, 10); // in tenths
   UInt  max_szB = 64;

   if (stats->n_samples == 0)
      return to + VG_(snprintf)(to, max_szB, " %9s %9s", "-", "-");
   return to + VG_(snprintf)(to, max_szB, " %7llu.%llu %9lu", avg / 10,
                             avg % 10, stats->peak_pages);
}

void WS_(report_phase)(WsSink sink, WsReportParts parts,
                       const WsReportPhase* phase)
{
   HChar  line[64 * (5 + 2 * WS_N_KINDS)];
   HChar* end = append_number(line, WS_(report_units)(parts, phase->start), 16);

   end = append_field(end, WS_(report_units)(parts, phase->end), 16);
   end = append_field(end, phase->instrs, 16);
   for (UInt kind = 0; kind < WS_(report_n_kinds)(parts); kind++)
      end = append_field(end, phase->n_pages[kind], 8);
   end = append_field(end, phase->stats[Ws_Insn].n_samples, 8);
   for (UInt kind = 0; kind < WS_(report_n_kinds)(parts); kind++)
      end = append_stats(end, &phase->stats[kind]);
   *end++ = ' ';
   end    = append_info(end, phase->info);
   *end++ = ' ';
   sink(line, end - line);
   put(sink, phase->label);
   put(sink, "\n");
}

void WS_(report_kept_begin)(WsSink sink)
{
   put(sink, "Kept samples:\n"
             "  sample      set              tau                t    pages"
             "  written why                  label\n");
}

static void format_why(HChar why[32], const WsReportKept* k)
{
   const HChar* const words[] = {
      k->is_largest ? "largest" : NULL, k->is_peak ? "peak" : NULL,
      k->is_info_at ? "info-at" : NULL, k->label ? "snapshot" : NULL};
   UInt n = 0;

   why[0] = 0;
   for (UInt i = 0; i < sizeof words / sizeof words[0]; i++)
      if (words[i])
         n += VG_(snprintf)(why + n, 32 - n, "%s%s", n ? "," : "", words[i]);
}

/* What has origins: its name, and the length of its window. */
static HChar* append_set(HChar* to, WsReportParts parts, UInt set)
{
   if (set < WS_FIRST_SET)
      return append_none(
         to + VG_(snprintf)(to, 16, "%8s ",
                            set == WS_COLD_SET ? "cold" : "resident"),
         16);
   to += VG_(snprintf)(to, 16, "%8s ", kind_names[WS_(kind_of_set)(set)]);
   return append_number(
      to, WS_(report_units)(parts, parts.taus->tau[WS_(tau_of_set)(set)]), 16);
}

/* How many pages were written, if that is known. */
static HChar* append_written(HChar* to, WsReportParts parts, UInt set, UWord n)
{
   Bool is_known = parts.dirty && set >= WS_FIRST_SET &&
                   WS_(kind_of_set)(set) == Ws_Data;
   *to++ = ' ';
   return is_known ? append_number(to, n, 8) : append_none(to, 8);
}

void WS_(report_kept)(WsSink sink, WsReportParts parts, const WsReportKept* k)
{
   HChar  line[LINE_SZB], why[32];
   HChar* end = append_number(line, k->number, 8);

   format_why(why, k);
   *end++ = ' ';
   end    = append_set(end, parts, k->set);
   end    = append_field(end, WS_(report_units)(parts, k->t), 16);
   end    = append_field(end, k->n_pages, 8);
   end    = append_written(end, parts, k->set, k->n_written);
   end += VG_(snprintf)(end, 32, " %-20s ", why);
   sink(line, end - line);
   put(sink, k->label ? k->label : "");
   put(sink, "\n");
}

static HChar* append_frame(HChar* to, UInt frame)
{
   *to++ = ' ';
   return frame ? append_number(to, frame, 8) : append_none(to, 8);
}

static void put_mapping(WsSink sink, HChar* line, HChar* end,
                        const WsReportShare* share)
{
   *end++ = ' ';
   sink(line, end - line);
   put(sink, share->mapping);
   put(sink, "\n");
}

void WS_(report_shares_begin)(WsSink sink)
{
   put(sink, "Composition:\n"
             "  sample    pages  written    frame mapping\n");
}

void WS_(report_share)(WsSink sink, WsReportParts parts,
                       const WsReportShare* share)
{
   HChar  line[LINE_SZB];
   HChar* end = append_number(line, share->sample, 8);

   end = append_field(end, share->n_pages, 8);
   end = append_written(end, parts, share->set, share->n_written);
   put_mapping(sink, line, append_frame(end, share->frame), share);
}

void WS_(report_entries_begin)(WsSink sink)
{
   put(sink, "Entries:\n"
             "     set              tau          entered    frame folded "
             "mapping\n");
}

void WS_(report_entries)(WsSink sink, WsReportParts parts,
                         const WsReportShare* share)
{
   HChar  line[LINE_SZB];
   HChar* end = append_set(line, parts, share->set);

   end = append_frame(append_field(end, share->n_pages, 16), share->frame);
   end += VG_(snprintf)(end, 8, " %6s", share->is_folded ? "yes" : "-");
   put_mapping(sink, line, end, share);
}

void WS_(report_frames_begin)(WsSink sink)
{
   put(sink, "Stacks:\n"
             "   frame   caller            address     line place\n");
}

void WS_(report_frame)(WsSink sink, const WsReportFrame* frame)
{
   HChar  line[LINE_SZB];
   HChar* end = append_number(line, frame->number, 8);

   end = append_frame(end, frame->caller);
   if (frame->is_cut)
      end[-1] = '?';
   end += VG_(snprintf)(end, 32, " 0x%016lx ", frame->address);
   end = frame->line ? append_number(end, frame->line, 8) : append_none(end, 8);
   *end++ = ' ';
   sink(line, end - line);
   put(sink, frame->names);
   put(sink, "\n");
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
   HChar line[LINE_SZB];

   put(sink, "Clock:\n               t               ms resident\n");
   for (UInt i = 0; i < s->resident.n_spans; i++) {
      const WsResidentSpan* span = &s->resident.spans[i];
      ULong                 t    = WS_(report_units)(s->parts, span->t);
      HChar* end = append_field(append_number(line, t, 16), span->ms, 16);
      end        = append_field(end, span->n_pages, 8);
      *end++     = '\n';
      sink(line, end - line);
   }
   WS_(report_section_end)(sink);
}

void WS_(report_end)(WsSink sink)
{
   put(sink, WS_REPORT_END);
}
