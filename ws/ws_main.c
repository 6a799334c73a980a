/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* Overview of operation.

   ws measures Denning's working set: the pages that the program accessed in
   the last tau instructions, sampled every T instructions.

   What happens to one access:

      translation   ws_instrument finds it in the superblock's IR; ws_emit adds
                    code that looks at the mark of its page (ws_marks), and a
                    description of the segment that it is in (ws_segment)
      execution     the page is marked: nothing more.  Else, or when the
                    deadline has passed (ws_time), generated code calls
      slow path     ws_slowpath marks the page, and puts it on a list
                    ws_sets counts it in its windows (ws_window).  If it enters
                    the working set, it gets an origin (ws_origins): the call
                    stack (ws_callers) and the mapping (ws_mappings)
      end of the    the marks of the pages on the list are cleared
      interval
      sample        ws_sample reads the sizes and makes a row of the table;
                    ws_report gives it to the file (ws_files).  ws_kept keeps
                    what the set consists of, if it may be a peak

   So generated code does the common case by itself, and a page costs more than
   that once per interval.  An interval ends at a cut of time (ws_cuts): at each
   sample, and where a window begins.  A segment that a cut falls into is done
   in the order of time: samples are exact.

   The modules: each one knows only those below it, and in its own line those to
   its right (tests/suites/structure.test).

      run         main requests syscalls run
      translate   instrument emit address pool
      replay      slowpath callers recount time cuts list segment marks ir
      log         pagelog record
      report      summary sample kept frames
      file        files report
      names       mappings place symbols
      peaks       peak
      sets        sets profile window resident stats origins pairs
      for all     clo compat base

   run:       begin, end, fork and exec of a run; what the program asks for
              (client requests), and what the kernel does for it: ws_syscalls
              knows where Valgrind's wrappers of system calls are wrong.
   translate: from IR to accesses, groups of them, and code.
   replay:    what generated code calls, the memory that it shares with C, and
              time.  ws_callers finds call stacks; ws_list keeps what is known
              of each page, if it is to be listed; ws_recount does all of it
              once more, in the plain and slow way, if asked to.
   log:       which pages each interval accessed, if that is wanted.
   report:    samples, what the largest ones consist of (ws_kept), and phases
              between the program's marks; what is said at the end
              (ws_summary); frames of call stacks.
   file:      the format of the report, and the files on the disk.
   names:     of memory and of code, in words; generated code has those that
              the program gives it (ws_symbols).
   peaks:     of sizes: the prominent ones, and those of the paper's detector.
   sets:      which pages are in which window, where they come from
              (ws_origins), which are resident, and how sizes depend on the
              window's length (ws_profile).

   The files marked "Pure" know nothing of Valgrind but memory, asserts and
   formatting, and are tested on the host (tests/unit).  docs/design.md tells
   the whole. */

#include "pub_tool_basics.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_options.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_tooliface.h"
#include "ws_base.h"
#include "ws_callers.h"
#include "ws_clo.h"
#include "ws_compat.h"
#include "ws_files.h"
#include "ws_instrument.h"
#include "ws_mappings.h"
#include "ws_marks.h"
#include "ws_place.h"
#include "ws_recount.h"
#include "ws_requests.h"
#include "ws_run.h"
#include "ws_slowpath.h"
#include "ws_syscalls.h"
#include "ws_time.h"

static void refuse_file(const WsFile* file)
{
   Bool is_log = file == &WS_(log_file);

   WS_(files_discard)();
   WS_(clo_refuse)(is_log ? "--ws-page-log" : WS_(clo).out_option,
                   is_log ? WS_(clo).page_log : WS_(clo).out_file,
                   "cannot write %s: %s\n", WS_(file_name)(file),
                   WS_(file_error)(file));
}

static void thread_begins(ThreadId tid)
{
   WS_(marks_init_thread)(tid);
   WS_(mappings_thread_begins)(tid);
   WS_(run_thread_begins)(tid);
}

static void thread_runs(ThreadId tid, ULong n_blocks)
{
   WS_(thread_runs)(tid);
}

static void post_clo_init(void)
{
   // As in Valgrind's tool none: only those about file descriptors.
   WS_(set_core_errors)(WS_(tracks_fds)());
   WS_(clo_finish)();
   WS_(read_inlined)(False);
   WS_(places_init)();
   WS_(marks_init)(WS_(clo).page_szB, WS_(clo).dirty, WS_(clo).list_pages);
   WS_(syscalls_init)();
   if (WS_(clo).recount)
      WS_(recount_init)();
   if (WS_(clo).threads)
      VG_(track_start_client_code)(thread_runs);
   WS_(time_switch)(WS_(clo).at_start);
   const WsFile* missing = WS_(run_begin)(0);
   if (missing)
      refuse_file(missing);
}

static void fini(Int exit_code)
{
   WS_(look_at_clock)(VG_INVALID_THREADID, Ws_Executed);
   WS_(run_end)();
   if (VG_(clo_stats)) {
      WS_(run_print_stats)();
      WS_(slowpath_print_stats)();
      WS_(callers_print_stats)();
      WS_(instrument_print_stats)();
   }
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
   WS_(requests_init)();
   VG_(track_pre_thread_first_insn)(thread_begins);
   WS_(clo_init)();
}

VG_DETERMINE_INTERFACE_VERSION(pre_clo_init)
