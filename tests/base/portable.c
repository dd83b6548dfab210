/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that differ by system, also as on systems without those of Linux. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "test.h"

#if defined(SAM_POSIX)
#include "../../src/base/portable.c"
#else
#include "base/portable.h"
#endif

static void is_private(int fd)
{
    assert_true(fd >= 0);
    assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
}

TEST(files_in_memory)
{
    char byte = 0;
    const int one = sam_file_memory(), other = sam_file_memory();
    struct stat status;
    is_private(one);
    is_private(other);
    assert_int_equal(write(one, "a", 1), 1);
    assert_int_equal(pread(one, &byte, 1, 0), 1);
    assert_int_equal(byte, 'a');
    assert_int_equal(fstat(other, &status), 0);
    assert_int_equal(status.st_size, 0);
    assert_int_equal(status.st_nlink, 0);
    assert_true(sam_file_modified(&status).tv_sec == status.st_mtime);
    close(one);
    close(other);
}

TEST(pipes)
{
    int ends[2];
    char byte = 0;
    assert_int_equal(sam_file_pipe(ends), 0);
    is_private(ends[0]);
    is_private(ends[1]);
    assert_int_equal(write(ends[1], "b", 1), 1);
    assert_int_equal(read(ends[0], &byte, 1), 1);
    assert_int_equal(byte, 'b');
    close(ends[0]);
    close(ends[1]);
}

/* The signal is blocked, raised, taken, and does not end the program when it is unblocked. */
TEST(broken_pipes)
{
    int ends[2];
    sigset_t set, before;
    assert_int_equal(sam_file_pipe(ends), 0);
    close(ends[0]);
    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &set, &before);
    sam_file_drop_sigpipe(); /* none is pending */
    assert_int_equal(write(ends[1], "c", 1), -1);
    assert_int_equal(errno, EPIPE);
    sam_file_drop_sigpipe();
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    close(ends[1]);
}

TEST(sending_to_nobody)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    char byte = 0;
    const int listener = sam_file_socket(), client = sam_file_socket();
    is_private(listener);
    assert_int_equal(bind(listener, (struct sockaddr *)(void *)&at, size), 0);
    assert_int_equal(listen(listener, 1), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)(void *)&at, &size), 0);
    assert_int_equal(connect(client, (struct sockaddr *)(void *)&at, size), 0);
    const int server = accept(listener, NULL, NULL);
    assert_int_equal(sam_file_send(client, "d", 1), 1);
    assert_int_equal(read(server, &byte, 1), 1);
    assert_int_equal(byte, 'd');
    assert_int_equal(shutdown(client, SHUT_WR), 0);
    assert_int_equal(sam_file_send(client, "e", 1), -1); /* a signal would end the program */
    assert_int_equal(errno, EPIPE);
    close(server);
    close(client);
    close(listener);
}
