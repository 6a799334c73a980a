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
#include "ws_time.h"
#include "ws_unwind.h"

/* --- The table ------------------------------------------------------------ */

/* How many bytes a call may touch, as its arguments say. */
typedef enum {
   Ws_Bytes,      // n
   Ws_ByArg,      // the argument with this index
   Ws_FdSet,      // a set of so many file descriptors as argument 0 says
   Ws_Timeout,    // n; none if they are 0, for the kernel leaves them alone
   Ws_IfAddress,  // n, if the argument before it, an address, is not NULL
   Ws_EpollEvent, // n, if the event is used at all
   Ws_Lock,       // n, if the kernel takes or releases a lock
   Ws_Length,     // as argument n, an address, says
   Ws_Vector,     // what an iovec of argument n elements says
   Ws_OwnVector,  // the same, if argument 0 is the PID of this process
   Ws_Message,    // what the iovec of a msghdr says
   Ws_Messages    // argument n mmsghdr, with all that they point to
} WsExtent;

/* Which of them it does touch, and when. */
typedef enum {
   Ws_First,      // all, before it does anything else
   Ws_AtEnd,      // all, even if it fails
   Ws_OnSuccess,  // all, unless it fails
   Ws_IfPositive, // all, if its result is more than 0
   Ws_AtMost,     // as many as the next memory says after success
   Ws_Result,     // as many as its result says
   Ws_ByDevice    // the same, unless argument 0 is /dev/null
} WsPart;

/* The memory that one argument of one system call points to. The wrapper's
   declarations for it are ignored. */
typedef struct {
   UInt     syscallno;
   UInt     arg;
   Bool     is_write;
   WsPart   part;
   WsExtent extent;
   UWord    n;
} WsRule;

#if defined(__NR_mmap2)
#define WS_NR_MMAP __NR_mmap2
#else
#define WS_NR_MMAP __NR_mmap
#endif
#define MAX_ARGS   6
#define TIME64_SZB 16

