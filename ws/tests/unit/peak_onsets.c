/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* Prints where WS_(peak_sample) sees a peak begin, for peak_differ.py.  A
   line of input is a series,

      window threshold adapt number-of-samples sample...

   and gives a line with the indices, from 0. */

#include <stdio.h>

#include "ws_peak.h"

int main(void)
{
   ULong  window;
   double threshold, adapt;
   int    n, got;

   while ((got = scanf("%llu %lf %lf %d", &window, &threshold, &adapt, &n)) ==
          4) {
      const char* blank = "";
      WsPeak      p;

      WS_(peak_init)(&p, window, threshold, adapt);
      for (int i = 0; i < n; i++) {
         UWord x;
         if (scanf("%lu", &x) != 1)
            return 1;
         if (WS_(peak_sample)(&p, x)) {
            printf("%s%d", blank, i);
            blank = " ";
         }
      }
      printf("\n");
   }
   return got == EOF ? 0 : 1;
}
