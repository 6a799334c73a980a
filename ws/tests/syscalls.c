/* System calls and the pages that the kernel touches in each: one phase each
   (WS_MARK).  All phases execute the same instructions, so all but the memory
   of the call is the same in all of them, and in the first, whose call touches
   nothing.

   What a call adds to that is on paper, in its line below and in its label:
   pages touched and pages written, then the same for pages of 64 bytes. */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../ws.h"

#define PAGE 4096
#define MIB  (1 << 20)
#define MAX  80

static char memory[16 * MIB] __attribute__((aligned(PAGE)));

typedef struct {
   long        number;
   long        args[6];
   const char* label;
} __attribute__((aligned(64))) Call;

static Call calls[MAX];
static long results[MAX] __attribute__((aligned(PAGE)));
static int  n_calls;

/* Memory of its own, this far behind the start of a page. */
static void* own(size_t szB, size_t offset)
{
   static size_t used;
   char*         p = memory + used + offset;

   used += (offset + szB + 2 * PAGE) / PAGE * PAGE;
   return p;
}

static void* own_copy(const void* of, size_t szB, size_t offset)
{
   return memcpy(own(szB, offset), of, szB);
}

static void add(const char* label, long number, long a, long b, long c, long d,
                long e, long f)
{
   calls[n_calls++] = (Call){number, {a, b, c, d, e, f}, label};
}

#define ADD6(label, number, a, b, c, d, e, f, ...)                             \
   add(label, SYS_##number, (long)(a), (long)(b), (long)(c), (long)(d),        \
       (long)(e), (long)(f))
#define ADD(label, ...) ADD6(label, __VA_ARGS__, 0, 0, 0, 0, 0, 0)
#ifdef SYS__newselect
#define SYS_real_select SYS__newselect
#else
#define SYS_real_select SYS_select
#endif

static void do_calls(void)
{
   /* A call that fails sets errno: so does each of them. */
   int* (*volatile place_of_errno)(void) = __errno_location;

   for (int i = 0; i < n_calls; i++) {
      const Call* c     = &calls[i];
      *place_of_errno() = 0;
      results[0]        = syscall(c->number, c->args[0], c->args[1], c->args[2],
                                  c->args[3], c->args[4], c->args[5]);
      WS_MARK(c->label);
   }
}

/* A socket from which so many bytes can be received. */
static int socket_with(size_t szB)
{
   int         s[2];
   static char bytes[PAGE];

   if (socketpair(AF_UNIX, SOCK_STREAM, 0, s) ||
       send(s[1], bytes, szB, 0) != (ssize_t)szB)
      perror("socketpair");
   return s[0];
}

static int pipe_end(int end, int flags)
{
   int p[2];

   if (pipe2(p, flags))
      perror("pipe2");
   return p[end];
}

