/* Accesses of every odd kind, for the oracle: every width at every place around
   a page boundary, atomic ones, and copies; on amd64 and x86 also string
   instructions with rep, locked ones, and the x87 and SSE state. */

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define PAGE 4096

static unsigned char area[16 * PAGE] __attribute__((aligned(PAGE)));
static unsigned char other[16 * PAGE] __attribute__((aligned(PAGE)));

#if defined(__x86_64__) || defined(__i386__)
#define IS_X86 1
#else
#define IS_X86 0
#endif

#if IS_X86
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

#endif

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
      sum += (unsigned)__atomic_fetch_add(d, i, __ATOMIC_SEQ_CST);
      sum += __atomic_fetch_or((unsigned char*)w + 5, 4, __ATOMIC_SEQ_CST);
      /* Eight bytes at a time: cmpxchg8b on x86. */
      __atomic_compare_exchange_n(d, &(uint64_t){0}, 1, 0, __ATOMIC_SEQ_CST,
                                  __ATOMIC_SEQ_CST);
      sum += (unsigned)*d;
#if IS_X86
      __asm__ volatile("lock incl %0" : "+m"(*w) : : "cc");
      __asm__ volatile("lock btsl %1, %0" : "+m"(*w) : "r"(i % 32) : "cc");
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
#endif
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

#if IS_X86
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
#endif

int main(void)
{
   printf("%u\n", widths());
   printf("%u\n", atomics());
   printf("%u\n", copies(0));
#if IS_X86
   printf("%u\n", strings());
   printf("%u\n", state());
   printf("%u\n", conditions());
#endif
   return 0;
}
