/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_pagelog.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_xarray.h"
#include "ws_clo.h"
#include "ws_files.h"
#include "ws_frames.h"
#include "ws_mappings.h"
#include "ws_pairs.h"
#include "ws_record.h"

/* What is behind the last record that has been written. */
typedef struct {
   ULong    t; // end of the last part, in units of the report
   WsInstrs instrs;
   ThreadId tid;
   Bool     again; // the next part has the same pages
   UInt     n_frames, n_texts;
   Addr     stack_start; // of the main thread
} State;

static State         state;
static UInt          n_kinds;
static WsRecord      record;
static WsLoggedPages pages[WS_N_KINDS];

/* By a clock, several cuts may be due at once, and what was accessed is in the
   intervals of all of them.  Then all parts of the interval come again: those
   that marks and threads have ended are kept here. */
typedef struct {
   UChar* bytes; // of the record from the thread on
   SizeT  n_bytes;
} Part;
static XArray* parts;       // of Part: those of the present interval
static SizeT   part_begins; // of the last one, in its record

/* What has been written, and is numbered from 1 in that order: 0 if it has not
   been. */
static XArray* frame_numbers; // by frame
static XArray* text_numbers;  // by number of its pair
static WsPairs texts;         // of 0 and the text's address

/* Flags of a part. */
#define INTERVAL_ENDS 1
#define SAMPLE        2
#define AGAIN         4

static void put_numbers(const ULong* values, UInt n)
{
   for (UInt i = 0; i < n; i++)
      WS_(record_number)(&record, values[i]);
}

/* A record begins with these numbers. */
#define BEGIN_WITH(...)                                                        \
   do {                                                                        \
      const ULong values[] = {__VA_ARGS__};                                    \
      WS_(record_begin)(&record);                                              \
      put_numbers(values, sizeof values / sizeof *values);                     \
   } while (0)

static void put(HChar letter)
{
   WS_(record_end)(&record, letter, WS_(to_log));
}

static void forget_pages(void)
{
   for (UInt kind = 0; kind < n_kinds; kind++)
      pages[kind].n = pages[kind].n_entering = 0;
}

/* --- Mappings ------------------------------------------------------------- */

static void put_range(const WsRange* r)
{
   BEGIN_WITH(r->first, r->last - r->first + 1, r->kind,
              4 * r->can_read + 2 * r->can_write + r->can_execute, r->offset,
              r->device, r->inode, r->tid);
   if (r->file)
      WS_(record_text)(&record, r->file);
   put('M');
}

void WS_(pagelog_map)(Addr a, SizeT szB)
{
   if (WS_(clo).page_log && szB > 0)
      WS_(ranges_in)(a, a + szB - 1, put_range);
}

void WS_(pagelog_unmap)(Addr a, SizeT szB)
{
   if (!WS_(clo).page_log || szB == 0)
      return;
   BEGIN_WITH(a, szB);
   put('U');
}

/* At the end of the run, there is no thread that has it. */
static void put_stack(const WsRange* r)
{
   WsRange stack = *r;

   stack.kind = Ws_Stack;
   stack.tid  = 1;
   put_range(&stack);
}

static void put_growth_of_stack(void)
{
   Addr start = WS_(main_stack_start)();

   if (start && start < state.stack_start)
      WS_(ranges_in)(start, state.stack_start - 1, put_stack);
   state.stack_start = start;
}

/* --- Parts ---------------------------------------------------------------- */

/* Valid until the next call. */
static UInt* number_of(XArray* numbers, UInt i)
{
   static const UInt none = 0;

   while (VG_(sizeXA)(numbers) <= (Word)i)
      VG_(addToXA)(numbers, &none);
   return VG_(indexXA)(numbers, i);
}

static UInt put_text(const HChar* s, SizeT n_chars)
{
   XArray* copy = WS_(text_begin)();

   if (n_chars > 0)
      VG_(addBytesToXA)(copy, s, n_chars);
   const HChar* text   = WS_(text_end)(copy);
   UInt*        number = number_of(text_numbers,
                                   WS_(pair_number)(&texts, 0, (UWord)text));
   if (*number == 0) {
      *number = ++state.n_texts;
      WS_(record_begin)(&record);
      WS_(record_text)(&record, text);
      put('T');
   }
   return *number;
}

