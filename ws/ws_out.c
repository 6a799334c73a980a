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

#define BUFFER_SZB 4096

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

static struct {
   HChar* name;       // expanded; NULL: never opened
   Int    fd;         // -1: not open
   Int    error;      // errno of the first failure, or 0
   Bool   is_regular; // a file with a position, and of this process alone

   HChar buffer[BUFFER_SZB];
   SizeT n_buffered;

   Off64T end;      // of the file, as if the buffer had been written
   Off64T mark;     // where to go back to, or NO_MARK
   Off64T furthest; // the largest `end` that a return to the mark left behind

   UInt     last_write_ms;
   WsInstrs last_look; // at the clock
} out = {.fd = -1};

static Bool is_pipe(const HChar* name)
{
   struct vg_stat status;
   return !sr_isError(VG_(stat)(name, &status)) && VKI_S_ISFIFO(status.mode);
}

static const HChar* error_text(Int error)
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
      return is_pipe(out.name) ? "nobody reads it"
                               : "no such device or address";
   case VKI_EPERM: return "operation not permitted";
   case VKI_EPIPE: return "nobody reads it";
   case VKI_EROFS: return "read-only file system";
   case VKI_ETXTBSY: return "the program in it runs";
   default: VG_(snprintf)(other, sizeof other, "error %d", error); return other;
   }
}

const HChar* WS_(out_name)(void)
{
   return WS_(text_line)(out.name);
}

