/* SPDX-License-Identifier: Apache-2.0 */
/* RISC-V semihosting 1.0. Its operations and their parameter blocks are those of Arm. */
#include <fcntl.h>
#include <stdio.h>
#include <time.h>

#include "hostio/hostio.h"

enum operation {
#define SEMIHOST(number, name, words, what) SEMI_##name = (number),
#include "hostio/semihost.def"
#undef SEMIHOST
};

static const struct {
    uint8_t number, words;
    const char *name;
} operations[] = {
#define SEMIHOST(number, name, words, what) {number, words, #name},
#include "hostio/semihost.def"
#undef SEMIHOST
};

enum {
    APPLICATION_EXIT = 0x20026, /* ADP_Stopped_ApplicationExit */
    MOST_WORDS = 4,
    MOST_IN_VAIN = 1000, /* reads at the end of input */
};
#define TICKS_PER_SECOND    UINT64_C(1000000000)
#define CENTISECONDS(ticks) ((ticks) / (TICKS_PER_SECOND / 100))

/* The current call. */
struct call {
    struct sam_hostio *io;
    const struct sam_hostio_guest *guest;
    const char *name;
    uint64_t parameter, block[MOST_WORDS];
    struct sam_hostio_reply *reply;
};

static enum sam_hostio_end done(const struct call *c, uint64_t result)
{
    c->reply->result = result;
    return c->io->sink_failed ? SAM_HOSTIO_SINK : SAM_HOSTIO_DONE;
}

static enum sam_hostio_end failed(const struct call *c, uint64_t address, const char *what)
{
    snprintf(c->reply->text, sizeof c->reply->text,
             "semihosting %s: the %s at 0x%llx is not in memory", c->name, what,
             (unsigned long long)address);
    return SAM_HOSTIO_FAILED;
}

/* `count` words of the program at `address`. */
static bool words(const struct call *c, uint64_t address, unsigned count, uint64_t *out)
{
    const unsigned size = c->guest->xlen / 8;
    uint8_t bytes[MOST_WORDS * 8];
    if (!c->guest->read(c->guest->context, address, bytes, (size_t)count * size))
        return false;
    for (unsigned i = 0; i < count; i++)
        out[i] = size == 4 ? sam_le32(bytes + 4 * i) : sam_le64(bytes + 8 * i);
    return true;
}

static bool put_words(const struct call *c, uint64_t address, unsigned count, const uint64_t *in)
{
    const unsigned size = c->guest->xlen / 8;
    uint8_t bytes[MOST_WORDS * 8];
    for (unsigned i = 0; i < count; i++) {
        if (size == 4)
            sam_put_le32(bytes + 4 * i, (uint32_t)in[i]);
        else
            sam_put_le64(bytes + 8 * i, in[i]);
    }
    return c->guest->write(c->guest->context, address, bytes, (size_t)count * size);
}

/* A name of `size` bytes without its NUL; false with last_error set. */
static bool name_at(const struct call *c, uint64_t address, uint64_t size,
                    char name[SAM_HOSTIO_PATH])
{
    c->io->last_error = SAM_HOSTIO_EINVAL;
    if (size >= SAM_HOSTIO_PATH)
        return false;
    c->io->last_error = SAM_HOSTIO_EFAULT;
    if (size && !c->guest->read(c->guest->context, address, name, (size_t)size))
        return false;
    c->io->last_error = SAM_HOSTIO_EINVAL;
    name[size] = '\0';
    return size && strlen(name) == size;
}

/* ------------------------------------------------------------------------------------- files */

/* fopen's modes: r, r+, w, w+, a, a+, each also with b. */
static int flags_of(uint64_t mode)
{
    static const int of[] = {O_RDONLY,
                             O_RDWR,
                             O_WRONLY | O_CREAT | O_TRUNC,
                             O_RDWR | O_CREAT | O_TRUNC,
                             O_WRONLY | O_CREAT | O_APPEND,
                             O_RDWR | O_CREAT | O_APPEND};
    return of[mode / 2];
}

static int open_special(const struct call *c, enum sam_hostio_kind kind)
{
    const int handle = sam_hostio_handle(c->io);
    if (handle >= 0)
        c->io->files[handle] = (struct sam_hostio_file){.kind = kind};
    return handle;
}

