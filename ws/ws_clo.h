/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* The command line options. Values are checked once; then they are constant. */

#ifndef WS_CLO_H
#define WS_CLO_H

#include "ws_base.h"

/* A number, with its text as the user gave it. */
typedef struct {
   const HChar* text;
   double       value;
} WsReal;

typedef struct {
   const HChar* option;  // as it was spelled
   const HChar* pattern; // before expansion of %p and the like
   HChar*       name;    // and after it, for this process
} WsFileOption;

typedef struct {
   WsFileOption report, log;
   Bool         page_log;    // write one
   Bool         threads;     // tell them apart in it
   Bool         code_lines;  // record lines of code in it
   Bool         is_clocked;  // a tick is a microsecond, not an instruction
   WsTick       every;       // sampling interval T, at first
   Bool         every_grows; // --ws-every=auto
   WsTaus       taus;        // windows
   UWord        page_szB;    // a power of two
   Bool         syscalls;    // count memory that system calls access
   Bool         at_start;    // measure from the start of the program
   WsStacks     stacks;
   // Which results of WS_(sets_access) are recorded with callers.
   UInt         with_callers;
   UInt         peaks; // how many keep their composition
   Bool         peak_detect;
   ULong        peak_window_samples;
   WsReal       peak_thresh;
   WsReal       peak_adapt;
   XArray*      info_at; // of WsTick, sorted, each once; NULL: none
   Bool         dirty;   // count written pages, too
   Bool         heap;    // record who has allocated what is resident
   Bool         list_pages;
   Bool         locations;   // in that list
   ULong        progress_s;  // from one line to the next; 0: none
   const HChar* progress_of; // a report of a former run; NULL: none
   Bool         recount;
   Bool         check_stacks; // unwind those that are reused, too
} WsOptions;

/* With --ws-every=auto, T doubles after so many samples (ws_window.h). */
#define WS_SAMPLES_PER_EVERY 1024
#define WS_SAMPLES_IF_COSTLY 32

/* Valid once WS_(clo_finish) has run. */
extern WsOptions WS_(clo);

/* Counts the kinds of pages that are measured. */
static inline UInt WS_(n_kinds)(void)
{
   return WS_(clo).dirty ? Ws_Dirty + 1 : Ws_Data + 1;
}

/* Turns ticks into the unit of time of the report. */
static inline ULong WS_(units)(WsTick ticks)
{
   return WS_(clo).is_clocked && ticks != WS_NEVER ? ticks / 1000 : ticks;
}

/* Registers the options with Valgrind's core. Call it before the first option.
   A value that makes no sense ends the run with Valgrind's bad-option
   message. */
void WS_(clo_init)(void);

/* Gives the last value of an option, of the tool or of Valgrind's core, before
   options are processed; NULL: it is not given. `option` has no dashes, and
   ends with "=". */
const HChar* WS_(clo_value)(const HChar* option);

/* Fills in what depends on several options. Call it after the last one. */
void WS_(clo_finish)(void);

/* Refuses an option and ends the run, as Valgrind does while it processes
   options. */
void WS_(clo_refuse)(const HChar* option, const HChar* value,
                     const HChar* format, ...) PRINTF_CHECK(3, 4)
   __attribute__((noreturn));

#endif
