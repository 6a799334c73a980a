/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_summary.h"

#include "ws_clo.h"
#include "ws_intern.h"
#include "ws_mappings.h"
#include "ws_sample.h"
#include "ws_stacks.h"
#include "ws_symbols.h"

static WsSay say; // who is told

/* --- Numbers, as ws_python/base/units.py writes them ---------------------- */

#define NUMBER_SZB 80

/* Passed by value, so that one line can have several. */
typedef struct {
   HChar text[NUMBER_SZB];
} Words;

/* Writes n / unit with three digits, or with all that are in front of the
   point. */
static Words in_unit(ULong n, ULong unit, const HChar* name)
{
   Words w;
   UInt  n_digits = n / unit < 10 ? 2 : n / unit < 100 ? 1 : 0;
   ULong ratio    = WS_(stats_ratio)(n, unit, n_digits);

   for (; n_digits > 0 && ratio % 10 == 0; n_digits--)
      ratio /= 10;
   if (n_digits == 2)
      VG_(sprintf)(w.text, "%llu.%02llu %s", ratio / 100, ratio % 100, name);
   else if (n_digits == 1)
      VG_(sprintf)(w.text, "%llu.%llu %s", ratio / 10, ratio % 10, name);
   else
      VG_(sprintf)(w.text, "%llu %s", ratio, name);
   return w;
}

/* Writes n in the largest unit in which it is 1 at least, once it is
   rounded. */
static Words in_units(ULong n, ULong base, const HChar* const* names)
{
   ULong unit = 1;

   for (; names[1] && WS_(stats_ratio)(n, unit, 0) >= base; names++)
      unit *= base;
   return in_unit(n, unit, *names);
}

static Words bytes_of(UWord n_pages)
{
   static const HChar* const names[] = {"B", "KiB", "MiB", "GiB", "TiB", NULL};
   return in_units((ULong)n_pages * WS_(clo).page_szB, 1024, names);
}

/* Writes instructions; or milliseconds with their unit, for they may be
   seconds. */
static Words number(ULong n)
{
   static const HChar* const names[] = {"", "k", "M", "G", "T", NULL};
   Words                     w;

   if (WS_(clo).is_clocked)
      return n < 1000 ? in_unit(n, 1, "ms") : in_unit(n, 1000, "s");
   if (n >= 1000000)
      return in_units(n, 1000, names);
   VG_(sprintf)(w.text, "%'llu", n);
   return w;
}

/* Writes a time; `unit` is that of instructions. */
static Words time_in(WsTick t, const HChar* unit)
{
   Words w = number(WS_(units)(t));

   if (!WS_(clo).is_clocked)
      VG_(strcat)(w.text, unit);
   return w;
}

/* --- What a set is made of ------------------------------------------------ */

/* A set has shares by stack and mapping, thousands of them; people want
   three names.  So the pages of a share are those of the function that leads
   its stack (ws_stacks.h), or else of its mapping, and equal names are one
   part. */

/* Pages that have a function, or a mapping, in common. */
typedef struct {
   UWord          n_pages;
   const WsPlace* lead; // NULL: a mapping
   UInt           mapping;
   // If it is so for more than half of the pages:
   const WsPlace* line;
   const WsPlace* via;
} Part;

/* Pages of a part that have a line, or what lies between, in common. */
typedef struct {
   UWord          n_pages;
   const WsPlace* place;
} Detail;

#define N_PARTS     3
#define MIN_PERCENT 5 // of all but the largest

static WsPairs parts   = {.entry_szB = sizeof(Part)};
static WsPairs details = {.entry_szB = sizeof(Detail)}; // of 2 * part + is_via

static Bool is_stack(UInt mapping)
{
   return VG_(strncmp)(WS_(mapping_name)(mapping), "stack of", 8) == 0;
}

/* Counts pages by their line, or by what lies between, within a part. */
static void add_detail(UInt part, Bool is_via, const WsPlace* place,
                       UWord n_pages)
{
   UWord   key = is_via ? (UWord)place->names : place->line;
   Detail* d   = WS_(pair_get)(&details, 2 * part + is_via, key);

   d->place = place;
   d->n_pages += n_pages;
}

/* Adds a share to its part: that of the function that leads its stack, or
   else that of its mapping.  Pairs tell the two apart, for an address of a
   text may be the number of a mapping. */
