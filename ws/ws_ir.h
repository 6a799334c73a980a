/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* IR: short functions to make it, and what is known of addresses in it. */

#ifndef WS_IR_H
#define WS_IR_H

#include "libvex.h"
#include "libvex_ir.h"
#include "ws_base.h"

/* IR of the width of an address. */
#if VG_WORDSIZE == 8
#define WORD_TY     Ity_I64
#define WORD_OP(op) Iop_##op##64
#define WORD_LOG2   3
#else
#define WORD_TY     Ity_I32
#define WORD_OP(op) Iop_##op##32
#define WORD_LOG2   2
#endif

#if defined(VG_BIGENDIAN)
#define HOST_END Iend_BE
#else
#define HOST_END Iend_LE
#endif

/* --- Making it ------------------------------------------------------------ */

/* A value that is used more than once must be a temporary. Others are
   temporaries only where VEX needs flat IR, to clean it up: to build trees from
   temporaries again is a large part of a translation's cost. */

static inline IRExpr* WS_(ir_word)(UWord n)
{
   return VG_WORDSIZE == 8 ? IRExpr_Const(IRConst_U64(n))
                           : IRExpr_Const(IRConst_U32((UInt)n));
}

/* Appends a statement and gives the new temporary. */
static inline IRExpr* WS_(ir_assign)(IRSB* sb, IRType type, IRExpr* value)
{
   IRTemp tmp = newIRTemp(sb->tyenv, type);
   addStmtToIRSB(sb, IRStmt_WrTmp(tmp, value));
   return IRExpr_RdTmp(tmp);
}

/* Gives an expression that may be used once. */
static inline IRExpr* WS_(ir_part)(IRSB* sb, IRType type, IRExpr* value)
{
   return LibVEX_TrustsIR ? value : WS_(ir_assign)(sb, type, value);
}

/* Gives a word that may be used again. */
static inline IRExpr* WS_(ir_kept)(IRSB* sb, IRExpr* word)
{
   return isIRAtom(word) ? word : WS_(ir_assign)(sb, WORD_TY, word);
}

static inline IRExpr* WS_(ir_binop)(IRSB* sb, IROp op, IRExpr* a, IRExpr* b)
{
   return WS_(ir_part)(sb, WORD_TY, IRExpr_Binop(op, a, b));
}

static inline IRExpr* WS_(ir_add)(IRSB* sb, IRExpr* a, IRExpr* b)
{
   return WS_(ir_binop)(sb, WORD_OP(Add), a, b);
}

/* Adds a constant. */
static inline IRExpr* WS_(ir_plus)(IRSB* sb, IRExpr* a, UWord n)
{
   return n == 0 ? a : WS_(ir_add)(sb, a, WS_(ir_word)(n));
}

static inline IRExpr* WS_(ir_shift)(IRSB* sb, IROp op, IRExpr* a, UInt n)
{
   return WS_(ir_binop)(sb, op, a, IRExpr_Const(IRConst_U8((UChar)n)));
}

/* Compares a < b; gives one bit. */
static inline IRExpr* WS_(ir_less)(IRSB* sb, Bool is_signed, IRExpr* a,
                                   IRExpr* b)
{
   IROp op = is_signed ? (VG_WORDSIZE == 8 ? Iop_CmpLT64S : Iop_CmpLT32S)
                       : (VG_WORDSIZE == 8 ? Iop_CmpLT64U : Iop_CmpLT32U);
   return WS_(ir_part)(sb, Ity_I1, IRExpr_Binop(op, a, b));
}

static inline IRExpr* WS_(ir_if)(IRSB* sb, IRExpr* bit, IRExpr* a, IRExpr* b)
{
   return WS_(ir_part)(sb, WORD_TY, IRExpr_ITE(bit, a, b));
}

/* Reads a word of the guest state or its shadow, to be used again. */
static inline IRExpr* WS_(ir_get)(IRSB* sb, Int offset)
{
   return WS_(ir_assign)(sb, WORD_TY, IRExpr_Get(offset, WORD_TY));
}

static inline IRExpr* WS_(ir_load)(IRSB* sb, IRExpr* address)
{
   return WS_(ir_part)(sb, WORD_TY, IRExpr_Load(HOST_END, WORD_TY, address));
}

static inline void WS_(ir_store)(IRSB* sb, IRExpr* address, IRExpr* value)
{
   addStmtToIRSB(sb, IRStmt_Store(HOST_END, address, value));
}

/* --- Addresses in it ------------------------------------------------------ */

/* At translation time, the tool can find out which temporaries of a superblock
   differ only by constants, and which words of the guest state hold one of
   them.

   An address is the value of a temporary, its root, plus a constant.  Learn a
   superblock's statements in their order; what is known holds after the last of
   them. */

typedef struct {
   IRTemp root; // IRTemp_INVALID: the address is the constant `offset`
   UWord  offset;
} WsAddress;

/* Forgets everything: a superblock begins. */
void WS_(address_begin)(const IRTypeEnv* tyenv);

/* Learns from a statement. Segments that ended before it do not depend on
   it. */
void WS_(address_learn)(const IRTypeEnv* tyenv, const IRStmt* st);

/* Gives the address that an atom of an address's width holds. */
WsAddress WS_(address_of)(const IRExpr* atom);

/* Finds a word of the guest state, at *where, that holds root + *plus; False if
   there is none. */
Bool WS_(address_in_guest)(IRTemp root, /*OUT*/ Int* where,
                           /*OUT*/ UWord* plus);

#endif
