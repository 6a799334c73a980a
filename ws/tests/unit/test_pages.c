/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* Pages and windows, by hand. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ws_pages.h"

#define LAST_PAGE (~(WsPage)0)

static UInt random_state;

static UInt random_below(UInt n)
{
   random_state = random_state * 1664525 + 1013904223;
   return (random_state >> 8) % n;
}

#define N_STAMPS 8

/* For pages 0, 1, ..., each with a counter; the base of stamps is 0 unless
   something else is said. */
static WsGatedStamp stamps[N_STAMPS];

/* Without gates and counts. */
static void init(WsPages* s, WsTick every, WsTick tau, Bool has_details)
{
   static WsTaus taus;

   taus = (WsTaus){1, {tau}};
   WS_(pages_init)
   (s, &(WsPagesConfig){
          .every = every, .taus = &taus, .has_details = has_details});
}

static void begin(WsPages* s, WsTick every, WsTick tau, Bool has_details)
{
   static WsTaus taus;
   WsPagesConfig config = {.every       = every,
                           .taus        = &taus,
                           .is_gated    = True,
                           .has_details = has_details};

   taus = (WsTaus){1, {tau}};
   if (has_details)
      config.count_offset = offsetof(WsGatedStamp, n_accesses);
   for (UInt p = 0; p < N_STAMPS; p++)
      stamps[p] = (WsGatedStamp){.gate = WS_GATE_SHUT};
   WS_(pages_init)(s, &config);
}

/* The size of the working set at a sample. */
static UWord sample(WsPages* s, WsTick tau, WsTick now)
{
   WS_(windows_sample)(&s->windows, now);
   return WS_(windows_find)(&s->windows, tau)->size;
}

/* The page is accessed by generated code, which tells. */
static WsPageRec* touch(WsPages* s, WsPage page, WsTime now, WsTime base)
{
   WsPageRec* rec = WS_(pages_touch)(s, page, now, &stamps[page].stamp);
   stamps[page].stamp.last = (Word)(now - base - 1);
   return rec;
}

/* The same without a word. */
static void access_armed(WsPage page, WsTime now, WsTime base)
{
   assert_true(stamps[page].stamp.last < 0);
   stamps[page].stamp.last = (Word)(now - base - 1);
   stamps[page].n_accesses++;
}

static void assert_armed(WsPage page)
{
   assert_true(stamps[page].stamp.last < 0);
   assert_int_equal(stamps[page].gate, WS_GATE_OPEN);
}

static void assert_not_armed(WsPage page)
{
   assert_int_equal(stamps[page].stamp.last, 0);
   assert_int_equal(stamps[page].gate, WS_GATE_SHUT);
}

static void assert_n_pages(const WsPages* s, UWord n_pages, UWord n_reused,
                           UWord n_recs)
{
   assert_int_equal(s->n_pages, n_pages);
   assert_int_equal(s->n_reused, n_reused);
   assert_int_equal(s->n_recs, n_recs);
}

/* The worked example of the specification. */
static void test_example(void** state)
{
   static const HChar* accesses = "AABCCCCCADAD";
   static const UWord  tau4[] = {3, 1, 2}, tau8[] = {3, 3, 3};
   WsPages             s4, s8;

   init(&s4, 4, 4, False);
   init(&s8, 4, 8, False);
   for (WsTime t = 1; t <= 12; t++) {
      WS_(pages_touch)(&s4, accesses[t - 1], t, NULL);
      WS_(pages_touch)(&s8, accesses[t - 1], t, NULL);
      if (t % 4 == 0) {
         WS_(pages_cut)(&s4, t, t, t, t);
         WS_(pages_cut)(&s8, t, t, t, t);
         assert_int_equal(sample(&s4, 4, t), tau4[t / 4 - 1]);
         assert_int_equal(sample(&s8, 8, t), tau8[t / 4 - 1]);
      }
   }
   assert_n_pages(&s4, 4, 0, 4);
   WS_(pages_done)(&s4);
   WS_(pages_done)(&s8);
}

/* As many pages as make all tables grow, with numbers of all magnitudes. */
static WsPage nth_of_many(UWord i)
{
   return i % 3 == 0 ? i : i % 3 == 1 ? i << 20 : i << 40;
}