static void add_share(UInt set, const WsShare* s)
{
   WsLead lead    = {NULL, NULL};
   Bool   is_code = set >= WS_FIRST_SET && WS_(kind_of_set)(set) == Ws_Insn;

   // Which function pushes first on a page of the stack says little, and a page
   // of code is mostly entered once from each place.
   if (!is_code && !is_stack(s->mapping))
      lead = WS_(frame_lead)(s->code);
   UInt  n    = WS_(pair_number)(&parts,
                             lead.place ? (UWord)lead.place->names : s->mapping,
                             lead.place != NULL);
   Part* p    = WS_(pair_entry)(&parts, n);
   p->lead    = lead.place;
   p->mapping = s->mapping;
   p->n_pages += s->n_pages;
   if (lead.place)
      add_detail(n, False, lead.place, s->n_pages);
   if (lead.via)
      add_detail(n, True, lead.via, s->n_pages);
}

/* Finds the line of a part, and what lies between. Each is said only if it is
   that of more than half of the part's pages; so there is at most one. */
static void find_details(void)
{
   for (UInt i = 0; i < details.n; i++) {
      const Detail* d    = WS_(pair_entry)(&details, i);
      const UWord   key  = details.pairs[i].a;
      Part*         part = WS_(pair_entry)(&parts, key / 2);
      if (2 * d->n_pages <= part->n_pages)
         continue;
      if (key % 2)
         part->via = d->place;
      else
         part->line = d->place;
   }
}

/* Finds the largest parts, the largest first, and gives how many there are.
   Three passes over few parts are cheaper than sorting. Of equal ones, the
   first of the report is meant, as in ws_python/model/stacks.py. */
static UInt find_parts(const WsKept* k, /*OUT*/ Part best[N_PARTS])
{
   UInt n_best = 0;

   for (UWord i = 0; i < k->shares.n; i++)
      add_share(k->row.set, &k->shares.items[i]);
   find_details();
   for (; n_best < N_PARTS && n_best < parts.n; n_best++) {
      Part* all     = parts.entries;
      Part* largest = all;
      for (UInt n = 1; n < parts.n; n++)
         if (all[n].n_pages > largest->n_pages)
            largest = &all[n];
      best[n_best]     = *largest;
      largest->n_pages = 0;
   }
   WS_(pairs_done)(&parts);
   WS_(pairs_done)(&details);
   return n_best;
}

/* Names of C++ and Rust can be very long: then without class and types. */
#define MAX_NAME 50

static void add_name(XArray* text, const HChar* name, SizeT max)
{
   SizeT n = VG_(strlen)(name);

   if (n > max)
      name = WS_(member_name)(name, &n);
   if (n > MAX_NAME)
      VG_(xaprintf)(text, "...");
   for (; n > MAX_NAME; n--)
      name++;
   WS_(text_add)(text, name, n);
}

/* Names the source file, or else the file of the code. */
static const HChar* file_of(const WsPlace* place)
{
   return WS_(last_name)(place->file[0] ? place->file : place->object);
}

/* Names a place. Code without symbols is named by its file: an address would be
   another one in each run. */
static void add_lead(XArray* text, const WsPlace* place, UInt line)
{
   if (!place->function[0]) {
      VG_(xaprintf)(text, "code without symbols in %s",
                    WS_(last_name)(place->object));
      return;
   }
   add_name(text, place->function, MAX_NAME);
   VG_(xaprintf)(text, " (%s", file_of(place));
   if (line > 0)
      VG_(xaprintf)(text, ":%u", line);
   VG_(xaprintf)(text, ")");
}

/* Names a part, in a text of ws_base.h. What lies between is always there where
   nothing else has a name. */
static const HChar* part_text(const Part* p, Bool with_via)
{
   XArray* text = WS_(text_begin)();

   if (p->lead)
      add_lead(text, p->lead, p->line ? p->line->line : 0);
   else
      VG_(xaprintf)(text, "%s", WS_(last_name)(WS_(mapping_name)(p->mapping)));
   if (p->via && (with_via || !p->lead->function[0])) {
      VG_(xaprintf)(text, " mostly via ");
      add_name(text, p->via->function, 0);
      if (file_of(p->via)[0])
         VG_(xaprintf)(text, " (%s)", file_of(p->via));
   }
   return WS_(text_end)(text);
}

static UInt percent(ULong part, ULong whole)
{
   return whole > 0 ? WS_(stats_ratio)(100 * part, whole, 0) : 0;
}

