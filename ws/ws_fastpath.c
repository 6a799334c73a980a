/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_fastpath.h"

#include "pub_tool_hashtable.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_machine.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_vki.h" // VKI_PAGE_SIZE
#include "ws_compat.h"

WsStampTable WS_(stamp_table);

/* Valgrind puts what the client maps below 2^CLIENT_ADDR_BITS, unless the
   client wants it elsewhere.  Few programs do: for them, the table is
   extended. */
#if VG_WORDSIZE == 4
#define CLIENT_ADDR_BITS 32
#elif defined(VGO_darwin)
#define CLIENT_ADDR_BITS 47
#else
#define CLIENT_ADDR_BITS 37
#endif
#if VG_WORDSIZE == 4
#define EXTENDED_ADDR_BITS 32 // with page 0
#else
#define EXTENDED_ADDR_BITS 48
#endif

/* Static, for small addresses: large enough to be a flat table for 4 KiB pages
   on Linux.  The counter is in the place of page 0's stamp: hardly any program
   maps that page, unless pages are large.  If the table is not flat, the
   directory and, as long as there is room, chunks are here, behind the counter.
   Only pages that are used are ever committed. */
#define NEAR_SLOTS (((SizeT)2 << (VG_WORDSIZE == 4 ? 20 : 25)) + 1)
Word WS_(near_table)[NEAR_SLOTS] __attribute__((aligned(sizeof(WsStamp))));

#define MAX_NEAR_PAGE_SZB 65536
#define N_COUNTER_WORDS   2

/* A far table may be this large, though little of it is ever committed: enough
   for pages of 512 bytes.  Linux refuses a fork if a mapping is larger than all
   memory, and may count all mappings as if they were used
   (vm.overcommit_memory=2). */
#define MAX_FAR_SZB ((SizeT)(VG_WORDSIZE == 4 ? 100 : 5000) << 20)

/* The arrays of a far table have more slots than they need, so that the words
   of a slot have no addresses that differ in high bits only: AMD's first cache
   would take one for the other, again and again. */
#define FAR_GAP_SLOTS 0x1442

#define MAX_DIRECTORY_ENTRIES ((UWord)1 << 16)
#define MAX_EXTENDED_ENTRIES  ((UWord)1 << (VG_WORDSIZE == 4 ? 10 : 20))

static SizeT n_static_words; // in use for the directory and for chunks
static UInt  n_arrays = 1;   // per chunk
static Word* common_chunk;   // of slots never touched
static SizeT allocated_szB;

static UWord chunk_slots(void)
{
   return (UWord)1 << WS_(stamp_table).chunk_shift;
}

static void* allocate(SizeT szB)
{
   void* memory = WS_(shadow_alloc)(szB);

   if (memory == NULL)
      VG_(tool_panic)("ws: no memory for stamps");
   allocated_szB += szB;
   return memory;
}

static Word* new_chunk(void)
{
   SizeT n_words = n_arrays * chunk_slots();

   if (NEAR_SLOTS - n_static_words >= n_words) {
      n_static_words += n_words;
      return &WS_(near_table)[n_static_words - n_words];
   }
   return allocate(n_words * sizeof(Word));
}

/* What the directory says of chunk number `n` if it lies there. */
static Addr directory_entry(const Word* chunk, UWord n)
{
   return (Addr)chunk - n * chunk_slots() * sizeof(Word);
}

static Addr* directory(void)
{
   return (Addr*)WS_(stamp_table).table;
}

/* The dummy slot is the last one. */
static UWord n_directory_entries(void)
{
   const WsStampTable* t = &WS_(stamp_table);
   return (t->dummy_slot >> t->chunk_shift) + 1;
}

static void choose_geometry(UInt addr_bits, UWord max_entries)
{
   WsStampTable* t = &WS_(stamp_table);

   t->dummy_slot  = (UWord)2 << (addr_bits - t->page_shift);
   t->chunk_shift = 1;
   while (n_directory_entries() > max_entries)
      t->chunk_shift++;
}

/* The arrays of each chunk, or of the flat table. */
static void set_arrays(Bool writes, Bool counts, UWord n_slots)
{
   WsStampTable* t = &WS_(stamp_table);

   n_arrays = 1;
   if (writes)
      t->writes_offset = n_arrays++ * n_slots * sizeof(Word);
   if (counts)
      t->counts_offset = n_arrays++ * n_slots * sizeof(Word);
}

/* False if there is no room for it and half as much again, which is left to
   others. */
