/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of Linux that other POSIX systems lack, and their equivalents there. SAM_POSIX, defined for
 * the compiler, selects these on Linux too. */
#ifndef SAM_PORTABLE_H
#define SAM_PORTABLE_H

#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

#if defined(__linux__) && !defined(SAM_POSIX)
#define SAM_FILE_LINUX 1
#else
#define SAM_FILE_LINUX 0
#endif

#if defined(__APPLE__)
extern char **environ;
#endif

/* Each returns -1 with errno on failure; programs that are started do not inherit descriptors. */
int sam_file_memory(void); /* a file without a name */
int sam_file_pipe(int ends[2]);
int sam_file_socket(void);                                         /* of TCP */
ssize_t sam_file_send(int socket, const void *bytes, size_t size); /* without SIGPIPE */
/* Take a pending SIGPIPE of this thread, which blocks the signal. */
void sam_file_drop_sigpipe(void);
struct timespec sam_file_modified(const struct stat *file);

/* Grow memory of sam_pages_new, or NULL, from `size` bytes to `grown`. Returns its address, which
 * may change, or NULL on out-of-memory, which leaves it unchanged. */
void *sam_pages_grow(void *pages, size_t size, size_t grown);

#endif
