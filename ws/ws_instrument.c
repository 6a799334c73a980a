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

/* What a superblock looks like afterwards (C for IR; `counter` is the word in
   the guest state):

      first IMark:
         old      = counter
         counter += instructions in the first segment
         if (old + instructions in the superblock >= 0 || code stamp >= 0)
            enter_block(block)                      // may change `counter`
         code stamp = counter
         ...
      first instruction in another code page:
         if (that page's stamp >= 0)
            enter_code_run(run)
         that page's stamp = counter at its last instruction in the segment
         ...
      end of a segment, that is, before each side exit and at the end:
         for each group g of accesses in the segment:
            slot   = (address of g's first byte >> shift) +
                     (address of g's last byte >> shift)
            old_g  = stamps[slot]
            stamps[slot] = counter at g's last access
         if ((old_1 & old_2 & ...) >= 0)
            access_data(call, addresses of the groups)
      after a side exit:
         counter += instructions in the next segment, stamps as above

   A group is a set of accesses in one segment whose addresses differ by
   constants and that lie close together.  Its stamps are looked at after the
   accesses: an address that makes the client fault must not do so in the
   tool. */

#include "ws_instrument.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_machine.h"
#include "pub_tool_mallocfree.h"
#include "ws_clo.h"
#include "ws_fastpath.h"
#include "ws_slowpath.h"

#if VG_WORDSIZE == 8
#define WORD_TY Ity_I64
#define WORD_OP(op) Iop_##op##64
#else
#define WORD_TY Ity_I32
#define WORD_OP(op) Iop_##op##32
#endif

#if defined(VG_BIGENDIAN)
#define HOST_END Iend_BE
#else
#define HOST_END Iend_LE
#endif

/* Groups beyond these bounds are not worth while. */
#define MAX_GROUPS 48
#define MAX_ACCESSES 192

/* An address: the value of a temporary of the original code, or 0 if `root`
   is IRTemp_INVALID, plus a constant. */
typedef struct {
   IRTemp root;
   UWord  offset;
} Address;

typedef struct {
   Address first;      // byte
   UInt    szB;        // 0 after it has been dealt with
   UInt    last_instr; // latest access
   IRExpr* guard;      // NULL: always; else a group of one access
   Bool    in_slots;   // not larger than a page
} Group;

typedef struct {
   UInt  group; // index
   UInt  instr;
   UInt  szB;
   UWord offset; // from the group's root
} Access;

/* The superblock being instrumented. */
typedef struct {
   IRSB*    out;
   WsBlock* block;
   UInt     n_instrs;      // IMarks passed so far
   UInt     counted;       // in the counter already: to the segment's end
   UInt     n_runs;        // code runs entered so far
   IRExpr*  counter;       // its value after the first segment, once known
   IRExpr*  counter_now;   // the counter's value at ...
   UInt     counter_instr; // ... this instruction

   // The present segment.
   Group  groups[MAX_GROUPS];
   UInt   n_groups;
   Access accesses[MAX_ACCESSES];
   UInt   n_accesses;
} Instr;

static ULong n_blocks, n_accesses, n_groups;
static SizeT descriptions_szB;

/* --- Making IR --------------------------------------------------------- */

static IRExpr* mk_word(UWord n)
{
   return VG_WORDSIZE == 8 ? IRExpr_Const(IRConst_U64(n))
                           : IRExpr_Const(IRConst_U32((UInt)n));
}

static IRExpr* mk_ptr(const void* p)
{
   return mk_word((UWord)p);
}

static IRExpr* mk_shift(UInt n)
{
   return IRExpr_Const(IRConst_U8((UChar)n));
}

static IRExpr* mk_int(Int n)
{
   return IRExpr_Const(IRConst_U32((UInt)n));
}

/* A new temporary with the value of the expression. */
static IRExpr* assign(Instr* in, IRType type, IRExpr* value)
{
   IRTemp tmp = newIRTemp(in->out->tyenv, type);
   addStmtToIRSB(in->out, IRStmt_WrTmp(tmp, value));
   return IRExpr_RdTmp(tmp);
}

static IRExpr* binop(Instr* in, IRType type, IROp op, IRExpr* a, IRExpr* b)
{
   return assign(in, type, IRExpr_Binop(op, a, b));
}

static IRExpr* load_stamp(Instr* in, IRExpr* address)
{
   return assign(in, Ity_I32, IRExpr_Load(HOST_END, Ity_I32, address));
}

