/* A library that is gone at the end of the run; see why_calls.c. */

void lib_work(unsigned long turns);

static volatile unsigned long after;

void lib_work(unsigned long turns)
{
   __asm__ volatile("1: dec %0; jnz 1b" : "+r"(turns) : : "cc"); /* @lib */
   after++;
}