static void put_line(const WsReportFrame* f)
{
   const HChar* file       = VG_(strchr)(f->names, '|') + 1;
   const HChar* object     = VG_(strchr)(file, '|') + 1;
   UInt         texts_of[] = {put_text(f->names, file - 1 - f->names),
                              put_text(file, object - 1 - file),
                              put_text(object, VG_(strlen)(object))};

   BEGIN_WITH(f->caller ? f->number - f->caller : 0, f->is_cut, f->address,
              f->line, texts_of[0], texts_of[1], texts_of[2]);
   put('F');
}

/* With its callers. */
static UInt put_frame(UInt frame)
{
   if (!WS_(is_frame)(frame))
      return 0;
   if (*number_of(frame_numbers, frame) == 0) {
      UInt caller  = put_frame(WS_(frame_caller)(frame));
      UInt n_lines = WS_(frame_n_lines)(frame);
      state.n_frames += n_lines;
      for (UInt i = 0; i < n_lines; i++) {
         WsReportFrame f = WS_(frame_line)(frame, i, state.n_frames, caller);
         put_line(&f);
      }
      *number_of(frame_numbers, frame) = state.n_frames;
   }
   return *number_of(frame_numbers, frame);
}

/* Writes which pages of the part enter the first window, and by which frame.  A
   frame and its texts come before the first record that has their number. */
static void put_entries(void)
{
   const WsLoggedPages* of = pages;

   if (of[Ws_Insn].n_entering + of[Ws_Data].n_entering == 0)
      return;
   for (UInt kind = Ws_Insn; kind <= Ws_Data; kind++)
      for (UWord i = 0; i < of[kind].n; i++)
         if (of[kind].items[i].code != WS_NOT_ENTERING)
            put_frame(of[kind].items[i].code);
   BEGIN_WITH(of[Ws_Insn].n_entering, of[Ws_Data].n_entering);
   for (UInt kind = Ws_Insn; kind <= Ws_Data; kind++) {
      UWord before       = 0;
      Long  frame_before = 0;
      for (UWord i = 0; i < of[kind].n; i++) {
         if (of[kind].items[i].code == WS_NOT_ENTERING)
            continue;
         Long frame = put_frame(of[kind].items[i].code);
         WS_(record_number)(&record, i - before);
         WS_(record_signed)(&record, frame - frame_before);
         before       = i;
         frame_before = frame;
      }
   }
   put('E');
}

/* Writes a part's pages, each as the distance from the one before: they are
   sorted and mostly close to each other, so that mostly a
   byte is enough. */
static void put_pages(const WsLoggedPages* l)
{
   WsPage before = 0;

   for (UWord i = 0; i < l->n; i++) {
      WS_(record_number)(&record, l->items[i].page - before);
      before = l->items[i].page;
   }
}

static void begin_interval(void)
{
   for (Word i = 0; i < VG_(sizeXA)(parts); i++)
      VG_(free)(((Part*)VG_(indexXA)(parts, i))->bytes);
   VG_(dropTailXA)(parts, VG_(sizeXA)(parts));
}

/* The part that has just been written, and its interval is not over. */
static void keep_part(void)
{
   if (!WS_(clo).is_clocked)
      return;
   Part part  = {.n_bytes = record.n_bytes - part_begins};
   part.bytes = VG_(malloc)("ws.pagelog.part", part.n_bytes);
   VG_(memcpy)(part.bytes, record.bytes + part_begins, part.n_bytes);
   VG_(addToXA)(parts, &part);
}

/* All of the interval, but for writing the last one, which has its time. */
static void put_kept_parts(ULong t, WsInstrs instrs, UInt flags)
{
   Word n = VG_(sizeXA)(parts);

   for (Word i = 0; i < n; i++) {
      const Part* part = VG_(indexXA)(parts, i);
      if (i > 0)
         put('I');
      if (i < n - 1)
         BEGIN_WITH(0, 0, 0);
      else
         BEGIN_WITH(t, instrs, flags);
      WS_(record_bytes)(&record, part->bytes, part->n_bytes);
   }
}

