/* SPDX-License-Identifier: Apache-2.0 */
/* Files of the host below one folder, and the console. Paths are resolved folder by folder, and
 * symbolic links are rejected, so that no file outside can be reached. */
#include "hostio/hostio.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE = 65536 }; /* bytes copied at a time */

/* The feature file of semihosting: magic, then bits for exit_extended and a separate stderr. */
static const uint8_t features[] = {'S', 'H', 'F', 'B', 3};

static int fail(struct sam_hostio *io, int number)
{
    io->last_error = number;
    return -1;
}

static int fail_host(struct sam_hostio *io)
{
    return fail(io, errno == ELOOP ? SAM_HOSTIO_EACCES : errno);
}

/* The open file of a handle, or NULL with last_error set. */
static struct sam_hostio_file *file_of(struct sam_hostio *io, uint64_t handle)
{
    if (handle < SAM_HOSTIO_FILES && io->files[handle].kind != SAM_HOSTIO_CLOSED)
        return &io->files[handle];
    fail(io, SAM_HOSTIO_EBADF);
    return NULL;
}

int sam_hostio_handle(struct sam_hostio *io)
{
    for (int i = 3; i < SAM_HOSTIO_FILES; i++)
        if (io->files[i].kind == SAM_HOSTIO_CLOSED)
            return i;
    return fail(io, SAM_HOSTIO_EMFILE);
}

/* ------------------------------------------------------------------------------------- paths */

/* A path, split where its last component begins. */
struct place {
    int folder; /* to be closed */
    char name[SAM_HOSTIO_PATH];
};

static void leave(struct place *place)
{
    close(place->folder);
}

