/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* The report: the only place that knows its format, which is documented in
   docs/report-format.md.

   Pure: text leaves through a sink that the caller provides.  Which columns
   there are, and in which unit times are, depends on the options. */

#ifndef WS_REPORT_H
#define WS_REPORT_H

#include "ws_base.h"
#include "ws_clo.h"
#include "ws_origins.h"
#include "ws_resident.h"
#include "ws_stats.h"
#include "ws_window.h"

/* Takes `n_bytes` of the report; they are valid during the call only. */
typedef void (*WsSink)(const HChar* text, SizeT n_bytes);

/* Several times: the first one and how many. */
typedef struct {
   const WsTick* first;
   UWord         n;
} WsTimes;

/* The header, but for options.  A line is left out if its text is NULL, or if
   there are no times; and that of a parent_pid of 0. */
typedef struct {
   const HChar* command;
   Int          pid;
   ULong        pid_since;  // WS_(process_start)
   Int          parent_pid; // of a forked child
   ULong        start_ms;   // since 1970
   WsTimes      further_taus;
   const HChar* page_log; // its name
} WsReportHeader;

/* The sections that are tables, and the rows that they have. */
typedef enum {
   Ws_WorkingSets,    // WsReportRow
   Ws_Sizes,          // WsReportSize
   Ws_Totals,         // WsReportTotal
   Ws_ResidentMemory, // WsResidentCount
   Ws_Profile,        // WsProfileRow
   Ws_KeptSamples,    // WsReportKept
   Ws_Composition,    // WsReportShare
   Ws_Entries,        // WsReportShare
   Ws_HeapBlocks,     // WsReportShare
   Ws_Phases,         // WsReportPhase
   Ws_SampleInfo,     // WsReportInfo
   Ws_CodePages,      // WsReportPage
   Ws_DataPages,      // WsReportPage
   Ws_Stacks,         // WsReportFrame
   Ws_Clock,          // WsResidentSpan
   Ws_Threads         // WsReportThread
} WsSection;

typedef struct {
   WsTick  t;
   WsTick  late; // made so long after t
   WsSizes wss;
   UWord   new_pages[WS_N_KINDS]; // since the row before
   UWord   total_pages[WS_N_KINDS];
   UWord   mapped_pages;
   UWord   resident_pages;
   UWord   cold_pages;
   UWord   shared_pages;
   ULong   info; // or WS_NONE
} WsReportRow;

/* Sizes of a window over the samples. */
typedef struct {
   WsKind  kind;
   WsTick  tau;
   WsStats stats;
   ULong   bound_pages; // never more; or WS_NONE
} WsReportSize;

/* Distinct pages of the run. */
typedef struct {
   WsKind kind;
   UWord  n_pages;
   ULong  n_mapped_anew; // and accessed again; or WS_NONE
   ULong  n_peaks;       // or WS_NONE
} WsReportTotal;

typedef struct {
   WsInstrs      instrs; // executed in the whole run
   WsTick        end;
   ULong         n_samples;
   WsReportSize  sizes[WS_N_KINDS][WS_MAX_TAUS];
   WsReportTotal totals[WS_N_KINDS];
   WsProfile     profile[WS_N_KINDS];
   ULong         late_avg_us, late_max_us; // WS_NONE: there was no sample
   UWord         cached_pages; // of files, beside those resident at most
   const HChar*  not_in_limit; // why more may be needed; or NULL
   WsTimes       not_reached;  // sorted
} WsReportSummary;

/* From one mark to the next. */
typedef struct {
   WsTick       start, end;
   WsInstrs     instrs; // executed in it
   UWord        n_pages[WS_N_KINDS];
   ULong        n_samples;         // in it
   WsStats      stats[WS_N_KINDS]; // of them, first window
   ULong        info;              // or WS_NONE
   const HChar* label;             // of the mark that ends it
} WsReportPhase;

/* Why a sample is kept. */
enum {
   Ws_Largest  = 1,
   Ws_Peak     = 2,
   Ws_InfoAt   = 4,
   Ws_Snapshot = 8,
   Ws_End      = 16
};

/* A sample, or the most of resident memory, whose composition is known. */
typedef struct {
   UInt         number;
   UInt         set; // ws_origins.h
   WsTick       t;
   UWord        n_pages;
   ULong        n_written; // of them; or WS_NONE
   UInt         why;       // bits of these
   const HChar* label;     // of a snapshot; or NULL
} WsReportKept;

/* Pages of one origin: in a sample, or all that ever entered. */
typedef struct {
   UInt         sample;
   UInt         set;
   UWord        n_pages;
   ULong        n_written; // or WS_NONE
   UInt         frame;     // the innermost of their stack; 0: none
   Bool         is_folded; // it has called others
   UInt         lead;      // the frame that leads; 0: `frame` tells
   const HChar* mapping;
   const ULong* sums; // of the heap (ws_origins.h)
} WsReportShare;

/* A frame of such a stack. */
typedef struct {
   UInt         number;
   UInt         caller; // 0: there is none, or
   Bool         is_cut; // it is not known
   Addr         address;
   UInt         line;  // 0: not known
   UInt         whose; // WsWhose
   const HChar* names;
} WsReportFrame;

/* What rows of the table and phases refer to. */
typedef struct {
   UInt         number;
   UInt         n_rows; // that refer to it
   const HChar* kind;   // "sample" or "snapshot"
   const HChar* sets;   // in which a peak begins; or NULL
   UInt         frame;  // the innermost of the stack; 0: none
   const HChar* label;  // of a snapshot; or NULL
} WsReportInfo;

/* An entry of a list of pages. */
typedef struct {
   ULong        n_accesses;
   Addr         a;
   WsTick       last;
   Bool         is_mapped_anew;
   UInt         frame; // of the first access; 0: not wanted
   const HChar* mapping;
} WsReportPage;

/* A thread, or several with this number and name. */
typedef struct {
   UInt         tid;
   const HChar* name;
} WsReportThread;

/* Writes the header of a page log; of a report, everything up to and including
   the names of the table's columns.  What follows goes to the same sink. */
void WS_(report_begin)(WsSink sink, const WsReportHeader* h, Bool is_log);

/* Write a section: its title and the names of its columns; rows, each of them
   the struct that stands beside the section above; its end.  The first row
   begins a section that has not begun.  The end of one that has not does
   nothing.  The first section, which WS_(report_begin) has begun, ends with
   the summary. */
void WS_(report_section)(WsSection section);
void WS_(report_row)(WsSection section, const void* row);
void WS_(report_section_end)(void);

/* Writes the end of the table, the summary, and the sections that are made of
   it. */
void WS_(report_summary)(const WsReportSummary* s);

/* The last line, and its length in bytes. */
#define WS_REPORT_END     "End of report\n"
#define WS_REPORT_END_SZB (sizeof WS_REPORT_END - 1)

/* Finds the PID in the header of a report or page log, and since when it is
   that of its process; 0: `head`, the 0-terminated beginning of a file, is of
   neither. */
Int WS_(report_pid)(const HChar* head, /*OUT*/ ULong* since);

#endif
