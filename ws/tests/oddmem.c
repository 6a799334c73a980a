/* Accesses of every odd kind, for the oracle: string instructions with rep,
   locked and compare-and-swap instructions, the x87 and SSE state, and every
   width at every place around a page boundary.  amd64 and x86. */

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define PAGE 4096

static unsigned char area[16 * PAGE] __attribute__((aligned(PAGE)));
static unsigned char other[16 * PAGE] __attribute__((aligned(PAGE)));

static void rep_movsb(void* to, const void* from, size_t n)
{
   __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
}

static void rep_movsl_down(uint32_t* to, const uint32_t* from, size_t n)
{
   __asm__ volatile("std; rep movsl; cld"
                    : "+D"(to), "+S"(from), "+c"(n)
                    :
                    : "memory", "cc");
}

static void rep_stosl(void* to, uint32_t value, size_t n)
{
   __asm__ volatile("rep stosl" : "+D"(to), "+c"(n) : "a"(value) : "memory");
}

static size_t repne_scasb(const void* in, uint8_t byte, size_t n)
{
   __asm__ volatile("repne scasb"
                    : "+D"(in), "+c"(n)
                    : "a"(byte)
                    : "memory", "cc");
   return n;
}

static size_t repe_cmpsb(const void* a, const void* b, size_t n)
{
   __asm__ volatile("repe cmpsb"
                    : "+D"(a), "+S"(b), "+c"(n)
                    :
                    : "memory", "cc");
   return n;
}

static unsigned strings(void)
{
   unsigned sum = 0;
   size_t   n;

   rep_stosl(area + PAGE - 6, 0x01020304, 2500);
   rep_movsb(other + 3 * PAGE - 1, area + 5, 2 * PAGE + 2);
   rep_movsb(other, area, 0);
   rep_movsl_down((uint32_t*)(other + 9 * PAGE), (uint32_t*)(area + PAGE + 8),
                  10);
   area[4 * PAGE + 7] = 0xff;
   sum += (unsigned)repne_scasb(area, 0xff, 8 * PAGE);
   memcpy(other, area, PAGE);
   other[PAGE + 1] = 0xfe;
   for (n = PAGE - 2; n < PAGE + 2; n++)
      sum += (unsigned)repe_cmpsb(area + 1, other + 1, n);
   return sum;
}

static unsigned widths(void)
{
   unsigned sum = 0;
   int      at;

   for (at = -16; at <= 1; at++) {
      unsigned char* p = area + 2 * PAGE + at;
      uint16_t       v2;
      uint32_t       v4;
      uint64_t       v8;
      memcpy(&v2, p, sizeof v2);
      memcpy(&v4, p + 4 * PAGE, sizeof v4);
      memcpy(&v8, p + 8 * PAGE, sizeof v8);
      v2++, v4++, v8++;
      memcpy(p + 1 * PAGE, &v2, sizeof v2);
      memcpy(p + 5 * PAGE, &v4, sizeof v4);
      memcpy(p + 9 * PAGE, &v8, sizeof v8);
      sum += (unsigned)(v2 + v4 + v8);
   }
   return sum;
}

