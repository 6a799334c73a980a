/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_pages.h"

#include "pub_tool_mallocfree.h"

#define RECS_PER_BLOCK  512
#define MIN_INDEX_SLOTS 1024

/* Ends the list of armed pages. */
static WsPageRec end_of_list;

/* Epochs since the last access until a page is disarmed that has come back
   within that time.  To look at a page eight times costs about as much as to be
   told of it once. */
#define LINGER_EPOCHS 8

static WsStamp* stamp_of(const WsPageRec* rec)
{
   return (WsStamp*)(rec->stamp & ~(WS_STATE_BITS | WS_LINGERS));
}

static WsRecState state_of(const WsPageRec* rec)
{
   return rec->stamp & WS_STATE_BITS;
}

static void set_state(WsPageRec* rec, WsRecState state)
{
   rec->stamp = (rec->stamp & ~WS_STATE_BITS) | state;
}

/* The neighbours of a record in the list of its epoch. */
typedef struct {
   WsPageRec* prev; // NULL: the epoch refers to this one
   WsPageRec* next;
} Links;

static Links* links_of(const WsPages* s, WsPageRec* rec)
{
   return (Links*)((Addr)rec + s->links_offset);
}

static void link_to_epoch(const WsPages* s, WsPageRec* rec)
{
   WsPageRec* next = rec->epoch->pages;

   *links_of(s, rec) = (Links){NULL, next};
   if (next)
      links_of(s, next)->prev = rec;
   rec->epoch->pages = rec;
}

static void unlink_from_epoch(const WsPages* s, WsPageRec* rec)
{
   const Links* links = links_of(s, rec);

   if (links->next)
      links_of(s, links->next)->prev = links->prev;
   if (links->prev)
      links_of(s, links->prev)->next = links->next;
   else
      rec->epoch->pages = links->next;
}

/* The record's last access was in this epoch, or there is none (NULL). */
static void set_epoch(const WsPages* s, WsPageRec* rec, WsEpoch* epoch)
{
   rec->epoch = epoch;
   if (s->links_offset && epoch)
      link_to_epoch(s, rec);
}

/* Gives the epoch in which it was; this is no longer so. */
static WsEpoch* take_epoch(const WsPages* s, WsPageRec* rec)
{
   WsEpoch* epoch = rec->epoch;

   if (s->links_offset && epoch)
      unlink_from_epoch(s, rec);
   rec->epoch = NULL;
   return epoch;
}

/* The page has been accessed in the current epoch. */
static void enter(WsPages* s, WsPageRec* rec)
{
   if (rec->epoch != s->windows.current)
      set_epoch(s, rec, WS_(windows_enter)(&s->windows, take_epoch(s, rec)));
}

/* Whether windows start within epochs, at places that can be told. */
static Bool has_links(const WsPagesConfig* config)
{
   Bool has = False;

   for (UInt i = 0; i < config->taus->n && !config->is_clocked; i++)
      has |= config->taus->tau[i] % config->every != 0;
   return has;
}

static SizeT rec_szB(const WsPages* s)
{
   return sizeof(WsPageRec) +
          (s->config.has_details ? sizeof(WsPageDetails) : 0) +
          (s->links_offset ? sizeof(Links) : 0);
}

void WS_(pages_init)(WsPages* s, const WsPagesConfig* config)
{
   WS_(windows_init)(&s->windows, config->every, config->taus);
   s->config     = *config;
   s->n_pages    = 0;
   s->n_reused   = 0;
   s->n_recs     = 0;
   s->blocks     = NULL;
   s->n_blocks   = 0;
   s->index      = VG_(calloc)("ws.pages.index", MIN_INDEX_SLOTS, sizeof(UInt));
   s->index_mask = MIN_INDEX_SLOTS - 1;
   s->listed     = &end_of_list;
   s->linger_instrs = 0;
   s->links_offset  = 0;
   if (has_links(config))
      s->links_offset = rec_szB(s);
}

WsPageRec* WS_(pages_nth)(const WsPages* s, UWord n)
{
   return (WsPageRec*)((Addr)s->blocks[n / RECS_PER_BLOCK] +
                       n % RECS_PER_BLOCK * rec_szB(s));
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
   while (s->index[i] && WS_(pages_nth)(s, s->index[i] - 1)->page != page)
      i = (i + 1) & s->index_mask;
   return &s->index[i];
}

