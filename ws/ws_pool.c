/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_pool.h"

#define UNIT_SZB  8
#define BLOCK_SZB (256 * 1024)

typedef struct _Piece {
   struct _Piece* next;
} Piece;

static struct {
   Piece* given[WS_POOL_MAX_SZB / UNIT_SZB + 1]; // back, by units
   UChar* fresh;
   SizeT  n_fresh; // bytes
} pool;

static SizeT n_units(SizeT szB)
{
   tl_assert(szB > 0 && szB <= WS_POOL_MAX_SZB);
   return (szB + UNIT_SZB - 1) / UNIT_SZB;
}

/* Loses what is left of a block when a piece does not fit: at most 4 KiB of
   256. */
void* WS_(pool_take)(SizeT szB)
{
   Piece** given = &pool.given[n_units(szB)];
   Piece*  piece = *given;

   if (piece) {
      *given = piece->next;
      return piece;
   }
   szB = n_units(szB) * UNIT_SZB;
   if (pool.n_fresh < szB) {
      pool.n_fresh = BLOCK_SZB;
      pool.fresh   = VG_(malloc)("ws.pool", BLOCK_SZB);
   }
   pool.n_fresh -= szB;
   return pool.fresh + pool.n_fresh;
}

void WS_(pool_give)(void* piece, SizeT szB)
{
   Piece** given = &pool.given[n_units(szB)];

   ((Piece*)piece)->next = *given;
   *given                = piece;
}
