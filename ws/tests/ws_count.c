/* ws_count: the working set, counted from a trace in the plainest way.

   Usage: ws_count SNAPSHOTS {OUT T TAU PAGESIZE ENTRIES}... <TRACE

   TRACE is what lackey --trace-mem=yes writes:

      I  04014073,3        an instruction fetch, one per executed instruction
       L 1ffefff7f8,8      a load, and in the same way S, a store, M, both

   SNAPSHOTS are times at which windows are looked at between samples, in order
   and separated by commas, or "-".

   Each OUT gets these lines; all numbers are decimal:

      t new_insn new_data sizes...    at 0 and multiples of T
      total t insn data dirty         distinct pages of the whole run
      insn page count last            for each code page, in any order
      data page count last            for each data page

   and between them, if ENTRIES is "yes", for each window, which is given by its
   place in the list of TAU:

      enter t window set page insn    since the sample before: INSN, an address,
                                      was the first to access the page
      leave t window set page 0
      hold t window set page insn     at a snapshot: what it has or has got since
                                      the last sample

   where new_* are pages that were referenced for the first time since the line
   before; sizes are those of the working sets insn, data and dirty (data pages
   that were written), for each TAU of a list that is separated by commas; page
   is an address, count says how many lines of the trace touch the page, and
   last is the first multiple of T not before the last of them, or the end.

   This program is the judge of the tool, so it must be easier to believe than
   the tool: it keeps, for every page of a set, the time of its last reference;
   and at each sample it looks at all pages.  No epochs, no running sums. */

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { Insn, Data, Dirty, KINDS };
#define TAUS      16
#define SNAPSHOTS 100

static const char* const kind_name[KINDS] = {"insn", "data", "dirty"};

typedef struct {
   uint64_t page, last, count; /* number, time of the last reference */
   /* The first reference since the sample, and by which instruction. */
   uint64_t first, insn;
   /* By which instruction it has come into each window; 0: it is not there. */
   uint64_t by[TAUS];
} Page;

/* The pages of one kind, in the order of their first use. */
typedef struct {
   Page*     pages;
   size_t    n, room;
   uint32_t* slot; /* hash of room entries: 0 = empty, else index + 1 */
   size_t    hot;  /* index of the latest reference, valid when n > 0 */
   size_t    seen; /* pages that there were at the latest line */
} Set;

typedef struct {
   FILE*    out;
   uint64_t every, next;
   uint64_t tau[TAUS];
   int      ntaus, shift, has_entries;
   uint64_t sample; /* time of the latest one */
   Set      set[KINDS];
} Config;

static void die(const char* what, const char* which)
{
   fprintf(stderr, "ws_count: %s: %s\n", what, which);
   exit(2);
}

static void* grow(void* p, size_t n, size_t size)
{
   p = realloc(p, n * size);
   if (p == NULL)
      die("cannot grow", "out of memory");
   return p;
}

/* Where a page is, or should be. */
static uint32_t* slot_of(const Set* s, uint64_t page)
{
   size_t h = (size_t)((page * UINT64_C(0x9E3779B97F4A7C15)) >> 20);
   while (1) {
      uint32_t* slot = &s->slot[h++ & (s->room - 1)];
      if (*slot == 0 || s->pages[*slot - 1].page == page)
         return slot;
   }
}

static Page* find_page(Set* s, uint64_t page)
{
   if (s->n == 0 || s->pages[s->hot].page != page) {
      uint32_t* slot;
      if (2 * (s->n + 1) > s->room) {
         s->room  = s->room == 0 ? 1024 : 2 * s->room;
         s->pages = grow(s->pages, s->room, sizeof *s->pages);
         s->slot  = grow(s->slot, s->room, sizeof *s->slot);
         memset(s->slot, 0, s->room * sizeof *s->slot);
         for (size_t i = 0; i < s->n; i++)
            *slot_of(s, s->pages[i].page) = (uint32_t)i + 1;
      }
      slot = slot_of(s, page);
      if (*slot == 0) {
         s->pages[s->n] = (Page){.page = page};
         *slot          = (uint32_t)++s->n;
      }
      s->hot = *slot - 1;
   }
   return &s->pages[s->hot];
}

static void reference(Config* c, int kind, uint64_t page, uint64_t t,
                      uint64_t insn)
{
   Page* p = find_page(&c->set[kind], page);
   p->last = t;
   p->count++;
   if (p->first <= c->sample) {
      p->first = t;
      p->insn  = insn;
   }
}

/* How many pages were referenced at times i with t - tau < i <= t. */
static uint64_t window(const Set* s, uint64_t t, uint64_t tau)
{
   uint64_t count = 0;
   for (size_t i = 0; i < s->n; i++)
      count += t - s->pages[i].last < tau;
   return count;
}

static void put(const Config* c, const char* what, uint64_t t, int window,
                int kind, uint64_t page, uint64_t insn)
{
   fprintf(c->out, "%s %" PRIu64 " %d %s %" PRIu64 " %" PRIu64 "\n", what, t,
           window, kind_name[kind], page << c->shift, insn);
}

