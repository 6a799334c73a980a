/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_outfiles.h"

#include "pub_tool_libcfile.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_options.h"
#include "pub_tool_vki.h"
#include "ws_compat.h"
#include "ws_mappings.h"
#include "ws_report.h"

#define NO_MARK ((Off64T)-1)

/* 32-bit systems limit files to 2 GiB otherwise. */
#if defined(VKI_O_LARGEFILE)
#define OPEN_FLAGS (VKI_O_WRONLY | VKI_O_LARGEFILE)
#else
#define OPEN_FLAGS VKI_O_WRONLY
#endif

/* On every system; Valgrind has no name for it. */
#define POLL_OUT 4

/* Enough for the header of a report, command and all. */
#define MAX_HEAD_SZB (256 * 1024)

/* Valgrind has no name for it. Where the number differs, users see the
   number. */
#define ENAMETOOLONG_NR 36

#define MAX_WAIT_FOR_READER_MS 2000

/* A row is no older than this when it reaches the file, in a program that
   runs. */
#define MAX_AGE_MS 500

/* Many programs make system calls all the time; they need not all write. */
#define MIN_AGE_AT_SYSCALL_MS 20

/* Takes less than a tenth of MAX_AGE_MS, on any processor. */
#define INSTRS_PER_LOOK 50000

WsFile WS_(report_file) = {.noun = "report", .fd = -1, .mark = NO_MARK};
WsFile WS_(log_file)    = {.noun = "page log", .fd = -1, .mark = NO_MARK};

static WsFile* const all[] = {&WS_(report_file), &WS_(log_file)};
#define N_FILES (sizeof all / sizeof *all)

/* --- Names and errors ----------------------------------------------------- */

/* Valgrind's core has no strerror, so the errors that open and write may have
   are spelled out here. */

/* Gives the mode of the file with this name; 0: there is none. */
static UInt mode_of(const HChar* name)
{
   struct vg_stat status;
   return sr_isError(VG_(stat)(name, &status)) ? 0 : status.mode;
}

/* Tells whether the file's directory exists. No file can be made in some that
   do, as /proc. */
static Bool has_directory(const HChar* name)
{
   HChar* directory = VG_(strdup)("ws.files.directory", name);
   HChar* slash     = VG_(strrchr)(directory, '/');

   if (slash)
      slash[slash == directory] = 0;
   Bool has = !slash || mode_of(directory) != 0;
   VG_(free)(directory);
   return has;
}

const HChar* WS_(file_error)(const WsFile* f)
{
   static HChar other[32];

   switch (f->error) {
   case VKI_EACCES: return "permission denied";
   case VKI_EBUSY: return "device or resource busy";
   case VKI_EFBIG: return "file too large";
   case VKI_EINVAL: return "invalid argument";
   case VKI_EIO: return "input/output error";
   case VKI_EISDIR: return "is a directory";
   case VKI_ELOOP: return "too many symbolic links";
   case VKI_EMFILE: return "too many open files";
   case ENAMETOOLONG_NR: return "file name too long";
   case VKI_ENFILE: return "too many open files in system";
   case VKI_ENODEV: return "no such device";
   case VKI_ENOENT:
      return has_directory(f->name) ? "no file can be made there"
                                    : "no such directory";
   case VKI_ENOSPC: return "no space left on device";
   case VKI_ENOTDIR: return "not a directory";
   case VKI_ENXIO:
      return VKI_S_ISFIFO(mode_of(f->name)) ? "nobody reads it"
                                            : "no such device or address";
   case VKI_EPERM: return "operation not permitted";
   case VKI_EPIPE: return "nobody reads it";
   case VKI_EROFS: return "read-only file system";
   case VKI_ETXTBSY: return "the program in it runs";
   default:
      VG_(snprintf)(other, sizeof other, "error %d", f->error);
      return other;
   }
}

const HChar* WS_(file_name)(const WsFile* f)
{
   return WS_(text_line)(f->name);
}

/* Reads the beginning of a regular file as a text, which is empty if it can't
   be read. */
static void read_head(const HChar* name, /*OUT*/ HChar* text, Int szB)
{
   Int fd = VG_(fd_open)(name, VKI_O_RDONLY | VKI_O_NONBLOCK, 0);
   Int n  = fd != -1 && WS_(is_regular_file)(fd) ? VG_(read)(fd, text, szB - 1)
                                                 : 0;

   if (fd != -1)
      VG_(close)(fd);
   text[VG_MAX(n, 0)] = 0;
}

