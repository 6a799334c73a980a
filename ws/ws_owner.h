/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

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
