/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_unwind.h"

#include "pub_tool_debuginfo.h"
#include "pub_tool_machine.h"
#include "pub_tool_options.h"
#include "pub_tool_stacktrace.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_vki.h"
#include "ws_clo.h"
#include "ws_debuginfo.h"
#include "ws_mappings.h"
#include "ws_stacks.h"

#define WORD_SZB sizeof(Addr)

const VexGuestLayout* WS_(layout);

/* --- The present moment -------------------------------------------------- */

static struct {
   const WsSegment* seg; // NULL: between segments
   const UChar*     guest;
   ThreadId         tid;
   Bool             is_known;
   UInt             callers; // if it is known
} moment;

void WS_(callers_at_end)(const WsSegment* seg, const UChar* guest)
{
   moment.seg      = seg;
   moment.guest    = guest;
   moment.is_known = False;
}

void WS_(callers_of_thread)(ThreadId tid)
{
   moment.seg      = NULL;
   moment.tid      = tid;
   moment.is_known = False;
}

/* --- Unwinding ----------------------------------------------------------- */

/* Where unwinding begins. */
typedef struct {
   Addr ip;
   Addr sp;
   Addr fp;
} Start;

/* A word that unwinding has read. */
typedef struct {
   const Addr* at;
   Addr        value;
} Read;

#define MAX_FRAMES      500
#define WORDS_PER_FRAME 4 // twice as many as usual

typedef struct {
   UInt n;
   Addr ips[MAX_FRAMES], sps[MAX_FRAMES], fps[MAX_FRAMES];
   Bool has_last; // the outermost frame has no caller, or
   Bool is_cut;   // it may have one: there was no room for more
} Trace;

static Trace trace;

/* Gives the depth of stacks: --num-callers counts for them, too, up to what
   there is room for. */
static UInt max_frames(void)
{
   return VG_MIN(VG_(clo_backtrace_size), MAX_FRAMES);
}

/* Drops what Valgrind finds beyond the last frame, for it goes on with whatever
   is there; or else frames at the outer end that are in no file's code: there,
   unwinding has gone astray. */
static void cut_at_last(void)
{
   UInt n = trace.n;

   while (n > 0 && !WS_(places_of)(trace.ips[n - 1])->is_last)
      n--;
   trace.has_last = n > 0;
   if (n > 0)
      trace.n = n;
   while (n == 0 && trace.n > 1 &&
          !WS_(places_of)(trace.ips[trace.n - 1])->places[0].object[0])
      trace.n--;
   trace.is_cut = n == 0 && trace.n == max_frames();
}

/* The frames of the stack that was unwound last, from the outermost inwards. */
static struct {
   UInt n;
   UInt outermost; // caller
   Addr ips[MAX_FRAMES];
   UInt frames[MAX_FRAMES];
} previous;

/* Makes frames of the trace, from the outermost inwards, and gives the
   innermost caller.  Outer frames are mostly the same as in the trace
   before: as long as addresses are, so are the frames, and no pair has to be
   looked up. */
static UInt frames_of_trace(void)
{
   UInt frame   = trace.is_cut ? WS_UNKNOWN_CALLER : WS_NO_FRAME;
   Bool is_same = frame == previous.outermost;
   UInt n       = 0;

   previous.outermost = frame;
   for (UInt i = trace.n; i-- > 1; n++) {
      is_same = is_same && n < previous.n && previous.ips[n] == trace.ips[i];
      if (!is_same) {
         previous.ips[n]    = trace.ips[i];
         previous.frames[n] = WS_(frame)(frame, trace.ips[i]);
      }
      frame = previous.frames[n];
   }
   previous.n = n;
   return frame;
}

/* Unwinds from `ip`, as if the stack pointer were `sp_delta` further, and
   gives the innermost caller.  Names of inlined functions are read only
   while it runs (ws_debuginfo.h). */