static void store_stamp(Instr* in, IRExpr* address, IRExpr* stamp)
{
   addStmtToIRSB(in->out, IRStmt_Store(HOST_END, address, stamp));
}

/* Of several stamps the sign bit of all of them; `all` may be NULL. */
static IRExpr* and_stamp(Instr* in, IRExpr* all, IRExpr* stamp)
{
   return all ? binop(in, Ity_I32, Iop_And32, all, stamp) : stamp;
}

/* As an unsigned comparison: VEX wants the constant on the right. */
static IRExpr* not_negative(Instr* in, IRExpr* stamps)
{
   return binop(in, Ity_I1, Iop_CmpLE32U, stamps, mk_int(0x7FFFFFFF));
}

/* Calls a helper that uses the counter.  `guard` may be NULL: always. */
static void call(Instr* in, const HChar* name, void* helper, UInt regparms,
                 IRExpr** args, IREffect counter_effect, IRExpr* guard)
{
   IRDirty* d = unsafeIRDirty_0_N(regparms, name, VG_(fnptr_to_fnentry)(helper),
                                  args);
   if (guard)
      d->guard = guard;
   d->nFxState = 1;
   VG_(memset)(&d->fxState[0], 0, sizeof d->fxState[0]);
   d->fxState[0].fx     = counter_effect;
   d->fxState[0].offset = WS_COUNTER_OFFSET;
   d->fxState[0].size   = sizeof(WsCounter);
   addStmtToIRSB(in->out, IRStmt_Dirty(d));
}

/* --- Time and code ------------------------------------------------------ */

/* The counter's value at an instruction of the superblock.  The value in the
   guest state is taken when it is first needed, which is before it is next
   written. */
static IRExpr* counter_at(Instr* in, UInt instr)
{
   UInt n_first = in->block->n_first;

   if (!in->counter)
      in->counter = assign(in, Ity_I32, IRExpr_Get(WS_COUNTER_OFFSET, Ity_I32));
   if (instr == n_first)
      return in->counter;
   if (in->counter_instr != instr) {
      in->counter_now   = binop(in, Ity_I32, Iop_Add32, in->counter,
                                mk_int((Int)instr - (Int)n_first));
      in->counter_instr = instr;
   }
   return in->counter_now;
}

static UInt min(UInt a, UInt b)
{
   return a < b ? a : b;
}

/* Has an earlier run of the superblock the same page? */
static Bool is_seen(const WsBlock* block, UInt run)
{
   for (UInt r = 0; r < run; r++)
      if (block->runs[r].page == block->runs[run].page)
         return True;
   return False;
}

static void enter_block(Instr* in)
{
   const WsBlock* block = in->block;
   IRExpr* old   = assign(in, Ity_I32, IRExpr_Get(WS_COUNTER_OFFSET, Ity_I32));
   IRExpr* first = binop(in, Ity_I32, Iop_Add32, old, mk_int(block->n_first));
   IRExpr* ok    = first;
   UInt    r;

   if (block->n_first < block->n_instrs)
      ok = binop(in, Ity_I32, Iop_Add32, old, mk_int(block->n_instrs));
   addStmtToIRSB(in->out, IRStmt_Put(WS_COUNTER_OFFSET, first));
   for (r = 0; r < block->n_runs && block->runs[r].first_instr == 1; r++) {
      const WsCodeRun* code  = &block->runs[r];
      IRExpr*          stamp = first;
      if (code->last_instr < block->n_first)
         stamp = binop(in, Ity_I32, Iop_Add32, old, mk_int(code->last_instr));
      ok = and_stamp(in, ok, load_stamp(in, mk_ptr(code->stamp)));
      store_stamp(in, mk_ptr(code->stamp), stamp);
   }
   call(in, "ws_enter_block", WS_(enter_block), 1,
        mkIRExprVec_1(mk_ptr(block)), Ifx_Modify, not_negative(in, ok));
   in->counted = block->n_first;
   in->n_runs  = r;
}

static void stamp_code(Instr* in, const WsCodeRun* code)
{
   store_stamp(in, mk_ptr(code->stamp),
               counter_at(in, min(code->last_instr, in->counted)));
}

