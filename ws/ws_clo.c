/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_clo.h"

#include "pub_tool_clientstate.h"
#include "pub_tool_options.h"
#include "pub_tool_tooliface.h"

#define MIN_PAGE_SZB ((UWord)16)
#define MAX_PAGE_SZB ((UWord)1 << 30)

/* Nothing is ever that far from its mean, and products stay finite. */
#define MAX_THRESH 1e30

#define DEFAULT_EVERY_INSTRS 100000
#define DEFAULT_EVERY_MS     100

#define MAX_PEAKS 1000

/* Most programs are less deep, and then a stack reaches to main. */
#define DEFAULT_CALLERS 80

WsOptions WS_(clo) = {
   .report              = {"--ws-out-file", "ws.out.%p"},
   .page_szB            = 4096,
   .syscalls            = True,
   .at_start            = True,
   .stacks              = Ws_LongStacks,
   .peaks               = 10,
   .peak_window_samples = 30,
   .peak_thresh         = {"0.0125", 0.0125},
   .peak_adapt          = {"0.25", 0.25},
   .locations           = True,
};

/* --- Values --------------------------------------------------------------- */

/* Each parser of a value takes the whole option for its message, and either
   returns a value that makes sense or ends the run: what is in WS_(clo)
   needs no check later.  The core's VG_INT_CLO has no k, M and G, and does
   not see that a number overflows. */

/* Multiplies *n unless the product does not fit: then it gives False.
   Arithmetic on what users give must not overflow unseen. */
static Bool multiply(ULong* n, ULong factor)
{
   if (*n > ~(ULong)0 / factor)
      return False;
   *n *= factor;
   return True;
}

/* Scans a decimal number up to 2^64-1. Unless `kilo` is 0, a k, M or G may
   follow, which stands for a power of it. Gives what comes after the number, or
   NULL if there is none. */
static const HChar* scan_number(const HChar* s, ULong kilo, ULong* value)
{
   static const HChar prefixes[] = "kMG";
   const HChar*       start      = s;
   ULong              n          = 0;

   for (; '0' <= *s && *s <= '9'; s++) {
      UInt digit = *s - '0';
      if (!multiply(&n, 10) || n > ~(ULong)0 - digit)
         return NULL;
      n += digit;
   }
   if (s == start)
      return NULL;
   const HChar* prefix = kilo && *s ? VG_(strchr)(prefixes, *s) : NULL;
   for (const HChar* p = prefixes; prefix && p <= prefix; p++)
      if (!multiply(&n, kilo))
         return NULL;
   *value = n;
   return s + (prefix != NULL);
}

/* Scans a number after which nothing may follow. */
static Bool parse_number(const HChar* s, ULong kilo, ULong* value)
{
   const HChar* rest = scan_number(s, kilo, value);
   return rest && !*rest;
}

/* Parses a number of things. */
static ULong parse_count(const HChar* arg, const HChar* value,
                         const HChar* things, ULong min, ULong max)
{
   ULong n = 0;

   if (!parse_number(value, 1000, &n) || n < min || n > max)
      VG_(fmsg_bad_option)(arg,
                           "'%s' is not a number of %s from %llu to %llu\n",
                           value, things, min, max);
   return n;
}

/* Parses seconds, and, after a comma, the name of a report. */
static void parse_progress(const HChar* arg, const HChar* value)
{
   HChar* seconds = VG_(strdup)("ws.clo.progress", value);
   HChar* comma   = VG_(strchr)(seconds, ',');

   if (comma)
      *comma = 0;
   WS_(clo).progress_s  = parse_count(arg, seconds, "seconds", 0, ~(ULong)0);
   WS_(clo).progress_of = comma ? comma + 1 : NULL;
}

/* Scans a time: a number other than 0, or 300ms, or 1s. A time beyond 64 bits
   never comes. Gives what comes after it, or NULL. */
static const HChar* scan_time(const HChar* arg, const HChar* value,
                              const HChar* s, WsTick* t)
{
   const HChar* end = scan_number(s, 1000, t);

   if (!end || *t == 0)
      return NULL;
   Bool is_ms = VG_(strncmp)(end, "ms", 2) == 0;
   if (end[-1] <= '9' && (is_ms || *end == 's')) {
      if (!is_ms && !multiply(t, 1000))
         return NULL;
      end += is_ms ? 2 : 1;
      if (!WS_(clo).is_clocked && (!*end || *end == ','))
         VG_(fmsg_bad_option)(
            arg,
            "'%s': times are numbers of instructions; 1s and 300ms "
            "need --ws-time-unit=ms\n",
            value);
   }
   if (WS_(clo).is_clocked && !multiply(t, 1000))
      *t = WS_NEVER;
   return end;
}

