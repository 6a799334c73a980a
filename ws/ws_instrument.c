/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_instrument.h"

#include "pub_tool_hashtable.h"
#include "pub_tool_transtab.h"
#include "ws_clo.h"
#include "ws_emit.h"
#include "ws_heapcalls.h"
#include "ws_intern.h"
#include "ws_ir.h"
#include "ws_pagemarks.h"
#include "ws_pool.h"
#include "ws_recount.h"
#include "ws_segment.h"
#include "ws_slowpath.h"
#include "ws_time.h"
#include "ws_unwind.h"

/* What must be known of a superblock when it is discarded. */
typedef struct {
   VgHashNode node;  // key: the guest address that it is entered by
   Addr       start; // guest address of the first instruction
   WsSegment* segments;
} Block;

/* The superblock being instrumented. */
typedef struct {
   Block*  block;
   WsDraft draft; // of its present segment
   // The access right before, if it is a load that always happens, and the
   // segment is still the same; else NULL.
   const IRExpr* loaded; // address
   UInt          loaded_szB;
   UInt          n_loaded; // accesses of the draft
   // For unwinding: where the superblock's statements are, and whether the
   // present instruction has moved the stack.
   const IRSB* sb;
   Int         i; // of the statement at hand
   Addr        next_ip;
   Bool        has_moved_stack;
   Bool        expects_faults; // before any instruction
} Instr;

static void begin_segment(Instr* in)
{
   in->draft.seg       = (WsSegment){.start = in->draft.addresses[0]};
   in->draft.must_call = False;
}

/* Ends the segment here: makes its code and its description, and begins the
   next one, whose instruction 0 is the last of this one.  A segment without
   instructions and accesses needs neither. */
static void end_segment_at(Instr* in, WsSegmentEnd end, Addr unwind_ip)
{
   WsDraft* d = &in->draft;

   in->loaded = NULL;
   if (d->seg.n_instrs == 0 && d->seg.n_accesses == 0)
      return;
   WS_(recount_emit_end)(d->out);
   d->seg.end          = end;
   d->seg.unwind_ip    = unwind_ip;
   WsSegment* seg      = WS_(emit_segment)(d);
   seg->next           = in->block->segments;
   in->block->segments = seg;
   WS_(work).descriptions_szB += WS_(segment_szB)(seg);
   WS_(work).n_segments++;
   WS_(work).n_accesses += d->seg.n_accesses;
   WS_(work).n_groups += d->seg.n_groups;
   d->addresses[0] = d->addresses[d->seg.n_instrs];
   begin_segment(in);
}

/* --- Ends, and what unwinding finds there --------------------------------- */

static Bool moves_stack(const IRStmt* st)
{
   Int offset = st->tag == Ist_Put ? st->Ist.Put.offset : -1;

   return offset == WS_(layout)->offset_SP || offset == WS_(layout)->offset_FP;
}

static Bool is_access(const IRStmt* st)
{
   switch (st->tag) {
   case Ist_WrTmp: return st->Ist.WrTmp.data->tag == Iex_Load;
   case Ist_Store:
   case Ist_StoreG:
   case Ist_LoadG:
   case Ist_CAS:
   case Ist_LLSC: return True;
   case Ist_Dirty: return st->Ist.Dirty.details->mFx != Ifx_None;
   default: return False;
   }
}

/* Tells whether the guest state has the stack pointer and the frame pointer
   before the i-th statement. VEX drops a PUT that another one follows before
   memory is accessed or control may leave; so no further one may come. */
static Bool is_settled(const IRSB* sb, Int i)
{
   for (; i < sb->stmts_used; i++) {
      if (moves_stack(sb->stmts[i]))
         return False;
      if (is_access(sb->stmts[i]) || sb->stmts[i]->tag == Ist_Exit)
         return True;
   }
   return True;
}

/* Ends the segment in the middle of a superblock, before its i-th statement,
   which belongs to the instruction at `ip`. */
static void end_segment(Instr* in, Int i, Addr ip)
{
   Bool settled = is_settled(in->sb, i) && !in->has_moved_stack;

   end_segment_at(in, settled ? Ws_Settled : Ws_Unsettled, ip);
}

