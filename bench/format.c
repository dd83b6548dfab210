/* SPDX-License-Identifier: Apache-2.0 */
/* Reading files. The reference for .data is strtoul over the same text; for ELF and .npy, which
 * copy their input, a memcpy of the same size. Comparing logs has none: the aim is a million
 * records in each of two logs within 2 s. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "samite/format.h"
#include "samite/logdiff.h"

enum { WORDS = 1 << 18, BYTES = WORDS * 4, RECORDS = 1 << 18, LOG_WARPS = 8 };

struct inputs {
    struct sam_metadata metadata;
    char *data_text; /* .data of WORDS words */
    size_t data_size;
    void *npy;
    size_t npy_size;
    void *elf;
    size_t elf_size;
    char *logs[2]; /* of RECORDS instructions, with the warps interleaved and in sequence */
    size_t log_size;
    uint8_t *bytes; /* BYTES of them */
    uint8_t *copy;
};

static double parse_data(void *context, uint64_t rounds)
{
    const struct inputs *in = context;
    for (uint64_t i = 0; i < rounds; i++) {
        uint32_t *words;
        size_t count;
        if (sam_data_parse(in->data_text, in->data_size, "bench", &in->metadata, &words, &count,
                           NULL) != SAM_OK)
            return -1;
        free(words);
    }
    return (double)rounds * WORDS;
}

static double parse_data_strtoul(void *context, uint64_t rounds)
{
    const struct inputs *in = context;
    for (uint64_t i = 0; i < rounds; i++) {
        const char *text = in->data_text;
        for (size_t word = 0; word < WORDS; word++) {
            char *end;
            unsigned long value = strtoul(text, &end, 16);
            memcpy(in->copy + word * 4, &value, 4);
            text = end;
        }
        bench_use(in->copy);
    }
    return (double)rounds * WORDS;
}

static double parse_npy(void *context, uint64_t rounds)
{
    const struct inputs *in = context;
    for (uint64_t i = 0; i < rounds; i++) {
        struct sam_array array;
        if (sam_npy_parse(in->npy, in->npy_size, "bench", &array, NULL) != SAM_OK)
            return -1;
        sam_array_free(&array);
    }
    return (double)rounds * BYTES;
}

static double parse_elf(void *context, uint64_t rounds)
{
    const struct inputs *in = context;
    for (uint64_t i = 0; i < rounds; i++) {
        struct sam_image *image;
        if (sam_elf_parse(in->elf, in->elf_size, "bench", &image, NULL) != SAM_OK)
            return -1;
        sam_image_free(image);
    }
    return (double)rounds * BYTES;
}

/* Copy into fresh memory, as a reader does. */
static double copy_bytes(void *context, uint64_t rounds)
{
    const struct inputs *in = context;
    for (uint64_t i = 0; i < rounds; i++) {
        uint8_t *copy = malloc(BYTES);
        if (!copy)
            return -1;
        memcpy(copy, in->bytes, BYTES);
        bench_use(copy);
        free(copy);
    }
    return (double)rounds * BYTES;
}

static double compare_logs(void *context, uint64_t rounds)
{
    const struct inputs *in = context;
    for (uint64_t i = 0; i < rounds; i++) {
        struct sam_logdiff diff;
        if (sam_log_compare(in->logs[0], in->log_size, "a", in->logs[1], in->log_size, "b", &diff,
                            NULL) != SAM_OK ||
            !diff.equal)
            return -1;
    }
    return (double)rounds * RECORDS;
}

/* Every other instruction is a vector instruction of 32 lanes. Lines have the same length in all
 * warps. */
