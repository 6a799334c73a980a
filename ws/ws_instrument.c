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

/* What a segment of a superblock (ws_segment.h) looks like afterwards; C for
   IR.  Right before the side exit that ends it, or at the superblock's end:

      counter += number of instructions
      ok       = counter
      for each code page of the segment:
         ok   &= the page's stamp
         the page's stamp = counter at the last instruction from it
      for each group of accesses in the segment:
         slot  = (address of first byte >> shift) +
                 (address of last byte >> shift)
         ok   &= stamps[slot]
         stamps[slot] = counter at the group's last access
      if (ok >= 0)
         do_segment(description, addresses of the groups)

   A group is a set of accesses whose addresses differ by constants and that
   lie close together.  All this comes after the accesses: an address that
   makes the client fault must not do so in the tool.  What a fault leaves of a
   segment is not counted. */

#include "ws_instrument.h"

#include "pub_tool_hashtable.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_machine.h"
#include "pub_tool_mallocfree.h"
#include "ws_clo.h"
#include "ws_fastpath.h"
#include "ws_segment.h"

#if VG_WORDSIZE == 8
#define WORD_TY     Ity_I64
#define WORD_OP(op) Iop_##op##64
#else
#define WORD_TY     Ity_I32
#define WORD_OP(op) Iop_##op##32
#endif

#if defined(VG_BIGENDIAN)
#define HOST_END Iend_BE
#else
#define HOST_END Iend_LE
#endif

/* A segment that reaches one of these is ended early. */
#define MAX_RUNS     64
#define MAX_ACCESSES 192

/* An address: the value of a temporary of the original code, or 0 if `root`
   is IRTemp_INVALID, plus a constant. */
typedef struct {
   IRTemp root;
   UWord  offset;
} Address;

typedef struct {
   Address first; // byte
   UInt    szB;
   UInt    last_instr; // latest access
   IRExpr* guard;      // NULL: always; else a group of one access
   Bool    has_slot;
} Group;

typedef struct {
   UInt  group; // index
   UInt  instr;
   UInt  szB;
   UWord offset; // from the group's root
} Access;

/* A superblock, as far as it must be known when it is discarded. */
typedef struct {
   VgHashNode node;  // key: the guest address that it is entered by
   Addr       start; // guest address of the first instruction
   WsSegment* segments;
} Block;

/* The superblock being instrumented, and its present segment, whose
   instructions are numbered as in its description. */
typedef struct {
   IRSB*  out;
   Block* block;

   UInt      n_instrs;
   WsCodeRun runs[MAX_RUNS];
   UInt      n_runs;
   Group     groups[WS_MAX_GROUPS];
   UInt      n_groups;
   Access    accesses[MAX_ACCESSES];
   UInt      n_accesses;

   // While the code at its end is made.
   IRExpr* counter;       // the counter's value there
   IRExpr* counter_early; // its value at ...
   UInt    counter_instr; // ... this instruction
   IRExpr* ok;
} Instr;

static ULong n_blocks, n_segments, n_accesses, n_groups;
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

/* --- The end of a segment ------------------------------------------------ */

/* The counter's value at an instruction of the segment. */
static IRExpr* counter_at(Instr* in, UInt instr)
{
   if (instr == in->n_instrs)
      return in->counter;
   if (!in->counter_early || in->counter_instr != instr) {
      in->counter_early = binop(in, Ity_I32, Iop_Add32, in->counter,
                                mk_int((Int)instr - (Int)in->n_instrs));
      in->counter_instr = instr;
   }
   return in->counter_early;
}

static void check_stamp(Instr* in, IRExpr* stamp)
{
   in->ok = binop(in, Ity_I32, Iop_And32, in->ok, stamp);
}

static void count_instrs(Instr* in)
{
   in->counter = assign(in, Ity_I32, IRExpr_Get(WS_COUNTER_OFFSET, Ity_I32));
   in->counter_early = NULL;
   if (in->n_instrs > 0) {
      in->counter = binop(in, Ity_I32, Iop_Add32, in->counter,
                          mk_int(in->n_instrs));
      addStmtToIRSB(in->out, IRStmt_Put(WS_COUNTER_OFFSET, in->counter));
   }
   in->ok = in->counter;
}

