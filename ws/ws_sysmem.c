/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_sysmem.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_tooliface.h"
#include "pub_tool_vki.h"
#include "ws_mappings.h"
#include "ws_slowpath.h"

/* --- The table ------------------------------------------------------------ */

/* How many bytes a call may touch. */
typedef enum {
   Ws_Bytes,   // n
   Ws_ByArg,   // as argument n says
   Ws_FdSet,   // a set of so many file descriptors as argument 0 says
   Ws_Name,    // a socket's address: the next argument leads to its length
   Ws_Vector,  // what an iovec of argument n elements says
   Ws_Message, // what the iovec of a msghdr says
   Ws_Messages // argument n mmsghdr, with all that they point to
} Extent;

/* When it touches them, and how many. */
typedef enum {
   Ws_First,      // all, before it does anything else
   Ws_AtEnd,      // all, even if it fails
   Ws_OnSuccess,  // all, unless it fails
   Ws_IfPositive, // all, if its result is more than 0
   Ws_Result      // as many as its result says
} Part;

/* In which calls it does: in all, or else */
typedef enum {
   Ws_Always,
   Ws_IfRead,   // unless argument 0 is /dev/null
   Ws_IfOwn,    // if argument 0 is the PID of this process
   Ws_IfEvent,  // of epoll_ctl, if the event is used at all
   Ws_IfLock,   // of futex, if the kernel takes or releases a lock
   Ws_IfNotZero // if a byte is not 0: the kernel gives back no rest of it
} Condition;

/* The memory that arguments of a system call point to. What its wrapper
   declares for them is ignored. */
typedef struct {
   UInt      syscallno;
   UInt      args; // bits
   Bool      is_write;
   Part      part;
   Extent    extent;
   UWord     n;
   Condition condition;
} Rule;

#define ARG(i)       (1U << (i))
#define READ         False
#define WRITE        True
#define FD_SETS      (ARG(1) | ARG(2) | ARG(3))
#define TIMESPEC_SZB sizeof(struct vki_timespec)
#define TIME64_SZB   16

#if defined(__NR__newselect)
#define WS_NR_SELECT __NR__newselect
#elif defined(__NR_select)
#define WS_NR_SELECT __NR_select
#endif