static const WsRule rules[] = {
   // Declared whole, and touched in part
   {__NR_write, 1, False, Ws_ByDevice, Ws_ByArg, 2},
   {__NR_pwrite64, 1, False, Ws_ByDevice, Ws_ByArg, 2},
   {__NR_writev, 1, False, Ws_ByDevice, Ws_Vector, 2},
   {__NR_pwritev, 1, False, Ws_ByDevice, Ws_Vector, 2},
#if defined(__NR_pwritev2)
   {__NR_pwritev2, 1, False, Ws_ByDevice, Ws_Vector, 2},
#endif
   {__NR_process_vm_readv, 3, False, Ws_Result, Ws_OwnVector, 4},
   {__NR_process_vm_writev, 1, False, Ws_Result, Ws_Vector, 2},
   {__NR_process_vm_writev, 3, True, Ws_Result, Ws_OwnVector, 4},
   {__NR_sched_getaffinity, 2, True, Ws_Result, Ws_ByArg, 1},
   {__NR_wait4, 1, True, Ws_IfPositive, Ws_Bytes, sizeof(Int)},
   {__NR_wait4, 3, True, Ws_IfPositive, Ws_Bytes, sizeof(struct vki_rusage)},
#if defined(__NR_waitpid)
   {__NR_waitpid, 1, True, Ws_IfPositive, Ws_Bytes, sizeof(Int)},
#endif
   {__NR_waitid, 2, True, Ws_AtEnd, Ws_Bytes,
    offsetof(vki_siginfo_t, _sifields._sigchld._utime)},
   {__NR_futex, 0, True, Ws_OnSuccess, Ws_Lock, sizeof(Int)},
   {__NR_epoll_ctl, 3, False, Ws_First, Ws_EpollEvent,
    sizeof(struct vki_epoll_event)},

// Sockets
#if defined(__NR_recv)
   {__NR_recv, 1, True, Ws_Result, Ws_ByArg, 2},
#endif
#if defined(__NR_send)
   {__NR_send, 1, False, Ws_Result, Ws_ByArg, 2},
#endif
#define NAME(number, arg)                                                      \
   {number, arg, True, Ws_AtMost, Ws_Length, (arg) + 1},                       \
   {                                                                           \
      number, (arg) + 1, True, Ws_OnSuccess, Ws_IfAddress, sizeof(Int)         \
   }
#if defined(__NR_accept)
   NAME(__NR_accept, 1),
#endif
   {__NR_recvfrom, 1, True, Ws_Result, Ws_ByArg, 2},
   NAME(__NR_recvfrom, 4),
   {__NR_sendto, 1, False, Ws_Result, Ws_ByArg, 2},
   {__NR_sendto, 4, False, Ws_First, Ws_ByArg, 5},
   {__NR_sendmsg, 1, False, Ws_Result, Ws_Message, 0},
   {__NR_sendmmsg, 1, False, Ws_Result, Ws_Messages, 2},
#define RECVMMSG(number, timeout_szB)                                          \
   {number, 1, True, Ws_Result, Ws_Messages, 2},                               \
      {number, 4, False, Ws_First, Ws_Bytes, timeout_szB},                     \
   {                                                                           \
      number, 4, True, Ws_IfPositive, Ws_Bytes, timeout_szB                    \
   }
   RECVMMSG(__NR_recvmmsg, sizeof(struct vki_timespec)),
   {__NR_bind, 1, False, Ws_First, Ws_ByArg, 2},
   {__NR_connect, 1, False, Ws_First, Ws_ByArg, 2},
   NAME(__NR_accept4, 1),
   NAME(__NR_getsockname, 1),
   NAME(__NR_getpeername, 1),
   {__NR_getsockopt, 4, True, Ws_OnSuccess, Ws_Bytes, sizeof(Int)},

   // Offsets
   {__NR_splice, 1, True, Ws_OnSuccess, Ws_Bytes, sizeof(vki_loff_t)},
   {__NR_splice, 3, True, Ws_OnSuccess, Ws_Bytes, sizeof(vki_loff_t)},
   {__NR_copy_file_range, 1, True, Ws_IfPositive, Ws_Bytes, sizeof(vki_loff_t)},
   {__NR_copy_file_range, 3, True, Ws_IfPositive, Ws_Bytes, sizeof(vki_loff_t)},

// Waiting
#define SELECT(number, timeout_szB)                                            \
   {number, 1, False, Ws_First, Ws_FdSet, 0},                                  \
      {number, 2, False, Ws_First, Ws_FdSet, 0},                               \
      {number, 3, False, Ws_First, Ws_FdSet, 0},                               \
      {number, 1, True, Ws_OnSuccess, Ws_FdSet, 0},                            \
      {number, 2, True, Ws_OnSuccess, Ws_FdSet, 0},                            \
      {number, 3, True, Ws_OnSuccess, Ws_FdSet, 0},                            \
   {                                                                           \
      number, 4, True, Ws_AtEnd, Ws_Timeout, timeout_szB                       \
   }
#if defined(__NR__newselect)
   SELECT(__NR__newselect, sizeof(struct vki_timeval)),
#elif defined(__NR_select)
   SELECT(__NR_select, sizeof(struct vki_timeval)),
#endif
   SELECT(__NR_pselect6, sizeof(struct vki_timespec)),
   {__NR_ppoll, 2, True, Ws_AtEnd, Ws_Timeout, sizeof(struct vki_timespec)},
#if defined(__NR_pselect6_time64)
   SELECT(__NR_pselect6_time64, TIME64_SZB),
   {__NR_ppoll_time64, 2, True, Ws_AtEnd, Ws_Timeout, TIME64_SZB},
   RECVMMSG(__NR_recvmmsg_time64, TIME64_SZB),
   {__NR_futex_time64, 0, True, Ws_OnSuccess, Ws_Lock, sizeof(Int)},
#endif
};

/* --- Arguments ------------------------------------------------------------ */

/* The memory that a rule means is found before the call: afterwards the
   arguments may have been overwritten.  Any of them may be nonsense, as the
   program's are: nothing is read before it is known to be readable. */

