/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_list.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"
#include "ws_clo.h"
#include "ws_fastpath.h"
#include "ws_owner.h"
#include "ws_place.h"

void WS_(list_touch)(WsPageRec* rec, const WsTouch* touch)
{
   WsPageDetails* d = rec->details;

   if (!d->owner) {
      Addr page = (Addr)rec->page << WS_(stamp_table).page_shift;
      d->owner  = WS_(owner_of)(touch->at > page ? touch->at : page);
      if (WS_(clo).locations)
         d->place = WS_(place_of)(touch->by);
   }
   d->n_accesses += touch->n_accesses;
}

static Int compare(const void* a, const void* b)
{
   const WsPageRec *s = *(WsPageRec*const*)a, *t = *(WsPageRec*const*)b;
   ULong            n_s = s->details[0].n_accesses;
   ULong            n_t = t->details[0].n_accesses;

   if (n_s != n_t)
      return n_s > n_t ? -1 : 1;
   if (s->page != t->page)
      return s->page < t->page ? -1 : 1;
   return s->last < t->last ? -1 : s->last > t->last;
}

void WS_(list_report)(WsSink sink, WsKind kind, const WsPages* pages)
{
   UWord       n    = pages->n_recs;
   WsPageRec** recs = VG_(malloc)("ws.list", (n + 1) * sizeof *recs);

   for (UWord i = 0; i < n; i++)
      recs[i] = WS_(pages_nth)(pages, i);
   VG_(ssort)(recs, n, sizeof *recs, compare);

   WS_(report_pages_begin)(sink, kind, n);
   for (UWord i = 0; i < n; i++) {
      const WsPageDetails* d    = recs[i]->details;
      WsReportPage         page = {.n_accesses = d->n_accesses,
                                   .a          = (Addr)recs[i]->page
                                        << WS_(stamp_table).page_shift,
                                   .last      = recs[i]->last,
                                   .place     = d->place,
                                   .owner     = d->owner,
                                   .is_reused = d->is_reused};
      WS_(report_page)(sink, &page);
   }
   WS_(report_section_end)(sink);
   VG_(free)(recs);
}