const HChar* WS_(out_error)(void)
{
   return error_text(out.error);
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

/* The PID in the header of the report in this file; 0 if it is none. */
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

   SizeT  szB   = VG_(strlen)(name) + 32;
   HChar* other = VG_(malloc)("ws.out.name", szB);
   UInt   n     = 0;
   // A process that has forked has written a report of its own before it became
   // another program.
   VG_(snprintf)(other, szB, "%s.%d", name, me);
   if (owner != me && !is_running(owner) && !is_child &&
       pid_of_report(other) != me) {
      VG_(free)(other);
      return name;
   }
   do {
      if (owner == me)
         VG_(snprintf)(other, szB, "%s.%u", name, ++n);
      else if (n++ == 0)
         VG_(snprintf)(other, szB, "%s.%d", name, me);
      else
         VG_(snprintf)(other, szB, "%s.%d.%u", name, me, n);
   } while (pid_of_report(other) == me);
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

Bool WS_(out_open)(HChar* name, Bool is_child)
{
   if (out.name)
      VG_(free)(out.name);

   out.name  = free_name(name, is_child);
   out.fd    = -1;
   out.error = 0;
   out.mark  = NO_MARK;
   out.end = out.furthest = 0;
   out.n_buffered         = 0;
   out.last_look          = 0;
   out.last_write_ms      = VG_(read_millisecond_timer)();

   SysRes res = create(out.name);
   if (sr_isError(res)) {
      out.error = (Int)sr_Err(res);
      return False;
   }
   out.fd         = hide_fd((Int)sr_Res(res));
   out.is_regular = is_regular_file(out.fd);
   return True;
}

static void give_up(Int error)
{
   out.error = error;
   VG_(umsg)("cannot write to %s: %s\n", WS_(out_name)(), error_text(error));
   VG_(umsg)("The report ends there; the program runs on.\n");
}

/* The kernel kills a process that writes more than it may. */
static Bool is_within_limit(void)
{
   struct vki_rlimit limit;

   return !out.is_regular || VG_(getrlimit)(RLIMIT_FSIZE_NR, &limit) != 0 ||
          (ULong)out.end <= (ULong)limit.rlim_cur;
}

/* Waits until a pipe, or whatever it is, can be written.  The kernel would kill
   the process for writing what nobody reads. */
static Bool has_reader(void)
{
   struct vki_pollfd poll = {.fd = out.fd, .events = POLL_OUT};
   SysRes            res;

   if (out.is_regular)
      return True;
   do
      res = VG_(poll)(&poll, 1, -1);
   while (sr_isError(res) && sr_Err(res) == VKI_EINTR);
   return sr_isError(res) || !(poll.revents & POLL_ERR);
}

void WS_(out_flush)(void)
{
   SizeT done = 0;

   if (out.fd != -1 && out.error == 0 && !is_within_limit())
      give_up(VKI_EFBIG);

   while (out.fd != -1 && out.error == 0 && done < out.n_buffered) {
      if (!has_reader()) {
         give_up(VKI_EPIPE);
         break;
      }
      Int n = VG_(write)(out.fd, out.buffer + done, out.n_buffered - done);
      if (n > 0)
         done += n;
      else if (n != -VKI_EINTR && n != -VKI_EAGAIN)
         give_up(n == 0 ? VKI_EIO : -n);
   }
   out.n_buffered    = 0;
   out.last_write_ms = VG_(read_millisecond_timer)();
}

/* Up to the next multiple of the buffer's size in the file: a system that is
   given parts of a page has to make the rest, too (10 % of all time with
   T = 1,000). */
static SizeT bytes_of_page_left(void)
{
   return BUFFER_SZB - (SizeT)(out.end % BUFFER_SZB);
}

void WS_(out_append)(const HChar* text, SizeT n_bytes)
{
   while (n_bytes > 0) {
      SizeT left = bytes_of_page_left();
      SizeT n    = n_bytes < left ? n_bytes : left;
      VG_(memcpy)(out.buffer + out.n_buffered, text, n);
      out.n_buffered += n;
      out.end += n;
      text += n;
      n_bytes -= n;
      if (n == left)
         WS_(out_flush)();
   }
}

static Bool older_than(UInt age_ms)
{
   return VG_(read_millisecond_timer)() - out.last_write_ms >= age_ms;
}

void WS_(out_tick)(WsInstrs now)
{
   if (now - out.last_look < INSTRS_PER_LOOK)
      return;
   out.last_look = now;
   if (older_than(MAX_AGE_MS))
      WS_(out_flush)();
}

void WS_(out_before_syscall)(void)
{
   if (out.n_buffered && older_than(MIN_AGE_AT_SYSCALL_MS))
      WS_(out_flush)();
}

Bool WS_(out_mark)(void)
{
   if (out.fd == -1 || !out.is_regular || out.error)
      return False;
   WS_(out_flush)();
   out.mark = out.end;
   return True;
}

void WS_(out_release)(void)
{
   if (out.mark == NO_MARK)
      return;
   WS_(out_flush)();
   VG_(close)(out.fd);
   out.fd = -1;
   if (out.end > out.furthest)
      out.furthest = out.end;
}

/* Blanks out the end that turned out not to be one: if the process is killed
   before it is overwritten, it must not be taken for rows. */
static Bool go_back_to_mark(void)
{
   HChar blanks[256];

   VG_(memset)(blanks, ' ', sizeof blanks);
   if (VG_(lseek)(out.fd, out.mark, VKI_SEEK_SET) != out.mark)
      return False;
   for (Off64T at = out.mark; at < out.furthest;) {
      Off64T left = out.furthest - at;
      Int    n    = left < (Off64T)sizeof blanks ? left : sizeof blanks;
      if (VG_(write)(out.fd, blanks, n) != n)
         return False;
      at += n;
   }
   return VG_(lseek)(out.fd, out.mark, VKI_SEEK_SET) == out.mark;
}

void WS_(out_reopen)(void)
{
   if (out.mark == NO_MARK)
      return;
   SysRes res = VG_(open)(out.name, OPEN_FLAGS, 0);
   if (sr_isError(res)) {
      give_up((Int)sr_Err(res));
   } else {
      out.fd = hide_fd((Int)sr_Res(res));
      if (!go_back_to_mark())
         give_up(VKI_EIO);
   }
   out.end  = out.mark;
   out.mark = NO_MARK;
}

void WS_(out_pad)(SizeT n_bytes)
{
   while (out.end + (Off64T)n_bytes < out.furthest)
      WS_(out_append)("\n", 1);
}

Bool WS_(out_close)(void)
{
   WS_(out_flush)();
   if (out.fd != -1)
      VG_(close)(out.fd);
   out.fd = -1;
   return out.error == 0;
}

void WS_(out_abandon)(void)
{
   if (out.fd != -1)
      VG_(close)(out.fd);
   out.fd         = -1;
   out.n_buffered = 0;
}