static void test_many_pages(void** state)
{
   const UWord n = 100000;
   WsPages     s;

   init(&s, WS_NEVER, WS_NEVER, False);
   for (int round = 0; round < 2; round++)
      for (UWord i = 0; i < n; i++)
         WS_(pages_touch)(&s, nth_of_many(i), 1 + i, NULL);
   assert_n_pages(&s, n, 0, n);
   for (UWord i = 0; i < n; i++)
      assert_int_equal(WS_(pages_nth)(&s, i)->page, nth_of_many(i));
   assert_int_equal(WS_(pages_wss)(&s, WS_NEVER, n), n);
   assert_true(WS_(pages_memory_szB)(&s) <= 64 * n);
   WS_(pages_done)(&s);
}

/* Pages anywhere: some of them begin to search for a free slot of the index at
   its last one, and go on at its first one. */
static void test_scattered_pages(void** state)
{
   random_state = 1;
   for (int round = 0; round < 50; round++) {
      WsPage  pages[700];
      WsPages s;

      init(&s, 1000, 1000, False);
      for (UWord i = 0; i < 700; i++) {
         pages[i] = ((WsPage)random_below(1 << 20) << 32) + 1000 * i;
         const WsPageRec* rec = WS_(pages_touch)(&s, pages[i], 1 + i, NULL);
         assert_ptr_equal(rec, WS_(pages_nth)(&s, i));
      }
      for (UWord i = 0; i < 700; i++)
         assert_ptr_equal(WS_(pages_touch)(&s, pages[i], 701 + i, NULL),
                          WS_(pages_nth)(&s, i));
      assert_n_pages(&s, 700, 0, 700);
      WS_(pages_done)(&s);
   }
}

/* Records come in blocks of 512.  The index has 1024 slots, and twice as many
   once three quarters of them are in use: 767 * 4 <= 1023 * 3 < 768 * 4. */
static void test_memory(void** state)
{
   WsPages s;
   SizeT   block_szB = 512 * sizeof(WsPageRec);

   init(&s, 1, 1, False);
   assert_int_equal(WS_(pages_memory_szB)(&s), 1024 * sizeof(UInt));
   for (WsPage p = 1; p <= 768; p++) {
      WS_(pages_touch)(&s, p, p, NULL);
      SizeT blocks_szB = p <= 512 ? block_szB : 2 * block_szB;
      SizeT index_szB  = (p < 768 ? 1024 : 2048) * sizeof(UInt);
      assert_int_equal(WS_(pages_memory_szB)(&s), blocks_szB + index_szB);
   }
   WS_(pages_done)(&s);

   init(&s, 1, 1, True);
   WS_(pages_touch)(&s, 1, 1, NULL);
   assert_int_equal(WS_(pages_memory_szB)(&s), block_szB +
                                                  512 * sizeof(WsPageDetails) +
                                                  1024 * sizeof(UInt));
   WS_(pages_done)(&s);
}

/* However long the run, there are no more epochs than pages and one. */
static void test_memory_is_flat(void** state)
{
   WsPages s;
   UInt    n_epochs = 0;

   init(&s, 1, 1000000, False);
   for (WsTime t = 1; t <= 100000; t++) {
      WS_(pages_touch)(&s, t % 5, t, NULL);
      if (t % 7 == 0)
         WS_(pages_renew)(&s, 0, 4, t);
      WS_(pages_cut)(&s, t, t, t, t);
      sample(&s, 1000000, t);
   }
   for (const WsEpoch* e = s.windows.current; e; e = e->older)
      n_epochs++;
   assert_int_equal(n_epochs, 6);
   assert_int_equal(s.n_recs, 5);
   WS_(pages_done)(&s);
}

/* Five pages in turn, cuts every 100, of which the last 5 are told: only these
   are, and the first accesses.  Then one of the pages is left alone. */
static void test_armed_from_epoch_to_epoch(void** state)
{
   WsPages s;
   WsTime  stop   = 95;
   UInt    n_told = 0;

   begin(&s, 100, 100, True);
   for (WsTime t = 1; t <= 1000; t++) {
      WsPage p = t % 5;
      if (t == stop + 1)
         WS_(pages_collect)(&s, stop);
      if (stamps[p].stamp.last < 0 && t <= stop) {
         access_armed(p, t, stop);
      } else {
         touch(&s, p, t, stop)->details[0].n_accesses++;
         n_told++;
      }
      if (t % 100 == 0) {
         WS_(pages_cut)(&s, t, t, stop, stop + 100);
         stop += 100;
         assert_int_equal(sample(&s, 100, t), 5);
      }
   }
   assert_int_equal(n_told, 5 + 10 * 5);
   for (UWord i = 0; i < 5; i++) {
      assert_int_equal(WS_(pages_nth)(&s, i)->page, (i + 1) % 5);
      assert_int_equal(WS_(pages_nth)(&s, i)->details[0].n_accesses, 200);
   }

   // Page 0 was accessed at 1000, the end of its epoch; stop is 1095.
   for (WsPage p = 1; p < 5; p++)
      access_armed(p, 1000 + p, stop);
   assert_armed(0);
   WS_(pages_collect)(&s, stop);
   assert_not_armed(0);
   for (WsPage p = 1; p < 5; p++)
      assert_armed(p);
   WS_(pages_cut)(&s, 1100, 1100, stop, stop + 100);
   assert_int_equal(sample(&s, 100, 1100), 4);
   WS_(pages_done)(&s);
}

