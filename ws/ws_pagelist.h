/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* The list of all pages: how often each was accessed, by which code first, and
   what it is part of.  A page that is mapped anew begins a new entry.

   Accesses are counted in the tables of ws_marks.h, mostly by generated
   code. */

#ifndef WS_PAGELIST_H
#define WS_PAGELIST_H

#include "ws_base.h"
#include "ws_report.h"

/* A run begins. */
void WS_(list_begin)(void);

/* The first access of the interval to the page: by the instruction at
   `instr`, of `address`, which may lie in the page before. */
void WS_(list_page)(WsKind kind, WsPage page, Addr instr, Addr address);

/* One more access to a data page that generated code has not counted. */
void WS_(list_count)(WsPage page);

/* The pages from `first` to `last` have been mapped anew; the sets know all
   accesses so far.  The next sample is at `next_sample`. */
void WS_(list_map)(WsPage first, WsPage last, WsTick next_sample);

/* The tables of counts will be others. */
void WS_(list_take_counts)(void);

/* Accesses to the page, if it is listed, of all its entries. */
ULong WS_(list_n_accesses)(WsKind kind, WsPage page);

/* Writes the section for one kind of pages.  Samples are at multiples of
   `every`, and the run ends at `end`. */
void WS_(list_report)(WsSink sink, WsReportParts parts, WsKind kind,
                      WsTick every, WsTick end);

#endif
