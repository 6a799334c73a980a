/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_pagelog.h"

#include "pub_tool_clientstate.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_vki.h"
#include "ws_clo.h"
#include "ws_intern.h"
#include "ws_mappings.h"
#include "ws_outfiles.h"
#include "ws_stacks.h"
#include "ws_symbols.h"

/* The state of the log after the last record. */
typedef struct {
   ULong    t; // end of the last part, in units of the report
   WsInstrs instrs;
   ThreadId tid;
   Bool     again; // the next part has the same pages
   UInt     n_frames, n_texts;
   Addr     stack_start; // of the main thread
} State;

static State state;

/* By a clock, several cuts may be due at once, and what was accessed is in the
   intervals of all of them.  Then all parts of the interval come again: those
   that marks and threads have ended are kept here. */
typedef struct {
   UChar* bytes; // of the record from the thread on
   SizeT  n_bytes;
} Part;
static XArray* parts;       // of Part: those of the present interval
static SizeT   part_begins; // of the last one, in its record

/* Texts and frames are numbered from 1 as they are written; 0: not written. */
typedef enum { OfText, OfFrame } NumberOf;
static WsPairs numbered = {.entry_szB = sizeof(UInt)}; // of these, and which

/* Flags of a part. */
#define INTERVAL_ENDS 1
#define SAMPLE        2
#define AGAIN         4

/* --- Records -------------------------------------------------------------- */

/* A record has its length in front, so it is put together here before any of it
   is written: between begin_record and end_record there is no other one.  That
   is why frames and texts are written before the record that refers to them is
   begun. */

/* The one that is being made: its bytes behind the letter and their number. */
static struct {
   UChar* bytes;
   SizeT  n_bytes, n_max;
} record;

/* A number takes up to so many bytes: seven bits each. */
#define MAX_NUMBER_SZB 10

static UChar* append_number(UChar* to, ULong n)
{
   for (; n > 127; n >>= 7)
      *to++ = 128 | (n & 127);
   *to++ = n;
   return to;
}

static void make_room(SizeT szB)
{
   if (record.n_bytes + szB <= record.n_max)
      return;
   record.n_max = 2 * (record.n_bytes + szB);
   record.bytes = VG_(realloc)("ws.pagelog.record", record.bytes, record.n_max);
}

static void put_number(ULong n)
{
   make_room(MAX_NUMBER_SZB);
   record.n_bytes = append_number(record.bytes + record.n_bytes, n) -
                    record.bytes;
}

static void put_signed(Long n)
{
   put_number(n >= 0 ? 2 * (ULong)n : 2 * (ULong)-n - 1);
}

static void put_bytes(const void* bytes, SizeT n_bytes)
{
   make_room(n_bytes);
   VG_(memcpy)(record.bytes + record.n_bytes, bytes, n_bytes);
   record.n_bytes += n_bytes;
}

static void begin_record(const ULong* numbers, UInt n)
{
   record.n_bytes = 0;
   for (UInt i = 0; i < n; i++)
      put_number(numbers[i]);
}

/* A record begins with these numbers. */
#define BEGIN_WITH(...)                                                        \
   begin_record((const ULong[]){__VA_ARGS__},                                  \
                sizeof(ULong[]){__VA_ARGS__} / sizeof(ULong))

static void end_record(HChar letter)
{
   UChar head[1 + MAX_NUMBER_SZB] = {letter};

   WS_(to_log)((const HChar*)head,
               append_number(head + 1, record.n_bytes) - head);
   WS_(to_log)((const HChar*)record.bytes, record.n_bytes);
}

/* Ends a record with a text. */
static void end_with_text(HChar letter, const HChar* text)
{
   put_bytes(text, VG_(strlen)(text));
   end_record(letter);
}

/* Writes a record that is a text. */
static void put_text_record(HChar letter, const HChar* text)
{
   record.n_bytes = 0;
   end_with_text(letter, text);
}

