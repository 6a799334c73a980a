/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the ws developers */

#include "ws_out.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"
#include "pub_tool_vki.h"
#include "ws_report.h"
#include "ws_text.h"

#define NO_MARK ((Off64T)-1)

/* 32-bit systems limit files to 2 GiB otherwise. */
#if defined(VKI_O_LARGEFILE)
#define OPEN_FLAGS (VKI_O_WRONLY | VKI_O_LARGEFILE)
#else
#define OPEN_FLAGS VKI_O_WRONLY
#endif

/* On every system; Valgrind has no names for them. */
#define RLIMIT_FSIZE_NR 1
#define POLL_OUT        4
#define POLL_ERR        8

/* Enough for the header of a report, command and all. */
#define MAX_HEAD_SZB (256 * 1024)

/* On most systems; another number would be shown as one. */
#define ENAMETOOLONG_NR 36

#define MAX_WAIT_FOR_READER_MS 2000

/* A row is no older than this when it reaches the file, in a program that
   runs. */
#define MAX_AGE_MS 500

/* Many programs make system calls all the time; they need not all write. */
#define MIN_AGE_AT_SYSCALL_MS 20

/* No processor executes these in a tenth of MAX_AGE_MS less one row. */
#define INSTRS_PER_LOOK 50000

WsOut WS_(report_file) = {.noun = "report", .fd = -1, .mark = NO_MARK};
WsOut WS_(log_file)    = {.noun = "page log", .fd = -1, .mark = NO_MARK};

static WsOut* const all[] = {&WS_(report_file), &WS_(log_file)};
#define N_FILES (sizeof all / sizeof *all)

static Bool is_pipe(const HChar* name)
{
   struct vg_stat status;
   return !sr_isError(VG_(stat)(name, &status)) && VKI_S_ISFIFO(status.mode);
}

static const HChar* error_text(const WsOut* o, Int error)
{
   static HChar other[32];

   switch (error) {
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
   case VKI_ENOENT: return "no such directory";
   case VKI_ENOSPC: return "no space left on device";
   case VKI_ENOTDIR: return "not a directory";
   case VKI_ENXIO:
      return is_pipe(o->name) ? "nobody reads it" : "no such device or address";
   case VKI_EPERM: return "operation not permitted";
   case VKI_EPIPE: return "nobody reads it";
   case VKI_EROFS: return "read-only file system";
   case VKI_ETXTBSY: return "the program in it runs";
   default: VG_(snprintf)(other, sizeof other, "error %d", error); return other;
   }
}

const HChar* WS_(out_name)(const WsOut* o)
{
   return WS_(text_line)(o->name);
}

const HChar* WS_(out_error)(const WsOut* o)
{
   return error_text(o, o->error);
}

/* The client must not find its next descriptor number taken.  Valgrind keeps
   the numbers above the client's limit for itself; those at the top are
   free. */
static Int hide_fd(Int fd)
{
   struct vki_rlimit limit;
   struct vg_stat    unused;

   if (VG_(getrlimit)(VKI_RLIMIT_NOFILE, &limit) != 0)
      return fd;
   Int hidden = (Int)limit.rlim_cur - 1;
   while (hidden > fd && VG_(fstat)(hidden, &unused) == 0)
      hidden--;
   if (hidden <= fd || sr_isError(VG_(dup2)(fd, hidden)))
      return fd;
   VG_(close)(fd);
   return hidden;
}

static Bool is_regular_file(Int fd)
{
   struct vg_stat st;
   return VG_(fstat)(fd, &st) == 0 && VKI_S_ISREG(st.mode);
}

/* The PID in the header of the report or log in this file; 0 if it is none. */
static Int pid_of_report(const HChar* name)
{
   SysRes res = VG_(open)(name, VKI_O_RDONLY | VKI_O_NONBLOCK, 0);
   Int    pid = 0;

   if (sr_isError(res))
      return 0;
   Int fd = (Int)sr_Res(res);
   if (is_regular_file(fd)) {
      HChar* head   = VG_(malloc)("ws.out.head", MAX_HEAD_SZB + 1);
      Int    n_read = VG_(read)(fd, head, MAX_HEAD_SZB);
      head[n_read > 0 ? n_read : 0] = 0;
      pid                           = WS_(report_pid)(head);
      VG_(free)(head);
   }
   VG_(close)(fd);
   return pid;
}

static Bool is_running(Int pid)
{
   HChar          path[32];
   struct vg_stat st;

   VG_(snprintf)(path, sizeof path, "/proc/%d", pid);
   return !sr_isError(VG_(stat)(path, &st));
}

/* Where a number goes in a name so that *.ws finds r.1.ws: before the extension
   of the file, or behind all if it has none.  A PID is none. */
