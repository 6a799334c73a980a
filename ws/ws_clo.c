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

#include "ws_clo.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"

#define MIN_PAGE_SZB ((UWord)16)
#define MAX_PAGE_SZB ((UWord)1 << 30)

/* Nothing is ever that far from its mean, and products stay finite. */
#define MAX_THRESH 1e30

WsOptions WS_(clo) = {
   .out_file            = "ws.out.%p",
   .every_instrs        = 100000,
   .tau_instrs          = 0, // not given: the same as every_instrs
   .page_szB            = 4096,
   .syscalls            = True,
   .at_start            = True,
   .peak_window_samples = 30,
   .peak_thresh         = {"0.0125", 0.0125},
   .peak_adapt          = {"0.25", 0.25},
   .locations           = True,
};

/* A decimal number from 1 to 2^64-1 that ends with `end`, and nothing else.
   Gives what comes after it, or NULL. */
static const HChar* parse_positive(const HChar* s, HChar end, ULong* value)
{
   ULong n = 0;

   for (; '0' <= *s && *s <= '9'; s++) {
      UInt digit = *s - '0';
      if (n > (~(ULong)0 - digit) / 10)
         return NULL;
      n = 10 * n + digit;
   }
   *value = n;
   return n > 0 && *s == end ? s + 1 : NULL;
}

static ULong parse_count(const HChar* arg, const HChar* value,
                         const HChar* unit)
{
   ULong n = 0;
   if (!parse_positive(value, 0, &n))
      VG_(fmsg_bad_option)
   (arg, "'%s' is not a number of %s from 1 to %llu\n", value, unit, ~(ULong)0);
   return n;
}

static Int compare_times(const void* a, const void* b)
{
   const WsTime *s = a, *t = b;
   return *s < *t ? -1 : *s > *t;
}

static XArray* parse_times(const HChar* arg, const HChar* value)
{
   XArray* times = VG_(newXA)(VG_(malloc), "ws.clo.times", VG_(free),
                              sizeof(WsTime));
   WsTime  t     = 0;

   VG_(setCmpFnXA)(times, compare_times);
   for (const HChar* s = value; s;) {
      const HChar* next = parse_positive(s, ',', &t);
      if (!next && !parse_positive(s, 0, &t))
         VG_(fmsg_bad_option)
      (arg, "'%s' is not a list of numbers of instructions from 1 to %llu\n",
       value, ~(ULong)0);
      VG_(addToXA)(times, &t);
      s = next;
   }
   VG_(sortXA)(times);
   for (Word i = VG_(sizeXA)(times) - 1; i > 0; i--)
      if (compare_times(VG_(indexXA)(times, i - 1), VG_(indexXA)(times, i)) ==
          0)
         VG_(removeIndexXA)(times, i);
   return times;
}

/* A positive number like 3, 0.25 or .25. */
static WsReal parse_real(const HChar* arg, const HChar* value,
                         const HChar* bound, double max)
{
   WsReal real     = {value, 0.0};
   double scale    = 1.0;
   UInt   n_points = 0;

   for (const HChar* s = value; *s; s++) {
      if (*s == '.' && n_points++ == 0)
         continue;
      if (*s < '0' || *s > '9') {
         real.value = 0.0;
         break;
      }
      real.value = 10.0 * real.value + (*s - '0');
      if (n_points)
         scale *= 10.0;
   }
   real.value /= scale; // is exact to the last bit, for up to 15 digits
   if (!(real.value > 0.0 && real.value <= max))
      VG_(fmsg_bad_option)
   (arg, "'%s' is not a number like 0.25 above 0%s\n", value, bound);
   return real;
}

static UWord parse_page_size(const HChar* arg, const HChar* value)
{
   ULong n = 0;
   if (!parse_positive(value, 0, &n) || (n & (n - 1)) != 0 ||
       n < MIN_PAGE_SZB || n > MAX_PAGE_SZB)
      VG_(fmsg_bad_option)
   (arg, "'%s' is not a power of two from %lu to %lu (bytes)\n", value,
    MIN_PAGE_SZB, MAX_PAGE_SZB);
   return (UWord)n;
}

/* Expanded at once: Valgrind ends the run over a bad name only while options
   are being processed. */
static void set_out_file(const HChar* option, const HChar* value)
{
   if (WS_(clo).out_name)
      VG_(free)(WS_(clo).out_name);
   WS_(clo).out_file = value;
   WS_(clo).out_name = VG_(expand_file_name)(option, value);
}