/* --- Pages ---------------------------------------------------------------- */

/* The pages that the present part has accessed. Until they are sorted, a page
   may be there several times, but enters once. */
typedef struct {
   WsPage page;
   UInt   code; // that has made it enter, or has written it; or WS_NO_CODE
} Item;
typedef struct {
   UWord n, n_max;
   UWord n_coded;
   Item* items;
   Item* others; // as many, for sorting
} Pages;
static Pages pages[WS_N_KINDS];
static Pages lines; // of code: their numbers

/* Sorts by eight bits of the page's number; what is equal keeps its order. */
static void sort_by(Pages* l, UInt shift)
{
   UWord starts[256] = {0};
   UWord sum         = 0;

   for (UWord i = 0; i < l->n; i++)
      starts[l->items[i].page >> shift & 255]++;
   for (UInt digit = 0; digit < 256; digit++) {
      UWord n       = starts[digit];
      starts[digit] = sum;
      sum += n;
   }
   for (UWord i = 0; i < l->n; i++)
      l->others[starts[l->items[i].page >> shift & 255]++] = l->items[i];
   Item* sorted = l->others;
   l->others    = l->items;
   l->items     = sorted;
}

/* Sorts them, in ascending order, each once.  The first one has the code: if
   the page enters, it is in the window then up to the next cut. */
static void sort(Pages* l)
{
   WsPage differ = 0; // the bits in which pages differ
   UWord  n      = 0;

   for (UWord i = 1; i < l->n; i++)
      differ |= l->items[i].page ^ l->items[0].page;
   for (UInt shift = 0; shift < 8 * sizeof differ && differ >> shift;
        shift += 8)
      if (differ >> shift & 255)
         sort_by(l, shift);
   for (UWord i = 0; i < l->n; i++)
      if (n == 0 || l->items[n - 1].page != l->items[i].page)
         l->items[n++] = l->items[i];
      else
         l->n_coded -= l->items[i].code != WS_NO_CODE;
   l->n = n;
}

static void add_item(Pages* l, WsPage page, UInt code)
{
   if (UNLIKELY(l->n == l->n_max)) {
      // Pages that are mapped, accessed and unmapped again and again within a
      // part would take more room each time.
      sort(l);
      if (l->n >= l->n_max / 2) {
         l->n_max  = l->n_max ? 2 * l->n_max : 1024;
         l->items  = VG_(realloc)("ws.pagelog.items", l->items,
                                 l->n_max * sizeof(Item));
         l->others = VG_(realloc)("ws.pagelog.others", l->others,
                                  l->n_max * sizeof(Item));
      }
   }
   l->items[l->n++] = (Item){page, code};
   l->n_coded += code != WS_NO_CODE;
}

void WS_(pagelog_access)(WsKind kind, WsPage page, UInt code)
{
   add_item(&pages[kind], page, code);
}

void WS_(pagelog_line)(UWord line)
{
   add_item(&lines, line, WS_NO_CODE);
}

static void forget_pages(void)
{
   lines.n = 0;
   for (UInt kind = 0; kind < WS_(n_kinds)(); kind++)
      pages[kind].n = pages[kind].n_coded = 0;
}

/* --- Mappings ------------------------------------------------------------- */

/* A reader finds the mapping of a page in the records so far.  So the pages
   of a part lie in what has been told before it ends, or has been unmapped
   within it.  The stack of the main thread grows without notice: that is
   told right before the part. */

/* Writes a range in the form that docs/page-log-format.md gives. */
static void put_range(const WsRange* r)
{
   BEGIN_WITH(r->first, r->last - r->first + 1, r->kind,
              4 * r->can_read + 2 * r->can_write + r->can_execute, r->offset,
              r->device, r->inode, r->tid);
   end_with_text('M', r->file ? r->file : "");
}

