/*
   This file is part of ws, a Valgrind tool that measures working sets.

   Copyright (C) 2026 the ws developers

   This program is free software; you can redistribute it and/or
   modify it under the terms of the GNU General Public License as
   published by the Free Software Foundation; either version 2 of the
   License, or (at your option) any later version.

   This program is distributed in the hope that it will be useful, but
   WITHOUT ANY WARRANTY; without even the implied warranty of
   MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE.  See the GNU
   General Public License for more details.

   The GNU General Public License is contained in the file LICENSE.
*/

#include "ws_fastpath.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_hashtable.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_machine.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_threadstate.h"

WsCounter WS_(counter);
WsStampTable WS_(stamp_table);

/* The client's addresses are below 2^CLIENT_ADDR_BITS. */
#if VG_WORDSIZE == 4
#define CLIENT_ADDR_BITS 32
#elif defined(VGO_darwin)
#define CLIENT_ADDR_BITS 47
#else
#define CLIENT_ADDR_BITS 37
#endif

#define MIN_CHUNK_SHIFT 12

/* Static, so that its address is a small constant in generated code on most
   platforms: large enough to be a flat table for 4 KiB pages on Linux.  Only
   pages of it that are used are ever committed. */
#define STATIC_SLOTS (((SizeT)2 << (VG_WORDSIZE == 4 ? 20 : 25)) + 1)
static union {
   WsStamp stamps[STATIC_SLOTS];
   UWord   directory[STATIC_SLOTS * sizeof(WsStamp) / sizeof(UWord)];
} table;

static SizeT allocated_szB;

static UInt log2_of(UWord n)
{
   UInt bits = 0;
   while (n >>= 1)
      bits++;
   return bits;
}

static WsStamp* new_chunk(void)
{
   SizeT n = (SizeT)1 << WS_(stamp_table).chunk_shift;
   allocated_szB += n * sizeof(WsStamp);
   return VG_(calloc)("ws.stamps", n, sizeof(WsStamp));
}

void WS_(fastpath_init)(UWord page_szB)
{
   WsStampTable* t = &WS_(stamp_table);

   t->page_shift = log2_of(page_szB);
   t->table      = (Addr)&table;
   t->dummy_slot = (UWord)2 << (CLIENT_ADDR_BITS - t->page_shift);
   if (t->dummy_slot < STATIC_SLOTS) {
      t->chunk_shift = 0;
   } else {
      UWord n_entries = sizeof table.directory / sizeof table.directory[0];
      t->chunk_shift  = MIN_CHUNK_SHIFT;
      while (t->dummy_slot >> t->chunk_shift >= n_entries)
         t->chunk_shift++;
      t->common_chunk = (Addr)new_chunk();
   }

#if CLIENT_ADDR_BITS < 8 * VG_WORDSIZE
   // Valgrind reserves all that it does not let the client have.
   const NSegment* above = VG_(am_find_nsegment)((Addr)1 << CLIENT_ADDR_BITS);
   tl_assert(above && above->kind == SkResvn);
#endif
}

/* Shadow 1, of which the offset is the one in the shadow. */
#define SHADOW            1
#define IN_SHADOW(offset) ((offset) - sizeof(VexGuestArchState))

static WsCounter counter_in(ThreadId tid)
{
   WsCounter value;
   VG_(get_shadow_regs_area)(tid, (UChar*)&value, SHADOW,
                             IN_SHADOW(WS_COUNTER_OFFSET), sizeof value);
   return value;
}

static void set_counter_in(ThreadId tid, WsCounter value)
{
   VG_(set_shadow_regs_area)(tid, SHADOW, IN_SHADOW(WS_COUNTER_OFFSET),
                             sizeof value, (const UChar*)&value);
}

void WS_(counter_to_thread)(ThreadId tid)
{
   set_counter_in(tid, WS_(counter));
}

void WS_(counter_from_thread)(ThreadId tid)
{
   WS_(counter) = counter_in(tid);
}

WsCounter WS_(get_counter)(void)
{
   return counter_in(VG_(get_running_tid)());
}

void WS_(set_counter)(WsCounter value)
{
   set_counter_in(VG_(get_running_tid)(), value);
}

void WS_(get_addresses)(Addr* addresses, UInt n)
{
   VG_(get_shadow_regs_area)(VG_(get_running_tid)(), (UChar*)addresses, SHADOW,
                             IN_SHADOW(WS_ADDRESSES_OFFSET),
                             n * sizeof *addresses);
}

static WsStamp* common_stamp(UWord slot)
{
   const WsStampTable* t = &WS_(stamp_table);
   return (WsStamp*)t->common_chunk +
          (slot & (((UWord)1 << t->chunk_shift) - 1));
}

/* Where generated code finds the stamp of a slot from now on.  It may have
   found it in the common chunk so far: that one is cleared. */
static WsStamp* stamp_at(UWord slot)
{
   const WsStampTable* t = &WS_(stamp_table);

   if (t->chunk_shift == 0)
      return &table.stamps[slot];

   UWord* offset       = &table.directory[slot >> t->chunk_shift];
   *common_stamp(slot) = 0;
   if (*offset == 0)
      *offset = (Addr)new_chunk() - t->common_chunk;
   return (WsStamp*)((Addr)common_stamp(slot) + *offset);
}

WsStamp* WS_(data_stamp)(WsPage p)
{
   return stamp_at(2 * p);
}

void WS_(clear_straddled)(WsPage first, WsPage last)
{
   *stamp_at(first + last) = 0;
}

/* Code pages and their stamps.  Most stamps lie in a static array, for its
   small addresses. */

typedef struct {
   VgHashNode node; // key: the page
   WsStamp*   stamp;
} CodePage;

#define STATIC_CODE_STAMPS    16384
#define CODE_STAMPS_PER_BLOCK 1024

static VgHashTable* code_pages;
static WsStamp      static_code_stamps[STATIC_CODE_STAMPS];

static WsStamp* new_code_stamp(void)
{
   static WsStamp* block  = static_code_stamps;
   static UWord    n_free = STATIC_CODE_STAMPS;

   if (n_free == 0) {
      n_free = CODE_STAMPS_PER_BLOCK;
      block  = VG_(calloc)("ws.code_stamps", n_free, sizeof(WsStamp));
      allocated_szB += n_free * sizeof(WsStamp);
   }
   return &block[--n_free];
}

WsStamp* WS_(code_stamp)(WsPage p)
{
   if (!code_pages)
      code_pages = VG_(HT_construct)("ws.code_pages");

   CodePage* c = VG_(HT_lookup)(code_pages, p);
   if (!c) {
      c           = VG_(malloc)("ws.code_page", sizeof *c);
      c->node.key = p;
      c->stamp    = new_code_stamp();
      VG_(HT_add_node)(code_pages, c);
      allocated_szB += sizeof *c;
   }
   return c->stamp;
}

SizeT WS_(fastpath_memory_szB)(void)
{
   return allocated_szB;
}
