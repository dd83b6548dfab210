/* SPDX-License-Identifier: Apache-2.0 */
/* The tables themselves: no word has two meanings, fields do not overlap, every text is
 * well-formed. */
#include "isa/isa_test.h"

/* A row, or an alternative encoding of one. */
struct code {
    int op;
    uint32_t match, mask;
};

static struct code code_at(int index)
{
    const struct sam_encoding_row *more = &sam_encoding_rows[index - SAM_OP_COUNT];
    if (index < SAM_OP_COUNT)
        return (struct code){index, sam_insn_rows[index].match, sam_insn_rows[index].mask};
    return (struct code){(int)more->op, more->match, more->mask};
}

/* EngineIDs of the words of a row that have one; all of them for other rows. */
static unsigned engines_of(const struct sam_insn_row *row)
{
    if (row->engines)
        return row->engines;
    return row->mask >> 30 == 3 ? 1u << (row->match >> 30) : SAM_ENGINES_ALL;
}

/* Both rows can be enabled in one hart. */
static bool together(const struct sam_insn_row *a, const struct sam_insn_row *b)
{
    uint32_t both = a->on | b->on;
    if (!(engines_of(a) & engines_of(b)))
        return false;
    bool other = both & (SAM_EXT_XTENSORLOAD | SAM_EXT_XMATRIX | SAM_ON_SYSTEM);
    if ((both & SAM_EXT_XVENTUS) && (other || (both & SAM_ON_RV64)))
        return false;
    return (both & (SAM_ON_RV32 | SAM_ON_RV64)) != (SAM_ON_RV32 | SAM_ON_RV64);
}

/* fence.tso is one of the fence words; the order of the table resolves it. */
static bool meant(int a, int b)
{
    return a == SAM_OP_fence_tso && b == SAM_OP_fence;
}

TEST(test_no_word_matches_two_rows)
{
    for (int a = 1; a < SAM_OP_COUNT + (int)sam_encoding_row_count; a++) {
        for (int b = a + 1; b < SAM_OP_COUNT + (int)sam_encoding_row_count; b++) {
            struct code x = code_at(a), y = code_at(b);
            const struct sam_insn_row *p = &sam_insn_rows[x.op], *q = &sam_insn_rows[y.op];
            bool overlap = ((x.match ^ y.match) & x.mask & y.mask) == 0;
            if (overlap && together(p, q) && !meant(a, b))
                fail_msg("%s (%08x/%08x) and %s (%08x/%08x)", p->mnemonic, x.match, x.mask,
                         q->mnemonic, y.match, y.mask);
        }
    }
}

TEST(test_match_within_mask)
{
    for (int i = 1; i < SAM_OP_COUNT + (int)sam_encoding_row_count; i++) {
        struct code code = code_at(i);
        if ((code.match & ~code.mask) || (code.mask & 0x7f) != 0x7f || (code.match & 3) != 3)
            fail_msg("%s: match %08x, mask %08x", sam_insn_rows[code.op].mnemonic, code.match,
                     code.mask);
        /* operands are decoded by the row: an alternative encoding fixes the same bits */
        assert_int_equal(code.mask, sam_insn_rows[code.op].mask);
    }
}

static uint32_t bits_of(const struct sam_operand *operand)
{
    return sam_operand_put(operand, 0, -1);
}

TEST(test_operands_do_not_collide)
{
    for (int op = 1; op < SAM_OP_COUNT; op++) {
        const struct sam_insn_row *row = &sam_insn_rows[op];
        uint32_t used = row->mask;
        for (const char *c = row->operands; *c; c++) {
            const struct sam_operand *operand = sam_operand_find(*c);
            if (!operand) {
                assert_non_null(strchr(",()[]", *c));
                continue;
            }
            if (used & bits_of(operand))
                fail_msg("%s: %s lies on other bits", row->mnemonic, operand->name);
            used |= bits_of(operand);
        }
        uint32_t free_bits = ~used;
        const struct sam_suffix *suffix = sam_suffix_of(row);
        if (suffix) {
            assert_int_equal(used >> suffix->low & 3, 0);
            assert_int_equal(sam_suffix_default(row) & ~(3u << suffix->low), 0);
            free_bits &= ~(3u << suffix->low);
        }
        /* fence: fm, rs1, rd are reserved for finer fences; fence.i: imm, rs1, rd */
        if (free_bits && op != SAM_OP_fence && op != SAM_OP_fence_i)
            fail_msg("%s: bits %08x have no meaning", row->mnemonic, free_bits);
    }
}

