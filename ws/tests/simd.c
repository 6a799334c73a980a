/* AVX2, for the oracle, if the processor has it: unaligned 32-byte accesses
   around page boundaries, masked loads and stores whose other half lies in a page
   that is not accessed, gathers with some lanes switched off. */

#include <immintrin.h>
#include <stdio.h>

#define N 4096

static float a[N] __attribute__((aligned(4096)));
static float b[N] __attribute__((aligned(4096)));

__attribute__((target("avx2"))) static void avx(void)
{
   __m256 sum = _mm256_setzero_ps();

   for (int i = 0; i + 13 < N; i += 13) {
      sum = _mm256_add_ps(sum, _mm256_loadu_ps(a + i));
      _mm256_storeu_ps(b + i + 3, sum);
   }
   /* The mask switches off all that is beyond the boundary, then all that is
      before it, then everything. */
   for (int i = 0; i < 9; i++) {
      __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
      __m256i mask  = _mm256_cmpgt_epi32(_mm256_set1_epi32(i), lanes);
      sum = _mm256_add_ps(sum, _mm256_maskload_ps(a + 1024 - i, mask));
      _mm256_maskstore_ps(b + 2048 - i, mask, sum);
      mask = _mm256_andnot_si256(mask, _mm256_set1_epi32(-1));
      sum  = _mm256_add_ps(sum, _mm256_maskload_ps(a + 3072 - i, mask));
      _mm256_maskstore_ps(b + 3072 - i, mask, sum);
   }
   for (int i = 0; i < 40; i++) {
      __m256i index = _mm256_setr_epi32(i, 1023 + i, 2047 + i, 3 * i, 99 * i,
                                        4095 - i, 512, 1024);
      __m256  mask  = _mm256_castsi256_ps(
           _mm256_setr_epi32(-1, i % 2 - 1, -1, 0, i % 3 - 1, -1, 0, -1));
      sum = _mm256_add_ps(sum, _mm256_i32gather_ps(a, index, 4));
      sum = _mm256_mask_i32gather_ps(sum, a, index, mask, 4);
   }
   _mm256_storeu_ps(b, sum);
}

int main(void)
{
   if (__builtin_cpu_supports("avx2"))
      avx();
   printf("%.6g %.6g\n", (double)b[0], (double)b[1025]);
   return 0;
}
