/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_syscalls.h"

#include "pub_tool_aspacehl.h"
#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_machine.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_tooliface.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"
#include "ws_clo.h"
#include "ws_debuginfo.h"
#include "ws_forks.h"
#include "ws_heap.h"
#include "ws_instrument.h"
#include "ws_mappings.h"
#include "ws_outfiles.h"
#include "ws_pagelist.h"
#include "ws_pagelog.h"
#include "ws_pagemarks.h"
#include "ws_resident.h"
#include "ws_run.h"
#include "ws_sample.h"
#include "ws_sets.h"
#include "ws_slowpath.h"
#include "ws_sysmem.h"
#include "ws_time.h"
#include "ws_unwind.h"

/* --- Arguments ------------------------------------------------------------ */

#if defined(__NR_socketcall)
/* Calls whose arguments are in memory, and what they stand for: those of
   socketcall by number. */
static const struct {
   UInt   in_memory;
   UShort number, n_args;
   UInt   syscallno;
} stands_for[] = {
   {__NR_socketcall, VKI_SYS_BIND, 3, __NR_bind},
   {__NR_socketcall, VKI_SYS_CONNECT, 3, __NR_connect},
   {__NR_socketcall, VKI_SYS_ACCEPT, 3, __NR_accept4},
   {__NR_socketcall, VKI_SYS_GETSOCKNAME, 3, __NR_getsockname},
   {__NR_socketcall, VKI_SYS_GETPEERNAME, 3, __NR_getpeername},
   {__NR_socketcall, VKI_SYS_SEND, 4, __NR_sendto},
   {__NR_socketcall, VKI_SYS_RECV, 4, __NR_recvfrom},
   {__NR_socketcall, VKI_SYS_SENDTO, 6, __NR_sendto},
   {__NR_socketcall, VKI_SYS_RECVFROM, 6, __NR_recvfrom},
   {__NR_socketcall, VKI_SYS_GETSOCKOPT, 5, __NR_getsockopt},
   {__NR_socketcall, VKI_SYS_SENDMSG, 3, __NR_sendmsg},
   {__NR_socketcall, VKI_SYS_ACCEPT4, 4, __NR_accept4},
   {__NR_socketcall, VKI_SYS_RECVMMSG, 5, __NR_recvmmsg},
   {__NR_socketcall, VKI_SYS_SENDMMSG, 4, __NR_sendmmsg},
#if defined(VGP_x86_linux) || defined(VGP_s390x_linux)
   {__NR_mmap, 0, 6, WS_NR_MMAP},
#endif
#if defined(VGP_x86_linux)
   {__NR_select, 0, 5, __NR__newselect},
#endif
};
#endif

/* Gives the call that this one stands for, and its arguments; those that it
   lacks are 0. */
static UInt real_call(UInt syscallno, const UWord* args,
                      /*OUT*/ UWord* real_args)
{
#if defined(__NR_socketcall)
   Bool is_socketcall = syscallno == __NR_socketcall;
   Addr at            = args[is_socketcall];

   for (UInt i = 0; i < sizeof stands_for / sizeof stands_for[0]; i++) {
      SizeT szB = stands_for[i].n_args * sizeof(UWord);
      if (stands_for[i].in_memory == syscallno &&
          (!is_socketcall || stands_for[i].number == args[0]) &&
          WS_(is_readable)(at, szB)) {
         VG_(memcpy)(real_args, (const void*)at, szB);
         return stands_for[i].syscallno;
      }
   }
#endif
   VG_(memcpy)(real_args, args, WS_SYSCALL_ARGS * sizeof(UWord));
   return syscallno;
}

/* --- Mappings ------------------------------------------------------------- */

/* The program's memory changes only here.  What must stay true: a page that is
   mapped anew has no mark, or its next access would not be seen; one that is
   lost is not resident; and the sets hear of a change after all accesses that
   came before it, which they do, for a change takes a system call, and segments
   end before one. */

