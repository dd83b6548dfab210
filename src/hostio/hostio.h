/* SPDX-License-Identifier: Apache-2.0 */
/* The face of hostio/: calls of a program to its host. Knows the program only by the functions of
 * struct sam_hostio_guest. */
#ifndef SAM_HOSTIO_H
#define SAM_HOSTIO_H

#include "base/base.h"
#include "samite/hostio.h"

/* The program that calls. Reads and writes return false when not all bytes are mapped. */
struct sam_hostio_guest {
    void *context;
    unsigned xlen;
    bool (*read)(void *context, uint64_t address, void *data, size_t size);
    bool (*write)(void *context, uint64_t address, const void *data, size_t size);
    /* Instructions that have run: the clock, one to a nanosecond. */
    uint64_t (*time)(void *context);
    /* Map memory up to `end`, from the end of the last mapped heap; NULL: there is no brk. */
    bool (*grow)(void *context, uint64_t end);
    uint64_t heap_base, heap_limit; /* 0: unknown */
    uint64_t stack_base, stack_limit;
};

enum sam_hostio_end {
    SAM_HOSTIO_DONE, /* the program goes on, with `result` */
    SAM_HOSTIO_EXIT,
    SAM_HOSTIO_FAILED, /* unknown call or bad address: `text` names it */
    SAM_HOSTIO_SINK,   /* a sink refused */
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
/* A system call by its Linux number; the result is negative, -errno, when it fails. */
enum sam_hostio_end sam_hostio_syscall(struct sam_hostio *io, const struct sam_hostio_guest *guest,
                                       uint64_t number, const uint64_t arguments[6],
                                       struct sam_hostio_reply *reply);
/* One character to standard output. False: the sink refused. */
bool sam_hostio_put(struct sam_hostio *io, char character);

/* ------------------------------------------------------------------------------------- files */

/* Errors as the C libraries of such programs number them; the same as Linux's. */
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
    SAM_HOSTIO_FEATURES, /* of semihosting: a file of its own */
    SAM_HOSTIO_FILE,
};

struct sam_hostio_file {
    enum sam_hostio_kind kind;
    int fd;
    uint64_t at; /* of SAM_HOSTIO_FEATURES */
};

enum { SAM_HOSTIO_FILES = 64 }; /* open at a time; the first three are the console */

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

/* The open file of a handle, or NULL with last_error set. */
struct sam_hostio_file *sam_hostio_file(struct sam_hostio *io, uint64_t handle);
/* A free handle, -1 with last_error set. */
int sam_hostio_handle(struct sam_hostio *io);
/* The following return -1 with last_error set when they fail. `flags` are open(2)'s. */
int sam_hostio_open(struct sam_hostio *io, const char *path, int flags);
int sam_hostio_close(struct sam_hostio *io, uint64_t handle);
int sam_hostio_remove(struct sam_hostio *io, const char *path);
int sam_hostio_rename(struct sam_hostio *io, const char *from, const char *to);
/* Bytes read into or written from the program's memory, from where the file stands. */
int64_t sam_hostio_read(struct sam_hostio *io, const struct sam_hostio_guest *guest,
                        uint64_t handle, uint64_t address, uint64_t size);
int64_t sam_hostio_write(struct sam_hostio *io, const struct sam_hostio_guest *guest,
                         uint64_t handle, uint64_t address, uint64_t size);
/* `whence`: SEEK_SET, ... */
int64_t sam_hostio_seek(struct sam_hostio *io, uint64_t handle, int64_t offset, int whence);
int64_t sam_hostio_length(struct sam_hostio *io, uint64_t handle);
/* 1: the console; 0. */
int sam_hostio_is_console(struct sam_hostio *io, uint64_t handle);
/* Bytes to a sink; remembers when it refuses. */
void sam_hostio_emit(struct sam_hostio *io, const struct sam_sink *sink, const void *data,
                     size_t size);

/* A string of the program; false: not mapped, or longer than `room` with its NUL. */
bool sam_hostio_text(const struct sam_hostio_guest *guest, uint64_t address, char *text,
                     size_t room);

#endif