/* What is not gated has no gate, and what is not counted has no counts. */
static void test_nothing_beside_stamps(void** state)
{
   WsGatedStamp st = {.gate = 77, .n_accesses = 78};
   WsPages      s;

   init(&s, 9, 9, True);
   WsPageRec* rec = WS_(pages_touch)(&s, 5, 1, &st.stamp);
   st.stamp.last  = 1 - 10 - 1;
   WS_(pages_collect)(&s, 10);
   assert_true(st.stamp.last < 0);
   WS_(pages_renew)(&s, 5, 5, 10);
   assert_int_equal(st.stamp.last, 0);
   WS_(pages_touch)(&s, 5, 2, &st.stamp);
   st.stamp.last = 2 - 10 - 1;
   WS_(pages_cut)(&s, 3, 3, 10, 20);
   assert_int_equal(st.stamp.last, 2 - 20 - 1);
   WS_(pages_cut)(&s, 4, 4, 20, 30);
   assert_int_equal(st.stamp.last, 0);
   assert_int_equal(rec->details[0].n_accesses, 0);
   WS_(pages_done)(&s);
   assert_int_equal(st.gate, 77);
   assert_int_equal(st.n_accesses, 78);
}

/* Epochs of 100.  Page 0 is accessed in the first and in one of those after it;
   page 1 in each, at its start. */
static void come_back_after(UWord n_epochs, UWord n_lingering)
{
   WsPages s;
   WsTime  now = 0, base = 100;

   begin(&s, 100, 100, False);
   touch(&s, 0, 50, base);
   for (UWord n = 0; n < n_epochs + 12; n++) {
      if (n == n_epochs) {
         assert_not_armed(0);
         touch(&s, 0, now + 50, base);
      }
      touch(&s, 1, now + 1, base);
      now += 100;
      WS_(pages_collect_and_rebase)(&s, base, base + 100);
      base += 100;
      WS_(pages_cut)(&s, now, now, base, base);
      assert_int_equal(sample(&s, 100, now), n == 0 || n == n_epochs ? 2 : 1);
      assert_armed(1);
      if (n >= n_epochs && n <= n_epochs + n_lingering) {
         assert_armed(0);
         assert_int_equal(stamps[0].stamp.last,
                          (Word)(100 * n_epochs + 50 - base - 1));
      } else if (n > 0) {
         assert_not_armed(0);
      }
   }
   WS_(pages_done)(&s);
}

/* A page that is accessed again after up to seven epochs without an access
   stays armed for as many; any other is disarmed at once. */
static void test_lingering(void** state)
{
   come_back_after(2, 7);
   come_back_after(7, 7);
   come_back_after(8, 0);
   come_back_after(11, 0);
}

/* Times that a stamp tells are right even if they are far from the base. */
static void test_far_base(void** state)
{
   WsTime  far = (WsTime)1 << 31;
   WsPages s;

   begin(&s, 10, 10, False);
   WsPageRec* rec = touch(&s, 0, 1, far);
   access_armed(0, 3, far);
   WS_(pages_collect)(&s, far);
   assert_int_equal(rec->last, 3);
   WS_(pages_cut)(&s, 5, 5, far, 2 * far);
   assert_int_equal(stamps[0].stamp.last, 3 - 2 * (Long)far - 1);
   WS_(pages_done)(&s);
}