/* Gives the address of the instruction at hand. */
static Addr present_ip(const Instr* in)
{
   return in->draft.addresses[in->draft.seg.n_instrs];
}

/* Recognizes a statement that only computes what a side exit or the
   superblock's end waits for; it accesses no memory. */
static Bool may_follow_segment(const IRStmt* st)
{
   return st->tag == Ist_NoOp ||
          (st->tag == Ist_WrTmp && st->Ist.WrTmp.data->tag != Iex_Load);
}

/* Tells whether only such statements come before the next side exit or the
   superblock's end. The code at the segment's end goes before them, so that
   fewer values have to survive it. */
static Bool is_last_part(const IRSB* sb, Int i)
{
   while (i < sb->stmts_used && may_follow_segment(sb->stmts[i]))
      i++;
   return i == sb->stmts_used || sb->stmts[i]->tag == Ist_Exit;
}

static Bool goes_to(const IRExpr* next, Addr ip)
{
   return next->tag == Iex_Const &&
          (VG_WORDSIZE == 8 ? next->Iex.Const.con->Ico.U64
                            : next->Iex.Const.con->Ico.U32) == ip;
}

/* Ends the segment at the superblock's end or a side exit. VEX has the
   guest state complete there, as the last instruction leaves it. A jump leaves
   the stack as it is. */
static void end_at_exit(Instr* in)
{
   Int i = in->i;

   while (i < in->sb->stmts_used && may_follow_segment(in->sb->stmts[i]))
      i++;
   Bool is_end = i == in->sb->stmts_used;
   if (is_end && in->sb->jumpkind == Ijk_Call)
      end_segment_at(in, Ws_Call, present_ip(in));
   else if (is_end && in->sb->jumpkind == Ijk_Ret)
      end_segment_at(in, Ws_Return, present_ip(in));
   else if (is_end && goes_to(in->sb->next, in->next_ip))
      end_segment_at(in, Ws_Settled, in->next_ip);
   else
      end_segment_at(in, in->has_moved_stack ? Ws_Unsettled : Ws_Settled,
                     present_ip(in));
}

/* --- Faults --------------------------------------------------------------- */

/* Segments that end before each instruction that may fault cost a third of the
   run's time in programs that handle many faults (node).  So they are for the
   code around faults that have been handled: pieces of this size. */
#define FAULTING_CODE_SHIFT 12

static WsPairs faulting_code; // of 0 and the number of the piece

static Bool has_faulted(const VexGuestExtents* vge)
{
   for (Int i = 0; i < vge->n_used; i++) {
      UWord first = vge->base[i] >> FAULTING_CODE_SHIFT;
      UWord last  = (vge->base[i] + vge->len[i] - 1) >> FAULTING_CODE_SHIFT;
      // A superblock is too short to reach over a piece between.
      if (WS_(pair_find)(&faulting_code, 0, first) != WS_NO_PAIR ||
          WS_(pair_find)(&faulting_code, 0, last) != WS_NO_PAIR)
         return True;
   }
   return False;
}

void WS_(expect_faults)(Addr ip)
{
   UWord piece    = ip >> FAULTING_CODE_SHIFT;
   UInt  n_before = faulting_code.n;

   if (WS_(pair_number)(&faulting_code, 0, piece) < n_before)
      return;
   WS_(recount_first_fault)();
   VG_(discard_translations)((Addr)piece << FAULTING_CODE_SHIFT,
                             1ULL << FAULTING_CODE_SHIFT, "ws");
}

/* Recognizes divisions, which stand together in libvex_ir.h. By zero, they
   fault on some hosts; to expect it of all does no harm. */
static Bool is_division(const IRStmt* st)
{
   const IRExpr* e = st->tag == Ist_WrTmp ? st->Ist.WrTmp.data : NULL;

   return e && e->tag == Iex_Binop && Iop_DivU32 <= e->Iex.Binop.op &&
          e->Iex.Binop.op <= Iop_DivModU32to32;
}

/* Tells whether the instruction whose IMark is the i-th statement may fault. */
static Bool may_fault(const IRSB* sb, Int i)
{
   while (++i < sb->stmts_used && sb->stmts[i]->tag != Ist_IMark)
      if (is_access(sb->stmts[i]) || is_division(sb->stmts[i]))
         return True;
   return False;
}

