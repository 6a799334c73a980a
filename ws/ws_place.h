/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* Places in the program's code, in words: the only user of debug
   information.

   What a place is called is found out at once: the code may be unmapped
   later, and its debug information with it.  Texts are from ws_text.h. */

#ifndef WS_PLACE_H
#define WS_PLACE_H

#include "ws_base.h"

/* Frames, innermost first. */
#define WS_MAX_FRAMES 500
typedef struct {
   UInt n;
   Addr ips[WS_MAX_FRAMES];
} WsStack;

/* The call stack of a thread that is about to execute the instruction at
   `ip`. */
void WS_(unwind)(ThreadId tid, Addr ip, /*OUT*/ WsStack* stack);

/* A call stack in words:

      place  file:line|file:line|...  innermost first
      stack  lines of "at function (file:line)", "by ..."

   Inlined functions have frames of their own.  A frame of which the line is
   not known has its function as a place; if that is not known either, the
   file of its code and the address, or the address.  In a name, / stands for
   the separator. */
void WS_(place_stack)(WsStack* s, /*OUT*/ const HChar** place,
                      /*OUT*/ const HChar** stack);

/* "function (file:line)" of an instruction. */
const HChar* WS_(place_of)(Addr ip);

#endif
