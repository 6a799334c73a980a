/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_emit.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_machine.h"
#include "ws_clo.h"

#if defined(VG_BIGENDIAN)
#define HOST_END Iend_BE
#else
#define HOST_END Iend_LE
#endif

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
static IRExpr* assign_typed(WsDraft* d, IRType type, IRExpr* value)
{
   IRTemp tmp = newIRTemp(d->out->tyenv, type);
   addStmtToIRSB(d->out, IRStmt_WrTmp(tmp, value));
   return IRExpr_RdTmp(tmp);
}

static IRExpr* assign(WsDraft* d, IRExpr* word)
{
   return assign_typed(d, WORD_TY, word);
}

static IRExpr* binop(WsDraft* d, IROp op, IRExpr* a, IRExpr* b)
{
   return assign(d, IRExpr_Binop(op, a, b));
}

static IRExpr* compare(WsDraft* d, IROp op, IRExpr* a, IRExpr* b)
{
   return assign_typed(d, Ity_I1, IRExpr_Binop(op, a, b));
}

/* The counter's value at an instruction of the segment. */
static IRExpr* counter_at(WsDraft* d, UInt instr)
{
   if (instr == d->n_instrs)
      return d->counter;
   if (!d->counter_early || d->counter_instr != instr) {
      d->counter_early = binop(d, WORD_OP(Add), d->counter,
                               mk_word((UWord)instr - d->n_instrs));
      d->counter_instr = instr;
   }
   return d->counter_early;
}

static IRExpr* load(WsDraft* d, IRExpr* address)
{
   return assign(d, IRExpr_Load(HOST_END, WORD_TY, address));
}

static void store(WsDraft* d, IRExpr* address, IRExpr* value)
{
   addStmtToIRSB(d->out, IRStmt_Store(HOST_END, address, value));
}

/* A constant address, relative to the base. */
static UWord from_base(Addr a)
{
   return a - (Addr)&WS_COUNTER;
}

/* The word at a constant address.  Each use needs a sum of its own, so that
   VEX makes a displacement of it. */
static IRExpr* fixed_address(WsDraft* d, const void* word)
{
   return binop(d, WORD_OP(Add), d->base, mk_word(from_base((Addr)word)));
}

static void count_instrs(WsDraft* d)
{
   d->base          = assign(d, IRExpr_Get(WS_BASE_OFFSET, WORD_TY));
   d->counter       = load(d, d->base);
   d->counter_early = NULL;
   d->table         = NULL;
   if (d->n_instrs > 0)
      d->counter = binop(d, WORD_OP(Add), d->counter, mk_word(d->n_instrs));
   // In any case, for a store comes before all use of addresses: VEX can't move
   // a load of the client's, which may fault, behind what may fault with the
   // same address.
   store(d, d->base, d->counter);
   d->ok = d->counter;
}

static void check_stamp(WsDraft* d, IRExpr* address)
{
   d->ok = binop(d, WORD_OP(And), d->ok, load(d, address));
}

static void renew_stamp(WsDraft* d, IRExpr* address, UInt last_instr)
{
   store(d, address, counter_at(d, last_instr));
}

/* All but the gate of the first run, which is_fine checks. */
static void do_code(WsDraft* d)
{
   for (UInt r = 0; r < d->n_runs; r++) {
      const Word* last = &d->runs[r].stamp->stamp.last;
      if (r > 0)
         check_stamp(d, fixed_address(d, last));
      renew_stamp(d, fixed_address(d, last), d->runs[r].last_instr);
   }
}

static IRExpr* address_expr(WsDraft* d, WsAddress a, UWord plus)
{
   UWord offset = a.offset + plus;

   if (a.root == IRTemp_INVALID)
      return mk_word(offset);
   if (offset == 0)
      return IRExpr_RdTmp(a.root);
   return binop(d, WORD_OP(Add), IRExpr_RdTmp(a.root), mk_word(offset));
}

static IRExpr* page_expr(WsDraft* d, IRExpr* address)
{
   return binop(d, WORD_OP(Shr), address,
                mk_shift(WS_(stamp_table).page_shift));
}

/* The address of the n-th word from `base` on. */
static IRExpr* element_expr(WsDraft* d, IRExpr* base, IRExpr* n)
{
   IRExpr* scaled = binop(d, WORD_OP(Shl), n,
                          mk_shift(VG_WORDSIZE == 8 ? 3 : 2));
   return binop(d, WORD_OP(Add), base, scaled);
}

/* The address of the flat table. */
static IRExpr* flat_table(WsDraft* d)
{
   if (!WS_(stamp_table).is_far)
      return d->base;
   if (!d->table)
      d->table = assign(d, IRExpr_Get(WS_TABLE_OFFSET, WORD_TY));
   return d->table;
}

