/* SPDX-License-Identifier: Apache-2.0 */
#include "base/base.h"
#include "base/portable.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_std(const char *path)
{
    return strcmp(path, "-") == 0;
}

enum sam_status sam_file_read_seen(const char *path, uint64_t limit, sam_file_look *look,
                                   void *context, struct sam_buffer *out, struct sam_error *error)
{
    FILE *file = is_std(path) ? stdin : fopen(path, "rb");
    if (!file)
        return sam_fail(error, SAM_ERR_IO, "%s: cannot open: %s", path, strerror(errno));
    enum sam_status status = SAM_OK;
    uint8_t block[65536];
    uint64_t enough = 0; /* 0: unknown */
    size_t got;
    while (status == SAM_OK && (!enough || out->size < enough)) {
        uint64_t rest = enough ? enough - out->size : sizeof block;
        got = fread(block, 1, rest < sizeof block ? (size_t)rest : sizeof block, file);
        if (got == 0)
            break;
        if (out->size + got > limit)
            status = sam_fail(error, SAM_ERR_INPUT, "%s: larger than the limit of %llu bytes", path,
                              (unsigned long long)limit);
        else if (!sam_buffer_append(out, block, got))
            status = sam_fail_memory(error);
        else if (look && !enough)
            status = look(context, out, &enough, error);
    }
    if (status == SAM_OK && ferror(file))
        status = sam_fail(error, SAM_ERR_IO, "%s: cannot read: %s", path, strerror(errno));
    if (file != stdin)
        fclose(file);
    return status;
}

enum sam_status sam_file_read(const char *path, uint64_t limit, struct sam_buffer *out,
                              struct sam_error *error)
{
    return sam_file_read_seen(path, limit, NULL, NULL, out, error);
}

struct sam_output {
    FILE *file;
    char *path;
    char *temporary; /* NULL: unnamed, or written in place */
    bool unnamed;    /* no directory entry; if neither: standard output, a device or a pipe */
    int write_errno; /* of the first failed write */
    bool has_like;
    struct stat like; /* source of permissions and time */
    char *buffer;     /* of the stream */
};

/* Call `make` with new names next to `path` until one is free. Returns the name, or NULL with
 * errno. */
static char *make_beside(const char *path, bool (*make)(const char *name, void *context),
                         void *context)
{
    errno = ENOENT;
    for (unsigned attempt = 0; attempt < 1000 && path[0]; attempt++) {
        struct sam_buffer name = {0};
        if (!sam_buffer_printf(&name, "%s.%ld-%u.tmp", path, (long)getpid(), attempt)) {
            sam_buffer_free(&name);
            errno = ENOMEM;
            return NULL;
        }
        if (make((char *)name.data, context))
            return (char *)name.data;
        int reason = errno;
        sam_buffer_free(&name);
        errno = reason;
        if (reason != EEXIST)
            return NULL;
    }
    return NULL;
}

struct temporary {
    mode_t mode;
    int fd;
};

static bool create(const char *name, void *context)
{
    struct temporary *t = context;
    t->fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, t->mode);
    return t->fd >= 0;
}

#if SAM_FILE_LINUX && defined(O_TMPFILE)
/* Get the path by which an open file can be linked. Returns false without /proc. */
static bool link_name(int fd, char *name, size_t size)
{
    snprintf(name, size, "/proc/self/fd/%d", fd);
    return access(name, F_OK) == 0;
}

/* Open an unnamed file in the folder of `path`, which vanishes however the program ends. Returns -1
 * if the file system does not support it. */
static int open_unnamed(const char *path, mode_t mode)
{
    char name[64];
    const char *slash = strrchr(path, '/');
    char *folder = !slash          ? sam_strdup(".")
                   : slash == path ? sam_strdup("/")
                                   : sam_strndup(path, (size_t)(slash - path));
    int fd = folder && path[0] ? open(folder, O_WRONLY | O_TMPFILE | O_CLOEXEC, mode) : -1;
    free(folder);
    if (fd >= 0 && !link_name(fd, name, sizeof name)) {
        close(fd);
        fd = -1;
    }
    return fd;
}

