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

/* What generated code calls when a check on the fast path fails.

   There are two reasons.  Either a page is accessed for the first time since
   the stamps were last cleared: then it is touched, and armed so that it
   stays quiet (ws_pages.h).  Or a superblock is entered in which the next cut
   might fall.  That one runs with the counter biased (ws_fastpath.h), so that
   every check in it fails and every access comes here, where it is only
   written down.  At the next superblock entry it is known how many of its
   instructions were executed, and all that they accessed is replayed in the
   order of time, with the cut at its place. */

#ifndef WS_SLOWPATH_H
#define WS_SLOWPATH_H

#include "pub_tool_hashtable.h"
#include "ws_base.h"
#include "ws_pages.h"

/* Static descriptions, made at translation time.  Instructions of a
   superblock are numbered from 1. */

/* Neighbouring instructions of a superblock that are fetched from one page.
   An instruction that straddles two pages is in two runs. */
typedef struct {
   WsPage   page;
   WsStamp* stamp;
   UShort   first_instr;
   UShort   last_instr;
} WsCodeRun;

/* An access to [group's address + offset, ... + szB), of less than 64 KiB. */
typedef struct {
   UShort instr;
   UShort offset;
   UShort szB;
   UShort group; // number in its call
} WsAccess;

/* Groups of accesses per call: their addresses and the description are as
   many arguments as every host passes in registers. */
#define WS_GROUPS_PER_CALL 3

/* One visit to the slow path on account of data, at the end of a segment. */
typedef struct _WsDataCall {
   struct _WsDataCall* next; // of the same superblock
   UShort   counted_instrs; // in the counter by then: to the segment's end
   UShort   n_groups;
   UShort   group_szB[WS_GROUPS_PER_CALL]; // 0: larger than a page, no slot
   UShort   n_accesses;
   WsAccess accesses[0]; // in order of execution
} WsDataCall;

/* A superblock. */
typedef struct {
   VgHashNode  node; // key: the guest address that it is entered by
   Addr        start; // guest address of the first instruction
   WsDataCall* calls;
   UShort      n_instrs;
   UShort      n_first; // of them, in the first segment
   UShort      n_runs;
   WsCodeRun   runs[0]; // in order of execution
} WsBlock;

/* Helpers for generated code. */

/* The superblock is entered: its first code page is new, or a cut is near.
   The counter includes the first segment; it may change. */
VG_REGPARM(1)
void WS_(enter_block)(const WsBlock* block);

/* The superblock has come to the run, whose page is new. */
VG_REGPARM(1)
void WS_(enter_code_run)(const WsCodeRun* code);

/* Some of the groups with these addresses may lie in new pages. */
VG_REGPARM(2)
void WS_(access_data_1)(const WsDataCall* call, Addr a0);
VG_REGPARM(3)
void WS_(access_data_2)(const WsDataCall* call, Addr a0, Addr a1);
VG_REGPARM(3)
void WS_(access_data_3)(const WsDataCall* call, Addr a0, Addr a1, Addr a2);

/* For use while no client code runs. */

/* The time.  Everything executed so far is booked, so that further accesses
   at this time can be. */
WsTime WS_(settle_time)(void);

/* The kernel accesses [a, a + szB) for the process, now. */
void WS_(access_by_kernel)(Addr a, SizeT szB);

/* Time is 0: a run has just begun. */
void WS_(reset_time)(void);

/* For --stats=yes. */
void WS_(slowpath_print_stats)(void);

#endif
