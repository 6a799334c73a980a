/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* Pages that processes share after a fork: with --ws-dirty=yes.

   PURPOSE: a page that is resident when the process forks is shared by both
   processes until one of them writes to it, or it ceases to be resident there.
   Together, they have the private pages of each, and the shared ones once.

      owned       resident when this process forked, and not from its parent
      inherited   resident in the parent when it forked this process
      private     resident, and neither

   So the owned pages of all processes are different ones, and an inherited page
   is one of them, unless its owner has lost it: by a write, after which the
   others still have the old page, or because it ceased to be resident, or with
   the process.

   Memory that is mapped shared stays shared when it is written to.

   Pure, but for the state of the one run; memory comes from VG_(malloc). */

#ifndef WS_FORKS_H
#define WS_FORKS_H

#include "ws_base.h"

typedef struct {
   UWord n_private;
   UWord n_owned;
   UWord n_inherited; // whether this process has accessed them or not
   UWord n_lost;      // owned pages that are no more, so far
} WsForked;
extern WsForked WS_(forked); // only to be read

/* Begins a run, or with `is_child` that of a forked child: what its parent had
   is inherited, and nothing is private. */
void WS_(forks_begin)(Bool is_child);

/* Makes a resident page shared, before a fork. */
void WS_(forks_share)(WsPage page);

/* Notes that the pages from `first` to `last` are mapped shared: writes keep
   them so. */
void WS_(forks_keep)(WsPage first, WsPage last);

/* Note that the page becomes resident, or ceases to be. */
void WS_(forks_add)(WsPage page);
void WS_(forks_drop)(WsPage page);

/* Note that a child begins, before the fork; that it has ended. */
void WS_(forks_child)(void);
void WS_(forks_child_ends)(void);

/* Tells whether a write would make the page private. */
Bool WS_(forks_has)(WsPage page);

/* Notes such a write. Tells whether it takes a copy: not if all children have
   ended, for then an owned page has no other process. (Their own children may:
   that is not known here.) */
Bool WS_(forks_write)(WsPage page);

/* Note that the pages from `first` to `last` are no longer resident, after
   those that were accessed have been dropped; will be moved to `to`, before
   these are dropped, and added there. */
void WS_(forks_unmap)(WsPage first, WsPage last);
void WS_(forks_move)(WsPage first, WsPage last, WsPage to);

#endif
