/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* Finds the instructions and accesses of a superblock in VEX's intermediate
   representation, and divides them into segments and groups. */

#ifndef WS_INSTRUMENT_H
#define WS_INSTRUMENT_H

#include "pub_tool_tooliface.h"
#include "ws_base.h"

/* Instrument a superblock, for VG_(basic_tool_funcs); forget one, for
   VG_(needs_superblock_discards). */
IRSB* WS_(instrument)(VgCallbackClosure* closure, IRSB* sbIn,
                      const VexGuestLayout* layout, const VexGuestExtents* vge,
                      const VexArchInfo* archinfo, IRType gWordTy,
                      IRType hWordTy);
void WS_(discard_block)(Addr entry, VexGuestExtents vge);

/* Prepares for more faults near `ip`, where the program is about to handle one.
   From here on, segments of the code around it end before each instruction that
   may fault, so that what precedes a fault is counted. What precedes this fault
   in its own segment is lost, once for this code. */
void WS_(expect_faults)(Addr ip);

/* Discards all translations.  Call it only where none will be resumed: in a
   client request or system call, or before a handler. */
void WS_(discard_all)(void);

#endif
