/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* Peaks against onsets derived on paper, and against a second detector that
   has the definition's sums over all samples instead of running moments.

   Used throughout: E >= 0.888 * g * mu, since c*F + 1 - c has its minimum of
   0.889 at F = 0.47; so a fall (|x - mu| <= mu) is no peak if g > 1.13. */

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ws_peak.h"

#define MAX_SAMPLES 600
#define HUGE_WINDOW (~(ULong)0)
#define MAX_PAGES   (~(UWord)0)
#define TINIEST     4.9406564584124654e-324 // the least double that is not 0
#define LARGEST     1.7976931348623157e308

/* --- Series --- */

typedef struct {
   UWord x[MAX_SAMPLES];
   int   n;
} Series;

static void add(Series* s, int count, UWord pages)
{
   assert_true(s->n + count <= MAX_SAMPLES);
   while (count-- > 0)
      s->x[s->n++] = pages;
}

static void sample(WsPeak* p, UWord pages, Bool begins)
{
   ULong n = p->n_samples, n_peaks = p->n_peaks;
   Bool  was_peak = p->is_peak;

   assert_int_equal(WS_(peak_sample)(p, pages), begins);
   assert_int_equal(p->n_samples, n + 1);
   assert_int_equal(p->n_peaks, n_peaks + (begins ? 1 : 0));
   if (begins)
      assert_true(p->is_peak && !was_peak);
   else
      assert_true(!p->is_peak || was_peak);
   if (!isfinite(p->mean) || !isfinite(p->variance) || !isfinite(p->entered) ||
       p->mean < 0 || p->variance < 0 || p->entered < 0)
      fail_msg("sample %llu, %lu pages: mean %g, variance %g, entered %g", n,
               pages, p->mean, p->variance, p->entered);
}

/* `onsets`: the indices at which a peak must begin, rising, then -1. */
static WsPeak expect(const Series* s, ULong window, double g, double adapt,
                     const int* onsets)
{
   WsPeak p;

   WS_(peak_init)(&p, window, g, adapt);
   assert_int_equal(p.n_samples, 0);
   assert_int_equal(p.n_peaks, 0);
   assert_false(p.is_peak);
   for (int i = 0; i < s->n; i++) {
      sample(&p, s->x[i], i == *onsets);
      if (i == *onsets)
         onsets++;
   }
   assert_int_equal(*onsets, -1);
   return p;
}

#define EXPECT(s, window, g, adapt, ...)                                       \
   expect(s, window, g, adapt, (const int[]){__VA_ARGS__})
#define NEVER -1

/* --- The second detector --- */

/* Of the n values that entered, all of which still count: the first one with
   weight (1 - alpha)^(n-1), one k samples ago with alpha * (1 - alpha)^k. */
static void moments(const long double* y, int n, long double alpha,
                    long double* mean, long double* variance)
{
   *mean = *variance = 0;
   for (int pass = 0; pass < 2; pass++) {
      long double left = 1; // (1 - alpha)^k
      for (int i = n - 1; i >= 0; i--) {
         long double weight = i == 0 ? left : alpha * left;
         if (pass == 0)
            *mean += weight * y[i];
         else
            *variance += weight * (y[i] - *mean) * (y[i] - *mean);
         left *= 1 - alpha;
      }
   }
}

/* Equal but for rounding, of which d^2 makes something in a variance of 0. */
static void assert_near(double got, long double want, long double slack)
{
   if (!(fabsl(got - want) <= 1e-9L * want + slack))
      fail_msg("%.17g, expected %.17Lg", got, want);
}

/* The detector of ws_peak.c does what this one does; the number of onsets. */
static int compare(const Series* s, ULong window, double g, double adapt)
{
   long double alpha = 2.0L / ((long double)window + 1);
   long double y[MAX_SAMPLES];
   Bool        was_peak = False;
   WsPeak      p;

   WS_(peak_init)(&p, window, g, adapt);
   for (int i = 0; i < s->n; i++) {
      long double x       = s->x[i];
      Bool        is_peak = False;
      if (i > 0) {
         long double mu, var;
         moments(y, i, alpha, &mu, &var);
         assert_near(p.mean, mu, 0);
         assert_near(p.variance, var, 1e-28L * mu * mu);
         long double c = mu == 0 ? 1 : 1 - expl(-var / mu / 2);
         long double E = c * g * var + (1 - c) * g * mu;
         // Rounding alone must not decide: the test needs other numbers then.
         assert_true(x == mu || fabsl(fabsl(x - mu) - E) > 1e-9L * E);
         is_peak = (ULong)i >= window && fabsl(x - mu) > E;
      }
      y[i] = is_peak ? adapt * x + (1 - (long double)adapt) * y[i - 1] : x;
      sample(&p, s->x[i], is_peak && !was_peak);
      assert_int_equal(p.is_peak, is_peak);
      assert_near(p.entered, y[i], 0);
      was_peak = is_peak;
   }
   return (int)p.n_peaks;
}

