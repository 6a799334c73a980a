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
         ok   &= the page's stamp             (not for the first page)
         the page's stamp = counter at the last instruction from it
      for each group of accesses in the segment:
         slot  = (address of first byte >> shift) +
                 (address of last byte >> shift)
         ok   &= stamps[slot]
         stamps[slot] = counter at the group's last access
      if (ok >= gate of the first code page)
         do_segment()

   A group is a set of accesses whose addresses differ by constants and that
   lie close together, or all accesses to constant addresses in one page.

   All this comes after the accesses: an address that makes the client fault
   must not do so in the tool.  What a fault leaves of a segment is not
   counted.

   The shapes of sums are such that VEX can make address modes of them. */

#include "ws_instrument.h"

#include "pub_tool_hashtable.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_machine.h"
#include "pub_tool_mallocfree.h"
#include "ws_address.h"
#include "ws_clo.h"
#include "ws_fastpath.h"
#include "ws_segment.h"

#if defined(VG_BIGENDIAN)
#define HOST_END Iend_BE
#else
#define HOST_END Iend_LE
#endif

/* A segment that reaches one of these is ended early. */
#define MAX_RUNS     64
#define MAX_ACCESSES 192

typedef enum {
   Slotted, // accesses around a root
   Fixed,   // all accesses in a page that is known now
   Other    // a single access for which there is no slot
} GroupKind;