static Bool init_far_table(Bool writes, Bool counts)
{
   WsStampTable* t = &WS_(stamp_table);

   STATIC_ASSERT(FAR_GAP_SLOTS % 2 == 0); // for each WsStamp to be aligned
   set_arrays(writes, counts, t->dummy_slot + FAR_GAP_SLOTS);
   UWord n_slots = n_arrays * (t->dummy_slot + FAR_GAP_SLOTS);
   if (n_slots > MAX_FAR_SZB / sizeof(Word))
      return False;
   SizeT szB       = VG_PGROUNDUP(n_slots * sizeof(Word));
   SizeT spare_szB = VG_PGROUNDUP(szB / 2);
   Addr  far       = (Addr)WS_(shadow_alloc)(szB + spare_szB);
   if (!far)
      return False;
   VG_(am_munmap_valgrind)(far + szB, spare_szB);
   t->table       = far;
   t->is_far      = True;
   t->chunk_shift = 0;
   return True;
}

static void init_directory(Bool writes, Bool counts)
{
   set_arrays(writes, counts, chunk_slots());
   common_chunk = new_chunk();
   for (UWord n = 0; n < n_directory_entries(); n++)
      directory()[n] = directory_entry(common_chunk, n);
}

/* Where generated code finds the stamp of a slot from now on.  It may have
   found it in the common chunk so far: that one is cleared. */
static Word* slot_at(UWord slot)
{
   const WsStampTable* t = &WS_(stamp_table);

   if (t->chunk_shift == 0)
      return (Word*)t->table + slot;

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

/* As if it were accessed all the time. */
static void init_dummy(void)
{
   WsStamp* dummy = (WsStamp*)slot_at(WS_(stamp_table).dummy_slot);

   dummy->last = -1;
   if (WS_(stamp_table).writes_offset)
      WS_(write_stamp)(dummy)->last = -1;
}

void WS_(fastpath_init)(UWord page_szB, Bool writes, Bool counts)
{
   WsStampTable* t = &WS_(stamp_table);

   t->page_shift = VG_(log2_64)(page_szB);
   t->table      = (Addr)&WS_(near_table);
   choose_geometry(CLIENT_ADDR_BITS, MAX_DIRECTORY_ENTRIES);
   if (t->dummy_slot < NEAR_SLOTS && page_szB <= MAX_NEAR_PAGE_SZB && !writes &&
       !counts) {
      t->chunk_shift = 0;
   } else if (!init_far_table(writes, counts)) {
      // Chunks begin where stamps may.
      t->table       = (Addr)&WS_(near_table)[N_COUNTER_WORDS];
      n_static_words = VG_ROUNDUP(N_COUNTER_WORDS + n_directory_entries(), 2);
      init_directory(writes, counts);
   }
   init_dummy();
}

static Bool is_near(void)
{
   return WS_(stamp_table).table == (Addr)&WS_(near_table);
}

Bool WS_(fastpath_reaches)(WsPage first, WsPage last)
{
   return WS_(stamp_table).is_extended ||
          (WS_(has_data_stamp)(first) && WS_(has_data_stamp)(last));
}

void WS_(fastpath_extend)(void)
{
   WsStampTable* t = &WS_(stamp_table);

   choose_geometry(EXTENDED_ADDR_BITS, MAX_EXTENDED_ENTRIES);
   t->table       = (Addr)allocate(n_directory_entries() * sizeof(Addr));
   t->is_far      = False;
   t->is_extended = True;
   n_static_words = NEAR_SLOTS; // hold what was there so far
   init_directory(t->writes_offset != 0, t->counts_offset != 0);
   init_dummy();
}

void WS_(fastpath_init_thread)(ThreadId tid)
{
   const UWord words[] = {(Addr)&WS_COUNTER, WS_(stamp_table).table};

   STATIC_ASSERT(WS_TABLE_OFFSET == WS_BASE_OFFSET + sizeof(UWord));
   VG_(set_shadow_regs_area)(tid, 1, WS_BASE_OFFSET - sizeof(VexGuestArchState),
                             sizeof words, (const UChar*)words);
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
   const WsStampTable* t = &WS_(stamp_table);
   return p < t->dummy_slot / 2 && (p > 0 || !is_near());
}

WsStamp* WS_(data_stamp)(WsPage p)
{
   return (WsStamp*)slot_at(2 * p);
}

/* The slot that generated code takes. */
static UWord slot_of(WsPage first, WsPage last)
{
   UWord n     = first + last;
   UWord dummy = WS_(stamp_table).dummy_slot;

   return n < dummy ? n : dummy + 1;
}

UWord* WS_(count_of_untold)(WsPage first, WsPage last)
{
   const WsStampTable* t     = &WS_(stamp_table);
   UWord               n     = slot_of(first, last);
   Addr                slots = t->table;

   if (t->chunk_shift != 0)
      slots = directory()[n >> t->chunk_shift];
   return (UWord*)(slots + n * sizeof(Word) + t->counts_offset);
}

void WS_(clear_untold)(WsPage first, WsPage last)
{
   Word* slot = slot_at(slot_of(first, last));

   *slot = 0;
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
