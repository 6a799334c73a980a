/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* The description of a segment, which is made when it is translated.

   A segment is a part of a superblock that is executed as a whole: it ends
   before the next side exit.  Its instructions are known, and the places of its
   accesses relative to a few addresses.  Generated code checks at its end
   whether all its pages are marked (ws_pagemarks.h), and calls the tool with
   the description if not (ws_slowpath.h). */

#ifndef WS_SEGMENT_H
#define WS_SEGMENT_H

#include "ws_base.h"
#include "ws_pagemarks.h"

/* Neighbouring instructions of a segment that are fetched from one page.  An
   instruction that straddles two pages is in two of these. */
typedef struct {
   WsCodePage* page;
   UShort      first_instr;
   UShort      last_instr;
} WsFetch;

/* Accesses at fixed distances from each other, or a single access, or all
   accesses to constant addresses in one page.  The address of the first byte is
   the word at `where` in the guest state or its shadow, plus `plus`. */
typedef struct {
   UWord  plus;
   UShort where;       // WS_NOWHERE: the address is `plus`
   UShort szB;         // up to the last byte that any of them accesses
   UChar  first_instr; // that makes one of them
   Bool   is_guarded;
   Bool   is_write;   // one of them is
   Bool   is_counted; // by generated code, unless it straddles pages
} WsGroup;

#define WS_NOWHERE 0xFFFF

/* What the word holds if the access of a guarded group does not happen. */
#define WS_NO_ADDRESS (~(Addr)0)

/* An access to [address of group + offset, ... + szB).  Instructions are
   numbered from 1; 0 is the last instruction of the previous segment, if that
   ended in the middle of it. */
typedef struct {
   UShort instr;
   UShort offset;
   UShort szB;
   UChar  group;
   UChar  is_write; // possibly a read as well
} WsAccess;

/* Longer segments need fewer checks, but more code for each. One is longer than
   usual only where stacks cannot be unwound at the usual end. */
#define WS_USUAL_SEGMENT_INSTRS 16
#define WS_MAX_SEGMENT_INSTRS   32
#define WS_MAX_FETCHES          96
#define WS_MAX_ACCESSES         192 // numbers of all of them fit into a byte

/* The stack pointer in the guest state at a segment's end. */
typedef enum {
   Ws_Settled,  // as the instruction at `unwind_ip` finds it
   Ws_Call,     // the same, but for what the last instruction, a call, pushes
   Ws_Return,   // ... for what the last instruction, a return, pops
   Ws_Unsettled // not known
} WsSegmentEnd;

/* Its fetches, groups, offsets of instructions and accesses follow it in
   memory. Caches do not hold the descriptions of a program, so what the slow
   path reads first lies together. */
typedef struct _WsSegment {
   struct _WsSegment* next; // of the same superblock: the one before
   Addr               unwind_ip;
   Addr               start; // of instruction 0
   UChar              n_instrs;
   UChar              n_fetches;
   UChar              n_groups;
   UChar              n_accesses;
   UChar              end; // WsSegmentEnd
} WsSegment;

static inline WsFetch* WS_(fetches_of)(const WsSegment* seg)
{
   return (WsFetch*)(Addr)(seg + 1);
}

static inline WsGroup* WS_(groups_of)(const WsSegment* seg)
{
   return (WsGroup*)(WS_(fetches_of)(seg) + seg->n_fetches);
}

/* Gives the offset of each instruction from the start, by its number. It may be
   negative, for VEX unrolls loops. */
static inline Short* WS_(offsets_of)(const WsSegment* seg)
{
   return (Short*)(WS_(groups_of)(seg) + seg->n_groups);
}

static inline Addr WS_(instr_of)(const WsSegment* seg, UInt n)
{
   return seg->start + WS_(offsets_of)(seg)[n];
}

/* Gives the accesses in the order of execution. */
static inline WsAccess* WS_(accesses_of)(const WsSegment* seg)
{
   return (WsAccess*)(WS_(offsets_of)(seg) + seg->n_instrs + 1);
}

/* Addresses, in a helper at the segment's end; `guest` is for
   WS_(guest_word). */
static inline Addr WS_(address_of_group)(const WsGroup* g, const UChar* guest)
{
   if (g->where == WS_NOWHERE)
      return g->plus;
   return WS_(guest_word)(guest, g->where) + g->plus;
}

static inline Addr WS_(address_of_access)(const WsSegment* seg,
                                          const WsAccess* a, const UChar* guest)
{
   return WS_(address_of_group)(&WS_(groups_of)(seg)[a->group], guest) +
          a->offset;
}

static inline SizeT WS_(segment_szB)(const WsSegment* seg)
{
   return sizeof *seg + seg->n_fetches * sizeof(WsFetch) +
          seg->n_groups * sizeof(WsGroup) +
          (seg->n_instrs + 1) * sizeof(Short) +
          seg->n_accesses * sizeof(WsAccess);
}

#endif
