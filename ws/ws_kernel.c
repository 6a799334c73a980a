/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_kernel.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"
#include "ws_slowpath.h"

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
   Ws_Vector,     // what an iovec of argument n elements says
   Ws_Message     // what the iovec of a msghdr says
} WsExtent;

/* Which of them it does touch, and when. */
typedef enum {
   Ws_First,      // all, before it does anything else
   Ws_AtEnd,      // all, even if it fails
   Ws_OnSuccess,  // all, unless it fails
   Ws_IfPositive, // all, if its result is more than 0
   Ws_Result      // as many as its result says
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

#define TIME64_SZB 16

static const WsRule rules[] = {
   // Declared whole, and touched in part
   {__NR_write, 1, False, Ws_Result, Ws_ByArg, 2},
   {__NR_pwrite64, 1, False, Ws_Result, Ws_ByArg, 2},
   {__NR_writev, 1, False, Ws_Result, Ws_Vector, 2},
   {__NR_pwritev, 1, False, Ws_Result, Ws_Vector, 2},
#if defined(__NR_pwritev2)
   {__NR_pwritev2, 1, False, Ws_Result, Ws_Vector, 2},
#endif
   {__NR_sched_getaffinity, 2, True, Ws_Result, Ws_ByArg, 1},
   {__NR_wait4, 1, True, Ws_IfPositive, Ws_Bytes, sizeof(Int)},
   {__NR_wait4, 3, True, Ws_IfPositive, Ws_Bytes, sizeof(struct vki_rusage)},
#if defined(__NR_waitpid)
   {__NR_waitpid, 1, True, Ws_IfPositive, Ws_Bytes, sizeof(Int)},
#endif
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
#if defined(__NR_accept)
   {__NR_accept, 2, True, Ws_OnSuccess, Ws_IfAddress, sizeof(Int)},
#endif
   {__NR_recvfrom, 1, True, Ws_Result, Ws_ByArg, 2},
   {__NR_recvfrom, 5, True, Ws_OnSuccess, Ws_IfAddress, sizeof(Int)},
   {__NR_sendto, 1, False, Ws_Result, Ws_ByArg, 2},
   {__NR_sendto, 4, False, Ws_First, Ws_ByArg, 5},
   {__NR_sendmsg, 1, False, Ws_Result, Ws_Message, 0},
   {__NR_recvmmsg, 4, True, Ws_IfPositive, Ws_Bytes,
    sizeof(struct vki_timespec)},
   {__NR_bind, 1, False, Ws_First, Ws_ByArg, 2},
   {__NR_connect, 1, False, Ws_First, Ws_ByArg, 2},
   {__NR_accept4, 2, True, Ws_OnSuccess, Ws_IfAddress, sizeof(Int)},
   {__NR_getsockname, 2, True, Ws_OnSuccess, Ws_Bytes, sizeof(Int)},
   {__NR_getpeername, 2, True, Ws_OnSuccess, Ws_Bytes, sizeof(Int)},
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
   {__NR_recvmmsg_time64, 4, True, Ws_IfPositive, Ws_Bytes, TIME64_SZB},
   {__NR_futex_time64, 0, True, Ws_OnSuccess, Ws_Lock, sizeof(Int)},
#endif
};

/* --- Arguments ------------------------------------------------------------ */

static Bool is_readable(Addr a, SizeT szB)
{
   return VG_(am_is_valid_for_client)(a, szB, VKI_PROT_READ);
}

#if defined(__NR_socketcall)
static const struct {
   UShort number, n_args;
   UInt   syscallno;
} socketcalls[] = {
   {VKI_SYS_BIND, 3, __NR_bind},
   {VKI_SYS_CONNECT, 3, __NR_connect},
   {VKI_SYS_ACCEPT, 3, __NR_accept4},
   {VKI_SYS_GETSOCKNAME, 3, __NR_getsockname},
   {VKI_SYS_GETPEERNAME, 3, __NR_getpeername},
   {VKI_SYS_SEND, 4, __NR_sendto},
   {VKI_SYS_RECV, 4, __NR_recvfrom},
   {VKI_SYS_SENDTO, 6, __NR_sendto},
   {VKI_SYS_RECVFROM, 6, __NR_recvfrom},
   {VKI_SYS_GETSOCKOPT, 5, __NR_getsockopt},
   {VKI_SYS_SENDMSG, 3, __NR_sendmsg},
   {VKI_SYS_ACCEPT4, 4, __NR_accept4},
   {VKI_SYS_RECVMMSG, 5, __NR_recvmmsg},
};

/* The call that this socketcall stands for, and its arguments, which are in
   memory; those that it has not are 0. */
static UInt real_call(const UWord* args, /*OUT*/ UWord* real_args)
{
   for (UInt i = 0; i < sizeof socketcalls / sizeof socketcalls[0]; i++) {
      SizeT szB = socketcalls[i].n_args * sizeof(UWord);
      if (socketcalls[i].number == args[0] && is_readable(args[1], szB)) {
         VG_(memcpy)(real_args, (const void*)args[1], szB);
         return socketcalls[i].syscallno;
      }
   }
   return __NR_socketcall;
}
#endif

static Bool is_zero(Addr a, SizeT szB)
{
   const UChar* bytes = (const UChar*)a;

   for (SizeT i = 0; i < szB; i++)
      if (bytes[i])
         return False;
   return True;
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

/* The memory of an argument: bytes, or those of an iovec. */
typedef struct {
   const WsRule* rule;
   Addr          a;
   SizeT         szB;
   UWord         n_parts; // of the iovec at `a`; 0: it is none
} Memory;

static void find_vector(Memory* m, Addr iov, UWord n)
{
   const UWord max_n = 1024; // more is refused

   if (n <= max_n && is_readable(iov, n * sizeof(struct vki_iovec))) {
      m->a       = iov;
      m->n_parts = n;
   }
}

static void find_bytes(Memory* m, const UWord* args)
{
   const WsRule*            rule = m->rule;
   const struct vki_msghdr* msg  = (const struct vki_msghdr*)m->a;

   switch (rule->extent) {
   case Ws_Bytes: m->szB = rule->n; break;
   case Ws_ByArg: m->szB = args[rule->n]; break;
   case Ws_FdSet:
      if ((Int)args[0] > 0)
         m->szB = VG_ROUNDUP((UInt)args[0], 8 * sizeof(UWord)) / 8;
      break;
   case Ws_Timeout:
      if (is_readable(m->a, rule->n) && !is_zero(m->a, rule->n))
         m->szB = rule->n;
      break;
   case Ws_IfAddress: m->szB = args[rule->arg - 1] ? rule->n : 0; break;
   case Ws_EpollEvent:
      m->szB = args[1] == VKI_EPOLL_CTL_DEL ? 0 : rule->n;
      break;
   case Ws_Lock: m->szB = locks(args[1]) ? rule->n : 0; break;
   case Ws_Vector: find_vector(m, m->a, args[rule->n]); break;
   case Ws_Message:
      if (is_readable(m->a, sizeof *msg))
         find_vector(m, (Addr)msg->msg_iov, msg->msg_iovlen);
      break;
   }
}

/* --- Calls ---------------------------------------------------------------- */

/* What each thread's call may touch, by the rules. */
static struct {
   UInt   n;
   Memory all[7];
} * calls;

void WS_(kernel_init)(void)
{
   calls = VG_(calloc)("ws.kernel", VG_N_THREADS, sizeof *calls);
}

static void touch(ThreadId tid, Bool is_write, Addr a, SizeT szB)
{
   if (szB && VG_(am_is_valid_for_client)(
                 a, szB, is_write ? VKI_PROT_WRITE : VKI_PROT_READ))
      WS_(access_by_kernel)(tid, a, szB, is_write);
}

void WS_(kernel_begins)(ThreadId tid, UInt syscallno, const UWord* args)
{
#if defined(__NR_socketcall)
   UWord real_args[6] = {0};

   if (syscallno == __NR_socketcall) {
      syscallno = real_call(args, real_args);
      args      = real_args;
   }
#endif
   calls[tid].n = 0;
   for (UInt i = 0; i < sizeof rules / sizeof rules[0]; i++) {
      if (rules[i].syscallno != syscallno || !args[rules[i].arg])
         continue;
      Memory* m = &calls[tid].all[calls[tid].n++];
      *m        = (Memory){&rules[i], args[rules[i].arg], 0, 0};
      find_bytes(m, args);
      if (rules[i].part == Ws_First)
         touch(tid, rules[i].is_write, m->a, m->szB);
   }
}

Bool WS_(kernel_knows)(ThreadId tid, Addr a, Bool is_write)
{
   for (UInt i = 0; i < calls[tid].n; i++) {
      const Memory* m = &calls[tid].all[i];
      if (m->rule->is_write != is_write)
         continue;
      if (m->rule->extent < Ws_Vector && (a == m->a || a - m->a < m->szB))
         return True;
      for (UWord part = 0; part < m->n_parts; part++)
         if (a == (Addr)((struct vki_iovec*)m->a)[part].iov_base)
            return True;
   }
   return False;
}

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

/* How much of it the kernel touched. */
static SizeT touched(const Memory* m, SysRes res)
{
   UWord result = sr_isError(res) ? 0 : sr_Res(res);

   switch (m->rule->part) {
   case Ws_AtEnd: return m->szB;
   case Ws_OnSuccess: return sr_isError(res) ? 0 : m->szB;
   case Ws_IfPositive: return result ? m->szB : 0;
   case Ws_Result: return m->n_parts ? result : VG_MIN(result, m->szB);
   default: return 0;
   }
}

void WS_(kernel_ends)(ThreadId tid, SysRes res)
{
   for (UInt i = 0; i < calls[tid].n; i++) {
      const Memory* m   = &calls[tid].all[i];
      SizeT         szB = touched(m, res);
      if (m->n_parts)
         touch_vector(tid, m, szB);
      else
         touch(tid, m->rule->is_write, m->a, szB);
   }
   calls[tid].n = 0;
}
