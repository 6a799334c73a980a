/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* Counts the memory that the kernel accesses for the process in system calls.

   Valgrind's wrappers of some calls declare more memory than the kernel
   touches, or less: a table says what it really touches. */

#ifndef WS_SYSMEM_H
#define WS_SYSMEM_H

#include "pub_tool_basics.h"
#include "pub_tool_vkiscnums.h"
#include "ws_base.h"

#if defined(__NR_mmap2)
#define WS_NR_MMAP __NR_mmap2
#else
#define WS_NR_MMAP __NR_mmap
#endif

#define WS_SYSCALL_ARGS 6

/* Registers with Valgrind's core. */
void WS_(sysmem_init)(void);

/* Count what a call accesses before it does anything else, and what it has
   accessed. */
void WS_(sysmem_begins)(ThreadId tid, UInt syscallno, const UWord* args);
void WS_(sysmem_ends)(ThreadId tid, UInt syscallno, const UWord* args,
                      SysRes res);

#endif