static void stamp_code(Instr* in, const WsCodeRun* code)
{
   IRExpr* zero = assign(in, WORD_TY, IRExpr_Get(WS_ZERO_OFFSET, WORD_TY));
   IRExpr* from = binop(in, WORD_TY, WORD_OP(Add), zero, mk_ptr(code->stamp));
   IRExpr* to   = binop(in, WORD_TY, WORD_OP(Add), zero, mk_ptr(code->stamp));

   // Two sums, so that VEX makes a displacement of each.
   check_stamp(in, load_stamp(in, from));
   store_stamp(in, to, counter_at(in, code->last_instr));
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
   entry         = binop(in, WORD_TY, WORD_OP(Shl), entry,
                         mk_shift(VG_WORDSIZE == 8 ? 3 : 2));
   entry         = binop(in, WORD_TY, WORD_OP(Add), entry, mk_word(t->table));
   from          = assign(in, WORD_TY, IRExpr_Load(HOST_END, WORD_TY, entry));
   slot          = binop(in, WORD_TY, WORD_OP(And), slot,
                         mk_word(((UWord)1 << t->chunk_shift) - 1));
   from = binop(in, WORD_TY, WORD_OP(Add), from, times_stamp_size(in, slot));
   return binop(in, WORD_TY, WORD_OP(Add), from, mk_word(t->common_chunk));
}

static void stamp_data(Instr* in, const Group* g, IRExpr* first_byte)
{
   IRExpr* first = page_expr(in, first_byte);
   IRExpr* last  = first;

   if (g->szB > 1)
      last = page_expr(in, address_expr(in, g->first, g->szB - 1));
   if (g->guard) {
      // The address may be anything when the access does not happen.
      IRExpr* slot = binop(in, WORD_TY, WORD_OP(Add), first, last);
      first        = assign(
                in, WORD_TY,
                IRExpr_ITE(g->guard, slot, mk_word(WS_(stamp_table).dummy_slot)));
      last = mk_word(0);
   }
   IRExpr* address = stamp_address(in, first, last);
   IRExpr* old     = load_stamp(in, address);
   store_stamp(in, address, counter_at(in, g->last_instr));
   if (g->guard)
      old = assign(in, Ity_I32, IRExpr_ITE(g->guard, old, mk_int(-1)));
   check_stamp(in, old);
}

static WsSegment* describe_segment(Instr* in)
{
   WsSegment* seg = WS_(new_segment)(in->n_runs, in->n_groups, in->n_accesses);

   seg->n_instrs = in->n_instrs;
   for (UInt r = 0; r < in->n_runs; r++)
      seg->runs[seg->n_runs++] = in->runs[r];
   for (UInt i = 0; i < in->n_accesses; i++) {
      const Access* a                  = &in->accesses[i];
      seg->accesses[seg->n_accesses++] = (WsAccess){
         .instr  = a->instr,
         .offset = a->offset - in->groups[a->group].first.offset,
         .szB    = a->szB,
         .group  = a->group};
   }
   for (UInt g = 0; g < in->n_groups; g++)
      seg->groups[seg->n_groups++] = (WsGroup){
         .szB = in->groups[g].has_slot ? in->groups[g].szB : 0};

   seg->next           = in->block->segments;
   in->block->segments = seg;
   descriptions_szB += WS_(segment_szB)(seg);
   n_segments++;
   n_accesses += in->n_accesses;
   n_groups += in->n_groups;
   return seg;
}

/* Makes the g-th address known to the slow path; it is an argument then, or
   in the guest state. */
static void pass_address(Instr* in, UInt g, IRExpr* address, IRExpr** args)
{
   const Group* group = &in->groups[g];

   if (group->guard)
      address = assign(
         in, WORD_TY,
         IRExpr_ITE(group->guard, address, mk_word(WS_NO_ADDRESS)));
   if (g < WS_ADDRESSES_PASSED)
      args[g] = address;
   else
      addStmtToIRSB(in->out,
                    IRStmt_Put(WS_ADDRESSES_OFFSET +
                                  (g - WS_ADDRESSES_PASSED) * sizeof(Addr),
                               address));
}

