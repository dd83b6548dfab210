/* SPDX-License-Identifier: Apache-2.0 */
/* Every row of every table, with random operands: the disassembler's text assembles back to the
 * word, alone and after every kind of prefix. One case per row. */
#include "isa/isa_test.h"

#define ROUNDS ((size_t)400)

static uint64_t seed;

/* An ISA that includes the row. */
static const char *isa_of(const struct sam_insn_row *row)
{
    struct sam_isa ventus = test_isa("ventus");
    if (sam_isa_has_row(row, &ventus))
        return "ventus";
    if (row->on & (SAM_EXT_XTENSORLOAD | SAM_EXT_XMATRIX))
        return "tensor";
    return row->on & SAM_ON_RV64 ? "rv64ima_zicsr_zfinx_zve32f" : "rv32ima_zicsr_zfinx_zve32f";
}

/* Lines of `text` must give `words`. */
static void check_text(const char *isa, const struct sam_buffer *text, const uint32_t *words,
                       size_t count)
{
    SCOPED_IMAGE *image = NULL;
    const struct sam_section *section = test_section(isa, sam_buffer_text(text), ".text", &image);
    assert_int_equal(section->data_size, 4 * count);
    for (size_t i = 0; i < count; i++) {
        if (sam_le32(section->data + 4 * i) == words[i])
            continue;
        const char *line = sam_buffer_text(text);
        for (size_t n = 0; n < i; n++)
            line = strchr(line, '\n') + 1;
        fail_msg("%08x -> '%.*s' -> %08x", words[i], (int)strcspn(line, "\n"), line,
                 sam_le32(section->data + 4 * i));
    }
}

static void put(const struct sam_isa *isa, struct sam_buffer *text, uint32_t word, uint64_t pc,
                uint32_t prefix)
{
    char line[256];
    sam_disassemble(isa, word, pc, prefix, NULL, line, sizeof line);
    assert_true(sam_buffer_printf(text, "%s\n", line));
}

static void test_row(void **state)
{
    const struct sam_insn_row *row = *state;
    const char *name = isa_of(row);
    struct sam_isa isa = test_isa(name);
    static uint32_t words[2 * ROUNDS];
    SCOPED(sam_buffer) text = {0};
    unsigned known = 0;
    for (size_t i = 0; i < 2 * ROUNDS; i += 2) {
        struct sam_insn insn;
        words[i] = row->match | ((uint32_t)test_random(&seed) & ~row->mask);
        words[i + 1] = 0xffffffff; /* no instruction: a prefix has no effect */
        known += sam_decode(&isa, words[i], 0, &insn);
        put(&isa, &text, words[i], 0x80000000 + 4 * i, 0);
        put(&isa, &text, words[i + 1], 0x80000004 + 4 * i, 0);
    }
    assert_true(known > ROUNDS / 2); /* the others have reserved rounding modes */
    check_text(name, &text, words, 2 * ROUNDS);
}

/* The row after an explicit prefix: the text shows the extended registers. */
static void test_prefixed(void **state)
{
    static const enum sam_op prefixes[] = {SAM_OP_regext, SAM_OP_regexti, SAM_OP_regpair,
                                           SAM_OP_regpairi};
    const struct sam_insn_row *row = *state;
    struct sam_isa isa = test_isa("ventus");
    static uint32_t words[2 * ROUNDS];
    SCOPED(sam_buffer) text = {0};
    for (size_t i = 0; i < 2 * ROUNDS; i += 2) {
        uint32_t random = (uint32_t)test_random(&seed);
        words[i] = sam_insn_rows[prefixes[random & 3]].match | (random & 0xfff00000);
        words[i + 1] = row->match | ((uint32_t)test_random(&seed) & ~row->mask);
        put(&isa, &text, words[i], 0x80000000 + 4 * i, 0);
        put(&isa, &text, words[i + 1], 0x80000004 + 4 * i, words[i]);
    }
    check_text("ventus", &text, words, 2 * ROUNDS);
}

static bool same(const struct sam_insn *a, const struct sam_insn *b)
{
    return a->op == b->op && a->rd == b->rd && a->rs1 == b->rs1 && a->rs2 == b->rs2 &&
           a->rs3 == b->rs3 && a->vm == b->vm && a->rm == b->rm && a->pair == b->pair &&
           a->imm == b->imm;
}

/* Registers above the field's 31 add their prefix: the two words decode to them. */
static void test_inserted(void **state)
{
    const struct sam_insn_row *row = *state;
    struct sam_isa isa = test_isa("ventus");
    bool widens = false;
    for (const char *c = row->operands; *c; c++)
        widens |= sam_operand_find(*c) && sam_operand_widens(sam_operand_find(*c));
    enum sam_op prefix_op = widens ? SAM_OP_regexti : SAM_OP_regext;
    unsigned tried = 0;
    for (size_t i = 0; i < ROUNDS; i++) {
        /* mostly small fields: scalar registers end at 63 */
        uint32_t fields = (uint32_t)test_random(&seed) & (i & 3 ? 0x24900000 : 0xfff00000);
        uint32_t prefix = sam_insn_rows[prefix_op].match | fields;
        uint32_t word = row->match | ((uint32_t)test_random(&seed) & ~row->mask);
        struct sam_insn before, after;
        char line[256], *messages;
        if (!sam_decode(&isa, word, prefix, &before))
            continue;
        sam_disassemble(&isa, word, 0x80000000, prefix, NULL, line, sizeof line);
        if (line[0] == '.' || strstr(line, ". + ") || strstr(line, ". - "))
            continue; /* '.' replaces the inserted prefix */
        SCOPED_IMAGE *image = test_assemble("ventus", line, &messages);
        if (!image)
            fail_msg("%08x %08x: %s", prefix, word, messages);
        const uint8_t *data = image->sections[0].data;
        uint32_t inserted = image->sections[0].data_size == 8 ? sam_le32(data) : 0;
        assert_true(sam_decode(&isa, sam_le32(data + (inserted ? 4 : 0)), inserted, &after));
        if (!same(&before, &after))
            fail_msg("%08x %08x -> '%s' -> %08x %08x", prefix, word, line, inserted,
                     sam_le32(data + (inserted ? 4 : 0)));
        tried++;
        sam_text_free(messages);
    }
    if (strpbrk(row->operands, "dsDST") && !strpbrk(row->operands, "pa"))
        assert_true(tried > 0);
}

PROLOGUE
{
    seed = test_seed();
    struct sam_isa ventus = test_isa("ventus");
    for (int op = SAM_OP_ILLEGAL + 1; op < SAM_OP_COUNT; op++) {
        const struct sam_insn_row *row = &sam_insn_rows[op];
        test_add(test_row, row, "%s", row->mnemonic);
        if (!sam_isa_has_row(row, &ventus) || sam_op_is_prefix((enum sam_op)op))
            continue;
        test_add(test_prefixed, row, "%s behind a prefix", row->mnemonic);
        test_add(test_inserted, row, "%s with high registers", row->mnemonic);
    }
}
