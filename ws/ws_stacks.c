/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_stacks.h"

#include "ws_intern.h"

/* Numbers below are no frames. */
#define FIRST_FRAME (WS_UNKNOWN_CALLER + 1)

typedef struct {
   const WsPlaces* places; // NULL: not found out so far
   UInt            number; // in the report; 0: none so far
} Frame;

/* Stands for the caller of frames that have neither caller nor address. */
#define OF_LEAD (~WS_HIDDEN_PAIR)

static WsPairs pairs = {.entry_szB = sizeof(Frame)}; // of caller and address
static XArray* numbered; // frames in the order of their numbers
static UInt    n_lines;  // of them

static Frame* entry_of(UInt frame)
{
   return WS_(pair_entry)(&pairs, frame - FIRST_FRAME);
}

/* Two frames are the same if caller and address are. A frame is made after its
   caller, so callers have lower numbers: sums and the report rely on it. */
UInt WS_(frame)(UInt caller, Addr ip)
{
   return WS_(pair_number)(&pairs, caller, ip) + FIRST_FRAME;
}

static UInt caller_in(UInt frame)
{
   UWord caller = pairs.pairs[frame - FIRST_FRAME].a & ~WS_HIDDEN_PAIR;
   return caller == OF_LEAD ? WS_NO_FRAME : caller;
}

static Addr address_of(UInt frame)
{
   WsPair pair = pairs.pairs[frame - FIRST_FRAME];
   return pair.a == OF_LEAD ? 0 : pair.b;
}

const WsPlaces* WS_(frame_places)(UInt frame)
{
   Frame* f = entry_of(frame);

   if (!f->places || WS_(is_nowhere)(f->places))
      f->places = WS_(places_of)(address_of(frame));
   return f->places;
}

/* Frames of code that goes are named now, and hidden: other code may be
   loaded at their addresses, and must not get their names. */
void WS_(frames_unload)(Addr a, SizeT szB)
{
   for (UInt i = 0; i < pairs.n; i++) {
      if (address_of(i + FIRST_FRAME) - a >= szB)
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
   UInt caller = caller_in(frame), beyond = caller;

   if (WS_(frame_places)(frame)->is_outermost)
      return WS_NO_FRAME;
   while (is_nowhere(beyond))
      beyond = caller_in(beyond);
   return is_generated(frame) || is_generated(beyond) ? beyond : caller;
}

static UInt rank_of(const WsPlace* place)
{
   return place->whose == Ws_Generated ? 3
          : place->whose == Ws_Own     ? 2
          : place->function[0]         ? 1
                                       : 0;
}

/* Walks outwards up to generated code. lead_of in ws_python/report/stacks.py
   does the same. */
const WsPlace* WS_(frame_lead)(UInt frame)
{
   const WsPlace* lead = NULL;

   for (; WS_(is_frame)(frame); frame = WS_(frame_caller)(frame)) {
      const WsPlaces* of = WS_(frame_places)(frame);
      for (UInt i = 0; i < of->n; i++) {
         const WsPlace* place = &of->places[i];
         if (!lead ||
             (place->whose != Ws_Start && rank_of(place) > rank_of(lead)))
            lead = place;
         if (lead->whose == Ws_Generated)
            return lead;
      }
   }
   return lead;
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
                            .address = address_of(frame),
                            .line    = place->line,
                            .whose   = place->whose,
                            .names   = place->names};

   line.caller = i > 0 ? line.number - 1 : caller;
   line.is_cut = i == 0 && WS_(frame_caller)(frame) == WS_UNKNOWN_CALLER;
   return line;
}

/* --- Folding -------------------------------------------------------------- */

UWord WS_(frames_lines)(const WsShares* shares)
{
   UChar* seen = VG_(calloc)("ws.stacks.seen", pairs.n + FIRST_FRAME, 1);
   UWord  n    = shares->n;

   for (UWord i = 0; i < shares->n; i++)
      for (UInt frame = shares->items[i].code;
           WS_(is_frame)(frame) && !seen[frame];
           frame = WS_(frame_caller)(frame)) {
         seen[frame] = 1;
         n += WS_(frame_places)(frame)->n;
      }
   VG_(free)(seen);
   return n;
}

/* Gives a frame that stands for the function that leads a stack, wherever it is
   called from: it has no caller and no address, for no code is at that of its
   name; 0: there is no stack. */