static int compare_all(const Series* s)
{
   static const ULong  windows[]    = {1, 2, 7, 30, 100, HUGE_WINDOW};
   static const double thresholds[] = {1e-4, 0.13, 0.9, 3.1, 97};
   static const double adapts[]     = {0.01, 0.25, 1};
   int                 n_peaks      = 0;

   for (int w = 0; w < 6; w++)
      for (int g = 0; g < 5; g++)
         for (int a = 0; a < 3; a++)
            n_peaks += compare(s, windows[w], thresholds[g], adapts[a]);
   return n_peaks;
}

/* --- exp_minus --- */

static void check_exp(double y)
{
   double got = WS_(exp_minus)(y), want = exp(-y);
   double slack = want < 1e-300 ? 1e-300 : 1e-14 * want;

   if (!(got >= 0 && fabs(got - want) < slack))
      fail_msg("exp(-%.17g) is %.17g, not %.17g", y, got, want);
}

static void test_exp(void** state)
{
   // A steady series has F = 0, where E must be exactly g * mu.
   assert_true(WS_(exp_minus)(0) == 1);
   assert_true(WS_(exp_minus)(TINIEST) == 1);
   assert_true(WS_(exp_minus)(1e-300) == 1);
   assert_true(WS_(exp_minus)(INFINITY) == 0);
   check_exp(LARGEST);

   for (int i = 0; i <= 800 * 1024; i++)
      check_exp(i / 1024.0);
   for (int i = 0; i <= 100000; i++)
      check_exp(i / 100000.0 * 1e-2);
   // All magnitudes, from denormals on.
   for (double y = TINIEST; y < 1e308; y *= y < 1e-300 ? 2 : 1.01)
      check_exp(y);
   // On both sides of where a reduction by log(2), or by log(2)/2, would turn.
   for (int k = 0; k <= 2400; k++) {
      double y = k * (M_LN2 / 2);
      check_exp(y);
      check_exp(nextafter(y, INFINITY));
      check_exp(y == 0 ? 0 : nextafter(y, 0));
   }
}

/* --- On paper --- */

static void test_constant(void** state)
{
   static const UWord levels[] = {
      0, 1, 100, (UWord)1 << 53, ((UWord)1 << 63) + 1, MAX_PAGES};

   for (int i = 0; i < 6; i++) {
      Series s = {.n = 0};
      add(&s, 300, levels[i]);
      WsPeak p = EXPECT(&s, 10, 3, 0.25, NEVER);
      assert_true(p.mean == (double)levels[i] && p.variance == 0);
      EXPECT(&s, 1, TINIEST, 1, NEVER);
      EXPECT(&s, 1, LARGEST, TINIEST, NEVER);
      EXPECT(&s, HUGE_WINDOW, 1e-4, 0.25, NEVER);
      assert_int_equal(compare_all(&s), 0);
   }
}

/* With mu = 0 and sigma^2 = 0 nothing is too small to be a peak. */
static void test_zeros_first(void** state)
{
   Series s = {.n = 0};

   add(&s, 40, 0);
   add(&s, 200, 5);
   EXPECT(&s, 30, 3, 0.25, 40, -1);
   EXPECT(&s, 40, 3, 0.25, 40, -1);
   EXPECT(&s, 30, 1e300, 0.25, 40, -1);
   EXPECT(&s, 1, LARGEST, 1, 40, -1);
   assert_true(compare_all(&s) > 0);

   // A lone page; what it leaves behind is too much for the zeros after it.
   s.n = 0;
   add(&s, 100, 0);
   add(&s, 1, 1);
   add(&s, 99, 0);
   EXPECT(&s, 30, 3, 0.25, 100, -1);
   assert_true(compare_all(&s) > 0);
}

