/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_debuginfo.h"

#include "pub_tool_debuginfo.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_options.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_vki.h"
#include "ws_compat.h"
#include "ws_intern.h"

/* --- Generated code ------------------------------------------------------- */

/* The map is trusted only if it is the user's own, and no link. It stays open:
   the program may delete it at its end. What is appended is read when a name is
   wanted; what was in it before the process executed this program, or was
   forked, is left out. */

/* Reads no more than this of a map. The ranges take as much memory again, at
   most. */
#define MAX_MAP_SZB (64 << 20)

static struct {
   const HChar* file;
   Int          fd;               // -1: it is not open
   ULong        inode;            // of what is open, or was there before
   Long         end;              // up to here it has been read
   SizeT        n_read;           // in all
   Bool         may_have_changed; // since then
   WsPerfMap    ranges;
} map = {.fd = -1};

/* Finds the map of the process. A child has another one, and the names that the
   code had in the parent. */
static void find_map(ThreadId tid)
{
   struct vg_stat found;
   HChar          file[40];

   if (map.fd != -1)
      VG_(close)(map.fd);
   VG_(sprintf)(file, "/tmp/perf-%d.map", VG_(getpid)());
   map.file      = WS_(text)(file);
   map.fd        = -1;
   Bool is_there = !sr_isError(VG_(stat)(file, &found));
   map.inode     = is_there ? found.ino : 0;
   map.end       = is_there ? found.size : 0;
}

void WS_(places_init)(void)
{
   find_map(VG_INVALID_THREADID);
   VG_(atfork)(NULL, NULL, find_map);
}

/* Tells whether the map can be trusted, once it is open. */
static Bool is_ours(Int fd, /*OUT*/ struct vg_stat* status)
{
   return VG_(fstat)(fd, status) == 0 && VKI_S_ISREG(status->mode) &&
          status->uid == (UInt)VG_(geteuid)();
}

/* Opens the map, without waiting for the writer of a pipe. */
static void open_map(void)
{
   struct vg_stat status;
   HChar          target[1];
   const Int      flags   = VKI_O_RDONLY | VKI_O_NONBLOCK;
   Bool           is_link = VG_(readlink)(map.file, target, sizeof target) >= 0;
   Int            fd      = is_link ? -1 : VG_(fd_open)(map.file, flags, 0);

   if (fd != -1 && is_ours(fd, &status)) {
      if (map.fd != -1)
         VG_(close)(map.fd);
      if (status.ino != map.inode)
         map.end = 0;
      map.inode = status.ino;
      map.fd    = VG_(safe_fd)(fd);
   } else if (fd != -1) {
      VG_(close)(fd);
   }
}

/* Reads the lines that have been appended. A map that is shorter than before
   has been written anew. */
static void read_on(void)
{
   struct vg_stat status;

   if (map.fd == -1 || !is_ours(map.fd, &status))
      return;
   if (status.size < map.end)
      map.end = 0;
   SizeT n = VG_MIN(status.size - map.end, MAX_MAP_SZB - map.n_read);
   if (n == 0 || VG_(lseek)(map.fd, map.end, VKI_SEEK_SET) != map.end)
      return;
   HChar* text   = VG_(malloc)("ws.generated", n);
   Int    n_read = VG_(read)(map.fd, text, n);
   while (n_read > 0 && text[n_read - 1] != '\n')
      n_read--;
   if (n_read > 0) {
      map.end += n_read;
      map.n_read += n_read;
      WS_(perfmap_add)(&map.ranges, text, n_read);
   } else {
      VG_(free)(text);
   }
}

/* Looks whether there is another map under the name once the one before has
   been read. */
static void look_again(void)
{
   struct vg_stat named;

   map.may_have_changed = False;
   read_on();
   if (sr_isError(VG_(stat)(map.file, &named)) ||
       (map.fd != -1 && named.ino == map.inode))
      return;
   open_map();
   read_on();
}

void WS_(places_may_change)(Bool at_once)
{
   map.may_have_changed = True;
   if (at_once)
      look_again();
}

/* Gives the name of the generated code at an address, or NULL. The name is
   valid until the next call. The file is looked at only after a system call,
   for only that can have made it grow. */
static const WsPerfRange* generated_at(Addr a)
{
   if (map.may_have_changed)
      look_again();
   return WS_(perfmap_find)(&map.ranges, a);
}

/* --- Debug information ---------------------------------------------------- */

/* Valgrind describes an address in one of these ways:

      0xADDRESS: function (file:line)
      0xADDRESS: function (in object)
      0xADDRESS: ??? (file:line)
      0xADDRESS: ??? (in object)
      0xADDRESS: ???

   Here it is cut into parts, with the directories of files; what is not known
   is empty. */

