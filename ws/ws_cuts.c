/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_cuts.h"

/* The member of a series after `t`; times beyond 64 bits never come. */
static WsTick step(WsTick t, WsTick every)
{
   return t > WS_NEVER - every ? WS_NEVER : t + every;
}

static WsTick earliest(const WsCuts* cuts)
{
   WsTick next = cuts->sample;
   for (UInt i = 0; i < cuts->n_openings; i++)
      if (cuts->openings[i] < next)
         next = cuts->openings[i];
   return next;
}

static void add_opening(WsCuts* cuts, WsTick first)
{
   for (UInt i = 0; i < cuts->n_openings; i++)
      if (cuts->openings[i] == first)
         return;
   cuts->openings[cuts->n_openings++] = first;
}

void WS_(cuts_init)(WsCuts* cuts, WsTick every, const WsTaus* taus)
{
   cuts->every      = every;
   cuts->sample     = every;
   cuts->n_openings = 0;
   for (UInt i = 0; i < taus->n; i++) {
      WsTick past_sample = taus->tau[i] % every;
      if (past_sample)
         add_opening(cuts, every - past_sample);
   }
   cuts->next = 0;
}

Bool WS_(cuts_pass)(WsCuts* cuts)
{
   WsTick now       = cuts->next;
   Bool   is_sample = now == cuts->sample;

   if (is_sample)
      cuts->sample = step(now, cuts->every);
   for (UInt i = 0; i < cuts->n_openings; i++)
      if (now == cuts->openings[i])
         cuts->openings[i] = step(now, cuts->every);
   cuts->next = earliest(cuts);
   return is_sample;
}
