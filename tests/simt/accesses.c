/* SPDX-License-Identifier: Apache-2.0 */
/* Loads and stores of all lanes against the reference of tests/reference: every instruction,
 * with the address patterns that the handlers distinguish and at their borders (ends of blocks,
 * of pages, of buffers and of the address space), under every kind of mask and in warps of every
 * width. Memory and traps must agree, including the lane and the address of a trap.
 * SAMITE_SEED=N repeats a run; SAMITE_CASES=N sets the number of programs. */

#include "test.h"

#include "program.h"
#include "reference/ventus_ref.h"

enum { OPS = 4, WORDS = 64, PER_OP = 0x1000, LDS = 0x70000000, LDS_USED = 0x3000 };

/* Two pages and a part of another; one that begins and ends within a page; the last two. */
static const struct place {
    uint32_t base, size;
} places[] = {
    {0xa0000000, 0x2ff4}, {0xa0004104, 0xe7e}, {0xa0006000, 0x1a01}, {0xffffe000, 0x2000}};
enum { PLACES = sizeof places / sizeof places[0] };

static const struct insn {
    const char *text;
    uint32_t size;
    enum { PER_LANE, PRIVATE, UNIT, STRIDED, INDEX8, INDEX16, INDEX32 } form;
} insns[] = {
    {"vlw12.v v4, %d(v2)", 4, PER_LANE},
    {"vlh12.v v4, %d(v2)", 2, PER_LANE},
    {"vlb12.v v4, %d(v2)", 1, PER_LANE},
    {"vlhu12.v v4, %d(v2)", 2, PER_LANE},
    {"vlbu12.v v4, %d(v2)", 1, PER_LANE},
    {"vsw12.v v4, %d(v2)", 4, PER_LANE},
    {"vsh12.v v4, %d(v2)", 2, PER_LANE},
    {"vsb12.v v4, %d(v2)", 1, PER_LANE},
    {"vlw.v v4, %d(v2)", 4, PRIVATE},
    {"vlh.v v4, %d(v2)", 2, PRIVATE},
    {"vlb.v v4, %d(v2)", 1, PRIVATE},
    {"vlhu.v v4, %d(v2)", 2, PRIVATE},
    {"vlbu.v v4, %d(v2)", 1, PRIVATE},
    {"vsw.v v4, %d(v2)", 4, PRIVATE},
    {"vsh.v v4, %d(v2)", 2, PRIVATE},
    {"vsb.v v4, %d(v2)", 1, PRIVATE},
    {"vle8.v v4, (a1)", 1, UNIT},
    {"vle16.v v4, (a1)", 2, UNIT},
    {"vle32.v v4, (a1)", 4, UNIT},
    {"vse8.v v4, (a1)", 1, UNIT},
    {"vse16.v v4, (a1)", 2, UNIT},
    {"vse32.v v4, (a1)", 4, UNIT},
    {"vlse8.v v4, (a1), a2", 1, STRIDED},
    {"vlse16.v v4, (a1), a2", 2, STRIDED},
    {"vlse32.v v4, (a1), a2", 4, STRIDED},
    {"vsse8.v v4, (a1), a2", 1, STRIDED},
    {"vsse16.v v4, (a1), a2", 2, STRIDED},
    {"vsse32.v v4, (a1), a2", 4, STRIDED},
    {"vluxei8.v v4, (a1), v2", 4, INDEX8},
    {"vluxei16.v v4, (a1), v2", 4, INDEX16},
    {"vluxei32.v v4, (a1), v2", 4, INDEX32},
    {"vloxei32.v v4, (a1), v2", 4, INDEX32},
    {"vsuxei8.v v4, (a1), v2", 4, INDEX8},
    {"vsuxei16.v v4, (a1), v2", 4, INDEX16},
    {"vsuxei32.v v4, (a1), v2", 4, INDEX32},
    {"vsoxei32.v v4, (a1), v2", 4, INDEX32},
};

struct op {
    const struct insn *insn;
    int32_t imm;
    uint32_t base, stride;
    bool under_v0, two; /* vm = 0; LMUL 2 */
    uint32_t at[WORDS], data[WORDS], v0[WORDS], active[WORDS];
};

static bool once_in(uint64_t *r, uint64_t n)
{
    return test_below(r, n) == 0;
}

/* Within `range`, most often a multiple of 4. */
static uint32_t some_offset(uint64_t *r, uint32_t range)
{
    const uint32_t offset = (uint32_t)test_below(r, range);
    return once_in(r, 4) ? offset : offset & ~3u;
}

/* An address in a buffer or local memory, or a few elements before the end of one or of a page. */
static uint32_t some_address(uint64_t *r)
{
    const uint64_t which = test_below(r, PLACES + 1);
    const struct place place = which == PLACES ? (struct place){LDS, LDS_USED} : places[which];
    const uint32_t near = (uint32_t)test_below(r, 160) & ~3u;
    switch (test_below(r, 4)) {
    case 0: return place.base + place.size - near;
    case 1: return (place.base & ~0xfffu) + 0x1000 * (1 + (uint32_t)test_below(r, 2)) - near;
    default: return place.base + some_offset(r, place.size);
    }
}

