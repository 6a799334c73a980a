/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* The list of all pages: how often each was accessed, by which code first, and
   what it is part of. */

#ifndef WS_LIST_H
#define WS_LIST_H

#include "ws_base.h"
#include "ws_pages.h"
#include "ws_report.h"

/* The page, whose record has details, has been accessed. */
void WS_(list_touch)(WsPageRec* rec, const WsTouch* touch);

/* Writes the section for one kind of pages. */
void WS_(list_report)(WsSink sink, WsKind kind, const WsPages* pages);

#endif