/* At least `window` samples come first. */
static void test_warm_up(void** state)
{
   for (int before = 28; before <= 31; before++) {
      Series s = {.n = 0};
      add(&s, before, 10);
      add(&s, 1, 1000);
      add(&s, 30, 10);
      if (before < 30)
         EXPECT(&s, 30, 3, 0.25, NEVER);
      else
         EXPECT(&s, 30, 3, 0.25, before, -1);
      EXPECT(&s, HUGE_WINDOW, 3, 0.25, NEVER);
      EXPECT(&s, (ULong)1 << 32, 3, 0.25, NEVER);
   }
}

/* From 20 with g = 1: E is exactly 20, and 40 is not beyond it. */
static void test_step(void** state)
{
   for (UWord to = 38; to <= 42; to++) {
      Series s = {.n = 0};
      add(&s, 50, 20);
      add(&s, 100, to);
      if (to <= 40)
         EXPECT(&s, 10, 1, 0.25, NEVER);
      else
         EXPECT(&s, 10, 1, 0.25, 50, -1);
   }

   // Down from 20 to 0 takes g < 1.
   Series s = {.n = 0};
   add(&s, 50, 20);
   add(&s, 100, 0);
   EXPECT(&s, 10, 3, 0.25, NEVER);
   EXPECT(&s, 10, 1, 0.25, NEVER);
   EXPECT(&s, 10, 0.99, 0.25, 50, -1);
   assert_true(compare_all(&s) > 0);

   s.n = 0;
   add(&s, 120, 20);
   add(&s, 300, 100);
   add(&s, 100, 1);
   assert_true(compare_all(&s) > 0);
}

/* All the numbers, by hand.  window = 3: alpha = 1/2. */
static void test_by_hand(void** state)
{
   WsPeak p;

   WS_(peak_init)(&p, 3, 1, 0.25);
   sample(&p, 8, False);
   assert_true(p.mean == 8 && p.variance == 0 && p.entered == 8);
   sample(&p, 8, False);
   sample(&p, 8, False);
   assert_true(p.mean == 8 && p.variance == 0 && p.entered == 8);

   // E = 8.  Enters: 10 + 6 = 16; d = 8; sigma^2 = (0 + 64/2)/2.
   sample(&p, 40, True);
   assert_true(p.mean == 12 && p.variance == 16 && p.entered == 16);

   // F = 4/3, c = 0.487, E = 7.79 + 6.16 = 13.9 < 28.  Enters: 10 + 12 = 22;
   // d = 10; sigma^2 = (16 + 100/2)/2.
   sample(&p, 40, False);
   assert_true(p.is_peak);
   assert_true(p.mean == 17 && p.variance == 33 && p.entered == 22);

   // F = 1.94, c = 0.621, E = 20.5 + 6.4 = 26.9 > 23: over.  Enters: 40;
   // d = 23; sigma^2 = (33 + 529/2)/2.
   sample(&p, 40, False);
   assert_false(p.is_peak);
   assert_true(p.mean == 28.5 && p.variance == 148.75 && p.entered == 40);

   // F = 5.2, c = 0.926, E = 137.8 + 2.1 = 139.9; 168 is 139.5 away, 169 is
   // 140.5.  Enters: 42.25 + 30 = 72.25.
   WsPeak q = p;
   sample(&q, 168, False);
   assert_false(q.is_peak);
   sample(&p, 169, True);
   assert_true(p.entered == 72.25);
   assert_int_equal(p.n_peaks, 2);
}

/* alpha = 1: mu is what entered the time before, sigma^2 is 0, so x is part of
   a peak iff |x - mu| > g * mu. */
static void test_window_1(void** state)
{
   Series s = {.x = {10, 20, 21, 50, 50, 0, 0, 1, 3, 3, 9}, .n = 11};
   WsPeak p = EXPECT(&s, 1, 1, 1, 3, 7, 10, -1);
   assert_true(p.mean == 9 && p.variance == 0);

   // Enter: 10, 50 (90 is 80 > 10 away), 90 (40 < 50), 90, 10 (80 < 90).
   Series t = {.x = {10, 90, 90, 90, 10}, .n = 5};
   p        = EXPECT(&t, 1, 1, 0.5, 1, -1);
   assert_true(p.mean == 10 && p.variance == 0);

   // 1 to 2 is a peak, 2 to 3 and 3 to 4 are none.  4 to 1 is one, and the 2
   // after it belongs to it.
   Series u = {.x = {1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 1}, .n = 13};
   EXPECT(&u, 1, 0.7, 1, 1, 4, 8, 12, -1);
   EXPECT(&u, 1, 1.1, 1, NEVER);
}

