/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_emit.h"

#include "pub_tool_machine.h"
#include "ws_pagemarks.h"
#include "ws_pool.h"
#include "ws_slowpath.h"

/* --- Marks and counts ----------------------------------------------------- */

/* The code of ws_pagemarks.h's lookups: from an address to a slot, from a slot
   to its entry in a table, and from there to a mark. */

/* A slot: the sum of two words, one word, or a constant. VEX adds two words to
   the table's address in one address mode, at no cost, but not if the sum is
   used twice. */
typedef struct {
   IRExpr* a; // NULL: it is `known`
   IRExpr* b; // NULL: `a` is all
   UWord   known;
} SlotExpr;

/* Gives the address of the table: of slot 0, or of the directory.  One that has
   been extended is known by a constant in the code, for the words in the shadow
   never change (ws_pagemarks.h). */
static IRExpr* emit_table(IRSB* sb, const WsTable* t)
{
   if (WS_(slots).is_extended)
      return WS_(ir_word)(t->memory);
   return WS_(ir_get)(sb,
                      t == &WS_(marks) ? WS_MARKS_OFFSET : WS_COUNTS_OFFSET);
}

static IRExpr* emit_page(IRSB* sb, IRExpr* address)
{
   return WS_(ir_shift)(sb, WORD_OP(Shr), address, WS_(page_shift));
}

/* Gives the slot of the bytes from the first to the last (NULL: the first),
   which are no more than a page.  `guard` (or NULL) says whether the access
   happens.

   What must stay true: the slot of any access that may happen is in the
   table, wherever the program points it.  A flat table needs no test, for
   Valgrind maps nothing for the client beyond its reach, and a fault comes
   before this code.  An extended one tests for addresses beyond. */
static SlotExpr emit_slot(IRSB* sb, IRExpr* first_byte, IRExpr* last_byte,
                          IRExpr* guard)
{
   const WsSlots* s     = &WS_(slots);
   IRExpr*        first = emit_page(sb, first_byte);
   IRExpr*        last;

   if (last_byte)
      last = emit_page(sb, last_byte);
   else
      last = first = WS_(ir_kept)(sb, first);
   if (s->is_extended)
      last = WS_(ir_kept)(sb, last);
   IRExpr* times = WS_(ir_shift)(sb, WORD_OP(Shl), last, s->last_shift);

   if (s->chunk_shift == 0 && !s->has_counts && !guard)
      return (SlotExpr){first, times};

   IRExpr* slot = WS_(ir_add)(sb, first, times);
   if (s->is_extended) {
      IRExpr* is_in = WS_(ir_less)(sb, False, last, WS_(ir_word)(s->n_pages));
      slot = WS_(ir_if)(sb, is_in, slot, WS_(ir_word)(WS_(beyond_slot)()));
   }
   if (guard) // if it does not hold, the address may be anything
      slot = WS_(ir_if)(sb, guard, slot, WS_(ir_word)(WS_(dummy_slot)()));
   return (SlotExpr){WS_(ir_kept)(sb, slot), NULL};
}

/* Gives the address of the slot's chunk. */
static IRExpr* emit_chunk(IRSB* sb, IRExpr* directory, SlotExpr slot)
{
   UInt shift = WS_(slots).chunk_shift;

   if (!slot.a)
      return WS_(ir_load)(
         sb, WS_(ir_plus)(sb, directory, slot.known >> shift << WORD_LOG2));
   IRExpr* n = WS_(ir_shift)(sb, WORD_OP(Shr), slot.a, shift);
   n         = WS_(ir_shift)(sb, WORD_OP(Shl), n, WORD_LOG2);
   return WS_(ir_load)(sb, WS_(ir_add)(sb, directory, n));
}

/* Gives the address that is `plus` after that of a slot's entry; `memory` is
   that of the table. */
