/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_sample_info.h"

#include "pub_tool_hashtable.h"
#include "pub_tool_mallocfree.h"

typedef struct _Entry {
   VgHashNode     node; // key: made of the pointers to the texts
   WsReportInfo   info;
   struct _Entry* next; // in the order of their numbers
} Entry;

static VgHashTable* entries;
static Entry*       first;
static Entry*       last;

/* Equal texts are one pointer. */
static Word differ(const void* a, const void* b)
{
   const WsReportInfo *s = &((const Entry*)a)->info,
                      *t = &((const Entry*)b)->info;
   return s->sets != t->sets || s->label != t->label || s->place != t->place ||
          s->stack != t->stack;
}

static Entry* add(const Entry* wanted)
{
   Entry* e = VG_(malloc)("ws.sample_info", sizeof *e);

   *e             = *wanted;
   e->info.number = last ? last->info.number + 1 : 0;
   if (last)
      last->next = e;
   else
      first = e;
   last = e;
   VG_(HT_add_node)(entries, e);
   return e;
}

UInt WS_(sample_info_refer)(const HChar* sets, const HChar* label,
                            const HChar* place, const HChar* stack)
{
   Entry wanted = {
      .node.key = (UWord)sets + 3 * (UWord)label + 5 * (UWord)place +
                  7 * (UWord)stack,
      .info = {.sets = sets, .label = label, .place = place, .stack = stack}};

   if (!entries)
      entries = VG_(HT_construct)("ws.sample_info.table");
   Entry* e = VG_(HT_gen_lookup)(entries, &wanted, differ);
   if (!e)
      e = add(&wanted);
   e->info.n_rows++;
   return e->info.number;
}

void WS_(sample_info_report)(WsSink sink)
{
   if (!first)
      return;
   WS_(report_infos_begin)(sink);
   for (const Entry* e = first; e; e = e->next)
      WS_(report_info)(sink, &e->info);
   WS_(report_section_end)(sink);
}

void WS_(sample_info_clear)(void)
{
   if (entries)
      VG_(HT_destruct)(entries, VG_(free));
   entries = NULL;
   first = last = NULL;
}
