/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* The memory that generated code and C share: the counter of instructions, and
   a mark for each page that has been accessed in the present interval.

   Generated code looks at the marks of the pages that it has accessed; if one
   is missing, it calls the tool, which sets it.  At the end of the interval,
   the tool clears all marks that were set, by a list.  So a page costs more
   than a look only once per interval.  (The marks that a program makes,
   WS_MARK, are something else: they end phases.)

   CODE PAGES have a word each: 0 if the page is marked, or else the smallest of
   all numbers. So one signed compare, x < mark, says "x is negative and the
   page is marked".

   DATA PAGES have slots in a table, of a byte each.  With an access from page
   `first` to page `last`, which differ by one at most, generated code looks at

      slot = first + 2 * last       (4 instead of 2 if writes are wanted)

   Slot 3p is page p's: its sign bit is the mark.  Slot 3p-1 stands for the
   pages p-1 and p, straddled: it is marked only while both pages are.  If
   writes are wanted, slots are 5p and 5p-1, and two bytes behind is the mark of
   writes, which is set only together with the slot's other one.  Nobody else
   uses the byte two behind any slot.

   The table is flat where there is room, and only what is used is ever
   committed.  Else slots lie in chunks.  For each chunk, a directory has the
   address that slot 0 would have if slots lay in a row; all chunks without a
   mark are one and the same.  A program that maps memory outside the reach of
   the table gets one of greater reach, once and for all, with a directory; then
   addresses that even this one does not reach have a slot of their own, without
   a mark.

   If accesses are counted, a second table has a word per slot.  Generated code
   adds the accesses of a group to the word of its slot; counts in slots of
   straddled pages are not used.

   The guest state's first shadow, which nobody else uses, holds the addresses
   of the tables and of the counter: a distance from the counter fits into an
   instruction. These words never change, for the frame of a signal keeps the
   shadow; the address of an extended table is a constant in the code. */

#ifndef WS_PAGEMARKS_H
#define WS_PAGEMARKS_H

#include "pub_tool_guest.h"
#include "pub_tool_machine.h"
#include "pub_tool_threadstate.h"
#include "ws_base.h"
#include "ws_ir.h"

/* A page of code, or a line of one. Lines have no counts. */
typedef struct {
   Word mark; // WS_MARKED or WS_UNMARKED
   union {
      UWord n_accesses;
      UWord line; // with --ws-code-lines=yes: its number + 1; 0: a page
   };
   WsPage page;
} WsCodePage;

#define WS_MARKED   ((Word)0)
#define WS_UNMARKED ((Word)((UWord)1 << (8 * sizeof(Word) - 1)))

#define WS_N_STATIC_CODE_PAGES 8192

/* What generated code reaches by a constant. */
typedef struct {
   Word       counter; // of ws_time.h; first: its address is at hand
   WsCodePage code_pages[WS_N_STATIC_CODE_PAGES];
} WsShared;
extern WsShared WS_(shared);

/* In the first shadow; offsets in bytes from the start of the guest state. */
#define WS_SHARED_OFFSET    (sizeof(VexGuestArchState))
#define WS_MARKS_OFFSET     (WS_SHARED_OFFSET + sizeof(UWord))
#define WS_COUNTS_OFFSET    (WS_MARKS_OFFSET + sizeof(UWord))
#define WS_ADDRESSES_OFFSET (WS_COUNTS_OFFSET + sizeof(UWord))

/* Addresses per segment (ws_segment.h).  No guest state is smaller than all of
   these. */
#define WS_MAX_GROUPS 24
#define WS_SHADOW_END (WS_ADDRESSES_OFFSET + WS_MAX_GROUPS * sizeof(UWord))
STATIC_ASSERT(WS_SHADOW_END <= 2 * sizeof(VexGuestArchState));

/* The argument for the guest state's address that a helper gets. VEX has an
   expression for it, but the code generators of some hosts do not know it. */
#if defined(VGA_arm) || defined(VGA_arm64) || defined(VGA_mips32) ||           \
   defined(VGA_mips64) || defined(VGA_nanomips)
#define WS_GUEST_IS_PASSED 0
#define WS_GUEST_EXPR()    WS_(ir_word)(0)
#else
#define WS_GUEST_IS_PASSED 1
#define WS_GUEST_EXPR()    IRExpr_GSPTR()
#endif

