/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_heap.h"

#include "pub_tool_hashtable.h"
#include "pub_tool_poolalloc.h"
#include "ws_clo.h"
#include "ws_intern.h"
#include "ws_sets.h"

/* --- Blocks --------------------------------------------------------------- */

typedef struct {
   VgHashNode node; // key: its address
   SizeT      szB;
   UInt       stack;
   UInt       generation; // how many maxima had been remembered before it came
} Block;

#define BLOCKS_PER_POOL 1000

static VgHashTable* blocks[2]; // allocated; mapped
static PoolAlloc*   pool;

static ULong live_szB; // of allocated blocks

/* A maximum of resident memory: how much was resident and, of allocated blocks,
   live. */
typedef struct {
   UWord n_pages; // 0: there is none
   ULong live_szB;
} Maximum;

static Maximum taken; // that of the last snapshot

/* One that needs a snapshot.  While only few blocks have been released since
   then, it waits, for a higher one may come. */
static struct {
   Maximum at;
   UInt    generation; // of the blocks that have come since then
   XArray* released;   // Blocks that have gone since then
} most;

#define FEW_BLOCKS 256

void WS_(heap_remove)(Addr a, Bool is_mapped)
{
   Block* b = VG_(HT_remove)(blocks[is_mapped], a);

   if (!b)
      return;
   if (most.at.n_pages > 0 && b->generation < most.generation)
      VG_(addToXA)(most.released, b);
   if (!is_mapped)
      live_szB -= b->szB;
   VG_(freeEltPA)(pool, b);
}

/* Adds a part of a block, or a whole one. */
static void add(Block part, Bool is_mapped)
{
   WS_(heap_remove)(part.node.key, is_mapped); // its release has not been seen
   Block* b = VG_(allocEltPA)(pool);
   *b       = part;
   VG_(HT_add_node)(blocks[is_mapped], b);
   if (!is_mapped)
      live_szB += b->szB;
}

void WS_(heap_add)(Addr a, SizeT szB, UInt stack, Bool is_mapped)
{
   add((Block){.node       = {.key = a},
               .szB        = szB,
               .stack      = stack,
               .generation = most.generation},
       is_mapped);
}

/* Keeps of a mapped block what lies before `a` and from `end` on. */
static void cut(Block old, Addr a, Addr end)
{
   Addr start = old.node.key, old_end = start + old.szB;

   if (end <= start || old_end <= a)
      return;
   WS_(heap_remove)(start, True);
   old.generation = most.generation;
   if (start < a) {
      old.szB = a - start;
      add(old, True);
   }
   if (end < old_end) {
      old.node.key = end;
      old.szB      = old_end - end;
      add(old, True);
   }
}

void WS_(heap_unmap)(Addr a, SizeT szB)
{
   const Block* exact = VG_(HT_lookup)(blocks[True], a);
   UInt         n;

   if (exact && exact->szB == szB) {
      WS_(heap_remove)(a, True);
      return;
   }
   VgHashNode** all = VG_(HT_to_array)(blocks[True], &n);
   for (UInt i = 0; i < n; i++)
      cut(*(const Block*)all[i], a, a + szB);
   VG_(free)(all);
}

/* --- The maximum ---------------------------------------------------------- */

/* Tells whether more is resident than at a maximum, by some hundredths.  With
   less live, it takes a twentieth: at its end, a program may touch some more
   pages when it has already released its blocks. */
static Bool exceeds(const Maximum* old, UWord hundredths)
{
   UWord n_pages = WS_(resident).of[WS_ALL_RESIDENT].n_pages;

   if (live_szB < old->live_szB)
      hundredths = 5;
   return n_pages > old->n_pages + old->n_pages * hundredths / 100;
}

static void forget_released(void)
{
   VG_(dropTailXA)(most.released, VG_(sizeXA)(most.released));
}

/* Tells whether a snapshot is needed. */
static Bool is_due(void)
{
   if (most.at.n_pages == 0 && !exceeds(&taken, 1))
      return False;
   if (exceeds(&most.at, 0)) {
      most.at = (Maximum){WS_(resident).of[WS_ALL_RESIDENT].n_pages, live_szB};
      most.generation++;
      forget_released();
   }
   return True;
}

Bool WS_(heap_release_begins)(void)
{
   return is_due() && VG_(sizeXA)(most.released) >
                         FEW_BLOCKS + VG_(HT_count_nodes)(blocks[False]) / 16;
}

void WS_(heap_begin)(void)
{
   if (!pool) {
      pool = VG_(newPA)(sizeof(Block), BLOCKS_PER_POOL, VG_(malloc), "ws.heap",
                        VG_(free));
      blocks[False] = VG_(HT_construct)("ws.heap.blocks");
      blocks[True]  = VG_(HT_construct)("ws.heap.mapped");
      most.released = VG_(newXA)(VG_(malloc), "ws.heap.released", VG_(free),
                                 sizeof(Block));
   }
   taken = most.at = (Maximum){0, 0};
   forget_released();
}

/* --- Snapshots ------------------------------------------------------------ */

/* A resident page.  What must stay true: n_free and what blocks have of the
   page add up to its size, even if a release was missed, and blocks overlap. */
typedef struct {
   UInt  mapping;
   UInt  windows;  // that have it, a bit for each tau
   UWord owner;    // the first that has some of it; 0: none so far
   UWord n_owner;  // what that has
   Bool  is_mixed; // there are others
   UWord n_free;
} Page;