/* Finds the pages that lie in [a, a + szB) as a whole; False: there is none. */
static Bool whole_pages(Addr a, SizeT szB, /*OUT*/ WsPage* first,
                        /*OUT*/ WsPage* last)
{
   *first = WS_(page_of)(a) + (a != WS_(page_start)(WS_(page_of)(a)));
   *last  = WS_(page_of)(a + szB - 1);
   if (a + szB != WS_(page_start)(WS_(page_of)(a + szB))) {
      if (*last == 0)
         return False;
      --*last;
   }
   return szB > 0 && *first <= *last;
}

/* Makes the marks reach [a, a + szB), which the program may access from now
   on. */
static void reach(Addr a, SizeT szB)
{
   if (WS_(marks_reach)(WS_(page_of)(a), WS_(page_of)(a + szB - 1)))
      return;
   WS_(clear_marks)();
   if (WS_(clo).list_pages)
      WS_(list_take_counts)();
   WS_(marks_extend)();
   WS_(discard_all)();
}

/* Notes that the pages in [a, a + szB) are mapped anew; a page that is larger
   than the system's must lie there as a whole. */
static void map_pages(Addr a, SizeT szB)
{
   WsPage first, last;

   if (!whole_pages(a, szB, &first, &last))
      return;
   WS_(clear_marks_of)(first, last);
   if (WS_(clo).list_pages)
      WS_(list_map)(first, last, WS_(time).cuts.sample);
   WS_(sets_map)(first, last);
}

/* Makes pages no longer resident.  The span of time in which resident memory
   stayed as it was ends before they go. */
static void unmap_pages(Addr a, SizeT szB)
{
   WsTick now = WS_(time_ticks)(WS_(time_now)());
   WsPage first, last;

   if (!whole_pages(a, szB, &first, &last))
      return;
   WS_(sample_resident)(True, now);
   if (WS_(clo).heap && WS_(sets_has_resident)(first, last))
      WS_(sample_heap)(now);
   WS_(sets_unmap)(first, last);
}

/* Discards whole pages, which stay mapped. */
static void discard_pages(Addr a, SizeT szB)
{
   WsInstrs now = WS_(time_now)();
   WsPage   first, last;

   if (!whole_pages(a, szB, &first, &last))
      return;
   WS_(clear_marks_of)(first, last);
   unmap_pages(a, szB);
   WS_(pagelog_discard)(WS_(time_ticks_of_end)(now), now, a, szB);
}

/* Discards the whole pages between two offsets in a file, wherever they are
   mapped.  (What the program has written to a private mapping stays if a hole
   took the file's pages; that is not known here.) */
static void discard_in_file(ULong device, ULong inode, ULong from, ULong to)
{
   const ULong in_page = VKI_PAGE_SIZE - 1;
   Int         n;
   Addr*       starts = VG_(get_segment_starts)(SkFileC, &n);

   for (Int i = 0; i < n; i++) {
      const NSegment* seg = VG_(am_find_nsegment)(starts[i]);
      ULong start = seg->offset, end = start + (seg->end - seg->start) + 1;
      ULong first  = VG_MAX((from + in_page) & ~in_page, start);
      ULong behind = VG_MIN(to & ~in_page, end);
      if (seg->dev == device && seg->ino == inode && first < behind)
         discard_pages(seg->start + (first - start), behind - first);
   }
   VG_(free)(starts);
}

/* Moves whole pages: each goes on at its new place. */
static void move_pages(Addr from, Addr to, SizeT szB)
{
   WsPage first, last;
   Addr   distance = to - from;

   if (distance !=
       WS_(page_start)(WS_(page_of)(distance))) // none lies as it did
      unmap_pages(from, szB);
   else if (whole_pages(from, szB, &first, &last))
      WS_(sets_move)(first, last,
                     WS_(page_of)(WS_(page_start)(first) + distance));
}

/* Forgets what was known of memory that has changed, or may not be read: kept
   stacks, and ranges of mappings. */
static void lose(Addr a, SizeT szB)
{
   WS_(callers_unmap)(a, szB);
   WS_(mappings_change)();
}

