/* SPDX-License-Identifier: Apache-2.0 */
#include "base/portable.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

struct timespec sam_file_modified(const struct stat *file)
{
#if defined(__APPLE__)
    return file->st_mtimespec;
#else
    return file->st_mtim;
#endif
}

#if SAM_FILE_LINUX
int sam_file_memory(void)
{
    return memfd_create("samite", MFD_CLOEXEC);
}

int sam_file_pipe(int ends[2])
{
    return pipe2(ends, O_CLOEXEC);
}

int sam_file_socket(void)
{
    return socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

ssize_t sam_file_send(int socket, const void *bytes, size_t size)
{
    return send(socket, bytes, size, MSG_NOSIGNAL);
}

void sam_file_drop_sigpipe(void)
{
    const struct timespec now = {0};
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    while (sigtimedwait(&set, NULL, &now) > 0)
        continue;
}

#else
/* Not inherited by programs started from now on. */
static int kept(int fd)
{
    if (fd >= 0)
        fcntl(fd, F_SETFD, FD_CLOEXEC);
    return fd;
}

int sam_file_memory(void)
{
    const char *folder = getenv("TMPDIR");
    char name[1024];
    const int length = snprintf(name, sizeof name, "%s/samiteXXXXXX", folder ? folder : "/tmp");
    if (length < 0 || (size_t)length >= sizeof name) {
        errno = ENAMETOOLONG;
        return -1;
    }
    const int fd = kept(mkstemp(name));
    if (fd >= 0)
        unlink(name);
    return fd;
}

int sam_file_pipe(int ends[2])
{
    const int code = pipe(ends);
    for (int i = 0; code == 0 && i < 2; i++)
        kept(ends[i]);
    return code;
}

int sam_file_socket(void)
{
    return kept(socket(AF_INET, SOCK_STREAM, 0));
}

void sam_file_drop_sigpipe(void)
{
    sigset_t set, pending;
    int taken;
    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    if (sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE))
        sigwait(&set, &taken);
}

ssize_t sam_file_send(int socket, const void *bytes, size_t size)
{
    sigset_t set, before;
    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &set, &before);
    const ssize_t sent = send(socket, bytes, size, 0);
    const int code = errno;
    if (!sigismember(&before, SIGPIPE))
        sam_file_drop_sigpipe();
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = code;
    return sent;
}
#endif