/* The code runs that start with the present instruction. */
static void enter_code_runs(Instr* in)
{
   const WsBlock* block = in->block;

   for (; in->n_runs < block->n_runs; in->n_runs++) {
      const WsCodeRun* code = &block->runs[in->n_runs];
      if (code->first_instr > in->n_instrs)
         return;
      IRExpr* old = load_stamp(in, mk_ptr(code->stamp));
      stamp_code(in, code);
      if (!is_seen(block, in->n_runs))
         call(in, "ws_enter_code_run", WS_(enter_code_run), 1,
              mkIRExprVec_1(mk_ptr(code)), Ifx_Read, not_negative(in, old));
   }
}

/* A segment that is not the first is entered: books it in the counter and in
   the stamps of code pages that it has in common with the previous one. */
static void enter_segment(Instr* in, UInt last_instr)
{
   UInt counted = in->counted;

   if (counted == last_instr)
      return;
   in->counted = last_instr;
   addStmtToIRSB(in->out,
                 IRStmt_Put(WS_COUNTER_OFFSET, counter_at(in, last_instr)));
   for (UInt r = 0; r < in->n_runs; r++)
      if (in->block->runs[r].last_instr > counted)
         stamp_code(in, &in->block->runs[r]);
}

/* --- Data --------------------------------------------------------------- */

/* The most bytes that a group of several accesses spans.  The larger it is,
   the fewer groups there are, but the more often one straddles a page, which
   costs a call. */
static UInt max_group_szB(void)
{
   UWord szB = WS_(clo).page_szB / 32;
   return szB < 16 ? 16 : szB > 4096 ? 4096 : szB;
}

/* Takes the access into the group if that is possible. */
static Bool extend_group(Group* g, Address a, UInt szB, UInt instr)
{
   if (g->first.root != a.root || g->guard || !g->in_slots)
      return False;

   // Distances wrap around as addresses do.
   UWord before = g->first.offset - a.offset;
   UWord after  = a.offset - g->first.offset;
   if ((Word)after >= 0) {
      UWord end = after + szB;
      if (end > g->szB) {
         if (end > max_group_szB())
            return False;
         g->szB = end;
      }
   } else {
      UWord end = before + g->szB;
      if (end < szB)
         end = szB;
      if (end > max_group_szB())
         return False;
      g->first = a;
      g->szB   = end;
   }
   g->last_instr = instr;
   return True;
}

static void flush_data(Instr* in);

/* An access of the present instruction.  It counts when the guard, if there
   is one, holds.  The statement that makes it has been copied already. */
static void add_access(Instr* in, Address a, UInt szB, IRExpr* guard,
                       Bool in_slots)
{
   tl_assert(szB > 0 && szB < 65536);
   if (in->n_groups == MAX_GROUPS || in->n_accesses == MAX_ACCESSES)
      flush_data(in);

   UInt g = 0;
   if (guard || !in_slots)
      g = in->n_groups;
   while (g < in->n_groups &&
          !extend_group(&in->groups[g], a, szB, in->n_instrs))
      g++;
   if (g == in->n_groups) {
      in->groups[in->n_groups++] = (Group){.first      = a,
                                           .szB        = szB,
                                           .last_instr = in->n_instrs,
                                           .guard      = guard,
                                           .in_slots   = in_slots};
      n_groups++;
   }
   in->accesses[in->n_accesses++] = (Access){
      .group = g, .instr = in->n_instrs, .szB = szB, .offset = a.offset};
   n_accesses++;
}

static IRExpr* address_expr(Instr* in, Address a, UWord plus)
{
   UWord offset = a.offset + plus;

   if (a.root == IRTemp_INVALID)
      return mk_word(offset);
   if (offset == 0)
      return IRExpr_RdTmp(a.root);
   return binop(in, WORD_TY, WORD_OP(Add), IRExpr_RdTmp(a.root),
                mk_word(offset));
}

static IRExpr* page_expr(Instr* in, IRExpr* address)
{
   return binop(in, WORD_TY, WORD_OP(Shr), address,
                mk_shift(WS_(stamp_table).page_shift));
}

static IRExpr* times_stamp_size(Instr* in, IRExpr* n)
{
   return binop(in, WORD_TY, WORD_OP(Shl), n, mk_shift(2));
}
STATIC_ASSERT(sizeof(WsStamp) == 4);

/* Where the stamp of slot a + b is.  The shapes of these sums are such that
   VEX can make address modes of them. */
