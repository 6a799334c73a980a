/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_summary.h"

#include "pub_tool_libcfile.h"
#include "pub_tool_libcproc.h"
#include "ws_clo.h"
#include "ws_intern.h"
#include "ws_mappings.h"
#include "ws_sample.h"
#include "ws_stacks.h"
#include "ws_symbols.h"

static WsSay say; // who is told

/* --- Numbers, as ws_python/base/units.py writes them ---------------------- */

/* Passed by value, so that one line can have several. */
typedef struct {
   HChar text[40];
} Words;

/* Writes n in the largest unit in which it is 1 at least, once it is rounded,
   with three digits, or with all that are in front of the point. */
static Words in_units(ULong n, ULong base, const HChar* const* names)
{
   Words w;
   ULong unit = 1;

   for (; names[1] && WS_(stats_ratio)(n, unit, 0) >= base; names++)
      unit *= base;
   UInt  n_digits = n / unit < 10 ? 2 : n / unit < 100 ? 1 : 0;
   ULong ratio    = WS_(stats_ratio)(n, unit, n_digits);
   for (; n_digits > 0 && ratio % 10 == 0; n_digits--)
      ratio /= 10;
   if (n_digits == 2)
      VG_(sprintf)(w.text, "%llu.%02llu %s", ratio / 100, ratio % 100, *names);
   else if (n_digits == 1)
      VG_(sprintf)(w.text, "%llu.%llu %s", ratio / 10, ratio % 10, *names);
   else
      VG_(sprintf)(w.text, "%llu %s", ratio, *names);
   return w;
}

static Words bytes_of(UWord n_pages)
{
   static const HChar* const names[] = {"B", "KiB", "MiB", "GiB", "TiB", NULL};
   return in_units((ULong)n_pages * WS_(clo).page_szB, 1024, names);
}

static Words time_of(WsTick t)
{
   static const HChar* const instrs[]  = {"instr.",   "k instr.", "M instr.",
                                          "G instr.", "T instr.", NULL};
   static const HChar* const seconds[] = {"ms", "s", NULL};
   ULong                     n         = WS_(units)(t);
   Words                     w;

   if (WS_(clo).is_clocked)
      return in_units(n, 1000, seconds);
   if (n >= 1000000)
      return in_units(n, 1000, instrs);
   VG_(sprintf)(w.text, "%'llu instr.", n);
   return w;
}

static UInt percent(ULong part, ULong whole)
{
   return whole > 0 ? WS_(stats_ratio)(100 * part, whole, 0) : 0;
}

/* --- Whose memory it is --------------------------------------------------- */

/* Pages that have an owner in common: the function that leads their stacks
   (ws_stacks.h), or else their mapping; all stacks of threads are one. */
typedef struct {
   UWord          n_pages;
   const WsPlace* lead; // NULL: a mapping
   UInt           mapping;
   UInt           n_stacks; // 0: it is another mapping
} Owned;

/* Finds the owner of the most pages; of equal ones, the first of the report, as
   ws_python/report/stacks.py does. */
static Owned first_owner(const WsShares* shares)
{
   WsPairs owners = {.entry_szB = sizeof(Owned)}, stacks = {.n = 0};
   Owned   first = {.n_pages = 0};

   for (UWord i = 0; i < shares->n; i++) {
      const WsShare* s    = &shares->items[i];
      const WsPlace* lead = NULL;
      // Which function pushes first on a page of the stack says little.
      Bool is_stack = VG_(strncmp)(WS_(mapping_name)(s->mapping), "stack of",
                                   8) == 0;
      if (is_stack)
         WS_(pair_number)(&stacks, 0, s->mapping);
      else
         lead = WS_(frame_lead)(s->code);
      // An address of a text may be the number of a mapping.
      UWord  key  = is_stack ? 0 : lead ? (UWord)lead->names : s->mapping;
      Owned* o    = WS_(pair_get)(&owners, key, is_stack ? 2 : lead != NULL);
      o->lead     = lead;
      o->mapping  = s->mapping;
      o->n_stacks = is_stack ? stacks.n : 0;
      o->n_pages += s->n_pages;
   }
   WS_(pairs_done)(&stacks);
   for (UInt n = 0; n < owners.n; n++) {
      const Owned* o = WS_(pair_entry)(&owners, n);
      if (o->n_pages > first.n_pages)
         first = *o;
   }
   WS_(pairs_done)(&owners);
   return first;
}