static UInt unwind(ThreadId tid, Addr ip, Word sp_delta)
{
   WS_(work).n_unwound++;
   WS_(read_inlined)(True);
   trace.n = VG_(get_StackTrace_with_deltas)(tid, trace.ips, max_frames(),
                                             trace.sps, trace.fps,
                                             ip - VG_(get_IP)(tid), sp_delta);
   WS_(read_inlined)(False);
   cut_at_last();
   return frames_of_trace();
}

/* --- Stacks that were found last ----------------------------------------- */

typedef struct {
   Start start;
   Bool  needs_fp;
   UInt  callers;
   UInt  n_words;
   Read* words;
} Kept;

/* Some for each place: it may have several callers that take turns. */
#define N_PLACES    256
#define N_PER_PLACE 4

typedef struct {
   Kept kept[N_PER_PLACE];
   UInt n_replaced;
} Place;

static Place places[N_PLACES];
static Addr  lowest = ~(Addr)0, highest; // of all words

static Place* place_for(const Start* s)
{
   UWord hash = (s->ip ^ s->sp >> 3) * 0x9E3779B1UL;
   return &places[(hash >> 12) % N_PLACES];
}

/* Compares the cheapest first: other places share the slot.  Its words may
   be read, for what has been unmapped since then has made forget_all forget
   them. */
static Bool is_unchanged(const Kept* k, const Start* s)
{
   if (k->start.ip != s->ip || k->start.sp != s->sp ||
       (k->needs_fp && k->start.fp != s->fp))
      return False;
   for (UInt i = 0; i < k->n_words; i++)
      if (*k->words[i].at != k->words[i].value)
         return False;
   return True;
}

static const Kept* find_unchanged(const Start* s)
{
   const Place* place = place_for(s);

   for (UInt i = 0; i < N_PER_PLACE; i++)
      if (is_unchanged(&place->kept[i], s))
         return &place->kept[i];
   return NULL;
}

/* A frame's words lie below the stack pointer of its caller, or just above it
   if the caller has room for them there. */
#define MAX_BELOW 64
#define MAX_ABOVE 4

/* Finds the word from which unwinding has got the value, one step inside the
   i-th frame. */
static const Addr* find_word(UInt i, Addr value)
{
   Addr top    = trace.sps[i] + MAX_ABOVE * WORD_SZB;
   Addr bottom = trace.sps[i] - MAX_BELOW * WORD_SZB;

   // First where x86 has it.
   for (Addr a = trace.sps[i]; a > bottom && a > trace.sps[0] - WORD_SZB;) {
      a -= WORD_SZB;
      if (*(const Addr*)a == value)
         return (const Addr*)a;
   }
   for (Addr a = trace.sps[i]; a < top; a += WORD_SZB)
      if (*(const Addr*)a == value)
         return (const Addr*)a;
   return NULL;
}

/* Tells whether the stack is one, in one mapping, that can be read. */
static Bool is_readable(void)
{
   Addr from = trace.sps[0] - WORD_SZB;
   Addr to   = trace.sps[trace.n - 1] + MAX_ABOVE * WORD_SZB;

   for (UInt i = 1; i < trace.n; i++)
      if (trace.sps[i] < trace.sps[i - 1])
         return False;
   return from % WORD_SZB == 0 && from < to &&
          WS_(is_readable)(from, to - from);
}

/* Tells whether a frame pointer points into the stack. If not, the rules for
   its frame do without it, whatever it is. */
static Bool is_in_stack(Addr fp)
{
   return trace.sps[0] <= fp && fp <= trace.sps[trace.n - 1];
}

typedef struct {
   UInt n;
   Read words[WORDS_PER_FRAME * MAX_FRAMES];
} Reads;

/* Adds a word that unwinding has read; False if it was not found, or there are
   too many. */
static Bool add_read(Reads* reads, const Addr* at, Addr value)
{
   if (!at || reads->n == WORDS_PER_FRAME * max_frames())
      return False;
   reads->words[reads->n++] = (Read){at, value};
   return True;
}

/* Adds to `reads` each word below `a`, down to `bottom`, that has this value;
   False if there are too many. */