static void messages(void)
{
   struct iovec   v  = {own(MIB, 0), MIB};
   struct msghdr  m  = {.msg_iov = own_copy(&v, sizeof v, 0), .msg_iovlen = 1};
   struct mmsghdr mm = {.msg_hdr = m};
   socklen_t      length   = 100;
   long           second[] = {1, 0};

   ADD("recvfrom: 1 1, 1 1", recvfrom, socket_with(5), own(MIB, 0), MIB, 0);
   ADD("its address: 2 2, 2 2", recvfrom, socket_with(5), own(MIB, 0), MIB, 0,
       own(100, 0), own_copy(&length, 4, 0));
   ADD("more: 2 2, 3 3", recvfrom, socket_with(100), own(MIB, PAGE - 10), MIB);
   ADD("nothing there: 0 0, 0 0", recvfrom, socket_with(0), own(MIB, 0), MIB,
       MSG_DONTWAIT, own(100, 0), own_copy(&length, 4, 0));
   ADD("recvmsg: 3 2, 3 2", recvmsg, socket_with(5), own_copy(&m, sizeof m, 0),
       0);
   ADD("recvmmsg: 4 3, 4 3", recvmmsg, socket_with(5),
       own_copy(&mm, sizeof mm, 0), 1, 0, own_copy(second, sizeof second, 0));
   /* The second message cannot be sent, nor can the second one be received:
      nobody reads the others. */
   struct mmsghdr many[100];
   struct iovec   parts[100];
   size_t         second_block = 64 - sizeof mm % 64;
   int            full[2];
   char*          headers = own(sizeof many, second_block);
   struct iovec*  vectors = own(sizeof parts, 0);

   for (int i = 0; i < 100; i++) {
      parts[i] = (struct iovec){i == 1 ? (char*)8 : own(100, 0), 100};
      many[i]  = (struct mmsghdr){
          .msg_hdr = {.msg_iov = &vectors[i], .msg_iovlen = 1}};
   }
   memcpy(vectors, parts, sizeof parts);
   memcpy(headers, many, sizeof many);
   if (socketpair(AF_UNIX, SOCK_DGRAM, 0, full))
      perror("socketpair");
   ADD("sendmmsg: 3 1, 5 1", sendmmsg, full[0], headers, 100, 0);
   for (int i = 0; i < 100; i++)
      parts[i].iov_base = own(100, 0);
   vectors = own_copy(parts, sizeof parts, 0);
   for (int i = 0; i < 100; i++)
      many[i].msg_hdr.msg_iov = &vectors[i];
   ADD("recvmmsg, one: 3 2, 4 2", recvmmsg, socket_with(5),
       own_copy(many, sizeof many, second_block), 100, MSG_DONTWAIT, 0);
#ifdef SYS_socketcall
   long args[] = {socket_with(5), (long)own(MIB, 0), MIB, 0};
   ADD("recv: 2 1, 2 1", socketcall, 10, own_copy(args, sizeof args, 0));
#endif
}

static void names(void)
{
   struct sockaddr_un un     = {.sun_family = AF_UNIX};
   socklen_t          length = sizeof un, nothing = 0;
   int                server = socket(AF_UNIX, SOCK_STREAM, 0);
   int                type   = socket(AF_UNIX, SOCK_STREAM, 0);
   int                client = socket(AF_UNIX, SOCK_STREAM, 0);

   bind(server, (void*)&un, 2); // an abstract name
   listen(server, 1);
   getsockname(server, (void*)&un, &length);
   if (connect(client, (void*)&un, length))
      perror("connect");
   length = 100;
   ADD("accept4: 2 2, 2 2", accept4, server, own(100, 0),
       own_copy(&length, 4, 0), 0);
   ADD("getsockname: 2 2, 2 2", getsockname, server, own(100, 0),
       own_copy(&length, 4, 0));
   ADD("getsockname, no room: 1 1, 1 1", getsockname, server, own(100, 0),
       own_copy(&nothing, 4, 0));
   ADD("getpeername: 2 2, 2 2", getpeername, client, own(100, 0),
       own_copy(&length, 4, 0));
   ADD("getsockopt: 2 2, 2 2", getsockopt, client, SOL_SOCKET, SO_TYPE,
       own(100, 0), own_copy(&length, 4, 0));
   un = (struct sockaddr_un){.sun_family = AF_UNIX, .sun_path = "no such"};
   ADD("connect: 2 0, 3 0", connect, type, own_copy(&un, sizeof un, PAGE - 20),
       sizeof un);
   memset(un.sun_path, 'x', 100);
   ADD("bind: 1 0, 1 0", bind, type, own_copy(&un, sizeof un, PAGE - 2), 2);
}

static void strings(void)
{
   char name[100]; // of no file

   memset(name, 'x', sizeof name);
   name[99] = 0;
   ADD("faccessat: 2 0, 3 0", faccessat, AT_FDCWD,
       own_copy(name, sizeof name, PAGE - 10), F_OK);
}

