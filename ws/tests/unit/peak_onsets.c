/*
   This file is part of ws, a Valgrind tool that measures working sets.

   Copyright (C) 2026 the ws developers

   This program is free software; you can redistribute it and/or
   modify it under the terms of the GNU General Public License as
   published by the Free Software Foundation; either version 2 of the
   License, or (at your option) any later version.

   This program is distributed in the hope that it will be useful, but
   WITHOUT ANY WARRANTY; without even the implied warranty of
   MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE.  See the GNU
   General Public License for more details.

   The GNU General Public License is contained in the file LICENSE.
*/

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