/* Calls the slow path if the check has failed, or, if `always`, anyway. */
static void call_slow_path(Instr* in, IRExpr** args, Bool always)
{
   IRExpr*  desc = mk_ptr(describe_segment(in));
   IRDirty* d;

   switch (in->n_groups) {
   case 0:
      d = unsafeIRDirty_0_N(1, "ws_do_segment_0",
                            VG_(fnptr_to_fnentry)(WS_(do_segment_0)),
                            mkIRExprVec_1(desc));
      break;
   case 1:
      d = unsafeIRDirty_0_N(2, "ws_do_segment_1",
                            VG_(fnptr_to_fnentry)(WS_(do_segment_1)),
                            mkIRExprVec_2(desc, args[0]));
      break;
   case 2:
      d = unsafeIRDirty_0_N(3, "ws_do_segment_2",
                            VG_(fnptr_to_fnentry)(WS_(do_segment_2)),
                            mkIRExprVec_3(desc, args[0], args[1]));
      break;
   default:
      d = unsafeIRDirty_0_N(3, "ws_do_segment_3",
                            VG_(fnptr_to_fnentry)(WS_(do_segment_3)),
                            mkIRExprVec_4(desc, args[0], args[1], args[2]));
      break;
   }
   if (!always) // unsigned, for VEX wants the constant on the right
      d->guard = binop(in, Ity_I1, Iop_CmpLE32U, in->ok, mk_int(0x7FFFFFFF));

   d->nFxState = 1;
   VG_(memset)(&d->fxState[0], 0, sizeof d->fxState[0]);
   d->fxState[0].fx     = Ifx_Modify;
   d->fxState[0].offset = WS_COUNTER_OFFSET;
   d->fxState[0].size   = WS_ADDRESSES_OFFSET - WS_COUNTER_OFFSET +
                        WS_MAX_GROUPS * sizeof(Addr);
   addStmtToIRSB(in->out, IRStmt_Dirty(d));
}

/* The groups by their latest access: when two share a page, its stamp must be
   that of the later one. */
static void order_groups(const Instr* in, UInt order[WS_MAX_GROUPS])
{
   for (UInt g = 0; g < in->n_groups; g++) {
      UInt i = g;
      while (i > 0 &&
             in->groups[order[i - 1]].last_instr > in->groups[g].last_instr) {
         order[i] = order[i - 1];
         i--;
      }
      order[i] = g;
   }
}

static void begin_segment(Instr* in)
{
   in->n_instrs   = 0;
   in->n_runs     = 0;
   in->n_groups   = 0;
   in->n_accesses = 0;
}

static void end_segment(Instr* in)
{
   IRExpr* args[WS_ADDRESSES_PASSED];
   UInt    order[WS_MAX_GROUPS];
   Bool    always = False;

   if (in->n_instrs == 0 && in->n_accesses == 0)
      return;
   count_instrs(in);
   for (UInt r = 0; r < in->n_runs; r++)
      stamp_code(in, &in->runs[r]);
   order_groups(in, order);
   for (UInt i = 0; i < in->n_groups; i++) {
      const Group* group   = &in->groups[order[i]];
      IRExpr*      address = address_expr(in, group->first, 0);
      if (group->has_slot)
         stamp_data(in, group, address);
      else
         always = True;
      pass_address(in, order[i], address, args);
   }
   call_slow_path(in, args, always);
   begin_segment(in);
}

/* --- The middle of a segment --------------------------------------------- */

static void add_code_page(Instr* in, WsPage page)
{
   // A page that the previous instruction was in, too.
   for (UInt r = in->n_runs; r > 0; r--) {
      WsCodeRun* code = &in->runs[r - 1];
      if (code->page == page && code->last_instr + 1 >= (Int)in->n_instrs) {
         code->last_instr = in->n_instrs;
         return;
      }
   }
   in->runs[in->n_runs++] = (WsCodeRun){.page        = page,
                                        .stamp       = WS_(code_stamp)(page),
                                        .first_instr = in->n_instrs,
                                        .last_instr  = in->n_instrs};
}

static void add_instr(Instr* in, Addr a, UInt szB)
{
   WsPage last = WS_(page_of)(a + szB - 1);

   if (in->n_runs + szB > MAX_RUNS)
      end_segment(in);
   in->n_instrs++;
   for (WsPage p = WS_(page_of)(a);; p = WS_(next_page)(p)) {
      add_code_page(in, p);
      if (p == last)
         return;
   }
}

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
   if (g->first.root != a.root || g->guard || !g->has_slot)
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

/* An access of the present instruction.  It counts when the guard, if there
   is one, holds.  The statement that makes it has been copied already. */