static Bool is_readable(Addr a, SizeT szB)
{
   return VG_(am_is_valid_for_client)(a, szB, VKI_PROT_READ);
}

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

/* Gives the call that this one stands for, and its arguments; those that it has
   not are 0. */
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
          is_readable(at, szB)) {
         VG_(memcpy)(real_args, (const void*)at, szB);
         return stands_for[i].syscallno;
      }
   }
#endif
   VG_(memcpy)(real_args, args, MAX_ARGS * sizeof(UWord));
   return syscallno;
}

static Bool locks(UWord futex_op)
{
   switch (futex_op &
           ~(UWord)(VKI_FUTEX_PRIVATE_FLAG | VKI_FUTEX_CLOCK_REALTIME)) {
   case VKI_FUTEX_LOCK_PI:
   case VKI_FUTEX_TRYLOCK_PI:
   case VKI_FUTEX_UNLOCK_PI: return True;
   default: return False;
   }
}

/* Tells whether a device forgets what is written without reading it: /dev/null,
   /dev/zero. */
static Bool is_null(Int fd)
{
   struct vg_stat file;

   return VG_(fstat)(fd, &file) == 0 && VKI_S_ISCHR(file.mode) &&
          (file.rdev == 0x103 || file.rdev == 0x105);
}

/* The memory of an argument: bytes, or those of an iovec. */
typedef struct {
   const WsRule* rule;
   Addr          a;
   SizeT         szB;
   UWord         n_parts; // of the iovec, or messages, at `a`; 0: it is none
   Bool          is_lost; // nobody reads it
} Memory;

#define MAX_PARTS 1024 // of an iovec: more are refused; and of messages

static void find_vector(Memory* m, Addr iov, UWord n)
{
   if (n <= MAX_PARTS && is_readable(iov, n * sizeof(struct vki_iovec))) {
      m->a       = iov;
      m->n_parts = n;
   }
}

static void find_bytes(Memory* m, const UWord* args)
{
   static const UChar       zeros[TIME64_SZB] = {0};
   const WsRule*            rule              = m->rule;
   const struct vki_msghdr* msg               = (const struct vki_msghdr*)m->a;

   switch (rule->extent) {
   case Ws_Bytes: m->szB = rule->n; break;
   case Ws_ByArg: m->szB = args[rule->n]; break;
   case Ws_FdSet:
      if ((Int)args[0] > 0)
         m->szB = VG_ROUNDUP((UInt)args[0], 8 * sizeof(UWord)) / 8;
      break;
   case Ws_Timeout:
      // The kernel gives back the rest of a timeout, unless it is 0.
      if (is_readable(m->a, rule->n) &&
          VG_(memcmp)((const void*)m->a, zeros, rule->n) != 0)
         m->szB = rule->n;
      break;
   case Ws_IfAddress: m->szB = args[rule->arg - 1] ? rule->n : 0; break;
   case Ws_EpollEvent:
      m->szB = args[1] == VKI_EPOLL_CTL_DEL ? 0 : rule->n;
      break;
   case Ws_Lock: m->szB = locks(args[1]) ? rule->n : 0; break;
   case Ws_Length:
      if (is_readable(args[rule->n], sizeof(Int)))
         m->szB = *(const UInt*)args[rule->n];
      break;
   case Ws_Vector:
   case Ws_OwnVector:
      if (rule->extent == Ws_Vector || (Int)args[0] == VG_(getpid)())
         find_vector(m, m->a, args[rule->n]);
      break;
   case Ws_Message:
      if (is_readable(m->a, sizeof *msg))
         find_vector(m, (Addr)msg->msg_iov, msg->msg_iovlen);
      break;
   case Ws_Messages: m->n_parts = VG_MIN(args[rule->n], MAX_PARTS); break;
   }
}

/* --- Calls ---------------------------------------------------------------- */

/* A call accesses memory when it begins and when it ends.  Meanwhile other
   threads run, and make calls of their own. */

/* What each thread's call may touch, by the rules. */
static struct {
   UInt   n;
   Memory all[7 + 1]; // one for Ws_AtMost to look at
} * calls;

