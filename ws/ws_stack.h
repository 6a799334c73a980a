/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* The call stacks of samples.

   PURPOSE: the stack of a sample is that of the thread that has executed the
   sampled instruction, when it enters its next superblock: in the middle of
   one, the guest state in memory is of different ages.  It is taken right after
   the last segment before, where everything but the instruction pointer is as
   it will be at the entry.  Where control may leave the superblock, or may not,
   such a stack is kept until the next segment shows what happened.

   As long as a row waits for its stack, the tool is called at each segment. */

#ifndef WS_STACK_H
#define WS_STACK_H

#include "ws_base.h"
#include "ws_place.h"
#include "ws_segment.h"

/* A run begins. */
void WS_(stack_begin)(void);

/* Before and after the tool does a segment in the order of time. */
void WS_(stack_before)(const WsSegment* seg);
void WS_(stack_after)(const WsSegment* seg, const UChar* guest);

/* The stack at `t`, if it is known: NULL, or valid until the next call of one
   of the above. */
WsStack* WS_(stack_at)(WsInstrs t);

/* There will be no more segments: what is kept goes to the rows that wait. */
void WS_(stack_end)(void);

/* The rows that wait need not do so: they get the stack that the thread has
   now, or none (VG_INVALID_THREADID). */
void WS_(stack_of_waiting)(ThreadId tid);

#endif