/* Finds the parenthesis that a description ends with, or NULL. */
static HChar* last_parenthesis(HChar* text)
{
   HChar* p     = text + VG_(strlen)(text);
   Int    depth = 0;

   while (p > text) {
      p--;
      depth += *p == ')' ? 1 : *p == '(' ? -1 : 0;
      if (depth == 0)
         return *p == '(' ? p : NULL;
   }
   return NULL;
}

static WsCodeName take_apart(HChar* text)
{
   HChar*     what  = VG_(strstr)(text, ": ") + 2;
   HChar*     paren = last_parenthesis(what);
   WsCodeName name  = {.function = what, .file = ""};

   if (VG_(strncmp)(what, "???", 3) == 0)
      name.function = "";
   if (paren)
      paren[-1] = 0;
   if (paren && VG_(strncmp)(paren, "(in ", 4) != 0) {
      HChar* colon = VG_(strrchr)(paren, ':');
      name.file    = paren + 1;
      name.line    = VG_(strtoll10)(colon + 1, NULL);
      *colon       = 0;
   }
   return name;
}

static void set_name(WsPlace* place, WsCodeName name)
{
   place->function = WS_(text_line)(name.function);
   place->file     = WS_(text_line)(name.file);
   place->line     = name.line;
}

/* Joins the names of a place by bars; one within a name is escaped. */
static const HChar* joined_names(const WsPlace* place)
{
   const HChar* const names[] = {place->function, place->file, place->object};
   XArray*            text    = WS_(text_begin)();

   for (UInt i = 0; i < 3; i++) {
      VG_(xaprintf)(text, i > 0 ? "|" : "");
      for (const HChar* s = names[i]; *s; s++)
         if (*s == '|')
            VG_(xaprintf)(text, "\\x7c");
         else
            WS_(text_add)(text, s, 1);
   }
   return WS_(text_end)(text);
}

/* Gives Valgrind's description of an address, with the directories of files. */
static const HChar* full_description(DiEpoch ep, Addr ip,
                                     const InlIPCursor* cursor)
{
   static XArray* nothing;
   const HChar*   prefix = "";
   XArray*        left_out;

   if (!nothing) {
      nothing = VG_(newXA)(VG_(malloc), "ws.place.paths", VG_(free),
                           sizeof prefix);
      VG_(addToXA)(nothing, &prefix);
   }
   left_out                = VG_(clo_fullpath_after);
   VG_(clo_fullpath_after) = nothing;
   const HChar* text       = VG_(describe_IP)(ep, ip, cursor);
   VG_(clo_fullpath_after) = left_out;
   return text;
}

/* Gives the file and line at which the function at an address begins, or an
   empty text. There, lines are the function's own; further in, they may be
   those of what was inlined. */
static const HChar* file_of_entry(DiEpoch ep, Addr ip, /*OUT*/ UInt* line)
{
   const HChar *name, *file, *directory;
   HChar*       end;

   if (!VG_(get_fnname_w_offset)(ep, ip, &name))
      return "";
   const HChar* plus   = VG_(strrchr)(name, '+');
   Addr         offset = plus ? VG_(strtoll10)(plus + 1, &end) : 0;
   if (offset > 0 && !*end)
      ip -= offset;
   if (!VG_(get_filename_linenum)(ep, ip, &file, &directory, line))
      return "";
   XArray* text = WS_(text_begin)();
   VG_(xaprintf)(text, "%s%s%s", directory, *directory ? "/" : "", file);
   return WS_(text_end)(text);
}

/* Recognizes headers: code from there may have been inlined anywhere. */
static Bool is_header(const HChar* file)
{
   const HChar* end = VG_(strrchr)(WS_(last_name)(file), '.');

   return WS_(is_system_source)(file) || (end && VG_(strchr)("hHit", end[1]));
}

/* Sets the file of the function itself. Where debugging information does not
   tell what was inlined, the line is another function's, and only the file is
   known. */
static void set_own_file(WsPlace* place, DiEpoch ep, Addr ip)
{
   UInt         line;
   const HChar* file = WS_(text_line)(file_of_entry(ep, ip, &line));

   if (!*file || VG_STREQ(file, place->file))
      return;
   place->file = file;
   place->line = 0;
}

/* Describes a place in texts of our own: Valgrind's last until the next
   call. */
static WsPlace describe(DiEpoch ep, Addr ip, const InlIPCursor* cursor)
{
   HChar*  text  = VG_(strdup)("ws.place", full_description(ep, ip, cursor));
   WsPlace place = {.object = ""};

   VG_(get_objname)(ep, ip, &place.object);
   place.object = WS_(text_line)(place.object);
   set_name(&place, take_apart(text));
   VG_(free)(text);
   return place;
}

