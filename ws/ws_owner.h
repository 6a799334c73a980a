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

/* What an address of the program's data or code is part of. */

#ifndef WS_OWNER_H
#define WS_OWNER_H

#include "ws_base.h"

/* "heap", "stack of thread <n>", "anonymous", "shared memory", or the name of
   the file that is mapped there; "not mapped".  A text from ws_text.h. */
const HChar* WS_(owner_of)(Addr a);

/* The heap, as brk() makes it, is extended at `a`. */
void WS_(owner_heap_at)(Addr a);

#endif
