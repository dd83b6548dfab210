/* SPDX-License-Identifier: Apache-2.0 */
#include "system/program.h"

struct system_program system_program_new(const char *isa, const struct sam_system_options *options,
                                         const struct sam_hart_options *hart, const char *text,
                                         const char *kernels)
{
    struct system_program p = {0};
    struct sam_system_options o = {0};
    struct sam_hart_options h = {0};
    if (options)
        o = *options;
    if (hart)
        h = *hart;
    o.size = sizeof o;
    h.size = sizeof h;
    o.hart = &h;
    succeeds(sam_isa_parse, isa, &h.isa);
    p.image = test_assemble(isa, SAM_SYSTEM_CODE_BASE, NULL, text);
    p.kernels =
        kernels ? test_assemble("ventus", SAM_CODE_BASE, sam_gpu_start_code(), kernels) : NULL;
    if (sam_system_new(&o, &p.system, &p.error) != SAM_OK ||
        sam_system_map(p.system, DATA_BASE, DATA_SIZE, &p.error) != SAM_OK ||
        sam_system_load(p.system, p.image, &p.error) != SAM_OK ||
        (kernels && sam_system_load_gpu(p.system, p.kernels, &p.error) != SAM_OK))
        fail_msg("%s", p.error.text);
    p.hart = sam_system_hart(p.system);
    return p;
}

void system_program_free(struct system_program *p)
{
    sam_system_free(p->system);
    sam_image_free(p->image);
    sam_image_free(p->kernels);
    *p = (struct system_program){0};
}

void system_expect(struct system_program *p, uint64_t code)
{
    if (sam_system_run(p->system, &p->result, &p->error) != SAM_OK)
        fail_msg("%s", p->error.text);
    assert_int_equal(p->result.end, SAM_SYSTEM_END_HART);
    assert_int_equal(p->result.hart.end, SAM_HART_EXIT);
    assert_int_equal(p->result.hart.exit_code, code);
}

void system_expect_trap(struct system_program *p, unsigned cause, uint64_t tval, const char *words)
{
    assert_int_equal(sam_system_run(p->system, &p->result, &p->error), SAM_ERR_TRAP);
    assert_int_equal(p->result.end, SAM_SYSTEM_END_HART);
    assert_int_equal(p->result.hart.end, SAM_HART_TRAP);
    assert_int_equal(p->result.hart.cause, cause);
    assert_int_equal(p->result.hart.tval, tval);
    if (!strstr(p->error.text, words))
        fail_msg("no '%s' in: %s", words, p->error.text);
}

uint32_t system_word(struct system_program *p, uint64_t address)
{
    uint8_t bytes[4];
    if (sam_system_read(p->system, address, bytes, sizeof bytes, &p->error) != SAM_OK)
        fail_msg("%s", p->error.text);
    return sam_le32(bytes);
}

const char system_fill[] = " .globl kernel\n"
                           "kernel: lw t0, 0(a0)\n"
                           " lw t1, 4(a0)\n"
                           " csrr t2, gidx\n"
                           " slli t2, t2, 3\n"
                           " vid.v v1\n"
                           " vadd.vx v1, v1, t2\n"
                           " vsll.vi v2, v1, 2\n"
                           " vadd.vx v2, v2, t0\n"
                           " vadd.vx v3, v1, t1\n"
                           " vsw12.v v3, 0(v2)\n"
                           " ret\n";

void system_expect_sums(const struct sam_system_figures *f)
{
    for (size_t i = 0; i < f->row_count;) {
        const struct sam_system_row *first = &f->rows[i];
        uint64_t sum = 0;
        for (; i < f->row_count && strcmp(f->rows[i].unit, first->unit) == 0 &&
               f->rows[i].number == first->number;
             i++)
            sum += f->rows[i].cycles;
        if (sum != f->cycles)
            fail_msg("%s %u: %llu of %llu cycles", first->unit, first->number,
                     (unsigned long long)sum, (unsigned long long)f->cycles);
    }
    for (size_t k = 0; k < f->level_count; k++) {
        const struct sam_system_level *level = &f->levels[k];
        uint64_t read = 0, written = 0;
        for (size_t i = 0; i < f->byte_count; i++)
            if (strcmp(f->bytes[i].level, level->name) == 0) {
                read += f->bytes[i].read;
                written += f->bytes[i].written;
            }
        assert_int_equal(read, level->read);
        assert_int_equal(written, level->written);
    }
    for (size_t i = 0; i < f->launch_count; i++) {
        const struct sam_system_launch_time *l = &f->launches[i];
        assert_true(l->submitted < l->begun && l->begun <= l->first && l->first < l->end);
        assert_true(l->end <= f->cycles);
        if (i)
            assert_true(l->begun >= l[-1].end);
    }
}
