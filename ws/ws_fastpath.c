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

WsShared WS_(shared);
WsStampTable WS_(stamp_table);

/* The client's addresses are below 2^CLIENT_ADDR_BITS. */
#if VG_WORDSIZE == 4
#define CLIENT_ADDR_BITS 32
#elif defined(VGO_darwin)
#define CLIENT_ADDR_BITS 47
#else
#define CLIENT_ADDR_BITS 37
#endif

/* Static, so that its address is a small constant in generated code on most
   platforms: large enough to be a flat table for 4 KiB pages on Linux.  For
   smaller pages it holds the directory and, as long as there is room, chunks.
   Only pages of it that are used are ever committed. */
#define STATIC_SLOTS (((SizeT)2 << (VG_WORDSIZE == 4 ? 20 : 25)) + 1)
static Word table[STATIC_SLOTS];

#define MAX_DIRECTORY_ENTRIES 65536

static SizeT n_static_words; // in use for the directory and for chunks
static UInt  n_arrays = 1;   // per chunk
static Word* common_chunk;   // of slots never touched
static SizeT allocated_szB;

static UInt log2_of(UWord n)
{
   UInt bits = 0;
   while (n >>= 1)
      bits++;
   return bits;
}

static UWord chunk_slots(void)
{
   return (UWord)1 << WS_(stamp_table).chunk_shift;
}

static Word* new_chunk(void)
{
   SizeT n_words = n_arrays * chunk_slots();

   if (STATIC_SLOTS - n_static_words >= n_words) {
      n_static_words += n_words;
      return &table[n_static_words - n_words];
   }
   allocated_szB += n_words * sizeof(Word);
   return VG_(calloc)("ws.stamps", n_words, sizeof(Word));
}

/* What the directory says of chunk number `n` if it lies there. */
static Addr directory_entry(const Word* chunk, UWord n)
{
   return (Addr)chunk - n * chunk_slots() * sizeof(Word);
}

static Addr* directory(void)
{
   return (Addr*)&table[0];
}

static void init_directory(Bool writes, Bool counts)
{
   WsStampTable* t = &WS_(stamp_table);

   t->chunk_shift = 1;
   while (t->dummy_slot >> t->chunk_shift >= MAX_DIRECTORY_ENTRIES)
      t->chunk_shift++;
   if (writes)
      t->writes_offset = n_arrays++ * chunk_slots() * sizeof(Word);
   if (counts)
      t->counts_offset = n_arrays++ * chunk_slots() * sizeof(Word);

   UWord n_entries = (t->dummy_slot >> t->chunk_shift) + 1;
   n_static_words  = n_entries;
   common_chunk    = new_chunk();
   for (UWord n = 0; n < n_entries; n++)
      directory()[n] = directory_entry(common_chunk, n);
}

/* Where generated code finds the stamp of a slot from now on.  It may have
   found it in the common chunk so far: that one is cleared. */
static Word* slot_at(UWord slot)
{
   const WsStampTable* t = &WS_(stamp_table);

   if (t->chunk_shift == 0)
      return &table[slot];

   UWord n      = slot >> t->chunk_shift;
   Addr* entry  = &directory()[n];
   Word* common = &common_chunk[slot & (chunk_slots() - 1)];
   // Even if the chunk has just been made, for another slot of the segment.
   *common = 0;
   if (t->writes_offset)
      *(Word*)((Addr)common + t->writes_offset) = 0;
   if (*entry == directory_entry(common_chunk, n))
      *entry = directory_entry(new_chunk(), n);
   return (Word*)(*entry + slot * sizeof(Word));
}

void WS_(fastpath_init)(UWord page_szB, Bool writes, Bool counts)
{
   WsStampTable* t = &WS_(stamp_table);

   t->page_shift  = log2_of(page_szB);
   t->table       = (Addr)&table;
   t->dummy_slot  = (UWord)2 << (CLIENT_ADDR_BITS - t->page_shift);
   t->chunk_shift = 0;
   if (t->dummy_slot >= STATIC_SLOTS || writes || counts)
      init_directory(writes, counts);

   // As if it were accessed all the time.
   Word* dummy = slot_at(t->dummy_slot);
   *dummy      = -1;
   if (writes)
      *(Word*)((Addr)dummy + t->writes_offset) = -1;

#if CLIENT_ADDR_BITS < 8 * VG_WORDSIZE
   // Valgrind reserves all that it does not let the client have.
   const NSegment* above = VG_(am_find_nsegment)((Addr)1 << CLIENT_ADDR_BITS);
   tl_assert(above && above->kind == SkResvn);
#endif
}

void WS_(fastpath_init_thread)(ThreadId tid)
{
   // On some platforms shadows are filled with ones.
   static const UWord zero = 0;
   VG_(set_shadow_regs_area)(tid, 1, WS_ZERO_OFFSET - sizeof(VexGuestArchState),
                             sizeof zero, (const UChar*)&zero);
}

UWord WS_(get_guest_word)(UInt offset)
{
   UInt  szB = sizeof(VexGuestArchState);
   UWord value;
   VG_(get_shadow_regs_area)(VG_(get_running_tid)(), (UChar*)&value,
                             offset / szB, offset % szB, sizeof value);
   return value;
}

Bool WS_(has_data_stamp)(WsPage p)
{
   return p < WS_(stamp_table).dummy_slot / 2;
}

WsStamp* WS_(data_stamp)(WsPage p)
{
   return (WsStamp*)slot_at(2 * p);
}

void WS_(clear_straddled)(WsPage first, WsPage last)
{
   Word* slot = slot_at(first + last);
   *slot      = 0;
   if (WS_(stamp_table).writes_offset)
      WS_(write_stamp)((WsStamp*)slot)->last = 0;
}

/* Code pages and their stamps.  Most stamps lie in a static array, for its
   small addresses. */

typedef struct {
   VgHashNode    node; // key: the page
   WsGatedStamp* stamp;
} CodePage;

#define STATIC_CODE_STAMPS    16384
#define CODE_STAMPS_PER_BLOCK 1024

static VgHashTable* code_pages;
static WsGatedStamp static_code_stamps[STATIC_CODE_STAMPS];

static WsGatedStamp* new_code_stamp(void)
{
   static WsGatedStamp* block  = static_code_stamps;
   static UWord         n_free = STATIC_CODE_STAMPS;

   if (n_free == 0) {
      n_free = CODE_STAMPS_PER_BLOCK;
      block  = VG_(calloc)("ws.code_stamps", n_free, sizeof *block);
      allocated_szB += n_free * sizeof *block;
   }
   block[--n_free].gate = WS_GATE_SHUT;
   return &block[n_free];
}

WsGatedStamp* WS_(code_stamp)(WsPage p)
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
