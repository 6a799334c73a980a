/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_pagemarks.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_vki.h" // VKI_PAGE_SIZE
#include "ws_clo.h"
#include "ws_compat.h"
#include "ws_intern.h"

WsShared WS_(shared);
WsSlots WS_(slots);
WsTable WS_(marks)  = {.unit_log2 = 0};
WsTable WS_(counts) = {.unit_log2 = WORD_LOG2};
WsMarked WS_(marked)[WS_N_KINDS];

/* Valgrind puts what the client maps below 2^CLIENT_ADDR_BITS, unless the
   client wants it elsewhere: for such a program the table is extended. */
#if VG_WORDSIZE == 4
#define CLIENT_ADDR_BITS   32
#define EXTENDED_ADDR_BITS 32
#else
#define CLIENT_ADDR_BITS   37
#define EXTENDED_ADDR_BITS 48
#endif

/* A flat table may be this large, though little of it is ever committed.  Linux
   may count all mappings as if they were used (vm.overcommit_memory=2), and
   refuses what exceeds all memory.  It also refuses a fork if several that have
   become one exceed it: half as much again must be left. */
#define MAX_FLAT_SZB ((SizeT)(VG_WORDSIZE == 4 ? 100 : 7000) << 20)

/* What must be left at least: to the program, and to Valgrind. */
#define MIN_SPARE_SZB ((SizeT)256 << 20)

#define MAX_CHUNKS          ((UWord)1 << 16)
#define MAX_CHUNKS_EXTENDED ((UWord)1 << (VG_WORDSIZE == 4 ? 10 : 20))

/* Around the slots of a flat table or of a chunk, as many entries are free: for
   the bytes around a mark, of which generated code loads a word, and for the
   two slots after the last one.  Even, so that entries are aligned. */
#define N_AROUND 16

/* How many marks of pages on the lists were cleared since these were empty. */
static UWord n_cleared;

/* --- Tables --------------------------------------------------------------- */

static UWord n_slots(void)
{
   return WS_(beyond_slot)() + 4;
}

static UWord n_chunks(void)
{
   return (n_slots() >> WS_(slots).chunk_shift) + 1;
}

/* Gives the directory's entry for chunk number `n` whose slots begin there. */
static Addr directory_entry(const WsTable* t, const UChar* chunk, UWord n)
{
   return (Addr)chunk - ((n << WS_(slots).chunk_shift) << t->unit_log2);
}

/* Allocates address space: the kernel commits a page of it when it is first
   written. Marks begin as 0, not set. */
static void* allocate(SizeT szB)
{
   void* memory = WS_(shadow_alloc)(VG_PGROUNDUP(szB));

   if (memory == NULL)
      VG_(tool_panic)("ws: no memory for marks");
   return memory;
}

/* Makes a chunk: its slots and what generated code may touch around them. Its
   address is that of its first slot. */
static UChar* new_chunk(const WsTable* t)
{
   UWord  n      = ((UWord)1 << WS_(slots).chunk_shift) + 2 * N_AROUND;
   UChar* memory = allocate(n << t->unit_log2);

   return memory + (N_AROUND << t->unit_log2);
}

void* WS_(make_entry)(const WsTable* t, UWord slot)
{
   UWord n     = slot >> WS_(slots).chunk_shift;
   Addr* entry = (Addr*)t->memory + n;

   if (*entry == directory_entry(t, t->common, n))
      *entry = directory_entry(t, new_chunk(t), n);
   return (void*)(*entry + (slot << t->unit_log2));
}

/* Makes each entry of the directory lead to the common chunk. It is never
   marked, so generated code finds no mark there and calls the tool, which makes
   a chunk. */
static void init_directory(WsTable* t)
{
   Addr* entries = allocate(n_chunks() * sizeof(Addr));

   t->memory = (Addr)entries;
   t->common = new_chunk(t);
   for (UWord n = 0; n < n_chunks(); n++)
      entries[n] = directory_entry(t, t->common, n);
}

