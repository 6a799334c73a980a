/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_mappings.h"

#include "pub_tool_aspacehl.h"
#include "pub_tool_aspacemgr.h"
#include "pub_tool_debuginfo.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_machine.h"
#include "pub_tool_vki.h"
#include "ws_intern.h"

/* Where brk() first extended the heap; where its pages end now; and the
   furthest end so far, since Valgrind unmaps none of them. Data of the
   executable may lie before the heap in the same segment. */
static Addr heap_start = ~(Addr)0, heap_end, heap_top;

void WS_(mappings_heap)(Addr start, Addr end)
{
   heap_start = VG_MIN(heap_start, start);
   heap_end   = VG_PGROUNDUP(end);
   heap_top   = VG_MAX(heap_top, heap_end);
}

/* Finds the segment that `a` is in; NULL: the program has none there. */
static const NSegment* segment_at(Addr a)
{
   const NSegment* seg = VG_(am_find_nsegment)(a);

   return seg && seg->kind == SkAnonC && heap_end <= a && a < heap_top ? NULL
                                                                       : seg;
}

Bool WS_(is_readable)(Addr a, SizeT szB)
{
   return VG_(am_is_valid_for_client)(a, szB, VKI_PROT_READ);
}

/* --- What lies where ------------------------------------------------------ */

/* A range is as large as possible: all its bytes are in one mapping until
   mappings change. So each step of the search for `a` must shrink the range to
   exclude neighbours, even when `a` is not in them. */

static void narrow(WsRange* r, Addr first, Addr last)
{
   r->first = r->first > first ? r->first : first;
   r->last  = r->last < last ? r->last : last;
}

/* Excludes a neighbour, which does not hold `a`. */
static void leave_out(WsRange* r, Addr a, Addr first, Addr last)
{
   if (last < a && last >= r->first)
      r->first = last + 1;
   if (first > a && first <= r->last)
      r->last = first - 1;
}

/* Finds the thread's stack that `a` is in. A stack is known as soon as its
   thread runs. The stack pointer says nothing: a signal handler's may be
   anywhere. */
static Bool find_stack(WsRange* r, Addr a)
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
      r->kind = Ws_Stack;
      r->tid  = tid;
      narrow(r, first, top);
      is_found = True;
   }
   return is_found;
}

/* Finds the .bss that `a` is in, as far as it has pages of its own. */
static Bool find_bss(WsRange* r, Addr a)
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
      r->kind = Ws_Bss;
      r->file = WS_(text_line)(VG_(DebugInfo_get_filename)(di));
      narrow(r, first, last);
      return True;
   }
   return False;
}

/* Finds the range around `a`. VG_(describe_addr) tells the same things apart,
   but a stack only from its pointer upwards, and it searches all debug
   information for a variable's name. */
static WsRange find_range(const NSegment* seg, Addr a)
{
   WsRange r = {.first       = seg->start,
                .last        = seg->end,
                .kind        = Ws_Anonymous,
                .can_read    = seg->hasR,
                .can_write   = seg->hasW,
                .can_execute = seg->hasX};

   if (seg->kind == SkFileC) {
      const HChar* name = VG_(am_get_filename)(seg);
      r.kind            = Ws_File;
      r.file            = name ? WS_(text_line)(name) : NULL;
      r.offset          = seg->offset;
      r.device          = seg->dev;
      r.inode           = seg->ino;
   } else if (seg->kind == SkShmC) {
      r.kind = Ws_SharedMemory;
   } else if (!find_stack(&r, a) && !find_bss(&r, a)) {
      if (heap_start <= a && a < heap_end) {
         r.kind = Ws_Heap;
         narrow(&r, heap_start, heap_end - 1);
      } else {
         leave_out(&r, a, heap_start, heap_top - 1);
      }
   }
   return r;
}

