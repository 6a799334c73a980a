/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* The program's memory: how much there is, and what an address is part of. */

#ifndef WS_MAPPINGS_H
#define WS_MAPPINGS_H

#include "ws_base.h"

/* Tells whether the program may read [a, a + szB). */
Bool WS_(is_readable)(Addr a, SizeT szB);

/* Gives the number of the mapping, memory that is one thing for the user. */
UInt WS_(mapping_at)(Addr a);

/* Names a mapping: "heap", "stack of thread <n>", "anonymous", "shared
   memory", or the name of the file that is mapped there, or whose .bss it
   is; "not mapped".  A text from ws_base.h. */
const HChar* WS_(mapping_name)(UInt mapping);

/* Gives how many pages the page cache may have beside so many resident ones of
   a file: as many again, for the kernel maps those around, but no more than the
   file has now, and of a file of data no more than its others. Objects also
   have memory that is in no file. 0: the mapping is not of a file. */
UWord WS_(mapping_cached_pages)(UInt mapping, UWord n_pages);

/* A part of the program's memory that is one thing. */
typedef enum {
   Ws_Anonymous, // the numbers are those in page logs
   Ws_File,
   Ws_Heap,
   Ws_Stack,
   Ws_SharedMemory,
   Ws_Bss
} WsRangeKind;
typedef struct {
   Addr         first, last; // bytes
   WsRangeKind  kind;
   Bool         can_read, can_write, can_execute;
   ThreadId     tid;  // of a stack
   const HChar* file; // of a file or its .bss: a text from ws_base.h; or NULL
   ULong        offset, device, inode; // of a file
} WsRange;

/* Calls `found` with each range in [first, last], up to the first hole. */
void WS_(ranges_in)(Addr first, Addr last, void (*found)(const WsRange*));

/* Calls it with each range of the program's memory. */
void WS_(ranges_all)(void (*found)(const WsRange*));

/* Gives where the main thread's stack begins now: it grows downwards, without
   notice. */
Addr WS_(main_stack_start)(void);

/* Counts the pages that the program may access, or a part of them: in mappings
   that it may read, write or execute, whether it does or not. */
UWord WS_(mapped_pages)(void);

/* Learns of the thread's stack.  Call it when a thread starts. */
void WS_(mappings_thread_begins)(ThreadId tid);

/* Forgets what was found.  Call it when memory has been mapped, unmapped, or
   protected. */
void WS_(mappings_change)(void);

/* Learns that the heap, as brk() makes it, begins at `start` or before, and
   ends at `end` now. */
void WS_(mappings_heap)(Addr start, Addr end);

#endif