typedef struct {
   GroupKind kind;
   WsAddress first; // byte
   UInt      szB;
   UInt      last_instr; // latest access
   IRExpr*   guard;      // NULL: always; else of a single access
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
   IRExpr* zero;
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

static IRExpr* mk_shift(UInt n)
{
   return IRExpr_Const(IRConst_U8((UChar)n));
}

/* A new temporary with the value of the expression. */
static IRExpr* assign(Instr* in, IRExpr* value)
{
   IRTypeEnv* env = in->out->tyenv;
   IRTemp     tmp = newIRTemp(env, typeOfIRExpr(env, value));
   addStmtToIRSB(in->out, IRStmt_WrTmp(tmp, value));
   return IRExpr_RdTmp(tmp);
}

static IRExpr* binop(Instr* in, IROp op, IRExpr* a, IRExpr* b)
{
   return assign(in, IRExpr_Binop(op, a, b));
}

/* --- The end of a segment ------------------------------------------------ */

/* The counter's value at an instruction of the segment. */
static IRExpr* counter_at(Instr* in, UInt instr)
{
   if (instr == in->n_instrs)
      return in->counter;
   if (!in->counter_early || in->counter_instr != instr) {
      in->counter_early = binop(in, WORD_OP(Add), in->counter,
                                mk_word((UWord)instr - in->n_instrs));
      in->counter_instr = instr;
   }
   return in->counter_early;
}

static IRExpr* load(Instr* in, IRExpr* address)
{
   return assign(in, IRExpr_Load(HOST_END, WORD_TY, address));
}

static void store(Instr* in, IRExpr* address, IRExpr* value)
{
   addStmtToIRSB(in->out, IRStmt_Store(HOST_END, address, value));
}

/* The word at a constant address.  Each use needs a sum of its own, so that
   VEX makes a displacement of it. */
static IRExpr* fixed_address(Instr* in, const void* word)
{
   return binop(in, WORD_OP(Add), in->zero, mk_word((UWord)word));
}

static void count_instrs(Instr* in)
{
   const Word* counter = &WS_(shared).counter;

   in->zero          = assign(in, IRExpr_Get(WS_ZERO_OFFSET, WORD_TY));
   in->counter       = load(in, fixed_address(in, counter));
   in->counter_early = NULL;
   if (in->n_instrs > 0) {
      in->counter = binop(in, WORD_OP(Add), in->counter, mk_word(in->n_instrs));
      store(in, fixed_address(in, counter), in->counter);
   }
   in->ok = in->counter;
}

static void check_stamp(Instr* in, IRExpr* stamp)
{
   in->ok = binop(in, WORD_OP(And), in->ok, stamp);
}

static void renew_stamp(Instr* in, IRExpr* address, UInt last_instr)
{
   store(in, address, counter_at(in, last_instr));
}

static void do_fixed_stamp(Instr* in, WsStamp* stamp, UInt last_instr)
{
   check_stamp(in, load(in, fixed_address(in, &stamp->last)));
   renew_stamp(in, fixed_address(in, &stamp->last), last_instr);
}

/* All but the gate of the first run, which call_slow_path checks. */
static void do_code(Instr* in)
{
   for (UInt r = 0; r < in->n_runs; r++) {
      WsGatedStamp* gated = in->runs[r].stamp;
      WsStamp*      stamp = &gated->stamp;
      if (r == 0)
         renew_stamp(in, fixed_address(in, &stamp->last),
                     in->runs[r].last_instr);
      else
         do_fixed_stamp(in, stamp, in->runs[r].last_instr);
   }
}

static IRExpr* address_expr(Instr* in, WsAddress a, UWord plus)
{
   UWord offset = a.offset + plus;

   if (a.root == IRTemp_INVALID)
      return mk_word(offset);
   if (offset == 0)
      return IRExpr_RdTmp(a.root);
   return binop(in, WORD_OP(Add), IRExpr_RdTmp(a.root), mk_word(offset));
}

static IRExpr* page_expr(Instr* in, IRExpr* address)
{
   return binop(in, WORD_OP(Shr), address,
                mk_shift(WS_(stamp_table).page_shift));
}

/* base + n * size of a word + plus. */
static IRExpr* element_expr(Instr* in, IRExpr* base, IRExpr* n, UWord plus)
{
   IRExpr* scaled  = binop(in, WORD_OP(Shl), n,
                           mk_shift(VG_WORDSIZE == 8 ? 3 : 2));
   IRExpr* address = binop(in, WORD_OP(Add), base, scaled);
   return plus ? binop(in, WORD_OP(Add), address, mk_word(plus)) : address;
}

/* Of the slot in the table. */
static void do_slot(Instr* in, IRExpr* slot, UInt last_instr)
{
   const WsStampTable* t    = &WS_(stamp_table);
   IRExpr*             base = in->zero;
   UWord               plus = t->table;

   if (t->chunk_shift > 0) {
      IRExpr* n = binop(in, WORD_OP(Shr), slot, mk_shift(t->chunk_shift));
      base      = load(in, element_expr(in, in->zero, n, t->table));
      plus      = 0;
   }
   IRExpr* address = element_expr(in, base, slot, plus);
   check_stamp(in, load(in, address));
   renew_stamp(in, address, last_instr);
}

static void do_group(Instr* in, const Group* g)
{
   if (g->kind == Other)
      return;
   if (g->kind == Fixed) {
      do_fixed_stamp(in, WS_(data_stamp)(WS_(page_of)(g->first.offset)),
                     g->last_instr);
      return;
   }

   IRExpr* first = page_expr(in, address_expr(in, g->first, 0));
   IRExpr* last  = first;
   if (g->szB > 1)
      last = page_expr(in, address_expr(in, g->first, g->szB - 1));
   IRExpr* slot = binop(in, WORD_OP(Add), first, last);
   if (g->guard) {
      // The address may be anything when the access does not happen.
      UWord dummy = WS_(stamp_table).dummy_slot;
      slot        = assign(in, IRExpr_ITE(g->guard, slot, mk_word(dummy)));
   }
   do_slot(in, slot, g->last_instr);
}

/* Where the slow path finds the group's address. */
static void locate_group(Instr* in, UInt n, /*OUT*/ WsGroup* w)
{
   const Group* g = &in->groups[n];
   Int          where;
   UWord        held;

   w->is_guarded = g->guard != NULL;
   w->szB        = g->kind == Slotted ? g->szB : 0;
   w->plus       = 0;
   if (!g->guard && g->first.root == IRTemp_INVALID) {
      w->where = WS_NOWHERE;
      w->plus  = g->first.offset;
      return;
   }
   if (!g->guard && WS_(address_held)(g->first.root, &where, &held)) {
      w->where = where;
      w->plus  = g->first.offset - held;
      return;
   }

   IRExpr* address = address_expr(in, g->first, 0);
   if (g->guard)
      address = assign(in,
                       IRExpr_ITE(g->guard, address, mk_word(WS_NO_ADDRESS)));
   w->where = WS_ADDRESSES_OFFSET + n * sizeof(Addr);
   addStmtToIRSB(in->out, IRStmt_Put(w->where, address));
}

static WsSegment* describe_segment(Instr* in)
{
   WsSegment* seg = WS_(new_segment)(in->n_runs, in->n_groups, in->n_accesses);

   seg->n_instrs = in->n_instrs;
   for (UInt r = 0; r < in->n_runs; r++)
      seg->runs[seg->n_runs++] = in->runs[r];
   for (UInt g = 0; g < in->n_groups; g++)
      locate_group(in, g, &seg->groups[seg->n_groups++]);
   for (UInt i = 0; i < in->n_accesses; i++) {
      const Access* a                  = &in->accesses[i];
      seg->accesses[seg->n_accesses++] = (WsAccess){
         .instr  = a->instr,
         .offset = a->offset - in->groups[a->group].first.offset,
         .szB    = a->szB,
         .group  = a->group};
   }

   seg->next           = in->block->segments;
   in->block->segments = seg;
   descriptions_szB += WS_(segment_szB)(seg);
   n_segments++;
   n_accesses += in->n_accesses;
   n_groups += in->n_groups;
   return seg;
}

/* Calls the slow path if the check has failed, or, if `always`, anyway. */
static void call_slow_path(Instr* in, Bool always)
{
   IRDirty* d = unsafeIRDirty_0_N(0, "ws_do_segment",
                                  VG_(fnptr_to_fnentry)(WS_(do_segment)),
                                  mkIRExprVec_0());

   if (!always) {
      IRExpr* gate = mk_word(WS_GATE_OPEN);
      if (in->n_runs > 0)
         gate = load(in, fixed_address(in, &in->runs[0].stamp->gate));
      IRExpr* fine = binop(in, VG_WORDSIZE == 8 ? Iop_CmpLT64S : Iop_CmpLT32S,
                           in->ok, gate);
      d->guard     = assign(in, IRExpr_Unop(Iop_Not1, fine));
   }

   d->nFxState = 1; // it reads addresses
   VG_(memset)(&d->fxState[0], 0, sizeof d->fxState[0]);
   d->fxState[0].fx   = Ifx_Read;
   d->fxState[0].size = WS_ADDRESSES_OFFSET + WS_MAX_GROUPS * sizeof(Addr);
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
   UInt order[WS_MAX_GROUPS];
   Bool always = False;

   if (in->n_instrs == 0 && in->n_accesses == 0)
      return;
   count_instrs(in);
   // A store comes before all use of addresses: VEX can't move a load of the
   // client's, which may fault, behind what may fault with the same address.
   WsSegment* seg = describe_segment(in);
   store(in, fixed_address(in, &WS_(shared).segment_id), mk_word(seg->id));
   do_code(in);
   order_groups(in, order);
   for (UInt i = 0; i < in->n_groups; i++) {
      do_group(in, &in->groups[order[i]]);
      always |= in->groups[order[i]].kind == Other;
   }
   call_slow_path(in, always);
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

   if (in->n_instrs == WS_MAX_SEGMENT_INSTRS || in->n_runs + szB > MAX_RUNS)
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
   UWord szB = WS_(clo).page_szB / 128;
   return szB < 8 ? 8 : szB > 4096 ? 4096 : szB;
}

/* If the superblock's first execution is a guide.  It is one for frames on the
   stack, which are entered again and again at the same place. */
static Bool will_straddle(WsAddress first, UInt szB)
{
   Addr a;
   return WS_(address_now)(first, &a) &&
          WS_(page_of)(a) != WS_(page_of)(a + szB - 1);
}

static void make_room(Instr* in)
{
   if (in->n_groups == WS_MAX_GROUPS || in->n_accesses == MAX_ACCESSES)
      end_segment(in);
}

/* Takes the access into the group if that is possible. */
static Bool extend_group(Group* g, WsAddress a, UInt szB, UInt instr)
{
   if (g->kind != Slotted || g->guard || g->first.root != a.root)
      return False;

   // Distances wrap around as addresses do.
   Word      distance = a.offset - g->first.offset;
   WsAddress first    = distance < 0 ? a : g->first;
   UWord     end      = distance < 0 ? g->szB - distance : g->szB;
   UWord     a_end    = distance < 0 ? szB : distance + szB;
   if (end < a_end)
      end = a_end;
   if (end > g->szB) {
      if (end > max_group_szB() || will_straddle(first, end))
         return False;
      g->first = first;
      g->szB   = end;
   }
   g->last_instr = instr;
   return True;
}

static void add_to_group(Instr* in, UInt group, UWord offset, UInt szB)
{
   in->accesses[in->n_accesses++] = (Access){
      .group = group, .instr = in->n_instrs, .szB = szB, .offset = offset};
}

/* An access to a page that is known now. */
static void add_fixed_access(Instr* in, WsPage page)
{
   Addr a = (Addr)page << WS_(stamp_table).page_shift;
   UInt g = 0;

   make_room(in);
   while (g < in->n_groups &&
          (in->groups[g].kind != Fixed || in->groups[g].first.offset != a))
      g++;
   if (g == in->n_groups)
      in->groups[in->n_groups++] = (Group){
         .kind  = Fixed,
         .first = {.root = IRTemp_INVALID, .offset = a},
         .szB   = 1};
   in->groups[g].last_instr = in->n_instrs;
   add_to_group(in, g, a, 1);
}

/* An access to a page that is not known yet. */
static void add_computed_access(Instr* in, WsAddress a, UInt szB, IRExpr* guard,
                                Bool has_slot)
{
   UInt g = 0;

   make_room(in);
   if (guard || !has_slot)
      g = in->n_groups;
   while (g < in->n_groups &&
          !extend_group(&in->groups[g], a, szB, in->n_instrs))
      g++;
   if (g == in->n_groups)
      in->groups[in->n_groups++] = (Group){.kind  = has_slot ? Slotted : Other,
                                           .first = a,
                                           .szB   = szB,
                                           .last_instr = in->n_instrs,
                                           .guard      = guard};
   add_to_group(in, g, a.offset, szB);
}

/* An access of the present instruction.  It counts when the guard, if there
   is one, holds.  The statement that makes it has been copied already. */
static void add_access(Instr* in, WsAddress a, UInt szB, IRExpr* guard,
                       Bool has_slot)
{
   WsPage first = WS_(page_of)(a.offset);
   WsPage last  = WS_(page_of)(a.offset + szB - 1);

   tl_assert(szB > 0 && szB < 65536);
   if (a.root != IRTemp_INVALID || guard || !has_slot) {
      add_computed_access(in, a, szB, guard, has_slot);
   } else if (!WS_(has_data_stamp)(first) || !WS_(has_data_stamp)(last)) {
      add_computed_access(in, a, szB, NULL, False);
   } else {
      add_fixed_access(in, first);
      if (last != first)
         add_fixed_access(in, last);
   }
}

/* --- Statements --------------------------------------------------------- */

static Bool is_true(const IRExpr* guard)
{
   return guard->tag == Iex_Const && guard->Iex.Const.con->Ico.U1;
}

static void access(Instr* in, const IRExpr* address, UInt szB, IRExpr* guard)
{
   add_access(in, WS_(address_of)(address), szB, guard,
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
      add_access(in, WS_(address_of)(d->mAddr), d->mSize, NULL,
                 is_true(d->guard) && (UWord)d->mSize <= WS_(clo).page_szB);
}

static void instrument_stmt(Instr* in, IRStmt* st)
{
   IRSB* out = in->out;

   WS_(address_learn)(out->tyenv, st);
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

/* What a side exit or the superblock's end waits for; it accesses no memory. */
static Bool may_follow_segment(const IRStmt* st)
{
   return st->tag == Ist_NoOp ||
          (st->tag == Ist_WrTmp && st->Ist.WrTmp.data->tag != Iex_Load);
}

/* Whether nothing but such statements comes before the segment's end.  They go
   after the code at the end, so that fewer values have to survive it. */
static Bool is_last_part(const IRSB* sb, Int i)
{
   while (i < sb->stmts_used && may_follow_segment(sb->stmts[i]))
      i++;
   return i == sb->stmts_used || sb->stmts[i]->tag == Ist_Exit;
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
      WS_(delete_segment)(seg);
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
   WS_(address_begin)(sbIn->tyenv, closure->tid);
   begin_segment(&in);
   for (; i < sbIn->stmts_used; i++) {
      if (is_last_part(sbIn, i))
         end_segment(&in);
      instrument_stmt(&in, sbIn->stmts[i]);
   }
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