/* Gives 0 for auto. */
static WsTick parse_every(const HChar* arg, const HChar* value)
{
   WsTick every = 0;
   if (VG_STREQ(value, "auto"))
      return every;
   const HChar* end = scan_time(arg, value, value, &every);

   if (!end || *end)
      parse_count(arg, value, "units of time", 1, ~(ULong)0); // refuses it
   return every;
}

/* Parses the first of a list of times. Gives the rest of the list, or NULL at
   its end. */
static const HChar* parse_time(const HChar* arg, const HChar* value,
                               const HChar* list, WsTick* t)
{
   const HChar* end = scan_time(arg, value, list, t);

   if (!end || (*end && *end != ','))
      VG_(fmsg_bad_option)(arg, "'%s' is not a list of times from 1 to %llu\n",
                           value, ~(ULong)0);
   return *end ? end + 1 : NULL;
}

/* Adds a time to a list that is sorted, and has each once. */
static void add_time(XArray* times, WsTick t)
{
   Word i = VG_(sizeXA)(times);

   while (i > 0 && *(WsTick*)VG_(indexXA)(times, i - 1) > t)
      i--;
   if (i == 0 || *(WsTick*)VG_(indexXA)(times, i - 1) != t)
      VG_(insertIndexXA)(times, i, &t);
}

/* Parses a list of times. */
static XArray* parse_times(const HChar* arg, const HChar* value)
{
   XArray* times = VG_(newXA)(VG_(malloc), "ws.clo.times", VG_(free),
                              sizeof(WsTick));
   WsTick  t     = 0;

   for (const HChar* s = value; s;) {
      s = parse_time(arg, value, s, &t);
      add_time(times, t);
   }
   return times;
}

/* Adds a window's length; False if there is no room for it. */
static Bool add_tau(WsTaus* taus, WsTick tau)
{
   for (UInt i = 0; i < taus->n; i++)
      if (taus->tau[i] == tau)
         return True;
   if (taus->n == WS_MAX_TAUS)
      return False;
   taus->tau[taus->n++] = tau;
   return True;
}

/* Parses a list of windows: they stay in the order in which the user gave them,
   for the first one is that of the table's first columns. */
static WsTaus parse_taus(const HChar* arg, const HChar* value)
{
   WsTaus taus = {.n = 0};
   WsTick t    = 0;

   for (const HChar* s = value; s;) {
      s = parse_time(arg, value, s, &t);
      if (!add_tau(&taus, t))
         VG_(fmsg_bad_option)(arg, "more than %d windows\n", WS_MAX_TAUS);
   }
   return taus;
}

/* Parses one of these words; gives its index. */
static UInt parse_word(const HChar* arg, const HChar* value,
                       const HChar* const* words, const HChar* neither)
{
   for (UInt i = 0; words[i]; i++)
      if (VG_STREQ(value, words[i]))
         return i;
   VG_(fmsg_bad_option)(arg, "'%s' is neither %s\n", value, neither);
   return 0;
}

/* Parses a positive number like 3, 0.25, .25 or 1e-3. (VG_DBL_CLO takes signs
   and blanks, knows no bounds, and its digits behind the point are not
   exact.) */
static WsReal parse_real(const HChar* arg, const HChar* value,
                         const HChar* bound, double max)
{
   WsReal       real     = {value, 0.0};
   UInt         n_points = 0, n_digits = 0;
   Int          exponent = 0, n_behind = 0;
   ULong        n = 0;
   const HChar* s = value;

   for (; ('0' <= *s && *s <= '9') || (*s == '.' && n_points++ == 0); s++)
      if (*s != '.') {
         real.value = 10.0 * real.value + (*s - '0');
         n_behind += n_points;
         n_digits++;
      }
   Bool is_ok = *s == 0;
   if ((*s == 'e' || *s == 'E') && n_digits > 0) {
      Bool is_negative = s[1] == '-';
      is_ok            = parse_number(s + 1 + is_negative, 0, &n) && n <= 999;
      exponent         = !is_ok ? 0 : is_negative ? -(Int)n : (Int)n;
   }
   // One power of ten: exact to the last bit, for up to 15 digits.
   double scale = 1.0;
   for (Int i = exponent - n_behind; i != 0; i += i < 0 ? 1 : -1)
      scale *= 10.0;
   real.value = exponent < n_behind ? real.value / scale : real.value * scale;
   if (!(is_ok && real.value > 0.0 && real.value <= max))
      VG_(fmsg_bad_option)(arg, "'%s' is not a number like 0.25 above 0%s\n",
                           value, bound);
   return real;
}

