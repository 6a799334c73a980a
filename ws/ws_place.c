/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_place.h"

#include "pub_tool_debuginfo.h"
#include "pub_tool_hashtable.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_machine.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"
#include "pub_tool_stacktrace.h"
#include "ws_text.h"

void WS_(unwind)(ThreadId tid, Addr ip, /*OUT*/ WsStack* stack)
{
   UInt n_max = VG_(clo_backtrace_size);
   Word delta = ip - VG_(get_IP)(tid);

   stack->n = VG_(get_StackTrace)(tid, stack->ips,
                                  n_max < WS_MAX_FRAMES ? n_max : WS_MAX_FRAMES,
                                  NULL, NULL, delta);
}

/* Valgrind describes an address in one of these ways:

      0xADDRESS: function (file:line)
      0xADDRESS: function (in object)
      0xADDRESS: ??? (file:line)
      0xADDRESS: ??? (in object)
      0xADDRESS: ???

   Only where the function is not known, the address says something to
   people. */
static const HChar* without_address(const HChar* text)
{
   const HChar* rest = VG_(strstr)(text, ": ");
   return rest && VG_(strncmp)(rest + 2, "???", 3) != 0 ? rest + 2 : text;
}

/* The parenthesis that a description ends with; or NULL. */
static const HChar* last_parenthesis(const HChar* text)
{
   const HChar* p     = text + VG_(strlen)(text);
   Int          depth = 0;

   while (p > text) {
      p--;
      depth += *p == ')' ? 1 : *p == '(' ? -1 : 0;
      if (depth == 0)
         return *p == '(' ? p : NULL;
   }
   return NULL;
}

static void append(XArray* place, const HChar* from, const HChar* end)
{
   for (; from < end; from++)
      WS_(text_add)(place, *from == '|' ? "/" : from, 1);
}

/* Appends the shortest form of a description. */
static void append_place(XArray* place, const HChar* text)
{
   const HChar* colon = VG_(strstr)(text, ": ");
   const HChar* what  = colon + 2;
   const HChar* end   = what + VG_(strlen)(what);
   const HChar* paren = last_parenthesis(what);

   if (paren && VG_(strncmp)(paren, "(in ", 4) != 0) {
      append(place, paren + 1, end - 1);
   } else if (VG_(strncmp)(what, "???", 3) != 0) {
      append(place, what, paren ? paren - 1 : end);
   } else {
      if (paren) {
         const HChar* slash = VG_(strrchr)(paren, '/');
         append(place, slash ? slash + 1 : paren + 4, end - 1);
         VG_(xaprintf)(place, ":");
      }
      append(place, text, colon);
   }
}

typedef struct {
   XArray* place;
   XArray* stack;
} Texts;

static void append_frame(UInt n, DiEpoch ep, Addr ip, void* opaque)
{
   const Texts* t      = opaque;
   InlIPCursor* cursor = VG_(new_IIPC)(ep, ip);

   do {
      const HChar* text     = VG_(describe_IP)(ep, ip, cursor);
      Bool         is_first = VG_(sizeXA)(t->place) == 0;
      if (!is_first)
         VG_(xaprintf)(t->place, "|");
      append_place(t->place, text);
      VG_(xaprintf)(t->stack, "%s %s\n", is_first ? "at" : "by",
                    WS_(text_line)(without_address(text)));
   } while (VG_(next_IIPC)(cursor));
   VG_(delete_IIPC)(cursor);
}

void WS_(place_stack)(WsStack* s, /*OUT*/ const HChar** place,
                      /*OUT*/ const HChar** stack)
{
   Texts t = {WS_(text_begin)(), WS_(text_begin)()};

   VG_(apply_StackTrace)(append_frame, &t, VG_(current_DiEpoch)(), s->ips,
                         s->n);
   *place = WS_(text_end)(t.place);
   *stack = WS_(text_end)(t.stack);
}

typedef struct {
   VgHashNode   node; // key: the address
   const HChar* text;
} Place;

static const HChar* describe(Addr ip)
{
   DiEpoch      ep     = VG_(current_DiEpoch)();
   InlIPCursor* cursor = VG_(new_IIPC)(ep, ip);
   const HChar* text   = WS_(text_line)(
      without_address(VG_(describe_IP)(ep, ip, cursor)));

   VG_(delete_IIPC)(cursor);
   return text;
}

const HChar* WS_(place_of)(Addr ip)
{
   static VgHashTable* places; // of this epoch of debug information
   static UInt         epoch;

   if (places && epoch != VG_(current_DiEpoch)().n) {
      VG_(HT_destruct)(places, VG_(free));
      places = NULL;
   }
   epoch = VG_(current_DiEpoch)().n;
   if (!places)
      places = VG_(HT_construct)("ws.places");

   Place* p = VG_(HT_lookup)(places, ip);
   if (!p) {
      p           = VG_(malloc)("ws.place", sizeof *p);
      p->node.key = ip;
      p->text     = describe(ip);
      VG_(HT_add_node)(places, p);
   }
   return p->text;
}
