/* SPDX-License-Identifier: Apache-2.0 */
#include "tensor/unit.h"

uint8_t unit_pattern(unsigned tl, unsigned i)
{
    return (uint8_t)((i * 167 + 13 + (i >> 8) * 3) ^ (tl * 29));
}

struct program unit_new(const char *isa, const struct sam_hart_options *options, const char *setup,
                        const char *insn)
{
    struct sam_buffer text = {0};
    uint8_t bytes[DATA_SIZE];
    sam_buffer_printf(&text, "%s\ninsn: %s\nbehind: ebreak\n", setup, insn);
    struct program p = program_new(isa, options, sam_buffer_text(&text));
    sam_buffer_free(&text);
    for (unsigned tl = 1; tl < 32; tl++) {
        for (unsigned i = 0; i < TL_SIZE; i++)
            bytes[i] = unit_pattern(tl, i);
        sam_hart_set_tl(p.hart, tl, bytes);
    }
    for (unsigned i = 0; i < DATA_SIZE; i++)
        bytes[i] = unit_pattern(32, i);
    program_write(&p, DATA_BASE, bytes, sizeof bytes);
    const uint64_t insn_pc = sam_image_find(p.image, "insn")->value;
    while (sam_hart_pc(p.hart) != insn_pc)
        if (sam_hart_step(p.hart, &p.result, &p.error) != SAM_OK)
            fail_msg("setup: %s", p.error.text);
    return p;
}

void unit_take(struct program *p, struct snapshot *s)
{
    *s = (struct snapshot){0};
    for (unsigned i = 0; i < 32; i++) {
        memcpy(s->tl[i], sam_hart_tl(p->hart, i), TL_SIZE);
        s->x[i] = sam_hart_x(p->hart, i);
    }
    for (unsigned i = 0; i < 72; i++)
        assert_true(sam_hart_csr(p->hart, 0x880 + i, &s->csr[i]));
    program_read(p, DATA_BASE, s->data, sizeof s->data);
}

void unit_traps(struct program *p, unsigned cause, uint64_t tval)
{
    FREED struct snapshot *s = malloc(2 * sizeof *s);
    uint8_t word[4];
    assert_non_null(s);
    uint64_t pc = sam_image_find(p->image, "insn")->value;
    program_read(p, pc, word, 4);
    unit_take(p, &s[0]);
    program_expect_trap(p, cause, tval == UNIT_WORD ? sam_le32(word) : tval);
    unit_take(p, &s[1]);
    assert_int_equal(p->result.pc, pc);
    assert_int_equal(p->result.instructions, 0);
    assert_memory_equal(&s[0], &s[1], sizeof *s);
}

void unit_passes(struct program *p)
{
    program_expect(p, SAM_HART_EBREAK);
    assert_int_equal(p->result.pc, sam_image_find(p->image, "behind")->value);
}

void unit_set(struct program *p, unsigned tl, const void *bytes, size_t size)
{
    uint8_t all[TL_SIZE];
    memcpy(all, sam_hart_tl(p->hart, tl), sizeof all);
    memcpy(all, bytes, size);
    sam_hart_set_tl(p->hart, tl, all);
}

void unit_expect(struct program *p, unsigned tl, unsigned at, const void *bytes, size_t size)
{
    const uint8_t *have = sam_hart_tl(p->hart, tl), *want = bytes;
    for (size_t i = 0; i < size; i++)
        if (have[at + i] != want[i])
            fail_msg("tl%u byte %zu: %02x, expected %02x", tl, at + i, have[at + i], want[i]);
}
