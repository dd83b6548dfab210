/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of undefined bits against their definition: a bit of a result is undefined when it
 * differs between two choices of the undefined bits of the sources. All choices are tried. */
#include "test.h"

#include "../random.h"
#include "sanitize/undef_rules.h"

enum { MOST = 4 }; /* undefined bits of one source */

static uint64_t compute(enum sam_undefined rule, uint64_t a, uint64_t b, uint64_t c, unsigned width)
{
    const uint64_t mask = UINT64_MAX >> (64 - width);
    const unsigned amount = (unsigned)b & (width - 1);
    const int64_t signed_a = width == 32 ? (int32_t)a : (int64_t)a;
    const int64_t signed_b = width == 32 ? (int32_t)b : (int64_t)b;
    const uint64_t sign = UINT64_C(1) << (width - 1);
    uint64_t result = 0;
    switch (rule) {
    case SAM_UNDEFINED_COPY: result = a; break;
    case SAM_UNDEFINED_AND: result = a & b; break;
    case SAM_UNDEFINED_OR: result = a | b; break;
    case SAM_UNDEFINED_XOR: result = a ^ b; break;
    case SAM_UNDEFINED_ADD: result = a + b; break;
    case SAM_UNDEFINED_SUB: result = a - b; break;
    case SAM_UNDEFINED_RSUB: result = b - a; break;
    case SAM_UNDEFINED_MUL: result = a * b; break;
    case SAM_UNDEFINED_SLL: result = a << amount; break;
    case SAM_UNDEFINED_SRL: result = a >> amount; break;
    case SAM_UNDEFINED_SRA: result = (uint64_t)(signed_a >> amount); break;
    case SAM_UNDEFINED_EQ: result = a == b; break;
    case SAM_UNDEFINED_LT: result = signed_a < signed_b; break;
    case SAM_UNDEFINED_LTU: result = a < b; break;
    case SAM_UNDEFINED_GT: result = signed_a > signed_b; break;
    case SAM_UNDEFINED_GTU: result = a > b; break;
    case SAM_UNDEFINED_MASK_AND: result = a & b & 1; break;
    case SAM_UNDEFINED_MASK_ANDN: result = a & ~b & 1; break;
    case SAM_UNDEFINED_MASK_OR: result = (a | b) & 1; break;
    case SAM_UNDEFINED_MASK_ORN: result = (a | ~b) & 1; break;
    case SAM_UNDEFINED_MASK_XOR: result = (a ^ b) & 1; break;
    case SAM_UNDEFINED_SELECT: result = c & 1 ? b : a; break;
    case SAM_UNDEFINED_ZEXT8: result = (uint8_t)a; break;
    case SAM_UNDEFINED_ZEXT16: result = (uint16_t)a; break;
    case SAM_UNDEFINED_SEXT8: result = (uint64_t)(int8_t)a; break;
    case SAM_UNDEFINED_SEXT16: result = (uint64_t)(int16_t)a; break;
    case SAM_UNDEFINED_SIGN: result = (a & ~sign) | (b & sign); break;
    case SAM_UNDEFINED_SIGNX: result = a ^ (b & sign); break;
    case SAM_UNDEFINED_ANY: result = (a ^ a >> 7) + b * 3 + c; break; /* something */
    case SAM_UNDEFINED_BIT: result = (a + b + c) % 3 == 0; break;
    case SAM_UNDEFINED_TILE: break;
    }
    return result & mask;
}

/* The low bits of `bits`, moved to the positions set in `places`. */
static uint64_t spread(uint64_t bits, uint64_t places)
{
    uint64_t out = 0;
    for (; places; places &= places - 1, bits >>= 1)
        out |= bits & 1 ? places & -places : 0;
    return out;
}

static uint64_t differing(enum sam_undefined rule, const struct undef_bits part[3], unsigned width,
                          bool same)
{
    const unsigned count[3] = {(unsigned)__builtin_popcountll(part[0].undef),
                               same ? 0 : (unsigned)__builtin_popcountll(part[1].undef),
                               (unsigned)__builtin_popcountll(part[2].undef)};
    uint64_t first = 0, differs = 0;
    for (uint64_t i = 0; i < UINT64_C(1) << (count[0] + count[1] + count[2]); i++) {
        uint64_t value[3], choice = i;
        for (unsigned k = 0; k < 3; k++) {
            value[k] = (part[k].value & ~part[k].undef) | spread(choice, part[k].undef);
            choice >>= count[k];
        }
        if (same)
            value[1] = value[0];
        const uint64_t result = compute(rule, value[0], value[1], value[2], width);
        if (i == 0)
            first = result;
        differs |= result ^ first;
    }
    return differs;
}

