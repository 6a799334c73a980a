/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* Which code is the program's own, and which is the system's.

   Pure.  ws_python/model/stacks.py has the same rule; tests/own.inc has the
   cases for both. */

#ifndef WS_SYSTEM_H
#define WS_SYSTEM_H

#include "ws_base.h"

/* Whether a frame is the program's own.  Not its own are libraries in the
   system's directories, the dynamic linker, Valgrind's preloads, what runs
   main, and functions whose source lies in the system's include directories.
   `object` is the file of the code; what is not known is empty. */
Bool WS_(is_own)(const HChar* function, const HChar* file, const HChar* object);

/* Whether the source file lies in the system's include directories. */
Bool WS_(is_system_source)(const HChar* file);

/* Find a function's name within its class or module, without parameters, in
   the long names of C++ and Rust. */
const HChar* WS_(member_name)(const HChar* function, /*OUT*/ SizeT* n_chars);

/* Return the part of a path behind its last slash. */
const HChar* WS_(last_name)(const HChar* path);

#endif