static void unmap(Addr a, SizeT szB)
{
   lose(a, szB);
   unmap_pages(a, szB);
   if (WS_(clo).heap)
      WS_(heap_unmap)(a, szB);
}

/* Lets the marks reach memory that is there from now on, before the program can
   access it. */
static void map(Addr a, SizeT szB)
{
   WS_(mappings_change)();
   reach(a, szB);
   map_pages(a, szB);
   WS_(pagelog_map)(a, szB);
}

static void new_mapping(Addr a, SizeT szB, Bool rr, Bool ww, Bool xx,
                        ULong di_handle)
{
   unmap(a, szB); // what was there before, if anything
   map(a, szB);
}

static void initial_mapping(Addr a, SizeT szB, Bool rr, Bool ww, Bool xx,
                            ULong di_handle)
{
   reach(a, szB);
   WS_(pagelog_map)(a, szB);
}

static void moved_mapping(Addr from, Addr to, SizeT szB)
{
   lose(from, szB);
   unmap(to, szB);
   map(to, szB);
   move_pages(from, to, szB);
}

static void new_protection(Addr a, SizeT szB, Bool rr, Bool ww, Bool xx)
{
   if (rr)
      WS_(mappings_change)();
   else
      lose(a, szB);
   WS_(pagelog_map)(a, szB);
}

/* Ends a mapping. The page log hears of it last: its record follows those of
   the accesses before. */
static void mapping_ends(Addr a, SizeT szB)
{
   unmap(a, szB);
   WS_(pagelog_unmap)(a, szB);
}

static void heap_grows(Addr a, SizeT szB, ThreadId tid)
{
   SizeT pages_szB = VG_PGROUNDUP(a + szB) - a; // as the kernel does

   WS_(mappings_heap)(a, a + szB);
   map(a, pages_szB);
}

/* Unmaps the end of the heap but for the page in which the heap ends now, which
   the kernel keeps. */
static void heap_shrinks(Addr a, SizeT szB)
{
   Addr  start     = VG_PGROUNDUP(a);
   SizeT pages_szB = VG_PGROUNDUP(a + szB) - start;

   WS_(mappings_heap)(a, a);
   lose(a, szB);
   unmap_pages(start, pages_szB);
   WS_(pagelog_unmap)(start, pages_szB);
}

/* Advice that discards pages at once.  (MADV_FREE does so when memory is short:
   such pages stay resident here.) */
#define MADV_DONTNEED        4
#define MADV_REMOVE          9
#define MADV_HUGEPAGE        14
#define MADV_DONTNEED_LOCKED 24
#define MADV_COLLAPSE        25
#define MADV_GUARD_INSTALL   102

/* Tells whether madvise did that. It skips what is not mapped, and then fails
   with ENOMEM. */
static Bool discards(UWord advice, SysRes res)
{
   if (sr_isError(res) && sr_Err(res) != VKI_ENOMEM)
      return False;
   return advice == MADV_DONTNEED || advice == MADV_REMOVE ||
          advice == MADV_DONTNEED_LOCKED || advice == MADV_GUARD_INSTALL;
}

/* Discards the pages of a range, and those of its files in other mappings, if
   the advice takes them from the files. */
static void discard_range(Addr a, SizeT szB, UWord advice)
{
   Addr            last = a + szB - 1;
   const NSegment* seg;

   discard_pages(a, szB);
   for (; advice == MADV_REMOVE && a <= last; a = seg->end + 1) {
      seg = VG_(am_find_nsegment)(a);
      if (!seg)
         return;
      if (seg->kind == SkFileC)
         discard_in_file(seg->dev, seg->ino, seg->offset + (a - seg->start),
                         seg->offset + (VG_MIN(last, seg->end) - seg->start) +
                            1);
   }
}

/* How fallocate takes a range from a file, or moves all behind it. */
#define PUNCH_HOLE     2
#define COLLAPSE_RANGE 8
#define ZERO_RANGE     16
#define INSERT_RANGE   32

