/*
   This file is part of ws, a Valgrind tool that measures working sets.

   Copyright (C) 2026 the ws developers

   This program is free software; you can redistribute it and/or
   modify it under the terms of the GNU General Public License as
   published by the Free Software Foundation; either version 2 of the
   License, or (at your option) any later version.

   This program is distributed in the hope that it will be useful, but
   WITHOUT ANY WARRANTY; without even the implied warranty of
   MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE.  See the GNU
   General Public License for more details.

   The GNU General Public License is contained in the file LICENSE.
*/

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
