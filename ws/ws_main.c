/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* Overview of operation.

   ws measures Denning's working set: the pages that the program accessed in
   the last tau instructions, sampled every T instructions.

      guest IR --> ws_instrument --> ws_emit --> generated code
                   (ws_address)                      |
                         access to a page that is    |
                         not armed, or epoch ending  v
                                                ws_segment --> ws_stack
                                       access   |        |   end of epoch
                                                v        v
                                ws_window <-- ws_pages   ws_cuts
                                                |        |    ws_clock
                       ws_requests --> marks    v        v
                       ws_syscalls ----------> ws_sample --> ws_stats, ws_peak,
                                                |   |        ws_profile
      ws_list (ws_place, ws_owner) <------------'   |
      ws_info (ws_place) <------------------------ ws_rows
                                                    |
                                               ws_report --> ws_out --> file

   Time, in executed instructions, is cut into epochs, one per sample (ws_cuts).
   A window that is a multiple of their length consists of whole epochs; then
   only the first access to a page in an epoch can change a working set.
   Generated code does the common case by itself: of a page that is accessed
   again and again it just renews a time stamp (ws_fastpath), which the tool
   looks at before the epoch ends; it calls the tool for all other pages, and
   for everything right before the end.  The tool moves a page from the count of
   the epoch of its previous access to the present one, so that a sample is the
   difference of sums that are there already, for any number of windows
   (ws_window); their sizes at all samples make the profile (ws_profile).  A
   piece of code in which an epoch ends is done by the tool in the order of time
   (ws_segment): samples are exact.

   At a sample at which a peak begins (ws_peak), or that the user has named, the
   call stack is recorded as soon as it can be had (ws_stack, ws_rows); rows
   refer to it by number (ws_info).  Names come from debug information
   (ws_place) at once, and each text is kept once (ws_text).

   ws_clo has the options, ws_syscalls what the kernel does for the program,
   ws_requests what the program, or a debugger, asks for.  ws_recount does all
   of the above once more, in the plain and slow way, if it is asked to.  The
   files marked "Pure" know nothing of Valgrind but memory, asserts and
   formatting, and are tested on the host (tests/unit).  docs/design.md tells
   the whole. */

#include "pub_tool_basics.h"
#include "pub_tool_libcassert.h" // VG_(exit)
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_options.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_tooliface.h"
#include "ws_base.h"
#include "ws_clo.h"
#include "ws_compat.h"
#include "ws_fastpath.h"
#include "ws_instrument.h"
#include "ws_out.h"
#include "ws_recount.h"
#include "ws_requests.h"
#include "ws_sample.h"
#include "ws_segment.h"
#include "ws_syscalls.h"

/* VG_(fmsg_bad_option) would let the program run, this late. */
static void refuse_out_file(void)
{
   const WsOptions* o = &WS_(clo);

   VG_(fmsg)("Bad option: %s=%s\n", o->out_option, o->out_file);
   VG_(fmsg)("cannot write %s: %s\n", WS_(out_name)(), WS_(out_error)());
   VG_(fmsg)("Use --help for more information or consult the user manual.\n");
   VG_(exit)(1);
}

static void post_clo_init(void)
{
   // As in Valgrind's tool none: only those about file descriptors.
   WS_(set_core_errors)(WS_(tracks_fds)());
   WS_(clo_finish)();
   WS_(fastpath_init)(WS_(clo).page_szB, WS_(clo).dirty, WS_(clo).list_pages);
   WS_(syscalls_init)();
   if (WS_(clo).recount)
      WS_(recount_init)();
   WS_(run_switch)(WS_(clo).at_start);
   if (!WS_(run_begin)(0))
      refuse_out_file();
   WS_(reset_time)();
}

static void fini(Int exit_code)
{
   WS_(look_at_clock)(VG_INVALID_THREADID, Ws_Executed);
   WS_(run_end)(WS_(time_now)());
   if (VG_(clo_stats)) {
      WS_(run_print_stats)();
      WS_(segment_print_stats)();
      WS_(instrument_print_stats)();
      VG_(dmsg)(" ws: stamps: %lu bytes\n", WS_(fastpath_memory_szB)());
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
   VG_(needs_command_line_options)(WS_(clo_process), WS_(clo_print_usage),
                                   WS_(clo_print_debug_usage));

   WS_(requests_init)();
   VG_(track_pre_thread_first_insn)(WS_(fastpath_init_thread));

   WS_(clo_begin)();
}

VG_DETERMINE_INTERFACE_VERSION(pre_clo_init)
