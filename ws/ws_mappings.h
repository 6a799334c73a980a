/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* The program's memory: how much is mapped, and which mapping an address is
   in. */

#ifndef WS_MAPPINGS_H
#define WS_MAPPINGS_H

#include "ws_base.h"

/* Tells whether the program may read [a, a + szB). */
Bool WS_(is_readable)(Addr a, SizeT szB);

/* Gives the number of the mapping that `a` is in. A mapping is what has one
   name for the user, such as the heap. */
UInt WS_(mapping_at)(Addr a);

/* Names a mapping: "heap", "stack of thread <n>", "anonymous", "shared
   memory", or the name of the file that is mapped there, or whose .bss it
   is; "not mapped".  A text from ws_base.h. */
const HChar* WS_(mapping_name)(UInt mapping);

/* Gives how many pages of a file the page cache may have beside `n_pages`
   resident ones: as many again, for the kernel reads those around, but no more
   than the file has, less the resident ones. (Those of an object may be in no
   file: they are not subtracted.) 0: the mapping is not of a file. */
UWord WS_(mapping_cached_pages)(UInt mapping, UWord n_pages);

/* A range of addresses in one mapping, with one protection. */
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

/* Calls `visit` with each range in [first, last], up to the first hole. */
void WS_(ranges_in)(Addr first, Addr last, void (*visit)(const WsRange*));

/* Calls it with each range of the program's memory. */
void WS_(ranges_all)(void (*visit)(const WsRange*));

Bool WS_(is_regular_file)(Int fd);

/* Reads a regular file, its first 64 MiB at most. Gives text that ends with 0,
   to be freed; NULL: there is no such file. */
HChar* WS_(contents_of)(const HChar* name);

/* Calls `visit` with the pages of each mapping that is shared (MAP_SHARED), as
   the kernel knows. */
void WS_(shared_mappings)(void (*visit)(WsPage first, WsPage last));

/* Gives where the main thread's stack begins now: it grows downwards, without
   notice. */
Addr WS_(main_stack_start)(void);

/* Counts the pages that the program may access, or a part of them: in mappings
   that it may read, write or execute, whether it does or not. */
UWord WS_(mapped_pages)(void);

/* Records the thread's stack. Call it when a thread starts. */
void WS_(mappings_thread_begins)(ThreadId tid);

/* Forgets all ranges. Call it when memory has been mapped, unmapped, or
   protected. */
void WS_(mappings_change)(void);

/* Records that the heap of brk() begins at `start` or before, and ends at `end`
   now. */
void WS_(mappings_heap)(Addr start, Addr end);

#endif