/* x = 0, 1, 2...  The mean gets 1/alpha = 5.5 behind (window = 10), with
   sigma^2 = (1 - alpha) * 5.5^2 = 24.75.  With g = 3, E > 0.88 * 3 * mu is
   more than that from mu = 2.1 on.  With g = 0.1 it is a peak, and what enters
   gets another 3 behind; it lasts until mu is some 90, and then |x - mu| sinks
   and E rises. */
static void test_ramp(void** state)
{
   Series s = {.n = 0};

   for (UWord i = 0; i < 400; i++)
      add(&s, 1, i);
   EXPECT(&s, 10, 3, 0.25, NEVER);
   WsPeak p = EXPECT(&s, 10, 0.1, 0.25, 10, -1);
   assert_false(p.is_peak);
   assert_true(fabs(p.mean - (400 - 5.5)) < 1e-6);
   assert_true(fabs(p.variance - 24.75) < 1e-6);
   assert_true(compare_all(&s) > 0);

   for (int i = 0; i < s.n; i++)
      s.x[i] = 3 * (399 - i);
   EXPECT(&s, 10, 3, 0.25, NEVER);
   assert_true(compare_all(&s) > 0);
}

/* 0 to 196, again and again.  With window = 10 the mean has come to 178 then,
   sigma^2 = 16 * 24.75 = 396, F = 2.2, c = 0.67, E = g * (266 + 59).  The fall
   by 178 is a peak with g = 0.5. */
static void test_sawtooth(void** state)
{
   Series s = {.n = 0};

   for (UWord i = 0; i < 500; i++)
      add(&s, 1, 4 * (i % 50));
   EXPECT(&s, 10, 0.5, 0.25, 50, 100, 150, 200, 250, 300, 350, 400, 450, -1);
   EXPECT(&s, 10, 3, 0.25, NEVER);
   assert_true(compare_all(&s) > 0);

   for (int i = 0; i < s.n; i++)
      s.x[i] = i % 100 < 50 ? i % 50 : 50 - i % 50;
   assert_true(compare_all(&s) > 0);
}

/* One burst is one peak, and its end is none (g > 1.13). */
static void test_burst(void** state)
{
   for (int length = 1; length <= 20; length += 19) {
      Series s = {.n = 0};
      add(&s, 60, 20);
      add(&s, length, 500);
      add(&s, 200, 20);
      EXPECT(&s, 30, 3, 0.25, 60, -1);
      EXPECT(&s, 60, 3, 1, 60, -1);
      EXPECT(&s, 61, 3, 0.25, NEVER);
      assert_true(compare_all(&s) > 0);
   }
}

/* A second burst 200 samples after the first, and a small one after a huge one.
   Of what the huge one has left, (29/31)^200 = 1.6e-6 is still there.  It came
   in dampened, as 25e3: sigma^2 = 1.6e-6 * alpha * 625e6 = 65, F = 3.2,
   c = 0.8, E = 3 * 56 < 480.  Not dampened: sigma^2 = 1000, E = 3000 > 480. */
static void test_two_bursts(void** state)
{
   Series s = {.n = 0};

   add(&s, 60, 20);
   add(&s, 3, 500);
   add(&s, 200, 20);
   add(&s, 3, 500);
   add(&s, 50, 20);
   EXPECT(&s, 30, 3, 0.25, 60, 263, -1);
   assert_true(compare_all(&s) > 0);

   s.n = 0;
   add(&s, 60, 20);
   add(&s, 1, 100000);
   add(&s, 200, 20);
   add(&s, 1, 500);
   add(&s, 50, 20);
   EXPECT(&s, 30, 3, 0.25, 60, 261, -1);
   EXPECT(&s, 30, 3, 1, 60, -1);
   assert_true(compare_all(&s) > 0);

   // Steps up, each a peak of its own once the one before has been taken in.
   s.n = 0;
   add(&s, 100, 1);
   add(&s, 200, 50);
   add(&s, 200, 2500);
   EXPECT(&s, 30, 3, 0.25, 100, 300, -1);
   assert_true(compare_all(&s) > 0);
}

/* --- Extremes --- */

