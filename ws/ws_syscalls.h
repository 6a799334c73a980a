/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* What system calls mean for the measurement: memory that the kernel accesses
   for the process, mappings that come and go with their pages, waiting, and
   becoming another program or process.

   Valgrind's wrappers of some system calls declare more memory than the kernel
   touches, or less: a table says what it really touches. */

#ifndef WS_SYSCALLS_H
#define WS_SYSCALLS_H

#include "ws_base.h"

/* Registers with Valgrind's core.  After WS_(clo_finish). */
void WS_(syscalls_init)(void);

#endif