static IRExpr* stamp_address(Instr* in, IRExpr* a, IRExpr* b)
{
   const WsStampTable* t = &WS_(stamp_table);
   IRExpr*             from;

   if (t->chunk_shift == 0) {
      from = binop(in, WORD_TY, WORD_OP(Add), times_stamp_size(in, a),
                   times_stamp_size(in, b));
      return binop(in, WORD_TY, WORD_OP(Add), from, mk_word(t->table));
   }

   IRExpr* slot  = binop(in, WORD_TY, WORD_OP(Add), a, b);
   IRExpr* entry = binop(in, WORD_TY, WORD_OP(Shr), slot,
                         mk_shift(t->chunk_shift));
   entry = binop(in, WORD_TY, WORD_OP(Shl), entry,
                 mk_shift(VG_WORDSIZE == 8 ? 3 : 2));
   entry = binop(in, WORD_TY, WORD_OP(Add), entry, mk_word(t->table));
   from  = assign(in, WORD_TY, IRExpr_Load(HOST_END, WORD_TY, entry));
   slot  = binop(in, WORD_TY, WORD_OP(And), slot,
                 mk_word(((UWord)1 << t->chunk_shift) - 1));
   from  = binop(in, WORD_TY, WORD_OP(Add), from, times_stamp_size(in, slot));
   return binop(in, WORD_TY, WORD_OP(Add), from, mk_word(t->common_chunk));
}

/* Stamps a group; gives the stamp that was there before. */
static IRExpr* stamp_group(Instr* in, const Group* g, IRExpr* first_byte)
{
   IRExpr* first = page_expr(in, first_byte);
   IRExpr* last  = first;

   if (g->szB > 1)
      last = page_expr(in, address_expr(in, g->first, g->szB - 1));
   if (g->guard) {
      // The address may be anything when the access does not happen.
      IRExpr* slot = binop(in, WORD_TY, WORD_OP(Add), first, last);
      first        = assign(in, WORD_TY,
                            IRExpr_ITE(g->guard, slot,
                                       mk_word(WS_(stamp_table).dummy_slot)));
      last         = mk_word(0);
   }
   IRExpr* address = stamp_address(in, first, last);
   IRExpr* old     = load_stamp(in, address);
   store_stamp(in, address, counter_at(in, g->last_instr));
   return g->guard ? assign(in, Ity_I32, IRExpr_ITE(g->guard, old, mk_int(-1)))
                   : old;
}

/* The description of a visit for the groups batch[0 .. n_batch). */
static WsDataCall* describe_call(Instr* in, const UInt* batch, UInt n_batch)
{
   UInt n = 0;
   for (UInt i = 0; i < in->n_accesses; i++)
      for (UInt b = 0; b < n_batch; b++)
         n += in->accesses[i].group == batch[b];

   SizeT       szB  = sizeof(WsDataCall) + n * sizeof(WsAccess);
   WsDataCall* desc = VG_(malloc)("ws.instrument.call", szB);
   desc->next           = in->block->calls;
   in->block->calls     = desc;
   desc->counted_instrs = in->counted;
   desc->n_groups       = n_batch;
   desc->n_accesses     = 0;
   descriptions_szB += szB;

   for (UInt b = 0; b < n_batch; b++) {
      const Group* g     = &in->groups[batch[b]];
      desc->group_szB[b] = g->in_slots ? g->szB : 0;
   }
   for (UInt i = 0; i < in->n_accesses; i++) {
      const Access* a = &in->accesses[i];
      for (UInt b = 0; b < n_batch; b++)
         if (a->group == batch[b])
            desc->accesses[desc->n_accesses++] = (WsAccess){
               .instr  = a->instr,
               .offset = a->offset - in->groups[a->group].first.offset,
               .szB    = a->szB,
               .group  = b};
   }
   return desc;
}

