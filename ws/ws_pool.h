/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* Memory for the descriptions of translations: very many small pieces.

   Valgrind's malloc would add 32 bytes and more to each of them, and take a
   twelfth of all time (cc1).  A piece that is given back is used again for one
   of the same size, to 8 bytes.

   Pure, but for its state; memory comes from VG_(malloc). */

#ifndef WS_POOL_H
#define WS_POOL_H

#include "ws_base.h"

#define WS_POOL_MAX_SZB 4096

void* WS_(pool_take)(SizeT szB);
void WS_(pool_give)(void* piece, SizeT szB);

#endif
