/* Floating point and vectors, for the oracle: scalar arithmetic, SSE2, and
   what of AVX2 the processor has: unaligned 32-byte accesses around page
   boundaries, masked loads and stores whose other half lies in a page that is
   not accessed, gathers with some lanes switched off. */

#include <immintrin.h>
#include <math.h>
#include <stdio.h>

#define N 4096

static float  a[N] __attribute__((aligned(4096)));
static float  b[N] __attribute__((aligned(4096)));
static double d[N] __attribute__((aligned(4096)));

static double scalar(void)
{
   double sum = 0;
   int    i;

   for (i = 0; i < N; i++) {
      d[i] = sqrt(i) * 1.5 + fmod(i, 7.0);
      a[i] = (float)d[i];
   }
   for (i = 0; i < N; i += 17)
      sum += d[i] / (1.0 + (double)(long double)a[N - 1 - i] * 0.25L);
   return sum;
}

static double sse(void)
{
   __m128 sum = _mm_setzero_ps();
   float  out[4];
   int    i;

   for (i = 0; i + 5 < N; i += 5) {
      sum = _mm_add_ps(sum, _mm_loadu_ps(a + i));
      _mm_storeu_ps(b + i + 1, _mm_sqrt_ps(_mm_mul_ps(sum, sum)));
   }
   for (i = 0; i + 4 <= N; i += 512)
      _mm_stream_ps(b + i, sum);
   _mm_maskmoveu_si128(_mm_castps_si128(sum), _mm_set1_epi16(-128),
                       (char*)(b + 1022));
   _mm_storeu_ps(out, sum);
   return out[0] + out[1] + out[2] + out[3];
}

__attribute__((target("avx2"))) static double avx(void)
{
   __m256 sum = _mm256_setzero_ps();
   float  out[8];
   int    i;

   for (i = 0; i + 13 < N; i += 13) {
      sum = _mm256_add_ps(sum, _mm256_loadu_ps(a + i));
      _mm256_storeu_ps(b + i + 3, sum);
   }
   /* The mask switches off all that is beyond the boundary, then all that is
      before it, then everything. */
   for (i = 0; i < 9; i++) {
      int     lane[8], k;
      __m256i mask;
      for (k = 0; k < 8; k++)
         lane[k] = k < i ? -1 : 0;
      mask = _mm256_loadu_si256((__m256i*)lane);
      sum  = _mm256_add_ps(sum, _mm256_maskload_ps(a + 1024 - i, mask));
      _mm256_maskstore_ps(b + 2048 - i, mask, sum);
      mask = _mm256_andnot_si256(mask, _mm256_set1_epi32(-1));
      sum  = _mm256_add_ps(sum, _mm256_maskload_ps(a + 3072 - i, mask));
      _mm256_maskstore_ps(b + 3072 - i, mask, sum);
   }
   for (i = 0; i < 40; i++) {
      __m256i index = _mm256_setr_epi32(i, 1023 + i, 2047 + i, 3 * i, 99 * i,
                                        4095 - i, 512, 1024);
      __m256  mask  = _mm256_castsi256_ps(
           _mm256_setr_epi32(-1, i % 2 - 1, -1, 0, i % 3 - 1, -1, 0, -1));
      sum = _mm256_add_ps(sum, _mm256_i32gather_ps(a, index, 4));
      sum = _mm256_mask_i32gather_ps(sum, a, index, mask, 4);
   }
   _mm256_storeu_ps(out, sum);
   return out[0] + out[3] + out[7];
}

int main(void)
{
   printf("%.6g\n", scalar());
   printf("%.6g\n", sse());
   if (__builtin_cpu_supports("avx2"))
      printf("%.6g\n", avx());
   return 0;
}
