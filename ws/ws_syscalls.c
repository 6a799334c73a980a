/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_syscalls.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_machine.h"
#include "pub_tool_tooliface.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"
#include "ws_callers.h"
#include "ws_clo.h"
#include "ws_files.h"
#include "ws_generated.h"
#include "ws_instrument.h"
#include "ws_kernel.h"
#include "ws_mappings.h"
#include "ws_pagelog.h"
#include "ws_run.h"
#include "ws_slowpath.h"

/* --- Memory ------------------------------------------------------------ */

static Bool is_syscall(CorePart part)
{
   return part == Vg_CoreSysCall || part == Vg_CoreSysCallArgInMem;
}

/* The kernel refuses addresses that are none: what it refuses is not
   accessed. */
static void kernel_reads(CorePart part, ThreadId tid, const HChar* what, Addr a,
                         SizeT szB)
{
   if (is_syscall(part) && !WS_(kernel_knows)(tid, a, False) &&
       VG_(am_is_valid_for_client)(a, szB, VKI_PROT_READ))
      WS_(access_by_kernel)(tid, a, szB, False);
}

static void kernel_reads_string(CorePart part, ThreadId tid, const HChar* what,
                                Addr a)
{
   const Addr page_szB = VKI_PAGE_SIZE;
   Addr       end      = a;

   // A path in a socket's address may begin behind what the kernel reads of it.
   if (!is_syscall(part) || WS_(kernel_knows)(tid, a - 1, False))
      return;
   do {
      // At the start of each page: is there one?
      if ((end == a || end % page_szB == 0) &&
          !VG_(am_is_valid_for_client)(end, 1, VKI_PROT_READ))
         break;
   } while (*(const HChar*)end++ != 0);
   WS_(access_by_kernel)(tid, a, end - a, False);
}

static void kernel_has_written(CorePart part, ThreadId tid, Addr a, SizeT szB)
{
   if (is_syscall(part) && !WS_(kernel_knows)(tid, a, True))
      WS_(access_by_kernel)(tid, a, szB, True);
}

/* --- Mappings ------------------------------------------------------------ */

/* Memory is no longer what it was, or may not be read. */
static void lose(Addr a, SizeT szB)
{
   WS_(callers_unmap)(a, szB);
   WS_(mappings_change)();
}

static void unmap(Addr a, SizeT szB)
{
   lose(a, szB);
   WS_(run_unmapped)(a, szB);
}

static void map(Addr a, SizeT szB)
{
   WS_(mappings_change)();
   WS_(run_reach)(a, szB);
   WS_(run_mapped)(a, szB);
}

static void new_mapping(Addr a, SizeT szB, Bool rr, Bool ww, Bool xx,
                        ULong di_handle)
{
   unmap(a, szB); // what was there before, if anything
   map(a, szB);
   WS_(pagelog_map)(a, szB);
}

static void initial_mapping(Addr a, SizeT szB, Bool rr, Bool ww, Bool xx,
                            ULong di_handle)
{
   WS_(run_reach)(a, szB);
   WS_(pagelog_map)(a, szB);
}

static void moved_mapping(Addr from, Addr to, SizeT szB)
{
   lose(from, szB);
   unmap(to, szB);
   map(to, szB);
   WS_(run_moved)(from, to, szB);
   WS_(pagelog_map)(to, szB);
}

static void new_protection(Addr a, SizeT szB, Bool rr, Bool ww, Bool xx)
{
   if (rr)
      WS_(mappings_change)();
   else
      lose(a, szB);
   WS_(pagelog_map)(a, szB);
}

static void mapping_ends(Addr a, SizeT szB)
{
   unmap(a, szB);
   WS_(pagelog_unmap)(a, szB);
}

static void heap_grows(Addr a, SizeT szB, ThreadId tid)
{
   SizeT pages_szB = VG_PGROUNDUP(a + szB) - a; // as the kernel does

   WS_(mappings_heap_at)(a);
   WS_(mappings_change)();
   WS_(run_reach)(a, szB);
   WS_(run_mapped)(a, pages_szB);
   WS_(pagelog_map)(a, pages_szB);
}