/* --- Signals -------------------------------------------------------------- */

/* A write that fails may raise a signal (nobody reads the pipe; the file would
   be larger than its limit). It would be delivered to the program as soon as
   the program goes on: Valgrind blocks it until then. */

#define BIT_OF(signal) (1UL << ((signal)-1))

/* Finds which signals are pending, for the thread or for the process. */
static ULong pending_signals(void)
{
   HChar path[48], status[4096];
   ULong signals = 0;

   VG_(sprintf)(path, "/proc/self/task/%d/status", VG_(gettid)());
   read_head(path, status, sizeof status);
   for (const HChar* line = status; (line = VG_(strstr)(line, "Pnd:\t"));)
      signals |= VG_(strtoull16)(line += 5, NULL);
   return signals;
}

/* Takes signals that writing has raised. All are in the first word. */
static void take_signals(UWord signals)
{
   const vki_sigset_t set = {{signals}};

   while (VG_(sigtimedwait_zero)(&set, NULL) > 0)
      ;
}

/* What was pending before is the program's: it may have blocked the signal, and
   will ask for it. */
UInt WS_(say)(const HChar* format, ...)
{
   ULong   before = pending_signals();
   va_list args;

   va_start(args, format);
   UInt n_chars = VG_(vmessage)(Vg_UserMsg, format, args);
   va_end(args);
   take_signals((BIT_OF(VKI_SIGPIPE) | BIT_OF(VKI_SIGXFSZ)) & ~before);
   return n_chars;
}

/* --- Opening -------------------------------------------------------------- */

ULong WS_(process_start)(Int pid)
{
   HChar path[32], text[1024];

   VG_(sprintf)(path, "/proc/%d/stat", pid);
   read_head(path, text, sizeof text);
   const HChar* field = VG_(strrchr)(text, ')');
   for (UInt n = 2; field && n < 22; n++)
      field = VG_(strchr)(field + 1, ' ');
   return field ? VG_(strtoull10)(field + 1, NULL) : ~0ULL;
}

/* The start time of the run's first process; forked children keep it. */
static ULong run_start;

/* Finds the PID of the process that wrote the report or log in this file, and
   whether it still runs, and may go on writing. 0: the file is neither, or a
   process of an earlier run wrote it, which had our PID. */
static Int owner_of(const HChar* name, /*OUT*/ Bool* runs)
{
   HChar* head  = VG_(malloc)("ws.files.head", MAX_HEAD_SZB);
   ULong  since = 0;

   read_head(name, head, MAX_HEAD_SZB);
   Int   pid   = WS_(report_pid)(head, &since);
   ULong start = WS_(process_start)(pid);
   VG_(free)(head);
   *runs = since == start;
   return pid == VG_(getpid)() && (since < run_start || since > start) ? 0
                                                                       : pid;
}

/* Finds where a number goes in a name: before the extension, so that *.ws finds
   r.1.ws, or else at the end. A PID is no extension. */
static SizeT place_of_number(const HChar* name)
{
   const HChar* slash = VG_(strrchr)(name, '/');
   const HChar* dot   = VG_(strrchr)(slash ? slash : name, '.');

   if (!dot || dot == (slash ? slash + 1 : name) ||
       !dot[VG_(strspn)(dot, ".0123456789")])
      return VG_(strlen)(name);
   return dot - name;
}

/* Gives the name, or one made from it that is not another process's, or this
   process's from before an execve. Only the first process of a run may
   overwrite the report of a process that has ended: to others, it is of the
   same run. Frees what it does not return. */
static HChar* free_name(HChar* name, Bool is_child)
{
   Bool runs, unused;
   Int  me    = VG_(getpid)();
   Int  owner = owner_of(name, &runs);

   if (owner == 0)
      return name;

   SizeT  start_szB = place_of_number(name);
   HChar* end       = name + start_szB;
   HChar* other     = VG_(malloc)("ws.files.name", VG_(strlen)(name) + 32);
   HChar* at        = other + start_szB;
   UInt   n         = 0;

   VG_(memcpy)(other, name, start_szB);
   VG_(sprintf)(at, ".%d%s", me, end);
   // A process that has forked has written a report of its own before it became
   // another program.
   if (owner != me && !runs && !is_child && owner_of(other, &unused) != me) {
      VG_(free)(other);
      return name;
   }
   do {
      if (owner == me)
         VG_(sprintf)(at, ".%u%s", ++n, end);
      else if (n++ > 0)
         VG_(sprintf)(at, ".%d.%u%s", me, n, end);
   } while (owner_of(other, &unused) == me);
   VG_(free)(name);
   return other;
}