/* Gives the flags with which a call opens a file; 0: it opens none. */
static UWord open_flags(UInt syscallno, const UWord* args)
{
   switch (syscallno) {
#if defined(__NR_open)
   case __NR_creat: return VKI_O_CREAT | VKI_O_TRUNC;
   case __NR_open: return args[1];
#endif
   case __NR_openat: return args[2];
   default: return 0;
   }
}

/* Finds the file that a call has shortened. */
static Bool is_shortened(UInt syscallno, const UWord* args, SysRes res,
                         /*OUT*/ struct vg_stat* file)
{
   switch (syscallno) {
#if defined(__NR_ftruncate64)
   case __NR_truncate64:
#endif
   case __NR_truncate:
      return !sr_isError(VG_(stat)((const HChar*)args[0], file));
#if defined(__NR_ftruncate64)
   case __NR_ftruncate64:
#endif
   case __NR_ftruncate: return VG_(fstat)(args[0], file) == 0;
   default:
      return (open_flags(syscallno, args) & VKI_O_TRUNC) &&
             VG_(fstat)(sr_Res(res), file) == 0;
   }
}

/* Discards what a file has lost.  The kernel takes the pages of a file on a
   disk out of all mappings, too, for they are in the page cache no longer. */
static void file_changes(UInt syscallno, const UWord* args, SysRes res)
{
   struct vg_stat file;
   ULong          range[2]; // in 32-bit programs, each is two arguments

   if (is_shortened(syscallno, args, res, &file)) {
      discard_in_file(file.dev, file.ino, file.size, WS_NONE);
   } else if (syscallno == __NR_fallocate && VG_(fstat)(args[0], &file) == 0) {
      VG_(memcpy)(range, &args[2], sizeof range);
      if (args[1] & (COLLAPSE_RANGE | INSERT_RANGE))
         discard_in_file(file.dev, file.ino, range[0], WS_NONE);
      else if (args[1] & (PUNCH_HOLE | ZERO_RANGE))
         discard_in_file(file.dev, file.ino, range[0], range[0] + range[1]);
   }
}

/* --- Waiting, and other programs ------------------------------------------ */

static Bool is_exec(UInt syscallno)
{
#if defined(__NR_execveat)
   if (syscallno == __NR_execveat)
      return True;
#endif
   return syscallno == __NR_execve;
}

/* Tells whether the call may succeed: there is such a file, it is executable,
   and begins as the core wants it to. Shells try each directory of PATH. */
static Bool may_exec(UInt syscallno, const UWord* args)
{
   Bool           is_at = syscallno != __NR_execve;
   const HChar*   name  = (const HChar*)args[is_at];
   HChar          head[4];
   struct vg_stat status;

   if (is_at && (Int)args[0] != VKI_AT_FDCWD)
      return True;
   Int  fd  = VG_(fd_open)(name, VKI_O_RDONLY | VKI_O_NONBLOCK, 0);
   Bool may = fd != -1 && VG_(fstat)(fd, &status) == 0 &&
              (status.mode & (VKI_S_IXUSR | VKI_S_IXGRP | VKI_S_IXOTH)) &&
              VG_(read)(fd, head, sizeof head) == sizeof head &&
              (VG_(memcmp)(head, "\177ELF", 4) == 0 ||
               VG_(memcmp)(head, "#!", 2) == 0);
   if (fd != -1)
      VG_(close)(fd);
   return may;
}

/* Looks at the clock before the call, for time up to here was executed; time in
   the call is waited, so it is looked at on both sides. */
static void before_syscall(ThreadId tid, UInt syscallno, UWord* given,
                           UInt n_args)
{
   UWord args[WS_SYSCALL_ARGS] = {0};

   syscallno = real_call(syscallno, given, args);
   WS_(look_at_clock)(tid, Ws_Executed);
   if (WS_(clo).syscalls)
      WS_(sysmem_begins)(tid, syscallno, args);
   if (is_exec(syscallno) && may_exec(syscallno, args))
      WS_(run_before_exec)();
   else
      WS_(files_before_syscall)();
}