/* Reserves the flat table; False if there is no room. */
static Bool init_flat(void)
{
   SizeT entries    = n_slots() + 2 * N_AROUND;
   SizeT marks_szB  = VG_PGROUNDUP(entries);
   SizeT counts_szB = WS_(slots).has_counts ? VG_PGROUNDUP(entries << WORD_LOG2)
                                            : 0;
   SizeT all_szB    = marks_szB + counts_szB;
   SizeT spare_szB  = VG_PGROUNDUP(all_szB / 2);
   Addr  memory;

   if (entries > MAX_FLAT_SZB || all_szB > MAX_FLAT_SZB)
      return False;
   spare_szB = VG_MAX(spare_szB, MIN_SPARE_SZB);
   memory    = (Addr)WS_(shadow_alloc)(all_szB + spare_szB);
   if (!memory)
      return False;
   VG_(am_munmap_valgrind)(memory + all_szB, spare_szB);
   WS_(marks).memory  = memory + N_AROUND;
   WS_(counts).memory = memory + marks_szB + (N_AROUND << WORD_LOG2);
   return True;
}

static void choose_reach(UInt addr_bits)
{
   WS_(slots).n_pages = (UWord)1 << (addr_bits - WS_(page_shift));
}

/* Chooses the smallest chunks for which the directory is small enough. */
static void init_directories(UWord max_chunks)
{
   WS_(slots).chunk_shift = 4;
   while (n_chunks() > max_chunks)
      WS_(slots).chunk_shift++;
   init_directory(&WS_(marks));
   if (WS_(slots).has_counts)
      init_directory(&WS_(counts));
}

static void init_dummy(void)
{
   UChar* dummy = WS_(entry_of)(&WS_(marks), WS_(dummy_slot)());

   dummy[0] = dummy[WS_WRITE_OFFSET] = WS_MARK_BIT;
}

void WS_(marks_init)(Bool writes, Bool counts)
{
   WS_(slots) = (WsSlots){
      .last_shift = writes ? 2 : 1, .has_writes = writes, .has_counts = counts};
   choose_reach(CLIENT_ADDR_BITS);
   if (!init_flat())
      init_directories(MAX_CHUNKS);
   init_dummy();
}

void WS_(marks_init_thread)(ThreadId tid)
{
   const UWord words[] = {(Addr)&WS_(shared), WS_(marks).memory,
                          WS_(counts).memory};

   STATIC_ASSERT(WS_MARKS_OFFSET == WS_SHARED_OFFSET + sizeof(UWord));
   STATIC_ASSERT(WS_COUNTS_OFFSET == WS_MARKS_OFFSET + sizeof(UWord));
   VG_(set_shadow_regs_area)(tid, 1,
                             WS_SHARED_OFFSET - sizeof(VexGuestArchState),
                             sizeof words, (const UChar*)words);
}

Bool WS_(marks_reach)(WsPage first, WsPage last)
{
   return WS_(slots).is_extended ||
          (WS_(is_in_reach)(first) && WS_(is_in_reach)(last));
}

/* Leaves the old table allocated: until the caller has discarded the
   translations, generated code has its address. It happens once in a run. */
void WS_(marks_extend)(void)
{
   choose_reach(EXTENDED_ADDR_BITS);
   WS_(slots).is_extended = True;
   init_directories(MAX_CHUNKS_EXTENDED);
   init_dummy();
}

/* --- Code pages ----------------------------------------------------------- */

#define CODE_PAGES_PER_BLOCK 512

/* Of 0 and a page, or 1 and a line. */
static WsPairs code_pages = {.entry_szB = sizeof(WsCodePage*)};

/* Makes an entry. The first ones lie beside the counter, where generated code
   reaches them by a short constant; programs with more code than that get
   blocks elsewhere. */
static WsCodePage* new_code_page(WsPage p)
{
   static WsCodePage* next   = WS_(shared).code_pages;
   static UWord       n_free = WS_N_STATIC_CODE_PAGES;

   if (n_free == 0) {
      n_free = CODE_PAGES_PER_BLOCK;
      next   = VG_(malloc)("ws.code_pages", n_free * sizeof *next);
   }
   n_free--;
   *next = (WsCodePage){.mark = WS_UNMARKED, .page = p};
   return next++;
}

WsCodePage* WS_(code_page)(WsPage p)
{
   WsCodePage** page = WS_(pair_get)(&code_pages, 0, p);

   if (!*page)
      *page = new_code_page(p);
   return *page;
}

WsCodePage* WS_(code_line)(Addr a)
{
   UWord        number = a >> WS_LINE_SHIFT;
   WsCodePage** line   = WS_(pair_get)(&code_pages, 1, number);

   if (!*line) {
      *line         = new_code_page(WS_(page_of)(a));
      (*line)->line = number + 1;
   }
   return *line;
}

