/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_owner.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_machine.h"
#include "pub_tool_threadstate.h"
#include "ws_text.h"

static Addr heap_start = ~(Addr)0;

void WS_(owner_heap_at)(Addr a)
{
   if (a < heap_start)
      heap_start = a;
}

/* The thread on whose stack the address lies, or VG_INVALID_THREADID.  A
   thread's stack is known as soon as the thread runs.  Its pointer says
   nothing: a signal handler's may be anywhere. */
static ThreadId thread_of_stack(Addr a)
{
   ThreadId tid;
   Addr     pointer, top;

   VG_(thread_stack_reset_iter)(&tid);
   while (VG_(thread_stack_next)(&tid, &pointer, &top))
      if (a <= top && top - a < VG_(thread_get_stack_size)(tid))
         return tid;
   return VG_INVALID_THREADID;
}

/* VG_(describe_addr) tells the same things apart, but a stack only from its
   pointer upwards, and it searches all debug information for a variable's
   name. */
const HChar* WS_(owner_of)(Addr a)
{
   const NSegment* seg = VG_(am_find_nsegment)(a);
   if (!seg)
      return "not mapped";
   if (seg->kind == SkFileC) {
      const HChar* name = VG_(am_get_filename)(seg);
      return name ? WS_(text_line)(name) : "unnamed file";
   }
   if (seg->kind == SkShmC)
      return "shared memory";

   // The heap is one segment, but data of the executable may precede it there.
   if (a >= heap_start && seg == VG_(am_find_nsegment)(heap_start))
      return "heap";
   ThreadId tid = thread_of_stack(a);
   if (tid == VG_INVALID_THREADID)
      return "anonymous";
   XArray* text = WS_(text_begin)();
   VG_(xaprintf)(text, "stack of thread %u", tid);
   return WS_(text_end)(text);
}
