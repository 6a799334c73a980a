/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_sets.h"

#include "ws_forks.h"

/* A page in a window; valid while it is there. */
typedef struct {
   UInt origin;
   UInt next; // link of the record that is filed behind it
} Member;

/* A link is the number of a record + 1, or 0: none. */
typedef struct {
   WsPage   page;
   WsEpoch* epoch;              // of the last access; NULL: none so far
   UInt     phase : 30;         // of the last access
   UInt     is_mapped_anew : 1; // since then
   UInt     is_resident : 1;
   UInt     resident_origin; // while it is resident
   Member   in[];            // windows, by the number of tau
} Rec;

#define RECS_PER_BLOCK  512
#define MIN_INDEX_SLOTS 1024
#define N_RECENT        4096
#define NOT_YET         WS_MAX_TAUS

typedef struct {
   UInt* links;
   UWord n, n_max;
} Links;

typedef struct {
   WsCounts counts;
   UWord    n_recs; // with pages that have only been moved here
   // Records never move.  They lie in blocks, in order of first access; `index`
   // is an open hash table of links, 0 where free.  (A VgHashTable would take
   // 16 bytes more per page, and a miss more per look.)
   UChar** blocks;
   UWord   n_blocks;
   UInt*   index;
   UWord   index_mask;
   // The records that were looked up last, by page: most are wanted again soon.
   UInt      recent[N_RECENT];
   UInt      last; // that was accessed
   WsWindows windows;
   // Those that have entered each window since the last sample.
   Links entering[WS_MAX_TAUS];
} Set;

static Set  sets[WS_N_KINDS];
static UInt rec_szB;
static UInt cold_after; // the number of the tau of WS_(cold)
static UInt phase;

/* Records by number and by link. */
static inline Rec* record_of(const Set* s, UWord n)
{
   return (Rec*)&s->blocks[n / RECS_PER_BLOCK][n % RECS_PER_BLOCK * rec_szB];
}

static inline Rec* linked(const Set* s, UInt link)
{
   return link ? record_of(s, link - 1) : NULL;
}

static void end_set(Set* s)
{
   for (UWord b = 0; b < s->n_blocks; b++)
      VG_(free)(s->blocks[b]);
   VG_(free)(s->blocks);
   VG_(free)(s->index);
   for (UInt i = 0; i < WS_MAX_TAUS; i++)
      VG_(free)(s->entering[i].links);
   WS_(windows_done)(&s->windows);
}

static void refile(UInt kind, UInt tau, WsEpoch* left);

/* Empties all sets. A fork begins a new run in the child: the sets of the
   process that has forked go first. */
void WS_(sets_begin)(void)
{
   WS_(origins_begin)();
   WS_(resident_begin)();
   rec_szB    = sizeof(Rec) + WS_(clo).taus.n * sizeof(Member);
   phase      = 1;
   cold_after = NOT_YET;
   for (UInt kind = 0; kind < WS_(n_kinds)(); kind++) {
      Set* s = &sets[kind];
      end_set(s);
      *s       = (Set){.index_mask = MIN_INDEX_SLOTS - 1};
      s->index = VG_(calloc)("ws.sets.index", MIN_INDEX_SLOTS, sizeof(UInt));
      WS_(windows_init)(&s->windows, refile, kind);
   }
}

/* Hashes eight pages at a time (Fibonacci hashing): neighbouring pages are
   often looked up together. */
static UWord home_slot(const Set* s, WsPage page)
{
   ULong hash = ((ULong)(page >> 3) * 0x9E3779B97F4A7C15ULL) >> 32;
   return (UWord)(hash << 3 | (page & 7)) & s->index_mask;
}

/* Finds the slot that holds the page, or else the free slot where it belongs.
   Where eight neighbours fill the slots of eight others, one step leads past
   all of them; and as it is odd, steps come to each slot. */
static UInt* find_slot(const Set* s, WsPage page)
{
   UWord i = home_slot(s, page);
   while (s->index[i] && record_of(s, s->index[i] - 1)->page != page)
      i = (i + 9) & s->index_mask;
   return &s->index[i];
}

/* Puts all records into a table twice as large. Their links stay, so nothing
   else has to be changed. */
static void grow_index(Set* s)
{
   VG_(free)(s->index);
   s->index_mask = 2 * s->index_mask + 1;
   s->index = VG_(calloc)("ws.sets.index", s->index_mask + 1, sizeof(UInt));
   for (UWord n = 0; n < s->n_recs; n++)
      *find_slot(s, record_of(s, n)->page) = n + 1;
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
                                          RECS_PER_BLOCK * rec_szB);
}

