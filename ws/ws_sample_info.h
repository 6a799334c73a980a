/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* What rows of the table and phases refer to: call stacks.

   PURPOSE: the section "Sample info" has each distinct entry once, with a
   small number, however many rows refer to it.  Entries are numbered from 0
   in the order of their first use.  Two are the same if they read the same. */

#ifndef WS_SAMPLE_INFO_H
#define WS_SAMPLE_INFO_H

#include "ws_base.h"
#include "ws_report.h"

/* The number of the entry for this stack (ws_frames.h), to which one row more
   refers: of a sample, with the sets in which a peak begins, or NULL; or of a
   snapshot, with its label, or NULL.  Equal texts are one pointer. */
UInt WS_(sample_info_refer)(const HChar* sets, const HChar* label, UInt stack);

/* Writes the section, if there is any entry. */
void WS_(sample_info_report)(WsSink sink, WsReportParts parts);

/* Forgets all entries. */
void WS_(sample_info_clear)(void);

#endif
