/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* From VEX's intermediate representation to accesses, and groups of them. */

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

/* Prepares for faults of the instruction at `ip`, or behind it in its
   superblock, of which the program is about to handle the first. From here on,
   segments of the code around it end before each instruction that may fault, so
   that what precedes a fault counts. What comes before this one in its own
   segment is lost, once for this code. */
void WS_(expect_faults)(Addr ip);

/* Discards all translations.  To be called while no translation is going to be
   resumed: for client requests, in system calls, or before a handler. */
void WS_(discard_all)(void);

#endif