static void add_access(Instr* in, Address a, UInt szB, IRExpr* guard,
                       Bool has_slot)
{
   tl_assert(szB > 0 && szB < 65536);
   if (in->n_groups == WS_MAX_GROUPS || in->n_accesses == MAX_ACCESSES)
      end_segment(in);

   UInt g = 0;
   if (guard || !has_slot)
      g = in->n_groups;
   while (g < in->n_groups &&
          !extend_group(&in->groups[g], a, szB, in->n_instrs))
      g++;
   if (g == in->n_groups)
      in->groups[in->n_groups++] = (Group){.first      = a,
                                           .szB        = szB,
                                           .last_instr = in->n_instrs,
                                           .guard      = guard,
                                           .has_slot   = has_slot};
   in->accesses[in->n_accesses++] = (Access){
      .group = g, .instr = in->n_instrs, .szB = szB, .offset = a.offset};
}

/* --- Addresses ---------------------------------------------------------- */

/* What is known of the temporaries of the original code, by number. */
static Address* known;
static UInt     n_known;

static void forget_all(const IRTypeEnv* tyenv)
{
   if (n_known < (UInt)tyenv->types_used) {
      n_known = 2 * tyenv->types_used;
      known   = VG_(realloc)("ws.instrument.known", known,
                           n_known * sizeof *known);
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
   add_access(in, address_of(address), szB, guard, szB <= WS_(clo).page_szB);
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

static void instrument_stmt(Instr* in, IRStmt* st)
{
   IRSB* out = in->out;

   switch (st->tag) {
   case Ist_NoOp: break;

   case Ist_AbiHint:
   case Ist_Put:
   case Ist_PutI:
   case Ist_MBE: addStmtToIRSB(out, st); break;

   case Ist_IMark:
      addStmtToIRSB(out, st);
      // What can't be decoded has no length.
      add_instr(in, st->Ist.IMark.addr,
                st->Ist.IMark.len ? st->Ist.IMark.len : 1);
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
      // Other stores between load-linked and store-conditional may break the
      // link: what is due goes before.
      IRExpr* stored = st->Ist.LLSC.storedata;
      IRTemp  result = st->Ist.LLSC.result;
      if (!stored)
         end_segment(in);
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
      end_segment(in);
      addStmtToIRSB(out, st);
      break;

   default: ppIRStmt(st); VG_(tool_panic)("ws: unknown statement");
   }
}

/* --- Superblocks -------------------------------------------------------- */

static VgHashTable* blocks;

static Block* new_block(Addr entry, Addr start)
{
   Block* block    = VG_(malloc)("ws.instrument.block", sizeof *block);
   block->node.key = entry;
   block->start    = start;
   block->segments = NULL;
   if (!blocks)
      blocks = VG_(HT_construct)("ws.instrument.blocks");
   VG_(HT_add_node)(blocks, block);
   n_blocks++;
   return block;
}

static void free_block(Block* block)
{
   for (WsSegment* seg = block->segments; seg;) {
      WsSegment* next = seg->next;
      descriptions_szB -= WS_(segment_szB)(seg);
      VG_(free)(seg);
      seg = next;
   }
   VG_(free)(block);
}

IRSB* WS_(instrument)(VgCallbackClosure* closure, IRSB* sbIn,
                      const VexGuestLayout* layout, const VexGuestExtents* vge,
                      const VexArchInfo* archinfo, IRType gWordTy,
                      IRType hWordTy)
{
   static Instr in; // large, and there is only one at a time
   Int          i = 0;

   tl_assert(gWordTy == hWordTy && gWordTy == WORD_TY);
   tl_assert(layout->total_sizeB == sizeof(VexGuestArchState));

   in.out = deepCopyIRSBExceptStmts(sbIn);
   // What comes before the first instruction is Valgrind's own: the check
   // whether the code has been modified.
   for (; i < sbIn->stmts_used && sbIn->stmts[i]->tag != Ist_IMark; i++)
      addStmtToIRSB(in.out, sbIn->stmts[i]);
   if (i == sbIn->stmts_used)
      return in.out;

   in.block = new_block(closure->nraddr, sbIn->stmts[i]->Ist.IMark.addr);
   forget_all(sbIn->tyenv);
   begin_segment(&in);
   for (; i < sbIn->stmts_used; i++)
      instrument_stmt(&in, sbIn->stmts[i]);
   end_segment(&in);
   return in.out;
}

void WS_(discard_block)(Addr entry, VexGuestExtents vge)
{
   Block* block = blocks ? VG_(HT_remove)(blocks, entry) : NULL;
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
   (" ws: %llu superblocks, %llu segments, %llu data accesses in %llu groups, "
    "%lu bytes of descriptions\n",
    n_blocks, n_segments, n_accesses, n_groups, descriptions_szB);
}