static void touch(ThreadId tid, Bool is_write, Addr a, SizeT szB)
{
   if (szB && VG_(am_is_valid_for_client)(
                 a, szB, is_write ? VKI_PROT_WRITE : VKI_PROT_READ))
      WS_(access_by_kernel)(tid, a, szB, is_write);
}

/* Makes the accesses that come first. */
static void call_begins(ThreadId tid, UInt syscallno, const UWord* given)
{
   UWord args[MAX_ARGS] = {0};

   syscallno    = real_call(syscallno, given, args);
   calls[tid].n = 0;
   for (UInt i = 0; i < sizeof rules / sizeof rules[0]; i++) {
      if (rules[i].syscallno != syscallno || !args[rules[i].arg])
         continue;
      Memory* m  = &calls[tid].all[calls[tid].n++];
      *m         = (Memory){&rules[i], args[rules[i].arg]};
      m->is_lost = rules[i].part == Ws_ByDevice && is_null(args[0]);
      find_bytes(m, args);
      if (rules[i].part == Ws_First)
         touch(tid, rules[i].is_write, m->a, m->szB);
   }
}

/* Tells whether a rule replaces what a system call's wrapper declares at
   `a`. */
static Bool is_known(ThreadId tid, Addr a, Bool is_write)
{
   for (UInt i = 0; i < calls[tid].n; i++) {
      const Memory* m = &calls[tid].all[i];
      if (m->rule->extent == Ws_Messages && !is_write)
         return True;
      if (m->rule->is_write != is_write || m->rule->extent == Ws_Messages)
         continue;
      if (m->rule->extent < Ws_Vector && (a == m->a || a - m->a < m->szB))
         return True;
      for (UWord part = 0; part < m->n_parts; part++)
         if (a == (Addr)((struct vki_iovec*)m->a)[part].iov_base)
            return True;
   }
   return False;
}

/* Touches the first szB bytes that an iovec has, part after part.  The
   program may have changed or unmapped it meanwhile. */
static void touch_vector(ThreadId tid, const Memory* m, SizeT szB)
{
   const struct vki_iovec* iov = (const struct vki_iovec*)m->a;

   if (!is_readable(m->a, m->n_parts * sizeof *iov)) // any more
      return;
   for (UWord part = 0; part < m->n_parts && szB; part++, iov++) {
      SizeT part_szB = VG_MIN(iov->iov_len, szB);
      touch(tid, m->rule->is_write, (Addr)iov->iov_base, part_szB);
      szB -= part_szB;
   }
}

/* Reads the messages that were sent, or where those that were received went,
   and the one at which the kernel stopped. */
static void read_messages(ThreadId tid, const Memory* m, UWord n_done)
{
   const struct vki_mmsghdr* at = (const struct vki_mmsghdr*)m->a;

   for (UWord i = 0; i < m->n_parts && i <= n_done; i++, at++) {
      const struct vki_msghdr* msg    = &at->msg_hdr;
      Memory                   vector = {m->rule};
      if (!is_readable((Addr)at, sizeof *at))
         return;
      touch(tid, False, (Addr)msg, sizeof *msg);
      touch(tid, False, (Addr)msg->msg_iov,
            msg->msg_iovlen * sizeof(struct vki_iovec));
      if (i == n_done || m->rule->is_write)
         continue;
      touch(tid, False, (Addr)msg->msg_name, msg->msg_namelen);
      touch(tid, False, (Addr)msg->msg_control, msg->msg_controllen);
      find_vector(&vector, (Addr)msg->msg_iov, msg->msg_iovlen);
      touch_vector(tid, &vector, at->msg_len);
   }
}