static SizeT place_of_number(const HChar* name)
{
   const HChar* slash        = VG_(strrchr)(name, '/');
   const HChar* dot          = VG_(strrchr)(slash ? slash : name, '.');
   Bool         is_extension = False;

   for (const HChar* c = dot; dot && *c; c++)
      is_extension |= *c != '.' && !VG_(isdigit)(*c);
   if (!is_extension || dot == (slash ? slash + 1 : name))
      return VG_(strlen)(name);
   return dot - name;
}

/* The name, or one made from it that is not another process's, or this
   process's from before an execve.  Only the first process of a run may
   overwrite the report of a process that has ended: to others, it is of the
   same run.  Frees what it does not return. */
static HChar* free_name(HChar* name, Bool is_child)
{
   Int me    = VG_(getpid)();
   Int owner = pid_of_report(name);

   if (owner == 0)
      return name;

   SizeT        szB   = VG_(strlen)(name) + 32;
   HChar*       other = VG_(malloc)("ws.out.name", szB);
   UInt         n     = 0;
   HChar*       start = VG_(strdup)("ws.out.name", name);
   const HChar* end   = name + place_of_number(name);
   start[end - name]  = 0;
   // A process that has forked has written a report of its own before it became
   // another program.
   VG_(snprintf)(other, szB, "%s.%d%s", start, me, end);
   if (owner != me && !is_running(owner) && !is_child &&
       pid_of_report(other) != me) {
      VG_(free)(start);
      VG_(free)(other);
      return name;
   }
   do {
      if (owner == me)
         VG_(snprintf)(other, szB, "%s.%u%s", start, ++n, end);
      else if (n++ == 0)
         VG_(snprintf)(other, szB, "%s.%d%s", start, me, end);
      else
         VG_(snprintf)(other, szB, "%s.%d.%u%s", start, me, n, end);
   } while (pid_of_report(other) == me);
   VG_(free)(start);
   VG_(free)(name);
   return other;
}

/* A pipe without a reader would keep us waiting for ever: its reader, which may
   have been started together with us, is given some time. */
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

Bool WS_(out_open)(WsOut* o, HChar* name, Bool is_child)
{
   if (o->name)
      VG_(free)(o->name);

   o->name  = free_name(name, is_child);
   o->fd    = -1;
   o->error = 0;
   o->mark  = NO_MARK;
   o->end = o->furthest = 0;
   o->n_buffered        = 0;
   o->last_write_ms     = VG_(read_millisecond_timer)();

   SysRes res = create(o->name);
   if (sr_isError(res)) {
      o->error = (Int)sr_Err(res);
      return False;
   }
   o->fd         = hide_fd((Int)sr_Res(res));
   o->is_regular = is_regular_file(o->fd);
   return True;
}

static void give_up(WsOut* o, Int error)
{
   o->error = error;
   VG_(umsg)("cannot write to %s: %s\n", WS_(out_name)(o),
             error_text(o, error));
   VG_(umsg)("The %s ends there; the program runs on.\n", o->noun);
}

/* The kernel kills a process that writes more than it may. */
static Bool is_within_limit(const WsOut* o)
{
   struct vki_rlimit limit;

   return !o->is_regular || VG_(getrlimit)(RLIMIT_FSIZE_NR, &limit) != 0 ||
          (ULong)o->end <= (ULong)limit.rlim_cur;
}

/* Waits until a pipe, or whatever it is, can be written.  The kernel would kill
   the process for writing what nobody reads. */
static Bool has_reader(const WsOut* o)
{
   struct vki_pollfd poll = {.fd = o->fd, .events = POLL_OUT};
   SysRes            res;

   if (o->is_regular)
      return True;
   do
      res = VG_(poll)(&poll, 1, -1);
   while (sr_isError(res) && sr_Err(res) == VKI_EINTR);
   return sr_isError(res) || !(poll.revents & POLL_ERR);
}

void WS_(out_flush)(WsOut* o)
{
   SizeT done = 0;

   if (o->fd != -1 && o->error == 0 && !is_within_limit(o))
      give_up(o, VKI_EFBIG);

   while (o->fd != -1 && o->error == 0 && done < o->n_buffered) {
      if (!has_reader(o)) {
         give_up(o, VKI_EPIPE);
         break;
      }
      Int n = VG_(write)(o->fd, o->buffer + done, o->n_buffered - done);
      if (n > 0)
         done += n;
      else if (n != -VKI_EINTR && n != -VKI_EAGAIN)
         give_up(o, n == 0 ? VKI_EIO : -n);
   }
   o->n_buffered    = 0;
   o->last_write_ms = VG_(read_millisecond_timer)();
}

/* Up to the next multiple of the buffer's size in the file: a system that is
   given parts of a page has to make the rest, too (10 % of all time with
   T = 1,000). */
