/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* What the program itself, or a debugger, asks of ws: the client requests of
   ws.h, and the monitor commands of Valgrind's gdbserver. */

#ifndef WS_REQUESTS_H
#define WS_REQUESTS_H

#include "ws_base.h"

/* Registers with Valgrind's core; before options are processed. */
void WS_(requests_init)(void);

#endif
