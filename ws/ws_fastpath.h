/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* The memory that generated code and C share.

   THE COUNTER, in units of instructions:

      counter = time - stop - 1

   where the stop is a little before the next cut of time.  It is negative up to
   the stop.  Generated code adds the instructions of a segment (ws_segment.h)
   at the segment's end.

   STAMPS.  At a segment's end, the counter's value at the latest access to a
   page is stored in the page's stamp.  If the page is armed (ws_pages.h), the
   stamp is negative up to the stop; if not, it is not.  So the AND of the
   counter and of all stamps that the segment is about to overwrite has the sign
   bit set iff time has not passed the stop and all pages are armed, and that is
   the whole check of the fast path.

   Every code page has a stamp of its own, with a gate: 0 if the page is armed,
   else the smallest of all numbers.  If a segment has a code page,  AND of the
   others < gate  is a test of all that costs nothing more than a test of the
   sign.

   Data pages have a table, indexed by

      slot = (address of first byte >> shift) + (address of last byte >> shift)

   of an access or group of accesses that spans no more than a page.  An even
   slot 2p is page p's stamp.  An odd slot 2p+1 stands for pages p and p+1,
   straddled.  No stamp stays there, so straddling always takes the slow path,
   which knows what was accessed where; but it may use the slot for a number
   that is not negative (ws_pages.h).

   The table is flat where there is room (on 64-bit Linux, for pages of 512
   bytes and more): one stamp per slot, lazily committed. For pages of 4 to 64
   KiB it is the near table, at a small constant address, which begins with the
   counter; generated code finds any other in a further word of the guest
   state's shadow.

   Where there is no room, slots lie in chunks, and a directory tells for each
   chunk where its slots would begin if they began at slot 0.  All chunks that
   never were touched are one and the same.  Generated code may scribble a stamp
   there, and then visits the slow path, which makes a real chunk and clears the
   scribble.

   A program that wants memory at very high addresses, or page 0, gets a larger
   table, once and for all, with a directory; generated code is made anew then,
   and takes the slot after the dummy one, in which no stamp stays either, for
   addresses that even this table does not reach.

   If more is wanted of data pages, there are more arrays of one word per slot,
   at fixed distances behind the flat table, which never is the near one then,
   or in each chunk.

      stamps of writes  like stamps, of the latest access that wrote the page
      counts            accesses done by generated code alone

   Generated code counts whether or not it calls the slow path, which counts by
   itself, and therefore takes that back first.

   ADDRESSES.  The guest state tells the slow path where the accesses of a
   segment are: mostly a register that the address was computed from still
   holds its value.  Where none does, generated code leaves the address in the
   first shadow of the guest state, which no one else uses.

   THE BASE.  A word of that shadow that always is the address of the counter,
   and so of the near table.  Address constants cost the host ten bytes of code
   and a register each; as distances from this one they may become
   displacements, and these two none at all. */

#ifndef WS_FASTPATH_H
#define WS_FASTPATH_H

#include "pub_tool_guest.h"
#include "ws_base.h"
#include "ws_pages.h"

extern Word WS_(near_table)[];
#define WS_COUNTER (WS_(near_table)[0])

/* In the first shadow; offsets in bytes from the start of the guest state. */
#define WS_BASE_OFFSET      (sizeof(VexGuestArchState))
#define WS_TABLE_OFFSET     (WS_BASE_OFFSET + sizeof(UWord))
#define WS_ADDRESSES_OFFSET (WS_TABLE_OFFSET + sizeof(UWord))

/* Addresses per segment; then the address of an exit.  There is no guest state
   that is smaller than these, the base and the table. */
#define WS_MAX_GROUPS  24
#define WS_EXIT_OFFSET (WS_ADDRESSES_OFFSET + WS_MAX_GROUPS * sizeof(UWord))
STATIC_ASSERT((3 + WS_MAX_GROUPS) * sizeof(UWord) <= sizeof(VexGuestArchState));

typedef struct {
   UInt  page_shift;  // log2 of the page size
   UInt  chunk_shift; // log2 of the stamps per chunk; 0: flat
   UWord dummy_slot;  // belongs to no page: for accesses that do not happen
   Addr  table;       // the flat table, or the directory
   Bool  is_far;      // flat, but not the near one
   Bool  is_extended; // addresses may be any, not only those in reach
   // Distances in bytes from a slot's stamp; 0: not wanted.
   UWord writes_offset; // to the stamp of writes
   UWord counts_offset; // to the count
} WsStampTable;

/* Valid after WS_(fastpath_init). */
extern WsStampTable WS_(stamp_table);

/* Once, before any other use.  The page size is a power of two.  Whether
   writes, and the number of accesses, are wanted. */
void WS_(fastpath_init)(UWord page_szB, Bool writes, Bool counts);

/* Before the thread's first instruction. */
void WS_(fastpath_init_thread)(ThreadId tid);

/* A word of the running thread's guest state or its shadow. */
UWord WS_(get_guest_word)(UInt offset);

static inline WsPage WS_(page_of)(Addr a)
{
   return a >> WS_(stamp_table).page_shift;
}

/* The page after p; 0 after the last of the address space. */
static inline WsPage WS_(next_page)(WsPage p)
{
   return (p + 1) & (~(Addr)0 >> WS_(stamp_table).page_shift);
}

/* Whether the table has this page. */
Bool WS_(has_data_stamp)(WsPage p);

/* The stamp of data page p, the same one for all time.  Makes its chunk if
   need be: the stamp is clear then, even if generated code has just written
   one. */
WsStamp* WS_(data_stamp)(WsPage p);

/* The stamp of writes that belongs to it. */
static inline WsStamp* WS_(write_stamp)(WsStamp* data_stamp)
{
   return (WsStamp*)((Addr)data_stamp + WS_(stamp_table).writes_offset);
}

/* Where generated code counts accesses from page `first` to page `last`, as
   long as no chunk is made. */
UWord* WS_(count_of_untold)(WsPage first, WsPage last);

/* Clears the slot, of no page's stamp, that generated code has just written for
   an access from page `first` to page `last`. */
void WS_(clear_untold)(WsPage first, WsPage last);

/* Whether generated code may access all pages from `first` to `last`.  Else the
   table has to be extended first.  Then all stamps have other places, nothing
   is in them, and all translations must be discarded. */
Bool WS_(fastpath_reaches)(WsPage first, WsPage last);
void WS_(fastpath_extend)(void);

/* The stamp of a code page; the same one for all time, for translations refer
   to it. */
WsGatedStamp* WS_(code_stamp)(WsPage p);

/* Bytes allocated for stamps, beside static memory. */
SizeT WS_(fastpath_memory_szB)(void);

#endif