/* Every value of the field, and no other, survives put and get. */
TEST(test_operand_put_get)
{
    for (int letter = '!'; letter < 127; letter++) {
        const struct sam_operand *operand = sam_operand_find((char)letter);
        int64_t low, high;
        if (!operand || !bits_of(operand))
            continue;
        sam_operand_range(operand, &low, &high);
        int64_t step = INT64_C(1) << operand->shift;
        for (int64_t v = low; v <= high; v += step) {
            assert_true(sam_operand_fits(operand, v));
            uint32_t word = sam_operand_put(operand, 0xa5a5a5a5, (int32_t)v);
            assert_int_equal(sam_operand_get(operand, word), v);
            assert_int_equal((word ^ 0xa5a5a5a5) & ~bits_of(operand), 0);
        }
        assert_false(sam_operand_fits(operand, low - step));
        assert_false(sam_operand_fits(operand, high + step));
        if (step > 1)
            assert_false(sam_operand_fits(operand, low + 1));
    }
}

TEST(test_texts)
{
    for (int op = 1; op < SAM_OP_COUNT; op++) {
        const struct sam_insn_row *row = &sam_insn_rows[op];
        assert_true(row->mnemonic[0] && row->meaning[0] && row->source[0] && row->on);
    }
    for (size_t i = 0; i < sam_csr_row_count; i++) {
        assert_true(sam_csr_rows[i].address < 4096);
        assert_true(sam_csr_rows[i].meaning[0]);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(sam_csr_rows[i].name, sam_csr_rows[j].name);
    }
}

static bool is_access_to_one(const struct sam_uses *uses, const struct sam_does *does)
{
    const bool stores = does->act == SAM_ACT_STORE || does->act == SAM_ACT_ATOMIC;
    unsigned bases = 0, data = 0;
    for (unsigned i = 0; i < uses->count; i++) {
        bases += uses->sources[i].role == SAM_ROLE_ADDRESS && uses->sources[i].slot == SAM_SLOT_RS1;
        data += uses->sources[i].role == SAM_ROLE_DATA;
    }
    return bases == 1 && data == stores &&
           (uses->result != SAM_OPERAND_NONE) != (does->act == SAM_ACT_STORE);
}

/* An access has a base address, and a data operand exactly if it is a store. */
TEST(test_uses)
{
    for (unsigned op = 1; op < SAM_OP_COUNT; op++) {
        const struct sam_insn_row *row = &sam_insn_rows[op];
        const struct sam_uses uses = sam_op_uses((enum sam_op)op);
        if (row->does.bytes && !is_access_to_one(&uses, &row->does))
            fail_msg("%s: base, data or result", row->mnemonic);
        if (!row->does.bytes && row->does.latency == SAM_LATENCY_MEMORY)
            fail_msg("%s: an access of 0 bytes", row->mnemonic);
        if (row->does.no_registers && (uses.count || uses.result))
            fail_msg("%s: has registers", row->mnemonic);
        if (row->does.reads_vd && uses.sources[uses.count - 1].slot != SAM_SLOT_RD)
            fail_msg("%s: vd is not its last source", row->mnemonic);
    }
}

/* The public interface describes all 32 bits of each row. */
TEST(test_entries_cover_the_word)
{
    struct sam_isa_entry entry;
    size_t index = 0;
    for (; sam_isa_entry_get(index, &entry); index++) {
        int next = 31;
        if (entry.expansion) {
            assert_int_equal(entry.field_count, 0);
            continue;
        }
        uint32_t fixed = 0, value = 0;
        for (size_t i = 0; i < entry.field_count; i++) {
            const struct sam_isa_field *f = &entry.fields[i];
            assert_int_equal(f->high, next);
            assert_true(f->low <= f->high && f->name[0]);
            next = (int)f->low - 1;
            for (unsigned b = 0; f->fixed && b <= f->high - f->low; b++) {
                fixed |= 1u << (f->high - b);
                value |= (uint32_t)(f->name[b] == '1') << (f->high - b);
            }
        }
        assert_int_equal(next, -1);
        assert_int_equal(fixed, entry.mask);
        assert_int_equal(value, entry.match);
    }
    assert_int_equal(index, SAM_OP_COUNT - 1 + sam_pseudo_row_count);
}

TEST(test_registers)
{
    for (unsigned i = 0; i < 256; i++) {
        char name[8];
        int size = snprintf(name, sizeof name, "v%u", i);
        assert_int_equal(sam_register_v(name, (size_t)size), i);
        name[0] = 'x';
        assert_int_equal(sam_register_x(name, (size_t)size), i < 64 ? (int)i : -1);
        if (i < 64)
            assert_int_equal(sam_register_x(sam_register_x_name(i), strlen(sam_register_x_name(i))),
                             i);
    }
    assert_int_equal(sam_register_x("fp", 2), 8);
    assert_int_equal(sam_register_x("x01", 3), -1);
    assert_int_equal(sam_register_v("v256", 4), -1);
}