/* Makes VEX execute a division here. It computes a value that is used once
   where it is used, which may be in a later segment, but a division that may
   fault must not wait: its result is put into the shadow, where nobody reads
   it. */
static void divide_now(Instr* in, IRTemp result)
{
   IRSB*   out   = in->draft.out;
   IRExpr* value = IRExpr_RdTmp(result);

   if (typeOfIRTemp(out->tyenv, result) == Ity_I128)
      value = WS_(ir_assign)(out, Ity_I64, IRExpr_Unop(Iop_128to64, value));
   addStmtToIRSB(out, IRStmt_Put(WS_ADDRESSES_OFFSET, value));
}

/* --- The middle of a segment --------------------------------------------- */

/* Adds the fetch of an instruction from a page, or a line. If it comes right
   after another one from there, it only makes that one longer. */
static void add_fetch(WsDraft* d, WsCodePage* page)
{
   // A page that the previous instruction was in, too.
   for (UInt i = d->seg.n_fetches; i > 0; i--) {
      WsFetch* f = &d->fetches[i - 1];
      if (f->page == page && f->last_instr + 1 >= (Int)d->seg.n_instrs) {
         f->last_instr = d->seg.n_instrs;
         return;
      }
   }
   d->fetches[d->seg.n_fetches++] = (WsFetch){.page        = page,
                                              .first_instr = d->seg.n_instrs,
                                              .last_instr  = d->seg.n_instrs};
}

/* Decides whether the segment ends here: when the draft has no room for another
   instruction; or when it has its usual length and unwinding would work. */
static Bool is_full(const Instr* in, UInt szB)
{
   const WsDraft* d = &in->draft;

   return d->seg.n_instrs == WS_MAX_SEGMENT_INSTRS ||
          d->seg.n_fetches + szB > WS_MAX_FETCHES ||
          (d->seg.n_instrs >= WS_USUAL_SEGMENT_INSTRS &&
           is_settled(in->sb, in->i));
}

/* Begins an instruction: ends the segment before it if need be, and adds its
   fetches, one for each page or line that it lies in.  `ip` is the address as
   the guest has it: it may say what is there, too (as Thumb code does). */
static void add_instr(Instr* in, Addr a, Addr ip, UInt szB)
{
   WsDraft* d     = &in->draft;
   UInt     shift = WS_(clo).code_lines ? WS_LINE_SHIFT : WS_(page_shift);
   Addr     mask  = ((Addr)1 << shift) - 1;

   in->has_moved_stack = False;
   in->next_ip         = ip + szB;
   if (is_full(in, szB) || (in->expects_faults && may_fault(in->sb, in->i)))
      end_segment(in, in->i, ip);
   WS_(recount_emit_instr)(d->out, a, szB,
                           d->seg.n_instrs == 0 && d->seg.n_accesses == 0);
   in->loaded                      = NULL;
   d->addresses[++d->seg.n_instrs] = ip;
   for (Addr at = a; at - a < szB; at = (at | mask) + 1)
      add_fetch(d, WS_(clo).code_lines ? WS_(code_line)(at)
                                       : WS_(code_page)(WS_(page_of)(at)));
}

/* Tells whether accesses may become a group of this size. Larger groups are
   fewer, but more of them straddle pages, which costs a call for each border in
   an interval. */
static Bool may_span(UWord szB)
{
   UWord quarter = VG_MAX(WS_(clo).page_szB / 4, 8);

   return szB <= VG_MIN(quarter, 4096);
}

/* Makes the group begin with the access at `at`, `distance` bytes earlier. */
static void begin_earlier(WsDraft* d, WsDraftGroup* g, WsAddress a, IRExpr* at,
                          UWord distance)
{
   g->first = a;
   g->at    = at;
   for (UInt n = 0; n < d->seg.n_accesses; n++)
      if (d->accesses[n].group == g - d->groups)
         d->accesses[n].offset += distance;
}

/* Makes the group span the access at `at` as well, if that is possible.

      the group            [first ..... szB)
      behind its first             [a ..... szB)
      before it      [a .... szB) */
