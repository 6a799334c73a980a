/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_heapcalls.h"

#include "pub_tool_debuginfo.h"
#include "pub_tool_guest.h"
#include "pub_tool_machine.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_transtab.h"
#include "pub_tool_vki.h"
#include "ws_debuginfo.h"
#include "ws_emit.h"
#include "ws_heap.h"
#include "ws_intern.h"
#include "ws_mappings.h"
#include "ws_pagemarks.h"
#include "ws_sample.h"
#include "ws_time.h"
#include "ws_unwind.h"

/* --- Functions ------------------------------------------------------------ */

/* What a function does, by the numbers of its arguments, from 1; 0: it has no
   such argument. */
typedef struct {
   const HChar* name;
   UChar        size, count; // of the new block; without, it only releases
   UChar        old;         // the block that it releases
   UChar        result; // where it puts the new one, instead of returning it
   UChar        flags;  // of mmap
   Bool         is_mapped;
   Bool         has_parameters; // behind its name
} Function;

static const Function functions[] = {
   {"malloc", .size = 1},
   {"calloc", .size = 2, .count = 1},
   {"realloc", .size = 2, .old = 1},
   {"reallocarray", .size = 3, .count = 2, .old = 1},
   {"posix_memalign", .size = 3, .result = 1},
   {"aligned_alloc", .size = 2},
   {"memalign", .size = 2},
   {"valloc", .size = 1},
   {"pvalloc", .size = 1},
   {"free", .old = 1},
   {"cfree", .old = 1},
   {"free_sized", .old = 1},
   {"free_aligned_sized", .old = 1},
   {"operator new(", .size = 1, .has_parameters = True},
   {"operator new[](", .size = 1, .has_parameters = True},
   {"operator delete", .old = 1, .has_parameters = True},
   {"new", .size = 1},
   {"mmap", .size = 2, .flags = 4, .is_mapped = True},
   {"mmap64", .size = 2, .flags = 4, .is_mapped = True},
   {"mremap", .size = 3, .old = 1, .is_mapped = True},
};

/* Finds the function of this name, before which allocators put a prefix if they
   offer it under another name, too. */
static const Function* function_named(const HChar* name)
{
   static const HChar* const prefixes[] = {"__libc_", "__",  "je_",
                                           "mi_",     "tc_", ""};

   if (VG_(strstr)(name, ", void*)")) // it puts an object where it is told
      return NULL;
   for (UInt p = 0; p < sizeof prefixes / sizeof *prefixes; p++) {
      SizeT n = VG_(strlen)(prefixes[p]);
      for (UInt i = 0; i < sizeof functions / sizeof *functions; i++) {
         const Function* f        = &functions[i];
         SizeT           compared = VG_(strlen)(f->name) + !f->has_parameters;
         if (VG_(strncmp)(name, prefixes[p], n) == 0 &&
             VG_(strncmp)(name + n, f->name, compared) == 0)
            return f;
      }
   }
   return NULL;
}

/* --- Registers ------------------------------------------------------------ */

/* Where a function finds its first arguments and its return address, and where
   it leaves its result.  Without RETURN, the address lies on the stack. */

#define REG(r) offsetof(VexGuestArchState, guest_##r)

#if defined(VGA_x86)
#define RESULT REG(EAX)
#elif defined(VGA_amd64)
#define RESULT REG(RAX)
static const UShort args[] = {REG(RDI), REG(RSI), REG(RDX), REG(RCX)};
#elif defined(VGA_arm)
#define RESULT REG(R0)
#define RETURN REG(R14)
static const UShort args[] = {REG(R0), REG(R1), REG(R2), REG(R3)};
#elif defined(VGA_arm64)
#define RESULT REG(X0)
#define RETURN REG(X30)
static const UShort args[] = {REG(X0), REG(X1), REG(X2), REG(X3)};
#elif defined(VGA_ppc32) || defined(VGA_ppc64be) || defined(VGA_ppc64le)
#define RESULT REG(GPR3)
#define RETURN REG(LR)
static const UShort args[] = {REG(GPR3), REG(GPR4), REG(GPR5), REG(GPR6)};
#elif defined(VGA_s390x)
#define RESULT REG(r2)
#define RETURN REG(r14)
static const UShort args[] = {REG(r2), REG(r3), REG(r4), REG(r5)};
#elif defined(VGA_mips32) || defined(VGA_mips64) || defined(VGA_nanomips)
#if defined(VGA_nanomips)
#define RESULT REG(r4)
#else
#define RESULT REG(r2)
#endif
#define RETURN REG(r31)
static const UShort args[] = {REG(r4), REG(r5), REG(r6), REG(r7)};
#elif defined(VGA_riscv64)
#define RESULT REG(x10)
#define RETURN REG(x1)
static const UShort args[] = {REG(x10), REG(x11), REG(x12), REG(x13)};
#else
#error "where are arguments on this machine?"
#endif

static Addr stack_pointer(const UChar* guest)
{
   return WS_(guest_word)(guest, WS_(layout)->offset_SP);
}

