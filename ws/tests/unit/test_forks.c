/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* What is shared after a fork, step by step: of a process, its child, and a child
   of that.

   Catches: a page that is private and shared, or neither; one that is lost
   twice; a write to what is mapped shared; pages that a child has never
   accessed, but unmaps, moves or hands on. */

#include "unit.h"
#include "ws_forks.h"

typedef enum {
   Add,
   Drop,
   Fork,
   Share,
   Write,
   Keep,
   Unmap,
   Move,
   Child,
   End
} Op;

static Bool do_step(Op op, WsPage page, WsPage last, WsPage to)
{
   switch (op) {
   case Add: WS_(forks_add)(page); break;
   case Drop: WS_(forks_drop)(page); break;
   case Fork: WS_(forks_child)(); break;
   case End: WS_(forks_child_ends)(); break;
   case Share: WS_(forks_share)(page); break;
   case Write: return WS_(forks_has)(page) && WS_(forks_write)(page);
   case Keep: WS_(forks_keep)(page, last); break;
   case Unmap: WS_(forks_unmap)(page, last); break;
   case Move: WS_(forks_move)(page, last, to); break;
   case Child: WS_(forks_begin)(True); break;
   }
   return False;
}

static void test_steps(void** state)
{
   static const struct {
      Op       op;
      WsPage   page, last, to;
      Bool     unshares;
      WsForked then; // private, owned, inherited, lost
   } steps[] = {
      {Add, 1, 0, 0, False, {1, 0, 0, 0}},
      {Add, 2, 0, 0, False, {2, 0, 0, 0}},
      {Add, 3, 0, 0, False, {3, 0, 0, 0}},
      {Add, 9, 0, 0, False, {4, 0, 0, 0}},
      {Drop, 9, 0, 0, False, {3, 0, 0, 0}},
      {Write, 1, 0, 0, False, {3, 0, 0, 0}},
      {Fork, 0, 0, 0, False, {3, 0, 0, 0}},
      {Share, 1, 0, 0, False, {2, 1, 0, 0}},
      {Share, 2, 0, 0, False, {1, 2, 0, 0}},
      {Share, 2, 0, 0, False, {1, 2, 0, 0}}, // another fork
      {Share, 3, 0, 0, False, {0, 3, 0, 0}},
      {Keep, 3, 100, 0, False, {0, 3, 0, 0}},
      {Write, 3, 0, 0, False, {0, 3, 0, 0}},
      {Write, 1, 0, 0, True, {1, 2, 0, 1}},
      {Write, 1, 0, 0, False, {1, 2, 0, 1}},
      {Share, 1, 0, 0, False, {0, 3, 0, 1}},
      {End, 0, 0, 0, False, {0, 3, 0, 1}},
      {Write, 1, 0, 0, False, {1, 2, 0, 2}}, // nobody else has it
      {Share, 1, 0, 0, False, {0, 3, 0, 2}},
      {Move, 1, 2, 11, False, {2, 3, 0, 2}}, // what follows is part of it
      {Drop, 1, 0, 0, False, {1, 3, 0, 2}},
      {Drop, 2, 0, 0, False, {0, 3, 0, 2}},
      {Add, 11, 0, 0, False, {0, 3, 0, 2}},
      {Add, 12, 0, 0, False, {0, 3, 0, 2}},
      {Drop, 12, 0, 0, False, {0, 2, 0, 3}},
      {Child, 0, 0, 0, False, {0, 0, 2, 0}}, // of 3 and 11
      {Add, 11, 0, 0, False, {0, 0, 2, 0}},
      {Add, 1, 0, 0, False, {1, 0, 2, 0}},
      {Share, 1, 0, 0, False, {0, 1, 2, 0}},
      {Share, 11, 0, 0, False, {0, 1, 2, 0}},
      {Child, 0, 0, 0, False, {0, 0, 3, 0}},
      {Move, 11, 11, 21, False, {0, 0, 3, 0}}, // it has not been accessed
      {Write, 11, 0, 0, False, {0, 0, 3, 0}},
      {Add, 21, 0, 0, False, {0, 0, 3, 0}},
      {Write, 21, 0, 0, True, {1, 0, 2, 0}},
      {Unmap, 0, 2, 0, False, {1, 0, 1, 0}},
      {Unmap, 0, ~(WsPage)0, 0, False, {1, 0, 0, 0}},
      {Drop, 21, 0, 0, False, {0, 0, 0, 0}}};

   WS_(forks_begin)(False);
   for (UInt i = 0; i < sizeof steps / sizeof *steps; i++) {
      Bool unshares = do_step(steps[i].op, steps[i].page, steps[i].last,
                              steps[i].to);
      if (unshares != steps[i].unshares ||
          memcmp(&WS_(forked), &steps[i].then, sizeof(WsForked)) != 0)
         fail_msg("step %u: %lu %lu %lu %lu", i, WS_(forked).n_private,
                  WS_(forked).n_owned, WS_(forked).n_inherited,
                  WS_(forked).n_lost);
   }
   WS_(forks_begin)(False);
}

UNIT_TESTS("forks", cmocka_unit_test(test_steps))
