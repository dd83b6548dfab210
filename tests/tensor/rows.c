/* SPDX-License-Identifier: Apache-2.0 */
/* Every row of the TensorLoad table runs and has an effect, on a hart of either XLEN: a row
 * without a handler, or without operands in this file, fails. Their semantics are tested in the
 * other files. */

#include "isa/isa.h"
#include "tensor/unit.h"

enum { BASE = 10, SIZES = 11 };

/* Registers and memory that suit every row: tl1 and tl2 are sources, tl3 the destination. */
static uint32_t word_of(const struct sam_insn_row *row)
{
    uint32_t word = row->match;
    bool xpose = strncmp(row->mnemonic, "tl.xpose", 8) == 0;
    for (const char *l = row->operands; *l; l++) {
        const struct sam_operand *operand = sam_operand_find(*l);
        if (!operand)
            continue;
        if (operand->kind == SAM_KIND_TL)
            word = sam_operand_put(operand, word,
                                   operand->slot == SAM_SLOT_RD    ? 3
                                   : operand->slot == SAM_SLOT_RS1 ? 1
                                                                   : 2);
        else if (operand->kind == SAM_KIND_X)
            word = sam_operand_put(operand, word, xpose ? SIZES : BASE);
        else if (operand->kind == SAM_KIND_SIGNED)
            word = sam_operand_put(operand, word, 1);
        else
            fail_msg("%s: an operand of a kind that this test does not know", row->mnemonic);
    }
    return word;
}

/* [4,8,8,8] bytes and as many bytes of wider elements. */
static unsigned sizes_of(const struct sam_insn_row *row)
{
    if (strncmp(row->mnemonic, "tl.xpose.", 9) != 0)
        return 0;
    switch (row->mnemonic[9]) {
    case 'h': return 0x08080404;
    case 'w': return 0x08040404;
    case 'd': return 0x04040404;
    default: return 0x08080804;
    }
}

TEST(every_row_runs)
{
    FREED struct snapshot *s = malloc(2 * sizeof *s);
    unsigned rows = 0;
    assert_non_null(s);
    for (int op = SAM_OP_ILLEGAL + 1; op < SAM_OP_COUNT; op++) {
        const struct sam_insn_row *row = &sam_insn_rows[op];
        if (!(row->on & SAM_EXT_XTENSORLOAD))
            continue;
        SCOPED(sam_buffer) setup = {0}, insn = {0};
        sam_buffer_printf(&setup,
                          "li a0, 0x10000\nli a1, %u\nli t0, 0x080810\ncsrw tshape, t0\n"
                          "csrwi tmask_load, 6\ncsrwi tmask_store, 5\ncsrwi tmask_concat_1, 6\n"
                          "csrwi tmask_concat_2, 3\n",
                          sizes_of(row));
        sam_buffer_printf(&insn, ".word 0x%08x", word_of(row));
        struct program p =
            unit_new(rows % 2 ? RV32 : RV64, NULL, sam_buffer_text(&setup), sam_buffer_text(&insn));
        unit_take(&p, &s[0]);
        if (program_run(&p) != SAM_OK)
            fail_msg("%s: %s", row->mnemonic, p.error.text);
        unit_take(&p, &s[1]);
        if (memcmp(s[0].tl, s[1].tl, sizeof s->tl) == 0 &&
            memcmp(s[0].data, s[1].data, sizeof s->data) == 0)
            fail_msg("%s did nothing", row->mnemonic);
        assert_memory_equal(s[0].x, s[1].x, sizeof s->x);
        assert_memory_equal(s[0].csr, s[1].csr, sizeof s->csr);
        program_free(&p);
        rows++;
    }
    assert_true(rows > 0);
}