static UInt frame_of_lead(UInt stack)
{
   const WsPlace* lead = WS_(frame_lead)(stack);

   if (!lead)
      return 0;
   UInt frame = WS_(pair_number)(&pairs, OF_LEAD, (Addr)lead->names) +
                FIRST_FRAME;
   Frame* f = entry_of(frame);
   if (!f->places) {
      WsPlace*  place  = VG_(malloc)("ws.stacks.lead", sizeof *place);
      WsPlaces* places = VG_(malloc)("ws.stacks.lead", sizeof *places);
      *place           = *lead;
      place->line      = 0;
      *places          = (WsPlaces){.n = 1, .places = place};
      f->places        = places;
   }
   return frame;
}

/* The pages of a frame and all that it calls, of one lead. */
typedef struct {
   ULong n_pages;
   UInt  lead;
} Sum;

/* Gives the caller of a frame, which is asked for again and again; 0 in
   `callers`: not so far. */
static UInt caller_of(UInt* callers, UInt frame)
{
   if (callers[frame] == 0)
      callers[frame] = WS_(frame_caller)(frame) + 1;
   return callers[frame] - 1;
}

/* Folds the shares of each lead, by which they are sorted, into the first
   caller that has so many pages of them. */
static void fold(WsShares* shares, Sum* sums, UInt* callers, ULong least)
{
   WsShare *end = shares->items + shares->n, *next;

   for (WsShare* s = shares->items; s < end;) {
      const UInt lead = s->lead;
      for (next = s; next < end && next->lead == lead; next++)
         for (UInt frame = next->code; WS_(is_frame)(frame);
              frame      = caller_of(callers, frame)) {
            if (sums[frame].lead != lead)
               sums[frame] = (Sum){0, lead};
            sums[frame].n_pages += next->n_pages;
         }
      for (; s < next; s++) {
         while (WS_(is_frame)(s->code) && sums[s->code].n_pages < least) {
            s->code      = caller_of(callers, s->code);
            s->is_folded = True;
         }
         if (!WS_(is_frame)(s->code))
            s->code = WS_NO_FRAME;
      }
   }
}

/* What must stay true: the pages of all shares add up to the same sum, and so
   do those of each lead. */
void WS_(frames_fold)(WsShares* shares, UWord most, Bool has_leads)
{
   ULong all = 0;

   if (WS_(frames_lines)(shares) <= most)
      return;
   for (UWord i = 0; i < shares->n; i++) {
      WsShare* s = &shares->items[i];
      s->lead    = has_leads ? frame_of_lead(s->code) : 0;
      all += s->n_pages;
   }
   WS_(shares_merge)(shares);
   // To fold less than that would not save enough.
   UInt* callers = VG_(calloc)("ws.stacks.callers", pairs.n + FIRST_FRAME,
                               sizeof *callers);
   for (ULong least = VG_MAX(2, all / most / 4);
        least <= 2 * all && WS_(frames_lines)(shares) > most;
        least += least / 2) {
      Sum* sums = VG_(calloc)("ws.stacks.sums", pairs.n + FIRST_FRAME,
                              sizeof *sums);
      fold(shares, sums, callers, least);
      WS_(shares_merge)(shares);
      VG_(free)(sums);
   }
   VG_(free)(callers);
   WS_(shares_sort)(shares);
   // Each has another lead or mapping: the smallest keep the mapping only.
   for (UWord i = most; i < shares->n; i++)
      shares->items[i].lead = 0;
   WS_(shares_merge)(shares);
   for (UWord i = 0; has_leads && i < shares->n; i++)
      if (shares->items[i].lead == frame_of_lead(shares->items[i].code))
         shares->items[i].lead = 0;
   WS_(shares_sort)(shares);
}

/* --- Report --------------------------------------------------------------- */

/* Callers have lower numbers. */
UInt WS_(frame_number)(UInt frame)
{
   if (!WS_(is_frame)(frame))
      return 0;
   if (entry_of(frame)->number == 0) {
      WS_(frame_number)(WS_(frame_caller)(frame));
      n_lines += WS_(frame_places)(frame)->n;
      entry_of(frame)->number = n_lines;
      if (!numbered)
         numbered = VG_(newXA)(VG_(malloc), "ws.stacks.numbered", VG_(free),
                               sizeof frame);
      VG_(addToXA)(numbered, &frame);
   }
   return entry_of(frame)->number;
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
         WsReportFrame line = WS_(frame_line)(frame, i, entry_of(frame)->number,
                                              caller);
         WS_(report_row)(Ws_Stacks, &line);
      }
   }
   WS_(report_section_end)();
   // If an execve fails, there will be another report.
   for (Word i = 0; i < VG_(sizeXA)(numbered); i++)
      entry_of(*(UInt*)VG_(indexXA)(numbered, i))->number = 0;
   VG_(dropTailXA)(numbered, VG_(sizeXA)(numbered));
   n_lines = 0;
}