static const Rule rules[] = {
   // Declared whole, and touched in part
   {__NR_write, ARG(1), READ, Ws_Result, Ws_ByArg, 2, Ws_IfRead},
   {__NR_pwrite64, ARG(1), READ, Ws_Result, Ws_ByArg, 2, Ws_IfRead},
   {__NR_writev, ARG(1), READ, Ws_Result, Ws_Vector, 2, Ws_IfRead},
   {__NR_pwritev, ARG(1), READ, Ws_Result, Ws_Vector, 2, Ws_IfRead},
#if defined(__NR_pwritev2)
   {__NR_pwritev2, ARG(1), READ, Ws_Result, Ws_Vector, 2, Ws_IfRead},
#endif
   {__NR_process_vm_readv, ARG(3), READ, Ws_Result, Ws_Vector, 4, Ws_IfOwn},
   {__NR_process_vm_writev, ARG(1), READ, Ws_Result, Ws_Vector, 2},
   {__NR_process_vm_writev, ARG(3), WRITE, Ws_Result, Ws_Vector, 4, Ws_IfOwn},
   {__NR_sched_getaffinity, ARG(2), WRITE, Ws_Result, Ws_ByArg, 1},
   {__NR_wait4, ARG(1), WRITE, Ws_IfPositive, Ws_Bytes, sizeof(Int)},
   {__NR_wait4, ARG(3), WRITE, Ws_IfPositive, Ws_Bytes,
    sizeof(struct vki_rusage)},
#if defined(__NR_waitpid)
   {__NR_waitpid, ARG(1), WRITE, Ws_IfPositive, Ws_Bytes, sizeof(Int)},
#endif
   {__NR_waitid, ARG(2), WRITE, Ws_AtEnd, Ws_Bytes,
    offsetof(vki_siginfo_t, _sifields._sigchld._utime)},
   {__NR_futex, ARG(0), WRITE, Ws_OnSuccess, Ws_Bytes, sizeof(Int), Ws_IfLock},
   {__NR_epoll_ctl, ARG(3), READ, Ws_First, Ws_Bytes,
    sizeof(struct vki_epoll_event), Ws_IfEvent},

// Sockets
#if defined(__NR_recv)
   {__NR_recv, ARG(1), WRITE, Ws_Result, Ws_ByArg, 2},
#endif
#if defined(__NR_send)
   {__NR_send, ARG(1), READ, Ws_Result, Ws_ByArg, 2},
#endif
#if defined(__NR_accept)
   {__NR_accept, ARG(1), WRITE, Ws_OnSuccess, Ws_Name},
#endif
   {__NR_recvfrom, ARG(1), WRITE, Ws_Result, Ws_ByArg, 2},
   {__NR_recvfrom, ARG(4), WRITE, Ws_OnSuccess, Ws_Name},
   {__NR_sendto, ARG(1), READ, Ws_Result, Ws_ByArg, 2},
   {__NR_sendto, ARG(4), READ, Ws_First, Ws_ByArg, 5},
   {__NR_sendmsg, ARG(1), READ, Ws_Result, Ws_Message},
   {__NR_sendmmsg, ARG(1), READ, Ws_Result, Ws_Messages, 2},
   {__NR_recvmmsg, ARG(1), WRITE, Ws_Result, Ws_Messages, 2},
   {__NR_recvmmsg, ARG(4), READ, Ws_First, Ws_Bytes, TIMESPEC_SZB},
   {__NR_recvmmsg, ARG(4), WRITE, Ws_IfPositive, Ws_Bytes, TIMESPEC_SZB},
   {__NR_bind, ARG(1), READ, Ws_First, Ws_ByArg, 2},
   {__NR_connect, ARG(1), READ, Ws_First, Ws_ByArg, 2},
   {__NR_accept4, ARG(1), WRITE, Ws_OnSuccess, Ws_Name},
   {__NR_getsockname, ARG(1), WRITE, Ws_OnSuccess, Ws_Name},
   {__NR_getpeername, ARG(1), WRITE, Ws_OnSuccess, Ws_Name},
   {__NR_getsockopt, ARG(4), WRITE, Ws_OnSuccess, Ws_Bytes, sizeof(Int)},

   // Offsets
   {__NR_splice, ARG(1) | ARG(3), WRITE, Ws_OnSuccess, Ws_Bytes,
    sizeof(vki_loff_t)},
   {__NR_copy_file_range, ARG(1) | ARG(3), WRITE, Ws_IfPositive, Ws_Bytes,
    sizeof(vki_loff_t)},

// Waiting
#if defined(WS_NR_SELECT)
   {WS_NR_SELECT, FD_SETS, READ, Ws_First, Ws_FdSet},
   {WS_NR_SELECT, FD_SETS, WRITE, Ws_OnSuccess, Ws_FdSet},
   {WS_NR_SELECT, ARG(4), WRITE, Ws_AtEnd, Ws_Bytes, sizeof(struct vki_timeval),
    Ws_IfNotZero},
#endif
   {__NR_pselect6, FD_SETS, READ, Ws_First, Ws_FdSet},
   {__NR_pselect6, FD_SETS, WRITE, Ws_OnSuccess, Ws_FdSet},
   {__NR_pselect6, ARG(4), WRITE, Ws_AtEnd, Ws_Bytes, TIMESPEC_SZB,
    Ws_IfNotZero},
   {__NR_ppoll, ARG(2), WRITE, Ws_AtEnd, Ws_Bytes, TIMESPEC_SZB, Ws_IfNotZero},
#if defined(__NR_pselect6_time64)
   {__NR_pselect6_time64, FD_SETS, READ, Ws_First, Ws_FdSet},
   {__NR_pselect6_time64, FD_SETS, WRITE, Ws_OnSuccess, Ws_FdSet},
   {__NR_pselect6_time64, ARG(4), WRITE, Ws_AtEnd, Ws_Bytes, TIME64_SZB,
    Ws_IfNotZero},
   {__NR_ppoll_time64, ARG(2), WRITE, Ws_AtEnd, Ws_Bytes, TIME64_SZB,
    Ws_IfNotZero},
   {__NR_recvmmsg_time64, ARG(1), WRITE, Ws_Result, Ws_Messages, 2},
   {__NR_recvmmsg_time64, ARG(4), READ, Ws_First, Ws_Bytes, TIME64_SZB},
   {__NR_recvmmsg_time64, ARG(4), WRITE, Ws_IfPositive, Ws_Bytes, TIME64_SZB},
   {__NR_futex_time64, ARG(0), WRITE, Ws_OnSuccess, Ws_Bytes, sizeof(Int),
    Ws_IfLock},
#endif
};

