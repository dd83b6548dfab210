/* SPDX-License-Identifier: Apache-2.0 */
/* Reading files. The reference for .data is strtoul over the same text; for ELF and .npy, which
 * copy what they read, it is a memcpy of as many bytes. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "samite/format.h"

enum { WORDS = 1 << 18, BYTES = WORDS * 4 };

struct inputs {
    struct sam_metadata metadata;
    char *data_text; /* .data of WORDS words */
    size_t data_size;
    void *npy;
    size_t npy_size;
    void *elf;
    size_t elf_size;
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
    free(in.bytes);
    free(in.copy);
    free(in.data_text);
    free(in.npy);
    free(in.elf);
    return bench_close(bench);
}
