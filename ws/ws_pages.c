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

#include "ws_pages.h"

#include "pub_tool_mallocfree.h"

#define RECS_PER_BLOCK  512
#define MIN_INDEX_SLOTS 1024

/* Ends the list of armed pages. */
static WsPageRec end_of_armed;

void WS_(pages_init)(WsPages* s, WsTime tau_instrs, Bool is_gated)
{
   WS_(window_init)(&s->window, tau_instrs);
   s->is_gated   = is_gated;
   s->n_pages    = 0;
   s->blocks     = NULL;
   s->n_blocks   = 0;
   s->index      = VG_(calloc)("ws.pages.index", MIN_INDEX_SLOTS, sizeof(UInt));
   s->index_mask = MIN_INDEX_SLOTS - 1;
   s->armed      = &end_of_armed;
}

static WsPageRec* nth_rec(const WsPages* s, UWord n)
{
   return &s->blocks[n / RECS_PER_BLOCK][n % RECS_PER_BLOCK];
}

/* Fibonacci hashing: neighbouring pages, the usual case, spread evenly. */
static UWord home_slot(const WsPages* s, WsPage page)
{
   return (UWord)(((ULong)page * 0x9E3779B97F4A7C15ULL) >> 32) & s->index_mask;
}

/* The slot that holds the page, or else the free slot where it belongs. */
static UInt* find_slot(const WsPages* s, WsPage page)
{
   UWord i = home_slot(s, page);
   while (s->index[i] && nth_rec(s, s->index[i] - 1)->page != page)
      i = (i + 1) & s->index_mask;
   return &s->index[i];
}

static void grow_index(WsPages* s)
{
   VG_(free)(s->index);
   s->index_mask = 2 * s->index_mask + 1;
   s->index = VG_(calloc)("ws.pages.index", s->index_mask + 1, sizeof(UInt));
   for (UWord n = 0; n < s->n_pages; n++)
      *find_slot(s, nth_rec(s, n)->page) = n + 1;
}

static void grow_blocks(WsPages* s)
{
   // The array of blocks doubles whenever it is full: at powers of two.
   if ((s->n_blocks & (s->n_blocks - 1)) == 0) {
      UWord room = s->n_blocks ? 2 * s->n_blocks : 1;
      s->blocks  = VG_(realloc)("ws.pages.blocks", s->blocks,
                               room * sizeof *s->blocks);
   }
   s->blocks[s->n_blocks++] = VG_(malloc)("ws.pages.block",
                                          RECS_PER_BLOCK * sizeof(WsPageRec));
}

static WsPageRec* add_page(WsPages* s, WsPage page, UInt* slot)
{
   if (s->n_pages == s->n_blocks * RECS_PER_BLOCK)
      grow_blocks(s);

   WsPageRec* rec  = nth_rec(s, s->n_pages);
   rec->page       = page;
   rec->last       = 0;
   rec->epoch      = NULL;
   rec->stamp      = NULL;
   rec->next_armed = NULL;
   *slot           = ++s->n_pages;
   if (4 * s->n_pages > 3 * s->index_mask)
      grow_index(s);
   return rec;
}

static WsPageRec* find_or_add(WsPages* s, WsPage page)
{
   UInt* slot = find_slot(s, page);
   return *slot ? nth_rec(s, *slot - 1) : add_page(s, page, slot);
}

/* A stamp refers to a record by its address, halved so as to be positive. */
static WsPageRec* rec_of(WsPages* s, WsPage page, WsStamp* stamp)
{
   if (!stamp)
      return find_or_add(s, page);
   if (stamp->rec <= 0)
      stamp->rec = (Word)((UWord)find_or_add(s, page) >> 1);
   return (WsPageRec*)((UWord)stamp->rec << 1);
}

static void set_gate(const WsPages* s, WsStamp* stamp, Word gate)
{
   if (s->is_gated)
      ((WsGatedStamp*)stamp)->gate = gate;
}

void WS_(pages_touch)(WsPages* s, WsPage page, WsTime now, WsStamp* stamp)
{
   WsPageRec* rec = rec_of(s, page, stamp);

   rec->epoch = WS_(window_enter)(&s->window, rec->epoch);
   if (rec->last < now)
      rec->last = now;
   if (stamp && !rec->next_armed) {
      rec->stamp      = stamp;
      rec->next_armed = s->armed;
      s->armed        = rec;
      set_gate(s, stamp, WS_GATE_OPEN);
   }
}

typedef enum { Enter, DontEnter } Entering;

/* Disarms the pages that have not been accessed in the current epoch.  The
   others enter the epoch, if they are to, and their stamps get another base. */
static void look_at_stamps(WsPages* s, WsTime base, WsTime next_base,
                           Entering entering)
{
   WsTime      epoch_start = s->window.current->start;
   WsPageRec** link        = &s->armed;

   while (*link != &end_of_armed) {
      WsPageRec* rec  = *link;
      WsTime     last = base + 1 + (Long)rec->stamp->last;
      if (last <= epoch_start) {
         rec->stamp->last = 0;
         set_gate(s, rec->stamp, WS_GATE_SHUT);
         *link           = rec->next_armed;
         rec->next_armed = NULL;
         continue;
      }
      if (entering == Enter) {
         rec->epoch = WS_(window_enter)(&s->window, rec->epoch);
         if (rec->last < last)
            rec->last = last;
      }
      rec->stamp->last -= (Word)(next_base - base);
      link = &rec->next_armed;
   }
}

void WS_(pages_collect)(WsPages* s, WsTime base)
{
   look_at_stamps(s, base, base, Enter);
}

void WS_(pages_cut)(WsPages* s, WsTime now, WsTime base, WsTime next_base)
{
   // Stamps of accesses after the cut may be there already; they enter later.
   look_at_stamps(s, base, next_base, DontEnter);
   WS_(window_cut)(&s->window, now);
}

void WS_(pages_done)(WsPages* s)
{
   for (UWord n = 0; n < s->n_pages; n++) {
      WsStamp* stamp = nth_rec(s, n)->stamp;
      if (stamp) {
         *stamp = (WsStamp){0, 0};
         set_gate(s, stamp, WS_GATE_SHUT);
      }
   }
   for (UWord b = 0; b < s->n_blocks; b++)
      VG_(free)(s->blocks[b]);
   if (s->blocks)
      VG_(free)(s->blocks);
   VG_(free)(s->index);
   WS_(window_done)(&s->window);
}

UWord WS_(pages_wss)(WsPages* s, WsTime now)
{
   WS_(window_slide)(&s->window, now);
   return s->window.size;
}

UWord WS_(pages_wss_anywhere)(WsPages* s, WsTime now)
{
   WsWindow* w = &s->window;
   WS_(window_slide)(w, now);

   // The window may start within its oldest epoch: of that one, the pages
   // that were last accessed before the window do not count.
   WsTime start   = WS_(window_start)(w, now);
   UWord  too_old = 0;
   if (w->tail->start < start)
      for (UWord n = 0; n < s->n_pages; n++) {
         const WsPageRec* rec = nth_rec(s, n);
         too_old += rec->epoch == w->tail && rec->last <= start;
      }
   return w->size - too_old;
}

SizeT WS_(pages_memory_szB)(const WsPages* s)
{
   return s->n_blocks * RECS_PER_BLOCK * sizeof(WsPageRec) +
          (s->index_mask + 1) * sizeof(UInt);
}