static Bool extend_group(WsDraft* d, WsDraftGroup* g, WsGroupKind kind,
                         WsAddress a, IRExpr* at, UInt szB)
{
   if (g->kind != kind || g->guard || g->first.root != a.root)
      return False;

   // Distances wrap around as addresses do.
   UWord behind = a.offset - g->first.offset, before = -behind;
   if (kind != Ws_Slotted)
      return kind == Ws_Fixed && behind == 0;
   Bool  is_before = (Word)behind < 0;
   UWord group_end = is_before ? before + g->group.szB : g->group.szB;
   UWord a_end     = is_before ? szB : behind + szB;
   UWord end       = VG_MAX(group_end, a_end);
   if (end > g->group.szB && !may_span(end))
      return False;
   if (is_before)
      begin_earlier(d, g, a, at, before);
   g->group.szB = end;
   return True;
}

/* Groups are in the order of their first accesses; the slow path relies on
   it. */
static WsDraftGroup* new_group(WsDraft* d, WsGroupKind kind, WsAddress first,
                               IRExpr* at, UInt szB, IRExpr* guard)
{
   WsDraftGroup* g = &d->groups[d->seg.n_groups++];

   d->must_call |= kind == Ws_Other;
   *g = (WsDraftGroup){.group = {.szB         = szB,
                                 .first_instr = d->seg.n_instrs,
                                 .is_guarded  = guard != NULL,
                                 .is_counted  = kind != Ws_Other},
                       .kind  = kind,
                       .first = first,
                       .at    = at,
                       .guard = guard};
   return g;
}

/* Adds an access to a group of this kind. */
static void add_to_group(WsDraft* d, WsGroupKind kind, WsAddress a, IRExpr* at,
                         UInt szB, IRExpr* guard)
{
   WsDraftGroup* g   = d->groups;
   WsDraftGroup* end = g + d->seg.n_groups;

   while (g < end && (guard || !extend_group(d, g, kind, a, at, szB)))
      g++;
   if (g == end)
      g = new_group(d, kind, a, at, szB, guard);
   d->accesses[d->seg.n_accesses++] = (WsAccess){.group  = g - d->groups,
                                                 .instr  = d->seg.n_instrs,
                                                 .szB    = szB,
                                                 .offset = a.offset -
                                                           g->first.offset};
   g->n_accesses++;
}

/* Adds an access to a page that is known now. */
static void add_fixed_access(WsDraft* d, WsPage page)
{
   WsAddress a = {.root = IRTemp_INVALID, .offset = WS_(page_start)(page)};

   add_to_group(d, Ws_Fixed, a, NULL, 1, NULL);
}

/* Adds an access of the present instruction, or two, for two pages, and says
   how many. It counts when the guard, if there is one, holds. The statement
   that makes it has been copied already. */
static UInt add_access(Instr* in, IRExpr* at, UInt szB, IRExpr* guard)
{
   WsDraft*  d        = &in->draft;
   WsAddress a        = WS_(address_of)(at);
   WsPage    first    = WS_(page_of)(a.offset);
   WsPage    last     = WS_(page_of)(a.offset + szB - 1);
   Bool      has_slot = szB <= WS_(clo).page_szB;

   tl_assert(szB > 0 && szB < 65536);
   // There must be room for two.
   if (d->seg.n_groups + 2 > WS_MAX_GROUPS ||
       d->seg.n_accesses + 2 > WS_MAX_ACCESSES)
      end_segment(in, in->i + 1, present_ip(in));
   if (a.root != IRTemp_INVALID || guard || !has_slot) {
      add_to_group(d, has_slot ? Ws_Slotted : Ws_Other, a, at, szB, guard);
   } else if (!WS_(is_in_reach)(first) || !WS_(is_in_reach)(last)) {
      add_to_group(d, Ws_Other, a, at, szB, NULL);
   } else {
      add_fixed_access(d, first);
      if (last != first) {
         add_fixed_access(d, last);
         return 2;
      }
   }
   return 1;
}

/* --- Statements --------------------------------------------------------- */

/* Gives the guard of an access, or NULL if it always holds. */
static IRExpr* guard_of(IRExpr* guard)
{
   return guard->tag == Iex_Const && guard->Iex.Const.con->Ico.U1 ? NULL
                                                                  : guard;
}

