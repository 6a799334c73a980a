/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* What all unit tests need. */

#ifndef UNIT_H
#define UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ws_base.h"
#include "ws_clo.h"

/* Those of the test. */
WsOptions WS_(clo);

#define MAX64 (~(ULong)0)

/* For what may have more than 64 bits. */
typedef unsigned __int128 Wide;

/* The same numbers in each run. */
static UInt random_state = 1;

static inline UInt random_below(UInt n)
{
   random_state = random_state * 1664525 + 1013904223;
   return (random_state >> 8) % n;
}

/* Of any magnitude below 2^max_bits. */
static inline ULong random_number(UInt max_bits)
{
   ULong r = (ULong)random_below(1 << 24) << 40 | random_below(1 << 24) << 16;

   return r >> (64 - 1 - random_below(max_bits));
}

/* Makes a program of these tests. */
#define UNIT_TESTS(name, ...)                                                  \
   int main(void)                                                              \
   {                                                                           \
      const struct CMUnitTest tests[] = {__VA_ARGS__};                         \
      return cmocka_run_group_tests_name(name, tests, NULL, NULL);             \
   }

#endif
