/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

/* Peaks against the definition (ws_stats.h) in other words. (Prominent ones: the
   oracle.)

   Catches: statistics updated in the wrong order, or by a sample that should
   have been dampened; a first or last sample of a peak, or of the warm-up, on
   the wrong side. */

#include <math.h>

#include "unit.h"
#include "ws_stats.h"

#define MAX_SAMPLES 400
#define TINIEST     4.9406564584124654e-324 // the least double that is not 0
#define LARGEST     1.7976931348623157e308

static void test_exp(void** state)
{
   // A steady series has F = 0, where E must be exactly g * mu.
   assert_true(WS_(exp_minus)(0) == 1);
   assert_true(WS_(exp_minus)(TINIEST) == 1);
   assert_true(WS_(exp_minus)(LARGEST) == 0);
   assert_true(WS_(exp_minus)(INFINITY) == 0);
   // On both sides of where a reduction by log(2), or by log(2)/2, would turn.
   for (int i = 0; i <= 4800; i++) {
      double y = i * (M_LN2 / 4), all[] = {y, nextafter(y, 9e9), y / 4096};
      for (int j = 0; j < 3; j++) {
         double want = exp(-all[j]), slack = 1e-14 * want + 1e-300;
         assert_true(fabs(WS_(exp_minus)(all[j]) - want) < slack);
      }
   }
}

/* --- By the definition --------------------------------------------------- */

typedef struct {
   ULong  window;
   double threshold, adapt;
   ULong  n;
   double mean, variance, entered;
   Bool   is_peak;
} Model;

/* How far the sample is from its limit, as a part of that: > 0 is beyond. */
static double model_sample(Model* m, double x)
{
   double alpha = 2 / ((double)m->window + 1), d = x - m->mean;
   double c = m->mean == 0 ? 1 : 1 - exp(-m->variance / m->mean / 2);
   double E = m->threshold * (c * m->variance + (1 - c) * m->mean);

   m->is_peak = m->n >= m->window && d > E;
   if (m->n++ == 0)
      m->mean = x;
   m->entered = m->is_peak ? m->adapt * x + (1 - m->adapt) * m->entered : x;

   double step = m->entered - m->mean;
   m->mean += alpha * step;
   m->variance = (1 - alpha) * (m->variance + alpha * step * step);
   m->mean     = m->mean < 1e-100 ? 0 : m->mean;
   m->variance = m->variance < 1e-100 ? 0 : m->variance;
   return d == 0 ? -1 : (d - E) / E;
}

/* Shapes in turn: levels with noise and bursts, ramps, lone pages among zeros,
   anything. */
static UInt make_series(UWord x[MAX_SAMPLES], UInt shape)
{
   UInt  n = 1 + random_below(MAX_SAMPLES), left = 0;
   UWord level = 0, noise = 0;

   for (UInt i = 0; i < n; i++) {
      if (left-- == 0) {
         left  = random_below(100);
         level = random_number(random_below(4) ? 10 : 20);
         noise = random_number(8);
      }
      switch (shape) {
      case 0: x[i] = level + random_below(1 + (UInt)noise); break;
      case 1: x[i] = level + noise * left; break;
      case 2: x[i] = random_below(20) ? 0 : random_number(10); break;
      default: x[i] = random_number(64); break;
      }
   }
   return n;
}

static void test_random_series(void** state)
{
   static const ULong  windows[]    = {1, 2, 7, 30, 100};
   static const double thresholds[] = {1e-4, 0.0125, 0.13, 0.9, 3.1, 97};
   static const double adapts[]     = {0.01, 0.25, 0.7, 1};
   UInt                n_peaks = 0, n_unclear = 0;

   for (UInt i = 0; i < 5000; i++) {
      Model  m = {.window    = windows[random_below(5)],
                  .threshold = thresholds[random_below(6)],
                  .adapt     = adapts[random_below(4)]};
      UWord  x[MAX_SAMPLES];
      UInt   n = make_series(x, i % 4);
      WsPeak p = {.n_samples = 0};

      WS_(clo) = (WsOptions){.peak_window_samples = m.window,
                             .peak_thresh         = {NULL, m.threshold},
                             .peak_adapt          = {NULL, m.adapt}};
      for (UInt k = 0; k < n; k++) {
         ULong before   = p.n_peaks;
         Bool  was_peak = m.is_peak;
         if (fabs(model_sample(&m, (double)x[k])) < 1e-9) {
            n_unclear++; // rounding would decide
            break;
         }
         assert_int_equal(WS_(peak_sample)(&p, x[k]), m.is_peak && !was_peak);
         assert_int_equal(p.is_peak, m.is_peak);
         assert_int_equal(p.n_peaks, before + (m.is_peak && !was_peak));
      }
      n_peaks += p.n_peaks > 0;
   }
   assert_true(n_peaks > 1500 && n_unclear < 100);
}

UNIT_TESTS("peak", cmocka_unit_test(test_exp),
           cmocka_unit_test(test_random_series))
