/* Accesses of every odd kind, for the oracle: every width at every place around
   a page boundary, atomic ones, and copies; on amd64 and x86 also string
   instructions with rep, locked ones, and the x87 and SSE state. */

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define PAGE 4096

static unsigned char area[16 * PAGE] __attribute__((aligned(PAGE)));
static unsigned char other[16 * PAGE] __attribute__((aligned(PAGE)));

/* What comes of it all, so that nothing is left out. */
static volatile unsigned sum;

/* Reads a page, and writes another one five pages further. */
#define COPY(type, page)                                                       \
   do {                                                                        \
      type v;                                                                  \
      memcpy(&v, p + (page)*PAGE, sizeof v);                                   \
      v += 1;                                                                  \
      memcpy(p + ((page) + 5) * PAGE, &v, sizeof v);                           \
   } while (0)

static void widths(void)
{
   for (int at = -16; at <= 1; at++) {
      unsigned char* p = area + 2 * PAGE + at;
      COPY(uint8_t, 0);
      COPY(uint16_t, 1);
      COPY(uint32_t, 2);
      COPY(uint64_t, 3);
      COPY(double, 4);
   }
}

/* Of lengths that the compiler does not know. */
static void copies(volatile size_t n)
{
   for (; n < 6000; n += n / 2 + 1) {
      memset(area + PAGE - n % 100, (int)n, n);
      memcpy(other + 3 * PAGE - n % 37, area + PAGE - 1, n);
      memmove(other + 3 * PAGE, other + 3 * PAGE - 7, n);
      sum += memcmp(area + PAGE, other + 3 * PAGE, n) != 0;
      sum += (unsigned)strlen((char*)other + 3 * PAGE);
   }
}

static void atomics(void)
{
   for (int i = 0; i < 40; i++) {
      uint32_t* w        = (uint32_t*)(area + (i % 16) * PAGE + 8 * i);
      uint64_t* d        = (uint64_t*)(other + (i % 8) * PAGE + 64 + 8 * i);
      uint32_t  expected = (uint32_t)i % 3;
      __atomic_store_n(w, (uint32_t)i % 2, __ATOMIC_SEQ_CST);
      /* Succeeds or fails, as i wants it. */
      sum += __atomic_compare_exchange_n(w, &expected, 77, 0, __ATOMIC_SEQ_CST,
                                         __ATOMIC_SEQ_CST);
      sum += __atomic_fetch_add(w, 3, __ATOMIC_SEQ_CST);
      sum += __atomic_exchange_n(w, 9, __ATOMIC_SEQ_CST);
      sum += __atomic_fetch_or((unsigned char*)w + 5, 4, __ATOMIC_SEQ_CST);
      /* Eight bytes at a time: cmpxchg8b on x86. */
      __atomic_compare_exchange_n(d, &(uint64_t){0}, 1, 0, __ATOMIC_SEQ_CST,
                                  __ATOMIC_SEQ_CST);
   }
}

#if defined(__x86_64__) || defined(__i386__)

/* An instruction that compares with memory, or exchanges it, if that is 0. */
#define IF_ZERO(text, at)                                                      \
   do {                                                                        \
      long lo = 0, hi = 0;                                                     \
      __asm__ volatile(text                                                    \
                       : "+m"(*(unsigned char(*)[16])(at)), "+a"(lo), "+d"(hi) \
                       : "b"(1L), "c"(7L)                                      \
                       : "cc");                                                \
   } while (0)

static void locked(void)
{
   for (int i = 0; i < 40; i++) {
      /* Two pages, with four bytes and with eight. */
      IF_ZERO("lock addl $1, %0", area + (i % 7 + 1) * PAGE - 2);
      IF_ZERO("lock cmpxchg8b %0", other + (i % 8 + 1) * PAGE - i % 9);
#ifdef __x86_64__
      IF_ZERO("lock cmpxchg16b %0", other + (i % 8 + 2) * PAGE + 16 * i);
#endif
   }
}

#define STRING(text, to, from, n)                                              \
   do {                                                                        \
      void*       d = (to);                                                    \
      const void* s = (from);                                                  \
      size_t      c = (n);                                                     \
      __asm__ volatile(text                                                    \
                       : "+D"(d), "+S"(s), "+c"(c)                             \
                       : "a"(0x010203ff)                                       \
                       : "memory", "cc");                                      \
   } while (0)

static void strings(void)
{
   STRING("rep stosl", area + PAGE - 6, area, 2500);
   STRING("rep movsb", other + 3 * PAGE - 1, area + 5, 2 * PAGE + 2);
   STRING("rep movsb", other, area, 0);
   STRING("std; rep movsl; cld", other + 9 * PAGE, area + PAGE + 8, 10);
   memset(area, 1, 8 * PAGE);
   area[4 * PAGE + 7] = 0xff;
   STRING("repne scasb", area, area, 8 * PAGE);
   memcpy(other, area, PAGE);
   other[PAGE + 1] = 0xfe;
   for (size_t n = PAGE - 2; n < PAGE + 2; n++)
      STRING("repe cmpsb", other + 1, area + 1, n);
}

static void state(void)
{
   static unsigned char images[4 * PAGE] __attribute__((aligned(PAGE)));
   double               x = 1.5;

   for (int i = 0; i < 3; i++) {
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
   }
}

static void conditions(void)
{
   for (long i = 0; i < 64; i++) {
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
}
#endif

int main(void)
{
   widths();
   atomics();
   copies(0);
#if defined(__x86_64__) || defined(__i386__)
   locked();
   strings();
   state();
   conditions();
#endif
   printf("%u\n", sum);
   return 0;
}