/* Tells how many bytes of it the kernel touched. */
static SizeT touched(const Memory* m, SysRes res)
{
   UWord result = sr_isError(res) ? 0 : sr_Res(res);

   switch (m->rule->part) {
   case Ws_AtEnd: return m->szB;
   case Ws_OnSuccess: return sr_isError(res) ? 0 : m->szB;
   case Ws_IfPositive: return result ? m->szB : 0;
   case Ws_AtMost:
      return sr_isError(res) || !is_readable(m[1].a, sizeof(UInt))
                ? 0
                : VG_MIN(m->szB, *(const UInt*)m[1].a);
   case Ws_ByDevice:
   case Ws_Result:
      return m->is_lost ? 0 : m->n_parts ? result : VG_MIN(result, m->szB);
   default: return 0;
   }
}

/* Makes the others: those that its wrapper does not declare rightly. */
static void call_ends(ThreadId tid, SysRes res)
{
   for (UInt i = 0; i < calls[tid].n; i++) {
      const Memory* m   = &calls[tid].all[i];
      SizeT         szB = touched(m, res);
      if (m->rule->extent == Ws_Messages)
         read_messages(tid, m, szB);
      else if (m->n_parts)
         touch_vector(tid, m, szB);
      else
         touch(tid, m->rule->is_write, m->a, szB);
   }
   calls[tid].n = 0;
}

/* --- Memory that the kernel populates ------------------------------------- */

#if !defined(VKI_MAP_POPULATE)
#define VKI_MAP_POPULATE 0x8000
#if defined(VGA_ppc32) || defined(VGA_ppc64be) || defined(VGA_ppc64le)
#define VKI_MAP_LOCKED 0x80
#else
#define VKI_MAP_LOCKED 0x2000
#endif
#endif
#define MLOCK_ONFAULT       1
#define MADV_POPULATE_READ  22
#define MADV_POPULATE_WRITE 23

/* Tells whether a call that has succeeded faults in all pages of its mapping or
   range, just as if the program had read each, or written to it. */
static Bool populates(UInt syscallno, const UWord* args)
{
   switch (syscallno) {
   case WS_NR_MMAP: return (args[3] & (VKI_MAP_POPULATE | VKI_MAP_LOCKED)) != 0;
   case __NR_mlock: return True;
#if defined(__NR_mlock2)
   case __NR_mlock2: return !(args[2] & MLOCK_ONFAULT);
#endif
   case __NR_madvise:
      return args[2] == MADV_POPULATE_READ || args[2] == MADV_POPULATE_WRITE;
   default: return False;
   }
}

static void populate(ThreadId tid, UInt syscallno, const UWord* args,
                     SysRes res)
{
   if (sr_isError(res) || !populates(syscallno, args))
      return;
   Addr a        = syscallno == WS_NR_MMAP ? sr_Res(res) : args[0];
   Addr start    = VG_PGROUNDDN(a);
   Bool is_write = syscallno == __NR_madvise && args[2] == MADV_POPULATE_WRITE;
   touch(tid, is_write, start, VG_PGROUNDUP(a + args[1]) - start);
}

/* --- Memory that wrappers declare ----------------------------------------- */

/* What a rule says of an argument replaces what the wrapper declares for it: no
   access may be counted by both. */

static Bool is_syscall(CorePart part)
{
   return part == Vg_CoreSysCall || part == Vg_CoreSysCallArgInMem;
}

/* Counts what the kernel reads. It refuses addresses that are none, and does
   not access what it refuses. */
static void kernel_reads(CorePart part, ThreadId tid, const HChar* what, Addr a,
                         SizeT szB)
{
   if (is_syscall(part) && !is_known(tid, a, False))
      touch(tid, False, a, szB);
}

static void kernel_reads_string(CorePart part, ThreadId tid, const HChar* what,
                                Addr a)
{
   const Addr page_szB = VKI_PAGE_SIZE;
   Addr       end      = a;

   // A path in a socket's address may begin behind what the kernel reads of it.
   if (!is_syscall(part) || is_known(tid, a - 1, False))
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
   if (is_syscall(part) && !is_known(tid, a, True))
      WS_(access_by_kernel)(tid, a, szB, True);
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

/* Makes new pages of those that lie in [a, a + szB): of a page that is larger
   than the system's, all must be mapped at once. */
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
   WsPage first, last;

   if (!whole_pages(a, szB, &first, &last))
      return;
   WS_(sample_resident)(True, WS_(time_ticks)(WS_(time_now)()));
   WS_(sets_unmap)(first, last);
}

