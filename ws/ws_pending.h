/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* The rows of the table on their way to the report.

   PURPOSE: a call stack can be taken only where the guest state is consistent,
   and at a sample, in the middle of a superblock, it is not (ws_stack.h).
   Therefore such a row, and those that follow, wait; there can be many of them
   if samples are close together. */

#ifndef WS_PENDING_H
#define WS_PENDING_H

#include "ws_base.h"
#include "ws_place.h"
#include "ws_report.h"

/* The first row is the next one. */
void WS_(pending_begin)(WsReportParts parts);

/* Takes the next row.  If it wants a stack, its `info` will be that stack. */
void WS_(pending_add)(const WsReportRow* row, Bool wants_stack);

/* Whether any row waits for a stack. */
Bool WS_(pending_is_any)(void);

/* Here is the stack for all of them, if there are any. */
void WS_(pending_give_stack)(WsStack* stack);

/* There will be no stack.  Gives the `info` of the rows that wait, or
   WS_NO_INFO. */
UInt WS_(pending_give_none)(void);

#endif