static void grow_index(WsPages* s)
{
   VG_(free)(s->index);
   s->index_mask = 2 * s->index_mask + 1;
   s->index = VG_(calloc)("ws.pages.index", s->index_mask + 1, sizeof(UInt));
   // Of a page that was mapped anew, the latest record remains.
   for (UWord n = 0; n < s->n_recs; n++)
      *find_slot(s, WS_(pages_nth)(s, n)->page) = n + 1;
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
                                          RECS_PER_BLOCK * rec_szB(s));
}

static WsPageRec* add_rec(WsPages* s, WsPage page, UInt* slot)
{
   if (s->n_recs == s->n_blocks * RECS_PER_BLOCK)
      grow_blocks(s);

   WsPageRec* rec   = WS_(pages_nth)(s, s->n_recs);
   rec->page        = page;
   rec->last        = 0;
   rec->epoch       = NULL;
   rec->stamp       = 0;
   rec->next_listed = NULL;
   if (s->config.has_details)
      rec->details[0] = (WsPageDetails){.n_accesses = 0};
   *slot = ++s->n_recs;
   if (4 * s->n_recs > 3 * s->index_mask)
      grow_index(s);
   s->n_pages++;
   return rec;
}

/* The page was mapped anew, and this is the first access to it. */
static WsPageRec* reuse(WsPages* s, WsPageRec* rec)
{
   s->n_reused++;
   set_state(rec, Ws_Disarmed);
   if (!s->config.has_details) {
      s->n_pages++;
      return rec;
   }

   WsPageRec* new            = add_rec(s, rec->page, find_slot(s, rec->page));
   new->details[0].is_reused = True;
   set_epoch(s, new, take_epoch(s, rec));
   return new;
}

static WsPageRec* find_or_add(WsPages* s, WsPage page)
{
   UInt* slot = find_slot(s, page);
   if (!*slot)
      return add_rec(s, page, slot);

   WsPageRec* rec = WS_(pages_nth)(s, *slot - 1);
   return state_of(rec) == Ws_Anew ? reuse(s, rec) : rec;
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
   if (s->config.is_gated)
      ((WsGatedStamp*)stamp)->gate = gate;
}

WsPageRec* WS_(pages_arm)(WsPages* s, WsPage page, WsTime now, WsStamp* stamp)
{
   WsPageRec* rec     = rec_of(s, page, stamp);
   UWord      lingers = now - rec->last < s->linger_instrs ? WS_LINGERS : 0;

   enter(s, rec);
   if (rec->last < now)
      rec->last = now;
   if (stamp) {
      rec->stamp = (UWord)stamp | lingers; // and Ws_Present
      set_gate(s, stamp, WS_GATE_OPEN);
      if (!rec->next_listed) {
         rec->next_listed = s->listed;
         s->listed        = rec;
      }
   }
   return rec;
}

typedef enum { Enter, DontEnter } Entering;

/* What generated code has told of an armed page.  False if the page has not
   been accessed in the current epoch; if it has, it enters the epoch, if it is
   to. */
static Bool look_at_stamp(WsPages* s, WsPageRec* rec, WsTime base,
                          Entering entering)
{
   WsStamp* stamp = stamp_of(rec);
   WsTime   last  = base + 1 + (Long)stamp->last;

   if (s->config.count_offset) {
      UWord* n = (UWord*)((Addr)stamp + s->config.count_offset);
      rec->details[0].n_accesses += *n;
      *n = 0;
   }
   if (last <= s->windows.current->start_instrs)
      return False;
   if (entering == Enter) {
      enter(s, rec);
      if (rec->last < last)
         rec->last = last;
   }
   return True;
}

/* Whether the page stays armed although it has not been accessed. */
static Bool lingers(const WsPages* s, const WsPageRec* rec, WsTime base)
{
   return (rec->stamp & WS_LINGERS) && rec->last + s->linger_instrs > base;
}

static void disarm(const WsPages* s, WsPageRec* rec)
{
   stamp_of(rec)->last = 0;
   set_gate(s, stamp_of(rec), WS_GATE_SHUT);
}

/* Disarms pages that have not been accessed in the current epoch.  The stamps
   of the others get another base. */
static void look_at_stamps(WsPages* s, WsTime base, WsTime next_base,
                           Entering entering)
{
   WsPageRec** link = &s->listed;

   while (*link != &end_of_list) {
      WsPageRec* rec      = *link;
      Bool       is_armed = state_of(rec) == Ws_Present;
      if (is_armed &&
          (look_at_stamp(s, rec, base, entering) || lingers(s, rec, base))) {
         stamp_of(rec)->last -= (Word)(next_base - base);
         link = &rec->next_listed;
      } else {
         if (is_armed)
            disarm(s, rec);
         *link            = rec->next_listed;
         rec->next_listed = NULL;
      }
   }
}