/* Takes whole pages from resident memory that stay mapped. */
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

/* Does that with the whole pages between two offsets in a file, wherever they
   are mapped.  (What the program has written to a private mapping stays if a
   hole took the file's pages; that is not known here.) */
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

/* Forgets what was known of memory that is no longer what it was, or may not
   be read: kept stacks and the names of what lies there. */
static void lose(Addr a, SizeT szB)
{
   WS_(callers_unmap)(a, szB);
   WS_(mappings_change)();
}

static void unmap(Addr a, SizeT szB)
{
   lose(a, szB);
   unmap_pages(a, szB);
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

/* Tells whether madvise did that. It passes over what is not mapped, and says
   so in the end. */
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

/* Finds the file that a call has shortened. */
static Bool is_shortened(UInt syscallno, const UWord* args, SysRes res,
                         /*OUT*/ struct vg_stat* file)
{
   Int fd = args[0];

   switch (syscallno) {
#if defined(__NR_ftruncate64)
   case __NR_truncate64:
#endif
   case __NR_truncate:
      return !sr_isError(VG_(stat)((const HChar*)args[0], file));
#if defined(__NR_ftruncate64)
   case __NR_ftruncate64:
#endif
   case __NR_ftruncate: break;
#if defined(__NR_open)
   case __NR_creat: fd = sr_Res(res); break;
   case __NR_open: fd = args[1] & VKI_O_TRUNC ? (Int)sr_Res(res) : -1; break;
#endif
   case __NR_openat: fd = args[2] & VKI_O_TRUNC ? (Int)sr_Res(res) : -1; break;
   default: return False;
   }
   return fd >= 0 && VG_(fstat)(fd, file) == 0;
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
static void before_syscall(ThreadId tid, UInt syscallno, UWord* args,
                           UInt n_args)
{
   WS_(look_at_clock)(tid, Ws_Executed);
   if (WS_(clo).syscalls)
      call_begins(tid, syscallno, args);
   if (is_exec(syscallno) && may_exec(syscallno, args))
      WS_(run_before_exec)();
   else
      WS_(files_before_syscall)();
}

/* Tells whether the call may have created a file. */
static Bool creates(UInt syscallno, const UWord* args)
{
#if defined(__NR_open)
   if (syscallno == __NR_open)
      return args[1] & VKI_O_CREAT;
#endif
   return syscallno == __NR_openat && (args[2] & VKI_O_CREAT);
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

static void after_syscall(ThreadId tid, UInt syscallno, UWord* given,
                          UInt n_args, SysRes res)
{
   UWord args[MAX_ARGS] = {0};

   syscallno = real_call(syscallno, given, args);
   WS_(places_may_change)(!sr_isError(res) && creates(syscallno, args));
   if (WS_(clo).syscalls) {
      call_ends(tid, res);
      populate(tid, syscallno, args, res);
   }
   if (!sr_isError(res))
      note_doubts(syscallno, args);
   if (is_exec(syscallno)) // and here we still are
      WS_(files_go_back)();
   if (syscallno == __NR_madvise && discards(args[2], res))
      // as the kernel rounds it
      discard_range(args[0], VG_PGROUNDUP(args[1]), args[2]);
   if (!sr_isError(res))
      file_changes(syscallno, args, res);
   WS_(look_at_clock)(tid, Ws_Waited);
}

/* --- Processes ------------------------------------------------------------ */

/* The core tells of a fork in the parent before, and in the child after; the
   child is a run of its own (ws_run.h). */

static Int parent_pid;

static void before_fork(ThreadId tid)
{
   parent_pid = VG_(getpid)();
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
   if (WS_(clo).syscalls) {
      calls = VG_(calloc)("ws.syscalls", VG_N_THREADS, sizeof *calls);
      VG_(track_pre_mem_read)(kernel_reads);
      VG_(track_pre_mem_read_asciiz)(kernel_reads_string);
      VG_(track_post_mem_write)(kernel_has_written);
   }
}
