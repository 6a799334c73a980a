/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_window.h"

/* --- Cuts ----------------------------------------------------------------- */

/* Adds two times; a sum beyond 64 bits never comes. */
static WsTick step(WsTick t, WsTick by)
{
   return t > WS_NEVER - by ? WS_NEVER : t + by;
}

static void add_opening(WsCuts* cuts, WsTick first)
{
   for (UInt i = 0; i < cuts->n_openings; i++)
      if (cuts->openings[i] == first)
         return;
   cuts->openings[cuts->n_openings++] = first;
}

/* Lays the openings after `now`, which is 0 or a sample. */
static void lay_openings(WsCuts* cuts, WsTick now)
{
   cuts->n_openings = 0;
   for (UInt i = 0; i < WS_(clo).taus.n; i++) {
      WsTick past_sample = WS_(clo).taus.tau[i] % cuts->every;
      if (past_sample)
         add_opening(cuts, step(now, cuts->every - past_sample));
   }
}

void WS_(cuts_init)(WsCuts* cuts)
{
   *cuts = (WsCuts){.sample = WS_(clo).every, .every = WS_(clo).every};
   lay_openings(cuts, 0);
}

/* Tells whether T doubles at the sample `now`. */
static Bool does_grow(const WsCuts* cuts, WsTick now)
{
   Bool is_costly = !WS_(clo).is_clocked && cuts->n_again > 200000 + now / 1000;

   return WS_(clo).every_grows && now / cuts->every % 2 == 0 &&
          cuts->n_samples >=
             (is_costly ? WS_SAMPLES_IF_COSTLY : WS_SAMPLES_PER_EVERY);
}

/* Steps all series that are due here, so that a time at which several meet is
   passed once. */
Bool WS_(cuts_pass)(WsCuts* cuts)
{
   WsTick now       = cuts->next;
   Bool   is_sample = now == cuts->sample;

   cuts->n_samples += is_sample;
   if (is_sample && does_grow(cuts, now)) {
      cuts->every *= 2;
      cuts->n_samples = 0;
      lay_openings(cuts, now);
   }
   if (is_sample)
      cuts->sample = step(now, cuts->every);
   cuts->next = cuts->sample;
   for (UInt i = 0; i < cuts->n_openings; i++) {
      if (now == cuts->openings[i])
         cuts->openings[i] = step(now, cuts->every);
      cuts->next = VG_MIN(cuts->next, cuts->openings[i]);
   }
   return is_sample;
}

/* --- Windows -------------------------------------------------------------- */

/* Epochs are numbered upwards, so that a number tells whether an epoch
   belongs to a window: WS_(windows_has) compares it with the tail's.  One
   that has been dropped is used again, with a number of its own. */
static WsEpoch* new_epoch(WsWindows* ws, WsEpoch* older)
{
   WsEpoch* e = ws->spare;

   if (e)
      ws->spare = e->older;
   else
      e = VG_(malloc)("ws.window.epoch",
                      sizeof *e + WS_(clo).taus.n * sizeof e->filed[0]);
   e->number  = older ? older->number + 1 : 0;
   e->end     = WS_NEVER;
   e->n_pages = 0;
   e->older   = older;
   e->newer   = NULL;
   for (UInt i = 0; i < WS_(clo).taus.n; i++)
      e->filed[i] = 0;
   if (older)
      older->newer = e;
   return e;
}

/* Drops a closed epoch unless it is needed: as long as it is the last one of
   some page, or some page is filed under it.  There is always a newer one. A
   window whose tail it is goes on from the next one: an epoch without pages
   adds nothing to its size. */
static void drop_unless_used(WsWindows* ws, WsEpoch* e)
{
   UInt filed = 0;

   for (UInt i = 0; i < WS_(clo).taus.n; i++)
      filed |= e->filed[i];
   if (e->n_pages > 0 || filed)
      return;
   tl_assert(e != ws->current);
   if (e->older)
      e->older->newer = e->newer;
   e->newer->older = e->older;
   for (UInt i = 0; i < ws->n; i++)
      if (ws->windows[i].tail == e)
         ws->windows[i].tail = e->newer;
   e->older  = ws->spare;
   ws->spare = e;
}

/* Finds the window of length `tau`, or else that of the whole run. */
static const WsWindow* find(const WsWindows* ws, WsTick tau)
{
   UInt i = 0;
   while (ws->windows[i].tau != tau && i < ws->n - 1)
      i++;
   return &ws->windows[i];
}

/* Updates the indices of the windows that the user has asked for. */
static void number_asked(WsWindows* ws)
{
   for (UInt i = 0; i < ws->n; i++)
      if (ws->windows[i].asked != WS_NOT_ASKED)
         ws->asked[ws->windows[i].asked] = i;
}

