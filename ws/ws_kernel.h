/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* What the kernel really touches in system calls of which Valgrind's wrappers
   declare more, or less. */

#ifndef WS_KERNEL_H
#define WS_KERNEL_H

#include "ws_base.h"

void WS_(kernel_init)(void);

/* Around each system call.  Accesses that its wrapper does not declare rightly
   are made here. */
void WS_(kernel_begins)(ThreadId tid, UInt syscallno, const UWord* args);
void WS_(kernel_ends)(ThreadId tid, SysRes res);

/* In a system call: is what the wrapper declares at `a` to be ignored? */
Bool WS_(kernel_knows)(ThreadId tid, Addr a, Bool is_write);

#endif
