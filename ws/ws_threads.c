/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_threads.h"

#include "pub_tool_clientstate.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_vki.h"
#include "ws_clo.h"
#include "ws_intern.h"
#include "ws_pagelog.h"
#include "ws_report.h"
#include "ws_symbols.h"

#define NAME_SZB 16 // Linux cuts longer ones

static const HChar* tool_name; // of the process before it runs the program

/* The present thread with a number. */
typedef struct {
   const HChar* name;   // the last one; NULL: not known yet
   WsInstrs     instrs; // executed by it
} Thread;
static Thread*  threads; // by number
static ThreadId running;
static WsInstrs since; // when it went on

/* Instructions, by number and name. */
static WsPairs executed = {.entry_szB = sizeof(WsInstrs)};

/* Asks the kernel, which knows all ways to name a thread. */
static const HChar* running_name(void)
{
   HChar name[NAME_SZB] = "";

   VG_(prctl)(VKI_PR_GET_NAME, (Addr)name, 0, 0, 0);
   return WS_(text_line)(name);
}

/* Gives the name that the first thread has natively. */
static const HChar* program_name(void)
{
   HChar name[NAME_SZB];

   VG_(strncpy)(name, WS_(last_name)(VG_(args_the_exename)), sizeof name - 1);
   name[sizeof name - 1] = 0;
   return WS_(text_line)(name);
}

void WS_(threads_begin)(Bool is_child)
{
   if (!WS_(clo).threads)
      return;
   if (!is_child)
      tool_name = running_name();
   VG_(free)(threads);
   threads = VG_(calloc)("ws.threads", VG_N_THREADS, sizeof *threads);
   WS_(pairs_done)(&executed);
   since = 0;
}

/* Counts what a present thread has executed for its number and name. */
static void bank(ThreadId tid)
{
   UWord name = (UWord)threads[tid].name;

   if (name)
      *(WsInstrs*)WS_(pair_get)(&executed, tid, name) += threads[tid].instrs;
   threads[tid].instrs = 0;
}

void WS_(thread_begins)(ThreadId tid)
{
   bank(tid);
   threads[tid].name = NULL;
}

/* Counts what was executed since the last look. */
static void count_instrs(WsInstrs now)
{
   threads[running].instrs += now - since;
   since = now;
}

void WS_(thread_look)(ThreadId tid, WsInstrs now)
{
   Thread*      thread = &threads[tid];
   const HChar* name   = running_name();

   if (name == tool_name)
      name = program_name();
   count_instrs(now);
   running = tid;
   if (name != thread->name)
      WS_(pagelog_name)(tid, !thread->name, name);
   thread->name = name;
}

void WS_(threads_report)(WsInstrs now)
{
   if (!WS_(clo).threads)
      return;
   count_instrs(now);
   for (ThreadId tid = 0; tid < VG_N_THREADS; tid++)
      bank(tid);
   for (UInt i = 0; i < executed.n; i++) {
      const WsPair*  pair = &executed.pairs[i];
      const void*    n    = WS_(pair_entry)(&executed, i);
      WsReportThread row  = {pair->a, *(WsInstrs*)n, (const HChar*)pair->b};
      WS_(report_row)(Ws_Threads, &row);
   }
   WS_(report_section_end)();
}