/* Reads the word at `where` in the guest state or its shadow, in a helper. */
static inline UWord WS_(guest_word)(const UChar* guest, Int where)
{
#if WS_GUEST_IS_PASSED
   return *(const UWord*)(guest + where);
#else
   Int   szB    = sizeof(VexGuestArchState);
   Int   shadow = where < szB ? 0 : 1;
   UWord word;
   VG_(get_shadow_regs_area)(VG_(get_running_tid)(), (UChar*)&word, shadow,
                             where - shadow * szB, sizeof word);
   return word;
#endif
}

/* A table with an entry per slot. */
typedef struct {
   UInt   unit_log2; // bytes of an entry
   Addr   memory;    // of slot 0, or of the directory
   UChar* common;    // the chunk of slots that were never used
} WsTable;

typedef struct {
   UInt  last_shift;  // log2 of the factor of `last`
   UInt  chunk_shift; // log2 of slots per chunk; 0: flat
   UWord n_pages;     // in reach: those below
   Bool  is_extended; // generated code may come to pages beyond
   Bool  has_writes;
   Bool  has_counts;
} WsSlots;

/* Constant after WS_(marks_init), but for WS_(marks_extend). */
extern WsSlots WS_(slots);
extern WsTable WS_(marks), WS_(counts);

/* Makes the tables. Call it once, before any other use; say whether writes, and
   the number of accesses, are wanted. */
void WS_(marks_init)(Bool writes, Bool counts);

/* Gives a thread its shadow registers. Call it before its first instruction. */
void WS_(marks_init_thread)(ThreadId tid);

/* Gives the page's entry, which never moves: translations refer to it. */
WsCodePage* WS_(code_page)(WsPage p);

/* The same for the line of an address. */
WsCodePage* WS_(code_line)(Addr a);

/* --- Lookups -------------------------------------------------------------- */

static inline Bool WS_(is_in_reach)(WsPage p)
{
   return p < WS_(slots).n_pages;
}

/* Gives the slot's entry, in a chunk that is made if need be. */
void* WS_(make_entry)(const WsTable* t, UWord slot);

static inline void* WS_(entry_of)(const WsTable* t, UWord slot)
{
   if (WS_(slots).chunk_shift != 0)
      return WS_(make_entry)(t, slot);
   return (void*)(t->memory + (slot << t->unit_log2));
}

static inline UWord WS_(slot_of)(WsPage p)
{
   return p + (p << WS_(slots).last_shift);
}

/* Gives the slot of the pair of pages that ends with `last`. */
static inline UWord WS_(straddled_slot)(WsPage last)
{
   return WS_(slot_of)(last) - 1;
}

/* Gives the slot behind those of pages in reach: one for accesses that do not
   happen, marked at all times; the next one for pages beyond, never marked. */
static inline UWord WS_(dummy_slot)(void)
{
   return WS_(slot_of)(WS_(slots).n_pages) + 4;
}

static inline UWord WS_(beyond_slot)(void)
{
   return WS_(dummy_slot)() + 4;
}

#define WS_MARK_BIT     0x80
#define WS_WRITE_OFFSET 2

/* Gives the mark of a page in reach. */
static inline UChar* WS_(mark_of)(WsPage p)
{
   return WS_(entry_of)(&WS_(marks), WS_(slot_of)(p));
}

static inline UWord* WS_(count_of)(WsPage p)
{
   return WS_(entry_of)(&WS_(counts), WS_(slot_of)(p));
}

/* --- Marking -------------------------------------------------------------- */

/* The pages that were marked in this interval; if a mark was cleared in between
   and set again, the page is there twice. */
typedef struct {
   UWord  n;
   UWord  n_max;
   UWord* items; // pages, or addresses of WsCodePage
} WsMarked;
extern WsMarked WS_(marked)[WS_N_KINDS];

/* Marks the slot of two pages, of which `last` is the second, if both pages are
   marked. */
void WS_(mark_straddled)(WsPage last);

void WS_(grow_marked)(WsMarked* m);

static inline void WS_(add_marked)(WsKind kind, UWord item)
{
   WsMarked* m = &WS_(marked)[kind];

   if (UNLIKELY(m->n == m->n_max))
      WS_(grow_marked)(m);
   m->items[m->n++] = item;
}

/* Clears all marks and empties the lists. */
void WS_(clear_marks)(void);

/* Clears the marks of the pages from `first` to `last`, or all marks if too
   many pages on the lists have lost theirs. Looks at each page of the range, or
   at each on the lists, whichever are fewer. */
void WS_(clear_marks_of)(WsPage first, WsPage last);

/* Tells whether generated code may access all pages from `first` to `last`. If
   not, the table has to be extended, when no mark is set, and all translations
   must be discarded. */
Bool WS_(marks_reach)(WsPage first, WsPage last);
void WS_(marks_extend)(void);

#endif