/* Numbers near each other, near zero and near the ends, and arbitrary ones. */
static uint64_t random_value(uint64_t *state, unsigned width)
{
    const uint64_t mask = UINT64_MAX >> (64 - width), small = test_below(state, 16);
    switch (test_below(state, 4)) {
    case 0: return small;
    case 1: return (0 - small) & mask;
    case 2: return (UINT64_C(1) << (width - 1)) ^ small;
    default: return test_random(state) & mask;
    }
}

static struct undef_bits random_bits(uint64_t *state, unsigned width)
{
    struct undef_bits bits = {.value = random_value(state, width)};
    for (uint64_t count = test_below(state, MOST + 1); count; count--)
        bits.undef |= UINT64_C(1) << test_below(state, test_below(state, 2) ? 6 : width);
    return bits;
}

static bool is_exact(enum sam_undefined rule, const struct undef_bits part[3], unsigned width)
{
    switch (rule) {
    case SAM_UNDEFINED_ANY:
    case SAM_UNDEFINED_BIT: return false;
    case SAM_UNDEFINED_MUL:
        return (!part[0].undef && !part[0].value) || (!part[1].undef && !part[1].value);
    case SAM_UNDEFINED_SLL:
    case SAM_UNDEFINED_SRL:
    case SAM_UNDEFINED_SRA: return (part[1].undef & (width - 1)) == 0;
    default: return true;
    }
}

TEST(rules_agree_with_all_choices)
{
    uint64_t seed = test_seed();
    for (unsigned rule = 0; rule < SAM_UNDEFINED_TILE; rule++) {
        for (unsigned i = 0; i < 400; i++) {
            const unsigned width = test_below(&seed, 4) ? 32 : 64;
            const bool three = rule == SAM_UNDEFINED_SELECT || rule == SAM_UNDEFINED_ANY ||
                               rule == SAM_UNDEFINED_BIT;
            const bool same = test_below(&seed, 8) == 0 && !three;
            struct undef_bits part[3] = {random_bits(&seed, width), random_bits(&seed, width)};
            if (test_below(&seed, 4) == 0)
                part[1].value = part[0].value;
            if (test_below(&seed, 16) == 0)
                part[test_below(&seed, 2)] = (struct undef_bits){0};
            if (same)
                part[1] = part[0];
            if (three) {
                part[2] = random_bits(&seed, width);
                part[2].undef &= 1;
            }
            const uint64_t expected = differing((enum sam_undefined)rule, part, width, same);
            const uint64_t got =
                sam_undef_combine((enum sam_undefined)rule, part[0], part[1], part[2], width, same);
            const bool exact = is_exact((enum sam_undefined)rule, part, width) &&
                               (!same || rule == SAM_UNDEFINED_AND || rule == SAM_UNDEFINED_OR ||
                                rule == SAM_UNDEFINED_XOR || rule == SAM_UNDEFINED_SUB ||
                                rule == SAM_UNDEFINED_EQ ||
                                (rule >= SAM_UNDEFINED_LT && rule <= SAM_UNDEFINED_GTU));
            if (exact ? got != expected : (expected & ~got) != 0)
                fail_msg("rule %u width %u%s: %#" PRIx64 "/%#" PRIx64 ", %#" PRIx64 "/%#" PRIx64
                         ": %#" PRIx64 ", expected %#" PRIx64,
                         rule, width, same ? ", one register" : "", part[0].value, part[0].undef,
                         part[1].value, part[1].undef, got, expected);
        }
    }
}

/* Every instruction of a warp that names registers lists them in its row. */
TEST(every_row_has_its_registers)
{
    struct sam_isa isa;
    succeeds(sam_isa_parse, "ventus", &isa);
    for (unsigned op = 1; op < SAM_OP_COUNT; op++) {
        const struct sam_insn_row *insn = &sam_insn_rows[op];
        struct undef_row row;
        if (!sam_isa_has_row(insn, &isa))
            continue;
        sam_undef_row((enum sam_op)op, &row);
        unsigned results = 0, sources = 0;
        for (const char *l = insn->operands; *l; l++) {
            results += strchr("dD", *l) != NULL;
            sources += strchr("strSTW0", *l) != NULL;
        }
        const bool control = row.act == SAM_ACT_SYNC || row.act == SAM_ACT_JOIN ||
                             row.act == SAM_ACT_PREFIX || row.act == SAM_ACT_SYSTEM;
        unsigned known = row.data.file != SAM_OPERAND_NONE;
        for (unsigned i = 0; i < row.source_count; i++)
            known += row.sources[i].file != SAM_OPERAND_IMM;
        const bool adds = strstr(insn->meaning, "+ vd[i]") || strstr(insn->meaning, "- vd[i]") ||
                          strstr(insn->meaning, "* vd[i]") || strstr(insn->meaning, "vd +=");
        if (results != (row.result != SAM_OPERAND_NONE) && !control)
            fail_msg("%s: result", insn->mnemonic);
        if (known != (control ? 0 : sources + adds))
            fail_msg("%s: %u sources, expected %u", insn->mnemonic, known,
                     control ? 0 : sources + adds);
    }
}
