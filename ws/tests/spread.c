/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* Writes to 6,000 pages in turn, then to a tenth of them, then to all again: so
   many in each interval that T grows. */

enum { PAGE = 4096, MOST = 6000, TURNS = 1500000 };

static volatile char pages[(long)PAGE * MOST];

int main(void)
{
   for (int turn = 0; turn < 3 * TURNS; turn++) {
      int n = turn / TURNS == 1 ? MOST / 10 : MOST;
      pages[(long)PAGE * (turn % n)]++;
   }
   return 0;
}