/* Says the largest parts, and the others: 100 % in all, or more by rounding. */
static void say_parts(const WsKept* largest)
{
   Part best[N_PARTS];
   UInt n      = find_parts(largest, best);
   Int  others = 100;

   for (UInt i = 0; i < n; i++) {
      UInt share = percent(best[i].n_pages, largest->row.n_pages);
      if (share < (i > 0 ? MIN_PERCENT : 1))
         break;
      say("   %3u %%  %s\n", share, part_text(&best[i], True));
      others -= share;
   }
   if (others > 0)
      say("   %3d %%  others\n", others);
}

/* --- Lines ---------------------------------------------------------------- */

/* Each of these says a line or several of one matter, or nothing if nothing
   is known of it.  views/answer.py says the same of a report, in the same
   words. */

/* What resident memory is for. */
enum { Heap, Stacks, Files, N_USES };

/* Tells what a mapping is for. Other anonymous memory is the heap's, too:
   malloc maps large blocks. */
static UInt use_of(UInt mapping)
{
   return is_stack(mapping)                      ? Stacks
          : WS_(mapping_name)(mapping)[0] == '/' ? Files
                                                 : Heap;
}

#define NEARLY_ALL 99U // percent

/* Writes when nearly all of the most was resident for the first time, if that
   was earlier. For the last tenth of a run, it writes how much was added then:
   a longer run may need more. */
static Words growth(const WsReportSummary* s, const WsReportKept* most)
{
   const WsResidentSpan* span     = WS_(resident).spans;
   const WsResidentSpan* last     = span + WS_(resident).n_spans - 1;
   const WsTick          tenth    = s->end / 10 * 9;
   Words                 w        = {""};
   UWord                 n_before = 0;

   if (WS_(resident).n_spans < 10)
      return w;
   for (; span < last && 100 * span->n_pages < NEARLY_ALL * most->n_pages;
        span++)
      if (span->t <= tenth && span->n_pages > n_before)
         n_before = span->n_pages;
   WsTick t = span->t < most->t ? span->t : most->t;
   if (t > tenth)
      VG_(sprintf)(w.text, ", %u %% added in the last tenth",
                   percent(most->n_pages - n_before, most->n_pages));
   else if (percent(t, s->end) < percent(most->t, s->end))
      VG_(sprintf)(w.text, ", %u %% of it by %u %% of the run", NEARLY_ALL,
                   percent(t, s->end));
   return w;
}

static Words brief_time(WsTick t)
{
   return time_in(t, " instr.");
}

/* Writes a time with how long it takes natively. 1 to 10 instructions take a
   nanosecond, 1 where they wait for memory; more than one digit would say what
   nobody knows. */
static Words native(WsTick t)
{
   static const HChar* const names[] = {"ns", "us", "ms", "s"};
   Words                     w       = brief_time(t);
   ULong                     digit   = 1;
   UInt                      unit    = 0;

   if (WS_(clo).is_clocked || t == 0)
      return w;
   while (t / digit >= 10)
      digit *= 10;
   ULong most = (t + digit / 2) / digit * digit;
   for (; most >= 1000 && unit < 3; unit++)
      most /= 1000;
   VG_(sprintf)(w.text + VG_(strlen)(w.text),
                most < 10 ? " (0.%llu-%llu %s)" : " (%llu-%llu %s)",
                most < 10 ? most : most / 10, most, names[unit]);
   return w;
}

#define LEAST_MEMORY_SZB 4096 // of a page of memory, on any platform

/* Says what was resident at most, by what, and a limit: what was resident,
   pages of files, which a container is charged for when they are in the page
   cache, and 3 % for what the kernel keeps for the process. Smaller pages than
   the memory's say nothing about a limit. */
static void say_memory(const WsReportSummary* s)
{
   UWord        n_pages[N_USES] = {0};
   const WsKept most            = WS_(sample_largest)(WS_RESIDENT_SET);

   for (UWord i = 0; i < most.shares.n; i++)
      n_pages[use_of(most.shares.items[i].mapping)] += most.shares.items[i]
                                                          .n_pages;
   say("Memory: %s resident at most, at %u %% of %s%s\n",
       bytes_of(most.row.n_pages).text, percent(most.row.t, s->end),
       native(s->end).text, growth(s, &most.row).text);
   say("    (%s heap/mmap, %s stacks, %s files/code/.bss), first used by:\n",
       bytes_of(n_pages[Heap]).text, bytes_of(n_pages[Stacks]).text,
       bytes_of(n_pages[Files]).text);
   say_parts(&most);
   if (WS_(clo).page_szB >= LEAST_MEMORY_SZB) {
      Words limit = bytes_of((most.row.n_pages + s->cached_pages) * 103 / 100);

      say(
         "    Limit for this run: %s (resident, cache of mapped files, 3 %% for "
         "the kernel); less may slow or kill it\n",
         limit.text);
      if (s->not_in_limit)
         say("    Not in it: %s\n", s->not_in_limit);
   }
   VG_(free)(most.shares.items);
}