static IRExpr* emit_entry(IRSB* sb, const WsTable* t, IRExpr* memory,
                          SlotExpr slot, UWord plus)
{
   if (WS_(slots).chunk_shift != 0)
      memory = emit_chunk(sb, memory, slot);
   if (!slot.a)
      return WS_(ir_plus)(sb, memory, (slot.known << t->unit_log2) + plus);

   // Shifted, if only by 0: VEX makes an address mode of that, not of a sum.
   IRExpr* a = slot.a;
   if (!slot.b)
      a = WS_(ir_shift)(sb, WORD_OP(Shl), a, t->unit_log2);
   IRExpr* entry = WS_(ir_add)(sb, memory, a);
   if (slot.b)
      entry = WS_(ir_add)(sb, entry, slot.b);
   return WS_(ir_plus)(sb, entry, plus);
}

/* Gives a word that is negative iff the slot's mark is set: of accesses, or of
   writes.

   VEX has no load of a byte that extends the sign at no cost.  Where words may
   lie anywhere, a word is loaded of which the mark's byte is the highest. */
static IRExpr* emit_mark(IRSB* sb, IRExpr* memory, SlotExpr slot, Bool is_write)
{
   Word offset = is_write ? WS_WRITE_OFFSET : 0;

#if defined(VGA_mips32) || defined(VGA_mips64) || defined(VGA_nanomips) ||     \
   defined(VGA_riscv64)
   IRExpr* at   = emit_entry(sb, &WS_(marks), memory, slot, offset);
   IRExpr* byte = WS_(ir_part)(sb, Ity_I8, IRExpr_Load(HOST_END, Ity_I8, at));
   IROp    op   = VG_WORDSIZE == 8 ? Iop_8Sto64 : Iop_8Sto32;
   return WS_(ir_part)(sb, WORD_TY, IRExpr_Unop(op, byte));
#else
   if (HOST_END == Iend_LE)
      offset -= VG_WORDSIZE - 1;
   return WS_(ir_load)(sb, emit_entry(sb, &WS_(marks), memory, slot, offset));
#endif
}

/* --- Segments ------------------------------------------------------------- */

/* Gives the address of a word in WS_(shared), or near it. Each use needs a sum
   of its own, so that VEX makes a displacement of it. */
static IRExpr* shared_address(WsDraft* d, const void* word)
{
   return WS_(ir_plus)(d->out, d->shared, (Addr)word - (Addr)&WS_(shared));
}

/* Gives the counter's new value.  It is stored even if it is the same: a store
   comes before all use of addresses, so that VEX can't move a load of the
   client's, which may fault, behind what would fault with the same address. */
static IRExpr* count_instrs(WsDraft* d)
{
   Bool    is_pinned = LibVEX_PinnedWord != NULL;
   IRExpr* at        = is_pinned ? WS_(ir_word)((Addr)LibVEX_PinnedWord)
                                 : d->shared; // its first member
   IRExpr* counter   = WS_(ir_load)(d->out, at);

   counter = WS_(ir_plus)(d->out, counter, d->seg.n_instrs);
   if (!is_pinned)
      counter = WS_(ir_kept)(d->out, counter);
   WS_(ir_store)(d->out, at, counter);
   // VEX adds to a register in place, if nobody else wants the sum.
   return is_pinned ? WS_(ir_load)(d->out, at) : counter;
}

/* Gives an address as IR: root + offset + plus, or a constant if it has no
   root. */
static IRExpr* address_expr(WsDraft* d, WsAddress a, UWord plus)
{
   UWord offset = a.offset + plus;

   if (a.root == IRTemp_INVALID)
      return WS_(ir_word)(offset);
   return WS_(ir_plus)(d->out, IRExpr_RdTmp(a.root), offset);
}

static IRExpr* first_byte(WsDraft* d, const WsDraftGroup* g)
{
   return g->at ? g->at : address_expr(d, g->first, 0);
}

/* Gives the slot of the group's first and last bytes. A single byte cannot
   straddle pages, and needs no second look. */