/* Adds a record that is not in any window: its epoch is NULL. `slot` is invalid
   when the table has grown. */
static UInt add_rec(Set* s, WsPage page, UInt* slot)
{
   if (s->n_recs == s->n_blocks * RECS_PER_BLOCK)
      grow_blocks(s);

   Rec* rec  = record_of(s, s->n_recs);
   *rec      = (Rec){.page = page};
   UInt link = *slot = ++s->n_recs;
   if (4 * s->n_recs > 3 * s->index_mask)
      grow_index(s);
   return link;
}

/* Gives the link of the page's record. Pages that were looked up lately are
   found without the table. */
static UInt find_or_add(Set* s, WsPage page)
{
   UInt* recent = &s->recent[page % N_RECENT];

   if (!*recent || record_of(s, *recent - 1)->page != page) {
      UInt* slot = find_slot(s, page);
      *recent    = *slot ? *slot : add_rec(s, page, slot);
   }
   return *recent;
}

/* --- Pages of both kinds -------------------------------------------------- */

static WsKind other_kind(WsKind kind)
{
   return kind == Ws_Insn ? Ws_Data : Ws_Insn;
}

/* Gives the record of the same page as one of the other kind, or NULL. */
static Rec* twin_of(WsKind kind, const Rec* rec)
{
   const Set* other = &sets[other_kind(kind)];

   return linked(other, *find_slot(other, rec->page));
}

/* Gives the twin if it is resident, or NULL. */
static Rec* resident_twin(WsKind kind, const Rec* rec)
{
   Rec* twin = twin_of(kind, rec);

   return twin && twin->is_resident ? twin : NULL;
}

/* --- Cold memory ---------------------------------------------------------- */

static Bool is_warm(WsKind kind, const Rec* rec)
{
   return WS_(windows_has)(&sets[kind].windows, cold_after, rec->epoch);
}

/* Tells whether the page is resident, and in the window as neither kind. */
static Bool is_cold(WsKind kind, const Rec* rec)
{
   if (cold_after == NOT_YET || kind == Ws_Dirty || is_warm(kind, rec))
      return False;
   const Rec* twin = twin_of(kind, rec);
   if (twin && is_warm(other_kind(kind), twin))
      return False;
   return rec->is_resident || (twin && twin->is_resident);
}

/* Counts a page that becomes cold (+1), or no longer is (-1), by its origin in
   resident memory. What must stay true: counts agree with is_cold. So whatever
   changes one of its inputs (the window, the epochs of both kinds, whether it
   is resident) asks is_cold before and after, and calls this. */
static void change_cold(WsKind kind, const Rec* rec, Int pages)
{
   const Rec* resident = rec->is_resident ? rec : twin_of(kind, rec);
   WsPair     of = WS_(origin_pair)(WS_RESIDENT_SET, resident->resident_origin);

   WS_(cold).n_pages += pages;
   WS_(origin_change)(WS_COLD_SET, WS_(origin)(WS_COLD_SET, of.a, of.b), pages,
                      0);
}

/* Calls change_cold for each page that is cold, once. */
static void change_all_cold(Int pages)
{
   for (UInt kind = Ws_Insn; kind <= Ws_Data; kind++)
      for (UWord n = 0; n < sets[kind].n_recs; n++) {
         const Rec* rec = record_of(&sets[kind], n);
         if (rec->is_resident && is_cold(kind, rec) &&
             !(kind == Ws_Data && resident_twin(kind, rec)))
            change_cold(kind, rec, pages);
      }
}

/* Samples cold memory; first, a longer window may have become shorter than the
   run. */
static void sample_cold(WsTick now)
{
   const WsTick* tau     = WS_(clo).taus.tau;
   UInt          longest = cold_after;
   Bool          is_most;

   for (UInt i = 0; i < WS_(clo).taus.n; i++)
      if (tau[i] < now && (longest == NOT_YET || tau[longest] < tau[i]))
         longest = i;
   is_most = longest != cold_after;
   if (is_most) {
      change_all_cold(-1);
      cold_after = longest;
      WS_(cold_begin)(tau[longest]);
      change_all_cold(1);
   }
   if (longest != NOT_YET && (WS_(cold_sample)(now) || is_most))
      WS_(origins_keep)(WS_COLD_SET);
}

/* --- Windows -------------------------------------------------------------- */

static void add_link(Links* l, UInt link)
{
   if (l->n == l->n_max) {
      l->n_max = l->n_max ? 2 * l->n_max : 256;
      l->links = VG_(realloc)("ws.sets.links", l->links,
                              l->n_max * sizeof(UInt));
   }
   l->links[l->n++] = link;
}