/* Adds a window of length tau, unless there is one.  Up to the time t = tau,
   it holds all pages that were ever accessed, as the window of the whole run
   does; so it begins as a copy of that one, with all that was counted.  The
   array stays sorted by length. */
static void add_window(WsWindows* ws, WsTick tau)
{
   WsWindow like = ws->windows[ws->n - 1];
   UInt     i    = ws->n;

   if (find(ws, tau)->tau == tau)
      return;
   tl_assert(ws->n < sizeof ws->windows / sizeof ws->windows[0]);
   for (; i > 0 && ws->windows[i - 1].tau > tau; i--)
      ws->windows[i] = ws->windows[i - 1];
   ws->windows[i]         = like;
   ws->windows[i].tau     = tau;
   ws->windows[i].asked   = WS_NOT_ASKED;
   ws->windows[i].leaving = 0;
   ws->windows[i].ranks   = WS_(ranks_copy)(&like.ranks);
   ws->n++;
   number_asked(ws);
}

void WS_(windows_init)(WsWindows* ws, WsRefile refile, UInt of)
{
   ws->refile        = refile;
   ws->of            = of;
   ws->spare         = NULL;
   ws->current       = new_epoch(ws, NULL);
   ws->next_doubling = WS_(clo).every;
   ws->n_again       = 0;
   ws->sampled       = 0;
   ws->every         = WS_(clo).every;
   ws->n_ended       = 0;
   ws->windows[0]    = (WsWindow){
         .tau = WS_NEVER, .asked = WS_NOT_ASKED, .tail = ws->current};
   ws->n = 1;
   for (UInt i = 0; i < WS_(clo).taus.n; i++) {
      add_window(ws, WS_(clo).taus.tau[i]);
      ws->asked[i] = find(ws, WS_(clo).taus.tau[i]) - ws->windows;
      ws->windows[ws->asked[i]].asked = i;
   }
}

static void free_epochs(WsEpoch* newest)
{
   for (WsEpoch* e = newest; e;) {
      WsEpoch* older = e->older;
      VG_(free)(e);
      e = older;
   }
}

void WS_(windows_done)(WsWindows* ws)
{
   free_epochs(ws->current);
   free_epochs(ws->spare);
   for (UInt i = 0; i < ws->n; i++)
      WS_(ranks_done)(&ws->windows[i].ranks);
   for (UInt i = 0; i < ws->n_ended; i++)
      WS_(ranks_done)(&ws->ended[i].window.ranks);
}

/* Moves the page from its epoch to the current one. Windows are sorted by
   length, so all from the first one that holds the page on hold it, and keep
   their size; the shorter ones gain it. A page of the current epoch is in all
   of them. */
WsEpoch* WS_(windows_enter_outside)(WsWindows* ws, WsEpoch* from, Bool returns)
{
   if (from == ws->current)
      return from;
   // An epoch outside a window does not count in its size.
   for (UInt i = 0; i < ws->n; i++) {
      WsWindow* w = &ws->windows[i];
      if (from && from->number >= w->tail->number)
         break;
      w->size++;
      w->n_entering++;
      w->n_returning += returns;
   }
   ws->current->n_pages++;
   if (from && --from->n_pages == 0)
      drop_unless_used(ws, from);
   return ws->current;
}

/* Lets an epoch without pages go on: then there are no more epochs than
   accessed pages, even if cuts are due all the time. */
UWord WS_(windows_cut)(WsWindows* ws, WsTick now)
{
   UWord n_again = ws->n_again;

   ws->n_again = 0;
   if (ws->current->n_pages > 0) {
      ws->current->end = now;
      ws->current      = new_epoch(ws, ws->current);
   }
   return n_again;
}

/* Gives a time before which the oldest epoch stays in the window.  The end of
   the current one is not known, but will not be before `now`. */
static WsTick leaving(const WsWindow* w, WsTick now)
{
   return step(w->tail->end == WS_NEVER ? now : w->tail->end, w->tau);
}

/* Drops the epochs that ended before the window that ends at `now` starts. */
static void slide(WsWindows* ws, WsWindow* w, WsTick now)
{
   while ((w->leaving = leaving(w, now)) <= now) {
      WsEpoch* left = w->tail;
      w->size -= left->n_pages;
      w->tail = left->newer;
      if (w->asked == WS_NOT_ASKED)
         continue;
      ws->refile(ws->of, w->asked, left);
      drop_unless_used(ws, left);
   }
}

