/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_stacks.h"

#include "ws_intern.h"

/* Numbers below are no frames. */
#define FIRST_FRAME (WS_UNKNOWN_CALLER + 1)

typedef struct {
   Addr            ip;
   UInt            caller;
   UInt            number; // in the report; 0: none so far
   const WsPlaces* places; // NULL: not found out so far
} Frame;

static WsPairs pairs = {.entry_szB = sizeof(Frame)}; // of caller and address
static XArray* numbered; // frames in the order of their numbers
static UInt    n_lines;  // of them

static Frame* nth(UInt frame)
{
   return WS_(pair_entry)(&pairs, frame - FIRST_FRAME);
}

/* Two frames are the same if caller and address are. A frame is made after its
   caller, so callers have lower numbers: sums and the report rely on it. */
UInt WS_(frame)(UInt caller, Addr ip)
{
   UInt frame = WS_(pair_number)(&pairs, caller, ip) + FIRST_FRAME;

   nth(frame)->ip     = ip;
   nth(frame)->caller = caller;
   return frame;
}

const WsPlaces* WS_(frame_places)(UInt frame)
{
   Frame* f = nth(frame);

   if (!f->places || WS_(is_nowhere)(f->places))
      f->places = WS_(places_of)(f->ip);
   return f->places;
}

/* Frames of code that goes are named now, and hidden: other code may be
   loaded at their addresses, and must not get their names. */
void WS_(frames_unload)(Addr a, SizeT szB)
{
   for (UInt i = 0; i < pairs.n; i++) {
      if (nth(i + FIRST_FRAME)->ip - a >= szB)
         continue;
      WS_(frame_places)(i + FIRST_FRAME);
      WS_(pair_hide)(&pairs, i);
   }
}

static Bool is_nowhere(UInt frame)
{
   return WS_(is_frame)(frame) && WS_(is_nowhere)(WS_(frame_places)(frame));
}

static Bool is_generated(UInt frame)
{
   return WS_(is_frame)(frame) &&
          WS_(frame_places)(frame)->places[0].whose == Ws_Generated;
}

/* Passes over frames that are nowhere: generated code seldom says how to unwind
   it, and unwinding finds such frames beside it. */
UInt WS_(frame_caller)(UInt frame)
{
   UInt caller = nth(frame)->caller, beyond = caller;

   if (WS_(frame_places)(frame)->is_outermost)
      return WS_NO_FRAME;
   while (is_nowhere(beyond))
      beyond = nth(beyond)->caller;
   return is_generated(frame) || is_generated(beyond) ? beyond : caller;
}

/* Walks outwards once, and notes the first place of each sort on the way:
   generated code ends the walk; else own code, else any name, else the
   innermost. lead_of in ws_python/report/stacks.py does the same. */
const WsPlace* WS_(frame_lead)(UInt frame)
{
   const WsPlace *first = NULL, *named = NULL, *own = NULL;

   for (; WS_(is_frame)(frame); frame = WS_(frame_caller)(frame)) {
      const WsPlaces* of = WS_(frame_places)(frame);
      for (UInt i = 0; i < of->n; i++) {
         const WsPlace* place = &of->places[i];
         if (place->whose == Ws_Start && first)
            continue;
         if (!first)
            first = place;
         if (place->whose == Ws_Generated)
            return place;
         if (!own && place->whose == Ws_Own)
            own = place;
         if (!named && place->function[0])
            named = place;
      }
   }
   return own ? own : named ? named : first;
}

Bool WS_(are_stacks_same)(UInt a, UInt b)
{
   for (; a != b; a = WS_(frame_caller)(a), b = WS_(frame_caller)(b))
      if (!WS_(is_frame)(a) || !WS_(is_frame)(b) ||
          !WS_(are_places_same)(WS_(frame_places)(a), WS_(frame_places)(b)))
         return False;
   return True;
}