/* Stamps and check for the groups batch[0 .. n_batch). */
static void check_groups(Instr* in, const UInt* batch, UInt n_batch)
{
   IRExpr*     addresses[WS_GROUPS_PER_CALL];
   IRExpr*     old  = NULL;
   WsDataCall* desc = describe_call(in, batch, n_batch);

   for (UInt b = 0; b < n_batch; b++) {
      const Group* g = &in->groups[batch[b]];
      addresses[b]   = address_expr(in, g->first, 0);
      if (g->in_slots)
         old = and_stamp(in, old, stamp_group(in, g, addresses[b]));
   }
   IRExpr* miss = old ? not_negative(in, old) : NULL;
   if (n_batch == 1)
      call(in, "ws_access_data_1", WS_(access_data_1), 2,
           mkIRExprVec_2(mk_ptr(desc), addresses[0]), Ifx_Read, miss);
   else if (n_batch == 2)
      call(in, "ws_access_data_2", WS_(access_data_2), 3,
           mkIRExprVec_3(mk_ptr(desc), addresses[0], addresses[1]), Ifx_Read,
           miss);
   else
      call(in, "ws_access_data_3", WS_(access_data_3), 3,
           mkIRExprVec_4(mk_ptr(desc), addresses[0], addresses[1],
                         addresses[2]),
           Ifx_Read, miss);
}

/* Everything accessed in the segment so far. */
static void flush_data(Instr* in)
{
   UInt batch[WS_GROUPS_PER_CALL];
   UInt n_batch = 0;

   for (UInt g = 0; g < in->n_groups; g++) {
      if (in->groups[g].guard || !in->groups[g].in_slots) {
         check_groups(in, &g, 1);
         continue;
      }
      batch[n_batch++] = g;
      if (n_batch == WS_GROUPS_PER_CALL) {
         check_groups(in, batch, n_batch);
         n_batch = 0;
      }
   }
   if (n_batch)
      check_groups(in, batch, n_batch);
   in->n_groups   = 0;
   in->n_accesses = 0;
}

/* --- Addresses ---------------------------------------------------------- */

/* What is known of the temporaries of the original code, by number. */
static Address* known;
static UInt     n_known;

static void forget_all(const IRTypeEnv* tyenv)
{
   if (n_known < (UInt)tyenv->types_used) {
      n_known = 2 * tyenv->types_used;
      known = VG_(realloc)("ws.instrument.known", known, n_known * sizeof *known);
   }
   for (Int t = 0; t < tyenv->types_used; t++)
      known[t] = (Address){.root = t, .offset = 0};
}

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

static Address address_of(const IRExpr* atom)
{
   UWord value;
   if (is_word_const(atom, &value))
      return (Address){.root = IRTemp_INVALID, .offset = value};
   tl_assert(atom->tag == Iex_RdTmp);
   return known[atom->Iex.RdTmp.tmp];
}

/* Remembers temporaries that are another plus or minus a constant. */
static void learn(const IRTypeEnv* tyenv, IRTemp tmp, const IRExpr* e)
{
   UWord value;

   if (tyenv->types[tmp] != WORD_TY)
      return;
   if (e->tag == Iex_RdTmp || e->tag == Iex_Const) {
      known[tmp] = address_of(e);
   } else if (e->tag == Iex_Binop && e->Iex.Binop.arg1->tag == Iex_RdTmp &&
              is_word_const(e->Iex.Binop.arg2, &value)) {
      Address a = address_of(e->Iex.Binop.arg1);
      if (e->Iex.Binop.op == WORD_OP(Add))
         a.offset += value;
      else if (e->Iex.Binop.op == WORD_OP(Sub))
         a.offset -= value;
      else
         return;
      known[tmp] = a;
   }
}

/* --- Statements --------------------------------------------------------- */

static Bool is_true(const IRExpr* guard)
{
   return guard->tag == Iex_Const && guard->Iex.Const.con->Ico.U1;
}

static void access(Instr* in, const IRExpr* address, UInt szB, IRExpr* guard)
{
   add_access(in, address_of(address), szB, guard,
              szB <= WS_(clo).page_szB);
}

static UInt type_szB(const Instr* in, const IRExpr* e)
{
   return sizeofIRType(typeOfIRExpr(in->out->tyenv, e));
}

static void access_loadg(Instr* in, const IRLoadG* lg)
{
   IRType result, loaded;
   typeOfIRLoadGOp(lg->cvt, &result, &loaded);
   access(in, lg->addr, sizeofIRType(loaded),
          is_true(lg->guard) ? NULL : lg->guard);
}

static void access_cas(Instr* in, const IRCAS* cas)
{
   UInt szB = type_szB(in, cas->dataLo);
   access(in, cas->addr, cas->dataHi ? 2 * szB : szB, NULL);
}

/* Like Valgrind's other tracers: whether or not the guard holds.  If it does
   not, the address may be anything: no slots then. */
