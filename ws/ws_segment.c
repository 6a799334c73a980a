/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_segment.h"

#include "pub_tool_mallocfree.h"

WsSegmentEntry* WS_(segments);

#define NO_ID (~(UWord)0)

static UWord n_ids, n_ids_max;
static UWord free_id = NO_ID;

static UInt new_id(const WsSegment* seg)
{
   UWord id = free_id;

   if (id != NO_ID) {
      free_id = WS_(segments)[id].next_free;
   } else {
      if (n_ids == n_ids_max) {
         n_ids_max     = n_ids_max ? 2 * n_ids_max : 4096;
         WS_(segments) = VG_(realloc)("ws.segments", WS_(segments),
                                      n_ids_max * sizeof(WsSegmentEntry));
      }
      id = n_ids++;
   }
   WS_(segments)[id].segment = seg;
   return id;
}

WsSegment* WS_(new_segment)(const WsSegment* like)
{
   WsSegment* seg = VG_(malloc)("ws.segment", WS_(segment_szB)(like));
   *seg           = *like;
   seg->id        = new_id(seg);
   return seg;
}

void WS_(delete_segment)(WsSegment* seg)
{
   WS_(segments)[seg->id].next_free = free_id;
   free_id                          = seg->id;
   VG_(free)(seg);
}

SizeT WS_(segment_szB)(const WsSegment* seg)
{
   return sizeof *seg + seg->n_fetches * sizeof(WsFetch) +
          seg->n_groups * sizeof(WsGroup) +
          (seg->n_instrs + 1) * sizeof(Short) +
          seg->n_accesses * sizeof(WsAccess);
}