static SlotExpr slot_of_group(WsDraft* d, const WsDraftGroup* g)
{
   IRExpr* last = NULL;

   if (g->kind == Ws_Fixed)
      return (SlotExpr){.known = WS_(slot_of)(WS_(page_of)(g->first.offset))};
   if (g->group.szB > 1)
      last = address_expr(d, g->first, g->group.szB - 1);
   return emit_slot(d->out, first_byte(d, g), last, g->guard);
}

/* Adds n to the word at an address that is given twice. */
static void add_count(WsDraft* d, IRExpr* from, IRExpr* to, UInt n)
{
   WS_(ir_store)(d->out, to,
                 WS_(ir_plus)(d->out, WS_(ir_load)(d->out, from), n));
}

static void count_group(WsDraft* d, const WsDraftGroup* g, SlotExpr slot)
{
   if (!d->counts)
      d->counts = emit_table(d->out, &WS_(counts));
   IRExpr* entry = WS_(ir_kept)(
      d->out, emit_entry(d->out, &WS_(counts), d->counts, slot, 0));

   add_count(d, entry, entry, g->n_accesses);
}

/* Tells whether accesses are counted after the call, which may have to make the
   chunks for the counts. */
static Bool counts_late(void)
{
   return WS_(slots).has_counts && WS_(slots).chunk_shift != 0;
}

/* ANDs in the marks of all groups. A page that was written has been accessed,
   too, so the write mark alone will do for a write. */
static IRExpr* check_data(WsDraft* d, IRExpr* all)
{
   for (UInt i = 0; i < d->seg.n_groups; i++) {
      const WsDraftGroup* g = &d->groups[i];
      if (!g->group.is_counted)
         continue;
      if (!d->marks)
         d->marks = emit_table(d->out, &WS_(marks));
      Bool     of_write = g->group.is_write && WS_(slots).has_writes;
      SlotExpr slot     = slot_of_group(d, g);
      IRExpr*  mark     = emit_mark(d->out, d->marks, slot, of_write);
      all               = WS_(ir_binop)(d->out, WORD_OP(And), all, mark);
      if (WS_(slots).has_counts && !counts_late())
         count_group(d, g, slot);
   }
   return all;
}

/* ANDs in the marks of all code pages but the first one, whose mark is what the
   sum is compared with in the end. They are 0 or the smallest number, so they
   are inverted to be negative when set. */
static IRExpr* check_code(WsDraft* d, IRExpr* all)
{
   for (UInt i = 1; i < d->seg.n_fetches; i++) {
      IRExpr* mark = WS_(ir_load)(d->out,
                                  shared_address(d, &d->fetches[i].page->mark));
      mark = WS_(ir_part)(d->out, WORD_TY, IRExpr_Unop(WORD_OP(Not), mark));
      all  = WS_(ir_binop)(d->out, WORD_OP(And), all, mark);
   }
   return all;
}

/* Tells the slow path where it finds the group's address. */
static void locate_group(WsDraft* d, UInt n, /*OUT*/ WsGroup* w)
{
   const WsDraftGroup* g = &d->groups[n];
   Int                 where;
   UWord               offset;

   *w = g->group;
   if (!g->guard && g->first.root == IRTemp_INVALID) {
      w->where = WS_NOWHERE;
      w->plus  = g->first.offset;
      return;
   }
   if (!g->guard && WS_(address_in_guest)(g->first.root, &where, &offset)) {
      w->where = where;
      w->plus  = g->first.offset - offset;
      return;
   }

   IRExpr* address = first_byte(d, g);
   if (g->guard)
      address = WS_(ir_if)(d->out, g->guard, address,
                           WS_(ir_word)(WS_NO_ADDRESS));
   w->where = WS_ADDRESSES_OFFSET + n * sizeof(Addr);
   addStmtToIRSB(d->out, IRStmt_Put(w->where, address));
}

