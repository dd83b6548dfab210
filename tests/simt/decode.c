/* SPDX-License-Identifier: Apache-2.0 */
/* The table-driven decoder against the reference's switch: random words, mutated instructions,
 * and prefixes before them. Both must agree on validity, name and every operand. SAMITE_SEED=N
 * starts from seed N; SAMITE_CASES=N sets the number of words. */

#include "test.h"

#include "isa/isa.h"
#include "random_gen.h"
#include "reference/ref_insn.h"
#include "samite/gpu.h"
#include "samite/isa.h"

static struct sam_isa ventus;

/* The immediate as in the tables, where csr numbers and the AVL of vsetivli have separate slots. */
static bool same_operands(const struct sam_insn *a, const struct ref_insn *b, const char *letters)
{
    for (const char *c = letters; *c; c++) {
        bool same = true;
        switch (*c) {
        case 'd':
        case 'D': same = a->rd == b->rd; break;
        case 's':
        case 'S': same = a->rs1 == b->rs1; break;
        case 't':
        case 'T': same = a->rs2 == b->rs2; break;
        case 'r':
        case 'W': same = a->rs3 == b->rs3; break;
        case 'M': same = a->vm == b->vm; break;
        case 'm': same = a->rm == b->rm; break;
        case 'E': same = a->imm == (int32_t)b->csr; break;
        case 'Z': {
            unsigned value = b->op == REF_VSETIVLI ? b->rs3 : (unsigned)b->imm;
            same = a->rs1 == (value & 255) && a->rs3 == value >> 8;
            break;
        }
        case 'u': same = (uint32_t)a->imm << 12 == (uint32_t)b->imm; break;
        case 'j':
        case 'o':
        case 'q':
        case 'p':
        case 'a':
        case '<':
        case 'i':
        case 'k':
        case 'v':
        case 'w':
        case 'e':
        case 'b':
        case 'x':
        case 'y': same = a->imm == b->imm; break;
        default: break;
        }
        if (!same) {
            fprintf(stderr, "# operand %c\n", *c);
            return false;
        }
    }
    return true;
}

static void check(uint32_t word, uint32_t prefix)
{
    struct sam_insn a;
    struct ref_insn b = ref_decode(word, prefix);
    if (b.pair && !ref_can_pair(b.op))
        b.op = REF_ILLEGAL;
    char name[32];
    ref_name(&b, name, sizeof(name));
    bool legal = sam_decode(&ventus, word, prefix, &a);
    if (legal != (b.op != REF_ILLEGAL))
        fail_msg("word %08x after %08x: the decoder says %s, the reference %s", word, prefix,
                 legal ? sam_insn_rows[a.op].mnemonic : "illegal", b.op ? name : "illegal");
    if (!legal)
        return;
    if (strcmp(name, sam_insn_rows[a.op].mnemonic) != 0)
        fail_msg("word %08x after %08x: the decoder says %s, the reference %s", word, prefix,
                 sam_insn_rows[a.op].mnemonic, name);
    if (!same_operands(&a, &b, sam_insn_rows[a.op].operands))
        fail_msg("word %08x after %08x: operands of %s differ", word, prefix, name);
    if (a.pair != b.pair)
        fail_msg("word %08x after %08x: only one side sees a pair", word, prefix);
}

static uint32_t some_prefix(struct gen_random *r)
{
    static const uint32_t funct3[4] = {2, 3, 5, 7};
    if (gen_once_in(r, 2))
        return 0;
    /* mostly few bits, so that x registers stay below 64 */
    uint32_t imm = gen_u32(r) & 0xfff;
    if (gen_once_in(r, 2)) {
        imm &= 0x249;
        imm &= gen_u32(r);
    }
    return imm << 20 | funct3[gen_below(r, 4)] << 12 | 0x0b;
}