/* The address of a slot's stamp. */
static IRExpr* slot_expr(WsDraft* d, IRExpr* slot)
{
   const WsStampTable* t = &WS_(stamp_table);

   if (t->chunk_shift == 0)
      return element_expr(d, flat_table(d), slot);
   IRExpr* n     = binop(d, WORD_OP(Shr), slot, mk_shift(t->chunk_shift));
   IRExpr* entry = binop(d, WORD_OP(Add), element_expr(d, d->base, n),
                         mk_word(from_base(t->table)));
   return element_expr(d, load(d, entry), slot);
}

/* The same, or that after the dummy slot if there is no such slot. */
static IRExpr* clip_slot(WsDraft* d, IRExpr* slot)
{
   UWord   dummy = WS_(stamp_table).dummy_slot;
   IRExpr* is_in = compare(d, VG_WORDSIZE == 8 ? Iop_CmpLT64U : Iop_CmpLT32U,
                           slot, mk_word(dummy));
   return assign(d, IRExpr_ITE(is_in, slot, mk_word(dummy + 1)));
}

static IRExpr* first_byte(WsDraft* d, const WsDraftGroup* g)
{
   return g->at ? g->at : address_expr(d, g->first, 0);
}

static IRExpr* stamp_of_group(WsDraft* d, const WsDraftGroup* g)
{
   IRExpr* first = page_expr(d, first_byte(d, g));
   IRExpr* last  = first;
   if (g->szB > 1)
      last = page_expr(d, address_expr(d, g->first, g->szB - 1));
   IRExpr* slot = binop(d, WORD_OP(Add), first, last);
   if (WS_(stamp_table).is_extended)
      slot = clip_slot(d, slot);
   if (g->guard) {
      // The address may be anything when the access does not happen.
      UWord dummy = WS_(stamp_table).dummy_slot;
      slot        = assign(d, IRExpr_ITE(g->guard, slot, mk_word(dummy)));
   }
   return slot_expr(d, slot);
}

/* What lies `offset` bytes behind the group's stamp.  Each use of a constant
   address needs a sum of its own. */
static IRExpr* beside_stamp(WsDraft* d, const WsDraftGroup* g, UWord offset)
{
   if (g->kind == Ws_Fixed) {
      WsPage page = WS_(page_of)(g->first.offset);
      if (WS_(stamp_table).chunk_shift != 0)
         return fixed_address(d, (HChar*)WS_(data_stamp)(page) + offset);
      return binop(d, WORD_OP(Add), flat_table(d),
                   mk_word(2 * page * sizeof(Word) + offset));
   }
   if (offset == 0)
      return g->stamp;
   return binop(d, WORD_OP(Add), g->stamp, mk_word(offset));
}

/* The groups by their latest access, or the latest one that writes: when two
   share a page, its stamp must be that of the later one. */
static void order_groups(const WsDraft* d, Bool by_write,
                         /*OUT*/ UInt order[WS_MAX_GROUPS])
{
   UInt when[WS_MAX_GROUPS];

   for (UInt g = 0; g < d->n_groups; g++) {
      UInt i  = g;
      when[g] = by_write ? d->groups[g].last_write : d->groups[g].last_instr;
      for (; i > 0 && when[order[i - 1]] > when[g]; i--)
         order[i] = order[i - 1];
      order[i] = g;
   }
}

static void do_data(WsDraft* d)
{
   UInt order[WS_MAX_GROUPS];

   order_groups(d, False, order);
   for (UInt i = 0; i < d->n_groups; i++) {
      WsDraftGroup* g = &d->groups[order[i]];
      if (g->kind == Ws_Other)
         continue;
      if (g->kind == Ws_Slotted)
         g->stamp = stamp_of_group(d, g);
      check_stamp(d, beside_stamp(d, g, 0));
      renew_stamp(d, beside_stamp(d, g, 0), g->last_instr);
   }
}

static void do_writes(WsDraft* d)
{
   UWord offset = WS_(stamp_table).writes_offset;
   UInt  order[WS_MAX_GROUPS];

   if (offset == 0)
      return;
   order_groups(d, True, order);
   for (UInt i = 0; i < d->n_groups; i++) {
      WsDraftGroup* g = &d->groups[order[i]];
      if (g->kind == Ws_Other || g->last_write == WS_NO_WRITE)
         continue;
      check_stamp(d, beside_stamp(d, g, offset));
      renew_stamp(d, beside_stamp(d, g, offset), g->last_write);
   }
}

/* Where the slow path finds the group's address. */
static void locate_group(WsDraft* d, UInt n, /*OUT*/ WsGroup* w)
{
   const WsDraftGroup* g = &d->groups[n];
   Int                 where;
   UWord               held;

   w->is_guarded = g->guard != NULL;
   w->n_accesses = g->n_accesses;
   w->szB        = g->kind == Ws_Slotted ? g->szB : 0;
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

   IRExpr* address = first_byte(d, g);
   if (g->guard)
      address = assign(d,
                       IRExpr_ITE(g->guard, address, mk_word(WS_NO_ADDRESS)));
   w->where = WS_ADDRESSES_OFFSET + n * sizeof(Addr);
   addStmtToIRSB(d->out, IRStmt_Put(w->where, address));
}

