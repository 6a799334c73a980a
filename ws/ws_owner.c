/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_owner.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_debuginfo.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_machine.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_vki.h"
#include "pub_tool_xarray.h"
#include "ws_text.h"

static Addr heap_start = ~(Addr)0;

void WS_(owner_heap_at)(Addr a)
{
   if (a < heap_start)
      heap_start = a;
}

/* Memory of one owner, from its first to its last byte. */
typedef struct {
   Addr         first;
   Addr         last;
   const HChar* name;
} Range;

static void narrow(Range* r, Addr first, Addr last)
{
   r->first = r->first > first ? r->first : first;
   r->last  = r->last < last ? r->last : last;
}

/* Of what lies beside `a`, the range leaves out what is someone else's. */
static void leave_out(Range* r, Addr a, Addr first, Addr last)
{
   if (last < a && last >= r->first)
      r->first = last + 1;
   if (first > a && first <= r->last)
      r->last = first - 1;
}

/* On a thread's stack.  It is known as soon as the thread runs.  Its pointer
   says nothing: a signal handler's may be anywhere. */
static Bool find_stack(Range* r, Addr a)
{
   ThreadId tid;
   Addr     pointer, top;
   Bool     is_found = False;

   VG_(thread_stack_reset_iter)(&tid);
   while (VG_(thread_stack_next)(&tid, &pointer, &top)) {
      Addr first = top - VG_(thread_get_stack_size)(tid) + 1;
      if (a < first || a > top) {
         leave_out(r, a, first, top);
         continue;
      }
      XArray* text = WS_(text_begin)();
      VG_(xaprintf)(text, "stack of thread %u", tid);
      r->name = WS_(text_end)(text);
      narrow(r, first, top);
      is_found = True;
   }
   return is_found;
}

/* In the .bss of an object, as far as it has pages of its own. */
static Bool find_bss(Range* r, Addr a)
{
   for (const DebugInfo* di = VG_(next_DebugInfo)(NULL); di;
        di                  = VG_(next_DebugInfo)(di)) {
      Addr first = VG_(DebugInfo_get_bss_avma)(di);
      Addr last  = VG_PGROUNDUP(first + VG_(DebugInfo_get_bss_size)(di)) - 1;
      if (VG_(DebugInfo_get_bss_size)(di) == 0)
         continue;
      if (a < first || a > last) {
         leave_out(r, a, first, last);
         continue;
      }
      r->name = WS_(text_line)(VG_(DebugInfo_get_filename)(di));
      narrow(r, first, last);
      return True;
   }
   return False;
}

/* VG_(describe_addr) tells the same things apart, but a stack only from its
   pointer upwards, and it searches all debug information for a variable's
   name. */
static Range find_range(Addr a)
{
   const NSegment* seg = VG_(am_find_nsegment)(a);

   if (!seg)
      return (Range){a, a, "not mapped"};
   Range r = {seg->start, seg->end, "anonymous"};
   if (seg->kind == SkFileC) {
      const HChar* name = VG_(am_get_filename)(seg);
      r.name            = name ? WS_(text_line)(name) : "unnamed file";
   } else if (seg->kind == SkShmC) {
      r.name = "shared memory";
   } else if (!find_stack(&r, a) && !find_bss(&r, a)) {
      // The heap is one segment, but data of the executable may precede it.
      const NSegment* heap = VG_(am_find_nsegment)(heap_start);
      if (seg == heap && a >= heap_start) {
         r.name = "heap";
         narrow(&r, heap_start, seg->end);
      } else if (seg == heap) {
         narrow(&r, seg->start, heap_start - 1);
      }
   }
   return r;
}

static XArray* names; // of mappings, by number

static UInt number_of(const HChar* name)
{
   if (!names)
      names = VG_(newXA)(VG_(malloc), "ws.owner.names", VG_(free), sizeof name);
   name = WS_(text)(name);
   for (Word i = 0; i < VG_(sizeXA)(names); i++)
      if (*(const HChar**)VG_(indexXA)(names, i) == name)
         return i;
   return VG_(addToXA)(names, &name);
}

const HChar* WS_(mapping_name)(UInt mapping)
{
   return *(const HChar**)VG_(indexXA)(names, mapping);
}

/* The ranges that were found since mappings have changed, or the last of
   them, and for blocks of addresses where the last hit was. */
#define N_RECENT    64
#define N_BLOCKS    1024
#define BLOCK_SHIFT 14
static struct {
   Addr first, last;
   UInt mapping;
} recent[N_RECENT];
static UInt  n_recent, n_replaced;
static UChar of_block[N_BLOCKS];

static UInt find_recent(Addr a)
{
   UInt i = 0;

   while (i < n_recent && (a < recent[i].first || a > recent[i].last))
      i++;
   if (i < n_recent)
      return i;
   Range r = find_range(a);
   if (n_recent < N_RECENT)
      n_recent++;
   else
      i = n_replaced++ % N_RECENT;
   recent[i].first   = r.first;
   recent[i].last    = r.last;
   recent[i].mapping = number_of(r.name);
   return i;
}

UInt WS_(mapping_at)(Addr a)
{
   UChar* i = &of_block[(a >> BLOCK_SHIFT) % N_BLOCKS];

   if (*i >= n_recent || a < recent[*i].first || a > recent[*i].last)
      *i = find_recent(a);
   return recent[*i].mapping;
}

void WS_(mappings_change)(void)
{
   n_recent = 0;
}
