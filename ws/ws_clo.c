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

WsOptions WS_(clo) = {
   .out_file     = "ws.out.%p",
   .every_instrs = 100000,
   .tau_instrs   = 0, // not given: the same as every_instrs
   .page_szB     = 4096,
   .syscalls     = True,
};

/* A decimal number from 1 to 2^64-1, and nothing else. */
static Bool parse_positive(const HChar* s, ULong* value)
{
   ULong n = 0;

   if (*s == 0)
      return False;
   for (; *s; s++) {
      if (*s < '0' || *s > '9')
         return False;
      UInt digit = *s - '0';
      if (n > (~(ULong)0 - digit) / 10)
         return False;
      n = 10 * n + digit;
   }
   *value = n;
   return n > 0;
}

static WsTime parse_time(const HChar* arg, const HChar* value)
{
   WsTime t = 0;
   if (!parse_positive(value, &t))
      VG_(fmsg_bad_option)
   (arg, "'%s' is not a number of instructions from 1 to %llu\n", value,
    ~(ULong)0);
   return t;
}

static UWord parse_page_size(const HChar* arg, const HChar* value)
{
   ULong n = 0;
   if (!parse_positive(value, &n) || (n & (n - 1)) != 0 || n < MIN_PAGE_SZB ||
       n > MAX_PAGE_SZB)
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
      WS_(clo).every_instrs = parse_time(arg, value);
   else if (VG_STR_CLO(arg, "--ws-tau", value))
      WS_(clo).tau_instrs = parse_time(arg, value);
   else if (VG_STR_CLO(arg, "--ws-pagesize", value))
      WS_(clo).page_szB = parse_page_size(arg, value);
   else if (VG_BOOL_CLO(arg, "--ws-syscalls", WS_(clo).syscalls))
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
      "                              for the program? [yes]\n");
}

void WS_(clo_print_debug_usage)(void)
{
   VG_(printf)("    (none)\n");
}

void WS_(clo_finish)(void)
{
   if (!WS_(clo).out_name)
      set_out_file("--ws-out-file", WS_(clo).out_file);
   if (WS_(clo).tau_instrs == 0)
      WS_(clo).tau_instrs = WS_(clo).every_instrs;
}