static Bool lacks_slot(const WsDraft* d)
{
   for (UInt g = 0; g < d->n_groups; g++)
      if (d->groups[g].kind == Ws_Other)
         return True;
   return False;
}

/* Whether generated code counts accesses. */
static Bool counts_accesses(const WsDraft* d)
{
   return WS_(stamp_table).counts_offset != 0 && !d->must_call;
}

static WsSegment* describe_segment(WsDraft* d, const WsDraftExits* exits)
{
   Bool      names_code  = WS_(clo).list_pages || WS_(clo_wants_stacks)();
   UInt      n_addresses = names_code ? d->n_instrs + 1 : 0;
   WsSegment like        = {.exit_kind   = exits->kind,
                            .n_exits     = exits->computed ? 1 : exits->n,
                            .exit_where  = exits->computed ? WS_EXIT_OFFSET
                                                           : WS_NOWHERE,
                            .n_addresses = n_addresses,
                            .n_instrs    = d->n_instrs,
                            .n_runs      = d->n_runs,
                            .n_groups    = d->n_groups,
                            .n_accesses  = d->n_accesses,
                            .is_counted  = counts_accesses(d)};

   WsSegment* seg = WS_(new_segment)(&like);
   for (UInt r = 0; r < d->n_runs; r++)
      WS_(runs_of)(seg)[r] = d->runs[r];
   for (UInt i = 0; i < seg->n_exits; i++)
      WS_(exits_of)(seg)[i] = exits->to[i];
   if (exits->computed)
      addStmtToIRSB(
         d->out, IRStmt_Put(WS_EXIT_OFFSET, deepCopyIRExpr(exits->computed)));
   for (UInt i = 0; i < seg->n_addresses; i++)
      WS_(addresses_of)(seg)[i] = d->addresses[i];
   for (UInt g = 0; g < d->n_groups; g++)
      locate_group(d, g, &WS_(groups_of)(seg)[g]);
   for (UInt i = 0; i < d->n_accesses; i++) {
      const WsDraftAccess* a   = &d->accesses[i];
      WS_(accesses_of)(seg)[i] = (WsAccess){
         .instr    = a->instr,
         .offset   = a->offset - d->groups[a->group].first.offset,
         .szB      = a->szB,
         .group    = a->group,
         .is_write = a->is_write};
   }
   return seg;
}

/* Whether the slow path is not needed, as a bit. */
static IRExpr* is_fine(WsDraft* d)
{
   IRExpr* gate = mk_word(WS_GATE_OPEN);
   if (d->n_runs > 0)
      gate = load(d, fixed_address(d, &d->runs[0].stamp->gate));
   return compare(d, VG_WORDSIZE == 8 ? Iop_CmpLT64S : Iop_CmpLT32S, d->ok,
                  gate);
}

/* Adds n to the word at an address that is made twice. */
static void add_count(WsDraft* d, IRExpr* from, IRExpr* to, UInt n)
{
   store(d, to, binop(d, WORD_OP(Add), load(d, from), mk_word(n)));
}

static void do_counts(WsDraft* d)
{
   UWord offset = WS_(stamp_table).counts_offset;

   if (!counts_accesses(d))
      return;
   for (UInt r = 0; r < d->n_runs; r++) {
      const WsCodeRun* run = &d->runs[r];
      const UWord*     n   = &run->stamp->n_accesses;
      add_count(d, fixed_address(d, n), fixed_address(d, n),
                run->last_instr - run->first_instr + 1);
   }
   for (UInt i = 0; i < d->n_groups; i++) {
      const WsDraftGroup* g = &d->groups[i];
      add_count(d, beside_stamp(d, g, offset), beside_stamp(d, g, offset),
                g->n_accesses);
   }
}

static void call_slow_path(WsDraft* d, const WsSegment* seg)
{
   IRDirty* call = unsafeIRDirty_0_N(1, "ws_do_segment",
                                     VG_(fnptr_to_fnentry)(WS_(do_segment)),
                                     mkIRExprVec_1(mk_word(seg->id)));

   if (!d->must_call)
      call->guard = assign_typed(d, Ity_I1, IRExpr_Unop(Iop_Not1, is_fine(d)));
   call->nFxState = 1; // it reads addresses
   VG_(memset)(&call->fxState[0], 0, sizeof call->fxState[0]);
   call->fxState[0].fx   = Ifx_Read;
   call->fxState[0].size = WS_EXIT_OFFSET + sizeof(Addr);
   addStmtToIRSB(d->out, IRStmt_Dirty(call));
}

WsSegment* WS_(emit_segment)(WsDraft* d, const WsDraftExits* exits)
{
   d->must_call = lacks_slot(d);
   count_instrs(d);
   WsSegment* seg = describe_segment(d, exits);
   do_code(d);
   do_data(d);
   do_writes(d);
   do_counts(d);
   call_slow_path(d, seg);
   return seg;
}
