/* SPDX-License-Identifier: Apache-2.0 */
/* System calls of newlib programs, with the Linux numbers for RISC-V. */
#include <fcntl.h>
#include <stdio.h>

#include "hostio/hostio.h"

enum number {
    CALL_openat = 56,
    CALL_close = 57,
    CALL_lseek = 62,
    CALL_read = 63,
    CALL_write = 64,
    CALL_fstat = 80,
    CALL_exit = 93,
    CALL_exit_group = 94,
    CALL_brk = 214,
    CALL_open = 1024,
};

enum {
    HERE = -100,     /* AT_FDCWD */
    STAT_SIZE = 128, /* struct stat of Linux for RISC-V */
    STAT_MODE = 16,  /* where its fields are */
    STAT_LINKS = 20,
    STAT_LENGTH = 48,
    STAT_BLOCK = 56,
    IS_FILE = 0100644,    /* st_mode */
    IS_CONSOLE = 0020620, /* a character device */
};

/* open has flags of newlib, openat those of Linux, as the two C libraries pass them. */
struct flag {
    unsigned guest;
    int host;
};
static const struct flag newlib_flags[] = {
    {0x0008, O_APPEND}, {0x0200, O_CREAT}, {0x0400, O_TRUNC}, {0x0800, O_EXCL}};
static const struct flag linux_flags[] = {
    {02000, O_APPEND}, {0100, O_CREAT}, {01000, O_TRUNC}, {0200, O_EXCL}};
enum { FLAGS = 4 };

static int host_flags(const struct flag flags[FLAGS], uint64_t guest)
{
    static const int access[] = {O_RDONLY, O_WRONLY, O_RDWR, O_RDWR};
    int host = access[guest & 3];
    for (unsigned i = 0; i < FLAGS; i++)
        host |= guest & flags[i].guest ? flags[i].host : 0;
    return host;
}

static int64_t open_path(struct sam_hostio *io, const struct sam_hostio_guest *guest,
                         uint64_t address, int flags)
{
    char path[SAM_HOSTIO_PATH];
    if (sam_hostio_text(guest, address, path, sizeof path))
        return sam_hostio_open(io, path, flags);
    io->last_error = SAM_HOSTIO_EFAULT;
    return -1;
}

static int64_t status_of(struct sam_hostio *io, const struct sam_hostio_guest *guest,
                         uint64_t handle, uint64_t address)
{
    uint8_t bytes[STAT_SIZE] = {0};
    const int console = sam_hostio_is_console(io, handle);
    const int64_t length = console < 0 ? -1 : sam_hostio_length(io, handle);
    if (length < 0)
        return -1;
    sam_put_le32(bytes + STAT_MODE, console ? IS_CONSOLE : IS_FILE);
    sam_put_le32(bytes + STAT_LINKS, 1);
    sam_put_le64(bytes + STAT_LENGTH, (uint64_t)length);
    sam_put_le32(bytes + STAT_BLOCK, 4096);
    if (guest->write(guest->context, address, bytes, sizeof bytes))
        return 0;
    io->last_error = SAM_HOSTIO_EFAULT;
    return -1;
}

/* Grow the heap if there is room. It never shrinks. */
static uint64_t move_break(struct sam_hostio *io, const struct sam_hostio_guest *guest,
                           uint64_t wanted)
{
    if (!io->heap_end)
        io->heap_end = guest->heap_base;
    if (guest->grow && wanted > io->heap_end && guest->grow(guest->context, wanted))
        io->heap_end = wanted;
    return io->heap_end;
}

enum sam_hostio_end sam_hostio_syscall(struct sam_hostio *io, const struct sam_hostio_guest *guest,
                                       uint64_t number, const uint64_t arguments[6],
                                       struct sam_hostio_reply *reply)
{
    const uint64_t *a = arguments;
    int64_t result = 0;
    *reply = (struct sam_hostio_reply){0};
    switch (number) {
    case CALL_open: result = open_path(io, guest, a[0], host_flags(newlib_flags, a[1])); break;
    case CALL_openat:
        if ((int32_t)a[0] == HERE) {
            result = open_path(io, guest, a[1], host_flags(linux_flags, a[2]));
        } else {
            io->last_error = SAM_HOSTIO_EBADF;
            result = -1;
        }
        break;
    case CALL_close: result = sam_hostio_close(io, a[0]); break;
    case CALL_lseek:
        if (a[2] <= 2) {
            const int64_t offset = guest->xlen == 32 ? (int32_t)a[1] : (int64_t)a[1];
            result = sam_hostio_seek(io, a[0], offset, (int)a[2]);
        } else {
            io->last_error = SAM_HOSTIO_EINVAL;
            result = -1;
        }
        break;
    case CALL_read: result = sam_hostio_read(io, guest, a[0], a[1], a[2]); break;
    case CALL_write: result = sam_hostio_write(io, guest, a[0], a[1], a[2]); break;
    case CALL_fstat: result = status_of(io, guest, a[0], a[1]); break;
    case CALL_exit:
    case CALL_exit_group: reply->exit_code = a[0]; return SAM_HOSTIO_EXIT;
    case CALL_brk: result = (int64_t)move_break(io, guest, a[0]); break;
    default:
        snprintf(reply->text, sizeof reply->text, "system call %llu is not known",
                 (unsigned long long)number);
        return SAM_HOSTIO_FAILED;
    }
    reply->result = (uint64_t)(result < 0 ? -io->last_error : result);
    return io->sink_failed ? SAM_HOSTIO_SINK : SAM_HOSTIO_DONE;
}