/* A pipe takes 64 KiB of what it is offered, and then nothing. */
static void writes(void)
{
   int          one = pipe_end(1, O_NONBLOCK), two = pipe_end(1, O_NONBLOCK);
   char*        part = own(PAGE, 0);
   struct iovec v[]  = {{part, PAGE}, {own(MIB, 0), MIB}, {own(9, 0), 9}};
   /* The kernel ends with the shorter one. */
   struct iovec one_way[] = {{own(65, 0), 65}, {own(100, 28), 100}};
   struct iovec back[]    = {{own(65, 0), 65}, {own(64, 0), 64}};
   int          null      = open("/dev/null", O_WRONLY);
   int          from = memfd_create("from", 0), to = memfd_create("to", 0);
   long long    zero = 0;

   ADD("write: 16 0, 1024 0", write, one, own(MIB, 0), MIB);
   ADD("write to a full pipe: 0 0, 0 0", write, one, own(MIB, 0), MIB);
   ADD("writev: 17 0, 1025 0", writev, two, own_copy(v, sizeof v, 0), 3);
   ADD("writev to a full pipe: 1 0, 1 0", writev, two, own_copy(v, sizeof v, 0),
       3);
   ADD("write to /dev/null: 0 0, 0 0", write, null, own(MIB, 0), MIB);
   ADD("writev to /dev/null: 1 0, 1 0", writev, null, own_copy(v, sizeof v, 0),
       3);
   ADD("process_vm_readv: 4 1, 6 2", process_vm_readv, getpid(),
       own_copy(one_way, sizeof v[0], 0), 1,
       own_copy(one_way + 1, sizeof v[0], 0), 1, 0);
   ADD("process_vm_writev: 4 1, 4 1", process_vm_writev, getpid(),
       own_copy(back, sizeof v[0], 0), 1, own_copy(back + 1, sizeof v[0], 0), 1,
       0);
   ADD("sendto: 1 0, 2 0", sendto, socket_with(0), own(65, 0), 65);
   if (write(from, memory, 100) != 100)
      perror("memfd");
   ADD("splice: 1 1, 1 1", splice, from, own_copy(&zero, 8, 0), pipe_end(1, 0),
       0, 100);
   ADD("copy_file_range: 2 2, 2 2", copy_file_range, from,
       own_copy(&zero, 8, 0), to, own_copy(&zero, 8, 0), 100);
}

static void populated(void)
{
#ifdef SYS_mmap2
#define SYS_real_mmap SYS_mmap2
#else
#define SYS_real_mmap SYS_mmap
#endif
   const int anonymous = MAP_PRIVATE | MAP_ANONYMOUS;

   ADD6("mmap: 0 0, 0 0", real_mmap, 0, 9 * PAGE, PROT_READ, anonymous, -1, 0);
   ADD6("mmap, populate: 9 0, 576 0", real_mmap, 0, 9 * PAGE, PROT_READ,
        anonymous | MAP_POPULATE, -1, 0);
   ADD6("mmap, locked: 2 0, 128 0", real_mmap, 0, PAGE + 1, PROT_READ,
        anonymous | MAP_LOCKED, -1, 0);
#ifdef __i386__
   long args[] = {0, 9 * PAGE, PROT_READ, anonymous | MAP_POPULATE, -1, 0};
   ADD("old mmap: 10 0, 577 0", mmap, own_copy(args, sizeof args, 0));
#endif
   ADD("mlock: 3 0, 192 0", mlock, own(PAGE + 2, PAGE - 1), PAGE + 2);
   ADD("mlock2: 1 0, 64 0", mlock2, own(1, 0), 1, 0);
   ADD("mlock2, on fault: 0 0, 0 0", mlock2, own(1, 0), 1, 1);
   ADD("mlock2, no such flag: 0 0, 0 0", mlock2, own(1, 0), 1, 2);
   ADD("madvise, read: 2 0, 128 0", madvise, own(2 * PAGE, 0), 2 * PAGE, 22);
   ADD("madvise, write: 2 2, 128 128", madvise, own(2 * PAGE, 0), 2 * PAGE, 23);
}