#define MAP_HUGETLB 0x40000
#define MFD_HUGETLB 4
#define SHM_HUGETLB 04000

/* Notes what makes memory resident without an access. */
static void note_doubts(UInt syscallno, const UWord* args)
{
   Bool is_huge = False;

   switch (syscallno) {
   case __NR_mlockall: WS_(resident_doubt)(Ws_LockedAll); break;
   case __NR_madvise:
      is_huge = args[2] == MADV_HUGEPAGE || args[2] == MADV_COLLAPSE;
      break;
   case WS_NR_MMAP: is_huge = (args[3] & MAP_HUGETLB) != 0; break;
   case __NR_memfd_create: is_huge = (args[1] & MFD_HUGETLB) != 0; break;
#if defined(__NR_shmget)
   case __NR_shmget: is_huge = (args[2] & SHM_HUGETLB) != 0; break;
#endif
   case __NR_io_uring_setup: WS_(resident_doubt)(Ws_IoUring); break;
   case __NR_userfaultfd: WS_(resident_doubt)(Ws_UserFaults); break;
   }
   if (is_huge)
      WS_(resident_doubt)(Ws_HugePages);
}

/* Tells whether the call has waited for a child that has ended: its status is
   not that of one that stops, or continues. */
static Bool ends_child(UInt syscallno, const UWord* args, UWord pid)
{
   Bool waits  = syscallno == __NR_wait4;
   Int  status = 0;

#if defined(__NR_waitpid)
   waits = waits || syscallno == __NR_waitpid;
#endif
   if (!waits || pid == 0)
      return False;
   if (args[1])
      status = *(Int*)args[1];
   return (status & 0xff) != 0x7f && status != 0xffff;
}

static void after_syscall(ThreadId tid, UInt syscallno, UWord* given,
                          UInt n_args, SysRes res)
{
   UWord args[WS_SYSCALL_ARGS] = {0};

   syscallno = real_call(syscallno, given, args);
   WS_(places_may_change)(!sr_isError(res) &&
                          (open_flags(syscallno, args) & VKI_O_CREAT));
   if (WS_(clo).syscalls)
      WS_(sysmem_ends)(tid, syscallno, args, res);
   if (!sr_isError(res))
      note_doubts(syscallno, args);
   if (is_exec(syscallno)) // and here we still are
      WS_(files_go_back)();
   if (syscallno == __NR_madvise && discards(args[2], res))
      // as the kernel rounds it
      discard_range(args[0], VG_PGROUNDUP(args[1]), args[2]);
   if (!sr_isError(res))
      file_changes(syscallno, args, res);
   if (!sr_isError(res) && ends_child(syscallno, args, sr_Res(res)))
      WS_(forks_child_ends)();
   WS_(look_at_clock)(tid, Ws_Waited);
   if (WS_(clo).threads && syscallno == __NR_prctl &&
       args[0] == VKI_PR_SET_NAME)
      WS_(pagelog_name)(tid);
}

/* --- Processes ------------------------------------------------------------ */

/* The core tells of a fork in the parent before, and in the child after; the
   child is a run of its own (ws_run.h). */

static Int parent_pid;

/* Marks are cleared, so that the next write to each page is told. */
static void before_fork(ThreadId tid)
{
   parent_pid = VG_(getpid)();
   if (!WS_(clo).dirty)
      return;
   WS_(forks_child)();
   WS_(clear_marks)();
   WS_(sets_share)();
   WS_(shared_mappings)(WS_(forks_keep));
}

static void in_child(ThreadId tid)
{
   const WsFile* missing = WS_(run_begin)(parent_pid);

   if (missing)
      WS_(say)("cannot write %s: %s: no %s of this child process\n",
               WS_(file_name)(missing), WS_(file_error)(missing),
               missing->noun);
}

/* --- Signals -------------------------------------------------------------- */

/* Expects further faults at this instruction, if the signal is one that a fault
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
   if (WS_(clo).syscalls)
      WS_(sysmem_init)();
}