static int64_t open_file(const struct call *c)
{
    static const enum sam_hostio_kind console[] = {SAM_HOSTIO_INPUT, SAM_HOSTIO_OUTPUT,
                                                   SAM_HOSTIO_ERRORS};
    char name[SAM_HOSTIO_PATH];
    const uint64_t mode = c->block[1];
    if (!name_at(c, c->block[0], c->block[2], name))
        return -1;
    if (mode > 11) {
        c->io->last_error = SAM_HOSTIO_EINVAL;
        return -1;
    }
    if (strcmp(name, ":tt") == 0)
        return open_special(c, console[mode / 4]);
    if (strcmp(name, ":semihosting-features") == 0 && mode < 2)
        return open_special(c, SAM_HOSTIO_FEATURES);
    return sam_hostio_open(c->io, name, flags_of(mode));
}

static int64_t rename_file(const struct call *c)
{
    char from[SAM_HOSTIO_PATH], to[SAM_HOSTIO_PATH];
    return name_at(c, c->block[0], c->block[1], from) && name_at(c, c->block[2], c->block[3], to)
               ? sam_hostio_rename(c->io, from, to)
               : -1;
}

static int64_t remove_file(const struct call *c)
{
    char name[SAM_HOSTIO_PATH];
    return name_at(c, c->block[0], c->block[1], name) ? sam_hostio_remove(c->io, name) : -1;
}

/* The number of bytes not moved, as semihosting returns it. */
static uint64_t left(uint64_t size, int64_t moved)
{
    return moved < 0 ? size : size - (uint64_t)moved;
}

/* ----------------------------------------------------------------------------------- console */

static enum sam_hostio_end write_string(const struct call *c)
{
    char piece[256];
    uint64_t at = c->parameter;
    size_t size = 0;
    for (;; at++) {
        if (!c->guest->read(c->guest->context, at, piece + size, 1))
            return failed(c, at, "string");
        if (piece[size] == '\0')
            break;
        if (++size == sizeof piece) {
            sam_hostio_emit(c->io, &c->io->output, piece, size);
            size = 0;
        }
    }
    sam_hostio_emit(c->io, &c->io->output, piece, size);
    return done(c, 0);
}

static enum sam_hostio_end write_character(const struct call *c)
{
    char one;
    if (!c->guest->read(c->guest->context, c->parameter, &one, 1))
        return failed(c, c->parameter, "character");
    sam_hostio_put(c->io, one);
    return done(c, 0);
}

/* At the end of input the answer is -1, which picolibc's getchar takes for the character 255: it
 * never sees the end. A program that keeps asking is stopped. */
static enum sam_hostio_end read_character(const struct call *c)
{
    uint8_t one;
    if (c->io->input && c->io->input(c->io->input_context, &one, 1)) {
        c->io->asked_in_vain = 0;
        return done(c, one);
    }
    if (++c->io->asked_in_vain < MOST_IN_VAIN)
        return done(c, UINT64_MAX);
    snprintf(c->reply->text, sizeof c->reply->text,
             "semihosting readc: standard input has ended, and was read %u times since",
             (unsigned)MOST_IN_VAIN);
    return SAM_HOSTIO_FAILED;
}

/* ------------------------------------------------------------------------------ surroundings */

static uint64_t command_line(const struct call *c)
{
    const uint64_t size = strlen(c->io->command_line) + 1, length = size - 1;
    const bool fits = size <= c->block[1] && c->guest->write(c->guest->context, c->block[0],
                                                             c->io->command_line, (size_t)size);
    return fits && put_words(c, c->parameter + c->guest->xlen / 8, 1, &length) ? 0 : UINT64_MAX;
}

static uint64_t temporary_name(const struct call *c)
{
    char name[16];
    const int size =
        c->block[1] < 256 ? snprintf(name, sizeof name, "tmp%03u", (unsigned)c->block[1]) + 1 : 0;
    return size && (uint64_t)size <= c->block[2] &&
                   c->guest->write(c->guest->context, c->block[0], name, (size_t)size)
               ? 0
               : UINT64_MAX;
}

