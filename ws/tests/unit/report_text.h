/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* What tests of the report have in common: they look at its text. */

#ifndef REPORT_TEXT_H
#define REPORT_TEXT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ws_report.h"

#define MAX64     (~(ULong)0)
#define TWENTY    "18446744073709551615" // its digits
#define LONG_TEXT 10000

/* What has been written since the last assert_text. */
static HChar text[2 * LONG_TEXT];
static SizeT text_szB;

/* A piece need not end with a 0, and need not be there later. */
static void sink(const HChar* piece, SizeT n_bytes)
{
   assert_true(text_szB + n_bytes < sizeof text);
   memcpy(text + text_szB, piece, n_bytes);
   text_szB += n_bytes;
   text[text_szB] = 0;
   assert_int_equal(strlen(text), text_szB);
}

static void clear(void)
{
   text_szB = 0;
   text[0]  = 0;
}

static void assert_text(const HChar* expected)
{
   assert_string_equal(text, expected);
   clear();
}

static const WsTaus one_tau    = {1, {250000}};
static const WsTaus three_taus = {3, {250000, 1000, 10000000}};

#define PROFILE_COLUMNS                                                        \
   "  set              tau        avg      max    entered         miss"        \
   "         life note\n"

#endif
