/* SPDX-License-Identifier: Apache-2.0 */
#include "hart/program.h"

#include "assemble.h"
#include "hart/core.h"

struct program program_new(const char *isa, const struct sam_hart_options *options,
                           const char *text)
{
    return program_new_in(NULL, isa, options, text);
}

struct program program_new_in(const struct sam_hart_home *home, const char *isa,
                              const struct sam_hart_options *options, const char *text)
{
    struct program p = {0};
    struct sam_hart_options o = {0};
    if (options)
        o = *options;
    succeeds(sam_isa_parse, isa, &o.isa);
    p.image = test_assemble(isa, SAM_HART_CODE_BASE, NULL, text);
    succeeds(sam_hart_new_in, home, &o, &p.hart);
    succeeds(sam_hart_map, p.hart, DATA_BASE, DATA_SIZE);
    succeeds(sam_hart_load, p.hart, p.image);
    return p;
}

void program_free(struct program *p)
{
    sam_hart_free(p->hart);
    sam_image_free(p->image);
    *p = (struct program){0};
}

enum sam_status program_run(struct program *p)
{
    return sam_hart_run(p->hart, &p->result, &p->error);
}

void program_expect(struct program *p, enum sam_hart_end end)
{
    enum sam_status status = program_run(p);
    if (p->result.end != end)
        fail_msg("ended with %d, not %d: %s", (int)p->result.end, (int)end, p->error.text);
    bool good = end == SAM_HART_EXIT || end == SAM_HART_EBREAK || end == SAM_HART_UNTIL;
    assert_int_equal(status == SAM_OK, good);
}

void program_expect_trap(struct program *p, unsigned cause, uint64_t tval)
{
    program_expect(p, SAM_HART_TRAP);
    if (p->result.cause != cause || p->result.tval != tval)
        fail_msg("cause %u, tval 0x%llx; expected %u, 0x%llx (%s)", p->result.cause,
                 (unsigned long long)p->result.tval, cause, (unsigned long long)tval,
                 p->result.text);
}

void program_write(struct program *p, uint64_t address, const void *data, size_t size)
{
    if (sam_hart_write(p->hart, address, data, size, &p->error) != SAM_OK)
        fail_msg("%s", p->error.text);
}

void program_read(struct program *p, uint64_t address, void *data, size_t size)
{
    if (sam_hart_read(p->hart, address, data, size, &p->error) != SAM_OK)
        fail_msg("%s", p->error.text);
}

uint64_t program_a0(const char *isa, const char *text)
{
    SCOPED(sam_buffer) source = {0};
    sam_buffer_printf(&source, "%s\n ebreak\n", text);
    SCOPED(program) p = program_new(isa, NULL, sam_buffer_text(&source));
    program_expect(&p, SAM_HART_EBREAK);
    uint64_t a0 = sam_hart_x(p.hart, 10);
    return a0;
}
