/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* The list of all pages: how often each was accessed, by which code first, and
   what it is part of.  A page that is mapped anew begins a new entry.

   Accesses are counted in the tables of ws_pagemarks.h, mostly by generated
   code. */

#ifndef WS_PAGELIST_H
#define WS_PAGELIST_H

#include "ws_base.h"
#include "ws_report.h"

/* Begins a run with empty lists. */
void WS_(list_begin)(void);

/* Lists the first access of the interval to the page: by the instruction at
   `instr`, of `address`, which may lie in the page before. */
void WS_(list_page)(WsKind kind, WsPage page, Addr instr, Addr address);

/* Counts one more access to a data page, which generated code has not
   counted. */
void WS_(list_count)(WsPage page);

/* Notes that the pages from `first` to `last` have been mapped anew; the sets
   know all accesses so far. The next sample is at `next_sample`. */
void WS_(list_map)(WsPage first, WsPage last, WsTick next_sample);

/* Adds the tables' counts to the entries before the tables are replaced. */
void WS_(list_take_counts)(void);

/* Counts the accesses to the page, which is listed, in all its entries. */
ULong WS_(list_n_accesses)(WsKind kind, WsPage page);

/* Writes the section for one kind of pages.  The run ends at `end`. */
void WS_(list_report)(WsKind kind, WsTick end);

#endif