/* Creates the file. A pipe without a reader would keep us waiting for ever: its
   reader, which may have been started together with us, is given some time. */
static SysRes create(const HChar* name)
{
   SysRes res;

   for (UInt waited_ms = 0;; waited_ms += 50) {
      res = VG_(open)(name,
                      OPEN_FLAGS | VKI_O_CREAT | VKI_O_TRUNC | VKI_O_NONBLOCK,
                      VKI_S_IRUSR | VKI_S_IWUSR | VKI_S_IRGRP | VKI_S_IROTH);
      if (!sr_isError(res) || sr_Err(res) != VKI_ENXIO ||
          waited_ms >= MAX_WAIT_FOR_READER_MS)
         return res;
      VG_(poll)(NULL, 0, 50);
   }
}

Bool WS_(file_open)(WsFile* f, const WsFileOption* o, Bool is_child)
{
   if (!is_child)
      run_start = WS_(process_start)(VG_(getpid)());
   HChar* name = is_child ? VG_(expand_file_name)(o->option, o->pattern)
                          : o->name;

   VG_(free)(f->name);
   *f         = (WsFile){.noun          = f->noun,
                         .name          = free_name(name, is_child),
                         .fd            = -1,
                         .last_write_ms = VG_(read_millisecond_timer)(),
                         .mark          = NO_MARK};
   SysRes res = create(f->name);
   if (sr_isError(res)) {
      f->error = (Int)sr_Err(res);
      return False;
   }
   f->fd         = VG_(safe_fd)((Int)sr_Res(res));
   f->is_regular = WS_(is_regular_file)(f->fd);
   return True;
}

/* --- Writing -------------------------------------------------------------- */

/* The file has its bytes up to `end - n_buffered`; the buffer has the rest.
   After the first error nothing is written any more, but what is appended is
   still counted: the tool runs on as if it wrote. */

/* Tells the user at once: the rest of the file will be missing. */
static void give_up(WsFile* f, Int error)
{
   f->error = error;
   WS_(say)("cannot write to %s: %s\n", WS_(file_name)(f), WS_(file_error)(f));
   WS_(say)("The %s ends there; the program runs on.\n", f->noun);
}

/* Gives the signal that a write may raise; a pending one is the program's. */
static UWord raised_by_write(const WsFile* f)
{
   return f->is_regular ? BIT_OF(VKI_SIGXFSZ)
                        : BIT_OF(VKI_SIGPIPE) & ~pending_signals();
}

/* Waits where a pipe is full. */
void WS_(file_flush)(WsFile* f)
{
   struct vki_pollfd poll = {.fd = f->fd, .events = POLL_OUT};
   SizeT             done = 0;

   while (f->fd != -1 && f->error == 0 && done < f->n_buffered) {
      UWord raised = raised_by_write(f);
      Int   n      = VG_(write)(f->fd, f->buffer + done, f->n_buffered - done);
      if (n > 0) {
         done += n;
      } else if (n == -VKI_EAGAIN) {
         VG_(poll)(&poll, 1, -1);
      } else if (n != -VKI_EINTR) {
         take_signals(raised);
         give_up(f, n == 0 ? VKI_EIO : -n);
      }
   }
   f->n_buffered    = 0;
   f->last_write_ms = VG_(read_millisecond_timer)();
}

/* Writes up to each multiple of the buffer's size in the file: a system that is
   given parts of a page has to make the rest, too (10 % of all time with
   T = 1,000). */
static void append(WsFile* f, const HChar* text, SizeT n_bytes)
{
   while (n_bytes > 0) {
      SizeT left = WS_FILE_BUFFER_SZB - (SizeT)(f->end % WS_FILE_BUFFER_SZB);
      SizeT n    = n_bytes < left ? n_bytes : left;
      VG_(memcpy)(f->buffer + f->n_buffered, text, n);
      f->n_buffered += n;
      f->end += n;
      text += n;
      n_bytes -= n;
      if (n == left)
         WS_(file_flush)(f);
   }
}