static UInt type_szB(const Instr* in, const IRExpr* e)
{
   return sizeofIRType(typeOfIRExpr(in->draft.out->tyenv, e));
}

typedef enum { Read, Write, Modify } How;

/* Adds the access of the statement at hand. Like Valgrind's other tracers, it
   takes a load and a store right after it to the same place for one access. */
static void access(Instr* in, How how, IRExpr* address, UInt szB, IRExpr* guard)
{
   WsDraft* d         = &in->draft;
   Bool     is_merged = how == Write && !guard && in->loaded &&
                    in->loaded_szB == szB && eqIRAtom(in->loaded, address);

   if (!is_merged)
      in->n_loaded = add_access(in, address, szB, guard);
   WS_(recount_emit_access)(d->out, address, szB, guard,
                            (how == Read ? Ws_Loads : Ws_Stores) |
                               (is_merged ? Ws_IsMerged : 0));
   for (UInt n = 1; how != Read && n <= in->n_loaded; n++) {
      WsAccess* a                        = &d->accesses[d->seg.n_accesses - n];
      a->is_write                        = True;
      d->groups[a->group].group.is_write = True;
   }
   in->loaded     = how == Read && !guard ? address : NULL;
   in->loaded_szB = szB;
}

/* Adds an access that is never merged with others. */
static void access_alone(Instr* in, How how, IRExpr* address, UInt szB,
                         IRExpr* guard)
{
   in->loaded = NULL;
   access(in, how, address, szB, guard);
   in->loaded = NULL;
}

static void access_loadg(Instr* in, const IRLoadG* lg)
{
   IRType result, loaded;
   typeOfIRLoadGOp(lg->cvt, &result, &loaded);
   access_alone(in, Read, lg->addr, sizeofIRType(loaded), guard_of(lg->guard));
}

static void access_cas(Instr* in, const IRCAS* cas)
{
   UInt szB = type_szB(in, cas->dataLo);
   access(in, Modify, cas->addr, cas->dataHi ? 2 * szB : szB, NULL);
}

/* Adds the memory that a helper accesses, if its guard holds. Valgrind's other
   tracers ignore the guard: xsave with a mask counts what it does not store. */
static void access_dirty(Instr* in, const IRDirty* d)
{
   How how = d->mFx == Ifx_Read ? Read : d->mFx == Ifx_Write ? Write : Modify;

   if (d->mFx == Ifx_None)
      return;
   access(in, how, d->mAddr, d->mSize, guard_of(d->guard));
}

static void instrument_stmt(Instr* in, IRStmt* st)
{
   IRSB* out = in->draft.out;

   WS_(address_learn)(out->tyenv, st);
   in->has_moved_stack |= moves_stack(st);
   // Other stores between load-linked and store-conditional may break the link:
   // what is due goes before.
   if (st->tag == Ist_LLSC && !st->Ist.LLSC.storedata)
      end_segment(in, in->i, present_ip(in));
   if (st->tag != Ist_NoOp)
      addStmtToIRSB(out, st);
   switch (st->tag) {
   case Ist_NoOp:
   case Ist_AbiHint:
   case Ist_Put:
   case Ist_PutI:
   case Ist_MBE:
   case Ist_Exit: break; // the segment has been ended

   case Ist_IMark:
      // What can't be decoded has no length.
      add_instr(in, st->Ist.IMark.addr,
                st->Ist.IMark.addr + st->Ist.IMark.delta,
                st->Ist.IMark.len ? st->Ist.IMark.len : 1);
      break;

   case Ist_WrTmp: {
      const IRExpr* e = st->Ist.WrTmp.data;
      if (e->tag == Iex_Load)
         access(in, Read, e->Iex.Load.addr, sizeofIRType(e->Iex.Load.ty), NULL);
      if (in->expects_faults && is_division(st))
         divide_now(in, st->Ist.WrTmp.tmp);
      break;
   }

   case Ist_Store:
      access(in, Write, st->Ist.Store.addr, type_szB(in, st->Ist.Store.data),
             NULL);
      break;

   case Ist_StoreG: {
      const IRStoreG* sg = st->Ist.StoreG.details;
      access_alone(in, Write, sg->addr, type_szB(in, sg->data),
                   guard_of(sg->guard));
      break;
   }

   case Ist_LoadG: access_loadg(in, st->Ist.LoadG.details); break;

   case Ist_CAS: access_cas(in, st->Ist.CAS.details); break;

   case Ist_LLSC: {
      IRExpr* stored = st->Ist.LLSC.storedata;
      IRTemp  result = st->Ist.LLSC.result;
      access_alone(in, stored ? Write : Read, st->Ist.LLSC.addr,
                   type_szB(in, stored ? stored : IRExpr_RdTmp(result)), NULL);
      break;
   }

   case Ist_Dirty: access_dirty(in, st->Ist.Dirty.details); break;

   default: ppIRStmt(st); VG_(tool_panic)("ws: unknown statement");
   }
}