/* Adds the samples since the size last changed to the statistics. */
static void count_samples(const WsWindows* ws, WsWindow* w)
{
   ULong weight = ws->sampled / WS_(clo).every - w->counted;

   if (weight == 0)
      return;
   WS_(stats_sample)(&w->stats, w->last_size, weight);
   WS_(ranks_add)(&w->ranks, w->last_size, weight);
   w->counted += weight;
}

void WS_(windows_count_samples)(WsWindows* ws)
{
   for (UInt i = 0; i < ws->n; i++)
      count_samples(ws, &ws->windows[i]);
}

/* Ends the windows of the profile that are shorter than T. */
static void end_windows(WsWindows* ws)
{
   UInt n = 0;

   for (UInt i = 0; i < ws->n; i++) {
      WsWindow* w = &ws->windows[i];
      if (w->tau >= ws->every || w->asked != WS_NOT_ASKED) {
         ws->windows[n++] = *w;
         continue;
      }
      count_samples(ws, w);
      ws->ended[ws->n_ended].window = *w;
      ws->ended[ws->n_ended++].end  = ws->sampled;
   }
   ws->n = n;
   number_asked(ws);
}

/* Counts what has entered each window, and drops the epochs that have left;
   then the size is what the definition says. A window that nothing has entered
   or left, as most of the longer ones, is not written: the sample is one more
   of the last size. The doubled window is added first, for it ends here,
   too. */
void WS_(windows_sample)(WsWindows* ws, WsTick now)
{
   if (now - ws->sampled > ws->every) {
      ws->every = now - ws->sampled;
      end_windows(ws);
   }
   if (now == ws->next_doubling) {
      add_window(ws, now);
      ws->next_doubling = now > WS_NEVER / 2 ? WS_NEVER : 2 * now;
   }
   for (UInt i = 0; i < ws->n; i++) {
      WsWindow* w = &ws->windows[i];
      if (w->n_entering > 0) { // for the bound, too: nothing has left so far
         w->most_pages = WS_(window_bound)(w);
         w->n_entered += w->n_entering;
         w->n_returned += w->n_returning;
         w->n_entering = w->n_returning = 0;
      }
      if (w->leaving <= now)
         slide(ws, w, now);
      if (w->size != w->last_size) {
         count_samples(ws, w);
         w->last_size = w->size;
      }
   }
   ws->sampled = now;
}

/* --- The profile ---------------------------------------------------------- */

/* Adds the row of a window that was counted up to `until`; rows stay sorted. It
   is limited if half of its samples or more have windows that begin before the
   run, as all those before tau do. */
static void add_row(WsProfile* p, WsKind kind, const WsWindow* w, WsTick tau,
                    WsTick until)
{
   const WsTick unit       = WS_(clo).every;
   const ULong  weight     = w->stats.weight;
   const Bool   is_limited = tau / unit > weight - weight / 2;
   const Bool   is_counted = tau >= p->every || until < p->until;
   UInt         i          = p->n_rows++;
   WsProfileRow row        = {.kind       = kind,
                              .tau        = tau,
                              .until      = until,
                              .stats      = w->stats,
                              .n_entered  = WS_NONE,
                              .n_returned = WS_NONE,
                              .miss       = WS_NONE,
                              .life       = WS_NONE,
                              .note       = is_limited ? "limited" : "-"};

   row.median_pages = WS_(ranks_percentile)(&w->ranks, 50);
   row.p95_pages    = WS_(ranks_percentile)(&w->ranks, 95);
   if (is_counted) {
      row.n_entered = w->n_entered;
      row.miss      = WS_(stats_ratio)(w->n_entered, WS_(units)(until), 9);
   }
   if (is_counted && w->n_entered > 0)
      row.life = WS_(stats_ratio)(until, w->n_entered, 0);
   if (is_counted && kind != Ws_Dirty)
      row.n_returned = w->n_returned;
   for (; i > 0 && p->rows[i - 1].tau > tau; i--)
      p->rows[i] = p->rows[i - 1];
   p->rows[i] = row;
}

void WS_(profile_make)(WsProfile* p, const WsWindows* ws)
{
   const WsTick until = ws->sampled;

   *p = (WsProfile){.every = ws->every, .until = until};
   if (until == 0)
      return;
   for (UInt i = 0; ws->windows[i].tau < p->every; i++)
      add_row(p, ws->of, &ws->windows[i], ws->windows[i].tau, until);
   for (UInt i = 0; i < ws->n_ended; i++)
      add_row(p, ws->of, &ws->ended[i].window, ws->ended[i].window.tau,
              ws->ended[i].end);
   for (WsTick tau = p->every;; tau *= 2) {
      add_row(p, ws->of, find(ws, tau), tau, until);
      if (tau >= until || tau > WS_NEVER / 2)
         break;
   }
}
