/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_time.h"

#include "pub_tool_libcproc.h"
#include "pub_tool_vki.h"
#include "ws_clo.h"
#include "ws_mappings.h"
#include "ws_outfiles.h"
#include "ws_sample.h"
#include "ws_stats.h"

WsTimeState WS_(time) = {.is_on = True};

/* --- Clock ---------------------------------------------------------------- */

/* While nothing is measured, the clock stands still: it shows the time that has
   been measured. */

static struct {
   ULong zero_us;  // while time goes on: when the clock showed 0
   ULong shows_us; // while it stands still
} clock;

/* Gives the time by a clock that nobody sets: the date may jump. */
static ULong monotonic_us(void)
{
   struct vki_timespec now;

   VG_(clock_gettime)(&now, VKI_CLOCK_MONOTONIC);
   return (ULong)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static void set_clock(ULong shows_us)
{
   clock.shows_us = shows_us;
   clock.zero_us  = monotonic_us() - shows_us;
}

ULong WS_(time_us)(void)
{
   return WS_(time).is_on ? monotonic_us() - clock.zero_us : clock.shows_us;
}

/* --- Progress ------------------------------------------------------------- */

/* A million instructions take a tenth of a second at most, usually. */
#define INSTRS_PER_LOOK 1000000

#define SUMMARY_LINE "\nInstructions:"

static struct {
   WsInstrs last_look;
   WsInstrs said_instrs; // in the last line
   ULong    said_us;
} progress;

static WsInstrs former_run; // how long it was; 0: not known

void WS_(progress_init)(void)
{
   const HChar* name = WS_(clo).progress_of;
   if (!name)
      return;
   HChar*       text = WS_(contents_of)(name);
   const HChar* line = text ? VG_(strstr)(text, SUMMARY_LINE) : NULL;

   if (line)
      former_run = VG_(strtoull10)(line + VG_(strlen)(SUMMARY_LINE), NULL);
   if (!former_run)
      WS_(clo_refuse)("--ws-progress", WS_(clo_value)("ws-progress="),
                      "%s: not a complete report\n", WS_(text_line)(name));
   VG_(free)(text);
}

ULong WS_(progress_speed)(WsInstrs instrs, ULong us)
{
   return us ? WS_(stats_ratio)(instrs, us, 1) : 0;
}

void WS_(progress)(WsInstrs now)
{
   if (!WS_(clo).progress_s || now - progress.last_look < INSTRS_PER_LOOK)
      return;
   progress.last_look = now;
   ULong us           = WS_(time_us)();
   if ((us - progress.said_us) / 1000000 < WS_(clo).progress_s)
      return;
   ULong          speed = WS_(progress_speed)(now - progress.said_instrs,
                                     us - progress.said_us);
   const HChar*   name;
   const WsSizes* sizes    = WS_(sample_sizes)(&name);
   HChar          left[64] = "";

   if (now < former_run)
      VG_(snprintf)(left, sizeof left, " (%llu %%, %llu s left)",
                    100 * now / former_run,
                    us / 1000000 * (former_run - now) / now);
   else if (former_run)
      VG_(snprintf)(left, sizeof left, " (the former run took only %llu)",
                    former_run);
   WS_(say)("Progress: %llu s, %llu instructions%s, %llu.%llu million/s, "
            "%s: %lu pages of code, %lu of data\n",
            us / 1000000, now, left, speed / 10, speed % 10, name,
            sizes->of[Ws_Insn][0], sizes->of[Ws_Data][0]);
   progress.said_instrs = now;
   progress.said_us     = us;
}

/* --- Deadlines ------------------------------------------------------------ */

/* Counter and stop belong together (ws_time.h): who moves the stop must set the
   counter at once, from the time that it has shown. */

/* So that the counter fits into a word of 32 bits. */
#define MAX_DEADLINE_INSTRS ((WsInstrs)1 << 30)

/* Sets the stop from the deadline. If samples may want stacks, the stop is an
   instruction earlier: a segment that ends right at a cut may be the one whose
   stack is wanted. */
static void set_stop(WsInstrs now)
{
   Bool wants_stacks = WS_(clo).peak_detect || WS_(clo).info_at;

   WS_(time).stop      = WS_(time).deadline - wants_stacks;
   WS_(shared).counter = (Word)(Long)(now - WS_(time).stop - 1);
}

void WS_(time_begin)(void)
{
   WS_(cuts_init)(&WS_(time).cuts);
   set_clock(0);
   VG_(memset)(&progress, 0, sizeof progress);
   WS_(time).deadline = 0;
   set_stop(0);
}

WsTick WS_(time_ticks)(WsInstrs now)
{
   return WS_(clo).is_clocked ? WS_(time_us)() : now;
}

WsTick WS_(time_ticks_of_end)(WsInstrs now)
{
   WsTick tick = WS_(time_ticks)(now);
   WsTick next = WS_(time).cuts.next;

   if (WS_(clo).is_clocked)
      tick = (tick + 999) / 1000 * 1000;
   return tick < next ? tick : next;
}

/* Takes the next cut, by instructions; by the clock, the time to look again.
   Both are limited, so that the counter fits into a word, and a line of
   progress comes in time. */
void WS_(time_set_deadline)(WsInstrs now, WsTick tick)
{
   WsTick   next = WS_(time).cuts.next;
   WsInstrs left = MAX_DEADLINE_INSTRS;

   // A look at the clock costs about as much as a thousand instructions;
   // 100,000 that access other pages all the time may take ten milliseconds.
   if (WS_(clo).is_clocked)
      left = tick < next && next - tick > 20000 ? 100000 : 10000;
   else if (WS_(clo).progress_s)
      left = INSTRS_PER_LOOK;
   if (!WS_(clo).is_clocked && next - now < left)
      left = next - now;
   WS_(time).deadline = now + left;
   set_stop(WS_(time_now)());
}

/* Lets the clock go on from what it shows. */
void WS_(time_switch)(Bool on)
{
   set_clock(WS_(time_us)());
   WS_(time).is_on = on;
}
