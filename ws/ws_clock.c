/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_clock.h"

#include "pub_tool_libcproc.h"
#include "pub_tool_vki.h"

static struct {
   Bool   is_on;
   ULong  zero_us;  // when it is on: the time at which it showed 0
   WsTick shows_us; // when it is not
} clock;

static ULong monotonic_us(void)
{
#if defined(VGO_darwin)
   return 1000 * (ULong)VG_(read_millisecond_timer)();
#else
   struct vki_timespec now;

   VG_(clock_gettime)(&now, VKI_CLOCK_MONOTONIC);
   return (ULong)now.tv_sec * 1000000 + now.tv_nsec / 1000;
#endif
}

void WS_(clock_reset)(void)
{
   clock.is_on    = False;
   clock.shows_us = 0;
}

void WS_(clock_switch)(Bool on)
{
   clock.shows_us = WS_(clock_us)();
   clock.zero_us  = monotonic_us() - clock.shows_us;
   clock.is_on    = on;
}

WsTick WS_(clock_us)(void)
{
   return clock.is_on ? monotonic_us() - clock.zero_us : clock.shows_us;
}

ULong WS_(clock_date_ms)(void)
{
   struct vki_timeval now;

   VG_(gettimeofday)(&now, NULL);
   return (ULong)now.tv_sec * 1000 + now.tv_usec / 1000;
}
