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

/* What is known at translation time about addresses: which temporaries of a
   superblock differ by constants only, and which words of the guest state hold
   one of them.

   An address is the value of a temporary, its root, plus a constant.  A
   superblock's statements are told in their order; what is known is valid at
   the place that has been reached. */

#ifndef WS_ADDRESS_H
#define WS_ADDRESS_H

#include "libvex_ir.h"
#include "ws_base.h"

/* IR of the width of an address. */
#if VG_WORDSIZE == 8
#define WORD_TY     Ity_I64
#define WORD_OP(op) Iop_##op##64
#else
#define WORD_TY     Ity_I32
#define WORD_OP(op) Iop_##op##32
#endif

typedef struct {
   IRTemp root; // IRTemp_INVALID: the address is the constant `offset`
   UWord  offset;
} WsAddress;

/* A superblock begins, which the thread is about to execute. */
void WS_(address_begin)(const IRTypeEnv* tyenv, ThreadId tid);

/* The statement is executed.  What ends before it does not depend on it. */
void WS_(address_learn)(const IRTypeEnv* tyenv, const IRStmt* st);

/* Of an atom of the width of an address. */
WsAddress WS_(address_of)(const IRExpr* atom);

/* True if the word at *where in the guest state holds root + *plus. */
Bool WS_(address_held)(IRTemp root, /*OUT*/ Int* where, /*OUT*/ UWord* plus);

/* True if the address can be told for the coming execution: then it is *now. */
Bool WS_(address_now)(WsAddress a, /*OUT*/ Addr* now);

#endif
