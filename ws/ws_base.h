/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* The types and functions that all modules share. */

#ifndef WS_BASE_H
#define WS_BASE_H

#include "pub_tool_basics.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_xarray.h"

/* Prefix of everything that one module offers to another. */
#define WS_(name) VGAPPEND(vgWS_, name)

#define WS_VERSION "0.1"

/* Time: guest instructions executed by the process so far, over all its
   threads.  The i-th instruction executes at time i, counting from 1. */
typedef ULong WsInstrs;
#define WS_NEVER (~(WsInstrs)0)

/* Stands for a number that is not known or does not exist. */
#define WS_NONE (~(ULong)0)

/* Time in the user's unit, that of samples and windows: instructions, or with
   --ws-time-unit=ms, microseconds by a clock since the run began. */
typedef ULong WsTick;

/* Time is cut at each sample, and where its windows begin (ws_window.h).  An
   interval is the time from one cut to the next. */

/* A page: its number in the address space. */
typedef UWord WsPage;

/* log2 of the page size; constant once the options are known. */
extern UInt WS_(page_shift);

/* With --ws-code-lines=yes, code is recorded in lines of 16 bytes, too. */
#define WS_LINE_SHIFT 4

static inline WsPage WS_(page_of)(Addr a)
{
   return a >> WS_(page_shift);
}

static inline Addr WS_(page_start)(WsPage p)
{
   return (Addr)p << WS_(page_shift);
}

/* Gives the page after p; 0 after the last page of the address space. */
static inline WsPage WS_(next_page)(WsPage p)
{
   return (p + 1) & (~(Addr)0 >> WS_(page_shift));
}

/* A process has two working sets, of code and of data pages. With
   --ws-dirty=yes, written data pages are a third, which is part of the
   second. */
typedef enum { Ws_Insn, Ws_Data, Ws_Dirty } WsKind;
#define WS_N_KINDS 3

/* Which origins have call stacks: none; all but those in the shortest of
   several windows; all. */
typedef enum { Ws_NoStacks, Ws_LongStacks, Ws_AllStacks } WsStacks;

/* Lengths of windows, without duplicates. */
#define WS_MAX_TAUS 16
typedef struct {
   UInt   n;
   WsTick tau[WS_MAX_TAUS];
} WsTaus;

/* Gives the index of the shortest window. */
static inline UInt WS_(shortest)(const WsTaus* taus)
{
   UInt shortest = 0;

   for (UInt i = 1; i < taus->n; i++)
      if (taus->tau[i] < taus->tau[shortest])
         shortest = i;
   return shortest;
}

/* Sizes of working sets in pages, by kind and by the index of tau. */
typedef struct {
   UWord of[WS_N_KINDS][WS_MAX_TAUS];
} WsSizes;

/* How much work has been done, for --stats=yes. */
typedef struct {
   ULong n_blocks, n_segments, n_accesses, n_groups; // translated
   SizeT descriptions_szB;                           // of present segments
   ULong n_lean, n_in_order, n_straddling, n_cuts;   // in the slow path
   ULong n_unwound, n_reused, n_unknown;             // stacks
} WsWork;
extern WsWork WS_(work);

/* --- Texts ---------------------------------------------------------------- */

/* Interned texts: each is stored once, for ever, so equal texts are equal
   pointers. */

/* Interns a text. */
const HChar* WS_(text)(const HChar* s);

/* Interns a text with its control characters as escape sequences (\n, \t,
   \x1b): they could break a line or command a terminal. */
const HChar* WS_(text_line)(const HChar* s);

/* Begins a text that is put together with VG_(xaprintf). */
XArray* WS_(text_begin)(void);

/* Appends to it, control characters as escape sequences. */
void WS_(text_add)(XArray* parts, const HChar* s, SizeT n_chars);

/* Interns the text that was put together, and frees `parts`. */
const HChar* WS_(text_end)(XArray* parts);

#endif