Bool WS_(clo_process)(const HChar* arg)
{
   const HChar* value;

   if (VG_STR_CLO(arg, "--ws-out-file", value))
      set_out_file("--ws-out-file", value);
   else if (VG_STR_CLO(arg, "--ws-file", value)) // of valgrind-ws, 2018
      set_out_file("--ws-file", value);
   else if (VG_STR_CLO(arg, "--ws-every", value))
      WS_(clo).every_instrs = parse_count(arg, value, "instructions");
   else if (VG_STR_CLO(arg, "--ws-tau", value))
      WS_(clo).tau_instrs = parse_count(arg, value, "instructions");
   else if (VG_STR_CLO(arg, "--ws-pagesize", value))
      WS_(clo).page_szB = parse_page_size(arg, value);
   else if (VG_STR_CLO(arg, "--ws-peak-window", value))
      WS_(clo).peak_window_samples = parse_count(arg, value, "samples");
   else if (VG_STR_CLO(arg, "--ws-peak-thresh", value))
      WS_(clo).peak_thresh = parse_real(arg, value, "", MAX_THRESH);
   else if (VG_STR_CLO(arg, "--ws-peak-adapt", value))
      WS_(clo).peak_adapt = parse_real(arg, value, ", up to 1", 1.0);
   else if (VG_STR_CLO(arg, "--ws-info-at", value))
      WS_(clo).info_at = parse_times(arg, value);
   else if (VG_BOOL_CLO(arg, "--ws-syscalls", WS_(clo).syscalls) ||
            VG_BOOL_CLO(arg, "--ws-at-start", WS_(clo).at_start) ||
            VG_BOOL_CLO(arg, "--ws-peak-detect", WS_(clo).peak_detect) ||
            VG_BOOL_CLO(arg, "--ws-dirty", WS_(clo).dirty) ||
            VG_BOOL_CLO(arg, "--ws-list-pages", WS_(clo).list_pages) ||
            VG_BOOL_CLO(arg, "--ws-locations", WS_(clo).locations))
      ;
   else
      return False;
   return True;
}

void WS_(clo_print_usage)(void)
{
   VG_(printf)(
      "    --ws-out-file=<file>      write the report to <file> [ws.out.%%p]\n"
      "    --ws-every=<n>            sample the working set every <n> instructions\n"
      "                              [100000]\n"
      "    --ws-tau=<n>              length of the working set window, in\n"
      "                              instructions [as --ws-every]\n"
      "    --ws-pagesize=<bytes>     size of a page, a power of two from 16 to 2^30\n"
      "                              [4096]\n"
      "    --ws-syscalls=no|yes      count memory that system calls read and write\n"
      "                              for the program? [yes]\n"
      "    --ws-at-start=no|yes      measure from the start? no: from the client\n"
      "                              request WS_START on [yes]\n"
      "    --ws-dirty=no|yes         count the pages that were written, too? [no]\n"
      "    --ws-peak-detect=no|yes   find peaks and record their call stacks? [no]\n"
      "    --ws-peak-window=<n>      samples that the moving mean and variance\n"
      "                              look back on [30]\n"
      "    --ws-peak-thresh=<x>      how far from the mean a peak is: the lower, the\n"
      "                              more peaks [%s]\n"
      "    --ws-peak-adapt=<x>       weight of a sample in mean and variance while a\n"
      "                              peak lasts, up to 1 [%s]\n"
      "    --ws-info-at=<n>[,<n>...] record the call stack at the first sample at or\n"
      "                              after these times, too [none]\n"
      "    --ws-list-pages=no|yes    list all pages with their access counts? [no]\n"
      "    --ws-locations=no|yes     name the code that was first to access a page\n"
      "                              in that list? [yes]\n",
      WS_(clo).peak_thresh.text, WS_(clo).peak_adapt.text);
}

void WS_(clo_print_debug_usage)(void)
{
   VG_(printf)("    (none)\n");
}

/* What --read-inline-info is if the user does not say. */
#define UNDECIDED ((Bool)2)

void WS_(clo_begin)(void)
{
   // The default of VEX; a user who asks for it is told otherwise.
   VG_(clo_vex_control).guest_chase = False;
   VG_(clo_read_inline_info)        = UNDECIDED;
}

/* With chasing, VEX counts instructions that are never executed. */
static void disable_chasing(void)
{
   if (VG_(clo_vex_control).guest_chase && VG_(clo_verbosity) > 0)
      VG_(umsg)("--vex-guest-chase=yes is ignored: "
                "instruction counts would be wrong.\n");
   VG_(clo_vex_control).guest_chase = False;
}

void WS_(clo_finish)(void)
{
   disable_chasing();
   if (!WS_(clo).out_name)
      set_out_file("--ws-out-file", WS_(clo).out_file);
   if (WS_(clo).tau_instrs == 0)
      WS_(clo).tau_instrs = WS_(clo).every_instrs;
   // It takes a tenth of a second at the start, and more for large programs.
   if (VG_(clo_read_inline_info) == UNDECIDED)
      VG_(clo_read_inline_info) = WS_(clo_wants_stacks)() ||
                                  (WS_(clo).list_pages && WS_(clo).locations);
}

Bool WS_(clo_wants_stacks)(void)
{
   return WS_(clo).peak_detect || WS_(clo).info_at;
}