/* --- When to write -------------------------------------------------------- */

/* Rows are written when they are MAX_AGE_MS old, if the program runs, and
   before a system call, in which it may wait for ever. */

static Bool older_than(const WsFile* f, UInt age_ms)
{
   return VG_(read_millisecond_timer)() - f->last_write_ms >= age_ms;
}

void WS_(files_tick)(WsInstrs now)
{
   static WsInstrs last_look; // at the clock

   if (now - last_look < INSTRS_PER_LOOK)
      return;
   last_look = now;
   for (UInt i = 0; i < N_FILES; i++)
      if (older_than(all[i], MAX_AGE_MS))
         WS_(file_flush)(all[i]);
}

void WS_(files_before_syscall)(void)
{
   for (UInt i = 0; i < N_FILES; i++)
      if (all[i]->n_buffered && older_than(all[i], MIN_AGE_AT_SYSCALL_MS))
         WS_(file_flush)(all[i]);
}

/* --- Around execve -------------------------------------------------------- */

/* The report must be complete before execve, for after it there is no ws that
   could write; but execve may fail.  So the place where the end begins is
   marked, and the run that goes on writes over the end.  `furthest` says up to
   where there may be something to write over. */

Bool WS_(file_mark)(WsFile* f)
{
   if (f->fd == -1 || !f->is_regular || f->error)
      return False;
   WS_(file_flush)(f);
   f->mark = f->end;
   return True;
}

/* Writes the character up to a place in the file. */
static void fill(WsFile* f, HChar c, Off64T to)
{
   HChar text[256];

   VG_(memset)(text, c, sizeof text);
   while (f->end < to) {
      Off64T left = to - f->end;
      append(f, text, VG_MIN(left, (Off64T)sizeof text));
   }
}

/* Blanks out what was written as the end: if the process is killed before it is
   overwritten, it must not be taken for rows. */
static void go_back_to_mark(WsFile* f)
{
   Bool is_there = VG_(lseek)(f->fd, f->mark, VKI_SEEK_SET) == f->mark;

   f->furthest = VG_MAX(f->furthest, f->end);
   f->end      = f->mark;
   if (is_there) {
      fill(f, ' ', f->furthest);
      WS_(file_flush)(f);
      is_there = VG_(lseek)(f->fd, f->mark, VKI_SEEK_SET) == f->mark;
   }
   if (!is_there)
      give_up(f, VKI_EIO);
   f->end  = f->mark;
   f->mark = NO_MARK;
}

void WS_(files_go_back)(void)
{
   for (UInt i = 0; i < N_FILES; i++)
      if (all[i]->mark != NO_MARK)
         go_back_to_mark(all[i]);
}

void WS_(file_pad)(WsFile* f, SizeT n_bytes)
{
   fill(f, '\n', f->furthest - n_bytes);
}

/* Closes the file, and drops what has not been written. */
static void close_file(WsFile* f)
{
   if (f->fd != -1)
      VG_(close)(f->fd);
   f->fd         = -1;
   f->n_buffered = 0;
}

const HChar* WS_(file_close)(WsFile* f)
{
   if (!f->name)
      return NULL;
   WS_(file_flush)(f);
   close_file(f);
   if (f->error == 0)
      return WS_(file_name)(f);
   VG_(umsg)("The %s is not complete: %s: %s\n", f->noun, WS_(file_name)(f),
             WS_(file_error)(f));
   return NULL;
}

/* --- Forgetting ----------------------------------------------------------- */

void WS_(files_abandon)(void)
{
   for (UInt i = 0; i < N_FILES; i++)
      close_file(all[i]);
}

void WS_(files_discard)(void)
{
   HChar target[1];

   // A link to a file, as /dev/stdout may be, has not been made here.
   for (UInt i = 0; i < N_FILES; i++)
      if (all[i]->fd != -1 && all[i]->is_regular &&
          VG_(readlink)(all[i]->name, target, sizeof target) < 0)
         VG_(unlink)(all[i]->name);
   WS_(files_abandon)();
}

void WS_(to_report)(const HChar* text, SizeT n_bytes)
{
   append(&WS_(report_file), text, n_bytes);
}

void WS_(to_log)(const HChar* text, SizeT n_bytes)
{
   append(&WS_(log_file), text, n_bytes);
}