/* --- Marking -------------------------------------------------------------- */

/* Sets the write mark, too, only where both pages have theirs: a straddling
   write must not hide that one of them was only read so far. */
void WS_(mark_straddled)(WsPage last)
{
   if (last == 0 || !WS_(is_in_reach)(last))
      return;
   const UChar* first  = WS_(mark_of)(last - 1);
   const UChar* second = WS_(mark_of)(last);
   UChar*       mark   = WS_(entry_of)(&WS_(marks), WS_(straddled_slot)(last));

   mark[0] = first[0] & second[0];
   if (WS_(slots).has_writes)
      mark[WS_WRITE_OFFSET] = first[WS_WRITE_OFFSET] & second[WS_WRITE_OFFSET];
}

void WS_(grow_marked)(WsMarked* m)
{
   m->n_max = m->n_max ? 2 * m->n_max : 512;
   m->items = VG_(realloc)("ws.marked", m->items, m->n_max * sizeof(UWord));
}

/* Finds a slot's mark, or one that is not set if the slot has no chunk. */
static UChar* existing_mark(UWord slot)
{
   Addr base = WS_(marks).memory;

   if (WS_(slots).chunk_shift != 0)
      base = ((const Addr*)base)[slot >> WS_(slots).chunk_shift];
   return (UChar*)(base + slot);
}

static void clear_slot(UWord slot)
{
   UChar* mark = existing_mark(slot);

   mark[0] = 0;
   if (WS_(slots).has_writes)
      mark[WS_WRITE_OFFSET] = 0;
}

/* Clears the page's slot, and the two slots that it shares with its neighbours.
   If its own mark is not set, neither are those. */
static void clear_data_mark(WsPage page)
{
   if (!WS_(is_in_reach)(page) || *existing_mark(WS_(slot_of)(page)) == 0)
      return;
   clear_slot(WS_(slot_of)(page));
   if (page > 0)
      clear_slot(WS_(straddled_slot)(page));
   clear_slot(WS_(straddled_slot)(page + 1));
   n_cleared++;
}

static void clear_code_mark(WsCodePage* page)
{
   if (page->mark != WS_MARKED)
      return;
   page->mark = WS_UNMARKED;
   n_cleared++;
}

/* Clears the mark of an item on the kind's list.  That of written pages needs
   nothing: they are on the list of data pages, too. */
static void clear_mark(WsKind kind, UWord item)
{
   if (kind == Ws_Insn)
      clear_code_mark((WsCodePage*)item);
   else if (kind == Ws_Data)
      clear_data_mark(item);
}

void WS_(clear_marks)(void)
{
   for (UInt kind = 0; kind < WS_N_KINDS; kind++) {
      WsMarked* m = &WS_(marked)[kind];
      for (UWord i = 0; i < m->n; i++)
         clear_mark(kind, m->items[i]);
      m->n = 0;
   }
   n_cleared = 0;
}

/* Keeps items on the lists that are no longer marked, until all are cleared.
   Without that, a page that is unmapped and mapped again all the time would
   make them grow without end. */
void WS_(clear_marks_of)(WsPage first, WsPage last)
{
   UWord n_pages = last - first + 1; // 0: all that there are
   UWord n       = WS_(marked)[Ws_Insn].n + WS_(marked)[Ws_Data].n;

   // Only the lists have lines of code.
   if (n_pages - 1 < n && !WS_(clo).code_lines) {
      for (UWord i = 0; i < n_pages; i++) {
         UInt code = WS_(pair_find)(&code_pages, 0, first + i);
         if (code != WS_NO_PAIR)
            clear_code_mark(*(WsCodePage**)WS_(pair_entry)(&code_pages, code));
         clear_data_mark(first + i);
      }
   } else {
      for (UInt kind = Ws_Insn; kind <= Ws_Data; kind++)
         for (UWord i = 0; i < WS_(marked)[kind].n; i++) {
            UWord  item = WS_(marked)[kind].items[i];
            WsPage page = kind == Ws_Insn ? ((WsCodePage*)item)->page : item;
            if (first <= page && page <= last)
               clear_mark(kind, item);
         }
   }
   if (n_cleared > 1000 + n / 2)
      WS_(clear_marks)();
}
