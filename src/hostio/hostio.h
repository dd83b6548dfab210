/* SPDX-License-Identifier: Apache-2.0 */
/* The interface of hostio/: calls of a program to its host, which accesses the program only with
 * the functions of struct sam_hostio_guest. */
#ifndef SAM_HOSTIO_H
#define SAM_HOSTIO_H

#include "base/base.h"
#include "samite/hostio.h"

/* The calling program. Reads and writes return false if a byte is not mapped. */
struct sam_hostio_guest {
    void *context;
    unsigned xlen;
    bool (*read)(void *context, uint64_t address, void *data, size_t size);
    bool (*write)(void *context, uint64_t address, const void *data, size_t size);
    /* Instructions executed: the clock, one per nanosecond. */
    uint64_t (*time)(void *context);
    /* Extend the heap to `end`; NULL: brk is not supported. */
    bool (*grow)(void *context, uint64_t end);
    uint64_t heap_base, heap_limit; /* 0: unknown */
    uint64_t stack_base, stack_limit;
};

enum sam_hostio_end {
    SAM_HOSTIO_DONE, /* the program continues with `result` */
    SAM_HOSTIO_EXIT,
    SAM_HOSTIO_FAILED, /* unknown call or bad address: `text` names it */
    SAM_HOSTIO_SINK,   /* a sink failed */
};

struct sam_hostio_reply {
    uint64_t result;
    uint64_t exit_code;
    char text[160];
};

/* RISC-V semihosting: operation and parameter, as in a0 and a1. */
enum sam_hostio_end sam_hostio_semihost(struct sam_hostio *io, const struct sam_hostio_guest *guest,
                                        uint64_t operation, uint64_t parameter,
                                        struct sam_hostio_reply *reply);
/* A system call by its Linux number. The result of a failed call is -errno. */
enum sam_hostio_end sam_hostio_syscall(struct sam_hostio *io, const struct sam_hostio_guest *guest,
                                       uint64_t number, const uint64_t arguments[6],
                                       struct sam_hostio_reply *reply);
/* Write a character to standard output. Returns false if the sink fails. */
bool sam_hostio_put(struct sam_hostio *io, char character);

/* ------------------------------------------------------------------------------------- files */

/* Error numbers of the programs' C libraries, which are those of Linux. */
enum sam_hostio_errno {
    SAM_HOSTIO_ENOENT = 2,
    SAM_HOSTIO_EIO = 5,
    SAM_HOSTIO_EBADF = 9,
    SAM_HOSTIO_ENOMEM = 12,
    SAM_HOSTIO_EACCES = 13,
    SAM_HOSTIO_EFAULT = 14,
    SAM_HOSTIO_EINVAL = 22,
    SAM_HOSTIO_EMFILE = 24,
    SAM_HOSTIO_ESPIPE = 29,
};

enum { SAM_HOSTIO_PATH = 1024 }; /* longest path, with its NUL */

enum sam_hostio_kind {
    SAM_HOSTIO_CLOSED,
    SAM_HOSTIO_INPUT, /* the console */
    SAM_HOSTIO_OUTPUT,
    SAM_HOSTIO_ERRORS,
    SAM_HOSTIO_FEATURES, /* the feature file of semihosting */
    SAM_HOSTIO_FILE,
};

struct sam_hostio_file {
    enum sam_hostio_kind kind;
    int fd;
    uint64_t at; /* of SAM_HOSTIO_FEATURES */
};

enum { SAM_HOSTIO_FILES = 64 }; /* most open files; the first three are the console */

struct sam_hostio {
    int folder; /* -1: none */
    char *command_line;
    struct sam_sink output, errors;
    size_t (*input)(void *context, void *data, size_t size);
    void *input_context;
    struct sam_hostio_file files[SAM_HOSTIO_FILES];
    int last_error; /* enum sam_hostio_errno */
    uint64_t heap_end;
    unsigned asked_in_vain; /* reads of a character since the end of input */
    bool sink_failed;
};

/* A free handle, -1 with last_error set. */
int sam_hostio_handle(struct sam_hostio *io);
/* The following return -1 with last_error set on failure. `flags` are those of open(2). */
int sam_hostio_open(struct sam_hostio *io, const char *path, int flags);
int sam_hostio_close(struct sam_hostio *io, uint64_t handle);
int sam_hostio_remove(struct sam_hostio *io, const char *path);
int sam_hostio_rename(struct sam_hostio *io, const char *from, const char *to);
/* Read into, or write from, memory of the program at the file's position. Return the bytes moved.
 */
int64_t sam_hostio_read(struct sam_hostio *io, const struct sam_hostio_guest *guest,
                        uint64_t handle, uint64_t address, uint64_t size);
int64_t sam_hostio_write(struct sam_hostio *io, const struct sam_hostio_guest *guest,
                         uint64_t handle, uint64_t address, uint64_t size);
/* `whence`: SEEK_SET, ... */
int64_t sam_hostio_seek(struct sam_hostio *io, uint64_t handle, int64_t offset, int whence);
int64_t sam_hostio_length(struct sam_hostio *io, uint64_t handle);
/* 1 if the handle is the console, else 0. */
int sam_hostio_is_console(struct sam_hostio *io, uint64_t handle);
/* Write to a sink; sets sink_failed if it fails. */
void sam_hostio_emit(struct sam_hostio *io, const struct sam_sink *sink, const void *data,
                     size_t size);

/* Read a string of the program. Returns false if it is not mapped, or does not fit. */
bool sam_hostio_text(const struct sam_hostio_guest *guest, uint64_t address, char *text,
                     size_t room);

#endif
