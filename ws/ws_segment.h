/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* What a segment of a superblock does to time and pages, and doing it.

   A segment is a part of a superblock that is executed as a whole: it ends
   before the next side exit.  Its instructions and the places of its accesses
   relative to a few addresses are known when it is translated; that is the
   description.

   Generated code does the usual case by itself: no cut of time near and no page
   but armed ones (ws_pages.h, ws_fastpath.h).  In all other cases, after the
   segment has been executed, it calls the tool, which does the whole segment in
   the order of time, with the cuts at their places.  Whatever generated code
   has written for the segment is written again. */

#ifndef WS_SEGMENT_H
#define WS_SEGMENT_H

#include "ws_base.h"
#include "ws_pages.h"
#include "ws_sample.h"

/* Neighbouring instructions of a segment that are fetched from one page.  An
   instruction that straddles two pages is in two runs. */
typedef struct {
   WsPage        page;
   WsGatedStamp* stamp;
   UShort        first_instr;
   UShort        last_instr;
} WsCodeRun;

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

/* Accesses at fixed distances from each other, or a single access.  Its address
   is the word at `where` in the guest state or its shadow, plus `plus`. */
typedef struct {
   UWord  plus;
   UShort where; // WS_NOWHERE: the address is `plus`
   UShort szB;   // 0: no odd slot is ever written for it
   UShort n_accesses;
   Bool   is_guarded;
} WsGroup;

#define WS_NOWHERE 0xFFFF

/* What the word holds if the access of a guarded group does not happen. */
#define WS_NO_ADDRESS (~(Addr)0)

#define WS_MAX_SEGMENT_INSTRS 16

/* How long segments get in fact.  The longer, the fewer there are, but the more
   of them are done by the tool before each cut: shorter ones if T is small. */
UInt WS_(max_segment_instrs)(void);

/* How control may leave the superblock after a segment and before any further
   instruction. */
typedef enum {
   Ws_NoExit,   // not at all, or that is of no interest
   Ws_SideExit, // perhaps
   Ws_LastExit  // certainly
} WsExitKind;

#define WS_MAX_EXITS 4

/* Behind it in memory lie its runs, exits, addresses, groups and accesses. */
typedef struct _WsSegment {
   struct _WsSegment* next; // of the same superblock: the one before
   UInt               id;
   UChar              exit_kind;
   UChar              n_exits;     // where control may go; of Ws_NoExit, 0
   UShort             exit_where;  // WS_NOWHERE, or: the only exit is there
   UShort             n_addresses; // n_instrs + 1, or 0: not kept
   UShort             n_instrs;
   UShort             n_runs;
   UShort             n_groups;
   UShort             n_accesses;
   Bool               is_counted; // by generated code, in any case
} WsSegment;

static inline WsCodeRun* WS_(runs_of)(const WsSegment* seg)
{
   return (WsCodeRun*)(Addr)(seg + 1); // most strictly aligned first
}

static inline Addr* WS_(exits_of)(const WsSegment* seg)
{
   return (Addr*)(WS_(runs_of)(seg) + seg->n_runs);
}

/* Of instructions, by number. */
static inline Addr* WS_(addresses_of)(const WsSegment* seg)
{
   return WS_(exits_of)(seg) + seg->n_exits;
}

static inline WsGroup* WS_(groups_of)(const WsSegment* seg)
{
   return (WsGroup*)(WS_(addresses_of)(seg) + seg->n_addresses);
}

/* In order of execution. */
static inline WsAccess* WS_(accesses_of)(const WsSegment* seg)
{
   return (WsAccess*)(WS_(groups_of)(seg) + seg->n_groups);
}

/* A new description, all of it in one piece of memory, of the size that the
   numbers in `like` ask for; all else is copied from there, but for the id.
   Ids are small numbers, and used again after the segment has been deleted. */
WsSegment* WS_(new_segment)(const WsSegment* like);
void WS_(delete_segment)(WsSegment* seg);
SizeT WS_(segment_szB)(const WsSegment* seg);

/* The helper for generated code: the segment has been executed, and the counter
   includes it. */
VG_REGPARM(1) void WS_(do_segment)(UWord id);

/* While no client code runs, or from what it calls: */

WsTime WS_(time_now)(void);

/* Time is 0: a run has just begun. */
void WS_(reset_time)(void);

/* The kernel accesses [a, a + szB) for the process, now. */
void WS_(access_by_kernel)(ThreadId tid, Addr a, SizeT szB, Bool is_write);

/* The process may have waited, for the kernel or for Valgrind, or a row is to
   be written. */
void WS_(look_at_clock)(ThreadId tid, WsSpan span);

/* For --stats=yes. */
void WS_(segment_print_stats)(void);

#endif
