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

/* What system calls mean for the measurement: memory that the kernel accesses
   for the process, waiting, and becoming another program or process. */

#ifndef WS_SYSCALLS_H
#define WS_SYSCALLS_H

#include "ws_base.h"

/* Registers with Valgrind's core.  After WS_(clo_finish). */
void WS_(syscalls_init)(void);

#endif