static bool link_to(const char *name, void *context)
{
    char from[64];
    return link_name(*(int *)context, from, sizeof from) &&
           linkat(AT_FDCWD, from, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0;
}
#else
static int open_unnamed(const char *path, mode_t mode)
{
    (void)path, (void)mode;
    return -1;
}

static bool link_to(const char *name, void *context)
{
    (void)name, (void)context;
    return false;
}
#endif

/* Link an unnamed file as `path`. Only a named file can replace an existing one, so signals to this
 * thread are blocked between link and rename. */
static int name_unnamed(int fd, const char *path)
{
    sigset_t all, before;
    int reason = 0;
    if (link_to(path, &fd))
        return 0;
    if (errno != EEXIST)
        return errno;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    char *name = make_beside(path, link_to, &fd);
    if (!name || rename(name, path) != 0) {
        reason = errno;
        if (name)
            unlink(name);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    free(name);
    return reason;
}

/* Create the temporary for `output->path` with the permissions of any new file: unnamed, or next to
 * it with a name derived from it. (mkstemp would make it private, and the umask cannot be read
 * without changing it.) */
static FILE *open_temporary(struct sam_output *output, mode_t mode)
{
    struct temporary t = {mode, open_unnamed(output->path, mode)};
    output->unnamed = t.fd >= 0;
    if (t.fd < 0)
        output->temporary = make_beside(output->path, create, &t);
    return t.fd < 0 ? NULL : fdopen(t.fd, "wb");
}

enum sam_status sam_output_open(const char *path, struct sam_output **out, struct sam_error *error)
{
    return sam_output_open_like(path, "-", out, error);
}

enum sam_status sam_output_open_like(const char *path, const char *input, struct sam_output **out,
                                     struct sam_error *error)
{
    if (!out)
        return sam_fail_null(error, "output");
    *out = NULL;
    if (SAM_LACKS(error, path, input))
        return SAM_ERR_USAGE;
    struct sam_output *output = sam_alloc(1, sizeof *output);
    if (!output || !(output->path = sam_strdup(path))) {
        sam_output_abort(output);
        return sam_fail_memory(error);
    }
    struct stat existing;
    errno = 0;
    bool exists = !is_std(path) && stat(path, &existing) == 0;
    if (is_std(path))
        output->file = stdout;
    else if (!exists && errno == ENAMETOOLONG) /* otherwise reported after all writes */
        output->file = NULL;
    else if (exists && !S_ISREG(existing.st_mode))
        output->file = fopen(path, "wb");
    else if (!is_std(input) && stat(input, &output->like) == 0 && S_ISREG(output->like.st_mode))
        output->file = open_temporary(output, 0600); /* private until complete */
    else
        output->file = open_temporary(output, exists ? existing.st_mode & 0777 : 0666);
    output->has_like = (output->temporary || output->unnamed) && S_ISREG(output->like.st_mode);
    if (!output->file) {
        enum sam_status status =
            sam_fail(error, SAM_ERR_IO, "%s: cannot create: %s", path, strerror(errno));
        sam_output_abort(output);
        return status;
    }
    enum { BUFFER = 1 << 16 }; /* logs are large */
    if (output->file != stdout && (output->buffer = malloc(BUFFER)))
        setvbuf(output->file, output->buffer, _IOFBF, BUFFER);
    *out = output;
    return SAM_OK;
}

bool sam_output_write(void *context, const void *data, size_t size)
{
    struct sam_output *output = context;
    if (size == 0 || fwrite(data, 1, size, output->file) == size)
        return true;
    if (!output->write_errno)
        output->write_errno = errno;
    return false;
}

bool sam_output_failed(const struct sam_output *output)
{
    return output->write_errno != 0;
}

/* Copy permissions and time after the last write. Failing to is not an error: some file systems
 * have none. */
static void take_over(struct sam_output *output)
{
    const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, sam_file_modified(&output->like)};
    int fd = fileno(output->file);
    if (fchmod(fd, output->like.st_mode & 0777) == 0)
        futimens(fd, times);
}

enum sam_status sam_output_commit(struct sam_output *output, struct sam_error *error)
{
    if (SAM_LACKS(error, output))
        return SAM_ERR_USAGE;
    enum sam_status status = SAM_OK;
    int reason = output->write_errno;
    if (!reason && fflush(output->file) != 0)
        reason = errno;
    if (!reason && output->has_like)
        take_over(output);
    if (!reason && output->unnamed)
        reason = name_unnamed(fileno(output->file), output->path);
    int closed = output->file == stdout ? 0 : fclose(output->file);
    output->file = NULL;
    if (!reason && closed != 0)
        reason = errno;
    if (!reason && output->temporary) {
        if (rename(output->temporary, output->path) == 0) {
            free(output->temporary);
            output->temporary = NULL;
        } else {
            reason = errno;
        }
    }
    if (reason)
        status =
            sam_fail(error, SAM_ERR_IO, "%s: cannot write: %s", output->path, strerror(reason));
    sam_output_abort(output);
    return status;
}

void sam_output_abort(struct sam_output *output)
{
    if (!output)
        return;
    if (output->file && output->file != stdout)
        fclose(output->file);
    if (output->temporary)
        unlink(output->temporary);
    free(output->temporary);
    free(output->buffer);
    free(output->path);
    free(output);
}

enum sam_status sam_file_write(const char *path, const void *data, size_t size,
                               struct sam_error *error)
{
    struct sam_output *output = NULL;
    enum sam_status status = sam_output_open(path, &output, error);
    if (!output)
        return status;
    if (!sam_output_write(output, data, size)) {
        status = sam_fail(error, SAM_ERR_IO, "%s: cannot write: %s", path, strerror(errno));
        sam_output_abort(output);
        return status;
    }
    return sam_output_commit(output, error);
}
