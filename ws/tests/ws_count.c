/* ws_count: the working set, counted from a trace in the plainest way.

   Usage: ws_count TRACE OUT T TAU PAGESIZE [OUT T TAU PAGESIZE]...

   TRACE is what lackey --trace-mem=yes writes ("-" for standard input):

      I  04014073,3        an instruction fetch, one per executed instruction
       L 1ffefff7f8,8      a load, and in the same way S, a store, M, both

   Each OUT gets these lines; all numbers are decimal:

      t new_insn new_data sizes...    at 0, multiples of T, and the end
      total t insn data dirty         distinct pages of the whole run
      profile set tau sum max entered for each set (insn, data, dirty) and tau =
                                      T, 2T, 4T, ...
      insn page count last            for each code page, in any order
      data page count last            for each data page

   where new_* are pages that were referenced for the first time since the line
   before; sizes are those of the working sets insn, data and dirty (data pages
   that were written), for each TAU of a list that is separated by commas; page
   is an address, count says how many lines of the trace touch the page, and
   last is the time of the last of them.

   A profile has the sum and the maximum of the sizes at the multiples of T, and
   the pages that entered the window: those that were referenced between one
   multiple of T and the next, and not in the window of the first of these.  Its
   last line is of the first tau that is not less than the last multiple of T;
   without a multiple there is none.

   This program is the judge of the tool, so it must be easier to believe than
   the tool: it keeps, for every page, the time of its last reference and of
   the last that wrote, and what these times were at the sample before; and at
   each sample it looks at all pages.  No epochs, no running sums but those over
   the samples. */

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* The pages of one kind (fetches or data) at one page size. */
typedef struct {
   uint64_t* last;    /* dense: time of the last reference */
   uint64_t* written; /* dense: time of the last that wrote, 0: never */
   uint64_t* count;   /* dense: references */
   uint64_t* page;    /* dense: page number */
   size_t    n, room;
   uint32_t* slot; /* hash: 0 = empty, else dense index + 1 */
   size_t    mask;
   uint64_t  hot_page; /* the page of the latest reference ... */
   size_t    hot;      /* ... and its dense index, valid when n > 0 */
} Set;

typedef struct {
   int shift;
   Set set[2]; /* 0: instruction fetches, 1: data */
} Sizes;

/* A line of a profile. */
typedef struct {
   uint64_t sum, max, entered;
} Line;

#define KINDS 3 /* insn, data, dirty */
#define TAUS  16
#define LINES 64

typedef struct {
   FILE*     out;
   uint64_t  every, next;
   uint64_t  tau[TAUS];
   int       ntaus;
   Sizes*    sizes;
   size_t    seen[2]; /* pages that there were at the latest line */
   uint64_t  samples; /* multiples of T up to now */
   Line      profile[KINDS][LINES];
   uint64_t* before[KINDS];  /* the times at the latest of these samples ... */
   size_t    nbefore[KINDS]; /* ... of the pages that there were */
} Config;

static const char* const kind_name[KINDS] = {"insn", "data", "dirty"};

static void* grow(void* p, size_t bytes)
{
   p = realloc(p, bytes);
   if (p == NULL) {
      perror("ws_count");
      exit(2);
   }
   return p;
}

static size_t place(const Set* s, uint64_t page)
{
   size_t h = (size_t)((page * UINT64_C(0x9E3779B97F4A7C15)) >> 20) & s->mask;
   while (s->slot[h] != 0 && s->page[s->slot[h] - 1] != page)
      h = (h + 1) & s->mask;
   return h;
}

