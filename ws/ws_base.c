/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_base.h"

#include "pub_tool_deduppoolalloc.h"

UInt WS_(page_shift);
WsWork WS_(work);

#define POOL_SZB 4096

/* Texts are compared by their pointers (ws_base.h), so each is kept once and
   for ever: names of functions and files, which are few, and labels. */

const HChar* WS_(text)(const HChar* s)
{
   static DedupPoolAlloc* pool;

   if (!pool)
      pool = VG_(newDedupPA)(POOL_SZB, 1, VG_(malloc), "ws.text", VG_(free));
   return VG_(allocEltDedupPA)(pool, VG_(strlen)(s) + 1, s);
}

XArray* WS_(text_begin)(void)
{
   return VG_(newXA)(VG_(malloc), "ws.text.parts", VG_(free), sizeof(HChar));
}

/* Tells whether the text ends with the first byte of a control character of
   Unicode, U+0080 to U+009F, of which `c` is the second. */
static Bool ends_control(const XArray* parts, UChar c)
{
   Word n = VG_(sizeXA)(parts);
   return 0x80 <= c && c <= 0x9f && n > 0 &&
          *(UChar*)VG_(indexXA)(parts, n - 1) == 0xc2;
}

/* Adds a character; one that a terminal could take for a command, or a reader
   for the end of a line, is written as an escape sequence of C. */
static void add_char(XArray* parts, UChar c)
{
   if (c == '\n') {
      VG_(xaprintf)(parts, "\\n");
   } else if (c == '\t') {
      VG_(xaprintf)(parts, "\\t");
   } else if (c < ' ' || c == 127) {
      VG_(xaprintf)(parts, "\\x%02x", c);
   } else if (ends_control(parts, c)) {
      VG_(dropTailXA)(parts, 1);
      VG_(xaprintf)(parts, "\\xc2\\x%02x", c);
   } else {
      VG_(addToXA)(parts, &c);
   }
}

void WS_(text_add)(XArray* parts, const HChar* s, SizeT n_chars)
{
   for (SizeT i = 0; i < n_chars; i++)
      add_char(parts, s[i]);
}

const HChar* WS_(text_line)(const HChar* s)
{
   XArray* parts = WS_(text_begin)();
   WS_(text_add)(parts, s, VG_(strlen)(s));
   return WS_(text_end)(parts);
}

const HChar* WS_(text_end)(XArray* parts)
{
   static const HChar end = 0;

   VG_(addToXA)(parts, &end);
   const HChar* s = WS_(text)(VG_(indexXA)(parts, 0));
   VG_(deleteXA)(parts);
   return s;
}
