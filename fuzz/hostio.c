/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of a hostile program to its host. The input is its memory, with the calls at its beginning:
 * of 8 bytes each, a number and a parameter. Files are opened below an empty folder, which is
 * removed at the end. */
#include "fuzz.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "hostio/hostio.h"

enum { MOST = 1 << 16, CALLS = 32 };

struct memory {
    uint8_t *bytes;
    size_t size;
};

static bool read_memory(void *context, uint64_t address, void *data, size_t size)
{
    const struct memory *m = context;
    if (address > m->size || size > m->size - address)
        return false;
    memcpy(data, m->bytes + address, size);
    return true;
}

static bool write_memory(void *context, uint64_t address, const void *data, size_t size)
{
    const struct memory *m = context;
    if (address > m->size || size > m->size - address)
        return false;
    memcpy(m->bytes + address, data, size);
    return true;
}

static uint64_t no_time(void *context)
{
    (void)context;
    return 0;
}

static bool drop(void *context, const void *data, size_t size)
{
    size_t *written = context;
    (void)data;
    *written += size;
    return true;
}

static size_t no_input(void *context, void *data, size_t size)
{
    (void)context;
    memset(data, 'x', size);
    return size;
}

static char folder[] = "/tmp/samite-fuzz-XXXXXX";

static void remove_folder(void)
{
    char command[64];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (system(command) != 0)
        abort();
}

static void make_folder(void)
{
    FUZZ_CHECK(mkdtemp(folder));
    FUZZ_CHECK(atexit(remove_folder) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool made;
    struct sam_error error;
    struct sam_hostio *io;
    struct sam_hostio_reply reply;
    size_t written = 0;
    if (size == 0 || size > MOST)
        return 0;
    if (!made)
        make_folder();
    made = true;
    const struct sam_hostio_options options = {.size = sizeof options,
                                               .folder = folder,
                                               .output = {drop, &written},
                                               .errors = {drop, &written},
                                               .input = no_input};
    FUZZ_CHECK(sam_hostio_new(&options, &io, &error) == SAM_OK);
    struct memory memory = {.bytes = malloc(size), .size = size};
    FUZZ_CHECK(memory.bytes);
    memcpy(memory.bytes, data, size);
    const struct sam_hostio_guest guest = {.context = &memory,
                                           .xlen = data[0] & 1 ? 32 : 64,
                                           .read = read_memory,
                                           .write = write_memory,
                                           .time = no_time};
    for (size_t at = 0; at + 8 <= size && at < 8 * CALLS; at += 8) {
        const uint64_t number = memory.bytes[at + 1], parameter = sam_le32(memory.bytes + at + 4);
        uint64_t words[6];
        for (unsigned i = 0; i < 6; i++)
            words[i] = at + 8 + 4 * i + 4 <= size ? sam_le32(memory.bytes + at + 8 + 4 * i) : i;
        const enum sam_hostio_end end =
            memory.bytes[at] & 2
                ? sam_hostio_syscall(io, &guest, number == 0 ? 1024 : number, words, &reply)
                : sam_hostio_semihost(io, &guest, number, parameter, &reply);
        FUZZ_CHECK(end != SAM_HOSTIO_SINK);
        FUZZ_CHECK(end != SAM_HOSTIO_FAILED || reply.text[0]);
        if (end != SAM_HOSTIO_DONE)
            break;
    }
    sam_hostio_free(io);
    free(memory.bytes);
    return 0;
}

/* A call at the front: kind (1: RV32, 2: a system call), number, parameter. */
static size_t put_call(uint8_t *bytes, unsigned kind, unsigned number, uint32_t parameter)
{
    memset(bytes, 0, 4);
    bytes[0] = (uint8_t)kind;
    bytes[1] = (uint8_t)number;
    sam_put_le32(bytes + 4, parameter);
    return 8;
}

void fuzz_seeds(fuzz_add *add, void *context)
{
    enum { BLOCKS = 256, STRIDE = 16, NAME = 512, TEXT = 520, SIZE = 600 };
    static const struct {
        uint8_t number;
        uint32_t words[4];
    } calls[] = {
        {0x01, {NAME, 6, 1}},
        {0x05, {3, TEXT, 5}},
        {0x0c, {3}},
        {0x0a, {3, 1}},
        {0x06, {3, TEXT + 16, 3}},
        {0x02, {3}},
        {0x04, {TEXT}},
        {0x09, {1}},
        {0x0f, {NAME, 1, NAME + 2, 1}},
        {0x0e, {NAME + 2, 1}},
        {0x15, {TEXT + 32, 40}},
        {0x16, {TEXT + 32}},
        {0x0d, {TEXT + 32, 3, 20}},
        {0x13, {0}},
        {0x20, {0x20026, 1}},
    };
    uint8_t seed[SIZE] = {0};
    size_t at = 0;
    seed[NAME] = 'a';
    seed[NAME + 2] = 'b';
    memcpy(seed + TEXT, "text", sizeof "text");
    for (size_t i = 0; i < SAM_COUNT(calls); i++) {
        const uint32_t block = BLOCKS + STRIDE * (uint32_t)i;
        at += put_call(seed + at, 1, calls[i].number, block);
        for (unsigned k = 0; k < 4; k++)
            sam_put_le32(seed + block + 4 * k, calls[i].words[k]);
    }
    add(context, "semihosting", seed, sizeof seed);
    memset(seed, 0, NAME);
    at = put_call(seed, 2, 64, 0);
    sam_put_le32(seed + at, 1);
    sam_put_le32(seed + at + 4, TEXT);
    sam_put_le32(seed + at + 8, 4);
    add(context, "write", seed, sizeof seed);
    memset(seed, 0, NAME);
    at = put_call(seed, 2, 0, 0); /* open */
    sam_put_le32(seed + at, NAME);
    sam_put_le32(seed + at + 4, 0x602);
    add(context, "open", seed, sizeof seed);
}
