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

/* What the program itself, or a debugger, asks of ws: the client requests of
   ws.h, and the monitor commands of Valgrind's gdbserver. */

#ifndef WS_REQUESTS_H
#define WS_REQUESTS_H

#include "ws_base.h"

/* Registers with Valgrind's core; before options are processed. */
void WS_(requests_init)(void);

#endif