void WS_(pages_collect)(WsPages* s, WsTime base)
{
   look_at_stamps(s, base, base, Enter);
}

void WS_(pages_collect_and_rebase)(WsPages* s, WsTime base, WsTime next_base)
{
   look_at_stamps(s, base, next_base, Enter);
}

void WS_(pages_cut)(WsPages* s, WsTick now, WsTime now_instrs, WsTime base,
                    WsTime next_base)
{
   // Stamps of accesses after the cut may be there already; they enter later.
   if (base != next_base)
      look_at_stamps(s, base, next_base, DontEnter);
   s->linger_instrs = LINGER_EPOCHS *
                      (now_instrs - s->windows.current->start_instrs);
   WS_(windows_cut)(&s->windows, now, now_instrs);
}

void WS_(pages_rebase)(WsPages* s, WsTime base, WsTime next_base)
{
   if (base == next_base)
      return;
   for (WsPageRec* rec = s->listed; rec != &end_of_list; rec = rec->next_listed)
      if (state_of(rec) == Ws_Present)
         stamp_of(rec)->last -= (Word)(next_base - base);
}

static void renew(WsPages* s, WsPageRec* rec, WsTime base)
{
   WsStamp* stamp = stamp_of(rec);

   if (state_of(rec) == Ws_Anew)
      return;
   if (rec->next_listed && state_of(rec) == Ws_Present) {
      look_at_stamp(s, rec, base, Enter);
      disarm(s, rec);
   }
   if (stamp)
      stamp->rec = 0;
   set_state(rec, Ws_Anew);
}

void WS_(pages_renew)(WsPages* s, WsPage first, WsPage last, WsTime base)
{
   UWord n_pages = last - first + 1; // 0: all that there are

   if (n_pages - 1 < s->n_recs) {
      for (UWord i = 0; i < n_pages; i++) {
         UInt n = *find_slot(s, first + i);
         if (n > 0)
            renew(s, WS_(pages_nth)(s, n - 1), base);
      }
   } else {
      for (UWord n = 0; n < s->n_recs; n++) {
         WsPageRec* rec = WS_(pages_nth)(s, n);
         if (first <= rec->page && rec->page <= last)
            renew(s, rec, base);
      }
   }
}

void WS_(pages_forget_stamps)(WsPages* s, WsTime base)
{
   WS_(pages_collect)(s, base);
   for (UWord n = 0; n < s->n_recs; n++) {
      WsPageRec* rec   = WS_(pages_nth)(s, n);
      rec->stamp       = state_of(rec);
      rec->next_listed = NULL;
   }
   s->listed = &end_of_list;
}

void WS_(pages_done)(WsPages* s)
{
   for (UWord n = 0; n < s->n_recs; n++) {
      WsStamp* stamp = stamp_of(WS_(pages_nth)(s, n));
      if (stamp) {
         *stamp = (WsStamp){0, 0};
         set_gate(s, stamp, WS_GATE_SHUT);
         if (s->config.count_offset)
            *(UWord*)((Addr)stamp + s->config.count_offset) = 0;
      }
   }
   for (UWord b = 0; b < s->n_blocks; b++)
      VG_(free)(s->blocks[b]);
   if (s->blocks)
      VG_(free)(s->blocks);
   VG_(free)(s->index);
   WS_(windows_done)(&s->windows);
}

/* Pages whose last access was in the epoch, and not after `start`. */
static UWord count_too_old(const WsPages* s, const WsEpoch* epoch, WsTime start)
{
   UWord count = 0;

   if (s->links_offset) {
      for (WsPageRec* rec = epoch->pages; rec; rec = links_of(s, rec)->next)
         count += rec->last <= start;
   } else {
      for (UWord n = 0; n < s->n_recs; n++) {
         const WsPageRec* rec = WS_(pages_nth)(s, n);
         count += rec->epoch == epoch && rec->last <= start;
      }
   }
   return count;
}

UWord WS_(pages_wss)(const WsPages* s, WsTick tau, WsTick now)
{
   WsWindow w     = WS_(windows_look)(&s->windows, tau, now);
   WsTick   start = WS_(window_start)(tau, now);

   if (w.tail->start >= start || s->config.is_clocked)
      return w.size;
   return w.size - count_too_old(s, w.tail, start);
}

SizeT WS_(pages_memory_szB)(const WsPages* s)
{
   return s->n_blocks * RECS_PER_BLOCK * rec_szB(s) +
          (s->index_mask + 1) * sizeof(UInt);
}