/* --- Superblocks -------------------------------------------------------- */

static VgHashTable* blocks;

static Block* new_block(Addr entry, Addr start)
{
   Block* block    = WS_(pool_take)(sizeof *block);
   block->node.key = entry;
   block->start    = start;
   block->segments = NULL;
   if (!blocks)
      blocks = VG_(HT_construct)("ws.instrument.blocks");
   VG_(HT_add_node)(blocks, block);
   WS_(work).n_blocks++;
   return block;
}

/* Gives back the descriptions.  No code refers to them any more: the core
   has unlinked the translation. */
static void free_block(Block* block)
{
   for (WsSegment* seg = block->segments; seg;) {
      WsSegment* next = seg->next;
      SizeT      szB  = WS_(segment_szB)(seg);
      WS_(work).descriptions_szB -= szB;
      WS_(pool_give)(seg, szB);
      seg = next;
   }
   WS_(pool_give)(block, sizeof *block);
}

/* Goes through the superblock once.  At each place where control may leave
   it, the segment so far ends, before what the exit waits for.  What is not
   measured is not instrumented: WS_(run_switch) has it translated again. */
IRSB* WS_(instrument)(VgCallbackClosure* closure, IRSB* sbIn,
                      const VexGuestLayout* layout, const VexGuestExtents* vge,
                      const VexArchInfo* archinfo, IRType gWordTy,
                      IRType hWordTy)
{
   static Instr in; // large, and there is only one at a time
   Int          i = 0;

   if (!WS_(time).is_on && !WS_(clo).heap)
      return sbIn;
   // This takes as long as thousands of instructions.
   if (WS_(time).is_on && WS_(clo).is_clocked)
      WS_(look_at_clock)(closure->tid, Ws_Executed);
   tl_assert(gWordTy == hWordTy && gWordTy == WORD_TY);
   tl_assert(layout->total_sizeB == sizeof(VexGuestArchState));
   WS_(layout) = layout;

   in.draft.out = deepCopyIRSBExceptStmts(sbIn);
   // What comes before the first instruction is Valgrind's own: the check
   // whether the code has been modified.
   for (; i < sbIn->stmts_used && sbIn->stmts[i]->tag != Ist_IMark; i++)
      addStmtToIRSB(in.draft.out, sbIn->stmts[i]);
   if (i == sbIn->stmts_used)
      return in.draft.out;
   const Addr start = sbIn->stmts[i]->Ist.IMark.addr;
   if (WS_(clo).heap)
      WS_(heapcalls_emit)(in.draft.out, start,
                          start + sbIn->stmts[i]->Ist.IMark.delta);
   for (; !WS_(time).is_on && i < sbIn->stmts_used; i++)
      addStmtToIRSB(in.draft.out, sbIn->stmts[i]);
   if (i == sbIn->stmts_used)
      return in.draft.out;

   in.block          = new_block(closure->nraddr, start);
   in.sb             = sbIn;
   in.expects_faults = has_faulted(vge);
   WS_(address_begin)(sbIn->tyenv);
   in.draft.addresses[0] = in.block->start;
   begin_segment(&in);
   for (; i < sbIn->stmts_used; i++) {
      in.i = i;
      if (is_last_part(sbIn, i))
         end_at_exit(&in);
      instrument_stmt(&in, sbIn->stmts[i]);
   }
   in.i = i;
   end_at_exit(&in);
   return in.draft.out;
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

void WS_(discard_all)(void)
{
   VG_(discard_translations)(0, ~(ULong)0, "ws");
}