static unsigned atomics(void)
{
   unsigned sum = 0;
   int      i;

   for (i = 0; i < 40; i++) {
      uint32_t* w        = (uint32_t*)(area + (i % 16) * PAGE + 8 * i);
      uint64_t* d        = (uint64_t*)(other + (i % 8) * PAGE + 64 + 8 * i);
      uint32_t  expected = (uint32_t)i % 3;
      __atomic_store_n(w, (uint32_t)i % 2, __ATOMIC_SEQ_CST);
      /* Succeeds or fails, as i wants it. */
      sum += __atomic_compare_exchange_n(w, &expected, 77, 0, __ATOMIC_SEQ_CST,
                                         __ATOMIC_SEQ_CST);
      sum += __atomic_fetch_add(w, 3, __ATOMIC_SEQ_CST);
      sum += __atomic_exchange_n(w, 9, __ATOMIC_SEQ_CST);
      __asm__ volatile("lock incl %0" : "+m"(*w) : : "cc");
      __asm__ volatile("lock btsl %1, %0" : "+m"(*w) : "r"(i % 32) : "cc");
      /* Eight bytes at a time: cmpxchg8b on x86. */
      __atomic_compare_exchange_n(d, &(uint64_t){0}, 1, 0, __ATOMIC_SEQ_CST,
                                  __ATOMIC_SEQ_CST);
      sum += (unsigned)*d;
      /* A locked access that straddles two pages. */
      __asm__ volatile("lock addl $1, %0"
                       : "+m"(*(uint32_t*)(area + (i % 7 + 1) * PAGE - 2))
                       :
                       : "cc");
      /* A pair of words, half of them over a boundary. */
      {
         void*    q  = other + (i % 8 + 1) * PAGE - i % 9;
         uint32_t lo = 0, hi = 0;
         __asm__ volatile("lock cmpxchg8b %0"
                          : "+m"(*(unsigned char(*)[8])q), "+a"(lo), "+d"(hi)
                          : "b"(i), "c"(7)
                          : "cc");
         sum += lo + hi;
      }
#ifdef __x86_64__
      {
         void*    q  = other + (i % 8 + 2) * PAGE + 16 * i;
         uint64_t lo = 0, hi = 0;
         __asm__ volatile("lock cmpxchg16b %0"
                          : "+m"(*(unsigned char(*)[16])q), "+a"(lo), "+d"(hi)
                          : "b"((uint64_t)i), "c"((uint64_t)7)
                          : "cc");
         sum += (unsigned)(lo + hi);
      }
#endif
   }
   return sum;
}

static unsigned state(void)
{
   static unsigned char images[4 * PAGE] __attribute__((aligned(PAGE)));
   double               x = 1.5;
   int                  i;

   for (i = 0; i < 3; i++) {
      unsigned char* fx  = images + (i + 1) * PAGE - 256 * i; /* 16-aligned */
      unsigned char* env = images + (i + 1) * PAGE - 28 + 9 * i;
      unsigned char* all = images + (i + 1) * PAGE - 100;
      long double*   ld  = (long double*)(images + (i + 1) * PAGE - 4 - i);
      uint16_t*      cw  = (uint16_t*)(images + (i + 1) * PAGE - 1);
      __asm__ volatile("fxsave %0; fxrstor %0"
                       : "+m"(*(unsigned char(*)[512])fx));
      __asm__ volatile("fnstenv %0; fldenv %0"
                       : "+m"(*(unsigned char(*)[28])env));
      __asm__ volatile("fnsave %0; frstor %0"
                       : "+m"(*(unsigned char(*)[108])all));
      __asm__ volatile("fldl %1; fstpt %0" : "=m"(*ld) : "m"(x));
      __asm__ volatile("fldt %1; fstpl %0" : "=m"(x) : "m"(*ld));
      __asm__ volatile("fnstcw %0; fldcw %0" : "+m"(*cw));
      x = x * 1.25 + i;
   }
   return (unsigned)(x * 100);
}

static unsigned conditions(void)
{
   unsigned sum = 0;
   long     i;

   for (i = 0; i < 64; i++) {
      const uint32_t* p   = (const uint32_t*)(area + (i % 16) * PAGE + 4 * i);
      uint32_t        got = 5;
      __asm__ volatile("cmpl $32, %k2; cmovl %1, %0"
                       : "+r"(got)
                       : "m"(*p), "r"(i)
                       : "cc");
      sum += got;
      __asm__ volatile("push %0; pop %0"
                       : "+m"(*(long*)(other + (i % 16) * PAGE + 8 * i)));
   }
   return sum;
}

int main(void)
{
   printf("%u\n", strings());
   printf("%u\n", widths());
   printf("%u\n", atomics());
   printf("%u\n", state());
   printf("%u\n", conditions());
   return 0;
}