/* What has been told so far is the part's; it remains. */
static void put_part(WsTick tick, WsInstrs now, UInt flags)
{
   WsReportParts form = {.is_clocked = WS_(clo).is_clocked};
   ULong         t    = WS_(report_units)(form, tick);

   // By a clock, a cut may be due before a mark, and be passed after it.
   if (t < state.t)
      t = state.t;
   put_growth_of_stack();
   if (state.again && VG_(sizeXA)(parts) == 0) {
      BEGIN_WITH(t - state.t, now - state.instrs, flags | AGAIN, state.tid, 0,
                 0, 0);
   } else if (state.again) {
      put_kept_parts(t - state.t, now - state.instrs, flags);
   } else {
      for (UInt kind = 0; kind < n_kinds; kind++)
         WS_(logged_sort)(&pages[kind]);
      put_entries();
      BEGIN_WITH(t - state.t, now - state.instrs, flags);
      part_begins = record.n_bytes;
      put_numbers((const ULong[]){state.tid, pages[Ws_Insn].n, pages[Ws_Data].n,
                                  pages[Ws_Dirty].n},
                  4);
      for (UInt kind = 0; kind < n_kinds; kind++)
         put_pages(&pages[kind]);
   }
   put('I');
   state.t      = t;
   state.instrs = now;
}

void WS_(pagelog_access)(WsKind kind, WsPage page, UInt code)
{
   WS_(logged_add)(&pages[kind], page, code);
}

void WS_(pagelog_cut)(WsTick t, WsInstrs now, Bool is_sample, Bool goes_on)
{
   if (!WS_(clo).page_log)
      return;
   put_part(t, now, INTERVAL_ENDS | (is_sample ? SAMPLE : 0));
   if (!goes_on)
      begin_interval();
   else if (!state.again && VG_(sizeXA)(parts) > 0)
      keep_part();
   state.again = goes_on;
   forget_pages();
}

ThreadId WS_(pagelog_thread)(void)
{
   return state.tid;
}

void WS_(pagelog_switch)(WsTick t, WsInstrs now, ThreadId tid)
{
   UWord n_pages = 0;

   for (UInt kind = 0; kind < n_kinds; kind++)
      n_pages += pages[kind].n;
   // Threads take turns while nothing is measured, too.
   if (now > state.instrs || n_pages > 0) {
      put_part(t, now, 0);
      keep_part();
      forget_pages();
   }
   state.tid = tid;
}

void WS_(pagelog_mark)(WsTick t, WsInstrs now, const HChar* label)
{
   if (!WS_(clo).page_log)
      return;
   put_part(t, now, 0);
   keep_part();
   forget_pages();
   WS_(record_begin)(&record);
   WS_(record_text)(&record, label);
   put('L');
}

/* --- Runs ----------------------------------------------------------------- */

static void begin_numbers(XArray** numbers)
{
   if (*numbers)
      VG_(deleteXA)(*numbers);
   *numbers = VG_(newXA)(VG_(malloc), "ws.pagelog.numbers", VG_(free),
                         sizeof(UInt));
}

void WS_(pagelog_begin)(const WsReportHeader* header)
{
   if (!WS_(clo).page_log)
      return;
   if (parts)
      begin_interval();
   else
      parts = VG_(newXA)(VG_(malloc), "ws.pagelog.parts", VG_(free),
                         sizeof(Part));
   begin_numbers(&frame_numbers);
   begin_numbers(&text_numbers);
   n_kinds = WS_(report_n_kinds)(header->parts);
   // In a child, the thread that has forked goes on.
   state = (State){.tid = state.tid, .stack_start = WS_(main_stack_start)()};
   forget_pages();
   WsReportHeader own = *header;
   own.page_log       = NULL;
   own.parts.peaks    = False;
   own.log_dirty      = header->parts.dirty ? "yes" : "no";
   own.log_threads    = WS_(clo).threads ? "yes" : "no";
   WS_(report_log_begin)(WS_(to_log), &own);
   // A first process is told of its memory when its threads can be.
   if (header->parent_pid)
      WS_(ranges_all)(put_range);
   WS_(file_flush)(&WS_(log_file));
}

/* What comes after the first n is no longer written. */
static void forget_numbers(XArray* numbers, UInt n)
{
   for (Word i = 0; i < VG_(sizeXA)(numbers); i++) {
      UInt* number = VG_(indexXA)(numbers, i);
      if (*number > n)
         *number = 0;
   }
}

void WS_(pagelog_end)(WsTick t, WsInstrs now)
{
   State before = state;

   if (!WS_(clo).page_log)
      return;
   put_part(t, now, 0);
   BEGIN_WITH(state.t, now);
   put('Z');
   WS_(file_flush)(&WS_(log_file));
   state = before;
   forget_numbers(frame_numbers, state.n_frames);
   forget_numbers(text_numbers, state.n_texts);
}

SizeT WS_(pagelog_memory_szB)(void)
{
   SizeT szB = record.n_max;

   for (UInt kind = 0; kind < n_kinds; kind++)
      szB += 2 * pages[kind].n_max * sizeof(WsLoggedPage);
   return szB;
}