/* Cuts may come so late that generated code has stamped what comes after. */
static void test_stamps_of_the_next_epoch(void** state)
{
   WsPages s;

   begin(&s, 10, 10, False);
   WsPageRec* rec = touch(&s, 0, 4, 10);
   touch(&s, 1, 3, 10);
   WS_(pages_collect)(&s, 10);
   stamps[0].stamp.last = 12 - 10 - 1; // told later
   WS_(pages_cut)(&s, 10, 10, 10, 20);
   assert_int_equal(rec->last, 4);
   assert_int_equal(stamps[0].stamp.last, 12 - 20 - 1);
   assert_int_equal(sample(&s, 10, 10), 2);
   WS_(pages_touch)(&s, 0, 12, &stamps[0].stamp);
   assert_int_equal(rec->last, 12);
   WS_(pages_collect)(&s, 20);
   assert_armed(0);
   assert_not_armed(1); // its access was before 10
   WS_(pages_cut)(&s, 20, 20, 20, 30);
   assert_int_equal(sample(&s, 10, 20), 1);
   WS_(pages_done)(&s);
}

/* The kernel has accessed a page later than its stamp says. */
static void test_stamp_is_older_than_what_was_told(void** state)
{
   WsPages s;

   begin(&s, 3, 3, False);
   WsPageRec* rec = touch(&s, 0, 2, 10);
   WS_(pages_touch)(&s, 0, 5, NULL);
   WS_(pages_collect)(&s, 10);
   assert_int_equal(rec->last, 5);
   WS_(pages_touch)(&s, 0, 4, NULL); // in any order
   assert_int_equal(rec->last, 5);
   assert_int_equal(WS_(pages_wss)(&s, 3, 7), 1); // (4, 7]
   assert_int_equal(WS_(pages_wss)(&s, 3, 8), 0); // (5, 8]
   WS_(pages_done)(&s);
}

/* Before the first instruction of a forked child, the kernel may write.  Time 0
   is in W(t, 10) for all t < 10. */
static void test_time_0(void** state)
{
   WsPages s;

   begin(&s, 5, 10, False);
   WS_(pages_touch)(&s, 0, 0, NULL);
   assert_int_equal(WS_(pages_wss)(&s, 10, 0), 1);
   WS_(pages_cut)(&s, 5, 5, 5, 5);
   assert_int_equal(sample(&s, 10, 5), 1);
   assert_int_equal(WS_(pages_wss)(&s, 10, 9), 1);
   assert_int_equal(WS_(pages_wss)(&s, 10, 11), 0);
   WS_(pages_done)(&s);
}

/* The base is 100.  Page 7 is accessed at 1, told, and at 10, 15, 20, in
   silence.  Mapped anew, it is a new page at its access at 30. */
static void test_renew_armed(void** state)
{
   WsPages s;

   begin(&s, 50, 50, True);
   WsPageRec* rec = touch(&s, 7, 1, 100);
   rec->details[0].n_accesses++;
   rec->details[0].place = "place";
   touch(&s, 6, 2, 100);
   touch(&s, 5, 3, 100);
   access_armed(7, 10, 100);
   access_armed(7, 15, 100);
   access_armed(7, 20, 100);
   access_armed(6, 21, 100);
   access_armed(5, 22, 100);

   WS_(pages_renew)(&s, 7, 7, 100);
   assert_not_armed(7);
   assert_int_equal(stamps[7].stamp.rec, 0);
   assert_int_equal(stamps[7].n_accesses, 0);
   assert_int_equal(rec->last, 20);
   assert_int_equal(rec->details[0].n_accesses, 4);
   // The others are left alone.
   for (WsPage p = 5; p <= 6; p++) {
      assert_armed(p);
      assert_int_equal(stamps[p].stamp.last, (27 - (Word)p) - 100 - 1);
      assert_true(stamps[p].stamp.rec > 0);
   }
   WS_(pages_collect)(&s, 100);
   for (WsPage p = 5; p <= 6; p++) {
      const WsPageRec* other = WS_(pages_nth)(&s, 7 - p);
      assert_armed(p);
      assert_int_equal(other->last, 27 - p);
      assert_int_equal(other->details[0].n_accesses, 1);
      assert_int_equal(stamps[p].n_accesses, 0);
   }
   assert_not_armed(7);
   assert_n_pages(&s, 3, 0, 3);

   WsPageRec* anew = touch(&s, 7, 30, 100);
   assert_n_pages(&s, 4, 1, 4);
   assert_ptr_equal(anew, WS_(pages_nth)(&s, 3));
   assert_int_equal(anew->page, 7);
   assert_int_equal(anew->last, 30);
   assert_int_equal(anew->details[0].n_accesses, 0);
   assert_null(anew->details[0].place);
   assert_true(anew->details[0].is_reused);
   assert_armed(7);
   access_armed(7, 33, 100);
   assert_ptr_equal(touch(&s, 7, 34, 100), anew);
   WS_(pages_collect)(&s, 100);
   assert_int_equal(anew->details[0].n_accesses, 1);
   assert_int_equal(anew->last, 34);
   assert_int_equal(rec->last, 20);
   assert_int_equal(rec->details[0].n_accesses, 4);
   assert_string_equal(rec->details[0].place, "place");
   assert_false(rec->details[0].is_reused);
   assert_int_equal(WS_(pages_wss)(&s, 50, 34), 3);

   // Once more, and not accessed any more.
   WS_(pages_renew)(&s, 6, 7, 100);
   assert_not_armed(6);
   assert_not_armed(7);
   assert_armed(5);
   assert_n_pages(&s, 4, 1, 4);
   WS_(pages_done)(&s);
   for (WsPage p = 0; p < N_STAMPS; p++) {
      assert_not_armed(p);
      assert_int_equal(stamps[p].stamp.rec, 0);
   }
}