static Bool add_words(Reads* reads, Addr a, Addr bottom, Addr value)
{
   while (a > bottom) {
      a -= WORD_SZB;
      if (*(const Addr*)a == value && !add_read(reads, (const Addr*)a, value))
         return False;
   }
   return True;
}

/* A function that aligns its stack keeps the stack pointer of its caller below
   its frame pointer (gcc: "DRAP"), and unwinding may read it there.  Other
   words with this value do no harm. */
#define MAX_SAVED 8

static Bool add_kept_sps(Reads* reads, UInt i)
{
   Addr fp     = trace.fps[i - 1];
   Addr bottom = VG_MAX(fp - MAX_SAVED * WORD_SZB, trace.sps[i - 1]);

   return !is_in_stack(fp) || fp % WORD_SZB != 0 ||
          add_words(reads, fp, bottom, trace.sps[i]);
}

/* Adds all words of the frame that are the frame pointer of its caller: one of
   them is the saved one, if it saves it. */
static Bool add_saved_fps(Reads* reads, UInt i)
{
   Addr fp = trace.fps[i], sp = trace.sps[i];
   Addr bottom   = VG_MAX(sp - MAX_BELOW * WORD_SZB, trace.sps[i - 1]);
   UInt n_before = reads->n;

   if (!is_in_stack(fp))
      return True;
   if (!add_words(reads, sp, bottom, fp))
      return False;
   return reads->n > n_before || fp == trace.fps[i - 1] ||
          add_read(reads, find_word(i, fp), fp);
}

/* Finds all that unwinding has read; False if some of it is not found. */
static Bool find_reads(/*OUT*/ Reads* reads)
{
   reads->n = 0;
   // Else unwinding has ended for something that it has read, nobody knows
   // where.
   if (!trace.is_cut && !trace.has_last)
      return False;
   if (!is_readable())
      return False;
   for (UInt i = 1; i < trace.n; i++) {
      Addr address = trace.ips[i] + 1; // a return address, as it was found
      if (!add_read(reads, find_word(i, address), address) ||
          !add_kept_sps(reads, i) || !add_saved_fps(reads, i))
         return False;
   }
   return reads->n > 0;
}

/* Keeps the stack that has just been unwound, if all that unwinding has read
   is known.  It replaces the oldest of its place, and takes over its memory. */
static void keep(const Start* s, UInt callers)
{
   static Reads reads;

   if (!find_reads(&reads))
      return;
   Place* place = place_for(s);
   Kept*  k     = &place->kept[place->n_replaced++ % N_PER_PLACE];
   if (!k->words)
      k->words = VG_(malloc)("ws.unwind.words",
                             WORDS_PER_FRAME * max_frames() * sizeof(Read));
   *k = (Kept){.start    = *s,
               .needs_fp = is_in_stack(s->fp),
               .callers  = callers,
               .n_words  = reads.n,
               .words    = k->words};
   VG_(memcpy)(k->words, reads.words, reads.n * sizeof(Read));
   for (UInt i = 0; i < reads.n; i++) {
      Addr at = (Addr)reads.words[i].at;
      lowest  = at < lowest ? at : lowest;
      highest = at > highest ? at : highest;
   }
}

static void forget_all(void)
{
   for (UInt i = 0; i < N_PLACES; i++)
      for (UInt j = 0; j < N_PER_PLACE; j++)
         places[i].kept[j].start.ip = 0;
   previous.n = 0;
   lowest     = ~(Addr)0;
   highest    = 0;
}

/* Drops all kept stacks, which hold addresses of words and of code: this is
   seldom, and to find the ones concerned would be as much work. */
void WS_(callers_unmap)(Addr a, SizeT szB)
{
   const DebugInfo* di      = NULL;
   Bool             is_code = False;

   while ((di = VG_(next_DebugInfo)(di)))
      is_code |= VG_(DebugInfo_get_text_avma)(di) < a + szB &&
                 a < VG_(DebugInfo_get_text_avma)(di) +
                        VG_(DebugInfo_get_text_size)(di);
   if (is_code)
      WS_(frames_unload)(a, szB);
   if (is_code || (a <= highest && lowest < a + szB))
      forget_all();
}

