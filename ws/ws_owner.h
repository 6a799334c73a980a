/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* What an address of the program's data or code is part of. */

#ifndef WS_OWNER_H
#define WS_OWNER_H

#include "ws_base.h"

/* The number of the mapping: memory that is one thing for the user. */
UInt WS_(mapping_at)(Addr a);

/* "heap", "stack of thread <n>", "anonymous", "shared memory", or the name of
   the file that is mapped there, or whose .bss it is; "not mapped".  A text
   from ws_text.h. */
const HChar* WS_(mapping_name)(UInt mapping);

/* Memory has been mapped, unmapped, or become a stack. */
void WS_(mappings_change)(void);

/* The heap, as brk() makes it, is extended at `a`. */
void WS_(owner_heap_at)(Addr a);

#endif