TEST(words_decode_alike)
{
    struct gen_random r = {test_number("SAMITE_SEED", 1) * 2 + 1};
    uint64_t cases = test_number("SAMITE_CASES", 3000000);
    printf("# %llu words from SAMITE_SEED=%llu\n", (unsigned long long)cases,
           (unsigned long long)(r.state / 2));
    for (uint64_t i = 0; i < cases; i++) {
        const struct sam_insn_row *row = &sam_insn_rows[1 + gen_below(&r, SAM_OP_COUNT - 1)];
        uint32_t word = gen_u32(&r);
        switch (gen_below(&r, 4)) {
        case 0: break;
        case 1: word |= 3; break;
        case 2: word = row->match | (word & ~row->mask); break;
        default: word = (row->match | (word & ~row->mask)) ^ 1u << gen_below(&r, 32);
        }
        check(word, some_prefix(&r));
    }
}

/* Every value of the opcode selector fields, for every major opcode. */
TEST(selecting_fields_decode_alike)
{
    for (uint32_t opcode = 0; opcode < 128; opcode++)
        for (uint32_t funct3 = 0; funct3 < 8; funct3++)
            for (uint32_t top = 0; top < 4096; top++)
                for (uint32_t rs1 = 0; rs1 < 32; rs1 += opcode == 0x57 ? 1 : 31)
                    check(top << 20 | rs1 << 15 | funct3 << 12 | opcode, 0);
}

/* A prefix before another one is illegal, whatever their bits. */
TEST(two_prefixes_are_illegal)
{
    static const uint32_t funct3[4] = {2, 3, 5, 7};
    for (int a = 0; a < 4; a++) {
        for (int b = 0; b < 4; b++) {
            struct sam_insn insn;
            uint32_t first = funct3[a] << 12 | 0x0b, second = funct3[b] << 12 | 0x0b;
            assert_true(sam_decode(&ventus, first, 0, &insn));
            assert_false(sam_decode(&ventus, second, first, &insn));
        }
    }
}

/* The assembler rejects the same instructions after a prefix as the reference, and every
 * instruction has a row here. */
TEST(prefixes_are_assembled_before_the_same)
{
    static const char *const prefixes[] = {"regext", "regexti", "regpair", "regpairi"};
    static const uint32_t funct3[4] = {2, 3, 5, 7};
    size_t refused[4] = {0};
    for (int op = 1; op < SAM_OP_COUNT; op++) {
        const struct sam_insn_row *row = &sam_insn_rows[op];
        struct sam_insn insn;
        char name[160], *messages;
        if (!sam_decode(&ventus, row->match, 0, &insn) || (int)insn.op != op ||
            sam_op_is_prefix(insn.op))
            continue;
        sam_disassemble(&ventus, row->match, SAM_CODE_BASE + 4, 0, NULL, name, sizeof name);
        for (int i = 0; i < 4; i++) {
            const struct sam_asm_options options = {.isa = ventus, .base = SAM_CODE_BASE};
            SCOPED_IMAGE *image;
            struct sam_error error;
            const struct ref_insn b = ref_decode(row->match, funct3[i] << 12 | 0x0b);
            const bool legal = b.op != REF_ILLEGAL && (!b.pair || ref_can_pair(b.op));
            FREED char *text = formatted("%s zero, zero, 0\n%s\n", prefixes[i], name);
            const enum sam_status status =
                sam_assemble(&options, "t.s", text, strlen(text), &image, &messages, &error);
            if (legal != (status == SAM_OK))
                fail_msg("%s: %s", text, legal ? messages : "assembled");
            if (!legal && !strstr(messages, "is illegal after this"))
                fail_msg("%s: %s", text, messages);
            refused[i] += !legal;
            sam_text_free(messages);
        }
    }
    printf("# refused after regext %zu, regexti %zu, regpair %zu, regpairi %zu\n", refused[0],
           refused[1], refused[2], refused[3]);
    assert_int_equal(refused[0], 0);
}

PROLOGUE
{
    struct sam_error error;
    if (sam_isa_parse("ventus", &ventus, &error) != SAM_OK)
        exit(1);
}