/* The dense index of a page, which may be new. */
static size_t index_of(Set* s, uint64_t page)
{
   size_t h;
   if (s->n > 0 && s->hot_page == page)
      return s->hot;
   if (2 * (s->n + 1) > s->room) {
      size_t i;
      s->room    = s->room == 0 ? 1024 : 2 * s->room;
      s->mask    = s->room - 1;
      s->last    = grow(s->last, s->room * sizeof *s->last);
      s->written = grow(s->written, s->room * sizeof *s->written);
      s->count   = grow(s->count, s->room * sizeof *s->count);
      s->page    = grow(s->page, s->room * sizeof *s->page);
      s->slot    = grow(s->slot, s->room * sizeof *s->slot);
      memset(s->slot, 0, s->room * sizeof *s->slot);
      for (i = 0; i < s->n; i++)
         s->slot[place(s, s->page[i])] = (uint32_t)i + 1;
   }
   h = place(s, page);
   if (s->slot[h] == 0) {
      s->page[s->n]    = page;
      s->written[s->n] = 0;
      s->count[s->n]   = 0;
      s->slot[h]       = (uint32_t)++s->n;
   }
   s->hot      = s->slot[h] - 1;
   s->hot_page = page;
   return s->hot;
}

static void reference_page(Set* s, uint64_t page, uint64_t t, int writes)
{
   size_t i   = index_of(s, page);
   s->last[i] = t;
   if (writes)
      s->written[i] = t;
   s->count[i]++;
}

/* How many of n times i satisfy t - tau < i <= t; 0 is none. */
static uint64_t window(const uint64_t* times, size_t n, uint64_t t,
                       uint64_t tau)
{
   uint64_t count = 0;
   size_t   i;
   for (i = 0; i < n; i++)
      count += times[i] != 0 && t - times[i] < tau;
   return count;
}

/* The first of the windows T, 2T, 4T, ... that reaches back to that age. */
static int reach(uint64_t age, uint64_t every)
{
   int j = 0;
   while (age >= every << j)
      j++;
   return j;
}

/* The times of all pages of a kind. */
static const uint64_t* times_of(const Config* c, int kind, size_t* n)
{
   const Set* s = &c->sizes->set[kind == 0 ? 0 : 1];
   *n           = s->n;
   return kind == 2 ? s->written : s->last;
}

/* The profile's part of a sample, at t = k * T.  A window holds the pages that
   it is the first to reach, and what shorter ones hold.  A page that was
   referenced since the sample before, at s, has entered all windows that did
   not reach it then. */
static void add_to_profile(Config* c, uint64_t t)
{
   uint64_t s = t - c->every;
   int      kind, j;
   for (kind = 0; kind < KINDS; kind++) {
      size_t          n, i;
      const uint64_t* times     = times_of(c, kind, &n);
      const uint64_t* before    = c->before[kind];
      uint64_t        in[LINES] = {0};
      uint64_t        size      = 0;
      Line*           line      = c->profile[kind];
      for (i = 0; i < n; i++) {
         if (times[i] == 0)
            continue;
         in[reach(t - times[i], c->every)]++;
         if (times[i] > s) {
            int was = LINES; /* none reached it: there is no time before */
            if (i < c->nbefore[kind] && before[i] != 0)
               was = reach(s - before[i], c->every);
            for (j = 0; j < was; j++)
               line[j].entered++;
         }
      }
      for (j = 0; j < LINES; j++) {
         size += in[j];
         line[j].sum += size;
         line[j].max = size > line[j].max ? size : line[j].max;
      }
      if (n > 0) {
         c->before[kind]  = grow(c->before[kind], n * sizeof *times);
         c->nbefore[kind] = n;
         memcpy(c->before[kind], times, n * sizeof *times);
      }
   }
   c->samples++;
}

static void sample(Config* c, uint64_t t)
{
   const Set* set = c->sizes->set;
   int        i, kind;
   fprintf(c->out, "%llu %llu %llu", (unsigned long long)t,
           (unsigned long long)(set[0].n - c->seen[0]),
           (unsigned long long)(set[1].n - c->seen[1]));
   c->seen[0] = set[0].n;
   c->seen[1] = set[1].n;
   for (i = 0; i < c->ntaus; i++)
      for (kind = 0; kind < KINDS; kind++) {
         size_t          n;
         const uint64_t* times = times_of(c, kind, &n);
         fprintf(c->out, " %llu",
                 (unsigned long long)window(times, n, t, c->tau[i]));
      }
   fprintf(c->out, "\n");
   if (t > 0 && t % c->every == 0)
      add_to_profile(c, t);
}