static const HChar* name_of(const WsRange* r)
{
   static const HChar* const names[] = {[Ws_Anonymous]    = "anonymous",
                                        [Ws_File]         = "unnamed file",
                                        [Ws_Heap]         = "heap",
                                        [Ws_SharedMemory] = "shared memory"};

   if (r->kind != Ws_Stack)
      return r->file ? r->file : names[r->kind];
   XArray* text = WS_(text_begin)();
   VG_(xaprintf)(text, "stack of thread %u", r->tid);
   return WS_(text_end)(text);
}

/* --- Names and numbers ---------------------------------------------------- */

static WsPairs names; // of 0 and the text's address

const HChar* WS_(mapping_name)(UInt mapping)
{
   return (const HChar*)names.pairs[mapping].b;
}

UWord WS_(mapping_cached_pages)(UInt mapping, UWord n_pages)
{
   const HChar*     name = WS_(mapping_name)(mapping);
   const DebugInfo* di   = NULL;
   struct vg_stat   file;

   if (*name != '/')
      return 0;
   if (sr_isError(VG_(stat)(name, &file)) || !VKI_S_ISREG(file.mode))
      return n_pages;
   while ((di = VG_(next_DebugInfo)(di)))
      if (VG_(strcmp)(VG_(DebugInfo_get_filename)(di), name) == 0)
         break;
   const ULong n_all = ((ULong)file.size + WS_(page_start)(1) - 1) >>
                       WS_(page_shift);
   // Some pages of an object may be of its .bss; nobody knows how many.
   const ULong n_rest = di ? n_all : n_all > n_pages ? n_all - n_pages : 0;
   return n_rest < n_pages ? n_rest : n_pages;
}

/* The latest ranges that were found since mappings changed, and for each block
   of addresses the index of its last hit. */
#define N_RECENT    64
#define N_BLOCKS    1024
#define BLOCK_SHIFT 14
static struct {
   Addr first, last;
   UInt mapping;
} recent[N_RECENT];
static UInt  n_recent, n_replaced;
static UChar of_block[N_BLOCKS];

/* Gives the index of the range that holds `a`, and finds it if need be. A byte
   that is not mapped is a range, for nothing is known of its neighbours. */
static UInt find_recent(Addr a)
{
   UInt i = 0;

   while (i < n_recent && (a < recent[i].first || a > recent[i].last))
      i++;
   if (i < n_recent)
      return i;
   const NSegment* seg = segment_at(a);
   WsRange r = seg ? find_range(seg, a) : (WsRange){.first = a, .last = a};
   if (n_recent < N_RECENT)
      n_recent++;
   else
      i = n_replaced++ % N_RECENT;
   const HChar* name = WS_(text)(seg ? name_of(&r) : "not mapped");
   recent[i].first   = r.first;
   recent[i].last    = r.last;
   recent[i].mapping = WS_(pair_number)(&names, 0, (UWord)name);
   return i;
}

/* Is called for each page that enters a window. Neighbouring addresses mostly
   lie in one mapping, so each block of 16 KiB remembers its last range, which
   is checked. */
UInt WS_(mapping_at)(Addr a)
{
   UChar* i = &of_block[(a >> BLOCK_SHIFT) % N_BLOCKS];

   if (*i >= n_recent || a < recent[*i].first || a > recent[*i].last)
      *i = find_recent(a);
   return recent[*i].mapping;
}

/* --- How much there is ---------------------------------------------------- */

#define CLIENT_KINDS (SkFileC | SkAnonC | SkShmC)

static struct {
   Bool  is_known;
   UWord n_pages;
   Addr  stack_top;   // of the main thread, whose stack grows unseen
   Addr  stack_start; // at that time
} mapped;

void WS_(mappings_thread_begins)(ThreadId tid)
{
   if (!mapped.stack_top)
      mapped.stack_top = VG_(thread_get_stack_max)(tid);
   WS_(mappings_change)();
}

Addr WS_(main_stack_start)(void)
{
   const NSegment* seg = VG_(am_find_nsegment)(mapped.stack_top);
   return seg ? seg->start : 0;
}

/* Counts mapped pages. A page may be larger than the mappings in it, and counts
   once. */