static UWord parse_page_size(const HChar* arg, const HChar* value)
{
   ULong n = 0;
   if (!parse_number(value, 1024, &n) || (n & (n - 1)) != 0 ||
       n < MIN_PAGE_SZB || n > MAX_PAGE_SZB)
      VG_(fmsg_bad_option)(
         arg, "'%s' is not a power of two from %lu to %lu, like 64, 4k or 2M\n",
         value, MIN_PAGE_SZB, MAX_PAGE_SZB);
   return (UWord)n;
}

/* Expands the name of a file at once, for Valgrind ends the run over a bad name
   only while options are being processed. */
static void set_file(WsFileOption* f, const HChar* option, const HChar* pattern)
{
   VG_(free)(f->name);
   *f = (WsFileOption){option, pattern, VG_(expand_file_name)(option, pattern)};
}

/* --- Options -------------------------------------------------------------- */

/* An option is a field of WsOptions, a branch here, and lines of the usage; if
   it depends on others, what it says is worked out in WS_(clo_finish). */

/* Processes one argument, for the core; False: it is not an option of ws.  An
   option that comes again replaces what came before. */
static Bool process(const HChar* arg)
{
   static const HChar* const units[]  = {"i", "ms", NULL};
   static const HChar* const stacks[] = {"no", "yes", "all", NULL}; // WsStacks
   const HChar*              value;

   if (VG_STR_CLO(arg, "--ws-out-file", value))
      set_file(&WS_(clo).report, "--ws-out-file", value);
   else if (VG_STR_CLO(arg, "--ws-file", value)) // of valgrind-ws, 2018
      set_file(&WS_(clo).report, "--ws-file", value);
   else if (VG_STR_CLO(arg, "--ws-page-log", value))
      set_file(&WS_(clo).log, "--ws-page-log", value);
   else if (VG_STR_CLO(arg, "--ws-every", value))
      WS_(clo).every = parse_every(arg, value);
   else if (VG_STR_CLO(arg, "--ws-tau", value))
      WS_(clo).taus = parse_taus(arg, value);
   else if (VG_STR_CLO(arg, "--ws-time-unit", value))
      parse_word(arg, value, units, "i (instructions) nor ms (milliseconds)");
   else if (VG_STR_CLO(arg, "--ws-stacks", value))
      WS_(clo).stacks = parse_word(arg, value, stacks, "no, nor yes, nor all");
   else if (VG_STR_CLO(arg, "--ws-pagesize", value))
      WS_(clo).page_szB = parse_page_size(arg, value);
   else if (VG_STR_CLO(arg, "--ws-peaks", value))
      WS_(clo).peaks = parse_count(arg, value, "peaks", 0, MAX_PEAKS);
   else if (VG_STR_CLO(arg, "--ws-peak-window", value))
      WS_(clo).peak_window_samples = parse_count(arg, value, "samples", 1,
                                                 ~(ULong)0);
   else if (VG_STR_CLO(arg, "--ws-peak-thresh", value))
      WS_(clo).peak_thresh = parse_real(arg, value, "", MAX_THRESH);
   else if (VG_STR_CLO(arg, "--ws-peak-adapt", value))
      WS_(clo).peak_adapt = parse_real(arg, value, ", up to 1", 1.0);
   else if (VG_STR_CLO(arg, "--ws-info-at", value))
      WS_(clo).info_at = parse_times(arg, value);
   else if (VG_STR_CLO(arg, "--ws-progress", value))
      parse_progress(arg, value);
   else if (VG_BOOL_CLO(arg, "--ws-syscalls", WS_(clo).syscalls) ||
            VG_BOOL_CLO(arg, "--ws-at-start", WS_(clo).at_start) ||
            VG_BOOL_CLO(arg, "--ws-peak-detect", WS_(clo).peak_detect) ||
            VG_BOOL_CLO(arg, "--ws-dirty", WS_(clo).dirty) ||
            VG_BOOL_CLO(arg, "--ws-heap", WS_(clo).heap) ||
            VG_BOOL_CLO(arg, "--ws-recount", WS_(clo).recount) ||
            VG_BOOL_CLO(arg, "--ws-check-stacks", WS_(clo).check_stacks) ||
            VG_BOOL_CLO(arg, "--ws-list-pages", WS_(clo).list_pages) ||
            VG_BOOL_CLO(arg, "--ws-threads", WS_(clo).threads) ||
            VG_BOOL_CLO(arg, "--ws-code-lines", WS_(clo).code_lines) ||
            VG_BOOL_CLO(arg, "--ws-locations", WS_(clo).locations))
      ;
   else
      return False;
   return True;
}

