/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* Records of a page log (docs/page-log-format.md), and the pages that go into
   one: what bytes they are, and nothing else.

   Pure; memory comes from VG_(malloc). */

#ifndef WS_RECORD_H
#define WS_RECORD_H

#include "ws_base.h"
#include "ws_report.h"

/* A record that is being made.  All zeros: none was so far. */
typedef struct {
   UChar* bytes; // of its body
   SizeT  n_bytes, n_max;
} WsRecord;

void WS_(record_begin)(WsRecord* r);
void WS_(record_number)(WsRecord* r, ULong n);
void WS_(record_signed)(WsRecord* r, Long n);
void WS_(record_bytes)(WsRecord* r, const void* bytes, SizeT n_bytes);
void WS_(record_text)(WsRecord* r, const HChar* text);

/* Writes it. */
void WS_(record_end)(const WsRecord* r, HChar letter, WsSink sink);

/* Pages that were accessed in a part of time.  All zeros: none. */
typedef struct {
   WsPage page;
   UInt   code; // that has made it enter; or WS_NOT_ENTERING
} WsLoggedPage;
#define WS_NOT_ENTERING (~(UInt)0)
typedef struct {
   UWord         n, n_max;
   UWord         n_entering;
   WsLoggedPage* items;
   WsLoggedPage* others; // as many, for sorting
} WsLoggedPages;

/* For one more, at least. */
void WS_(logged_make_room)(WsLoggedPages* l);

/* A page may come several times, but enters once. */
static inline void WS_(logged_add)(WsLoggedPages* l, WsPage page, UInt code)
{
   if (UNLIKELY(l->n == l->n_max))
      WS_(logged_make_room)(l);
   l->items[l->n++] = (WsLoggedPage){page, code};
   l->n_entering += code != WS_NOT_ENTERING;
}

/* In ascending order, each once. */
void WS_(logged_sort)(WsLoggedPages* l);

#endif