/* At a sample, what has changed since the one before; else all that there is. */
static void put_entries(Config* c, uint64_t t, int is_sample)
{
   for (int w = 0; w < c->ntaus * c->has_entries; w++)
      for (int kind = 0; kind < KINDS; kind++)
         for (size_t i = 0; i < c->set[kind].n; i++) {
            Page*     p      = &c->set[kind].pages[i];
            uint64_t* by     = &p->by[w];
            int       is_in  = t - p->last < c->tau[w];
            int       is_new = p->first > c->sample;
            if (!is_sample && (*by || is_new))
               put(c, "hold", t, w, kind, p->page, *by ? *by : p->insn);
            else if (is_sample && is_in && !*by)
               put(c, "enter", t, w, kind, p->page, *by = p->insn);
            else if (is_sample && !is_in && *by)
               put(c, "leave", t, w, kind, p->page, *by = 0);
         }
}

static void sample(Config* c, uint64_t t)
{
   Set* set = c->set;
   fprintf(c->out, "%" PRIu64 " %zu %zu", t, set[Insn].n - set[Insn].seen,
           set[Data].n - set[Data].seen);
   for (int i = 0; i < c->ntaus; i++)
      for (int kind = 0; kind < KINDS; kind++)
         fprintf(c->out, " %" PRIu64, window(&set[kind], t, c->tau[i]));
   fprintf(c->out, "\n");
   put_entries(c, t, 1);
   for (int kind = 0; kind < KINDS; kind++)
      set[kind].seen = set[kind].n;
   c->sample = t;
}

static void finish(Config* c, uint64_t t)
{
   const Set* set = c->set;
   if (t == c->next)
      sample(c, t);
   fprintf(c->out, "total %" PRIu64 " %zu %zu %zu\n", t, set[Insn].n,
           set[Data].n, set[Dirty].n);
   for (int kind = Insn; kind <= Data; kind++)
      for (size_t i = 0; i < set[kind].n; i++) {
         const Page* p    = &set[kind].pages[i];
         uint64_t    rest = p->last % c->every;
         uint64_t    last = rest == 0 ? p->last : p->last - rest + c->every;
         fprintf(c->out, "%s %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
                 kind_name[kind], p->page << c->shift, p->count,
                 last > t ? t : last);
      }
   if (fclose(c->out) != 0)
      die("cannot write", "the counts");
}

static int read_times(uint64_t* times, int most, char* list)
{
   int   n = 0;
   char* word;
   for (word = strtok(list, ","); word != NULL; word = strtok(NULL, ",")) {
      if (n == most)
         die("too many times", list);
      times[n++] = strtoull(word, NULL, 10);
   }
   return n;
}

static void read_config(Config* c, char** words)
{
   c->out = fopen(words[0], "w");
   if (c->out == NULL)
      die("cannot write", words[0]);
   c->every = strtoull(words[1], NULL, 10);
   c->ntaus = read_times(c->tau, TAUS, words[2]);
   while (UINT64_C(1) << c->shift < strtoull(words[3], NULL, 10))
      c->shift++;
   c->has_entries = strcmp(words[4], "yes") == 0;
}

static void access_pages(Config* c, int kind, uint64_t addr, uint64_t size,
                         uint64_t t, uint64_t insn)
{
   uint64_t last = (addr + size - 1) >> c->shift;
   for (uint64_t page = addr >> c->shift; page <= last; page++)
      reference(c, kind, page, t, insn);
}

int main(int argc, char** argv)
{
   int      nconfigs = (argc - 2) / 5, nsnapshots = 0, snapshot = 0, i;
   Config*  configs;
   uint64_t t = 0, insn = 0, snapshots[SNAPSHOTS];
   char*    line = NULL;
   size_t   room = 0;
   ssize_t  szB;

   if (strcmp(argv[1], "-") != 0)
      nsnapshots = read_times(snapshots, SNAPSHOTS, argv[1]);
   configs = grow(NULL, (size_t)nconfigs, sizeof *configs);
   memset(configs, 0, (size_t)nconfigs * sizeof *configs);
   for (i = 0; i < nconfigs; i++)
      read_config(&configs[i], argv + 2 + 5 * i);

   while ((szB = getline(&line, &room, stdin)) > 0) {
      int      is_fetch = strncmp(line, "I  ", 3) == 0;
      uint64_t addr, size = 0;
      char*    end;

      if (line[szB - 1] == '\n')
         line[szB - 1] = '\0';
      if (strncmp(line, "==", 2) == 0)
         continue; /* Valgrind itself is speaking */
      if (!is_fetch && (line[0] != ' ' || line[1] == '\0' ||
                        !strchr("LSM", line[1]) || line[2] != ' '))
         die("what is this line?", line);
      addr = strtoull(line + 3, &end, 16);
      if (*end == ',')
         size = strtoull(end + 1, &end, 10);
      if (*end != '\0' || size == 0 || size > 4096 || (!is_fetch && t == 0))
         die("bad line", line);

      if (is_fetch) {
         /* All of time t is known now. */
         for (i = 0; i < nconfigs; i++)
            if (t == configs[i].next) {
               sample(&configs[i], t);
               configs[i].next += configs[i].every;
            }
         for (; snapshot < nsnapshots && snapshots[snapshot] == t; snapshot++)
            for (i = 0; i < nconfigs; i++)
               put_entries(&configs[i], t, 0);
         t++;
         insn = addr;
      }
      for (i = 0; i < nconfigs; i++) {
         access_pages(&configs[i], is_fetch ? Insn : Data, addr, size, t, insn);
         if (!is_fetch && line[1] != 'L')
            access_pages(&configs[i], Dirty, addr, size, t, insn);
      }
   }
   if (ferror(stdin))
      die("cannot read", "the trace");
   if (snapshot < nsnapshots)
      die("no such time", argv[1]);
   for (i = 0; i < nconfigs; i++)
      finish(&configs[i], t);
   return 0;
}
