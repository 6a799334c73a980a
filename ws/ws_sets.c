/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_sets.h"

#include "pub_tool_mallocfree.h"

typedef struct {
   WsPage   page;
   WsEpoch* epoch;          // of the last access
   UInt     phase;          // of the last access
   Bool     is_mapped_anew; // since then
} Rec;

#define RECS_PER_BLOCK  512
#define MIN_INDEX_SLOTS 1024
#define N_RECENT        4096

typedef struct {
   UWord n_recs;
   UWord n_mapped_anew;
   UWord n_in_phase;
   // Records never move.  They lie in blocks, in order of first access; `index`
   // is an open hash table of their numbers + 1, 0 where free.  (A VgHashTable
   // would take 16 bytes more per page, and a miss more per look.)
   Rec** blocks;
   UWord n_blocks;
   UInt* index;
   UWord index_mask;
   // The records that were looked up last, by page: most are wanted again soon.
   Rec*      recent[N_RECENT];
   WsWindows windows;
} Set;

static Set  sets[WS_N_KINDS];
static UInt n_sets;
static UInt phase;

static Rec* nth(const Set* s, UWord n)
{
   return &s->blocks[n / RECS_PER_BLOCK][n % RECS_PER_BLOCK];
}

static void end_set(Set* s)
{
   for (UWord b = 0; b < s->n_blocks; b++)
      VG_(free)(s->blocks[b]);
   if (s->blocks)
      VG_(free)(s->blocks);
   VG_(free)(s->index);
   WS_(windows_done)(&s->windows);
}

void WS_(sets_begin)(UInt n_kinds, WsTick every, const WsTaus* taus)
{
   for (UInt kind = 0; kind < n_sets; kind++)
      end_set(&sets[kind]);
   n_sets = n_kinds;
   phase  = 1;
   for (UInt kind = 0; kind < n_sets; kind++) {
      Set* s   = &sets[kind];
      *s       = (Set){.index_mask = MIN_INDEX_SLOTS - 1};
      s->index = VG_(calloc)("ws.sets.index", MIN_INDEX_SLOTS, sizeof(UInt));
      WS_(windows_init)(&s->windows, every, taus);
   }
}

/* Fibonacci hashing, of eight pages at a time: neighbouring pages are often
   looked up together. */
static UWord home_slot(const Set* s, WsPage page)
{
   ULong hash = ((ULong)(page >> 3) * 0x9E3779B97F4A7C15ULL) >> 32;
   return (UWord)(hash << 3 | (page & 7)) & s->index_mask;
}

/* The slot that holds the page, or else the free slot where it belongs. */
static UInt* find_slot(const Set* s, WsPage page)
{
   UWord i = home_slot(s, page);
   while (s->index[i] && nth(s, s->index[i] - 1)->page != page)
      i = (i + 1) & s->index_mask;
   return &s->index[i];
}

static void grow_index(Set* s)
{
   VG_(free)(s->index);
   s->index_mask = 2 * s->index_mask + 1;
   s->index = VG_(calloc)("ws.sets.index", s->index_mask + 1, sizeof(UInt));
   for (UWord n = 0; n < s->n_recs; n++)
      *find_slot(s, nth(s, n)->page) = n + 1;
}

static void grow_blocks(Set* s)
{
   // The array of blocks doubles whenever it is full: at powers of two.
   if ((s->n_blocks & (s->n_blocks - 1)) == 0) {
      UWord room = s->n_blocks ? 2 * s->n_blocks : 1;
      s->blocks  = VG_(realloc)("ws.sets.blocks", s->blocks,
                               room * sizeof *s->blocks);
   }
   s->blocks[s->n_blocks++] = VG_(malloc)("ws.sets.block",
                                          RECS_PER_BLOCK * sizeof(Rec));
}

static Rec* add_rec(Set* s, WsPage page, UInt* slot)
{
   if (s->n_recs == s->n_blocks * RECS_PER_BLOCK)
      grow_blocks(s);

   Rec* rec = nth(s, s->n_recs);
   *rec     = (Rec){.page = page};
   *slot    = ++s->n_recs;
   if (4 * s->n_recs > 3 * s->index_mask)
      grow_index(s);
   return rec;
}

static Rec* find_or_add(Set* s, WsPage page)
{
   Rec** recent = &s->recent[page % N_RECENT];

   if (!*recent || (*recent)->page != page) {
      UInt* slot = find_slot(s, page);
      *recent    = *slot ? nth(s, *slot - 1) : add_rec(s, page, slot);
   }
   return *recent;
}

void WS_(sets_enter)(WsKind kind, WsPage page)
{
   Set* s   = &sets[kind];
   Rec* rec = find_or_add(s, page);

   if (rec->epoch != s->windows.current)
      rec->epoch = WS_(windows_enter)(&s->windows, rec->epoch);
   if (rec->phase != phase) {
      rec->phase = phase;
      s->n_in_phase++;
   }
   if (rec->is_mapped_anew) {
      rec->is_mapped_anew = False;
      s->n_mapped_anew++;
   }
}

void WS_(sets_cut)(WsTick now)
{
   for (UInt kind = 0; kind < n_sets; kind++)
      WS_(windows_cut)(&sets[kind].windows, now);
}

static void map(Set* s, WsPage first, WsPage last)
{
   UWord n_pages = last - first + 1; // 0: all that there are

   if (n_pages - 1 < s->n_recs) {
      for (UWord i = 0; i < n_pages; i++) {
         UInt n = *find_slot(s, first + i);
         if (n > 0)
            nth(s, n - 1)->is_mapped_anew = True;
      }
   } else {
      for (UWord n = 0; n < s->n_recs; n++)
         if (first <= nth(s, n)->page && nth(s, n)->page <= last)
            nth(s, n)->is_mapped_anew = True;
   }
}

void WS_(sets_map)(WsPage first, WsPage last)
{
   for (UInt kind = 0; kind < n_sets; kind++)
      map(&sets[kind], first, last);
}

UWord WS_(sets_n_pages)(WsKind kind)
{
   return sets[kind].n_recs;
}

UWord WS_(sets_n_mapped_anew)(WsKind kind)
{
   return sets[kind].n_mapped_anew;
}

UWord WS_(sets_n_in_phase)(WsKind kind)
{
   return sets[kind].n_in_phase;
}

void WS_(sets_begin_phase)(void)
{
   phase++;
   for (UInt kind = 0; kind < n_sets; kind++)
      sets[kind].n_in_phase = 0;
}

WsTick WS_(sets_last_access)(WsKind kind, WsPage page)
{
   const Set* s = &sets[kind];
   return nth(s, *find_slot(s, page) - 1)->epoch->end;
}

WsWindows* WS_(sets_windows)(WsKind kind)
{
   return &sets[kind].windows;
}

SizeT WS_(sets_memory_szB)(WsKind kind)
{
   const Set* s = &sets[kind];
   return s->n_blocks * RECS_PER_BLOCK * sizeof(Rec) +
          (s->index_mask + 1) * sizeof(UInt);
}
