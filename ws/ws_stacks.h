/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* The frames of call stacks, each once: a tree, in which a frame points to its
   caller.  So a stack is the number of its innermost frame.

   Why not Valgrind's ExeContexts: a stack there is an array of its own, with
   its callers repeated; stacks that differ in the innermost frame only are the
   rule here.  And its addresses lose their names when the library is unloaded
   (unless --keep-debuginfo=yes); here they are named before. */

#ifndef WS_STACKS_H
#define WS_STACKS_H

#include "ws_base.h"
#include "ws_debuginfo.h"
#include "ws_origins.h"
#include "ws_report.h"

#define WS_NO_FRAME       0 // there is no caller
#define WS_UNKNOWN_CALLER 1 // there is one, but it is not known

static inline Bool WS_(is_frame)(UInt frame)
{
   return frame > WS_UNKNOWN_CALLER;
}

/* Gives the frame that executes `ip`, called by another frame. */
UInt WS_(frame)(UInt caller, Addr ip);

/* Forgets places in [a, a + szB), whose code is about to be unmapped. */
void WS_(frames_unload)(Addr a, SizeT szB);

/* Give what is known of a frame. */
UInt WS_(frame_caller)(UInt frame);
const WsPlaces* WS_(frame_places)(UInt frame);

/* Finds the lead of a stack, the place that it is attributed to: from the
   innermost outwards, the first that is generated code; or else the program's
   own; or else has a name; or else the innermost. NULL: not known. */
const WsPlace* WS_(frame_lead)(UInt frame);

/* Tells whether two stacks go through the same places. */
Bool WS_(are_stacks_same)(UInt a, UInt b);

/* Gives the i-th line that describes a frame in a report: there is one for each
   of its places, outermost first. The last one has the frame's number, the
   others those before; `caller` is the number of the caller's last line. */
WsReportFrame WS_(frame_line)(UInt frame, UInt i, UInt number, UInt caller);

/* Gives the frame's number, from 1, in the report that is being written. A
   frame with a number will be in the section of stacks, with its callers. */
UInt WS_(frame_number)(UInt frame);

/* Counts the lines of a report that these shares need, with their frames. */
UWord WS_(frames_lines)(const WsShares* shares);

/* There may be hundreds of thousands of stacks, most of which bring in little.
   If they need more than `most` lines, folds those into their callers that
   brought in less than some number of pages of one lead: `is_folded`.  That
   number grows until there are no more lines.  `lead` is set where the caller
   has another lead, if leads matter. */
void WS_(frames_fold)(WsShares* shares, UWord most, Bool has_leads);

/* Writes the section, behind all that refer to it. */
void WS_(frames_report)(void);

#endif
