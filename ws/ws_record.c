/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_record.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

/* A number takes up to so many bytes: seven bits each. */
#define MAX_NUMBER_SZB 10

/* --- Records -------------------------------------------------------------- */

static UChar* append_number(UChar* to, ULong n)
{
   for (; n > 127; n >>= 7)
      *to++ = 128 | (n & 127);
   *to++ = n;
   return to;
}

static void make_room(WsRecord* r, SizeT szB)
{
   if (r->n_bytes + szB <= r->n_max)
      return;
   r->n_max = 2 * (r->n_bytes + szB);
   r->bytes = VG_(realloc)("ws.record", r->bytes, r->n_max);
}

void WS_(record_begin)(WsRecord* r)
{
   r->n_bytes = 0;
}

void WS_(record_number)(WsRecord* r, ULong n)
{
   make_room(r, MAX_NUMBER_SZB);
   r->n_bytes = append_number(r->bytes + r->n_bytes, n) - r->bytes;
}

void WS_(record_signed)(WsRecord* r, Long n)
{
   WS_(record_number)(r, n >= 0 ? 2 * (ULong)n : 2 * (ULong)-n - 1);
}

void WS_(record_bytes)(WsRecord* r, const void* bytes, SizeT n_bytes)
{
   make_room(r, n_bytes);
   VG_(memcpy)(r->bytes + r->n_bytes, bytes, n_bytes);
   r->n_bytes += n_bytes;
}

void WS_(record_text)(WsRecord* r, const HChar* text)
{
   WS_(record_bytes)(r, text, VG_(strlen)(text));
}

void WS_(record_end)(const WsRecord* r, HChar letter, WsSink sink)
{
   UChar head[1 + MAX_NUMBER_SZB] = {letter};

   sink((const HChar*)head, append_number(head + 1, r->n_bytes) - head);
   sink((const HChar*)r->bytes, r->n_bytes);
}

/* --- Pages ---------------------------------------------------------------- */

/* By eight bits of the page's number; what is equal keeps its order. */
static void sort_by(WsLoggedPages* l, UInt shift)
{
   UWord starts[256] = {0};
   UWord sum         = 0;

   for (UWord i = 0; i < l->n; i++)
      starts[l->items[i].page >> shift & 255]++;
   for (UInt digit = 0; digit < 256; digit++) {
      UWord n       = starts[digit];
      starts[digit] = sum;
      sum += n;
   }
   for (UWord i = 0; i < l->n; i++)
      l->others[starts[l->items[i].page >> shift & 255]++] = l->items[i];
   WsLoggedPage* sorted = l->others;
   l->others            = l->items;
   l->items             = sorted;
}

void WS_(logged_sort)(WsLoggedPages* l)
{
   WsPage differ = 0; // the bits in which pages differ
   UWord  n      = 0;

   for (UWord i = 1; i < l->n; i++)
      differ |= l->items[i].page ^ l->items[0].page;
   for (UInt shift = 0; shift < 8 * sizeof differ && differ >> shift;
        shift += 8)
      if (differ >> shift & 255)
         sort_by(l, shift);
   for (UWord i = 0; i < l->n; i++) {
      const WsLoggedPage* item = &l->items[i];
      if (n > 0 && l->items[n - 1].page == item->page) {
         if (item->code != WS_NOT_ENTERING)
            l->items[n - 1].code = item->code;
      } else {
         l->items[n++] = *item;
      }
   }
   l->n = n;
}

/* Pages that are mapped, accessed and unmapped again and again within
   a part, would take more room each time. */
void WS_(logged_make_room)(WsLoggedPages* l)
{
   WS_(logged_sort)(l);
   if (l->n < l->n_max / 2)
      return;
   l->n_max  = l->n_max ? 2 * l->n_max : 1024;
   l->items  = VG_(realloc)("ws.logged", l->items, l->n_max * sizeof *l->items);
   l->others = VG_(realloc)("ws.logged.others", l->others,
                            l->n_max * sizeof *l->others);
}