static UWord count_pages(void)
{
   Int    n;
   Addr*  starts  = VG_(get_segment_starts)(CLIENT_KINDS, &n);
   UWord  n_pages = 0;
   WsPage next    = 0; // the first one that has not been counted

   for (Int i = 0; i < n; i++) {
      const NSegment* seg = segment_at(starts[i]);
      if (!seg || !(seg->hasR || seg->hasW || seg->hasX))
         continue;
      WsPage first = WS_(page_of)(seg->start);
      WsPage last  = WS_(page_of)(segment_at(seg->end) ? seg->end
                                                       : heap_end - 1);
      if (last < next)
         continue;
      n_pages += last - (first < next ? next : first) + 1;
      next = last + 1;
   }
   VG_(free)(starts);
   return n_pages;
}

/* Counts anew only when mappings have changed, or the main thread's stack has
   grown since. */
UWord WS_(mapped_pages)(void)
{
   Addr stack_start = WS_(main_stack_start)();

   if (!mapped.is_known || stack_start != mapped.stack_start) {
      mapped.n_pages     = count_pages();
      mapped.stack_start = stack_start;
      mapped.is_known    = True;
   }
   return mapped.n_pages;
}

/* Cuts ranges at both ends where need be; the offset in a file moves with the
   range's first byte. */
void WS_(ranges_in)(Addr first, Addr last, void (*visit)(const WsRange*))
{
   for (;;) {
      const NSegment* seg = segment_at(first);
      if (!seg || !(seg->kind & CLIENT_KINDS))
         return;
      WsRange r = find_range(seg, first);
      if (r.kind == Ws_File)
         r.offset += first - r.first;
      narrow(&r, first, last);
      visit(&r);
      if (r.last >= last)
         return;
      first = r.last + 1;
   }
}

void WS_(ranges_all)(void (*visit)(const WsRange*))
{
   Int   n;
   Addr* starts = VG_(get_segment_starts)(CLIENT_KINDS, &n);

   for (Int i = 0; i < n; i++) {
      const NSegment* seg = VG_(am_find_nsegment)(starts[i]);
      WS_(ranges_in)(seg->start, seg->end, visit);
   }
   VG_(free)(starts);
}

void WS_(mappings_change)(void)
{
   n_recent        = 0;
   mapped.is_known = False;
}

/* --- Which are shared ----------------------------------------------------- */

#define MAX_CONTENTS_SZB (64 << 20)

Bool WS_(is_regular_file)(Int fd)
{
   struct vg_stat st;
   return VG_(fstat)(fd, &st) == 0 && VKI_S_ISREG(st.mode);
}

HChar* WS_(contents_of)(const HChar* name)
{
   Int    fd   = VG_(fd_open)(name, VKI_O_RDONLY | VKI_O_NONBLOCK, 0);
   HChar* text = NULL;
   Int    n = 0, n_read = 1, n_max = 4096;

   if (fd != -1 && WS_(is_regular_file)(fd))
      while (n_read > 0 && n_max < MAX_CONTENTS_SZB) {
         n_max *= 2;
         text = VG_(realloc)("ws.mappings.text", text, n_max + 1);
         while (n < n_max && (n_read = VG_(read)(fd, text + n, n_max - n)) > 0)
            n += n_read;
         text[n] = 0;
      }
   if (fd != -1)
      VG_(close)(fd);
   return text;
}

/* The core's segments do not know what is shared. Each line begins as
   7f3a1c000-7f3a1d000 rw-s; behind the text there is room to look at. */
void WS_(shared_mappings)(void (*visit)(WsPage first, WsPage last))
{
   HChar* text = WS_(contents_of)("/proc/self/maps");

   for (HChar* line = text; line && *line; line++) {
      Addr start = VG_(strtoull16)(line, &line);
      Addr end   = *line ? VG_(strtoull16)(line + 1, &line) : start;
      if (start < end && line[4] == 's')
         visit(WS_(page_of)(start), WS_(page_of)(end - 1));
      while (*line && *line != '\n')
         line++;
      if (!*line)
         break;
   }
   VG_(free)(text);
}
