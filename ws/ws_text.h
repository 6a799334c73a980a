/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* Texts that may come again and again: each is kept once, for ever, so that
   equal ones are one pointer. */

#ifndef WS_TEXT_H
#define WS_TEXT_H

#include "pub_tool_xarray.h"
#include "ws_base.h"

/* The one copy of a text. */
const HChar* WS_(text)(const HChar* s);

/* The same, with control characters, which could break a line or do something
   to a terminal, as escape sequences (\n, \t, \x1b). */
const HChar* WS_(text_line)(const HChar* s);

/* For texts that have to be put together with VG_(xaprintf). */
XArray* WS_(text_begin)(void);

/* Appends to it, control characters as escape sequences. */
void WS_(text_add)(XArray* parts, const HChar* s, SizeT n_chars);

/* The one copy of what has been put together, which is freed. */
const HChar* WS_(text_end)(XArray* parts);

#endif
