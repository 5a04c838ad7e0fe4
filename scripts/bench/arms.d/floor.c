// The floor: what no server goes below. One thread, one level-triggered epoll, for each request one recv
// and one send of fixed bytes, as many as uvicorn sends. It parses nothing: a request ends where what has
// arrived ends in an empty line, which holds for wrk (no bodies, no pipelining) and for nothing else.
//
// usage: floor PORT
#define _GNU_SOURCE  // accept4
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define FDS_MAX 4096      // connections at once; wrk has a few hundred
#define REQUEST_MAX 4096  // bytes; the browser's headers take some 700

static const char kAnswer[] =
    "HTTP/1.1 200 OK\r\ndate: Tue, 01 Dec 2026 00:00:00 GMT\r\nserver: uvicorn\r\n"
    "content-type: text/plain\r\ncontent-length: 13\r\n\r\nHello, world!";
static char bytes[FDS_MAX][REQUEST_MAX];
static size_t filled[FDS_MAX];

static void die(const char* what) {
  perror(what);
  exit(1);
}

static int listen_on(int port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  const int on = 1;
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((unsigned short)port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0) die("socket");
  if (bind(fd, (struct sockaddr*)&address, sizeof address) != 0 || listen(fd, 2048) != 0) die("listen");
  return fd;
}

static void accept_one(int epoll, int listener) {
  const int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (fd < 0) return;
  if (fd >= FDS_MAX) {
    close(fd);
    return;
  }
  const int on = 1;
  if (setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) != 0) die("setsockopt");
  struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
  filled[fd] = 0;
  if (epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) != 0) die("epoll_ctl");
}

static void serve_one(int fd) {
  const ssize_t got = recv(fd, bytes[fd] + filled[fd], REQUEST_MAX - filled[fd], 0);
  if (got < 0 && errno == EAGAIN) return;
  if (got <= 0) {
    close(fd);
    return;
  }
  filled[fd] += (size_t)got;
  if (filled[fd] < 4 || memcmp(bytes[fd] + filled[fd] - 4, "\r\n\r\n", 4) != 0) return;
  filled[fd] = 0;
  // A short write would be a full socket buffer, which 150 bytes with one request in flight cannot fill.
  if (send(fd, kAnswer, sizeof kAnswer - 1, MSG_NOSIGNAL) != (ssize_t)sizeof kAnswer - 1) close(fd);
}

int main(int argc, char** argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: floor PORT\n");
    return 2;
  }
  const int epoll = epoll_create1(EPOLL_CLOEXEC);
  const int listener = listen_on(atoi(argv[1]));
  struct epoll_event event = {.events = EPOLLIN, .data.fd = listener};
  if (epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event) != 0) die("epoll_ctl");
  for (;;) {
    struct epoll_event events[512];
    const int ready = epoll_wait(epoll, events, 512, -1);
    if (ready < 0 && errno != EINTR) die("epoll_wait");
    for (int i = 0; i < ready; ++i) {
      if (events[i].data.fd == listener) {
        accept_one(epoll, listener);
      } else {
        serve_one(events[i].data.fd);
      }
    }
  }
}