static void print_usage(void)
{
   VG_(printf)(
      "    --ws-out-file=<file>      write the report to <file> [ws.out.%%p]\n"
      "    --ws-every=<n>|auto       sample the working set every <n> instructions or\n"
      "                              milliseconds; auto: every %d or %d at first,\n"
      "                              half as often after each %d samples, or each\n"
      "                              %d if the program accesses many pages [auto]\n"
      "    --ws-tau=<n>[,<n>...]     lengths of up to %d windows; T is that of the\n"
      "                              option --ws-every [T, 100 T, 10000 T]\n"
      "    --ws-time-unit=i|ms       unit of all times: instructions, or\n"
      "                              milliseconds of wall-clock time [i]\n"
      "    --ws-pagesize=<bytes>     size of a page, a power of two from 16 to 2^30\n"
      "                              [4096]\n"
      "    --ws-syscalls=no|yes      count memory that system calls read and write\n"
      "                              for the program? [yes]\n"
      "    --ws-at-start=no|yes      measure from the start? no: begin at the\n"
      "                              client request WS_START [yes]\n"
      "    --ws-dirty=no|yes         also count written pages, and what processes\n"
      "                              share after a fork? [no]\n"
      "    --ws-heap=no|yes          also record which call stacks have allocated\n"
      "                              what is resident, for ws_print heap? [no]\n"
      "    --ws-stacks=no|yes|all    record the call stacks that bring pages into\n"
      "                              memory and working sets? yes: not for the\n"
      "                              shortest of several windows, whose pages have\n"
      "                              only functions [yes]\n"
      "    --ws-peaks=<n>            keep the origins of the <n> highest peaks of\n"
      "                              each working set [%u]\n"
      "    --ws-peak-detect=no|yes   find unusual samples by moving mean and\n"
      "                              variance, and record their call stacks? [no]\n"
      "    --ws-peak-window=<n>      number of samples in the moving mean and\n"
      "                              variance [30]\n"
      "    --ws-peak-thresh=<x>      how far above the mean a peak must be [%s]\n"
      "    --ws-peak-adapt=<x>       weight of a sample in mean and variance while a\n"
      "                              peak lasts, up to 1 [%s]\n"
      "    --ws-info-at=<n>[,<n>...] also record the call stack, and keep the origins,\n"
      "                              at the first sample at or after each of these\n"
      "                              times [none]\n"
      "    --ws-list-pages=no|yes    list all pages with their access counts? [no]\n"
      "    --ws-locations=no|yes     name the code that accessed a page first, in\n"
      "                              that list? [yes]\n"
      "    --ws-page-log=<file>      write to <file> which pages each interval accessed,\n"
      "                              for views of time and addresses [none]\n"
      "    --ws-threads=no|yes       tell threads apart in that log? [no]\n"
      "    --ws-code-lines=no|yes    record code there in lines of 16 bytes, too, for\n"
      "                              ws_print order? [no]\n"
      "    --ws-progress=<seconds>[,<report>] print a line every so many seconds; with the\n"
      "                              report of a former run, the time left [0: never]\n"
      "    Numbers may end in k, M or G: --ws-every=10M, --ws-pagesize=2M.  If the\n"
      "    unit of time is ms, times may end in ms or s: --ws-every=300ms.\n",
      DEFAULT_EVERY_INSTRS, DEFAULT_EVERY_MS, WS_SAMPLES_PER_EVERY,
      WS_SAMPLES_IF_COSTLY, WS_MAX_TAUS, WS_(clo).peaks,
      WS_(clo).peak_thresh.text, WS_(clo).peak_adapt.text);
}