static bool make_log(struct inputs *in, unsigned which)
{
    enum { ROOM = 512 };
    char *text = in->logs[which] = malloc((size_t)RECORDS * ROOM);
    size_t used = 0;
    if (!text)
        return false;
    for (unsigned i = 0; i < RECORDS; i++) {
        const unsigned turn = i / LOG_WARPS, run = i % (RECORDS / LOG_WARPS);
        const unsigned warp = which ? i / (RECORDS / LOG_WARPS) : i % LOG_WARPS;
        const unsigned pc = 0x80000000 + 4 * ((which ? run : turn) % 1024);
        used += (size_t)snprintf(text + used, ROOM,
                                 "core %3u: 0x%08x (0x0220a0d7) vadd.vv v1, v2, v1\n"
                                 "core %3u: 3 0x%08x (0x0220a0d7)",
                                 warp, pc, warp, pc);
        if (pc & 4) {
            used += (size_t)snprintf(text + used, ROOM, " x5  0x%08x\n", pc);
            continue;
        }
        used +=
            (size_t)snprintf(text + used, ROOM, " c8_vstart 0x00000000 e32 m1 l32 v1  ffffffff 0x");
        for (unsigned lane = 0; lane < 32; lane++)
            used += (size_t)snprintf(text + used, ROOM, "%08x ", pc + lane);
        used += (size_t)snprintf(text + used, ROOM, "\n");
    }
    in->log_size = used;
    return true;
}

static bool make_inputs(struct inputs *in)
{
    /* Magic, version 1.0, length of the dictionary. */
    static const char header[10 + 64] =
        "\x93NUMPY\1\0\x40\0"
        "{'descr': '<f4', 'fortran_order': False, 'shape': (262144,)}   \n";
    static struct sam_metadata_buffer buffer = {0x90000000, BYTES, BYTES};
    in->metadata = (struct sam_metadata){.buffers = &buffer, .buffer_count = 1};
    in->bytes = malloc(BYTES);
    in->copy = malloc(BYTES);
    in->data_text = malloc((size_t)WORDS * 9 + 1);
    in->npy_size = sizeof header + BYTES;
    in->npy = malloc(in->npy_size);
    struct sam_image *image = sam_image_new(32);
    if (!make_log(in, 0) || !make_log(in, 1))
        return false;
    if (!in->bytes || !in->copy || !in->data_text || !in->npy || !image)
        return false;
    uint32_t value = 1;
    for (size_t i = 0; i < WORDS; i++) {
        value = value * 1664525 + 1013904223;
        memcpy(in->bytes + i * 4, &value, 4);
        in->data_size += (size_t)snprintf(in->data_text + in->data_size, 10, "%08x\n", value);
    }
    memcpy(in->npy, header, sizeof header);
    memcpy((char *)in->npy + sizeof header, in->bytes, BYTES);
    const struct sam_section section = {.name = ".data",
                                        .address = 0x80000000,
                                        .size = BYTES,
                                        .data_size = BYTES,
                                        .data = in->bytes};
    bool made = sam_image_add_section(image, &section, NULL) == SAM_OK &&
                sam_image_finish(image, NULL) == SAM_OK &&
                sam_elf_make(image, &in->elf, &in->elf_size, NULL) == SAM_OK;
    sam_image_free(image);
    return made;
}

int main(int argc, char **argv)
{
    struct bench *bench = bench_open(argc, argv, "Reading files");
    struct inputs in = {0};
    if (!make_inputs(&in)) {
        fprintf(stderr, "bench: cannot make the inputs\n");
        exit(2);
    }
    double plain = bench_rate(bench, "data-strtoul", "M words/s", 1e6, parse_data_strtoul, &in, 0);
    bench_rate(bench, "data", "M words/s", 1e6, parse_data, &in, plain);
    double copy = bench_rate(bench, "memcpy", "GB/s", 1e9, copy_bytes, &in, 0);
    bench_rate(bench, "npy", "GB/s", 1e9, parse_npy, &in, copy);
    bench_rate(bench, "elf", "GB/s", 1e9, parse_elf, &in, copy);
    bench_rate(bench, "logdiff", "M records/s", 1e6, compare_logs, &in, 0);
    free(in.logs[0]);
    free(in.logs[1]);
    free(in.bytes);
    free(in.copy);
    free(in.data_text);
    free(in.npy);
    free(in.elf);
    return bench_close(bench);
}
