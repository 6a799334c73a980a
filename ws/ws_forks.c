/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_forks.h"

#include "ws_intern.h"

WsForked WS_(forked);

/* What is known of a page that is, or was, shared. */
typedef enum { NotShared, Owned, Inherited } State;
typedef struct {
   UChar state;
   Bool  is_mapped_shared; // writes keep it shared
   Bool  is_resident;      // it has been accessed in this process
} Page;

static WsPairs pages = {.entry_szB = sizeof(Page)}; // of 0 and the page
static UWord   n_children;                          // that have not ended

static Page* page_at(UInt n)
{
   return WS_(pair_entry)(&pages, n);
}

/* Gives a page that is shared; NULL: it is not. */
static Page* shared_page(WsPage page)
{
   UInt n = WS_(pair_find)(&pages, 0, page);

   return n != WS_NO_PAIR && page_at(n)->state ? page_at(n) : NULL;
}

void WS_(forks_begin)(Bool is_child)
{
   WS_(forked) = (WsForked){0};
   n_children  = 0;
   if (!is_child)
      WS_(pairs_done)(&pages);
   for (UInt n = 0; n < pages.n; n++)
      if (page_at(n)->state) {
         page_at(n)->state       = Inherited;
         page_at(n)->is_resident = False;
         WS_(forked).n_inherited++;
      }
}

void WS_(forks_share)(WsPage page)
{
   Page* p = WS_(pair_get)(&pages, 0, page);

   if (p->state)
      return;
   *p = (Page){Owned, False, True};
   WS_(forked).n_owned++;
   WS_(forked).n_private--;
}

/* Ends the sharing of a page. */
static void lose(Page* p, WsPage unused)
{
   if (p->state == Owned) {
      WS_(forked).n_owned--;
      WS_(forked).n_lost++;
   } else {
      WS_(forked).n_inherited--;
   }
   p->state = NotShared;
}

void WS_(forks_add)(WsPage page)
{
   Page* p = shared_page(page);

   if (p)
      p->is_resident = True;
   else
      WS_(forked).n_private++;
}

void WS_(forks_drop)(WsPage page)
{
   Page* p = shared_page(page);

   if (p)
      lose(p, 0);
   else
      WS_(forked).n_private--;
}

Bool WS_(forks_has)(WsPage page)
{
   const Page* p = shared_page(page);

   return p && !p->is_mapped_shared;
}

Bool WS_(forks_write)(WsPage page)
{
   Page* p         = shared_page(page);
   Bool  is_copied = p->state == Inherited || n_children > 0;

   lose(p, 0);
   WS_(forked).n_private++;
   return is_copied;
}

void WS_(forks_child)(void)
{
   n_children++;
}

void WS_(forks_child_ends)(void)
{
   if (n_children > 0)
      n_children--;
}

static void keep(Page* p, WsPage unused)
{
   p->is_mapped_shared = True;
}

/* Moves what is shared. The sets will drop the old page, and add the new one,
   as they do with private ones. */
static void move(Page* p, WsPage to)
{
   const Page moved = *p;

   WS_(forked).n_private += moved.is_resident;
   p->state                             = NotShared;
   *(Page*)WS_(pair_get)(&pages, 0, to) = moved; // entries may move, too
}

/* Calls `change` for each page of the range that is shared, with the page as
   far from `to` as it is from `first`. Looks at each page of the range, or at
   each that is known, whichever are fewer. */
static void for_range(WsPage first, WsPage last, void (*change)(Page*, WsPage),
                      WsPage to)
{
   UWord n_pages = last - first + 1; // 0: all that there are
   UWord n_known = pages.n;          // a change may add some
   Bool  is_few  = n_pages - 1 < n_known;

   for (UWord i = 0; i < (is_few ? n_pages : n_known); i++) {
      UInt  n        = is_few ? WS_(pair_find)(&pages, 0, first + i) : i;
      UWord distance = n == WS_NO_PAIR ? 0 : pages.pairs[n].b - first;
      if (n != WS_NO_PAIR && distance <= last - first && page_at(n)->state)
         change(page_at(n), to + distance);
   }
}

void WS_(forks_keep)(WsPage first, WsPage last)
{
   for_range(first, last, keep, 0);
}

void WS_(forks_unmap)(WsPage first, WsPage last)
{
   for_range(first, last, lose, 0);
}

void WS_(forks_move)(WsPage first, WsPage last, WsPage to)
{
   for_range(first, last, move, to);
}