/* The windows that say something, longest first: shorter than the run, and of
   several not the shortest, which is gone in no time; or else the shortest. */
typedef struct {
   UInt n;
   UInt of[WS_MAX_TAUS];
   Bool are_all_shorter; // than the run, with those that are left out
} Windows;

static Windows windows_to_say(const WsReportSummary* s)
{
   const WsTaus* taus     = &WS_(clo).taus;
   const UInt    shortest = WS_(shortest)(taus);
   Windows       w        = {.are_all_shorter = True};

   for (UInt i = 0; i < taus->n; i++) {
      Bool is_shorter = taus->tau[i] < s->end;
      w.are_all_shorter &= is_shorter;
      if (!is_shorter || i == shortest)
         continue;
      UInt at = w.n++;
      for (; at > 0 && taus->tau[w.of[at - 1]] < taus->tau[i]; at--)
         w.of[at] = w.of[at - 1];
      w.of[at] = i;
   }
   if (w.n == 0)
      w.of[w.n++] = shortest;
   return w;
}

/* Says sizes of a set over the samples, and whose its largest one was. */
static void say_row(const HChar* label, UInt set, const HChar* how,
                    UWord median, UWord p95, UWord most)
{
   const WsKept largest = WS_(sample_largest)(set);
   Part         best[N_PARTS];
   HChar        whose[32] = "";
   const HChar* name      = "";

   if (find_parts(&largest, best) > 0) {
      VG_(snprintf)(whose, sizeof whose, "  %u %%  %s",
                    percent(best[0].n_pages, largest.row.n_pages), how);
      name = part_text(&best[0], False);
   }
   VG_(free)(largest.shares.items);
   // A width of the label would cut off what is longer.
   const Int n_blanks = 29 - (Int)VG_(strlen)(label);
   say("%s%*s %9s %9s %9s%s%s\n", label, VG_MAX(n_blanks, 0), "",
       bytes_of(median).text, bytes_of(p95).text, bytes_of(most).text, whose,
       name);
}

/* Explains a set that has more pages than were resident at once. */
static Bool say_if_unmapped(const WsReportSummary* s, UWord n_pages)
{
   const UWord most = WS_(resident).of[Ws_Data].most_pages;

   if (n_pages <= most + most / 100)
      return False;
   say(
      "        (more than the %s of data that were resident: some was unmapped "
      "meanwhile)\n",
      bytes_of(most).text);
   return True;
}

static void say_data(const WsReportSummary* s)
{
   const Windows windows = windows_to_say(s);
   const WsCold* cold    = &WS_(cold);
   HChar         label[NUMBER_SZB + 32];
   Bool          is_said = False;

   if (s->totals[Ws_Data].n_pages == 0) {
      say("Data: none\n");
      return;
   }
   say("%-29s %9s %9s %9s  %s\n", "Data used within the last", "median",
       "95th pct", "maximum", "brought in by");
   if (!windows.are_all_shorter) {
      const UWord all = s->totals[Ws_Data].n_pages;
      say("    %-45s %9s\n", "the whole run", bytes_of(all).text);
      is_said = say_if_unmapped(s, all);
   }
   for (UInt i = 0; i < windows.n; i++) {
      const UInt          w    = windows.of[i];
      const WsReportSize* size = &s->sizes[Ws_Data][w];
      const UWord         peak = size->stats.peak_pages;
      VG_(sprintf)(label, "    %s", native(WS_(clo).taus.tau[w]).text);
      say_row(label, WS_(set_of)(Ws_Data, w), "", size->median_pages,
              size->p95_pages, peak);
      is_said = is_said || say_if_unmapped(s, peak);
      // It is known for the first window only.
      if (w == 0 && size->bound_pages > peak + peak / 10)
         say("        (no more than %s between samples)\n",
             bytes_of(size->bound_pages).text);
   }
   if (WS_(clo).dirty)
      say("    written in %s: %s at most\n",
          brief_time(WS_(clo).taus.tau[windows.of[0]]).text,
          bytes_of(s->sizes[Ws_Dirty][windows.of[0]].stats.peak_pages).text);
   if (cold->tau == WS_(clo).taus.tau[windows.of[0]] &&
       cold->stats.peak_pages > 0) {
      VG_(sprintf)(label, "Data, code unused for %s",
                   number(WS_(units)(cold->tau)).text);
      say_row(label, WS_COLD_SET, "first used by ",
              WS_(ranks_percentile)(&cold->ranks, 50),
              WS_(ranks_percentile)(&cold->ranks, 95), cold->stats.peak_pages);
   }
}