static void access_dirty(Instr* in, const IRDirty* d)
{
   if (d->mFx != Ifx_None)
      add_access(in, address_of(d->mAddr), d->mSize, NULL,
                 is_true(d->guard) && (UWord)d->mSize <= WS_(clo).page_szB);
}

/* The last instruction of the segment that starts after statement i. */
static UInt end_of_segment(const Instr* in, const IRSB* sb, Int i)
{
   UInt n_instrs = in->n_instrs;

   for (i++; i < sb->stmts_used && sb->stmts[i]->tag != Ist_Exit; i++)
      n_instrs += sb->stmts[i]->tag == Ist_IMark;
   return n_instrs;
}

static void instrument_stmt(Instr* in, const IRSB* sb, Int i)
{
   IRSB*   out = in->out;
   IRStmt* st  = sb->stmts[i];

   switch (st->tag) {
   case Ist_NoOp:
      break;

   case Ist_AbiHint:
   case Ist_Put:
   case Ist_PutI:
   case Ist_MBE:
      addStmtToIRSB(out, st);
      break;

   case Ist_IMark:
      addStmtToIRSB(out, st);
      in->n_instrs++;
      if (in->n_instrs == 1)
         enter_block(in);
      else
         enter_code_runs(in);
      break;

   case Ist_WrTmp: {
      const IRExpr* e = st->Ist.WrTmp.data;
      addStmtToIRSB(out, st);
      if (e->tag == Iex_Load)
         access(in, e->Iex.Load.addr, sizeofIRType(e->Iex.Load.ty), NULL);
      else
         learn(out->tyenv, st->Ist.WrTmp.tmp, e);
      break;
   }

   case Ist_Store:
      addStmtToIRSB(out, st);
      access(in, st->Ist.Store.addr, type_szB(in, st->Ist.Store.data), NULL);
      break;

   case Ist_StoreG: {
      const IRStoreG* sg = st->Ist.StoreG.details;
      addStmtToIRSB(out, st);
      access(in, sg->addr, type_szB(in, sg->data),
             is_true(sg->guard) ? NULL : sg->guard);
      break;
   }

   case Ist_LoadG:
      addStmtToIRSB(out, st);
      access_loadg(in, st->Ist.LoadG.details);
      break;

   case Ist_CAS:
      addStmtToIRSB(out, st);
      access_cas(in, st->Ist.CAS.details);
      break;

   case Ist_LLSC: {
      // Stores between a load-linked and its store-conditional may break the
      // link: whatever is due goes before.
      IRExpr* stored = st->Ist.LLSC.storedata;
      IRTemp  result = st->Ist.LLSC.result;
      flush_data(in);
      addStmtToIRSB(out, st);
      access(in, st->Ist.LLSC.addr,
             type_szB(in, stored ? stored : IRExpr_RdTmp(result)), NULL);
      break;
   }

   case Ist_Dirty:
      addStmtToIRSB(out, st);
      access_dirty(in, st->Ist.Dirty.details);
      break;

   case Ist_Exit:
      flush_data(in);
      addStmtToIRSB(out, st);
      enter_segment(in, end_of_segment(in, sb, i));
      break;

   default:
      ppIRStmt(st);
      VG_(tool_panic)("ws: unknown statement");
   }
}

/* --- Superblocks -------------------------------------------------------- */

/* All of them, by the address at which they are entered. */
static VgHashTable* blocks;

static void add_code_page(WsBlock* block, WsPage page)
{
   // A page that the previous instruction was in, too.
   for (UInt r = block->n_runs; r > 0; r--) {
      WsCodeRun* code = &block->runs[r - 1];
      if (code->page == page && code->last_instr + 1 >= block->n_instrs) {
         code->last_instr = block->n_instrs;
         return;
      }
   }
   block->runs[block->n_runs++] = (WsCodeRun){.page  = page,
                                              .stamp = WS_(code_stamp)(page),
                                              .first_instr = block->n_instrs,
                                              .last_instr  = block->n_instrs};
}

static void add_instr(WsBlock* block, const IRStmt* imark)
{
   Addr   a    = imark->Ist.IMark.addr;
   UInt   szB  = imark->Ist.IMark.len ? imark->Ist.IMark.len : 1;
   WsPage last = WS_(page_of)(a + szB - 1);

   block->n_instrs++;
   for (WsPage p = WS_(page_of)(a);; p = WS_(next_page)(p)) {
      add_code_page(block, p);
      if (p == last)
         break;
   }
}