/* Addresses of elements of `size` bytes in a random pattern. `range`: size of private memory, or 0.
 */
static void fill_addresses(uint64_t *r, uint32_t at[WORDS], uint32_t size, uint32_t range)
{
    const uint64_t pattern = test_below(r, 10);
    const uint32_t base = range ? some_offset(r, range) : some_address(r);
    const uint32_t stride = some_offset(r, 512), few = 1 + (uint32_t)test_below(r, 4);
    for (uint32_t i = 0; i < WORDS; i++) {
        switch (pattern) {
        case 0: at[i] = base; break;
        case 1: at[i] = base + i * size; break;
        case 2: at[i] = base - i * size; break;
        case 3: at[i] = base + i * stride; break;
        case 4: at[i] = (base & ~127u) + ((uint32_t)test_below(r, 128) & -size); break;
        case 5: at[i] = (base & ~0xfffu) + ((uint32_t)test_below(r, 4096) & -size); break;
        case 6: at[i] = base + ((uint32_t)test_below(r, 0x3000) & -size); break;
        case 7: at[i] = base + (i / 8) * stride + (i % 8) * size; break;
        case 8: at[i] = base + (uint32_t)test_below(r, few) * size; break;
        default: at[i] = range ? some_offset(r, range) : some_address(r) & -size;
        }
        if (range)
            at[i] %= range;
    }
    if (once_in(r, 4)) /* one lane elsewhere */
        at[test_below(r, WORDS)] += once_in(r, 2) ? 1 : (uint32_t)test_random(r);
}

static void fill_mask(uint64_t *r, uint32_t mask[WORDS])
{
    const uint64_t kind = test_below(r, 4), from = test_below(r, 32), count = test_below(r, 33);
    for (uint32_t i = 0; i < WORDS; i++)
        mask[i] = kind == 0   ? 1
                  : kind == 1 ? i % 32 >= from && i % 32 < from + count
                  : kind == 2 ? i % 32 == from
                              : (uint32_t)test_below(r, 2);
}

static struct op make_op(uint64_t *r)
{
    struct op op = {.insn = &insns[test_below(r, sizeof insns / sizeof insns[0])],
                    .stride = once_in(r, 2) ? some_offset(r, 64) : 0u - some_offset(r, 4096),
                    .under_v0 = once_in(r, 4),
                    .two = once_in(r, 6)};
    const uint32_t size = op.insn->size;
    const bool per_lane = op.insn->form <= PRIVATE;
    fill_addresses(r, op.at, size, op.insn->form == PRIVATE ? 1024 : 0);
    op.imm = per_lane ? (int32_t)test_below(r, 256) * 4 - 512 : 0;
    op.base = some_address(r);
    for (uint32_t i = 0; i < WORDS; i++) {
        op.data[i] = (uint32_t)test_random(r);
        if (per_lane)
            op.at[i] -= (uint32_t)op.imm;
        else if (op.insn->form == INDEX32)
            op.at[i] -= op.base;
    }
    op.base = op.insn->form == UNIT || op.insn->form == STRIDED ? op.at[0] : op.base;
    fill_mask(r, op.v0);
    fill_mask(r, op.active);
    return op;
}

/* Load the registers, run the instruction in some lanes, and store its data register. */
static void print_op(char *text, size_t size, const struct op *op, unsigned k)
{
    const uint32_t in = DATA + k * PER_OP;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    FREED char *insn = formatted(op->insn->text, op->imm);
#pragma GCC diagnostic pop
    /* The custom ones have no vm field. */
    const char *v0 = op->under_v0 && op->insn->form >= UNIT ? ", v0.t" : "";
    snprintf(text, size,
             "\tvsetvli t0, zero, e32, m%d, ta, ma\n\tli a3, %u\n\tvle32.v v2, (a3)\n"
             "\tli a3, %u\n\tvle32.v v4, (a3)\n\tli a3, %u\n\tvle32.v v0, (a3)\n"
             "\tli a3, %u\n\tvle32.v v8, (a3)\n\tvmv.v.i v30, 0\n\tli a1, %u\n\tli a2, %u\n"
             "\tsetrpc t0, .L%u\n\tvbeq v8, v30, .L%u\n\t%s%s\n.L%u:\n\tjoin\n"
             "\tli a3, %u\n\tvse32.v v4, (a3)\n",
             op->two ? 2 : 1, in, in + 4 * WORDS, in + 8 * WORDS, in + 12 * WORDS, op->base,
             op->stride, k, k, insn, v0, k, in + 16 * WORDS);
}

struct sides {
    struct program p;
    struct ref_gpu *ref;
};

