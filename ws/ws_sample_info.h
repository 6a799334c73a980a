/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* What rows of the table and phases refer to: call stacks.

   PURPOSE: the section "Sample info" has each distinct entry once, with a
   small number, however many rows refer to it.  Entries are numbered from 0
   in the order of their first use.  Two are the same if they read the same.

   Stacks are texts, not Valgrind's ExeContexts: what is unloaded before the end
   of the run must keep its names, and --keep-debuginfo=yes, which would see to
   that, is the user's choice. */

#ifndef WS_SAMPLE_INFO_H
#define WS_SAMPLE_INFO_H

#include "ws_base.h"
#include "ws_report.h"

/* The number of the entry that reads like this, to which one row more refers.
   All texts are from ws_text.h; `sets` and `label` may be NULL. */
UInt WS_(sample_info_refer)(const HChar* sets, const HChar* label,
                            const HChar* place, const HChar* stack);

/* Writes the section, if there is any entry. */
void WS_(sample_info_report)(WsSink sink);

/* Forgets all entries. */
void WS_(sample_info_clear)(void);

#endif