/* Names generated code, if the program has given it a name. */
static void describe_generated(Addr ip, WsPlace* place)
{
   const WsPerfRange* r = generated_at(ip);

   if (!r)
      return;
   HChar* name   = VG_(strdup)("ws.generated.name", r->name);
   place->object = map.file;
   place->whose  = Ws_Generated;
   set_name(place, WS_(perfmap_name)(name));
   VG_(free)(name);
}

void WS_(read_inlined)(Bool on)
{
   static Bool is_wanted;

   if (!WS_(reads_debuginfo_late)())
      return;
   is_wanted |= VG_(clo_read_inline_info);
   VG_(clo_read_inline_info) = on && is_wanted;
}

/* Tells whose the i-th place is. The program's own is neither what the compiler
   has made, all on one line, nor an inlined closure if a function of the
   program's is further out. */
static WsWhose whose(const WsPlaces* all, UInt i, DiEpoch ep, Addr ip)
{
   const WsPlace* p     = &all->places[i];
   const Bool     last  = i == all->n - 1;
   WsWhose        whose = WS_(whose)(p->function, p->file, p->object);
   UInt           line  = p->line;

   if (whose == Ws_Own && WS_(copies)(p->function, last ? "" : p[1].function)) {
      if (last)
         file_of_entry(ep, ip, &line);
      return line == p->line ? Ws_System : Ws_Own;
   }
   if (whose == Ws_Own && WS_(is_closure)(p->function))
      for (UInt k = i + 1; k < all->n; k++)
         if (all->places[k].whose == Ws_Own &&
             !WS_(is_closure)(all->places[k].function))
            return Ws_System;
   return whose;
}

/* Finds all places of an address, of generated code too.  The names are
   texts that stay; the caller keeps the result for ever, or frees it. */
static WsPlaces* find_out(DiEpoch ep, Addr ip)
{
   WsPlaces* all = VG_(calloc)("ws.places", 1, sizeof *all);

   WS_(read_inlined)(True);
   InlIPCursor* cursor = VG_(new_IIPC)(ep, ip);
   do {
      all->places           = VG_(realloc)("ws.places.all", all->places,
                                 (all->n + 1) * sizeof(WsPlace));
      all->places[all->n++] = describe(ep, ip, cursor);
   } while (VG_(next_IIPC)(cursor));
   VG_(delete_IIPC)(cursor);
   WS_(read_inlined)(False);
   for (UInt i = all->n; i-- > 0;) {
      WsPlace* place = &all->places[i];
      if (!*place->object && !*place->function)
         describe_generated(ip, place);
      else if (i == all->n - 1 && is_header(place->file))
         set_own_file(place, ep, ip);
      place->names = joined_names(place);
      if (place->whose != Ws_Generated)
         place->whose = whose(all, i, ep, ip);
   }
   Vg_FnNameKind kind = VG_(get_fnname_kind_from_IP)(ep, ip);
   all->is_outermost  = !VG_(clo_show_below_main)&& kind != Vg_FnNameNormal;
   all->is_last       = kind == Vg_FnNameBelowMain ||
                  WS_(begins_thread)(all->places[all->n - 1].function);
   return all;
}

Bool WS_(are_places_same)(const WsPlaces* a, const WsPlaces* b)
{
   Bool are = a->n == b->n;

   for (UInt i = 0; are && i < a->n; i++)
      are = a->places[i].names == b->places[i].names &&
            a->places[i].line == b->places[i].line;
   return are;
}

/* What was found out about an address.  It is asked again when debug
   information has changed since then: code may have been loaded or unloaded. */
typedef struct {
   UInt      epoch; // of debug information
   WsPlaces* places;
} Known;

/* Keeps what is found by address. A new epoch of debugging information makes it
   look again; code that stays what it is keeps its places. */
const WsPlaces* WS_(places_of)(Addr ip)
{
   static WsPairs all    = {.entry_szB = sizeof(Known)}; // of 0 and addresses
   Known*         known  = WS_(pair_get)(&all, 0, ip);
   WsPlaces*      former = known->places;
   DiEpoch        now    = VG_(current_DiEpoch)();

   if (former && known->epoch == now.n &&
       !(WS_(is_nowhere)(former) && generated_at(ip)))
      return former;
   known->epoch  = now.n;
   known->places = find_out(now, ip);
   if (former && WS_(are_places_same)(known->places, former)) {
      VG_(free)(known->places->places);
      VG_(free)(known->places);
      known->places = former;
   } // else the former ones may still be referred to
   return known->places;
}