static enum sam_hostio_end heap_info(const struct call *c)
{
    const struct sam_hostio_guest *g = c->guest;
    const uint64_t bounds[4] = {g->heap_base, g->heap_limit, g->stack_base, g->stack_limit};
    return put_words(c, c->block[0], 4, bounds) ? done(c, 0)
                                                : failed(c, c->block[0], "block for the result");
}

static enum sam_hostio_end elapsed(const struct call *c)
{
    uint8_t bytes[8];
    sam_put_le64(bytes, c->guest->time(c->guest->context));
    return c->guest->write(c->guest->context, c->parameter, bytes, 8)
               ? done(c, 0)
               : failed(c, c->parameter, "block for the result");
}

static enum sam_hostio_end exit_with(const struct call *c, uint64_t reason, uint64_t code)
{
    c->reply->exit_code = reason == APPLICATION_EXIT ? code : 1;
    return SAM_HOSTIO_EXIT;
}

/* -------------------------------------------------------------------------------------- calls */

static enum sam_hostio_end answer(const struct call *c, uint64_t operation)
{
    struct sam_hostio *io = c->io;
    const struct sam_hostio_guest *g = c->guest;
    const uint64_t *b = c->block;
    switch ((enum operation)operation) {
    case SEMI_open: return done(c, (uint64_t)open_file(c));
    case SEMI_close: return done(c, (uint64_t)sam_hostio_close(io, b[0]));
    case SEMI_writec: return write_character(c);
    case SEMI_write0: return write_string(c);
    case SEMI_write: return done(c, left(b[2], sam_hostio_write(io, g, b[0], b[1], b[2])));
    case SEMI_read: return done(c, left(b[2], sam_hostio_read(io, g, b[0], b[1], b[2])));
    case SEMI_readc: return read_character(c);
    case SEMI_iserror: return done(c, b[0] >> (g->xlen - 1) & 1);
    case SEMI_istty: return done(c, (uint64_t)sam_hostio_is_console(io, b[0]));
    case SEMI_seek:
        return done(c, sam_hostio_seek(io, b[0], (int64_t)b[1], SEEK_SET) < 0 ? UINT64_MAX : 0);
    case SEMI_flen: return done(c, (uint64_t)sam_hostio_length(io, b[0]));
    case SEMI_tmpnam: return done(c, temporary_name(c));
    case SEMI_remove: return done(c, (uint64_t)remove_file(c));
    case SEMI_rename: return done(c, (uint64_t)rename_file(c));
    case SEMI_clock: return done(c, CENTISECONDS(g->time(g->context)));
    case SEMI_time: return done(c, (uint64_t)time(NULL));
    case SEMI_system: return done(c, UINT64_MAX);
    case SEMI_errno: return done(c, (uint64_t)io->last_error);
    case SEMI_get_cmdline: return done(c, command_line(c));
    case SEMI_heapinfo: return heap_info(c);
    case SEMI_exit: return g->xlen == 32 ? exit_with(c, c->parameter, 0) : exit_with(c, b[0], b[1]);
    case SEMI_exit_extended: return exit_with(c, b[0], b[1]);
    case SEMI_elapsed: return elapsed(c);
    case SEMI_tickfreq: return done(c, TICKS_PER_SECOND);
    }
    return SAM_HOSTIO_FAILED;
}

enum sam_hostio_end sam_hostio_semihost(struct sam_hostio *io, const struct sam_hostio_guest *guest,
                                        uint64_t operation, uint64_t parameter,
                                        struct sam_hostio_reply *reply)
{
    struct call c = {.io = io, .guest = guest, .parameter = parameter, .reply = reply};
    *reply = (struct sam_hostio_reply){0};
    for (size_t i = 0; i < SAM_COUNT(operations); i++) {
        if (operations[i].number != operation)
            continue;
        c.name = operations[i].name;
        const bool value = operation == SEMI_exit && guest->xlen == 32; /* no block */
        if (!value && operations[i].words && !words(&c, parameter, operations[i].words, c.block))
            return failed(&c, parameter, "parameter block");
        return answer(&c, operation);
    }
    snprintf(reply->text, sizeof reply->text, "semihosting call 0x%llx is not known",
             (unsigned long long)operation);
    return SAM_HOSTIO_FAILED;
}