void WS_(pagelog_map)(Addr a, SizeT szB)
{
   if (!state.stack_start) // the first thread begins
      state.stack_start = WS_(main_stack_start)();
   if (WS_(clo).page_log && szB > 0)
      WS_(ranges_in)(a, a + szB - 1, put_range);
}

void WS_(pagelog_unmap)(Addr a, SizeT szB)
{
   if (!WS_(clo).page_log || szB == 0)
      return;
   BEGIN_WITH(a, szB);
   end_record('U');
}

/* Writes whose stack a range is; at the end of the run, no thread has it. */
static void put_stack(const WsRange* r)
{
   WsRange stack = *r;

   stack.kind = Ws_Stack;
   stack.tid  = 1;
   put_range(&stack);
}

/* --- Parts ---------------------------------------------------------------- */

/* The lists of pages have what was accessed since the last part was written,
   and are emptied with it; so a page is in a part once, and in each part in
   which it was accessed.  Frames and texts are numbered in the order of
   their records: whoever gives a number must write the record at once. */

static UInt put_text(const HChar* text)
{
   UInt* number = WS_(pair_get)(&numbered, OfText, (UWord)text);

   if (*number == 0) {
      *number = ++state.n_texts;
      put_text_record('T', text);
   }
   return *number;
}

/* Writes a line of a frame: a place. */
static void put_line(const WsReportFrame* f, const WsPlace* place)
{
   UInt texts_of[] = {put_text(place->function), put_text(place->file),
                      put_text(place->object)};

   BEGIN_WITH(f->caller ? f->number - f->caller : 0, f->is_cut, f->address,
              f->line, texts_of[0], texts_of[1], texts_of[2], f->whose);
   end_record('F');
}

/* Writes a frame after its callers. */
static UInt put_frame(UInt frame)
{
   if (!WS_(is_frame)(frame))
      return 0;
   UInt* number = WS_(pair_get)(&numbered, OfFrame, frame);
   if (*number == 0) {
      UInt            caller = put_frame(WS_(frame_caller)(frame));
      const WsPlaces* of     = WS_(frame_places)(frame);
      state.n_frames += of->n;
      for (UInt i = 0; i < of->n; i++) {
         WsReportFrame f = WS_(frame_line)(frame, i, state.n_frames, caller);
         put_line(&f, &of->places[of->n - 1 - i]);
      }
      number  = WS_(pair_get)(&numbered, OfFrame, frame); // it has moved
      *number = state.n_frames;
   }
   return *number;
}

/* Writes by which frame pages of the part enter the first window, or are
   written.  A frame and its texts come before the first record that has their
   number. */
static void put_entries(HChar letter, UInt first, UInt last)
{
   const Pages* of      = pages;
   UWord        n_coded = 0;

   for (UInt kind = first; kind <= last; kind++) {
      n_coded += of[kind].n_coded;
      for (UWord i = 0; i < of[kind].n; i++)
         if (of[kind].items[i].code != WS_NO_CODE)
            put_frame(of[kind].items[i].code);
   }
   if (n_coded == 0)
      return;
   record.n_bytes = 0;
   for (UInt kind = first; kind <= last; kind++)
      put_number(of[kind].n_coded);
   for (UInt kind = first; kind <= last; kind++) {
      UWord before       = 0;
      Long  frame_before = 0;
      for (UWord i = 0; i < of[kind].n; i++) {
         if (of[kind].items[i].code == WS_NO_CODE)
            continue;
         Long frame = put_frame(of[kind].items[i].code);
         put_number(i - before);
         put_signed(frame - frame_before);
         before       = i;
         frame_before = frame;
      }
   }
   end_record(letter);
}

/* Writes a part's pages, each as the distance from the one before: they are
   sorted and mostly close to each other, so that mostly a
   byte is enough. */
static void put_pages(const Pages* l)
{
   WsPage before = 0;

   for (UWord i = 0; i < l->n; i++) {
      put_number(l->items[i].page - before);
      before = l->items[i].page;
   }
}