static void map(struct sides *s, uint32_t base, uint32_t size)
{
    if (base != DATA && base != PDS && base != KERNEL)
        succeeds(sam_gpu_map, s->p.gpu, base, size);
    ref_gpu_map(s->ref, base, size);
}

static void write_both(struct sides *s, uint32_t at, const void *data, size_t size)
{
    succeeds(sam_gpu_write, s->p.gpu, at, data, size);
    ref_gpu_write(s->ref, at, data, size);
}

static bool same_bytes(struct sides *s, uint32_t base, uint32_t size)
{
    FREED uint8_t *got = malloc(size), *want = malloc(size);
    assert_true(got && want);
    succeeds(sam_gpu_read, s->p.gpu, base, got, size);
    ref_gpu_read(s->ref, base, want, size);
    const bool same = memcmp(got, want, size) == 0;
    for (uint32_t i = 0; !same && i < size; i++)
        if (got[i] != want[i]) {
            print_error("memory at 0x%08x is 0x%02x, the reference says 0x%02x\n", base + i, got[i],
                        want[i]);
            break;
        }
    return same;
}

static bool same_trap(const struct sam_trap *got, const struct sam_trap *want)
{
    const bool same =
        got->kind == want->kind &&
        (want->kind == SAM_TRAP_NONE || (got->pc == want->pc && got->lane == want->lane &&
                                         got->lanes == want->lanes && got->tval == want->tval));
    if (!same)
        print_error("trap %d at pc 0x%x, lane %d, value 0x%x; the reference says %d, 0x%x, %d, "
                    "0x%x\n",
                    (int)got->kind, got->pc, (int)got->lane, (unsigned)got->tval, (int)want->kind,
                    want->pc, (int)want->lane, (unsigned)want->tval);
    return same;
}

static void fill_places(struct sides *s, uint64_t *r)
{
    uint8_t bytes[0x3000];
    for (unsigned i = 0; i < PLACES; i++) {
        for (uint32_t at = 0; at < places[i].size; at++)
            bytes[at] = (uint8_t)test_random(r);
        map(s, places[i].base, places[i].size);
        write_both(s, places[i].base, bytes, places[i].size);
    }
}

static struct sides open_sides(const char *text, uint32_t lanes, const struct op ops[OPS],
                               uint64_t *r)
{
    struct sides s = {.p = program_new(text, lanes)};
    s.p.launch.image = NULL;
    s.p.launch.lds_size = LDS_USED;
    s.ref = ref_gpu_new(&s.p.options);
    for (size_t i = 0; i < s.p.image->section_count; i++) {
        const struct sam_section *section = &s.p.image->sections[i];
        ref_gpu_map(s.ref, (uint32_t)section->address, section->size);
        ref_gpu_write(s.ref, (uint32_t)section->address, section->data, (size_t)section->size);
    }
    map(&s, DATA, DATA_SIZE);
    map(&s, PDS, PDS_SIZE);
    map(&s, KERNEL, 64);
    fill_places(&s, r);
    uint8_t own[32 * 1024];
    for (size_t i = 0; i < sizeof own; i++)
        own[i] = (uint8_t)test_random(r);
    write_both(&s, PDS, own, sizeof own);
    for (unsigned k = 0; k < OPS; k++)
        write_both(&s, DATA + k * PER_OP, ops[k].at, 4 * sizeof ops[k].at);
    return s;
}

/* Whether both sides agree on a random program. */
static bool agree(uint64_t seed)
{
    uint64_t r = seed;
    static struct op ops[OPS];
    char text[OPS * 1024] = "_start:\n";
    const uint32_t lanes = 4u << test_below(&r, 4);
    for (unsigned k = 0; k < OPS; k++) {
        ops[k] = make_op(&r);
        const size_t used = strlen(text);
        print_op(text + used, sizeof text - used, &ops[k], k);
    }
    strcat(text, "\tendprg\n");
    struct sides s = open_sides(text, lanes, ops, &r);
    struct ref_result want;
    program_run(&s.p);
    ref_gpu_launch(s.ref, &s.p.launch, &want);
    bool same = same_trap(&s.p.result.trap, &want.trap) && same_bytes(&s, DATA, OPS * PER_OP) &&
                same_bytes(&s, PDS, 32 * 1024);
    for (unsigned i = 0; same && i < PLACES; i++)
        same = same_bytes(&s, places[i].base, places[i].size);
    if (!same)
        print_error("SAMITE_SEED=0x%" PRIx64 " SAMITE_CASES=1, %u lanes:\n%s", seed, lanes, text);
    ref_result_free(&want);
    ref_gpu_free(s.ref);
    program_free(&s.p);
    return same;
}

TEST(accesses_agree_with_the_reference)
{
    const uint64_t first = test_seed(), cases = test_number("SAMITE_CASES", 1500);
    unsigned failures = 0;
    for (uint64_t i = 0; i < cases && failures < 3; i++)
        failures += !agree(first + i);
    assert_int_equal(failures, 0);
}
