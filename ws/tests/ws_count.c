/* ws_count: the working set, counted from a trace in the plainest way.

   Usage: ws_count TRACE SNAPSHOTS {OUT T TAU PAGESIZE ENTRIES}...

   TRACE is what lackey --trace-mem=yes writes ("-" for standard input):

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
} Page;

/* The pages of one kind at one page size, in the order of their first use. */
typedef struct {
   Page*     pages;
   size_t    n, room;
   uint32_t* slot; /* hash of room entries: 0 = empty, else index + 1 */
   size_t    hot;  /* index of the latest reference, valid when n > 0 */
} Set;

typedef struct {
   int shift, entries; /* whether any configuration wants these */
   Set set[KINDS];
} Sizes;

/* What is known of a page, for one T: its first reference since the sample. */
typedef struct {
   uint64_t t, insn;
} First;

/* Of the pages of a set, in their order.  `by` has an element for each window:
   by which instruction the page has come into it; 0: it is not there. */
typedef struct {
   size_t    room;
   First*    first;
   uint64_t* by;
} Entries;

typedef struct {
   FILE*    out;
   uint64_t every, next;
   uint64_t tau[TAUS];
   int      ntaus;
   Sizes*   sizes;
   size_t   seen[KINDS]; /* pages that there were at the latest line */
   uint64_t samples;     /* multiples of T up to now */
   int      has_entries;
   Entries  entries[KINDS];
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

/* Gives the page's place. */
static size_t reference(Set* s, uint64_t page, uint64_t t)
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
   s->pages[s->hot].last = t;
   s->pages[s->hot].count++;
   return s->hot;
}

static void note_first(Config* c, int kind, size_t i, uint64_t t, uint64_t insn)
{
   Entries* e = &c->entries[kind];
   if (i >= e->room) {
      size_t n = 2 * i + 1024, ntaus = (size_t)c->ntaus;
      e->first = grow(e->first, n, sizeof *e->first);
      e->by    = grow(e->by, n * ntaus, sizeof *e->by);
      memset(e->first + e->room, 0, (n - e->room) * sizeof *e->first);
      memset(e->by + e->room * ntaus, 0, (n - e->room) * ntaus * sizeof *e->by);
      e->room = n;
   }
   if (e->first[i].t <= c->samples * c->every)
      e->first[i] = (First){t, insn};
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
                int kind, size_t i, uint64_t insn)
{
   fprintf(c->out, "%s %" PRIu64 " %d %s %" PRIu64 " %" PRIu64 "\n", what, t,
           window, kind_name[kind],
           c->sizes->set[kind].pages[i].page << c->sizes->shift, insn);
}

/* At a sample, what has changed since the one before; else all that there is. */
static void put_entries(Config* c, uint64_t t, int is_sample)
{
   for (int w = 0; w < c->ntaus * c->has_entries; w++)
      for (int kind = 0; kind < KINDS; kind++) {
         const Set*     s = &c->sizes->set[kind];
         const Entries* e = &c->entries[kind];
         for (size_t i = 0; i < s->n; i++) {
            uint64_t* by     = &e->by[i * (size_t)c->ntaus + (size_t)w];
            int       is_in  = t - s->pages[i].last < c->tau[w];
            int       is_new = e->first[i].t > c->samples * c->every;
            if (!is_sample && (*by || is_new))
               put(c, "hold", t, w, kind, i, *by ? *by : e->first[i].insn);
            else if (is_sample && is_in && !*by)
               put(c, "enter", t, w, kind, i, *by = e->first[i].insn);
            else if (is_sample && !is_in && *by)
               put(c, "leave", t, w, kind, i, *by = 0);
         }
      }
}

static void sample(Config* c, uint64_t t)
{
   const Set* set = c->sizes->set;
   fprintf(c->out, "%" PRIu64 " %zu %zu", t, set[Insn].n - c->seen[Insn],
           set[Data].n - c->seen[Data]);
   for (int i = 0; i < c->ntaus; i++)
      for (int kind = 0; kind < KINDS; kind++)
         fprintf(c->out, " %" PRIu64, window(&set[kind], t, c->tau[i]));
   fprintf(c->out, "\n");
   put_entries(c, t, 1);
   for (int kind = 0; kind < KINDS; kind++)
      c->seen[kind] = set[kind].n;
   c->samples = t / c->every;
}