/* Files the record under the epoch of its last access, in front of others.
   It stays there until that epoch leaves the window, however often the page
   is accessed meanwhile. */
static void file(Rec* rec, UInt tau, UInt link)
{
   rec->in[tau].next      = rec->epoch->filed[tau];
   rec->epoch->filed[tau] = link;
}

void WS_(sets_enter)(WsKind kind, UInt tau, UInt origin)
{
   Set* s   = &sets[kind];
   Rec* rec = linked(s, s->last);

   rec->in[tau].origin = origin;
   file(rec, tau, s->last);
   add_link(&s->entering[tau], s->last);
   WS_(origin_change)(WS_(set_of)(kind, tau), origin, 1, 0);
}

/* Takes the page from its origin, for it is no longer in the window. A written
   page has the data page's origin, which loses a write only. */
static void leave(WsKind kind, UInt tau, const Rec* rec)
{
   if (kind == Ws_Dirty)
      WS_(origin_change)(WS_(set_of)(Ws_Data, tau), rec->in[tau].origin, 0, -1);
   else
      WS_(origin_change)(WS_(set_of)(kind, tau), rec->in[tau].origin, -1, 0);
   if (tau == cold_after && is_cold(kind, rec))
      change_cold(kind, rec, 1);
}

/* Files the pages of an epoch anew that leaves the window. Those that were
   accessed after it stay; those whose last access was in it are gone. */
static void refile(UInt kind, UInt tau, WsEpoch* left)
{
   const Set* s    = &sets[kind];
   UInt       link = left->filed[tau];

   left->filed[tau] = 0;
   while (link) {
      Rec* rec  = linked(s, link);
      UInt next = rec->in[tau].next;
      if (rec->epoch == left)
         leave(kind, tau, rec);
      else
         file(rec, tau, link);
      link = next;
   }
}

/* Counts the page that was written last in the origins of the windows that it
   enters. */
static void enter_written(WsPage page, UInt windows)
{
   const Set* data    = &sets[Ws_Data];
   const Rec* of_data = linked(data, *find_slot(data, page));
   UInt       link    = sets[Ws_Dirty].last;
   Rec*       rec     = linked(&sets[Ws_Dirty], link);

   for (UInt i = 0; windows >> i; i++)
      if (windows >> i & 1) {
         rec->in[i].origin = of_data->in[i].origin;
         file(rec, i, link);
         WS_(origin_change)(WS_(set_of)(Ws_Data, i), rec->in[i].origin, 0, 1);
      }
}

/* Moves the write of a data page whose origin has changed. */
static void change_origin_of_write(WsPage page, UInt tau, UInt origin)
{
   const Set* s   = &sets[Ws_Dirty];
   UInt       set = WS_(set_of)(Ws_Data, tau);
   Rec*       rec = WS_(clo).dirty ? linked(s, *find_slot(s, page)) : NULL;

   if (!rec || !WS_(windows_has)(&s->windows, tau, rec->epoch))
      return;
   WS_(origin_change)(set, rec->in[tau].origin, 0, -1);
   WS_(origin_change)(set, origin, 0, 1);
   rec->in[tau].origin = origin;
}

/* Moves the page, which is in windows from before it was mapped anew, to the
   origin with the same code and the new mapping; and so its write. */
void WS_(sets_change_mapping)(WsKind kind, UInt mapping)
{
   Rec* rec = linked(&sets[kind], sets[kind].last);

   for (UInt i = 0; i < WS_(clo).taus.n; i++) {
      UInt set    = WS_(set_of)(kind, i);
      UInt code   = WS_(origin_pair)(set, rec->in[i].origin).a;
      UInt origin = WS_(origin)(set, code, mapping);
      WS_(origin_change)(set, rec->in[i].origin, -1, 0);
      WS_(origin_change)(set, origin, 1, 0);
      rec->in[i].origin = origin;
      if (kind == Ws_Data)
         change_origin_of_write(rec->page, i, origin);
   }
}

/* Moves the page into the present epoch; gives the windows that it enters. */
static UInt come(WsKind kind, Rec* rec)
{
   Set* s      = &sets[kind];
   UInt enters = WS_(windows_without)(&s->windows, rec->epoch);

   if (enters && is_cold(kind, rec))
      change_cold(kind, rec, -1);
   rec->epoch = WS_(windows_enter)(&s->windows, rec->epoch, rec->is_resident);
   return enters;
}

/* --- Resident memory ------------------------------------------------------ */

/* Makes the page resident. A page of both kinds is of one origin, the first
   one. */