/* The kernel keeps the page in which the heap ends. */
static void heap_shrinks(Addr a, SizeT szB)
{
   Addr  start     = VG_PGROUNDUP(a);
   SizeT pages_szB = VG_PGROUNDUP(a + szB) - start;

   lose(a, szB);
   WS_(run_unmapped)(start, pages_szB);
   WS_(pagelog_unmap)(start, pages_szB);
}

/* Advice that discards pages at once.  (MADV_FREE does so when memory is short:
   such pages stay resident here.) */
#define MADV_DONTNEED        4
#define MADV_REMOVE          9
#define MADV_DONTNEED_LOCKED 24
#define MADV_GUARD_INSTALL   102

static Bool discards(UWord advice)
{
   return advice == MADV_DONTNEED || advice == MADV_REMOVE ||
          advice == MADV_DONTNEED_LOCKED || advice == MADV_GUARD_INSTALL;
}

/* The kernel passes over what is not mapped, and says so in the end. */
static Bool is_followed(SysRes res)
{
   return !sr_isError(res) || sr_Err(res) == VKI_ENOMEM;
}

/* --- Waiting, and other programs ---------------------------------------- */

static Bool is_exec(UInt syscallno)
{
#if defined(__NR_execveat)
   if (syscallno == __NR_execveat)
      return True;
#endif
   return syscallno == __NR_execve;
}

static void before_syscall(ThreadId tid, UInt syscallno, UWord* args,
                           UInt n_args)
{
   WS_(look_at_clock)(tid, Ws_Executed);
   if (WS_(clo).syscalls)
      WS_(kernel_begins)(tid, syscallno, args);
   if (is_exec(syscallno))
      WS_(run_before_exec)();
   else
      WS_(files_before_syscall)();
}

static void after_syscall(ThreadId tid, UInt syscallno, UWord* args,
                          UInt n_args, SysRes res)
{
   WS_(generated_may_change)();
   if (WS_(clo).syscalls)
      WS_(kernel_ends)(tid, res);
   if (is_exec(syscallno)) // and here we still are
      WS_(run_after_failed_exec)();
   if (syscallno == __NR_madvise && is_followed(res) && discards(args[2]))
      WS_(run_discarded)(args[0], VG_PGROUNDUP(args[1])); // as the kernel does
   WS_(look_at_clock)(tid, Ws_Waited);
}

/* --- Processes ----------------------------------------------------------- */

static Int parent_pid;

static void before_fork(ThreadId tid)
{
   parent_pid = VG_(getpid)();
}

static void in_child(ThreadId tid)
{
   const WsFile* missing = WS_(run_begin)(parent_pid);

   if (missing)
      VG_(umsg)("cannot write %s: %s: no %s of this child process\n",
                WS_(file_name)(missing), WS_(file_error)(missing),
                missing->noun);
}

/* --- Signals -------------------------------------------------------------- */

/* Expect further faults at this instruction, if the signal is one that a fault
   raises. */
static void before_handler(ThreadId tid, Int signal, Bool on_alternate_stack)
{
   if (signal == VKI_SIGSEGV || signal == VKI_SIGBUS || signal == VKI_SIGFPE)
      WS_(expect_faults)(VG_(get_IP)(tid));
}

void WS_(syscalls_init)(void)
{
   VG_(needs_syscall_wrapper)(before_syscall, after_syscall);
   VG_(track_pre_deliver_signal)(before_handler);
   VG_(atfork)(before_fork, NULL, in_child);
   VG_(track_new_mem_startup)(initial_mapping);
   VG_(track_new_mem_mmap)(new_mapping);
   VG_(track_copy_mem_remap)(moved_mapping);
   VG_(track_new_mem_brk)(heap_grows);
   VG_(track_die_mem_brk)(heap_shrinks);
   VG_(track_die_mem_munmap)(mapping_ends);
   VG_(track_change_mem_mprotect)(new_protection);
   if (WS_(clo).syscalls) {
      WS_(kernel_init)();
      VG_(track_pre_mem_read)(kernel_reads);
      VG_(track_pre_mem_read_asciiz)(kernel_reads_string);
      VG_(track_post_mem_write)(kernel_has_written);
   }
}