/* --- Arguments ------------------------------------------------------------ */

/* Memory is found before the call, for afterwards the arguments may have been
   overwritten. Any argument may be nonsense: nothing is read before it is known
   to be readable. */

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
   const Rule* rule;
   Addr        a;
   SizeT       szB;
   UWord       n_parts;   // of the iovec, or messages, at `a`; 0: it is none
   Addr        length;    // where that of a socket's address is
   Bool        is_absent; // the condition does not hold
} Memory;

static Bool holds(const Rule* rule, Addr a, const UWord* args)
{
   static const UChar zeros[TIME64_SZB] = {0};

   switch (rule->condition) {
   case Ws_IfRead: return !is_null(args[0]);
   case Ws_IfOwn: return (Int)args[0] == VG_(getpid)();
   case Ws_IfEvent: return args[1] != VKI_EPOLL_CTL_DEL;
   case Ws_IfLock: return locks(args[1]);
   case Ws_IfNotZero:
      return WS_(is_readable)(a, rule->n) &&
             VG_(memcmp)((const void*)a, zeros, rule->n) != 0;
   default: return True;
   }
}

#define MAX_PARTS 1024 // of an iovec: more are refused; and of messages

static void find_vector(Memory* m, Addr iov, UWord n)
{
   if (n <= MAX_PARTS && WS_(is_readable)(iov, n * sizeof(struct vki_iovec))) {
      m->a       = iov;
      m->n_parts = n;
   }
}

/* Gives the present length of a socket's address; 0: it cannot be read. */
static UInt name_szB(const Memory* m)
{
   return WS_(is_readable)(m->length, sizeof(UInt)) ? *(const UInt*)m->length
                                                    : 0;
}

/* Finds the memory that argument i points to. */
static Memory find_memory(const Rule* rule, UInt i, const UWord* args)
{
   Memory m = {rule, args[i], .is_absent = !holds(rule, args[i], args)};
   const struct vki_msghdr* msg = (const struct vki_msghdr*)m.a;

   switch (rule->extent) {
   case Ws_Bytes: m.szB = rule->n; break;
   case Ws_ByArg: m.szB = args[rule->n]; break;
   case Ws_FdSet:
      if ((Int)args[0] > 0)
         m.szB = VG_ROUNDUP((UInt)args[0], 8 * sizeof(UWord)) / 8;
      break;
   case Ws_Name:
      m.length = args[i + 1];
      m.szB    = name_szB(&m);
      break;
   case Ws_Vector: find_vector(&m, m.a, args[rule->n]); break;
   case Ws_Message:
      if (WS_(is_readable)(m.a, sizeof *msg))
         find_vector(&m, (Addr)msg->msg_iov, msg->msg_iovlen);
      break;
   case Ws_Messages: m.n_parts = VG_MIN(args[rule->n], MAX_PARTS); break;
   }
   return m;
}

/* --- Calls ---------------------------------------------------------------- */

/* A call accesses memory when it begins and when it ends.  Meanwhile other
   threads run, and make calls of their own. */

/* What each thread's call may touch, by the rules. */
static struct {
   UInt   n;
   Memory all[7];
} * calls;