/* Copies the draft into one piece of memory, in the order that ws_segment.h
   defines. */
static WsSegment* describe_segment(WsDraft* d)
{
   WsSegment* seg = WS_(pool_take)(WS_(segment_szB)(&d->seg));

   *seg = d->seg;
   VG_(memcpy)(WS_(fetches_of)(seg), d->fetches,
               seg->n_fetches * sizeof(WsFetch));
   for (UInt i = 0; i <= seg->n_instrs; i++)
      WS_(offsets_of)(seg)[i] = d->addresses[i] - seg->start;
   for (UInt g = 0; g < seg->n_groups; g++)
      locate_group(d, g, &WS_(groups_of)(seg)[g]);
   VG_(memcpy)(WS_(accesses_of)(seg), d->accesses,
               seg->n_accesses * sizeof(WsAccess));
   return seg;
}

IRDirty* WS_(guest_call)(const HChar* name, void* helper, UWord arg,
                         UInt read_szB)
{
   // x86 passes the guest state's address on the stack only.
   IRDirty* call = unsafeIRDirty_0_N(
      1, name, VG_(fnptr_to_fnentry)(helper),
      mkIRExprVec_2(WS_(ir_word)(arg), WS_GUEST_EXPR()));

   call->nFxState = 1;
   VG_(memset)(&call->fxState[0], 0, sizeof call->fxState[0]);
   call->fxState[0].fx   = Ifx_Read;
   call->fxState[0].size = read_szB;
   return call;
}

/* Calls the tool unless all < mark of the first code page: `all` is negative
   if time has not passed the stop and all other marks are set, and nothing
   is below the mark of a page that is not marked.  The call declares that it
   reads the guest state up to the shadow's addresses, so that VEX has these
   in place; it writes none. */
static void call_slow_path(WsDraft* d, const WsSegment* seg, IRExpr* all)
{
   IRDirty* call = WS_(guest_call)("ws_slowpath", WS_(slowpath), (Addr)seg,
                                   WS_SHADOW_END);

   if (!d->must_call) {
      IRExpr* mark = WS_(ir_word)(WS_MARKED);
      if (d->seg.n_fetches > 0)
         mark = WS_(ir_load)(d->out,
                             shared_address(d, &d->fetches[0].page->mark));
      IRExpr* is_all_marked = WS_(ir_less)(d->out, True, all, mark);
      call->guard           = WS_(ir_part)(d->out, Ity_I1,
                                 IRExpr_Unop(Iop_Not1, is_all_marked));
   }
   addStmtToIRSB(d->out, IRStmt_Dirty(call));
}

static void count_fetches(WsDraft* d)
{
   for (UInt i = 0; i < d->seg.n_fetches; i++) {
      const WsFetch* f = &d->fetches[i];
      const UWord*   n = &f->page->n_accesses;
      add_count(d, shared_address(d, n), shared_address(d, n),
                f->last_instr - f->first_instr + 1);
   }
}

/* The order of the parts matters. The counter is stored first (count_instrs
   says why). The description comes before the checks, for it may put addresses
   into the shadow. Counts come before the call, which adds what generated code
   does not count; where chunks may be missing, they come after it. */
WsSegment* WS_(emit_segment)(WsDraft* d)
{
   d->shared = WS_(ir_get)(d->out, WS_SHARED_OFFSET);
   d->marks = d->counts = NULL;

   IRExpr*    all = count_instrs(d);
   WsSegment* seg = describe_segment(d);

   if (WS_(slots).has_counts)
      count_fetches(d);
   all = check_data(d, all);
   all = check_code(d, all);
   call_slow_path(d, seg, all);
   for (UInt i = 0; counts_late() && i < d->seg.n_groups; i++)
      if (d->groups[i].group.is_counted)
         count_group(d, &d->groups[i], slot_of_group(d, &d->groups[i]));
   return seg;
}
