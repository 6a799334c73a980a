/* Accesses of odd kinds, for the oracle: every width at every place around a page
   boundary, copies, and atomic ones; on amd64 and x86 also locked ones of many
   bytes.  (entries.S has others of amd64.) */

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

#endif

int main(void)
{
   widths();
   atomics();
   copies(0);
#if defined(__x86_64__) || defined(__i386__)
   locked();
#endif
   printf("%u\n", sum);
   return 0;
}