static void waits(void)
{
   int                ready = pipe_end(1, 0), event_fd = epoll_create1(0);
   struct pollfd      fd     = {.fd = ready, .events = POLLOUT};
   struct epoll_event event  = {.events = EPOLLOUT};
   struct timespec    second = {1, 0}, none = {0, 0};
   fd_set             set;

   FD_ZERO(&set);
   FD_SET(ready, &set);
   /* 70 descriptors: two words, or three of 32 bits. */
   ADD("select: 4 4, 7 7", real_select, 70, own(128, 56),
       own_copy(&set, sizeof set, 56), own(128, 56),
       own_copy(&second, sizeof second, 0));
#ifdef __i386__
   long args[] = {70, (long)own(128, 56), (long)own_copy(&set, sizeof set, 56),
                  (long)own(128, 56),
                  (long)own_copy(&second, sizeof second, 0)};
   ADD("old select: 5 4, 8 7", select, own_copy(args, sizeof args, 0));
#endif
   ADD("select at once: 1 0, 1 0", real_select, 0, 0, 0, 0,
       own_copy(&none, sizeof none, 0));
   ADD("pselect6: 4 3, 4 3", pselect6, 1, own(8, 0), own(8, 0), own(8, 0),
       own_copy(&none, sizeof none, 0));
   ADD("ppoll: 2 2, 2 2", ppoll, own_copy(&fd, sizeof fd, 0), 1,
       own_copy(&second, sizeof second, 0));
   ADD("epoll_ctl: 2 0, 2 0", epoll_ctl, event_fd, EPOLL_CTL_ADD, ready,
       own_copy(&event, sizeof event, PAGE - 4));
   ADD("epoll_ctl, delete: 0 0, 0 0", epoll_ctl, event_fd, EPOLL_CTL_DEL, ready,
       own_copy(&event, sizeof event, 0));
}

static pid_t child;

/* Neither is over: nothing is known of the child, nobody waits. */
static void processes(void)
{
   static char lines[80];
   long        n = syscall(SYS_sched_getaffinity, 0, MIB, own(MIB, 0));

   child = fork();
   if (child == 0)
      for (;;)
         pause();
   ADD("wait4: 0 0, 0 0", wait4, -1, own(4, 0), WNOHANG, own(200, 0));
   struct iovec vectors[] = {{own(65, 0), 65}, {own(65, 0), 65}};
   ADD("process_vm_readv, child: 3 1, 4 2", process_vm_readv, child,
       own_copy(vectors, sizeof vectors[0], 0), 1,
       own_copy(vectors + 1, sizeof vectors[0], 0), 1, 0);
   ADD("waitid: 1 1, 1 1", waitid, P_PID, child, own(128, 0), WNOHANG | WEXITED,
       0);
   ADD("waitid, no child: 1 1, 1 1", waitid, P_PID, 1, own(128, 0), WEXITED, 0);
   snprintf(lines, sizeof lines, "sched_getaffinity: 1 1, %ld %ld",
            (n + 63) / 64, (n + 63) / 64);
   ADD(lines, sched_getaffinity, 0, MIB, own(MIB, 0));
   ADD("execve: 2 0, 2 0", execve, own_copy("/none", 6, 0), own(8, 0), 0);
   ADD("futex, wake: 1 0, 1 0", futex, own(4, 0), FUTEX_WAKE, 1);
   ADD("futex, lock: 1 1, 1 1", futex, own(4, 0), FUTEX_TRYLOCK_PI);
}

int main(void)
{
   ADD("start: 0 0, 0 0", getppid);
   ADD("nothing: 0 0, 0 0", getppid);
   messages();
   names();
   strings();
   writes();
   populated();
   waits();
   processes();
   do_calls();
   kill(child, SIGKILL);
   return 0;
}