/* NULL for a superblock without instructions. */
static WsBlock* describe_block(Addr entry, const IRSB* sb)
{
   UInt     n_instrs = 0;
   UInt     max_runs = 0;
   WsBlock* block;

   for (Int i = 0; i < sb->stmts_used; i++)
      if (sb->stmts[i]->tag == Ist_IMark) {
         n_instrs++;
         max_runs += 2 + sb->stmts[i]->Ist.IMark.len / WS_(clo).page_szB;
      }
   if (n_instrs == 0)
      return NULL;

   block = VG_(malloc)("ws.instrument.block",
                       sizeof(WsBlock) + max_runs * sizeof(WsCodeRun));
   block->node.key = entry;
   block->calls    = NULL;
   block->n_instrs = 0;
   block->n_first  = 0;
   block->n_runs   = 0;
   for (Int i = 0; i < sb->stmts_used; i++)
      if (sb->stmts[i]->tag == Ist_IMark) {
         if (block->n_instrs == 0)
            block->start = sb->stmts[i]->Ist.IMark.addr;
         add_instr(block, sb->stmts[i]);
      } else if (sb->stmts[i]->tag == Ist_Exit && block->n_first == 0) {
         block->n_first = block->n_instrs; // still 0 in Valgrind's preamble
      }
   if (block->n_first == 0)
      block->n_first = block->n_instrs;

   SizeT szB = sizeof(WsBlock) + block->n_runs * sizeof(WsCodeRun);
   VG_(realloc_shrink)(block, szB);
   descriptions_szB += szB;
   if (!blocks)
      blocks = VG_(HT_construct)("ws.instrument.blocks");
   VG_(HT_add_node)(blocks, block);
   return block;
}

IRSB* WS_(instrument)(VgCallbackClosure* closure, IRSB* sbIn,
                      const VexGuestLayout* layout, const VexGuestExtents* vge,
                      const VexArchInfo* archinfo, IRType gWordTy,
                      IRType hWordTy)
{
   static Instr in; // large, and there is only one at a time
   Int          i = 0;

   tl_assert(gWordTy == hWordTy && gWordTy == WORD_TY);
   tl_assert(layout->total_sizeB == WS_COUNTER_OFFSET);

   WsBlock* block = describe_block(closure->nraddr, sbIn);
   if (!block)
      return sbIn;

   in.out           = deepCopyIRSBExceptStmts(sbIn);
   in.block         = block;
   in.n_instrs      = 0;
   in.counted       = 0;
   in.n_runs        = 0;
   in.counter       = NULL;
   in.counter_instr = 0;
   in.n_groups      = 0;
   in.n_accesses    = 0;
   forget_all(sbIn->tyenv);
   n_blocks++;

   // What comes before the first instruction is Valgrind's own: the check
   // whether the code has been modified.
   for (; sbIn->stmts[i]->tag != Ist_IMark; i++)
      addStmtToIRSB(in.out, sbIn->stmts[i]);
   for (; i < sbIn->stmts_used; i++)
      instrument_stmt(&in, sbIn, i);
   flush_data(&in);
   return in.out;
}

static void free_block(WsBlock* block)
{
   descriptions_szB -= sizeof(WsBlock) + block->n_runs * sizeof(WsCodeRun);
   for (WsDataCall* c = block->calls; c;) {
      WsDataCall* next = c->next;
      descriptions_szB -= sizeof *c + c->n_accesses * sizeof(WsAccess);
      VG_(free)(c);
      c = next;
   }
   VG_(free)(block);
}

void WS_(discard_block)(Addr entry, VexGuestExtents vge)
{
   WS_(settle_time)(); // a superblock to be replayed must not vanish

   WsBlock* block = VG_(HT_remove)(blocks, entry);
   if (!block)
      return;
   // Valgrind keeps translations of redirected and of unredirected code under
   // one address, and tells of the former only.  When it is not certain which
   // one has gone, neither goes.
   if (block->start == vge.base[0] && !VG_(HT_lookup)(blocks, entry))
      free_block(block);
   else
      VG_(HT_add_node)(blocks, block);
}

void WS_(instrument_print_stats)(void)
{
   VG_(dmsg)
   (" ws: %llu superblocks, %llu data accesses in %llu groups, %lu bytes of "
    "descriptions\n",
    n_blocks, n_accesses, n_groups, descriptions_szB);
}
