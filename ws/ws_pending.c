/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_pending.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_xarray.h"
#include "ws_info.h"
#include "ws_out.h"
#include "ws_text.h"

typedef struct {
   WsReportRow row;
   Bool        wants_stack;
} WaitingRow;

static WsReportParts parts;
static XArray*       waiting; // empty, or the first one wants a stack

void WS_(pending_begin)(WsReportParts parts_of_report)
{
   parts = parts_of_report;
   if (!waiting)
      waiting = VG_(newXA)(VG_(malloc), "ws.pending", VG_(free),
                           sizeof(WaitingRow));
   VG_(dropTailXA)(waiting, VG_(sizeXA)(waiting));
}

void WS_(pending_add)(const WsReportRow* row, Bool wants_stack)
{
   if (wants_stack || WS_(pending_is_any)()) {
      WaitingRow w = {*row, wants_stack};
      VG_(addToXA)(waiting, &w);
   } else {
      WS_(report_row)(WS_(out_append), parts, row);
   }
}

/* One more row refers to the entry for each row that wants a stack. */
static UInt give(const HChar* place, const HChar* stack)
{
   Word n    = VG_(sizeXA)(waiting);
   UInt info = WS_NO_INFO;

   for (Word i = 0; i < n; i++) {
      WaitingRow* w = VG_(indexXA)(waiting, i);
      if (w->wants_stack)
         w->row.info = info = WS_(info_refer)(NULL, place, stack);
      WS_(report_row)(WS_(out_append), parts, &w->row);
   }
   VG_(dropTailXA)(waiting, n);
   return info;
}

Bool WS_(pending_is_any)(void)
{
   return VG_(sizeXA)(waiting) > 0;
}

void WS_(pending_give_stack)(WsStack* stack)
{
   const HChar *place, *lines;

   if (!WS_(pending_is_any)())
      return;
   WS_(place_stack)(stack, &place, &lines);
   give(place, lines);
}

UInt WS_(pending_give_none)(void)
{
   return give(NULL, WS_(text)("no stack: the process had ended\n"));
}
