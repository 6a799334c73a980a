/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* What differs between the versions of Valgrind that ws is built with (3.19 to
   3.27), and what they do not declare for tools. */

#ifndef WS_COMPAT_H
#define WS_COMPAT_H

#include "pub_tool_aspacemgr.h"
#include "pub_tool_tooliface.h"
#include "pub_tool_vki.h"
#include "ws_base.h"

/* Up to 3.19, VG_(am_shadow_alloc) returns a pointer or NULL; later, a
   SysRes. */

static inline void* WS_(memory_of_pointer)(void* memory)
{
   return memory;
}

static inline void* WS_(memory_of_result)(SysRes res)
{
   return sr_isError(res) ? NULL : (void*)sr_Res(res);
}

/* Allocates zeroed memory, of which only pages that are used are ever
   committed; or gives NULL. */
static inline void* WS_(shadow_alloc)(SizeT szB)
{
   return _Generic(VG_(am_shadow_alloc)(szB),
                   void* : WS_(memory_of_pointer),
                   SysRes: WS_(memory_of_result))(VG_(am_shadow_alloc)(szB));
}

/* Declared for the core only: the beginnings of paths that descriptions of
   addresses leave out (--fullpath-after). */
extern XArray* VG_(clo_fullpath_after);

/* Declared for the core only: moves a file descriptor out of the client's
   range, and has it closed by execve. */
extern Int VG_(safe_fd)(Int fd);

/* Declared for the core only: takes a pending signal of the set, if there is
   one, from this thread. */
extern Int VG_(sigtimedwait_zero)(const vki_sigset_t* set, vki_siginfo_t* info);

/* Up to 3.19, a tool cannot turn off errors of the core; but these versions
   report none about file descriptors, either. */

static inline void WS_(cannot_set)(Bool wanted)
{
}

/* Turns the core's reports of errors on or off. */
static inline void WS_(set_core_errors)(Bool wanted)
{
   _Generic(&VG_(needs_core_errors), void (*)(Bool)
            : VG_(needs_core_errors), void (*)(void)
            : WS_(cannot_set))(wanted);
}

/* Tells whether the core reads debugging information only when it is needed:
   not up to 3.19. */
static inline Bool WS_(reads_debuginfo_late)(void)
{
   return _Generic(&VG_(needs_core_errors), void (*)(Bool)
                   : True, void (*)(void)
                   : False);
}

#endif
