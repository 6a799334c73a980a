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

/* From VEX's intermediate representation to accesses, and groups of them. */

#ifndef WS_INSTRUMENT_H
#define WS_INSTRUMENT_H

#include "pub_tool_tooliface.h"
#include "ws_base.h"

/* For VG_(basic_tool_funcs) and VG_(needs_superblock_discards). */
IRSB* WS_(instrument)(VgCallbackClosure* closure, IRSB* sbIn,
                      const VexGuestLayout* layout, const VexGuestExtents* vge,
                      const VexArchInfo* archinfo, IRType gWordTy,
                      IRType hWordTy);
void WS_(discard_block)(Addr entry, VexGuestExtents vge);

/* Discards all translations.  To be called for client requests, or in a system
   call. */
void WS_(discard_all)(void);

/* For --stats=yes. */
void WS_(instrument_print_stats)(void);

#endif
