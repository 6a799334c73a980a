/* A heap whose blocks come and go, at random, but always alike. It prints their
   history; `busy` is written before and behind each call. It has no libc, and
   a stack of its own: how many instructions libc takes to start, and where the
   stack lies, depends on the lengths of paths. For oracle_heap.test. */

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define ALIKE   __attribute__((noinline, noclone))
#define STEPS   400
#define SLOTS   40
#define SLOT    9008 // no multiple of a page
#define LARGEST 8700
#define RETURN  0xc3 // the code of a function, on x86

typedef struct {
   char *at, *old; // where it is, and was before the call
   long  szB;      // 0: it is free
   long  site;
} Block;

static char          arena[SLOTS * SLOT] __attribute__((aligned(4096)));
char                 stack[8192] __attribute__((aligned(4096)));
static char*         next;
static Block         blocks[SLOTS], history[STEPS + 1];
static volatile char busy;

ALIKE void* malloc(size_t szB)
{
   char* result = next;
   next += szB;
   return result;
}

ALIKE void* calloc(size_t n, size_t szB)
{
   return malloc(n * szB);
}

/* Moves a block, or leaves it where it is. */
ALIKE void* realloc(void* old, size_t szB)
{
   return old && szB % 2 ? old : malloc(szB);
}

ALIKE void free(void* old)
{
   __asm__ volatile("" : : "r"(old) : "memory");
}

#define SITE(n, get)                                                           \
   ALIKE char* site_##n(char* old, long szB)                                   \
   {                                                                           \
      return get;                                                              \
   }
SITE(0, malloc(szB))
SITE(1, calloc(szB, 1))
SITE(2, realloc(old, szB))
static char* (*const sites[])(char*, long) = {site_0, site_1, site_2};

static unsigned at_random(unsigned n)
{
   static uint32_t seed = 1;
   seed                 = seed * 1664525 + 1013904223;
   return (seed >> 8) % n;
}

/* Allocates, reallocates or frees a block.  Each site has one stack. */
ALIKE Block call(Block b, long szB, int slot)
{
   Block now = {b.at, b.szB ? b.at : NULL, szB, b.szB ? 2 : at_random(3)};

   next = arena + slot * SLOT + at_random(300);
   busy = 1;
   if (szB)
      now.at = sites[now.site](now.old, szB);
   else
      free(now.at);
   busy = 0;
   return now;
}

/* Reads or writes some bytes of a block; some of them lie in two pages. */
static void use(const Block* b)
{
   volatile char* at = b->at + at_random(b->szB - 8);
   if (at_random(2))
      *(volatile uint64_t*)at;
   else
      *(volatile uint64_t*)at = RETURN * UINT64_C(0x0101010101010101);
}

static long syscall(long number, long a, const void* b, long c)
{
   long result;
   __asm__ volatile("syscall"
                    : "=a"(result)
                    : "0"(number), "D"(a), "S"(b), "d"(c)
                    : "rcx", "r11", "memory");
   return result;
}

__attribute__((used)) static void run(void)
{
   syscall(SYS_mprotect, (long)arena, (void*)sizeof arena,
           PROT_READ | PROT_WRITE | PROT_EXEC);
   for (int i = 0; i < STEPS; i++) {
      int    slot = i ? 1 + at_random(SLOTS - 1) : 0;
      Block* b    = &blocks[slot];
      long   szB  = 9 + at_random(at_random(3) && i ? 200 : LARGEST - 9);
      history[i] = *b = call(*b, b->szB && at_random(3) ? 0 : szB, slot);
      if (i == 0)
         for (long n = 0; n < szB; n++)
            b->at[n] = (char)RETURN; // it is data and code
      for (int uses = at_random(12); uses > 0; uses--)
         if ((b = &blocks[at_random(SLOTS)])->szB > 0)
            use(b);
      if (at_random(3) == 0)
         ((void (*)(void))(blocks[0].at + at_random(blocks[0].szB)))();
   }
   history[STEPS].at = (char*)&busy;
   syscall(SYS_exit_group,
           syscall(SYS_write, 1, history, sizeof history) != sizeof history,
           NULL, 0);
}

__asm__(".globl _start\n"
        "_start: lea stack + 8192(%rip), %rsp\n"
        "        call run\n");
