/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* What system calls mean for the measurement: mappings that come and go with
   their pages, waiting, and becoming another program or process; memory that
   the kernel accesses is for ws_sysmem.h. */

#ifndef WS_SYSCALLS_H
#define WS_SYSCALLS_H

#include "ws_base.h"

/* Registers with Valgrind's core.  After WS_(clo_finish). */
void WS_(syscalls_init)(void);

#endif
