/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* Overview of operation.

   ws measures Denning's working set: the pages that the program accessed in
   the last tau instructions, sampled every T instructions.

   What happens to one access:

      translation   ws_instrument finds it in the superblock's IR; ws_emit adds
                    code that looks at the mark of its page (ws_pagemarks), and
                    a description of the segment that it is in (ws_segment)
      execution     the page is marked: nothing more.  Else, or when the
                    deadline has passed (ws_time), generated code calls
      slow path     ws_slowpath marks the page, and puts it on a list
                    ws_sets counts it in its windows (ws_window).  If it enters
                    the working set, it gets an origin (ws_origins): the call
                    stack (ws_unwind) and the mapping (ws_mappings)
      end of the    the marks of the pages on the list are cleared
      interval
      sample        ws_sample reads the sizes, makes a row of the table, and
                    keeps what the set consists of, if it may be a peak;
                    ws_report gives the row to the file (ws_outfiles)

   So generated code does the common case by itself, and a page costs more than
   that once per interval.  An interval ends at a cut of time (ws_window): at
   each sample, and where a window begins.  A segment that a cut falls into is
   done in the order of time: samples are exact.

   The modules: one may include those on lower lines, and those to its right on
   its own line (tests/suites/structure.test).

      run         main syscalls sysmem run
      translate   instrument heapcalls emit pool
      replay      slowpath unwind recount time pagelist segment pagemarks ir
      log         pagelog
      report      summary sample stacks
      file        outfiles report
      names       mappings debuginfo symbols
      sets        heap sets window resident forks stats origins intern
      for all     clo compat base

   run:       begin, end, fork and exec of a run; client requests (here), system
              calls, and the memory that the kernel accesses in them.
   translate: from IR to accesses, groups of them, and code.
   replay:    what generated code calls, and the memory that it shares with C;
              time; call stacks; lists of pages; the recount of all this.
   log:       which pages each interval accessed, if that is wanted.
   report:    samples, phases, frames of call stacks; the terminal's last lines.
   file:      the format of the report, and the files on the disk.
   names:     of memory and of code, in words.
   sets:      which pages are in which window, or resident, and their origins;
              the profile, and statistics of sizes, peaks included.

   The files marked "Pure" know nothing of Valgrind but memory, asserts and
   formatting, and are tested on the host (tests/unit).  docs/design.md tells
   the whole. */

#include "pub_tool_gdbserver.h"
#include "pub_tool_machine.h"
#include "pub_tool_options.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_tooliface.h"
#include "pub_tool_transtab.h"
#include "pub_tool_vki.h"
#include "ws.h"
#include "ws_base.h"
#include "ws_clo.h"
#include "ws_compat.h"
#include "ws_debuginfo.h"
#include "ws_instrument.h"
#include "ws_mappings.h"
#include "ws_outfiles.h"
#include "ws_pagelog.h"
#include "ws_pagemarks.h"
#include "ws_resident.h"
#include "ws_run.h"
#include "ws_sample.h"
#include "ws_slowpath.h"
#include "ws_syscalls.h"
#include "ws_time.h"

/* --- Requests of the program and of a debugger ---------------------------- */

/* Labels are for people: the rest of a longer one is cut off. */
#define MAX_LABEL_CHARS 200

/* Copies the client's label. Its address may be wrong: nothing is read before
   it is known to be readable. */
static const HChar* client_label(Addr a)
{
   XArray* label = WS_(text_begin)();

   if (!WS_(is_readable)(a, 1))
      VG_(xaprintf)(label, "(label is not readable)");
   for (UInt n = 0; n < MAX_LABEL_CHARS && WS_(is_readable)(a, 1) && *(HChar*)a;
        n++)
      WS_(text_add)(label, (HChar*)a++, 1);
   return WS_(text_end)(label);
}

