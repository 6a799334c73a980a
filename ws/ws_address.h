/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

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
#include "ws_ir.h"

typedef struct {
   IRTemp root; // IRTemp_INVALID: the address is the constant `offset`
   UWord  offset;
} WsAddress;

/* A superblock begins. */
void WS_(address_begin)(const IRTypeEnv* tyenv);

/* The statement is executed.  What ends before it does not depend on it. */
void WS_(address_learn)(const IRTypeEnv* tyenv, const IRStmt* st);

/* Return the address that an atom of an address's width holds. */
WsAddress WS_(address_of)(const IRExpr* atom);

/* True if the word at *where in the guest state holds root + *plus. */
Bool WS_(address_in_guest)(IRTemp root, /*OUT*/ Int* where,
                           /*OUT*/ UWord* plus);

#endif
