/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* Peaks against their definition.

   Catches: ground that is a page too high or too low, or on one side only; an
   end that counts as ground; of equal samples, not the first. */

#include "unit.h"
#include "ws_prominence.h"

#define N 60

/* Whether there is ground for sample i in a direction, before a higher one. */
static Bool has_ground(const UWord* size, Int i, Int step)
{
   for (Int j = i + step; j >= 0 && j < N; j += step) {
      if (size[j] > size[i] || (size[j] == size[i] && step < 0))
         return False; // of equal ones the first
      if (4 * size[j] <= 3 * size[i])
         return True;
   }
   return False;
}

static Bool is_peak(const UWord* size, Int i)
{
   return size[i] > 0 && has_ground(size, i, 1) && has_ground(size, i, -1);
}

/* The first sample is the row of zeros. */
static void check_series(const UWord* size)
{
   WsProminence p         = {.is_rising = False};
   Int          candidate = -1, found[N] = {0};

   for (Int i = 1; i < N; i++) {
      WsPeakEvent event = WS_(prominence_sample)(&p, size[i]);
      if (event == Ws_HighestSoFar)
         candidate = i;
      if (event == Ws_PeakBefore)
         found[candidate] = 1;
   }
   for (Int i = 1; i < N; i++)
      assert_int_equal(found[i], is_peak(size, i));
}

static void test_random_series(void** state)
{
   for (UInt seed = 1; seed <= 20000; seed++) {
      UWord size[N] = {0}, level = 0;
      random_state = seed;
      UInt most    = 1 + random_below(40);
      for (UInt i = 1; i < N; i++) {
         if (random_below(4) == 0)
            level = random_below(most + 1);
         size[i] = seed % 2 ? level : level + random_below(3);
      }
      check_series(size);
   }
}

int main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_series),
   };
   return cmocka_run_group_tests_name("prominence", tests, NULL, NULL);
}