/* --- At a segment's end --------------------------------------------------- */

/* Gives how far the stack pointer has moved in the last instruction, if that is
   a call that pushes its return address, or a return that pops it. */
static Word sp_delta(Addr sp)
{
   const WsSegment* seg    = moment.seg;
   const WsAccess*  access = WS_(accesses_of)(seg);

   if (seg->end != Ws_Call && seg->end != Ws_Return)
      return 0;
   for (UInt i = 0; i < seg->n_accesses; i++) {
      if (access[i].instr != seg->n_instrs)
         continue;
      Addr a = WS_(address_of_access)(seg, &access[i], moment.guest);
      if (seg->end == Ws_Call && access[i].is_write && a == sp)
         return access[i].szB;
      // The first one has the lowest address.
      if (seg->end == Ws_Return)
         return a < sp ? a - sp : 0;
   }
   return 0;
}

static void show(const HChar* what, UInt frame)
{
   VG_(umsg)("%s:\n", what);
   for (; WS_(is_frame)(frame); frame = WS_(frame_caller)(frame)) {
      WsReportFrame f = WS_(frame_line)(frame, 0, 0, 0);
      VG_(umsg)("  0x%lx: %s\n", f.address, f.names);
   }
}

static void check(const Kept* k, ThreadId tid, Word delta)
{
   UInt callers = unwind(tid, k->start.ip, delta);

   if (callers == k->callers)
      return;
   show("reused callers", WS_(frame)(k->callers, k->start.ip));
   show("unwound", WS_(frame)(callers, k->start.ip));
   VG_(tool_panic)("ws: stacks differ");
}

/* Finds the callers of `start`, whose stack pointer is `delta` more than the
   guest state's. */
static UInt callers_from(const Start* start, Word delta)
{
   ThreadId    tid = VG_(get_running_tid)();
   const Kept* k   = find_unchanged(start);

   if (k) {
      WS_(work).n_reused++;
      if (WS_(clo).check_stacks)
         check(k, tid, delta);
      return k->callers;
   }
   UInt callers = unwind(tid, start->ip, delta);
   keep(start, callers);
   return callers;
}

/* Gives a place to unwind from: a thread's registers in the guest state. */
static Start start_at(Addr ip, const UChar* guest)
{
   return (Start){.ip = ip,
                  .sp = WS_(guest_word)(guest, WS_(layout)->offset_SP),
                  .fp = WS_(guest_word)(guest, WS_(layout)->offset_FP)};
}

/* Unwinds at the segment's end. Only here, and only if it is settled
   (ws_segment.h), are a thread's registers in the guest state. */
static UInt callers_at_end(void)
{
   if (moment.seg->end == Ws_Unsettled) {
      WS_(work).n_unknown++;
      return WS_UNKNOWN_CALLER;
   }
   Start start = start_at(moment.seg->unwind_ip, moment.guest);
   Word  delta = sp_delta(start.sp);
   start.sp += delta;
   return callers_from(&start, delta);
}

/* Finds the callers at most once per moment, however many pages enter in it. */
static UInt callers_now(void)
{
   if (moment.is_known)
      return moment.callers;
   if (moment.seg)
      moment.callers = callers_at_end();
   else
      moment.callers = unwind(moment.tid, VG_(get_IP)(moment.tid), 0);
   moment.is_known = True;
   return moment.callers;
}

UInt WS_(stack_of)(Addr instr)
{
   if (!moment.seg && moment.tid == VG_INVALID_THREADID)
      return WS_NO_FRAME;
   return WS_(frame)(callers_now(), instr);
}

UInt WS_(stack_of_call)(Addr returned_to, const UChar* guest)
{
   Start start = start_at(returned_to - 1, guest);
   return WS_(frame)(callers_from(&start, 0), start.ip);
}

UInt WS_(code_of)(Addr instr, Bool with_callers)
{
   return WS_(frame)(with_callers ? callers_now() : WS_NO_FRAME, instr);
}
