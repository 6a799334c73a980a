/* Accesses of every width at every place around a page boundary, atomic ones,
   and copies, for the oracle on platforms that have no program of their own. */

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define PAGE 4096

static unsigned char area[16 * PAGE] __attribute__((aligned(PAGE)));
static unsigned char other[16 * PAGE] __attribute__((aligned(PAGE)));

/* Whatever the order of its bytes. */
static unsigned widths(void)
{
   unsigned sum = 0;

   for (int at = -16; at <= 1; at++) {
      unsigned char* p = area + 2 * PAGE + at;
      uint8_t        v1;
      uint16_t       v2;
      uint32_t       v4;
      uint64_t       v8;
      double         d;
      memcpy(&v1, p, sizeof v1);
      memcpy(&v2, p + 1 * PAGE, sizeof v2);
      memcpy(&v4, p + 2 * PAGE, sizeof v4);
      memcpy(&v8, p + 3 * PAGE, sizeof v8);
      memcpy(&d, p + 4 * PAGE, sizeof d);
      v1++, v2++, v4++, v8++, d += at;
      memcpy(p + 5 * PAGE, &v1, sizeof v1);
      memcpy(p + 6 * PAGE, &v2, sizeof v2);
      memcpy(p + 7 * PAGE, &v4, sizeof v4);
      memcpy(p + 8 * PAGE, &v8, sizeof v8);
      memcpy(p + 9 * PAGE, &d, sizeof d);
      sum += (unsigned)(v1 + v2 + v4 + v8) + (unsigned)(d + 100);
   }
   return sum;
}

static unsigned atomics(void)
{
   unsigned sum = 0;

   for (unsigned i = 0; i < 40; i++) {
      uint32_t* w        = (uint32_t*)(area + i % 16 * PAGE + 8 * i);
      uint64_t* d        = (uint64_t*)(other + i % 8 * PAGE + 64 + 8 * i);
      uint32_t  expected = i % 3;
      __atomic_store_n(w, i % 2, __ATOMIC_SEQ_CST);
      /* Succeeds or fails, as i wants it. */
      sum += __atomic_compare_exchange_n(w, &expected, 77, 0, __ATOMIC_SEQ_CST,
                                         __ATOMIC_SEQ_CST);
      sum += __atomic_fetch_add(w, 3, __ATOMIC_SEQ_CST);
      sum += __atomic_exchange_n(w, 9, __ATOMIC_SEQ_CST);
      sum += (unsigned)__atomic_fetch_add(d, i, __ATOMIC_SEQ_CST);
      sum += __atomic_fetch_or((unsigned char*)w + 5, 4, __ATOMIC_SEQ_CST);
   }
   return sum;
}

/* Of lengths that the compiler does not know. */
static unsigned copies(volatile size_t n)
{
   unsigned sum = 0;

   for (; n < 6000; n += n / 2 + 1) {
      memset(area + PAGE - n % 100, (int)n, n);
      memcpy(other + 3 * PAGE - n % 37, area + PAGE - 1, n);
      memmove(other + 3 * PAGE, other + 3 * PAGE - 7, n);
      sum += memcmp(area + PAGE, other + 3 * PAGE, n) != 0;
      sum += (unsigned)strlen((char*)other + 3 * PAGE);
   }
   return sum;
}

int main(void)
{
   printf("%u\n", widths());
   printf("%u\n", atomics());
   printf("%u\n", copies(0));
   return 0;
}
