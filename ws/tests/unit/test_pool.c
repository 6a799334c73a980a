/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* Catches: pieces that overlap, that are too small, or not aligned; pieces that
   are not used again. */

#include <string.h>

#include "unit.h"
#include "ws_pool.h"

#define N_PIECES 3000

typedef struct {
   UChar* piece;
   SizeT  szB;
} Taken;

static Taken take(UInt i)
{
   Taken t = {.szB = 1 + i * 37 % WS_POOL_MAX_SZB};

   t.piece = WS_(pool_take)(t.szB);
   assert_int_equal((Addr)t.piece % sizeof(ULong), 0);
   memset(t.piece, i % 251, t.szB);
   return t;
}

static void test_pool(void** state)
{
   static Taken taken[N_PIECES];

   for (UInt i = 0; i < N_PIECES; i++)
      taken[i] = take(i);
   for (UInt i = 0; i < N_PIECES; i++) {
      for (SizeT b = 0; b < taken[i].szB; b++)
         assert_int_equal(taken[i].piece[b], i % 251);
      WS_(pool_give)(taken[i].piece, taken[i].szB);
      // What was given back last is the next one of its size.
      assert_ptr_equal(take(i).piece, taken[i].piece);
   }
}

int main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pool),
   };
   return cmocka_run_group_tests_name("pool", tests, NULL, NULL);
}
