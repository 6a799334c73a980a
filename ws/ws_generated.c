/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_generated.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_vki.h"
#include "ws_text.h"

/* With as much again for what is found in it, at most. */
#define MAX_MAP_SZB (64 << 20)

static struct {
   const HChar* file;
   ULong        inode;
   Long         begin;            // what comes before is another program's
   Long         end;              // up to here it has been read
   Bool         may_have_changed; // since then
   HChar*       text;
   WsPerfMap    map;
} generated;

/* False: there is none that can be trusted. */
static Bool find_file(/*OUT*/ struct vg_stat* found)
{
   HChar target[1];
   Bool  is_link = VG_(readlink)(generated.file, target, sizeof target) >= 0;

   return !is_link && !sr_isError(VG_(stat)(generated.file, found)) &&
          VKI_S_ISREG(found->mode) && found->uid == (UInt)VG_(geteuid)();
}

static void forget(void)
{
   WS_(perfmap_done)(&generated.map);
   VG_(free)(generated.text);
   generated.text = NULL;
   generated.end  = generated.begin;
}

static void forked(ThreadId tid)
{
   WS_(generated_init)();
}

void WS_(generated_may_change)(void)
{
   generated.may_have_changed = True;
}

void WS_(generated_init)(void)
{
   static Bool    is_known;
   struct vg_stat found;
   HChar          file[40];

   VG_(sprintf)(file, "/tmp/perf-%d.map", VG_(getpid)());
   generated.file  = WS_(text)(file);
   Bool is_there   = find_file(&found);
   generated.inode = is_there ? found.ino : 0;
   generated.begin = is_there ? found.size : 0;
   forget();
   if (!is_known)
      VG_(atfork)(NULL, NULL, forked);
   is_known = True;
}

static void read_map(Long size)
{
   SysRes         opened = VG_(open)(generated.file, VKI_O_RDONLY, 0);
   struct vg_stat found;
   SizeT          n = size - generated.begin;

   forget();
   generated.end = size;
   if (sr_isError(opened))
      return;
   Int fd = sr_Res(opened);
   if (VG_(fstat)(fd, &found) == 0 && found.ino == generated.inode &&
       VG_(lseek)(fd, generated.begin, VKI_SEEK_SET) == generated.begin) {
      n              = n < MAX_MAP_SZB ? n : MAX_MAP_SZB;
      generated.text = VG_(malloc)("ws.generated", n);
      Int n_read     = VG_(read)(fd, generated.text, n);
      generated.map  = WS_(perfmap_read)(generated.text,
                                        n_read > 0 ? n_read : 0);
   }
   VG_(close)(fd);
}

/* If there is more of it. */
static void read_again(void)
{
   struct vg_stat found;

   generated.may_have_changed = False;
   if (!find_file(&found)) {
      forget();
      return;
   }
   if (found.ino != generated.inode || found.size < generated.begin)
      generated.begin = generated.end = 0; // another file, or written anew
   if (found.ino != generated.inode || found.size != generated.end) {
      generated.inode = found.ino;
      read_map(found.size);
   }
}

const WsPerfRange* WS_(generated_at)(Addr a, /*OUT*/ const HChar** file)
{
   *file = generated.file;
   if (generated.may_have_changed)
      read_again();
   return WS_(perfmap_find)(&generated.map, a);
}