static void print_profile(const Config* c)
{
   int kind, j;
   for (kind = 0; c->samples > 0 && kind < KINDS; kind++)
      for (j = 0; j < LINES; j++) {
         const Line* line = &c->profile[kind][j];
         uint64_t    tau  = c->every << j;
         fprintf(c->out, "profile %s %llu %llu %llu %llu\n", kind_name[kind],
                 (unsigned long long)tau, (unsigned long long)line->sum,
                 (unsigned long long)line->max,
                 (unsigned long long)line->entered);
         if (tau >= c->samples * c->every)
            break;
      }
}

static void list(FILE* out, const char* kind, const Set* s, int shift)
{
   size_t i;
   for (i = 0; i < s->n; i++)
      fprintf(out, "%s %llu %llu %llu\n", kind,
              (unsigned long long)(s->page[i] << shift),
              (unsigned long long)s->count[i], (unsigned long long)s->last[i]);
}

static void finish(Config* c, uint64_t t)
{
   const Set* insn = &c->sizes->set[0];
   const Set* data = &c->sizes->set[1];
   sample(c, t);
   fprintf(c->out, "total %llu %llu %llu %llu\n", (unsigned long long)t,
           (unsigned long long)insn->n, (unsigned long long)data->n,
           (unsigned long long)window(data->written, data->n, t, UINT64_MAX));
   print_profile(c);
   list(c->out, "insn", insn, c->sizes->shift);
   list(c->out, "data", data, c->sizes->shift);
}

/* The next line of the trace, its newline replaced by a NUL; NULL at the end.
   lackey makes one write per line.  Each that wakes a sleeping reader costs it
   more than the line itself, so on a pipe we let some lines gather first. */
static char* next_line(int fd)
{
   static char   buffer[1 << 18];
   static size_t begin, end;

   for (;;) {
      char*   line    = buffer + begin;
      char*   newline = memchr(line, '\n', end - begin);
      ssize_t got;
      int     waiting;

      if (newline != NULL) {
         *newline = '\0';
         begin    = (size_t)(newline - buffer) + 1;
         return line;
      }
      memmove(buffer, line, end - begin);
      end -= begin;
      begin = 0;
      if (end == sizeof buffer) {
         fprintf(stderr, "ws_count: a line without end\n");
         exit(2);
      }
      if (ioctl(fd, FIONREAD, &waiting) == 0 && waiting < 1 << 17)
         usleep(3000);
      do
         got = read(fd, buffer + end, sizeof buffer - end);
      while (got < 0 && errno == EINTR);
      if (got < 0) {
         perror("ws_count");
         exit(2);
      }
      if (got == 0) {
         if (end > 0) {
            fprintf(stderr, "ws_count: the trace ends within a line\n");
            exit(2);
         }
         return NULL;
      }
      end += (size_t)got;
   }
}

static uint64_t number(const char* text)
{
   char*    end;
   uint64_t v = strtoull(text, &end, 10);
   if (*text == '\0' || *end != '\0') {
      fprintf(stderr, "ws_count: not a number: %s\n", text);
      exit(2);
   }
   return v;
}

/* A list of numbers that are separated by commas; its length. */
static int numbers(char* text, uint64_t* values, int most)
{
   int n;
   for (n = 0; n < most; n++) {
      char* comma = strchr(text, ',');
      if (comma != NULL)
         *comma = '\0';
      values[n] = number(text);
      if (comma == NULL)
         return n + 1;
      text = comma + 1;
   }
   fprintf(stderr, "ws_count: too many numbers\n");
   exit(2);
}

