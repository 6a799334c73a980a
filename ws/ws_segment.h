/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* The description of a segment: what is known of it when it is translated.

   A segment is a part of a superblock that is executed as a whole: it ends
   before the next side exit.  Its instructions are known, and the places of its
   accesses relative to a few addresses.  Generated code checks at its end
   whether all its pages are marked (ws_marks.h), and calls the tool with the
   segment's number if not (ws_slowpath.h). */

#ifndef WS_SEGMENT_H
#define WS_SEGMENT_H

#include "ws_base.h"
#include "ws_marks.h"

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
   UShort where; // WS_NOWHERE: the address is `plus`
   UShort szB;   // up to the last byte that any of them accesses
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

/* More of them need fewer checks, but more code for each. */
#define WS_MAX_SEGMENT_INSTRS 16
#define WS_MAX_FETCHES        64
#define WS_MAX_ACCESSES       192

/* How control may leave the superblock after a segment and before any further
   instruction. */
typedef enum {
   Ws_NoExit,   // not at all, or that is of no interest
   Ws_SideExit, // perhaps
   Ws_LastExit  // certainly
} WsExitKind;

#define WS_MAX_EXITS 4

/* Behind it in memory lie its fetches, groups, exits, addresses of instructions
   and accesses. */
typedef struct _WsSegment {
   struct _WsSegment* next; // of the same superblock: the one before
   UInt               id;
   UShort             n_instrs;
   UShort             n_fetches;
   UShort             n_groups;
   UShort             n_accesses;
   UShort             n_addresses; // n_instrs + 1, or 0: not kept
   UShort             exit_where;  // WS_NOWHERE, or: the only exit is there
   UChar              exit_kind;
   UChar              n_exits; // where control may go; of Ws_NoExit, 0
} WsSegment;

static inline WsFetch* WS_(fetches_of)(const WsSegment* seg)
{
   return (WsFetch*)(Addr)(seg + 1);
}

static inline WsGroup* WS_(groups_of)(const WsSegment* seg)
{
   return (WsGroup*)(WS_(fetches_of)(seg) + seg->n_fetches);
}

static inline Addr* WS_(exits_of)(const WsSegment* seg)
{
   return (Addr*)(WS_(groups_of)(seg) + seg->n_groups);
}

/* Of instructions, by number. */
static inline Addr* WS_(addresses_of)(const WsSegment* seg)
{
   return WS_(exits_of)(seg) + seg->n_exits;
}

/* In order of execution. */
static inline WsAccess* WS_(accesses_of)(const WsSegment* seg)
{
   return (WsAccess*)(WS_(addresses_of)(seg) + seg->n_addresses);
}

/* A new description, all of it in one piece of memory, of the size that the
   numbers in `like` ask for; all else is copied from there, but for the id.
   Ids are small numbers, and used again after the segment has been deleted. */
WsSegment* WS_(new_segment)(const WsSegment* like);
void WS_(delete_segment)(WsSegment* seg);
SizeT WS_(segment_szB)(const WsSegment* seg);

/* All segments, by id.  Ids that are free form a list, of which each entry has
   the next one's id instead of a pointer. */
typedef union {
   const WsSegment* segment;
   UWord            next_free;
} WsSegmentEntry;
extern WsSegmentEntry* WS_(segments);

#endif