static void print_monitor_help(void)
{
   VG_(gdb_printf)(
      "\n"
      "ws monitor commands:\n"
      "  ws answer\n"
      "        prints the summary so far, as at the end of the run\n"
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

/* Prints what a user wants to know of a long run before its end; what was
   measured so far is `ws answer`. */
static void print_status(void)
{
   WsInstrs now   = WS_(time_now)();
   ULong    us    = WS_(time_us)();
   ULong    speed = WS_(progress_speed)(now, us);

   const HChar*   name;
   const WsSizes* sizes = WS_(sample_sizes)(&name);
   VG_(gdb_printf)("instructions: %llu%s\n", now,
                   WS_(time).is_on ? "" : " (not measuring)");
   if (WS_(clo).is_clocked)
      VG_(gdb_printf)("milliseconds: %llu\n", us / 1000);
   VG_(gdb_printf)("speed:        %llu.%llu million instructions per second\n",
                   speed / 10, speed % 10);
   VG_(gdb_printf)("%s: %lu pages of code, %lu of data\n", name,
                   sizes->of[Ws_Insn][0], sizes->of[Ws_Data][0]);
   if (WS_(clo).dirty)
      VG_(gdb_printf)("written:      %lu pages of data\n",
                      sizes->of[Ws_Dirty][0]);
   VG_(gdb_printf)("report:       %s\n", WS_(file_name)(&WS_(report_file)));
}

/* Gives the thread, or the first one if all threads wait and none is
   running. */
static ThreadId some_thread(ThreadId tid)
{
   Addr pointer, top;

   if (tid == VG_INVALID_THREADID) {
      VG_(thread_stack_reset_iter)(&tid);
      VG_(thread_stack_next)(&tid, &pointer, &top);
   }
   return tid;
}

/* Sets a mark. `tid` is the thread whose stack is wanted, or
   VG_INVALID_THREADID. */
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

/* Executes what comes after "ws". */
static void do_ws_command(ThreadId tid, HChar** saved)
{
   const HChar* word = VG_(strtok_r)(NULL, " ", saved);

   if (!word) {
      print_monitor_help();
      return;
   }
   switch (VG_(keyword_id)("answer mark snapshot start status stop", word,
                           kwd_report_all)) {
   case 0:
      VG_(gdb_printf)("so far, in %llu instructions:\n", WS_(time_now)());
      WS_(run_answer)(VG_(gdb_printf));
      break;
   case 1: mark_now(VG_INVALID_THREADID, "mark", *saved); break;
   case 2: mark_now(some_thread(tid), "snapshot", *saved); break;
   case 3: switch_now(True); break;
   case 4: print_status(); break;
   case 5: switch_now(False); break;
   default: break; // has been reported
   }
}

/* Executes a monitor command; False if it is not one of ours. */
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

/* Handles a client request. The clock is looked at first: samples that are due
   belong before the request, in the phase that it ends. */
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

/* --- Beginning and end ---------------------------------------------------- */

/* Ends the run over a file that cannot be written, before the program starts:
   nobody should wait for a report that will not be there. */
static void refuse_file(const WsFile* file)
{
   const WsFileOption* o = file == &WS_(log_file) ? &WS_(clo).log
                                                  : &WS_(clo).report;

   WS_(files_discard)();
   WS_(clo_refuse)(o->option, o->pattern, "cannot write %s: %s\n",
                   WS_(file_name)(file), WS_(file_error)(file));
}

/* Tells whether the user has given an option of the core that is not "no". */
static Bool is_given(const HChar* option)
{
   const HChar* value = WS_(clo_value)(option);

   return value && !VG_STREQ(value, "no");
}

/* Prepares a thread before its first instruction: its segments find the marks
   by what is in its shadow registers, and the page log hears of its stack. */
static void thread_begins(ThreadId tid)
{
   SizeT szB = VG_(thread_get_stack_size)(tid);
   Addr  top = VG_(thread_get_stack_max)(tid);

   if (tid > 1 && !is_given("fair-sched="))
      WS_(resident_doubt)(Ws_Overlap);
   if (WS_(clo).threads)
      WS_(pagelog_thread)(tid);
   WS_(marks_init_thread)(tid);
   WS_(mappings_thread_begins)(tid);
   Addr main_start = WS_(main_stack_start)();
   // The main thread's need not have been mapped as a whole.
   if (main_start <= top && top - main_start < szB)
      szB = top - main_start + 1;
   WS_(pagelog_map)(top - szB + 1, szB);
}

/* Sets up everything in order. What reads options comes after WS_(clo_finish),
   and the run begins when all else is ready. Marks come before syscalls and the
   run, which may clear some. */
static void post_clo_init(void)
{
   // As in Valgrind's tool none: only those about file descriptors.  (Only from
   // 3.27 on, the core shows tools what it has parsed.)
   WS_(set_core_errors)(is_given("track-fds="));
   WS_(clo_finish)();
   WS_(progress_init)();
   WS_(read_inlined)(False);
   WS_(places_init)();
   WS_(marks_init)(WS_(clo).dirty, WS_(clo).list_pages);
   LibVEX_TrustsIR = !WS_(clo).recount;
#if defined(VGP_amd64_linux)
   LibVEX_PinnedWord = (ULong*)&WS_(shared).counter;
   VG_(inline_lookups)();
#endif
   WS_(syscalls_init)();
   if (WS_(clo).threads)
      VG_(track_start_client_code)(WS_(thread_runs));
   WS_(time_switch)(WS_(clo).at_start);
   const WsFile* missing = WS_(run_begin)(0);
   if (missing)
      refuse_file(missing);
}

static void print_stats(void)
{
   const WsWork* w = &WS_(work);

   VG_(dmsg)(" ws: slow path: %llu segments with marks missing, %llu in order, "
             "%llu straddling groups, %llu cuts\n",
             w->n_lean, w->n_in_order, w->n_straddling, w->n_cuts);
   VG_(dmsg)(" ws: stacks: %llu unwound, %llu reused, %llu unknown\n",
             w->n_unwound, w->n_reused, w->n_unknown);
   VG_(dmsg)(
      " ws: %llu superblocks, %llu segments, %llu data accesses in %llu groups, "
      "%lu bytes of descriptions\n",
      w->n_blocks, w->n_segments, w->n_accesses, w->n_groups,
      w->descriptions_szB);
}

static void fini(Int exit_code)
{
   WS_(look_at_clock)(VG_INVALID_THREADID, Ws_Executed);
   WS_(run_end)();
   if (VG_(clo_stats))
      print_stats();
}

static void pre_clo_init(void)
{
   VG_(details_name)("ws");
   VG_(details_version)(WS_VERSION);
   VG_(details_description)("a working set profiler");
   VG_(details_copyright_author)("Copyright (C) 2026, and GNU GPL'd, "
                                 "by the ws developers.");
   VG_(details_bug_reports_to)("the maintainers of ws");
   VG_(details_avg_translation_sizeB)(500);

   VG_(basic_tool_funcs)(post_clo_init, WS_(instrument), fini);
   WS_(set_core_errors)(True); // until options are known
   VG_(needs_superblock_discards)(WS_(discard_block));
   VG_(needs_client_requests)(handle_request);
   VG_(track_pre_thread_first_insn)(thread_begins);
   WS_(clo_init)();
}

VG_DETERMINE_INTERFACE_VERSION(pre_clo_init)
