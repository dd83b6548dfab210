/* SPDX-License-Identifier: Apache-2.0 */
/* Connections: a socket on the loopback interface, or file descriptors. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/portable.h"
#include "gdb/gdb.h"

enum { LOOK = 100 }; /* milliseconds between checks of *stop */

struct sam_gdb_link {
    int listener; /* -1: none */
    int input, output;
    unsigned port;
    bool owned; /* input and output are one socket, which the link closes */
};

static enum sam_status fail(struct sam_gdb_link *link, unsigned port, struct sam_error *error)
{
    const int reason = errno;
    sam_gdb_hang_up(link);
    if (reason == EADDRINUSE)
        return sam_fail(error, SAM_ERR_IO, "port %u is in use: expected a free one (0 takes any)",
                        port);
    return sam_fail(error, SAM_ERR_IO, "cannot listen on 127.0.0.1:%u: %s", port, strerror(reason));
}

enum sam_status sam_gdb_listen(unsigned port, struct sam_gdb_link **out, struct sam_error *error)
{
    if (SAM_LACKS(error, out))
        return SAM_ERR_USAGE;
    *out = NULL;
    if (port > UINT16_MAX)
        return sam_fail(error, SAM_ERR_USAGE, "port %u: expected 0 to 65535", port);
    struct sam_gdb_link *link = sam_alloc(1, sizeof *link);
    if (!link)
        return sam_fail_memory(error);
    *link = (struct sam_gdb_link){
        .listener = sam_file_socket(), .input = -1, .output = -1, .owned = true};
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr *address = (struct sockaddr *)(void *)&at;
    socklen_t size = sizeof at;
    const int on = 1;
    /* Allow binding to a port in TIME_WAIT. */
    if (link->listener < 0 ||
        setsockopt(link->listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) < 0 ||
        bind(link->listener, address, size) < 0 || listen(link->listener, 1) < 0 ||
        getsockname(link->listener, address, &size) < 0)
        return fail(link, port, error);
    link->port = ntohs(at.sin_port);
    *out = link;
    return SAM_OK;
}

unsigned sam_gdb_port(const struct sam_gdb_link *link)
{
    return link ? link->port : 0;
}

enum sam_status sam_gdb_accept(struct sam_gdb_link *link, const volatile int *stop,
                               struct sam_error *error)
{
    if (SAM_LACKS(error, link))
        return SAM_ERR_USAGE;
    if (link->listener < 0)
        return sam_fail(error, SAM_ERR_USAGE, "the link has a client already");
    while (link->input < 0) {
        struct pollfd ready = {.fd = link->listener, .events = POLLIN};
        if (stop && *stop)
            return sam_fail(error, SAM_ERR_STOPPED, "stopped while waiting for gdb");
        if (poll(&ready, 1, LOOK) > 0)
            link->input = accept(link->listener, NULL, NULL);
        if (link->input < 0 && errno != EINTR && errno != EAGAIN && errno != ECONNABORTED &&
            ready.revents)
            return sam_fail(error, SAM_ERR_IO, "cannot accept gdb on port %u: %s", link->port,
                            strerror(errno));
    }
    /* Small packets, sent after the reply to the one before: no Nagle delay. */
    const int on = 1;
    setsockopt(link->input, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    link->output = link->input;
    close(link->listener);
    link->listener = -1;
    return SAM_OK;
}

enum sam_status sam_gdb_connect(int input, int output, struct sam_gdb_link **out,
                                struct sam_error *error)
{
    if (SAM_LACKS(error, out))
        return SAM_ERR_USAGE;
    *out = NULL;
    if (input < 0 || output < 0)
        return sam_fail(error, SAM_ERR_USAGE, "descriptors %d and %d: expected open ones", input,
                        output);
    struct sam_gdb_link *link = sam_alloc(1, sizeof *link);
    if (!link)
        return sam_fail_memory(error);
    *link = (struct sam_gdb_link){.listener = -1, .input = input, .output = output};
    *out = link;
    return SAM_OK;
}

static long read_link(void *context, void *bytes, size_t size, unsigned wait)
{
    const struct sam_gdb_link *link = context;
    struct pollfd ready = {.fd = link->input, .events = POLLIN};
    const int count = poll(&ready, 1, (int)wait);
    if (count == 0 || (count < 0 && errno == EINTR))
        return 0;
    const ssize_t got = count < 0 ? -1 : read(link->input, bytes, size);
    if (got < 0 && (errno == EINTR || errno == EAGAIN))
        return 0;
    return got > 0 ? got : -1;
}

/* A disconnected client is an error, without SIGPIPE. */
static bool write_link(void *context, const void *bytes, size_t size)
{
    const struct sam_gdb_link *link = context;
    const char *at = bytes;
    while (size) {
        ssize_t done = sam_file_send(link->output, at, size);
        if (done < 0 && errno == ENOTSOCK)
            done = write(link->output, at, size);
        if (done < 0 && errno == EAGAIN) {
            struct pollfd ready = {.fd = link->output, .events = POLLOUT};
            poll(&ready, 1, LOOK);
        } else if (done < 0 && errno != EINTR) {
            return false;
        }
        if (done > 0) {
            at += done;
            size -= (size_t)done;
        }
    }
    return true;
}

struct sam_gdb_transport sam_gdb_transport(struct sam_gdb_link *link)
{
    return (struct sam_gdb_transport){.context = link, .read = read_link, .write = write_link};
}

void sam_gdb_hang_up(struct sam_gdb_link *link)
{
    if (!link)
        return;
    if (link->listener >= 0)
        close(link->listener);
    if (link->owned && link->input >= 0)
        close(link->input);
    free(link);
}