/* The record of a page stays the same if there are no details. */
static void test_renew_without_details(void** state)
{
   WsPages s;

   begin(&s, 50, 50, False);
   WsPageRec* rec = touch(&s, 3, 1, 100);
   access_armed(3, 20, 100);
   WS_(pages_renew)(&s, 3, 3, 100);
   assert_not_armed(3);
   assert_int_equal(rec->last, 20);
   assert_n_pages(&s, 1, 0, 1);
   assert_ptr_equal(touch(&s, 3, 30, 100), rec);
   assert_n_pages(&s, 2, 1, 1);
   assert_armed(3);
   assert_ptr_equal(touch(&s, 3, 31, 100), rec);
   assert_n_pages(&s, 2, 1, 1);
   WS_(pages_done)(&s);
}

/* A page that is not armed any more may be told of by the kernel, with or without
   a cut before; whatever follows, it does not get armed by that. */
static void test_renewed_and_accessed_by_kernel(void** state)
{
   for (int has_details = 0; has_details < 2; has_details++)
      for (int cuts = 0; cuts < 2; cuts++) {
         WsPages s;

         begin(&s, 10, 100, has_details);
         touch(&s, 3, 1, 100);
         touch(&s, 4, 2, 100);
         WS_(pages_renew)(&s, 3, 3, 100);
         if (cuts)
            WS_(pages_cut)(&s, 10, 10, 100, 100);
         WsPageRec* rec = WS_(pages_touch)(&s, 3, 11, NULL);
         assert_int_equal(rec->last, 11);
         WS_(pages_collect)(&s, 100);
         assert_int_equal(rec->last, 11);
         assert_not_armed(3);
         WS_(pages_rebase)(&s, 100, 105);
         assert_not_armed(3);
         assert_int_equal(WS_(pages_wss)(&s, 100, 110), 1); // (10, 110]
         assert_int_equal(WS_(pages_wss)(&s, 100, 111), 0);
         WS_(pages_cut)(&s, 110, 110, 105, 200);
         assert_not_armed(3);
         WS_(pages_collect)(&s, 200);
         assert_int_equal(rec->last, 11);
         WS_(pages_renew)(&s, 3, 3, 200);
         touch(&s, 3, 120, 200);
         assert_armed(3);
         assert_n_pages(&s, 4, 2, has_details ? 4 : 2);
         WS_(pages_done)(&s);
      }
}

/* It is not the number of mappings that counts, nor who accesses the page. */
static void test_renew_twice(void** state)
{
   for (int has_details = 0; has_details < 2; has_details++) {
      WsPages s;

      begin(&s, 50, 50, has_details);
      touch(&s, 3, 1, 100);
      WS_(pages_renew)(&s, 3, 3, 100);
      WS_(pages_renew)(&s, 0, 4, 100);
      assert_n_pages(&s, 1, 0, 1);
      WsPageRec* rec = WS_(pages_touch)(&s, 3, 2, NULL); // the kernel
      assert_n_pages(&s, 2, 1, has_details ? 2 : 1);
      assert_not_armed(3);
      assert_ptr_equal(touch(&s, 3, 3, 100), rec);
      assert_n_pages(&s, 2, 1, has_details ? 2 : 1);
      assert_armed(3);
      WS_(pages_renew)(&s, 3, 3, 100);
      WS_(pages_touch)(&s, 3, 4, NULL);
      WS_(pages_renew)(&s, 3, 3, 100); // of a record without a stamp
      touch(&s, 3, 5, 100);
      assert_n_pages(&s, 4, 3, has_details ? 4 : 1);
      assert_int_equal(WS_(pages_wss)(&s, 50, 5), 1);
      WS_(pages_done)(&s);
   }
}