WsReportFrame WS_(frame_line)(UInt frame, UInt i, UInt number, UInt caller)
{
   const WsPlaces* of    = WS_(frame_places)(frame);
   const WsPlace*  place = &of->places[of->n - 1 - i];
   WsReportFrame   line  = {.number  = number - of->n + 1 + i,
                            .address = nth(frame)->ip,
                            .line    = place->line,
                            .whose   = place->whose,
                            .names   = place->names};

   line.caller = i > 0 ? line.number - 1 : caller;
   line.is_cut = i == 0 && WS_(frame_caller)(frame) == WS_UNKNOWN_CALLER;
   return line;
}

/* --- Folding -------------------------------------------------------------- */

/* Add up, for each frame, the pages of its stack and of its callees. */
static ULong* sums_of(const WsShares* shares, /*OUT*/ ULong* all)
{
   UInt   n    = pairs.n + FIRST_FRAME;
   ULong* sums = VG_(calloc)("ws.stacks.sums", n, sizeof(ULong));

   *all = 0;
   for (UWord i = 0; i < shares->n; i++) {
      sums[shares->items[i].code] += shares->items[i].n_pages;
      *all += shares->items[i].n_pages;
   }
   // Callers have lower numbers.
   for (UInt frame = n - 1; frame >= FIRST_FRAME; frame--)
      sums[nth(frame)->caller] += sums[frame];
   return sums;
}

/* What must stay true: the pages of all shares add up to the same sum, and the
   sum of a frame and all that it calls stays what it was, so that call trees
   are right down to where they are folded. */
void WS_(frames_fold)(WsShares* shares)
{
   WsPairs numbers = {.n = 0}; // of those that remain
   ULong   all;

   if (shares->n <= WS_MAX_SHARES)
      return;
   ULong* sums = sums_of(shares, &all);
   for (UWord i = 0; i < shares->n; i++) {
      WsShare share = shares->items[i];
      for (UInt caller; sums[share.code] * WS_FOLD < all; share.code = caller) {
         caller = WS_(frame_caller)(share.code);
         if (!WS_(is_frame)(caller))
            break;
         share.is_folded = True;
      }
      // What is folded stays apart from what the frame has accessed itself.
      UInt n_before = numbers.n;
      UInt n        = WS_(pair_number)(
         &numbers, 2 * (UWord)share.code + share.is_folded, share.mapping);
      if (n < n_before)
         shares->items[n].n_pages += share.n_pages;
      else
         shares->items[n] = share; // n <= i
   }
   shares->n = numbers.n;
   WS_(shares_sort)(shares);
   WS_(pairs_done)(&numbers);
   VG_(free)(sums);
}

/* --- Report --------------------------------------------------------------- */

/* Callers have lower numbers. */
UInt WS_(frame_number)(UInt frame)
{
   if (!WS_(is_frame)(frame))
      return 0;
   if (nth(frame)->number == 0) {
      WS_(frame_number)(WS_(frame_caller)(frame));
      n_lines += WS_(frame_places)(frame)->n;
      nth(frame)->number = n_lines;
      if (!numbered)
         numbered = VG_(newXA)(VG_(malloc), "ws.stacks.numbered", VG_(free),
                               sizeof frame);
      VG_(addToXA)(numbered, &frame);
   }
   return nth(frame)->number;
}

/* Writes only frames that have a number: those of stacks to which no section
   refers stay out. */
void WS_(frames_report)(void)
{
   if (n_lines == 0)
      return;
   for (Word n = 0; n < VG_(sizeXA)(numbered); n++) {
      UInt frame  = *(UInt*)VG_(indexXA)(numbered, n);
      UInt caller = WS_(frame_number)(WS_(frame_caller)(frame));
      for (UInt i = 0; i < WS_(frame_places)(frame)->n; i++) {
         WsReportFrame line = WS_(frame_line)(frame, i, nth(frame)->number,
                                              caller);
         WS_(report_row)(Ws_Stacks, &line);
      }
   }
   WS_(report_section_end)();
   // If an execve fails, there will be another report.
   for (Word i = 0; i < VG_(sizeXA)(numbered); i++)
      nth(*(UInt*)VG_(indexXA)(numbered, i))->number = 0;
   VG_(dropTailXA)(numbered, VG_(sizeXA)(numbered));
   n_lines = 0;
}