/* Strings as compilers and ELF attributes spell them, and messages for unsupported ones. */
TEST(test_isa_strings)
{
    static const char *const same[][2] = {
        {"rv32i2p1_m2p0_a2p1_zicsr2p0_zifencei2p0", "rv32ima_zicsr"},
        {"RV64IMA_Zicsr_Zicntr", "rv64ima_zicsr"},
        {"rv64ima_zfinx1p0", "rv64ima_zicsr_zfinx"},
        {"rv32i2m2", "rv32im"},
        {"rv32im_zve32f", "rv32im_zicsr_zve32f"},
    };
    static const char *const refused[][2] = {
        {"rv32g", "'rv32g': no machine has f, d; floating point is in integer registers (zfinx)"},
        {"rv64imafdc", "no machine has f, d, c; floating point"},
        {"rv64imac_zicsr", "'rv64imac_zicsr': no machine has c; compile without C"},
        {"rv64ima_v", "no machine has v"},
        {"rv32e", "no machine has e"},
        {"rv32im_zfh1p0", "unknown extension 'zfh'"},
        {"rv32im_q", "unknown extension 'q'"},
        {"rv32m", "expected 'i' or 'g' after rv32"},
        {"rv32", "expected 'i' or 'g' after rv32"},
    };
    struct sam_isa one, two;
    struct sam_error error;
    for (size_t i = 0; i < SAM_COUNT(same); i++) {
        succeeds(sam_isa_parse, same[i][0], &one);
        succeeds(sam_isa_parse, same[i][1], &two);
        assert_memory_equal(&one, &two, sizeof one);
    }
    for (size_t i = 0; i < SAM_COUNT(refused); i++) {
        assert_int_equal(sam_isa_parse(refused[i][0], &one, &error), SAM_ERR_USAGE);
        if (!strstr(error.text, refused[i][1]))
            fail_msg("%s: %s", refused[i][0], error.text);
    }
}

TEST(test_csr_names)
{
    struct sam_isa ventus = test_isa("ventus"), plain = test_isa("rv32i_zicsr");
    assert_int_equal(sam_csr_address(&ventus, "tid", 3), 0x800);
    assert_int_equal(sam_csr_address(&ventus, "CSR_TID", 7), 0x800);
    assert_int_equal(sam_csr_address(&ventus, "gidx", 4), 0x808);
    assert_int_equal(sam_csr_address(&ventus, "gdx", 3), 0x808);
    assert_int_equal(sam_csr_address(&plain, "tid", 3), -1);
    assert_string_equal(sam_csr_name(&ventus, 0x80c), "rpc");
    assert_null(sam_csr_name(&plain, 0x80c));
}

/* Cached texts equal those of the disassembler after any eviction. */
TEST(test_kept_texts)
{
    static const uint32_t words[] = {0x00a00513, 0xfe000ee3, 0x0000006f, 0, 0xffffffff};
    static const uint64_t pcs[] = {0x80000000, 0x80001000, 0x80000004, 0};
    const struct sam_isa isa = test_isa("ventus");
    struct sam_texts *texts = sam_texts_new();
    assert_non_null(texts);
    for (size_t i = 0; i < 3 * SAM_COUNT(words) * SAM_COUNT(pcs); i++) {
        const uint32_t word = words[i / 2 % SAM_COUNT(words)];
        const uint64_t pc = pcs[i % SAM_COUNT(pcs)];
        char text[160];
        sam_disassemble(&isa, word, pc, 0, NULL, text, sizeof text);
        for (int again = 0; again < 2; again++)
            assert_string_equal(sam_texts_of(texts, &isa, word, pc, NULL), text);
    }
    sam_texts_free(texts);
}

/* The first row of the ISA, in decoding order, that matches the word. */
static int row_of(const struct sam_isa *isa, uint32_t word)
{
    for (int i = 1; i < SAM_OP_COUNT + (int)sam_encoding_row_count; i++) {
        const struct code code = code_at(i);
        const struct sam_insn_row *row = &sam_insn_rows[code.op];
        if ((word & code.mask) == code.match && sam_isa_has_row(row, isa) &&
            (engines_of(row) >> (word >> 30) & 1 || !row->engines))
            return code.op;
    }
    return SAM_OP_ILLEGAL;
}

/* Words of every encoding with all other bits random, and with one bit of the encoding flipped. */
TEST(test_found_as_in_the_table)
{
    static const char *const isas[] = {"ventus", "tensor", "rv32i", "rv64im", "rv32ima_zicsr"};
    uint64_t r = test_seed();
    for (size_t k = 0; k < sizeof isas / sizeof isas[0]; k++) {
        const struct sam_isa isa = test_isa(isas[k]);
        for (int i = 1; i < SAM_OP_COUNT + (int)sam_encoding_row_count; i++) {
            const struct code code = code_at(i);
            for (unsigned n = 0; n < 48; n++) {
                uint32_t word = code.match | ((uint32_t)test_random(&r) & ~code.mask);
                if (n >= 16)
                    word ^= UINT32_C(1) << (n - 16);
                if (sam_op_find(&isa, word) != (enum sam_op)row_of(&isa, word))
                    fail_msg("%s: 0x%08x is %s: expected %s", isas[k], word,
                             sam_insn_rows[sam_op_find(&isa, word)].mnemonic,
                             sam_insn_rows[row_of(&isa, word)].mnemonic);
            }
        }
    }
}