static void begin_interval(void)
{
   for (Word i = 0; i < VG_(sizeXA)(parts); i++)
      VG_(free)(((Part*)VG_(indexXA)(parts, i))->bytes);
   VG_(dropTailXA)(parts, VG_(sizeXA)(parts));
}

/* Keeps a copy of the part that has just been written, while its interval is
   not over.  By instructions, no two cuts are due at once, and nothing comes
   again. */
static void keep_part(void)
{
   if (!WS_(clo).is_clocked)
      return;
   Part part  = {.n_bytes = record.n_bytes - part_begins};
   part.bytes = VG_(malloc)("ws.pagelog.part", part.n_bytes);
   VG_(memcpy)(part.bytes, record.bytes + part_begins, part.n_bytes);
   VG_(addToXA)(parts, &part);
}

/* Writes the parts of the interval that wait; the last one has its time. */
static void put_kept_parts(ULong t, WsInstrs instrs, UInt flags)
{
   Word n = VG_(sizeXA)(parts);

   for (Word i = 0; i < n; i++) {
      const Part* part = VG_(indexXA)(parts, i);
      if (i > 0)
         end_record('I');
      if (i < n - 1)
         BEGIN_WITH(0, 0, 0);
      else
         BEGIN_WITH(t, instrs, flags);
      put_bytes(part->bytes, part->n_bytes);
   }
}