/* Names of C++ and Rust can be very long: then without class and types. */
#define MAX_NAME 50

/* Names an owner. Code without symbols is named by its file: an address would
   be another one in each run. */
static const HChar* owner_name(const Owned* o)
{
   XArray*      text = WS_(text_begin)();
   const HChar* name = o->lead ? o->lead->function : "";
   SizeT        n    = VG_(strlen)(name);

   if (o->n_stacks > 1) {
      VG_(xaprintf)(text, "stacks of %u threads", o->n_stacks);
   } else if (!o->lead) {
      VG_(xaprintf)(text, "%s", WS_(last_name)(WS_(mapping_name)(o->mapping)));
   } else if (n == 0) {
      VG_(xaprintf)(text,
                    o->lead->object[0] ? "code without symbols in %s"
                                       : "code without names%s",
                    WS_(last_name)(o->lead->object));
   } else {
      name = WS_(brief_name)(name, MAX_NAME, &n);
      WS_(text_add)(text, name, n);
      VG_(xaprintf)(
         text, " (%s)",
         WS_(last_name)(o->lead->file[0] ? o->lead->file : o->lead->object));
   }
   return WS_(text_end)(text);
}

/* --- Lines ---------------------------------------------------------------- */

#define LEAST_MEMORY_SZB 4096 // of a page of memory, on any platform

/* Says what was resident at most, its first owner, and a limit: what was
   resident, pages of files, which a container is charged for when they are in
   the page cache, and 3 % for what the kernel keeps for the process. Smaller
   pages than the memory's say nothing about a limit. */
static void say_memory(const WsReportSummary* s)
{
   const WsKept most  = WS_(sample_largest)(WS_RESIDENT_SET);
   const Owned  first = first_owner(&most.shares);
   const UInt   share = percent(first.n_pages, most.row.n_pages);

   say("Memory: %s resident at most, at %u %% of %s",
       bytes_of(most.row.n_pages).text, percent(most.row.t, s->end),
       time_of(s->end).text);
   if (share > 0 && !WS_(clo).heap) // ws_print says who keeps it
      say("; %u %% of it%s%s", share, first.lead ? " first used by " : ": ",
          owner_name(&first));
   say("\n");
   if (WS_(clo).page_szB >= LEAST_MEMORY_SZB) {
      UWord n_pages = (most.row.n_pages + s->cached_pages) * 103 / 100;
      say("Limit for this run: %s; less may slow or kill it\n",
          bytes_of(n_pages).text);
      if (s->not_in_limit)
         say("Not in it: %s\n", s->not_in_limit);
   }
   VG_(free)(most.shares.items);
}

/* Says a size of data. More than was ever resident was not there at once. */
static void say_size(const HChar* before, UWord n_pages, const HChar* when)
{
   const UWord most = WS_(resident).of[Ws_Data].most_pages;

   say("%s%s%s%s", before, bytes_of(n_pages).text, when,
       n_pages > most + most / 100 ? " (not all at one time)" : "");
}

/* Says the largest sample of a window, and what is known between samples. */
static void say_window(const HChar* before, const WsReportSize* size)
{
   const UWord peak = size->stats.peak_pages;
   HChar       when[64];

   VG_(sprintf)(when, " within %s", time_of(size->tau).text);
   say_size(before, peak, when);
   if (size->bound_pages != WS_NONE && size->bound_pages > peak + peak / 10)
      say(" (no more than %s between samples)",
          bytes_of(size->bound_pages).text);
}