static void test_thresholds(void** state)
{
   Series s = {.n = 0};

   // Any change is a peak, which lasts until the mean is exactly there.
   add(&s, 40, 1000000);
   add(&s, 200, 1000001);
   EXPECT(&s, 30, TINIEST, 0.25, 40, -1);
   EXPECT(&s, 30, 1e-300, 1, 40, -1);
   // Only what comes after nothing is one.
   add(&s, 100, MAX_PAGES);
   EXPECT(&s, 30, 1e300, 0.25, NEVER);
   EXPECT(&s, 30, LARGEST, 0.25, NEVER);
   EXPECT(&s, 1, LARGEST, 1, NEVER);
}

static void test_huge_values(void** state)
{
   const UWord half = (UWord)1 << (8 * sizeof(UWord) - 1);
   Series      s    = {.n = 0};

   // A double cannot tell these apart.
   for (int i = 0; i < 100; i++)
      add(&s, 1, half + i % 3);
   EXPECT(&s, 30, 3, 0.25, NEVER);

   // From 1 to the largest and back.  (Not with every window: with alpha = 1
   // the 1 is lost in rounding.)
   s.n = 0;
   add(&s, 60, 1);
   add(&s, 5, MAX_PAGES);
   add(&s, 60, 1);
   EXPECT(&s, 30, 3, 0.25, 60, -1);
   assert_true(compare(&s, 30, 0.9, 0.25) > 0);
   assert_true(compare(&s, 30, 3.1, 0.01) > 0);

   // Twice as much is not more than g = 3 times as much; 0.9 is exceeded.
   s.n = 0;
   add(&s, 60, half);
   add(&s, 60, MAX_PAGES);
   EXPECT(&s, 30, 3, 0.25, NEVER);
   EXPECT(&s, 30, 0.9, 0.25, 60, -1);
   assert_true(compare_all(&s) > 0);
}

/* Whatever comes, the moments are numbers; sample() looks. */
static void test_never_nan(void** state)
{
   static const ULong windows[] = {
      1, 2, 3, 30, (ULong)1 << 32, (ULong)1 << 63, HUGE_WINDOW};
   static const double thresholds[] = {TINIEST, 1e-4, 3, 1e300, LARGEST};
   static const double adapts[]     = {TINIEST, 1e-300, 0.25, 1};
   static const UWord  levels[]     = {0, 0, 1, MAX_PAGES / 2, MAX_PAGES};
   ULong               random       = 1;

   for (int w = 0; w < 7; w++)
      for (int g = 0; g < 5; g++)
         for (int a = 0; a < 4; a++) {
            WsPeak p;
            UWord  x = 0;
            WS_(peak_init)(&p, windows[w], thresholds[g], adapts[a]);
            // Zeros at the end: the moments sink through the denormals.
            for (int i = 0; i < 4000; i++) {
               random = random * 6364136223846793005ULL +
                        1442695040888963407ULL;
               if (i >= 1000)
                  x = 0;
               else if (random >> 62 == 0)
                  x = levels[(random >> 32) % 5];
               WsPeak before = p;
               sample(&p, x, WS_(peak_sample)(&before, x));
            }
         }
}

/* A program that sleeps for long, and then wakes up. */
static void test_long_silence(void** state)
{
   WsPeak p;

   WS_(peak_init)(&p, 30, 0.0125, 0.25);
   for (int i = 0; i < 300; i++)
      assert_false(WS_(peak_sample)(&p, 100));
   assert_true(WS_(peak_sample)(&p, 0));
   for (int i = 0; i < 100000; i++)
      assert_false(WS_(peak_sample)(&p, 0));
   assert_false(p.is_peak);
   assert_true(WS_(peak_sample)(&p, 1));
}

int main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_long_silence), cmocka_unit_test(test_exp),
      cmocka_unit_test(test_constant),     cmocka_unit_test(test_zeros_first),
      cmocka_unit_test(test_warm_up),      cmocka_unit_test(test_step),
      cmocka_unit_test(test_by_hand),      cmocka_unit_test(test_window_1),
      cmocka_unit_test(test_ramp),         cmocka_unit_test(test_sawtooth),
      cmocka_unit_test(test_burst),        cmocka_unit_test(test_two_bursts),
      cmocka_unit_test(test_thresholds),   cmocka_unit_test(test_huge_values),
      cmocka_unit_test(test_never_nan),
   };
   return cmocka_run_group_tests_name("peak", tests, NULL, NULL);
}