static void make_resident(WsKind kind, Rec* rec, UInt origin, WsTick t)
{
   const Rec* twin = resident_twin(kind, rec);

   rec->is_resident     = True;
   rec->resident_origin = twin ? twin->resident_origin : origin;
   if (!twin) {
      WS_(forks_add)(rec->page);
      WS_(origin_change)(WS_RESIDENT_SET, origin, 1, 0);
      if (is_cold(kind, rec)) // it has been moved here
         change_cold(kind, rec, 1);
   }
   if (WS_(resident_add)(kind, twin != NULL, t))
      WS_(origins_keep)(WS_RESIDENT_SET);
}

void WS_(sets_make_resident)(WsKind kind, UInt origin, WsTick t)
{
   make_resident(kind, linked(&sets[kind], sets[kind].last), origin, t);
}

/* Finds, in nearly all calls, a record that is in all windows: then only its
   epoch changes. What else must follow is left to the caller, who alone knows
   instruction and mapping; to find these out for each page would cost more than
   the rest. */
UInt WS_(sets_access)(WsKind kind, WsPage page)
{
   Set* s        = &sets[kind];
   UInt link     = find_or_add(s, page);
   Rec* rec      = linked(s, link);
   UInt accessed = 0;

   s->last = link;
   if (!rec->epoch)
      s->counts.n_pages++;
   if (rec->phase != phase) {
      rec->phase = phase;
      s->counts.n_in_phase++;
   }
   if (rec->is_mapped_anew) {
      rec->is_mapped_anew = False;
      s->counts.n_mapped_anew++;
      accessed = Ws_IsMapped;
   }
   if (rec->epoch != s->windows.current)
      accessed |= come(kind, rec);
   if (kind != Ws_Dirty)
      return rec->is_resident ? accessed : accessed | Ws_BecomesResident;
   enter_written(page, accessed & Ws_Enters);
   return WS_(forks_has)(page) ? Ws_Unshares : 0;
}

UWord WS_(sets_cut)(WsTick now)
{
   UWord n_again = 0;

   for (UInt kind = 0; kind < WS_(n_kinds)(); kind++) {
      UWord n = WS_(windows_cut)(&sets[kind].windows, now);
      n_again += kind == Ws_Dirty ? 0 : n;
   }
   return n_again;
}

/* Counts the pages that have entered since the last sample, unless they have
   left already, as in a window shorter than T. */
static void count_entries(WsKind kind, UInt tau)
{
   Set*   s   = &sets[kind];
   Links* all = &s->entering[tau];

   for (UWord i = 0; i < all->n; i++) {
      const Rec* rec = linked(s, all->links[i]);
      if (WS_(windows_has)(&s->windows, tau, rec->epoch))
         WS_(origin_count_entry)(WS_(set_of)(kind, tau), rec->in[tau].origin);
   }
   all->n = 0;
}

void WS_(sets_sample)(WsTick now, /*OUT*/ WsSizes* sizes)
{
   for (UInt kind = 0; kind < WS_(n_kinds)(); kind++) {
      WsWindows* ws = &sets[kind].windows;
      WS_(windows_sample)(ws, now);
      for (UInt i = 0; i < WS_(clo).taus.n; i++) {
         count_entries(kind, i);
         sizes->of[kind][i] = ws->windows[ws->asked[i]].size;
      }
   }
   sample_cold(now);
}

/* --- Ranges of pages ------------------------------------------------------ */

/* A change to a record in a range of pages. */
typedef void (*Change)(WsKind kind, Rec* rec, UWord distance);

/* Calls `change` for each record of a range. Looks at each page, or at each
   record, whichever are fewer. */
static void for_range(WsKind kind, WsPage first, WsPage last, Change change,
                      UWord distance)
{
   const Set* s       = &sets[kind];
   UWord      n_pages = last - first + 1; // 0: all that there are
   UWord      n_recs  = s->n_recs;        // a change may add some

   if (n_pages - 1 < n_recs) {
      for (UWord i = 0; i < n_pages; i++) {
         UInt link = *find_slot(s, first + i);
         if (link)
            change(kind, record_of(s, link - 1), distance);
      }
   } else {
      for (UWord n = 0; n < n_recs; n++)
         if (first <= record_of(s, n)->page && record_of(s, n)->page <= last)
            change(kind, record_of(s, n), distance);
   }
}

/* Notes that the page is mapped anew. The next access sees it, if one comes. */
static void map(WsKind kind, Rec* rec, UWord distance)
{
   rec->is_mapped_anew = rec->epoch != NULL;
}

