/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_requests.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_clreq.h"
#include "pub_tool_gdbserver.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_machine.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_tooliface.h"
#include "pub_tool_vki.h"
#include "ws.h"
#include "ws_clo.h"
#include "ws_files.h"
#include "ws_run.h"
#include "ws_sample.h"
#include "ws_slowpath.h"
#include "ws_time.h"

/* Labels are for people: the rest of a longer one is cut off. */
#define MAX_LABEL_CHARS 200

static Bool is_readable(Addr a)
{
   return VG_(am_is_valid_for_client)(a, 1, VKI_PROT_READ);
}

/* The label that the client gives: any address, which need not be one. */
static const HChar* client_label(Addr a)
{
   XArray* label = WS_(text_begin)();

   if (!is_readable(a))
      VG_(xaprintf)(label, "(label is not readable)");
   for (UInt n = 0; n < MAX_LABEL_CHARS && is_readable(a) && *(HChar*)a; n++)
      WS_(text_add)(label, (HChar*)a++, 1);
   return WS_(text_end)(label);
}

static void print_monitor_help(void)
{
   VG_(gdb_printf)(
      "\n"
      "ws monitor commands:\n"
      "  ws answer\n"
      "        prints the answer so far, as at the end of the run\n"
      "  ws mark [<label>]\n"
      "        ends a phase now; the report has the pages of each phase\n"
      "  ws snapshot [<label>]\n"
      "        does the same, and records the call stack and the origins of the\n"
      "        working sets\n"
      "  ws start, ws stop\n"
      "        start measuring; stop measuring, and time\n"
      "  ws status\n"
      "        prints the instructions, their rate, and the working sets at the\n"
      "        last sample\n"
      "\n");
}

static void print_status(void)
{
   WsInstrs now   = WS_(time_now)();
   ULong    us    = WS_(time_us)();
   ULong    speed = WS_(progress_speed)(now, us);

   const WsSizes* sizes = WS_(sample_sizes)();
   VG_(gdb_printf)("instructions: %llu%s\n", now,
                   WS_(time).is_on ? "" : " (not measuring)");
   if (WS_(clo).is_clocked)
      VG_(gdb_printf)("milliseconds: %llu\n", us / 1000);
   VG_(gdb_printf)("speed:        %llu.%llu million instructions per second\n",
                   speed / 10, speed % 10);
   VG_(gdb_printf)("%s: %lu pages of code, %lu of data\n",
                   WS_(sample_sizes_name)(), sizes->of[Ws_Insn][0],
                   sizes->of[Ws_Data][0]);
   if (WS_(clo).dirty)
      VG_(gdb_printf)("written:      %lu pages of data\n",
                      sizes->of[Ws_Dirty][0]);
   VG_(gdb_printf)("report:       %s\n", WS_(file_name)(&WS_(report_file)));
}

static void print_answer(void)
{
   VG_(gdb_printf)("so far, in %llu instructions:\n", WS_(time_now)());
   WS_(run_answer)(VG_(gdb_printf));
}

/* While all threads wait, none is running: then the first one is meant. */
static ThreadId some_thread(ThreadId tid)
{
   Addr pointer, top;

   if (tid == VG_INVALID_THREADID) {
      VG_(thread_stack_reset_iter)(&tid);
      VG_(thread_stack_next)(&tid, &pointer, &top);
   }
   return tid;
}

/* `tid`: whose stack is wanted, or VG_INVALID_THREADID. */
static void mark_now(ThreadId tid, const HChar* what, const HChar* label)
{
   while (*label == ' ')
      label++;
   WS_(run_mark)(WS_(text_line)(*label ? label : what), tid);
   VG_(gdb_printf)("%s at instruction %llu\n", what, WS_(time_now)());
}

static void switch_now(Bool on)
{
   WS_(run_switch)(on);
   VG_(gdb_printf)("%s at instruction %llu\n",
                   on ? "measuring" : "not measuring", WS_(time_now)());
}

/* What comes after "ws". */
static void do_ws_command(ThreadId tid, HChar** saved)
{
   const HChar* word = VG_(strtok_r)(NULL, " ", saved);

   if (!word) {
      print_monitor_help();
      return;
   }
   switch (VG_(keyword_id)("answer mark snapshot start status stop", word,
                           kwd_report_all)) {
   case 0: print_answer(); break;
   case 1: mark_now(VG_INVALID_THREADID, "mark", *saved); break;
   case 2: mark_now(some_thread(tid), "snapshot", *saved); break;
   case 3: switch_now(True); break;
   case 4: print_status(); break;
   case 5: switch_now(False); break;
   default: break; // has been reported
   }
}

/* False: the command is not one of ours. */
static Bool monitor(ThreadId tid, const HChar* command)
{
   HChar*       words = VG_(strdup)("ws.monitor", command);
   HChar*       saved;
   const HChar* word  = VG_(strtok_r)(words, " ", &saved);
   Bool         known = True;

   switch (word
              ? VG_(keyword_id)("help ws", word, kwd_report_duplicated_matches)
              : -1) {
   case 0: print_monitor_help(); break;
   case 1: do_ws_command(tid, &saved); break;
   default: known = False; break;
   }
   VG_(free)(words);
   return known;
}

static Bool handle_request(ThreadId tid, UWord* args, UWord* ret)
{
   *ret = 0;
   // A debugger may ask while all threads wait.
   WS_(look_at_clock)(some_thread(tid),
                      tid == VG_INVALID_THREADID ? Ws_Waited : Ws_Executed);
   switch (args[0]) {
   case VG_USERREQ__WS_MARK:
      WS_(run_mark)(client_label(args[1]), VG_INVALID_THREADID);
      return True;
   case VG_USERREQ__WS_SNAPSHOT:
      WS_(run_mark)(client_label(args[1]), tid);
      return True;
   case VG_USERREQ__WS_START: WS_(run_switch)(True); return True;
   case VG_USERREQ__WS_STOP: WS_(run_switch)(False); return True;
   case VG_USERREQ__GDB_MONITOR_COMMAND:
      *ret = monitor(tid, (const HChar*)args[1]);
      return *ret;
   default: return False;
   }
}

void WS_(requests_init)(void)
{
   VG_(needs_client_requests)(handle_request);
}