static WsPairs pages;  // of 0 and the page: a Page each
static WsPairs owners; // of stack + 1 and 0, or of 0 and mapping: sums

static ULong* sums_of(UWord owner, UInt mapping)
{
   return WS_(pair_get)(&owners, owner, mapping);
}

static void add_page(WsPage page, UInt mapping, UInt windows)
{
   *(Page*)WS_(pair_get)(&pages, 0, page) = (Page){
      .mapping = mapping, .windows = windows, .n_free = WS_(clo).page_szB};
}

/* Adds bytes of a resident page to those of an owner. */
static void add_bytes(ULong* sums, const Page* page, UWord szB)
{
   sums[Ws_ResidentBytes] += szB;
   if (page->is_mixed)
      sums[Ws_MixedBytes] += szB;
   for (UInt i = 0; i < WS_(clo).taus.n; i++)
      if (page->windows >> i & 1)
         sums[Ws_HotBytes + i] += szB;
}

/* Gives an owner bytes of a page.  When a second one comes, those of the first
   are mixed, too. */
static void own(Page* page, UWord owner, UWord szB)
{
   szB = VG_MIN(szB, page->n_free);
   page->n_free -= szB;
   if (page->owner == 0)
      page->owner = owner;
   if (page->owner == owner)
      page->n_owner += szB;
   else if (!page->is_mixed) {
      page->is_mixed = True;
      sums_of(page->owner, 0)[Ws_MixedBytes] += page->n_owner;
   }
   add_bytes(sums_of(owner, 0), page, szB);
}

static void own_part(const Block* b, UInt n)
{
   Addr start = WS_(page_start)(pages.pairs[n].b);
   Addr last  = VG_MIN(b->node.key + b->szB - 1, start + WS_(clo).page_szB - 1);
   Addr first = VG_MAX(b->node.key, start);

   if (first <= last)
      own(WS_(pair_entry)(&pages, n), (UWord)b->stack + 1, last - first + 1);
}

/* Looks at each page of the block, or at each that is resident, whichever are
   fewer. */
static void share(const Block* b)
{
   ULong* sums = sums_of((UWord)b->stack + 1, 0);

   sums[Ws_Blocks]++;
   sums[Ws_LiveBytes] += b->szB;
   if (b->szB == 0)
      return;
   WsPage first   = WS_(page_of)(b->node.key);
   UWord  n_pages = WS_(page_of)(b->node.key + b->szB - 1) - first + 1;
   for (UWord i = 0; i < VG_MIN(n_pages, pages.n); i++) {
      UInt n = n_pages <= pages.n ? WS_(pair_find)(&pages, 0, first + i) : i;
      if (n != WS_NO_PAIR)
         own_part(b, n);
   }
}

/* Shares the pages among the blocks that there are, or were at the maximum. */
static void share_all(Bool at_most)
{
   for (UInt i = 0; i < 2; i++) {
      const Block* b;
      VG_(HT_ResetIter)(blocks[i]);
      while ((b = VG_(HT_Next)(blocks[i])))
         if (!at_most || b->generation < most.generation)
            share(b);
   }
   for (Word i = 0; at_most && i < VG_(sizeXA)(most.released); i++)
      share(VG_(indexXA)(most.released, i));
}

/* Makes a share of each owner. */
static WsShares shares_of_owners(void)
{
   SizeT    sums_szB = WS_(n_heap_sums)() * sizeof(ULong);
   WsShares shares   = {.n = owners.n};

   shares.items = VG_(malloc)("ws.heap.shares",
                              owners.n * (sizeof(WsShare) + sums_szB) + 1);
   ULong* sums  = (ULong*)(shares.items + owners.n);
   for (UInt i = 0; i < owners.n; i++, sums += WS_(n_heap_sums)()) {
      WsPair p = owners.pairs[i];
      VG_(memcpy)(sums, WS_(pair_entry)(&owners, i), sums_szB);
      shares.items[i] = (WsShare){.code       = p.a ? p.a - 1 : 0,
                                  .mapping    = p.a ? WS_NO_MAPPING : p.b,
                                  .n_pages    = sums[Ws_ResidentBytes],
                                  .sums       = sums,
                                  .is_of_heap = True};
   }
   WS_(shares_sort)(&shares);
   return shares;
}

static WsShares snapshot(Bool at_most)
{
   pages  = (WsPairs){.entry_szB = sizeof(Page)};
   owners = (WsPairs){.entry_szB = WS_(n_heap_sums)() * sizeof(ULong)};
   WS_(sets_resident)(add_page);
   share_all(at_most);
   for (UInt n = 0; n < pages.n; n++) {
      Page* page     = WS_(pair_entry)(&pages, n);
      page->is_mixed = False;
      if (page->n_free > 0)
         add_bytes(sums_of(0, page->mapping), page, page->n_free);
   }
   WsShares shares = shares_of_owners();
   WS_(pairs_done)(&owners);
   WS_(pairs_done)(&pages);
   return shares;
}

WsShares WS_(heap_now)(void)
{
   return snapshot(False);
}

Bool WS_(heap_most)(WsShares* shares)
{
   if (!is_due())
      return False;
   VG_(free)(shares->items);
   *shares = snapshot(True);
   taken   = most.at;
   most.at = (Maximum){0, 0};
   forget_released();
   return True;
}