/* Gives the n-th argument, from 1; 0: the function has none. */
static UWord argument(const UChar* guest, UInt n)
{
   if (n == 0)
      return 0;
#if defined(VGA_x86)
   return ((const UWord*)stack_pointer(guest))[n];
#else
   return WS_(guest_word)(guest, args[n - 1]);
#endif
}

static Addr return_address(const UChar* guest)
{
#if defined(RETURN)
   return WS_(guest_word)(guest, RETURN);
#else
   return *(const Addr*)stack_pointer(guest);
#endif
}

/* --- Calls ---------------------------------------------------------------- */

/* The call that a thread is in, if any.  Calls inside it are the allocator's
   own. */
typedef struct {
   const Function* function; // NULL: none
   Addr            returns_to, sp;
   UWord           size;
   Addr            old;
   const Addr*     result; // or NULL
} Call;

static Call*   calls;    // by threads
static WsPairs returned; // of 0 and an address that calls return to
static Bool    is_seen;

static void release(Addr a, Bool is_mapped)
{
   if (WS_(heap_release_begins)())
      WS_(sample_heap)(WS_(time_ticks)(WS_(time_now)()));
   WS_(heap_remove)(a, is_mapped);
}

/* Watches the code to which a call returns.  No thread is inside it: a call
   ends a superblock, and threads take turns at ends only. */
static void watch(Addr returns_to)
{
   UInt n = returned.n;

   if (WS_(pair_number)(&returned, 0, returns_to) == n)
      VG_(discard_translations)(returns_to, 1, "ws");
}

/* Tells whether the stack pointer is that of a call inside this one.  What a
   call left by a jump or an exception had for its stack may be gone. */
static Bool is_inside(const Call* call, Addr sp)
{
   Bool is_below = call->function && sp <= call->sp;

#if !defined(RETURN)
   return is_below && WS_(is_readable)(call->sp, sizeof(Addr)) &&
          *(const Addr*)call->sp == call->returns_to;
#else
   return is_below;
#endif
}

static void begin(Call* call, const Function* f, const UChar* guest)
{
   UWord count = f->count ? argument(guest, f->count) : 1;

   *call = (Call){.function   = f,
                  .returns_to = return_address(guest),
                  .sp         = stack_pointer(guest),
                  .size       = argument(guest, f->size) * count,
                  .old        = argument(guest, f->old),
                  .result     = (const Addr*)argument(guest, f->result)};
   watch(call->returns_to);
}

static VG_REGPARM(1) void call_begins(const Function* f, const UChar* guest)
{
   Call* call = &calls[VG_(get_running_tid)()];

   is_seen = True;
   if (is_inside(call, stack_pointer(guest)))
      return;
   call->function = NULL; // a jump or an exception has left it, if any
   if (f->size == 0)
      release(argument(guest, f->old), False);
   else if (!f->flags || (argument(guest, f->flags) & VKI_MAP_ANONYMOUS))
      begin(call, f, guest);
}

/* Gives the new block; 0: the call has failed, or only released one. */
static Addr result_of(const Call* call, const UChar* guest)
{
   Addr a = WS_(guest_word)(guest, RESULT);

   if (call->result)
      return a == 0 ? *call->result : 0;
   return call->function->is_mapped && a == ~(Addr)0 ? 0 : a;
}

static VG_REGPARM(1) void call_ends(Addr returns_to, const UChar* guest)
{
   Call* call = &calls[VG_(get_running_tid)()];

   if (!call->function || call->returns_to != returns_to)
      return;
   const Function* f = call->function;
   Addr            a = result_of(call, guest);
   call->function    = NULL;
   if (f->old && call->old && (a || call->size == 0))
      release(call->old, f->is_mapped);
   if (a)
      WS_(heap_add)(a, call->size, WS_(stack_of_call)(returns_to, guest),
                    f->is_mapped);
}

/* --- Code ----------------------------------------------------------------- */

/* Adds a call, before which the guest state is complete. */
static void emit_call(IRSB* sb, const HChar* name, void* helper, UWord arg)
{
   addStmtToIRSB(sb, IRStmt_Dirty(WS_(guest_call)(name, helper, arg,
                                                  sizeof(VexGuestArchState))));
}

void WS_(heapcalls_emit)(IRSB* sb, Addr start, Addr ip)
{
   const HChar* name;

   if (!calls)
      calls = VG_(calloc)("ws.heapcalls", VG_N_THREADS, sizeof(Call));
   if (WS_(pair_find)(&returned, 0, ip) != WS_NO_PAIR)
      emit_call(sb, "ws_call_ends", call_ends, ip);
   // The names of an object are read here, once and for all.
   WS_(read_inlined)(True);
   Bool is_entry = VG_(get_fnname_if_entry)(VG_(current_DiEpoch)(), start,
                                            &name);
   WS_(read_inlined)(False);
   const Function* f = is_entry ? function_named(name) : NULL;
   if (f)
      emit_call(sb, "ws_call_begins", call_begins, (UWord)f);
}

Bool WS_(heapcalls_seen)(void)
{
   return is_seen;
}