static void touch(ThreadId tid, Bool is_write, Addr a, SizeT szB)
{
   if (szB && VG_(am_is_valid_for_client)(
                 a, szB, is_write ? VKI_PROT_WRITE : VKI_PROT_READ))
      WS_(access_by_kernel)(tid, a, szB, is_write);
}

/* Applies a rule to each of its arguments that is not NULL. */
static void apply(ThreadId tid, const Rule* rule, const UWord* args)
{
   for (UInt i = 0; rule->args >> i; i++) {
      if (!(rule->args >> i & 1) || !args[i])
         continue;
      Memory* m = &calls[tid].all[calls[tid].n++];
      *m        = find_memory(rule, i, args);
      if (rule->part == Ws_First && !m->is_absent)
         touch(tid, rule->is_write, m->a, m->szB);
   }
}

void WS_(sysmem_begins)(ThreadId tid, UInt syscallno, const UWord* args)
{
   calls[tid].n = 0;
   for (UInt i = 0; i < sizeof rules / sizeof rules[0]; i++)
      if (rules[i].syscallno == syscallno)
         apply(tid, &rules[i], args);
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
      if (m->rule->extent < Ws_Vector &&
          (a == m->a || a - m->a < m->szB || a == m->length))
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

   if (!WS_(is_readable)(m->a, m->n_parts * sizeof *iov)) // any more
      return;
   for (UWord part = 0; part < m->n_parts && szB; part++, iov++) {
      SizeT part_szB = VG_MIN(iov->iov_len, szB);
      touch(tid, m->rule->is_write, (Addr)iov->iov_base, part_szB);
      szB -= part_szB;
   }
}

/* Reads the headers of messages, up to the one at which the kernel stopped, and
   what was sent. */
static void read_messages(ThreadId tid, const Memory* m, UWord n_done)
{
   const struct vki_mmsghdr* at = (const struct vki_mmsghdr*)m->a;

   for (UWord i = 0; i < m->n_parts && i <= n_done; i++, at++) {
      const struct vki_msghdr* msg    = &at->msg_hdr;
      Memory                   vector = {m->rule};
      if (!WS_(is_readable)((Addr)at, sizeof *at))
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

/* Tells how many bytes, or messages, the kernel touched at the end. */
static SizeT touched(const Memory* m, SysRes res)
{
   UWord result = sr_isError(res) ? 0 : sr_Res(res);

   if (m->is_absent)
      return 0;
   switch (m->rule->part) {
   case Ws_AtEnd: return m->szB;
   case Ws_OnSuccess:
      if (sr_isError(res))
         return 0;
      return m->length ? VG_MIN(m->szB, name_szB(m)) : m->szB;
   case Ws_IfPositive: return result ? m->szB : 0;
   case Ws_Result: return m->n_parts ? result : VG_MIN(result, m->szB);
   default: return 0;
   }
}

/* Makes the accesses at a call's end that its wrapper does not declare
   rightly. */
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
      if (m->length && !sr_isError(res))
         touch(tid, True, m->length, sizeof(UInt));
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
      if ((end == a || end % page_szB == 0) && !WS_(is_readable)(end, 1))
         break;
   } while (*(const HChar*)end++ != 0);
   WS_(access_by_kernel)(tid, a, end - a, False);
}

static void kernel_has_written(CorePart part, ThreadId tid, Addr a, SizeT szB)
{
   if (is_syscall(part) && !is_known(tid, a, True))
      WS_(access_by_kernel)(tid, a, szB, True);
}

void WS_(sysmem_ends)(ThreadId tid, UInt syscallno, const UWord* args,
                      SysRes res)
{
   call_ends(tid, res);
   populate(tid, syscallno, args, res);
}

void WS_(sysmem_init)(void)
{
   calls = VG_(calloc)("ws.sysmem", VG_N_THREADS, sizeof *calls);
   VG_(track_pre_mem_read)(kernel_reads);
   VG_(track_pre_mem_read_asciiz)(kernel_reads_string);
   VG_(track_post_mem_write)(kernel_has_written);
}