/* tau = 10.  Accessed at 5, mapped anew at 6, accessed at 12: in W(t, 10) for
   5 <= t < 15 and 12 <= t < 22, and never twice.  Page 1, only at 5, is in
   it for 5 <= t < 15. */
static void test_working_sets_ignore_renewing(void** state)
{
   for (int has_details = 0; has_details < 2; has_details++) {
      WsPages s;

      begin(&s, 1, 10, has_details);
      for (WsTime t = 1; t <= 30; t++) {
         if (t == 5 || t == 12)
            WS_(pages_touch)(&s, 0, t, NULL);
         if (t == 5)
            WS_(pages_touch)(&s, 1, t, NULL);
         if (t == 6)
            WS_(pages_renew)(&s, 0, 1, t);
         UWord expected = (t >= 5 && t < 22) + (t >= 5 && t < 15);
         assert_int_equal(WS_(pages_wss)(&s, 10, t), expected);
         WS_(pages_cut)(&s, t, t, t, t);
         assert_int_equal(sample(&s, 10, t), expected);
      }
      assert_n_pages(&s, 3, 1, has_details ? 3 : 2);
      WS_(pages_done)(&s);
   }
}

/* The same within one long epoch, which starts before the window. */
static void test_working_sets_in_one_epoch(void** state)
{
   for (int has_details = 0; has_details < 2; has_details++) {
      WsPages s;

      begin(&s, 10, 10, has_details);
      touch(&s, 0, 5, 100);
      WS_(pages_renew)(&s, 0, 0, 100);
      WS_(pages_collect)(&s, 100);
      assert_int_equal(WS_(pages_wss)(&s, 10, 10), 1); // (0, 10]
      assert_int_equal(WS_(pages_wss)(&s, 10, 14), 1); // (4, 14]
      assert_int_equal(WS_(pages_wss)(&s, 10, 15), 0); // (5, 15]
      touch(&s, 0, 16, 100);
      assert_int_equal(WS_(pages_wss)(&s, 10, 16), 1);
      assert_int_equal(WS_(pages_wss)(&s, 10, 25), 1);
      assert_int_equal(WS_(pages_wss)(&s, 10, 26), 0);
      WS_(pages_done)(&s);
   }
}

/* A window that starts within an epoch has all of its pages. */
static void test_clocked_window_in_an_epoch(void** state)
{
   static const WsTaus taus = {1, {10}};
   WsPages             s;

   WS_(pages_init)
   (&s, &(WsPagesConfig){.every = 10, .taus = &taus, .is_clocked = True});
   WS_(pages_touch)(&s, 1, 1, NULL);
   WS_(pages_touch)(&s, 2, 1000, NULL);
   WS_(pages_cut)(&s, 10, 1001, 1001, 1001);
   assert_int_equal(sample(&s, 10, 10), 2);
   WS_(pages_touch)(&s, 2, 1002, NULL);
   assert_int_equal(WS_(pages_wss)(&s, 10, 19), 2); // (9, 19]
   assert_int_equal(WS_(pages_wss)(&s, 10, 20), 1);
   WS_(pages_cut)(&s, 20, 1003, 1003, 1003);
   assert_int_equal(sample(&s, 10, 20), 1);
   assert_int_equal(WS_(pages_wss)(&s, 10, 29), 1);
   assert_int_equal(WS_(pages_wss)(&s, 10, 30), 0);
   WS_(pages_done)(&s);
}

/* --- Ranges ------------------------------------------------------------- */

static const WsPage ten[] = {0,
                             1,
                             5,
                             6,
                             7,
                             100,
                             (WsPage)1 << 40,
                             ((WsPage)1 << 40) + 1,
                             LAST_PAGE - 1,
                             LAST_PAGE};

/* Of ten pages, those in the range count again, whether the range is small and
   its pages are looked up, or large and the records are looked through. */