static void finish(Config* c, uint64_t t)
{
   const Set* set = c->sizes->set;
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
                 kind_name[kind], p->page << c->sizes->shift, p->count,
                 last > t ? t : last);
      }
   if (fclose(c->out) != 0)
      die("cannot write", "the counts");
}

static uint64_t number(const char* text)
{
   char*    end;
   uint64_t v = strtoull(text, &end, 10);
   if (*text == '\0' || *end != '\0')
      die("not a number", text);
   return v;
}

static Sizes* sizes_of(Sizes* all, int* n, uint64_t pagesize)
{
   int shift = 0, i;
   while (shift < 62 && (UINT64_C(1) << shift) != pagesize)
      shift++;
   for (i = 0; i < *n && all[i].shift != shift; i++)
      ;
   all[i].shift = shift;
   *n += i == *n;
   return &all[i];
}

static int read_times(uint64_t* times, int most, char* list)
{
   int   n = 0;
   char* word;
   for (word = strtok(list, ","); word != NULL; word = strtok(NULL, ",")) {
      if (n == most)
         die("too many times", list);
      times[n++] = number(word);
   }
   return n;
}

static void read_config(Config* c, char** words, Sizes* all, int* nsizes)
{
   c->out = fopen(words[0], "w");
   if (c->out == NULL)
      die("cannot write", words[0]);
   c->every       = number(words[1]);
   c->sizes       = sizes_of(all, nsizes, number(words[3]));
   c->ntaus       = read_times(c->tau, TAUS, words[2]);
   c->has_entries = strcmp(words[4], "yes") == 0;
   c->sizes->entries |= c->has_entries;
}

static void access_page(Sizes* z, Config* configs, int nconfigs, int kind,
                        uint64_t page, uint64_t t, uint64_t insn)
{
   size_t at = reference(&z->set[kind], page, t);
   for (int i = 0; i < nconfigs * z->entries; i++)
      if (configs[i].sizes == z && configs[i].has_entries)
         note_first(&configs[i], kind, at, t, insn);
}

int main(int argc, char** argv)
{
   int      nconfigs = (argc - 3) / 5, nsizes = 0, i;
   int      nsnapshots = 0, snapshot = 0;
   Sizes*   sizes;
   Config*  configs;
   uint64_t t = 0, insn = 0, snapshots[SNAPSHOTS];
   char*    line = NULL;
   size_t   room = 0;
   ssize_t  szB;
   FILE*    in;

   if (argc < 8 || (argc - 3) % 5 != 0)
      die("usage", "ws_count TRACE SNAPSHOTS "
                   "{OUT T TAU[,TAU]... PAGESIZE ENTRIES}...");
   if (strcmp(argv[2], "-") != 0)
      nsnapshots = read_times(snapshots, SNAPSHOTS, argv[2]);
   in = strcmp(argv[1], "-") == 0 ? stdin : fopen(argv[1], "r");
   if (in == NULL)
      die("cannot open", argv[1]);
   sizes   = calloc((size_t)nconfigs + 1, sizeof *sizes);
   configs = calloc((size_t)nconfigs, sizeof *configs);
   if (sizes == NULL || configs == NULL)
      die("cannot begin", "out of memory");
   for (i = 0; i < nconfigs; i++)
      read_config(&configs[i], argv + 3 + 5 * i, sizes, &nsizes);

   while ((szB = getline(&line, &room, in)) > 0) {
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
      for (i = 0; i < nsizes; i++) {
         uint64_t page = addr >> sizes[i].shift;
         for (; page <= (addr + size - 1) >> sizes[i].shift; page++) {
            access_page(&sizes[i], configs, nconfigs, is_fetch ? Insn : Data,
                        page, t, insn);
            if (!is_fetch && line[1] != 'L')
               access_page(&sizes[i], configs, nconfigs, Dirty, page, t, insn);
         }
      }
   }
   if (ferror(in))
      die("cannot read", "the trace");
   if (snapshot < nsnapshots)
      die("no such time", argv[2]);
   for (i = 0; i < nconfigs; i++)
      finish(&configs[i], t);
   return 0;
}
