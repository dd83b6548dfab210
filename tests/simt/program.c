/* SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

#include "assemble.h"
#include "test.h"

static void ok(enum sam_status status, const struct sam_error *error)
{
    if (status != SAM_OK)
        fail_msg("%s: %s", sam_status_name(status), error->text);
}

struct program program_new(const char *text, uint32_t lanes)
{
    struct program p = {0};
    p.image = test_assemble("ventus", SAM_CODE_BASE, NULL, text);
    p.launch = (struct sam_launch){.start = SAM_CODE_BASE,
                                   .metadata = KERNEL,
                                   .grid = {1, 1, 1},
                                   .lanes = lanes,
                                   .warps = 1,
                                   .pds_size = 1024,
                                   .pds_base = PDS,
                                   .image = p.image};
    ok(sam_gpu_new(NULL, &p.gpu, &p.error), &p.error);
    ok(sam_gpu_load(p.gpu, p.image, &p.error), &p.error);
    ok(sam_gpu_map(p.gpu, DATA, DATA_SIZE, &p.error), &p.error);
    ok(sam_gpu_map(p.gpu, PDS, PDS_SIZE, &p.error), &p.error);
    ok(sam_gpu_map(p.gpu, KERNEL, 64, &p.error), &p.error);
    ok(sam_gpu_map(p.gpu, PRINT_BUFFER, PRINT_SIZE, &p.error), &p.error);
    program_set(&p, KERNEL + 48, PRINT_BUFFER);
    program_set(&p, KERNEL + 52, PRINT_SIZE);
    return p;
}

enum sam_status program_run(struct program *p)
{
    if (p->options.max_insns == 0)
        p->options.max_insns = 1000000; /* an endless loop fails the test */
    ok(sam_gpu_set_options(p->gpu, &p->options, &p->error), &p->error);
    sam_gpu_result_free(&p->result);
    return sam_gpu_launch(p->gpu, &p->launch, &p->result, &p->error);
}

void program_pass(struct program *p)
{
    ok(program_run(p), &p->error);
    assert_int_equal(p->result.trap.kind, SAM_TRAP_NONE);
}

void program_trap(struct program *p, enum sam_trap_kind kind)
{
    enum sam_status status = program_run(p);
    if (status != SAM_ERR_TRAP || p->result.trap.kind != kind)
        fail_msg("expected trap %d, got status %d, trap %d: %s", (int)kind, (int)status,
                 (int)p->result.trap.kind, p->error.text);
}

void program_free(struct program *p)
{
    sam_gpu_result_free(&p->result);
    sam_gpu_free(p->gpu);
    sam_image_free(p->image);
}

uint32_t program_word(struct program *p, uint32_t address)
{
    uint32_t value = 0;
    ok(sam_gpu_read(p->gpu, address, &value, sizeof(value), &p->error), &p->error);
    return value;
}

void program_set(struct program *p, uint32_t address, uint32_t value)
{
    ok(sam_gpu_write(p->gpu, address, &value, sizeof(value), &p->error), &p->error);
}

uint32_t program_symbol(const struct program *p, const char *name)
{
    const struct sam_symbol *symbol = sam_image_find(p->image, name);
    assert_non_null(symbol);
    return (uint32_t)symbol->value;
}

void program_expect(struct program *p, uint32_t address, const uint32_t *expected, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        uint32_t got = program_word(p, address + 4 * i);
        if (got != expected[i])
            fail_msg("word %u at 0x%08x is 0x%08x, expected 0x%08x", i, address + 4 * i, got,
                     expected[i]);
    }
}
