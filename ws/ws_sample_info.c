/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_sample_info.h"

#include "pub_tool_hashtable.h"
#include "pub_tool_mallocfree.h"
#include "ws_frames.h"

typedef struct _Entry {
   VgHashNode     node; // key: made of the pointers to texts
   WsReportInfo   info;
   UInt           stack;
   struct _Entry* next; // in the order of their numbers
} Entry;

static VgHashTable* entries;
static Entry*       first;
static Entry*       last;

static Word differ(const void* a, const void* b)
{
   const Entry *e = a, *f = b;

   return e->info.sets != f->info.sets || e->info.label != f->info.label ||
          !WS_(are_stacks_same)(e->stack, f->stack);
}

static UWord key_of(const HChar* sets, const HChar* label, UInt stack)
{
   UWord key = (UWord)sets + 3 * (UWord)label;

   if (WS_(is_frame)(stack))
      key += 5 * (UWord)WS_(frame_places)(stack)->places[0].names;
   return key;
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

UInt WS_(sample_info_refer)(const HChar* sets, const HChar* label, UInt stack)
{
   Entry wanted = {.node.key = key_of(sets, label, stack),
                   .info     = {.kind  = label ? "snapshot" : "sample",
                                .sets  = sets,
                                .label = label},
                   .stack    = stack};

   if (!entries)
      entries = VG_(HT_construct)("ws.sample_info.table");
   Entry* e = VG_(HT_gen_lookup)(entries, &wanted, differ);
   if (!e)
      e = add(&wanted);
   e->info.n_rows++;
   return e->info.number;
}

void WS_(sample_info_report)(WsSink sink, WsReportParts parts)
{
   if (!first)
      return;
   WS_(report_section)(sink, parts, Ws_SampleInfo);
   for (Entry* e = first; e; e = e->next) {
      e->info.frame = WS_(frame_number)(e->stack);
      WS_(report_row)(sink, parts, Ws_SampleInfo, &e->info);
   }
   WS_(report_section_end)(sink);
}

void WS_(sample_info_clear)(void)
{
   if (entries)
      VG_(HT_destruct)(entries, VG_(free));
   entries = NULL;
   first = last = NULL;
}