/* Takes the page from resident memory, and with it from cold memory, unless it
   stays as the other kind. It stays in its windows: W(t, tau) is about
   accesses, whatever happened to the page since then. */
static void unmap(WsKind kind, Rec* rec, UWord distance)
{
   if (!rec->is_resident)
      return;
   Bool has_twin = resident_twin(kind, rec) != NULL;
   if (!has_twin && is_cold(kind, rec))
      change_cold(kind, rec, -1);
   rec->is_resident = False;
   WS_(resident_drop)(kind, has_twin);
   if (has_twin)
      return;
   WS_(forks_drop)(rec->page);
   WS_(origin_change)(WS_RESIDENT_SET, rec->resident_origin, -1, 0);
}

/* Makes the page at the new place resident without an access: no window gains
   it. */
static void arrive(WsKind kind, WsPage page, UInt origin)
{
   Rec* rec = linked(&sets[kind], find_or_add(&sets[kind], page));

   if (!rec->is_resident)
      make_resident(kind, rec, origin, 0); // there were as many before
}

/* Moves a resident page, as both kinds if it is. Both leave the old place
   before one of them arrives, so it never counts as two pages. */
static void move(WsKind kind, Rec* rec, UWord distance)
{
   Rec* twin = resident_twin(kind, rec);

   if (!rec->is_resident)
      return;
   unmap(kind, rec, 0);
   if (twin)
      unmap(other_kind(kind), twin, 0);
   arrive(kind, rec->page + distance, rec->resident_origin);
   if (twin)
      arrive(other_kind(kind), rec->page + distance, rec->resident_origin);
}

void WS_(sets_map)(WsPage first, WsPage last)
{
   for (UInt kind = 0; kind < WS_(n_kinds)(); kind++)
      for_range(kind, first, last, map, 0);
}

void WS_(sets_unmap)(WsPage first, WsPage last)
{
   for (UInt kind = Ws_Insn; kind <= Ws_Data; kind++)
      for_range(kind, first, last, unmap, 0);
   WS_(forks_unmap)(first, last);
}

void WS_(sets_move)(WsPage first, WsPage last, WsPage to)
{
   WS_(forks_move)(first, last, to);
   for (UInt kind = Ws_Insn; kind <= Ws_Data; kind++)
      for_range(kind, first, last, move, to - first);
}

static Bool has_resident;

static void look(WsKind kind, Rec* rec, UWord distance)
{
   has_resident |= rec->is_resident;
}

Bool WS_(sets_has_resident)(WsPage first, WsPage last)
{
   has_resident = False;
   for (UInt kind = Ws_Insn; kind <= Ws_Data; kind++)
      for_range(kind, first, last, look, 0);
   return has_resident;
}

void WS_(sets_resident)(void (*visit)(WsPage page, UInt mapping, UInt windows))
{
   const UInt all = (1U << WS_(clo).taus.n) - 1;

   for (UInt kind = Ws_Insn; kind <= Ws_Data; kind++)
      for (UWord n = 0; n < sets[kind].n_recs; n++) {
         const Rec* rec  = record_of(&sets[kind], n);
         const Rec* twin = twin_of(kind, rec);
         UInt without = WS_(windows_without)(&sets[kind].windows, rec->epoch);
         if (!rec->is_resident ||
             (kind == Ws_Data && twin && twin->is_resident))
            continue;
         if (twin)
            without &= WS_(windows_without)(&sets[other_kind(kind)].windows,
                                            twin->epoch);
         visit(rec->page,
               WS_(origin_pair)(WS_RESIDENT_SET, rec->resident_origin).b,
               all & ~without);
      }
}

void WS_(sets_share)(void)
{
   for (UInt kind = Ws_Insn; kind <= Ws_Data; kind++)
      for (UWord n = 0; n < sets[kind].n_recs; n++)
         if (record_of(&sets[kind], n)->is_resident)
            WS_(forks_share)(record_of(&sets[kind], n)->page);
}

const WsCounts* WS_(sets_counts)(WsKind kind)
{
   return &sets[kind].counts;
}

void WS_(sets_begin_phase)(void)
{
   phase++;
   for (UInt kind = 0; kind < WS_(n_kinds)(); kind++)
      sets[kind].counts.n_in_phase = 0;
}

WsTick WS_(sets_last_access)(WsKind kind, WsPage page)
{
   const Set* s = &sets[kind];
   return record_of(s, *find_slot(s, page) - 1)->epoch->end;
}

const WsWindows* WS_(sets_windows)(WsKind kind)
{
   WS_(windows_count_samples)(&sets[kind].windows);
   return &sets[kind].windows;
}