static bool enter(struct sam_hostio *io, const char *path, struct place *place)
{
    if (io->folder < 0 || path[0] == '/') {
        fail(io, SAM_HOSTIO_EACCES);
        return false;
    }
    place->folder = fcntl(io->folder, F_DUPFD_CLOEXEC, 0);
    while (place->folder >= 0) {
        const size_t size = strcspn(path, "/");
        if (size >= sizeof place->name)
            break;
        memcpy(place->name, path, size);
        place->name[size] = '\0';
        path += size + strspn(path + size, "/");
        if (strcmp(place->name, "..") == 0) {
            leave(place);
            fail(io, SAM_HOSTIO_EACCES);
            return false;
        }
        if (*path == '\0' && size)
            return true;
        if (size == 0)
            break;
        const int inner =
            openat(place->folder, place->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        const int why = errno;
        leave(place);
        place->folder = inner;
        errno = why;
        if (inner < 0)
            return fail_host(io), false;
    }
    if (place->folder < 0)
        return fail_host(io), false;
    leave(place);
    fail(io, SAM_HOSTIO_ENOENT);
    return false;
}

int sam_hostio_open(struct sam_hostio *io, const char *path, int flags)
{
    struct place place;
    struct stat what;
    const int handle = sam_hostio_handle(io);
    if (handle < 0 || !enter(io, path, &place))
        return -1;
    /* not truncated, and not waited for, before it is known to be a file */
    const int safe = (flags & ~O_TRUNC) | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
    const int fd = openat(place.folder, place.name, safe, 0666);
    int why = errno;
    leave(&place);
    errno = why;
    if (fd < 0)
        return fail_host(io);
    if (fstat(fd, &what) != 0 || !S_ISREG(what.st_mode)) {
        close(fd);
        return fail(io, SAM_HOSTIO_EACCES);
    }
    if (flags & O_TRUNC && ftruncate(fd, 0) != 0) {
        why = errno;
        close(fd);
        return fail(io, why);
    }
    io->files[handle] = (struct sam_hostio_file){.kind = SAM_HOSTIO_FILE, .fd = fd};
    return handle;
}

int sam_hostio_close(struct sam_hostio *io, uint64_t handle)
{
    struct sam_hostio_file *file = file_of(io, handle);
    if (!file)
        return -1;
    const bool bad = file->kind == SAM_HOSTIO_FILE && close(file->fd) != 0;
    file->kind = SAM_HOSTIO_CLOSED;
    return bad ? fail_host(io) : 0;
}

int sam_hostio_remove(struct sam_hostio *io, const char *path)
{
    struct place place;
    if (!enter(io, path, &place))
        return -1;
    const int result = unlinkat(place.folder, place.name, 0) == 0 ? 0 : fail_host(io);
    leave(&place);
    return result;
}

int sam_hostio_rename(struct sam_hostio *io, const char *from, const char *to)
{
    struct place old, new;
    if (!enter(io, from, &old))
        return -1;
    int result = -1;
    if (enter(io, to, &new)) {
        result = renameat(old.folder, old.name, new.folder, new.name) == 0 ? 0 : fail_host(io);
        leave(&new);
    }
    leave(&old);
    return result;
}

/* -------------------------------------------------------------------------------------- data */

void sam_hostio_emit(struct sam_hostio *io, const struct sam_sink *sink, const void *data,
                     size_t size)
{
    if (sink->write && size && !sink->write(sink->context, data, size))
        io->sink_failed = true;
}

bool sam_hostio_put(struct sam_hostio *io, char character)
{
    sam_hostio_emit(io, &io->output, &character, 1);
    return !io->sink_failed;
}

/* Up to `size` bytes from the file; -1. */
static int64_t take(struct sam_hostio *io, struct sam_hostio_file *file, uint8_t *data, size_t size)
{
    ssize_t got;
    switch (file->kind) {
    case SAM_HOSTIO_INPUT: return io->input ? (int64_t)io->input(io->input_context, data, size) : 0;
    case SAM_HOSTIO_FEATURES:
        if (file->at >= sizeof features)
            return 0;
        size = size < sizeof features - file->at ? size : sizeof features - file->at;
        memcpy(data, features + file->at, size);
        file->at += size;
        return (int64_t)size;
    case SAM_HOSTIO_FILE:
        do
            got = read(file->fd, data, size);
        while (got < 0 && errno == EINTR);
        return got < 0 ? fail_host(io) : got;
    default: return fail(io, SAM_HOSTIO_EBADF);
    }
}

static int64_t give(struct sam_hostio *io, const struct sam_hostio_file *file, const uint8_t *data,
                    size_t size)
{
    size_t done = 0;
    switch (file->kind) {
    case SAM_HOSTIO_OUTPUT: sam_hostio_emit(io, &io->output, data, size); return (int64_t)size;
    case SAM_HOSTIO_ERRORS: sam_hostio_emit(io, &io->errors, data, size); return (int64_t)size;
    case SAM_HOSTIO_FILE:
        while (done < size) {
            const ssize_t put = write(file->fd, data + done, size - done);
            if (put < 0 && errno == EINTR)
                continue;
            if (put < 0)
                return done ? (int64_t)done : fail_host(io);
            done += (size_t)put;
        }
        return (int64_t)done;
    default: return fail(io, SAM_HOSTIO_EBADF);
    }
}

int64_t sam_hostio_read(struct sam_hostio *io, const struct sam_hostio_guest *guest,
                        uint64_t handle, uint64_t address, uint64_t size)
{
    uint8_t data[PIECE];
    uint64_t done = 0;
    struct sam_hostio_file *file = file_of(io, handle);
    if (!file)
        return -1;
    while (done < size) {
        const size_t part = size - done < PIECE ? (size_t)(size - done) : PIECE;
        /* nothing may be lost for want of room: the bytes that are there must be mapped */
        if (!guest->read(guest->context, address + done, data, part))
            return fail(io, SAM_HOSTIO_EFAULT);
        const int64_t got = take(io, file, data, part);
        if (got < 0)
            return done ? (int64_t)done : -1;
        if (got && !guest->write(guest->context, address + done, data, (size_t)got))
            return fail(io, SAM_HOSTIO_EFAULT);
        done += (uint64_t)got;
        if ((size_t)got < part || file->kind == SAM_HOSTIO_INPUT)
            break;
    }
    return (int64_t)done;
}

int64_t sam_hostio_write(struct sam_hostio *io, const struct sam_hostio_guest *guest,
                         uint64_t handle, uint64_t address, uint64_t size)
{
    uint8_t data[PIECE];
    uint64_t done = 0;
    const struct sam_hostio_file *file = file_of(io, handle);
    if (!file)
        return -1;
    while (done < size) {
        const size_t part = size - done < PIECE ? (size_t)(size - done) : PIECE;
        if (!guest->read(guest->context, address + done, data, part))
            return done ? (int64_t)done : fail(io, SAM_HOSTIO_EFAULT);
        const int64_t put = give(io, file, data, part);
        if (put < 0)
            return done ? (int64_t)done : -1;
        done += (uint64_t)put;
        if ((size_t)put < part)
            break;
    }
    return (int64_t)done;
}

int64_t sam_hostio_seek(struct sam_hostio *io, uint64_t handle, int64_t offset, int whence)
{
    struct sam_hostio_file *file = file_of(io, handle);
    if (!file)
        return -1;
    if (file->kind == SAM_HOSTIO_FILE) {
        const off_t at = lseek(file->fd, offset, whence);
        return at < 0 ? fail_host(io) : at;
    }
    if (file->kind != SAM_HOSTIO_FEATURES)
        return fail(io, SAM_HOSTIO_ESPIPE);
    const int64_t from = whence == SEEK_CUR   ? (int64_t)file->at
                         : whence == SEEK_END ? (int64_t)sizeof features
                                              : 0;
    if (offset < -from || offset > (int64_t)sizeof features - from)
        return fail(io, SAM_HOSTIO_EINVAL);
    file->at = (uint64_t)(from + offset);
    return from + offset;
}

int64_t sam_hostio_length(struct sam_hostio *io, uint64_t handle)
{
    struct stat what;
    const struct sam_hostio_file *file = file_of(io, handle);
    if (!file)
        return -1;
    if (file->kind == SAM_HOSTIO_FEATURES)
        return sizeof features;
    if (file->kind != SAM_HOSTIO_FILE)
        return 0;
    return fstat(file->fd, &what) == 0 ? what.st_size : fail_host(io);
}

int sam_hostio_is_console(struct sam_hostio *io, uint64_t handle)
{
    const struct sam_hostio_file *file = file_of(io, handle);
    return file ? file->kind < SAM_HOSTIO_FEATURES : -1;
}

bool sam_hostio_text(const struct sam_hostio_guest *guest, uint64_t address, char *text,
                     size_t room)
{
    for (size_t i = 0; i < room; i++) {
        if (!guest->read(guest->context, address + i, text + i, 1))
            return false;
        if (text[i] == '\0')
            return true;
    }
    return false;
}
