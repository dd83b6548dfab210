/* SPDX-License-Identifier: Apache-2.0 */
#include "lower/plain.h"

#include <inttypes.h>

#include "lower/program.h"
#include "reference/hart_ref.h"

/* The memory: both on-chip memories, which the matrix unit reaches, the program, the arrays. */
#define CHIP_BASE    UINT64_C(0x10000000)
#define CHIP_SIZE    UINT64_C(0x08100000)
#define CODE_SIZE    UINT64_C(0x00040000)
#define BUFFERS_SIZE UINT64_C(0x00100000)
enum { STEPS = 20000000 };

/* Memory that all runs use, and of which they touch little. */
struct memory {
    struct tref_region region;
    uint64_t cleared[2]; /* bytes at its start and at its end that programs write */
};

static struct memory memories[] = {
    {{CHIP_BASE, CHIP_SIZE, NULL}, {0x100000, 0x100000}},
    {{SAM_SYSTEM_CODE_BASE, CODE_SIZE, NULL}, {CODE_SIZE, 0}},
    {{SAM_SYSTEM_BUFFERS, BUFFERS_SIZE, NULL}, {BUFFERS_SIZE, 0}},
};

static void add_memory(struct href *h, struct memory *m)
{
    struct tref_region *r = &m->region;
    if (!r->bytes)
        r->bytes = calloc(r->size, 1);
    assert_non_null(r->bytes);
    memset(r->bytes, 0, m->cleared[0]);
    memset(r->bytes + r->size - m->cleared[1], 0, m->cleared[1]);
    h->t.regions[h->t.region_count++] = *r;
}

static void copy_in(struct href *h, uint64_t address, const void *data, uint64_t size)
{
    if (!size)
        return;
    assert_non_null(tref_byte(&h->t, address + size - 1));
    memcpy(tref_byte(&h->t, address), data, size);
}

static void load(struct href *h, struct sam_tile_lowered *made)
{
    const struct sam_image *hart, *gpu;
    struct sam_error error;
    if (sam_tile_lowered_images(made, &hart, &gpu, &error) != SAM_OK)
        fail_msg("%s\n%s", error.text, sam_tile_lowered_hart(made));
    for (size_t i = 0; i < hart->section_count; i++)
        copy_in(h, hart->sections[i].address, hart->sections[i].data, hart->sections[i].data_size);
    for (size_t i = 0; i < made->buffer_count; i++)
        copy_in(h, made->buffers[i].address, made->buffers[i].array->data,
                lower_bytes(made->buffers[i].array));
    h->pc = hart->entry;
}

static bool run(struct lowered *x)
{
    struct href *h = calloc(1, sizeof *h);
    struct sam_tile_lowered *made = lowered_make(x);
    enum href_end end = HREF_RUNS;
    h->t.xlen = 64;
    for (size_t i = 0; i < SAM_COUNT(memories); i++)
        add_memory(h, &memories[i]);
    matrix_ref_reset(&h->m, x->options.mlen ? x->options.mlen : 512, 64);
    h->m.base = CHIP_BASE;
    h->m.memory = h->t.regions[0].bytes;
    h->m.memory_size = CHIP_SIZE;
    h->exit_store = SAM_SYSTEM_EXIT;
    h->quiet[0] = SAM_SYSTEM_GPU_SUBMIT;
    h->quiet[1] = SAM_SYSTEM_GPU_SUBMIT + 0x1000;
    load(h, made);
    for (unsigned n = 0; n < STEPS && end == HREF_RUNS; n++)
        end = href_step(h);
    if (end != HREF_EXIT)
        fail_msg("plain hart: %s at pc 0x%" PRIx64 "\n%s\n%s", end == HREF_TRAP ? "trap" : "no end",
                 h->pc, x->text, sam_tile_lowered_hart(made));
    for (size_t i = 0; i < made->buffer_count; i++)
        if (lower_bytes(made->buffers[i].array))
            memcpy(made->buffers[i].array->data, tref_byte(&h->t, made->buffers[i].address),
                   lower_bytes(made->buffers[i].array));
    const bool good = h->exit_code == 0;
    sam_tile_lowered_free(made);
    free(h);
    return good;
}

void plain_check(struct lowered *x, const struct lowered *expected)
{
    const bool good = run(x);
    assert_int_equal(good, expected->status == SAM_OK);
    for (size_t i = 0; i < x->count && good; i++) {
        const struct sam_array *a = &x->arrays[i], *b = &expected->arrays[i];
        if (x->arguments[i].array && memcmp(a->data, b->data, a->size) != 0)
            fail_msg("argument %zu is not the same on the plain hart\n%s", i, x->text);
    }
}