static void renew_of_ten(WsPage first, WsPage last)
{
   for (int has_details = 0; has_details < 2; has_details++) {
      WsPages s;
      UWord   n_inside = 0, n_recs = 10;

      init(&s, 100, 100, has_details);
      for (int i = 0; i < 10; i++)
         WS_(pages_touch)(&s, ten[i], 1 + i, NULL);
      WS_(pages_renew)(&s, first, last, 20);
      assert_n_pages(&s, 10, 0, 10);
      for (int i = 0; i < 10; i++) {
         Bool is_inside = first <= ten[i] && ten[i] <= last;
         n_inside += is_inside;
         n_recs += is_inside && has_details;
         WS_(pages_touch)(&s, ten[i], 20 + i, NULL);
         assert_n_pages(&s, 10 + n_inside, n_inside, n_recs);
      }
      assert_int_equal(WS_(pages_wss)(&s, 100, 30), 10);
      WS_(pages_done)(&s);
   }
}

static void test_ranges(void** state)
{
   renew_of_ten(0, LAST_PAGE);
   renew_of_ten(0, 0);
   renew_of_ten(LAST_PAGE, LAST_PAGE);
   renew_of_ten(LAST_PAGE - 8, LAST_PAGE); // 9, 10 and 11 pages
   renew_of_ten(LAST_PAGE - 9, LAST_PAGE);
   renew_of_ten(LAST_PAGE - 10, LAST_PAGE);
   renew_of_ten(0, 8);
   renew_of_ten(0, 9);
   renew_of_ten(0, 10);
   renew_of_ten(1, 5);
   renew_of_ten(2, 4); // none
   renew_of_ten(6, 100);
   renew_of_ten(7, (WsPage)1 << 40);
   renew_of_ten(8, 99); // none
   renew_of_ten(((WsPage)1 << 40) + 1, LAST_PAGE - 1);
}

/* Nothing happens to pages outside the range: page 0 stays armed although it has
   not been accessed in this epoch yet, and its count is left where it is. */
static void test_outside_range(void** state)
{
   WsPages s;

   begin(&s, 50, 50, True);
   WS_(pages_renew)(&s, 0, LAST_PAGE, 100); // no record anywhere
   touch(&s, 0, 5, 100);
   touch(&s, 3, 6, 100);
   WS_(pages_cut)(&s, 10, 10, 100, 100);
   stamps[0].n_accesses = 3;
   WS_(pages_renew)(&s, 1, 2, 100); // no record in it
   WS_(pages_renew)(&s, 4, LAST_PAGE, 100);
   assert_armed(3);
   WS_(pages_renew)(&s, 3, 3, 100);
   assert_not_armed(3);
   WS_(pages_renew)(&s, 1, LAST_PAGE, 100);
   assert_armed(0);
   assert_int_equal(stamps[0].n_accesses, 3);
   WS_(pages_renew)(&s, 0, 0, 100);
   assert_not_armed(0);
   WS_(pages_done)(&s);
}

/* --- Counts ------------------------------------------------------------- */

/* Told once, then counted by generated code. */
static void test_counts(void** state)
{
   WsPages s;

   begin(&s, 50, 50, True);
   WsPageRec* rec = touch(&s, 2, 1, 100);
   rec->details[0].n_accesses++;
   access_armed(2, 2, 100);
   access_armed(2, 3, 100);
   assert_int_equal(rec->details[0].n_accesses, 1);
   WS_(pages_collect)(&s, 100);
   assert_int_equal(rec->details[0].n_accesses, 3);
   assert_int_equal(stamps[2].n_accesses, 0);
   WS_(pages_collect)(&s, 100);
   assert_int_equal(rec->details[0].n_accesses, 3);

   // At a cut, if the page stays armed and if it does not.
   access_armed(2, 4, 100);
   WS_(pages_cut)(&s, 10, 10, 100, 200);
   assert_armed(2);
   assert_int_equal(rec->details[0].n_accesses, 4);
   stamps[2].n_accesses = (UWord)1 << 31;
   WS_(pages_cut)(&s, 20, 20, 200, 300);
   assert_not_armed(2);
   assert_int_equal(rec->details[0].n_accesses, 4 + ((ULong)1 << 31));
   assert_int_equal(stamps[2].n_accesses, 0);

   touch(&s, 2, 25, 300);
   access_armed(2, 26, 300);
   WS_(pages_done)(&s);
   assert_int_equal(stamps[2].n_accesses, 0);
}

