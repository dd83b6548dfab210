/* SPDX-License-Identifier: Apache-2.0 */
#include "lower/plain.h"

#include <inttypes.h>

#include "lower/program.h"
#include "reference/system_ref.h"

/* The memory: both on-chip memories, in the window of the matrix unit; both programs; the arrays.
 */
#define CHIP_BASE    UINT64_C(0x10000000)
#define CHIP_SIZE    UINT64_C(0x08100000)
#define L1M_SIZE     UINT64_C(0x00100000)
#define CODE_SIZE    UINT64_C(0x00400000)
#define BUFFERS_SIZE UINT64_C(0x01000000)
enum { STEPS = 20000000 };

/* Memory used by all runs, of which each touches little. */
struct memory {
    uint64_t base, size, cleared[2]; /* bytes at its start and at its end that programs write */
    uint8_t *bytes;
};

enum { CHIP, HART_CODE, GPU_CODE, BUFFERS, MEMORIES };
static struct memory memories[MEMORIES] = {
    [CHIP] = {CHIP_BASE, CHIP_SIZE, {L1M_SIZE, CHIP_BASE + CHIP_SIZE - SAM_SYSTEM_L0M}, NULL},
    [HART_CODE] = {SAM_SYSTEM_CODE_BASE, CODE_SIZE, {CODE_SIZE, 0}, NULL},
    [GPU_CODE] = {SAM_SYSTEM_GPU_CODE, CODE_SIZE, {CODE_SIZE, 0}, NULL},
    [BUFFERS] = {SAM_SYSTEM_BUFFERS, BUFFERS_SIZE, {0, 0}, NULL},
};

static void clear(struct memory *m)
{
    if (!m->bytes)
        m->bytes = calloc(m->size, 1);
    assert_non_null(m->bytes);
    memset(m->bytes, 0, m->cleared[0]);
    memset(m->bytes + m->size - m->cleared[1], 0, m->cleared[1]);
}

static uint8_t *bytes_at(uint64_t address, uint64_t size)
{
    for (size_t i = 0; i < MEMORIES; i++)
        if (address >= memories[i].base && address - memories[i].base <= memories[i].size &&
            size <= memories[i].size - (address - memories[i].base))
            return memories[i].bytes + (address - memories[i].base);
    fail_msg("no memory for %" PRIu64 " bytes at 0x%" PRIx64, size, address);
    return NULL;
}

static void copy_in(uint64_t address, const void *data, uint64_t size)
{
    if (size)
        memcpy(bytes_at(address, size), data, size);
}

static void load_image(const struct sam_image *image)
{
    for (size_t i = 0; i < image->section_count; i++)
        copy_in(image->sections[i].address, image->sections[i].data, image->sections[i].data_size);
}

/* Words of the hart's program with addresses of GPU symbols. */
static void link(const struct sam_image *hart, const struct sam_image *gpu)
{
    for (size_t i = 0; i < hart->symbol_count; i++) {
        const char *name = hart->symbols[i].name;
        const struct sam_symbol *found =
            strncmp(name, "gpu_", 4) == 0 ? sam_image_find(gpu, name + 4) : NULL;
        if (found) {
            const uint32_t value = (uint32_t)found->value;
            copy_in(hart->symbols[i].value, &value, sizeof value);
        }
    }
}

static void load(struct psys *s, struct sam_tile_lowered *made)
{
    const struct sam_image *hart, *gpu;
    struct sam_error error;
    if (sam_tile_lowered_images(made, &hart, &gpu, &error) != SAM_OK)
        fail_msg("%s\n%s", error.text, sam_tile_lowered_hart(made));
    load_image(hart);
    load_image(gpu);
    link(hart, gpu);
    for (size_t i = 0; i < made->buffer_count; i++)
        copy_in(made->buffers[i].address, made->buffers[i].array->data,
                lower_bytes(made->buffers[i].array));
    s->h.pc = hart->entry;
}

static struct psys *open_system(unsigned mlen)
{
    struct psys *s = calloc(1, sizeof *s);
    psys_open(s);
    for (size_t i = 0; i < MEMORIES; i++)
        clear(&memories[i]);
    matrix_ref_reset(&s->h.m, mlen ? mlen : 512, 64);
    s->h.m.base = CHIP_BASE;
    s->h.m.memory = memories[CHIP].bytes;
    s->h.m.memory_size = CHIP_SIZE;
    psys_add(s, CHIP_BASE, memories[CHIP].bytes, CHIP_SIZE);
    ref_gpu_share(s->gpu, SAM_SYSTEM_L1M, memories[CHIP].bytes, L1M_SIZE);
    for (size_t i = CHIP + 1; i < MEMORIES; i++)
        psys_share(s, memories[i].base, memories[i].bytes, memories[i].size);
    return s;
}

static bool run(struct lowered *x)
{
    struct sam_tile_lowered *made = lowered_make(x);
    struct psys *s = open_system(x->options.mlen);
    load(s, made);
    const enum href_end end = psys_run(s, STEPS);
    if (end != HREF_EXIT)
        fail_msg("plain system: %s at pc 0x%" PRIx64 ", of a kernel 0x%" PRIx32 "\n%s\n%s",
                 end == HREF_TRAP ? "trap" : "no end", s->h.pc, s->trap.kind ? s->trap.pc : 0,
                 x->text, sam_tile_lowered_hart(made));
    for (size_t i = 0; i < made->buffer_count; i++) {
        const uint64_t size = lower_bytes(made->buffers[i].array);
        if (size)
            memcpy(made->buffers[i].array->data, bytes_at(made->buffers[i].address, size), size);
    }
    const bool good = s->exit_code == 0;
    sam_tile_lowered_free(made);
    psys_close(s);
    free(s);
    return good;
}

void plain_run(struct lowered *x)
{
    SCOPED(lowered) plain;
    lowered_copy(x, &plain);
    lowered_run(x);
    const bool good = run(&plain);
    assert_int_equal(good, x->status == SAM_OK);
    for (size_t i = 0; i < x->count && good; i++) {
        const struct sam_array *a = &plain.arrays[i], *b = &x->arrays[i];
        if (x->arguments[i].array && memcmp(a->data, b->data, a->size) != 0)
            fail_msg("argument %zu is not the same on the plain system\n%s", i, x->text);
    }
}
