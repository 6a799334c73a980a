/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* Watches the calls that allocate and release memory: with --ws-heap=yes.

   PURPOSE: an allocation function is known by its name, in whichever object it
   is, when code at its address is translated.  Generated code calls the tool
   there, with the arguments still in place; and where the call returns to, with
   the result.  Nothing is replaced or wrapped: the program executes what it
   would execute without the tool, so neither time nor pages change.

      caller:    call malloc
      malloc:    ...              begins: the size, and where it returns to
                 call mmap        within the first call, so it does not count
                 ret
      caller:    mov ...          ends: the result is a block

   The first call from a place finds the code there translated without such a
   call: it is discarded. */

#ifndef WS_HEAPCALLS_H
#define WS_HEAPCALLS_H

#include "libvex_ir.h"
#include "ws_base.h"

/* Adds to the superblock that begins at `start` what watching needs.  `ip` is
   the address as the guest has it: it may say what is there (Thumb code). */
void WS_(heapcalls_emit)(IRSB* sb, Addr start, Addr ip);

/* Tells whether the program has called any such function. */
Bool WS_(heapcalls_seen)(void);

#endif