/* What the old stamps have told is known; they are not looked at again. */
static void test_other_stamps(void** state)
{
   WsPages      s;
   WsGatedStamp other = {.gate = WS_GATE_SHUT};

   begin(&s, 50, 50, True);
   WsPageRec* rec = touch(&s, 1, 1, 100);
   touch(&s, 2, 2, 100);
   touch(&s, 3, 3, 100);
   WS_(pages_renew)(&s, 3, 3, 100);
   access_armed(1, 10, 100);
   WS_(pages_forget_stamps)(&s, 100);
   assert_int_equal(rec->last, 10);
   assert_int_equal(rec->details[0].n_accesses, 1);

   stamps[1].stamp.last = stamps[2].stamp.last = 20 - 100 - 1;
   stamps[1].n_accesses                        = 5;
   assert_ptr_equal(WS_(pages_touch)(&s, 1, 30, &other.stamp), rec);
   other.stamp.last = 31 - 100 - 1;
   other.n_accesses = 1;
   WS_(pages_collect)(&s, 100);
   WS_(pages_cut)(&s, 50, 50, 100, 200);
   assert_int_equal(sample(&s, 50, 50), 3);
   assert_int_equal(rec->last, 31);
   assert_int_equal(rec->details[0].n_accesses, 2);
   assert_int_equal(WS_(pages_nth)(&s, 1)->last, 2);
   assert_int_equal(other.stamp.last, 31 - 200 - 1);
   // Mapped anew before, and accessed only now.
   WS_(pages_touch)(&s, 3, 60, NULL);
   assert_n_pages(&s, 4, 1, 4);
   WS_(pages_done)(&s);
   assert_int_equal(other.n_accesses, 0);
   assert_int_equal(stamps[1].n_accesses, 5);
}

/* --- Growth ------------------------------------------------------------- */

/* Three pages, each with a thousand records: the index grows twice, and it is
   always the latest record that it leads to. */
static void test_many_records_of_a_page(void** state)
{
   WsPages s;
   WsTime  now = 0;

   begin(&s, 2, 2, True);
   for (UWord round = 0; round < 1000; round++) {
      for (WsPage p = 0; p < 3; p++) {
         WsPageRec* rec = touch(&s, p, ++now, 5000);
         assert_ptr_equal(rec, WS_(pages_nth)(&s, 3 * round + p));
         assert_ptr_equal(WS_(pages_touch)(&s, p, now, NULL), rec);
         access_armed(p, now, 5000);
      }
      assert_n_pages(&s, 3 * (round + 1), 3 * round, 3 * (round + 1));
      assert_int_equal(WS_(pages_wss)(&s, 2, now), 2);
      WS_(pages_renew)(&s, round % 2 ? 0 : 1, round % 2 ? LAST_PAGE : 2, 5000);
      WS_(pages_renew)(&s, 0, 0, 5000);
   }
   WS_(pages_collect)(&s, 5000);
   for (UWord n = 0; n < 3000; n++) {
      const WsPageRec* rec = WS_(pages_nth)(&s, n);
      assert_int_equal(rec->page, n % 3);
      assert_int_equal(rec->last, 1 + n);
      assert_int_equal(rec->details[0].n_accesses, 1);
      assert_int_equal(rec->details[0].is_reused, n >= 3);
   }
   WS_(pages_done)(&s);
}

int main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_example),
      cmocka_unit_test(test_many_pages),
      cmocka_unit_test(test_scattered_pages),
      cmocka_unit_test(test_memory),
      cmocka_unit_test(test_memory_is_flat),
      cmocka_unit_test(test_armed_from_epoch_to_epoch),
      cmocka_unit_test(test_nothing_beside_stamps),
      cmocka_unit_test(test_lingering),
      cmocka_unit_test(test_far_base),
      cmocka_unit_test(test_stamps_of_the_next_epoch),
      cmocka_unit_test(test_stamp_is_older_than_what_was_told),
      cmocka_unit_test(test_time_0),
      cmocka_unit_test(test_renew_armed),
      cmocka_unit_test(test_renew_without_details),
      cmocka_unit_test(test_renewed_and_accessed_by_kernel),
      cmocka_unit_test(test_renew_twice),
      cmocka_unit_test(test_working_sets_ignore_renewing),
      cmocka_unit_test(test_working_sets_in_one_epoch),
      cmocka_unit_test(test_clocked_window_in_an_epoch),
      cmocka_unit_test(test_ranges),
      cmocka_unit_test(test_outside_range),
      cmocka_unit_test(test_counts),
      cmocka_unit_test(test_other_stamps),
      cmocka_unit_test(test_many_records_of_a_page),
   };
   return cmocka_run_group_tests_name("pages", tests, NULL, NULL);
}
