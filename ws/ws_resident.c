/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_resident.h"

WsResident WS_(resident);
WsCold WS_(cold);

void WS_(resident_begin)(void)
{
   WS_(resident) = (WsResident){.of      = {{"insn"}, {"data"}, {"both"}},
                                .step_ms = 1};
   WS_(cold_begin)(0);
}

/* Counts a page, and tells whether this is a new maximum. In one segment, pages
   need not come in the order of time: the maximum is reached by the latest of
   them. */
static Bool add(WsResidentCount* c, WsTick t)
{
   if (++c->n_pages <= c->most_pages)
      return False;
   c->most_pages = c->n_pages;
   c->most_t     = VG_MAX(c->most_t, t);
   return True;
}

/* Counts a page of code and data once in the sum: its second kind adds to that
   kind only, and can make no new maximum. */
Bool WS_(resident_add)(WsKind kind, Bool is_other, WsTick t)
{
   add(&WS_(resident).of[kind], t);
   return !is_other && add(&WS_(resident).of[WS_ALL_RESIDENT], t);
}

void WS_(resident_drop)(WsKind kind, Bool is_other)
{
   WS_(resident).of[kind].n_pages--;
   if (!is_other)
      WS_(resident).of[WS_ALL_RESIDENT].n_pages--;
}

/* Adds a span, or makes it part of the last one if both together are no
   longer than a step.  A joined span keeps the larger number of pages:
   maxima are never lost. */
static void join_or_add(WsResident* r, WsResidentSpan span)
{
   WsResidentSpan* next  = &r->spans[r->n_spans];
   UInt            begin = r->n_spans > 1 ? next[-2].ms : 0; // of the last one

   if (r->n_spans == 0 || span.ms - begin > r->step_ms) {
      *next = span;
      r->n_spans++;
      return;
   }
   const WsForked* last = &next[-1].forked;
   WsForked*       f    = &span.forked;
   span.n_pages         = VG_MAX(span.n_pages, next[-1].n_pages);
   f->n_private         = VG_MAX(f->n_private, last->n_private);
   f->n_owned           = VG_MAX(f->n_owned, last->n_owned);
   f->n_inherited       = VG_MAX(f->n_inherited, last->n_inherited);
   f->n_lost            = VG_MAX(f->n_lost, last->n_lost);
   next[-1]             = span;
}

void WS_(resident_span)(WsTick t, UInt ms)
{
   WsResident* r = &WS_(resident);

   // Two neighbours are longer together than a step.
   while (r->n_spans == WS_MAX_SPANS) {
      r->n_spans = 0;
      r->step_ms *= 2;
      for (UInt i = 0; i < WS_MAX_SPANS; i++)
         join_or_add(r, r->spans[i]);
   }
   join_or_add(
      r, (WsResidentSpan){t, ms, r->of[WS_ALL_RESIDENT].n_pages, WS_(forked)});
}

void WS_(resident_doubt)(WsDoubt why)
{
   WS_(resident).has_doubt[why] = True;
}

const HChar* WS_(resident_doubts)(void)
{
   static const HChar* const names[WS_N_DOUBTS] = {
      "huge pages", "locked memory (mlockall)",
      "threads that overlap otherwise (--fair-sched=yes)",
      "memory that io_uring fills", "memory that userfaultfd fills"};
   static HChar text[256];
   UInt         n = 0;

   for (UInt i = 0; i < WS_N_DOUBTS; i++)
      if (WS_(resident).has_doubt[i])
         n += VG_(snprintf)(text + n, sizeof text - n, n ? ", %s" : "%s",
                            names[i]);
   return n ? text : NULL;
}

/* Drops the former window's maximum: it says nothing about this window. */
void WS_(cold_begin)(WsTick tau)
{
   WS_(cold) = (WsCold){.tau = tau};
}

/* Finds the most at samples, for cold memory is known only there. */
Bool WS_(cold_sample)(WsTick t)
{
   WsCold* c       = &WS_(cold);
   Bool    is_most = c->n_pages > c->most_pages;

   if (is_most) {
      c->most_pages = c->n_pages;
      c->most_t     = t;
   }
   return is_most;
}