static void print_debug_usage(void)
{
   VG_(printf)(
      "    --ws-recount=no|yes       count everything a second time, slowly, and end\n"
      "                              with an error if the numbers differ? [no]\n"
      "    --ws-check-stacks=no|yes  unwind reused stacks again, and end with an\n"
      "                              error if they differ? [no]\n");
}

/* Looks at all arguments. An option with the tool's name in front,
   --ws:ws-tau=1, is for this tool only. */
const HChar* WS_(clo_value)(const HChar* option)
{
   const HChar* value = NULL;
   SizeT        n     = VG_(strlen)(option);

   for (Word i = 0; i < VG_(sizeXA)(VG_(args_for_valgrind)); i++) {
      const HChar* arg = *(HChar**)VG_(indexXA)(VG_(args_for_valgrind), i);
      if (VG_(strncmp)(arg, "--", 2) != 0)
         continue;
      arg += VG_(strncmp)(arg, "--ws:", 5) == 0 ? 5 : 2;
      if (VG_(strncmp)(arg, option, n) == 0)
         value = arg + n;
   }
   return value;
}

void WS_(clo_init)(void)
{
   VG_(needs_command_line_options)(process, print_usage, print_debug_usage);
   VG_(clo_backtrace_size) = DEFAULT_CALLERS;
   // The default of VEX; a user who asks for it is told otherwise.
   VG_(clo_vex_control).guest_chase = False;
   VG_(clo_read_inline_info)        = True;
   const HChar* unit                = WS_(clo_value)("ws-time-unit=");
   WS_(clo).is_clocked              = VG_STREQ(unit, "ms");
}

/* --- What depends on several options -------------------------------------- */

/* Options may come in any order, so what depends on two of them waits for the
   last one. */

/* Fills in the times that were not given. */
static void finish_times(void)
{
   WsOptions* o = &WS_(clo);

   o->every_grows = o->every == 0;
   if (o->every_grows)
      o->every = o->is_clocked ? 1000 * DEFAULT_EVERY_MS : DEFAULT_EVERY_INSTRS;
   ULong tau = o->every; // T, 100 T and 10,000 T
   for (Bool fits = o->taus.n == 0; fits && o->taus.n < 3;
        fits      = multiply(&tau, 100))
      add_tau(&o->taus, tau);
}

/* Ends the run, which VG_(fmsg_bad_option) would let go on once all options
   have been processed. */
void WS_(clo_refuse)(const HChar* option, const HChar* value,
                     const HChar* format, ...)
{
   va_list vargs;

   VG_(fmsg)("Bad option: %s=%s\n", option, value);
   va_start(vargs, format);
   VG_(vmessage)(Vg_FailMsg, format, vargs);
   va_end(vargs);
   VG_(fmsg)("Use --help for more information or consult the user manual.\n");
   VG_(exit)(1);
}

void WS_(clo_finish)(void)
{
   WsOptions* o = &WS_(clo);

   // With chasing, VEX counts instructions that are never executed.
   if (VG_(clo_vex_control).guest_chase && VG_(clo_verbosity) > 0)
      VG_(umsg)("--vex-guest-chase=yes is ignored: "
                "instruction counts would be wrong.\n");
   VG_(clo_vex_control).guest_chase = False;
   WS_(page_shift)                  = VG_(log2_64)(o->page_szB);
   if (!o->report.name)
      set_file(&o->report, o->report.option, o->report.pattern);
   o->page_log = o->log.name != NULL;
   if (o->threads && !o->page_log)
      WS_(clo_refuse)("--ws-threads", "yes",
                      "only the page log tells threads apart: add "
                      "--ws-page-log=<file>\n");
   if (o->code_lines && (!o->page_log || o->list_pages))
      WS_(clo_refuse)("--ws-code-lines", "yes",
                      "lines are for a page log, without --ws-list-pages\n");
   if (o->page_log && VG_STREQ(o->log.name, o->report.name))
      WS_(clo_refuse)("--ws-page-log", o->log.pattern,
                      "the report has this name\n");
   finish_times();
   o->with_callers = o->stacks == Ws_NoStacks ? 0 : ~0U;
   // The shortest of several windows has more entries than all others.
   if (o->stacks == Ws_LongStacks && o->taus.n > 1)
      o->with_callers &= ~(1U << WS_(shortest)(&o->taus));
}