static SizeT bytes_of_page_left(const WsOut* o)
{
   return WS_OUT_BUFFER_SZB - (SizeT)(o->end % WS_OUT_BUFFER_SZB);
}

static void append(WsOut* o, const HChar* text, SizeT n_bytes)
{
   while (n_bytes > 0) {
      SizeT left = bytes_of_page_left(o);
      SizeT n    = n_bytes < left ? n_bytes : left;
      VG_(memcpy)(o->buffer + o->n_buffered, text, n);
      o->n_buffered += n;
      o->end += n;
      text += n;
      n_bytes -= n;
      if (n == left)
         WS_(out_flush)(o);
   }
}

static Bool older_than(const WsOut* o, UInt age_ms)
{
   return VG_(read_millisecond_timer)() - o->last_write_ms >= age_ms;
}

void WS_(out_tick)(WsInstrs now)
{
   static WsInstrs last_look; // at the clock

   if (now - last_look < INSTRS_PER_LOOK)
      return;
   last_look = now;
   for (UInt i = 0; i < N_FILES; i++)
      if (older_than(all[i], MAX_AGE_MS))
         WS_(out_flush)(all[i]);
}

void WS_(out_before_syscall)(void)
{
   for (UInt i = 0; i < N_FILES; i++)
      if (all[i]->n_buffered && older_than(all[i], MIN_AGE_AT_SYSCALL_MS))
         WS_(out_flush)(all[i]);
}

Bool WS_(out_mark)(WsOut* o)
{
   if (o->fd == -1 || !o->is_regular || o->error)
      return False;
   WS_(out_flush)(o);
   o->mark = o->end;
   return True;
}

static void release(WsOut* o)
{
   if (o->mark == NO_MARK)
      return;
   WS_(out_flush)(o);
   VG_(close)(o->fd);
   o->fd = -1;
   if (o->end > o->furthest)
      o->furthest = o->end;
}

/* Blanks out the end that turned out not to be one: if the process is killed
   before it is overwritten, it must not be taken for rows. */
static Bool go_back_to_mark(const WsOut* o)
{
   HChar blanks[256];

   VG_(memset)(blanks, ' ', sizeof blanks);
   if (VG_(lseek)(o->fd, o->mark, VKI_SEEK_SET) != o->mark)
      return False;
   for (Off64T at = o->mark; at < o->furthest;) {
      Off64T left = o->furthest - at;
      Int    n    = left < (Off64T)sizeof blanks ? left : sizeof blanks;
      if (VG_(write)(o->fd, blanks, n) != n)
         return False;
      at += n;
   }
   return VG_(lseek)(o->fd, o->mark, VKI_SEEK_SET) == o->mark;
}

static void reopen(WsOut* o)
{
   if (o->mark == NO_MARK)
      return;
   SysRes res = VG_(open)(o->name, OPEN_FLAGS, 0);
   if (sr_isError(res)) {
      give_up(o, (Int)sr_Err(res));
   } else {
      o->fd = hide_fd((Int)sr_Res(res));
      if (!go_back_to_mark(o))
         give_up(o, VKI_EIO);
   }
   o->end  = o->mark;
   o->mark = NO_MARK;
}

void WS_(out_release)(void)
{
   for (UInt i = 0; i < N_FILES; i++)
      release(all[i]);
}

void WS_(out_reopen)(void)
{
   for (UInt i = 0; i < N_FILES; i++)
      reopen(all[i]);
}

void WS_(out_pad)(WsOut* o, SizeT n_bytes)
{
   while (o->end + (Off64T)n_bytes < o->furthest)
      append(o, "\n", 1);
}

Bool WS_(out_close)(WsOut* o)
{
   WS_(out_flush)(o);
   if (o->fd != -1)
      VG_(close)(o->fd);
   o->fd = -1;
   return o->error == 0;
}

void WS_(out_abandon)(void)
{
   for (UInt i = 0; i < N_FILES; i++) {
      WsOut* o = all[i];
      if (o->fd != -1)
         VG_(close)(o->fd);
      o->fd         = -1;
      o->n_buffered = 0;
   }
}

/* A link to a file, as /dev/stdout may be, has not been made here. */
static Bool is_link(const HChar* name)
{
   HChar target[1];
   return VG_(readlink)(name, target, sizeof target) >= 0;
}

void WS_(out_discard)(void)
{
   for (UInt i = 0; i < N_FILES; i++)
      if (all[i]->fd != -1 && all[i]->is_regular && !is_link(all[i]->name))
         VG_(unlink)(all[i]->name);
   WS_(out_abandon)();
}

void WS_(to_report)(const HChar* text, SizeT n_bytes)
{
   append(&WS_(report_file), text, n_bytes);
}

void WS_(to_log)(const HChar* text, SizeT n_bytes)
{
   append(&WS_(log_file), text, n_bytes);
}