static Sizes* sizes_of(Sizes* all, int* n, uint64_t pagesize)
{
   int shift = 0, i;
   while (shift < 63 && (UINT64_C(1) << shift) != pagesize)
      shift++;
   if (shift == 63) {
      fprintf(stderr, "ws_count: page size is no power of two\n");
      exit(2);
   }
   for (i = 0; i < *n; i++)
      if (all[i].shift == shift)
         return &all[i];
   all[*n].shift = shift;
   return &all[(*n)++];
}

int main(int argc, char** argv)
{
   Sizes*   sizes;
   Config*  configs;
   int      nsizes = 0, nconfigs, i;
   uint64_t t      = 0;
   char*    line;
   int      in;

   if (argc < 6 || (argc - 2) % 4 != 0) {
      fprintf(stderr, "usage: ws_count TRACE OUT T TAU[,TAU]... PAGESIZE...\n");
      return 2;
   }
   in = strcmp(argv[1], "-") == 0 ? 0 : open(argv[1], O_RDONLY);
   if (in < 0) {
      perror(argv[1]);
      return 2;
   }

   nconfigs = (argc - 2) / 4;
   sizes    = calloc((size_t)nconfigs, sizeof *sizes);
   configs  = calloc((size_t)nconfigs, sizeof *configs);
   if (sizes == NULL || configs == NULL) {
      perror("ws_count");
      return 2;
   }
   for (i = 0; i < nconfigs; i++) {
      Config* c = &configs[i];
      c->out    = fopen(argv[2 + 4 * i], "w");
      if (c->out == NULL) {
         perror(argv[2 + 4 * i]);
         return 2;
      }
      c->every = number(argv[3 + 4 * i]);
      c->ntaus = numbers(argv[4 + 4 * i], c->tau, TAUS);
      c->sizes = sizes_of(sizes, &nsizes, number(argv[5 + 4 * i]));
   }

   while ((line = next_line(in)) != NULL) {
      int         data, writes;
      uint64_t    addr = 0, size = 0;
      const char* p;

      if (line[0] == 'I' && line[1] == ' ' && line[2] == ' ')
         data = 0;
      else if (line[0] == ' ' && strchr("LSM", line[1]) && line[2] == ' ')
         data = 1;
      else if (line[0] == '=' && line[1] == '=')
         continue; /* Valgrind itself is speaking */
      else {
         fprintf(stderr, "ws_count: what is this line? %s\n", line);
         return 2;
      }
      writes = data && line[1] != 'L';
      for (p = line + 3; *p != ','; p++) {
         unsigned digit = (unsigned)*p - '0';
         if (digit > 9)
            digit = ((unsigned)*p | 0x20) - 'a' + 10;
         if (digit > 15) {
            fprintf(stderr, "ws_count: bad address: %s\n", line);
            return 2;
         }
         addr = addr << 4 | digit;
      }
      for (p++; *p >= '0' && *p <= '9'; p++)
         size = size * 10 + (unsigned)(*p - '0');
      if (*p != '\0' || size == 0 || size > 4096 || (data && t == 0)) {
         fprintf(stderr, "ws_count: bad line: %s\n", line);
         return 2;
      }

      if (!data) {
         /* All of time t is known now. */
         for (i = 0; i < nconfigs; i++)
            if (t == configs[i].next) {
               sample(&configs[i], t);
               configs[i].next += configs[i].every;
            }
         t++;
      }
      for (i = 0; i < nsizes; i++) {
         uint64_t page = addr >> sizes[i].shift;
         uint64_t end  = (addr + size - 1) >> sizes[i].shift;
         for (; page <= end; page++)
            reference_page(&sizes[i].set[data], page, t, writes);
      }
   }

   for (i = 0; i < nconfigs; i++) {
      Config* c = &configs[i];
      finish(c, t);
      if (fclose(c->out) != 0) {
         perror("ws_count");
         return 2;
      }
   }
   return 0;
}
