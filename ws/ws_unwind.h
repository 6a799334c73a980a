/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* Finds call stacks: who called the code that makes an access.

   PURPOSE: the tool is called at a segment's end.  A segment is a straight
   piece of one function, so all its instructions have the same callers.  They
   are found by unwinding (Valgrind's; it takes a microsecond or more) from the
   segment's end, where the registers that it needs are up to date
   (ws_segment.h).

   Most pages enter by loops, again and again with the same callers.  So the
   stacks that were found last are kept, each with all that unwinding has read:
   where it began, stack and frame pointer, and the words on the stack that are
   return addresses and saved frame or stack pointers.  If all of these are
   what they were, so is the stack: by induction from the innermost frame
   outwards, the same address and the same registers mean the same rules, which
   find the same words.  If a word cannot be found on the stack (a caller's
   address in a register), or the stack does not end where stacks do, it is not
   kept. */

#ifndef WS_UNWIND_H
#define WS_UNWIND_H

#include "ws_base.h"
#include "ws_segment.h"

/* Where registers are in the guest state.  Set it before any segment. */
extern const VexGuestLayout* WS_(layout);

/* Set the present moment: the running thread is at the segment's end; the
   thread is between segments, or none runs (VG_INVALID_THREADID). */
void WS_(callers_at_end)(const WsSegment* seg, const UChar* guest);
void WS_(callers_of_thread)(ThreadId tid);

/* Gives the stack of an instruction at the present moment, as a frame
   (ws_stacks.h). WS_NO_FRAME: no thread runs. */
UInt WS_(stack_of)(Addr instr);

/* Gives the stack of a call from which the running thread has just returned to
   the address that its guest state does not have yet. */
UInt WS_(stack_of_call)(Addr returned_to, const UChar* guest);

/* Gives the stack; or without `with_callers`, only its innermost frame. */
UInt WS_(code_of)(Addr instr, Bool with_callers);

/* Drops stacks that depend on memory in [a, a + szB), which has changed, or may
   not be read. */
void WS_(callers_unmap)(Addr a, SizeT szB);

#endif