/* Writes what has been told so far as a part; the list stays as it is. */
static void put_part(WsTick tick, WsInstrs now, UInt flags)
{
   ULong t = WS_(units)(tick);

   // By a clock, a cut may be due before a mark, and be passed after it.
   t          = VG_MAX(t, state.t);
   Addr start = WS_(main_stack_start)();
   if (start && start < state.stack_start)
      WS_(ranges_in)(start, state.stack_start - 1, put_stack);
   state.stack_start = start;
   if (state.again && VG_(sizeXA)(parts) == 0) {
      BEGIN_WITH(t - state.t, now - state.instrs, flags | AGAIN, state.tid, 0,
                 0, 0);
   } else if (state.again) {
      put_kept_parts(t - state.t, now - state.instrs, flags);
   } else {
      for (UInt kind = 0; kind < WS_(n_kinds)(); kind++)
         sort(&pages[kind]);
      put_entries('E', Ws_Insn, Ws_Data);
      put_entries('W', Ws_Dirty, Ws_Dirty);
      BEGIN_WITH(t - state.t, now - state.instrs, flags);
      part_begins = record.n_bytes;
      put_number(state.tid);
      for (UInt kind = 0; kind < WS_N_KINDS; kind++)
         put_number(pages[kind].n);
      for (UInt kind = 0; kind < WS_(n_kinds)(); kind++)
         put_pages(&pages[kind]);
      if (WS_(clo).code_lines) {
         sort(&lines);
         put_number(lines.n);
         put_pages(&lines);
      }
   }
   end_record('I');
   state.t      = t;
   state.instrs = now;
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

/* Ends a part within an interval. */
static void end_part(WsTick t, WsInstrs now)
{
   put_part(t, now, 0);
   keep_part();
   forget_pages();
}

static Bool has_pages(void)
{
   return pages[Ws_Insn].n + pages[Ws_Data].n + pages[Ws_Dirty].n > 0;
}

Bool WS_(pagelog_switch)(WsTick t, WsInstrs now, ThreadId tid)
{
   if (tid == state.tid)
      return False;
   // Threads take turns while nothing is measured, too.
   if (now > state.instrs || has_pages())
      end_part(t, now);
   state.tid = tid;
   WS_(pagelog_name)(tid);
   return True;
}

void WS_(pagelog_mark)(WsTick t, WsInstrs now, const HChar* label)
{
   if (!WS_(clo).page_log)
      return;
   end_part(t, now);
   put_text_record('L', label);
}

/* Separates accesses before from those after. */
void WS_(pagelog_discard)(WsTick t, WsInstrs now, Addr a, SizeT szB)
{
   if (!WS_(clo).page_log)
      return;
   if (has_pages())
      end_part(t, now);
   BEGIN_WITH(a, szB);
   end_record('D');
}

/* --- Names of threads ----------------------------------------------------- */

#define NAME_SZB 16 // Linux cuts longer ones

static const HChar*  tool_name; // of the process before it runs the program
static const HChar** names;     // of present threads; NULL: not known yet

/* The numbers and names of threads. */
static WsPairs named = {.entry_szB = 1};

/* Asks the kernel, which knows all ways to name a thread. */
static const HChar* running_name(void)
{
   HChar name[NAME_SZB] = "";

   VG_(prctl)(VKI_PR_GET_NAME, (Addr)name, 0, 0, 0);
   // Natively, it is the program's.
   if (tool_name && VG_(strcmp)(name, tool_name) == 0)
      VG_(snprintf)(name, sizeof name, "%s",
                    WS_(last_name)(VG_(args_the_exename)));
   return WS_(text_line)(name);
}

static void begin_names(Bool is_child)
{
   VG_(free)(names);
   names = VG_(calloc)("ws.pagelog.names", VG_N_THREADS, sizeof *names);
   WS_(pairs_done)(&named);
   if (is_child)
      WS_(pagelog_name)(state.tid);
   else
      tool_name = running_name();
}

void WS_(pagelog_thread)(ThreadId tid)
{
   if (names[tid])
      WS_(pair_number)(&named, tid, (UWord)names[tid]);
   names[tid] = NULL;
}

void WS_(pagelog_name)(ThreadId tid)
{
   const HChar* name = running_name();

   if (name == names[tid])
      return;
   BEGIN_WITH(tid, !names[tid]);
   end_with_text('N', name);
   names[tid] = name;
}

void WS_(pagelog_names)(void)
{
   for (ThreadId tid = 0; names && tid < VG_N_THREADS; tid++)
      if (names[tid])
         WS_(pair_number)(&named, tid, (UWord)names[tid]);
   for (UInt i = 0; i < named.n; i++) {
      WsReportThread row = {named.pairs[i].a, (const HChar*)named.pairs[i].b};
      WS_(report_row)(Ws_Threads, &row);
   }
   WS_(report_section_end)();
}

/* --- Runs ----------------------------------------------------------------- */

/* A child's log begins with its fork: no number of its parent's is valid in it.
   A log that has been ended for an execve goes on if that fails, and what comes
   next is written over the end; so the end leaves the state as it was. */

void WS_(pagelog_begin)(const WsReportHeader* header)
{
   if (!WS_(clo).page_log)
      return;
   if (parts)
      begin_interval();
   else
      parts = VG_(newXA)(VG_(malloc), "ws.pagelog.parts", VG_(free),
                         sizeof(Part));
   WS_(pairs_done)(&numbered);
   // In a child, the thread that has forked goes on.
   state = (State){.tid = state.tid, .stack_start = WS_(main_stack_start)()};
   forget_pages();
   WS_(report_begin)(WS_(to_log), header, True);
   if (WS_(clo).threads)
      begin_names(header->parent_pid != 0);
   // A first process is told of its memory when its threads can be.
   if (header->parent_pid)
      WS_(ranges_all)(put_range);
   WS_(file_flush)(&WS_(log_file));
}

/* Forgets what is not in the log any more: it is written again if it is
   wanted. */
static void forget_later_numbers(void)
{
   for (UInt i = 0; i < numbered.n; i++) {
      UInt* number = WS_(pair_entry)(&numbered, i);
      if (*number >
          (numbered.pairs[i].a == OfText ? state.n_texts : state.n_frames))
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
   end_record('Z');
   WS_(file_flush)(&WS_(log_file));
   state = before;
   forget_later_numbers();
}
