/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_ir.h"

/* What each temporary holds, as root + offset, by its number; itself + 0 if
   nothing is known.  A temporary is assigned once, so what is known of it
   stays true to the superblock's end. */
static WsAddress* known;
static UInt       n_known;

/* Words of the guest state that hold root + offset at the place that has
   been reached.  A word is forgotten as soon as one of its bytes is written.
   When the table is full, further ones are not noted: then the slow path
   finds the address in the shadow instead, which costs generated code a
   store. */
#define MAX_GUEST_WORDS 32
static struct {
   Int       offset;
   WsAddress value;
} guest_words[MAX_GUEST_WORDS];
static UInt n_guest_words;

void WS_(address_begin)(const IRTypeEnv* tyenv)
{
   if (n_known < (UInt)tyenv->types_used) {
      n_known = 2 * tyenv->types_used;
      known = VG_(realloc)("ws.address.known", known, n_known * sizeof *known);
   }
   for (Int t = 0; t < tyenv->types_used; t++)
      known[t] = (WsAddress){.root = t};
   n_guest_words = 0;
}

/* Gives the constant, if it is one of an address's width: 64-bit constants
   on a 32-bit host are no addresses. */
static Bool is_word_const(const IRExpr* e, UWord* value)
{
   if (e->tag != Iex_Const)
      return False;
   if (e->Iex.Const.con->tag == Ico_U64)
      *value = (UWord)e->Iex.Const.con->Ico.U64;
   else if (e->Iex.Const.con->tag == Ico_U32)
      *value = e->Iex.Const.con->Ico.U32;
   else
      return False;
   return True;
}

WsAddress WS_(address_of)(const IRExpr* atom)
{
   UWord value;
   if (is_word_const(atom, &value))
      return (WsAddress){.root = IRTemp_INVALID, .offset = value};
   tl_assert(atom->tag == Iex_RdTmp);
   return known[atom->Iex.RdTmp.tmp];
}

/* Forgets what was known of [offset, offset + szB) of the guest state, which is
   written. */
static void forget_guest_words(Int offset, Int szB)
{
   UInt n = 0;

   for (UInt i = 0; i < n_guest_words; i++)
      if (guest_words[i].offset + VG_WORDSIZE <= offset ||
          offset + szB <= guest_words[i].offset)
         guest_words[n++] = guest_words[i];
   n_guest_words = n;
}

static void note_guest_word(Int offset, WsAddress value)
{
   if (n_guest_words < MAX_GUEST_WORDS && value.root != IRTemp_INVALID) {
      guest_words[n_guest_words].offset  = offset;
      guest_words[n_guest_words++].value = value;
   }
}

static void learn_put(const IRTypeEnv* tyenv, Int offset, const IRExpr* data)
{
   IRType type = typeOfIRExpr(tyenv, data);

   forget_guest_words(offset, sizeofIRType(type));
   if (type == WORD_TY)
      note_guest_word(offset, WS_(address_of)(data));
}

/* Follows copies, sums with a constant and differences from one.  Whatever
   else gives a value, a load or another operation, makes the temporary a
   root of its own.  A GET makes its word known, too. */
static void learn_tmp(const IRTypeEnv* tyenv, IRTemp tmp, const IRExpr* e)
{
   UWord value;

   if (tyenv->types[tmp] != WORD_TY)
      return;
   if (e->tag == Iex_RdTmp || e->tag == Iex_Const) {
      known[tmp] = WS_(address_of)(e);
   } else if (e->tag == Iex_Get) {
      note_guest_word(e->Iex.Get.offset, known[tmp]);
   } else if (e->tag == Iex_Binop && e->Iex.Binop.arg1->tag == Iex_RdTmp &&
              is_word_const(e->Iex.Binop.arg2, &value)) {
      WsAddress a = WS_(address_of)(e->Iex.Binop.arg1);
      if (e->Iex.Binop.op == WORD_OP(Add))
         a.offset += value;
      else if (e->Iex.Binop.op == WORD_OP(Sub))
         a.offset -= value;
      else
         return;
      known[tmp] = a;
   }
}

/* What must stay true: each statement that can write guest state is a case
   here. A missing one would leave a word noted that no longer holds the
   address, and the slow path would mark the wrong page. A dirty call may write
   any of it. */
void WS_(address_learn)(const IRTypeEnv* tyenv, const IRStmt* st)
{
   switch (st->tag) {
   case Ist_WrTmp:
      learn_tmp(tyenv, st->Ist.WrTmp.tmp, st->Ist.WrTmp.data);
      break;
   case Ist_Put: learn_put(tyenv, st->Ist.Put.offset, st->Ist.Put.data); break;
   case Ist_PutI: {
      const IRRegArray* array = st->Ist.PutI.details->descr;
      forget_guest_words(array->base,
                         array->nElems * sizeofIRType(array->elemTy));
      break;
   }
   case Ist_Dirty:
      if (st->Ist.Dirty.details->nFxState > 0)
         n_guest_words = 0;
      break;
   default: break; // writes no guest state, and no temporary but a loaded one
   }
}

Bool WS_(address_in_guest)(IRTemp root, Int* where, UWord* plus)
{
   for (UInt i = 0; i < n_guest_words; i++)
      if (guest_words[i].value.root == root) {
         *where = guest_words[i].offset;
         *plus  = guest_words[i].value.offset;
         return True;
      }
   return False;
}