/* Says how much memory keeps how much of the data that is used again later than
   the shortest window lasts. */
static void say_reuse(const WsReportSummary* s)
{
   static const UInt   percents[] = {90, 99};
   const WsProfile*    p          = &s->profile[Ws_Data];
   const UWord         most       = WS_(resident).of[Ws_Data].most_pages;
   const WsProfileRow* all        = WS_(profile_reuse)(p, 0);
   const WsProfileRow* rows[]     = {NULL, NULL};
   UWord               n_pages[2] = {0};
   HChar               label[NUMBER_SZB + 32];

   for (UInt i = 0; i < 2; i++) {
      rows[i] = WS_(profile_reuse)(p, percents[i]);
      if (rows[i])
         n_pages[i] = rows[i]->stats.peak_pages;
      n_pages[i] = VG_MIN(n_pages[i], most);
   }
   if (all)
      VG_(sprintf)(label, "Data reused after %s:", brief_time(all->tau).text);
   for (UInt i = VG_(strcmp)(bytes_of(n_pages[0]).text,
                             bytes_of(n_pages[1]).text) == 0;
        i < 2 && rows[i]; i++) {
      UInt tenths = 1000 - WS_(stats_ratio)(1000 * rows[i]->n_returned,
                                            all->n_returned, 0);
      if (tenths == 1000 && rows[i]->n_returned > 0)
         tenths--; // not all
      say("%s %s or less keeps ", label, bytes_of(n_pages[i]).text);
      if (rows[i]->n_returned > 0)
         say("%u.%u %% (a miss every %s)\n", tenths / 10, tenths % 10,
             brief_time(p->until / rows[i]->n_returned).text);
      else
         say("all\n");
      VG_(memset)(label, ' ', VG_(strlen)(label));
   }
}

static void say_code(const WsReportSummary* s)
{
   const Windows windows = windows_to_say(s);
   const UInt    w       = windows.of[windows.n - 1];

   say("Code: %s resident; in %s: median %s, at most %s\n",
       bytes_of(WS_(resident).of[Ws_Insn].most_pages).text,
       time_in(WS_(clo).taus.tau[w], " instructions").text,
       bytes_of(s->sizes[Ws_Insn][w].median_pages).text,
       bytes_of(s->sizes[Ws_Insn][w].stats.peak_pages).text);
}

static void say_lateness(const WsReportSummary* s)
{
   WsTick tau = WS_(clo).taus.tau[0]; // a tick is a microsecond

   if (!WS_(clo).is_clocked || s->n_samples == 0)
      return;
   say("Samples were late by %'llu us on average, %'llu us at most.\n",
       s->late_avg_us, s->late_max_us);
   if (s->late_max_us > tau)
      say("The window of %s is shorter than that: some sizes are those "
          "of a longer one.\n",
          number(WS_(units)(tau)).text);
}

static void say_sizes(const WsReportSummary* s)
{
   if (s->end == 0 && !WS_(clo).at_start) {
      say("Nothing was measured: --ws-at-start=no, and the program made no "
          "WS_START request.\n");
      return;
   }
   say_memory(s);
   if (s->n_samples == 0) {
      say("There was no sample: --ws-every=%llu gives 100 of them.\n",
          WS_(units)(s->end) / 100 + 1);
      return;
   }
   say_data(s);
   say_reuse(s);
   say_code(s);
}

/* The order is that of the questions: how much memory, how much of it is in
   use, what is used again, code; then what to be careful about, and where there
   is more. */
void WS_(summary_say)(WsSay to, const WsReportSummary* s, const HChar* report,
                      const HChar* log)
{
   say = to;
   say_sizes(s);
   say_lateness(s);
   if (s->not_reached.n > 0)
      say("Not reached: --ws-info-at=%llu%s\n",
          WS_(units)(s->not_reached.first[0]),
          s->not_reached.n > 1 ? " and later times" : "");
   if (report)
      say("More: ws_print %s, ws_plot %s%s\n", report, report,
          WS_(clo).stacks ? "" : "; with call stacks: --ws-stacks=yes");
   if (log)
      say("Which pages, and when: ws_plot heat %s; what is enough, exactly: "
          "ws_print enough %s\n",
          log, log);
}