/* Says how much data was used within each window that is shorter than the run,
   and of several not the shortest, which is gone in no time; and in the whole
   run if a window is as long. */
static void say_data(const WsReportSummary* s)
{
   const WsTaus* taus      = &WS_(clo).taus;
   const HChar*  before    = "in the largest samples: ";
   UInt          n_shorter = 0;

   for (UInt i = 0; i < taus->n && s->n_samples > 0; i++)
      n_shorter += taus->tau[i] < s->end;
   say("Data used ");
   for (UInt i = 0; i < taus->n && n_shorter > 0; i++)
      if (taus->tau[i] < s->end &&
          (n_shorter == 1 || i != WS_(shortest)(taus))) {
         say_window(before, &s->sizes[Ws_Data][i]);
         before = ", ";
      }
   if (n_shorter < taus->n)
      say_size(n_shorter > 0 ? "; in the whole run: " : "in the whole run: ",
               s->totals[Ws_Data].n_pages, "");
   say("\n");
   if (s->n_samples == 0)
      say("There was no sample: --ws-every=%llu gives 100 of them.\n",
          VG_MAX(WS_(units)(s->end) / 100, 1));
}

/* --- Commands ------------------------------------------------------------- */

/* Gives the path of a file, a text of ws_base.h; NULL: it is not there. */
static const HChar* path_of(const HChar* directory, const HChar* below,
                            const HChar* file)
{
   struct vg_stat st;
   XArray*        text = WS_(text_begin)();

   VG_(xaprintf)(text, "%s%s/%s", directory, below, file);
   const HChar* path = WS_(text_end)(text);
   return sr_isError(VG_(stat)(path, &st)) ? NULL : path;
}

/* Names a script so that a shell finds it: by its path if it is not in PATH. It
   lies two directories above Valgrind's tools where these are installed, one
   where they were built. */
static const HChar* name_of_script(const HChar* script)
{
   const HChar* path    = VG_(getenv)("PATH");
   HChar*       all     = VG_(strdup)("ws.summary.path", path ? path : "");
   HChar*       above   = VG_(strdup)("ws.summary.path", VG_(libdir));
   const HChar* command = NULL;

   for (HChar* directory = VG_(strtok)(all, ":"); directory && !command;
        directory        = VG_(strtok)(NULL, ":"))
      command = path_of(directory, "", script) ? script : NULL;
   for (UInt i = 0; i < 2 && !command; i++) {
      HChar* slash = VG_(strrchr)(above, '/');
      if (slash)
         *slash = 0;
      command = path_of(above, i == 0 ? "/ws/scripts" : "/bin", script);
   }
   VG_(free)(all);
   VG_(free)(above);
   return command ? command : script;
}

/* Quotes a word for the shell if it needs that. */
static const HChar* quoted(const HChar* word)
{
   static const HChar plain[] = "abcdefghijklmnopqrstuvwxyz0123456789"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ@%+=:,./-_";

   if (VG_(strspn)(word, plain) == VG_(strlen)(word))
      return word;
   XArray* text = WS_(text_begin)();
   VG_(xaprintf)(text, "'");
   for (; *word; word++) {
      if (*word == '\'')
         VG_(xaprintf)(text, "'\\'");
      WS_(text_add)(text, word, 1);
   }
   VG_(xaprintf)(text, "'");
   return WS_(text_end)(text);
}

void WS_(summary_say)(WsSay to, const WsReportSummary* s, const HChar* report,
                      const HChar* log)
{
   say = to;
   if (s->end > 0 || WS_(clo).at_start) {
      say_memory(s);
      say_data(s);
   } else {
      say("Nothing was measured: --ws-at-start=no, and the program made no "
          "WS_START request.\n");
   }
   if (report)
      say("More: %s %s\n", quoted(name_of_script("ws_print")), quoted(report));
   if (log)
      say("Which pages, and when: %s heat %s\n",
          quoted(name_of_script("ws_plot")), quoted(log));
}
