/* SPDX-License-Identifier: Apache-2.0 */
#include "pair.h"

#include "test.h"

void pair_fill(uint8_t *bytes, uint64_t size, uint64_t *random)
{
    static const uint8_t special[] = {0x00, 0xff, 0x7f, 0x80, 0x01, 0x7c, 0x78, 0x70,
                                      0x7e, 0xfc, 0xc0, 0x3f, 0x43, 0xc3, 0xbf, 0xfe};
    for (uint64_t i = 0; i < size;) {
        uint64_t bits = test_random(random), end = i + 1 + bits % 8;
        bool plain = bits & 0x100;
        for (; i < end && i < size; i++) {
            bytes[i] = plain ? (uint8_t)(bits >> 16) : special[bits >> 16 & 15];
            bits = bits >> 5 | bits << 59;
        }
    }
}

static void map(struct pair *p, uint64_t base, uint64_t size, const uint64_t *seed)
{
    struct tref_region *region = &p->ref.regions[p->ref.region_count++];
    assert_true(p->ref.region_count <= TREF_REGIONS);
    *region = (struct tref_region){base, size, calloc(1, size)};
    assert_non_null(region->bytes);
    succeeds(sam_hart_map, p->hart, base, size);
    if (!seed)
        return;
    uint64_t random = *seed;
    pair_fill(region->bytes, size, &random);
    succeeds(sam_hart_write, p->hart, base, region->bytes, size);
}

void pair_open(struct pair *p, const struct pair_options *options)
{
    struct sam_hart_options hart = {
        .isa = {options->xlen, SAM_EXT_I | SAM_EXT_M | SAM_EXT_ZICSR | SAM_EXT_XTENSORLOAD}};
    *p = (struct pair){.isa = hart.isa, .pc = PAIR_CODE};
    p->ref.xlen = options->xlen;
    memcpy(hart.l1m, options->l1m, sizeof hart.l1m);
    memcpy(hart.l0m, options->l0m, sizeof hart.l0m);
    memcpy(p->ref.l1m, options->l1m, sizeof hart.l1m);
    memcpy(p->ref.l0m, options->l0m, sizeof hart.l0m);
    succeeds(sam_hart_new, &hart, &p->hart);
    map(p, PAIR_CODE, PAIR_CODE_SIZE, NULL);
}

void pair_free(struct pair *p)
{
    sam_hart_free(p->hart);
    for (size_t i = 0; i < p->ref.region_count; i++)
        free(p->ref.regions[i].bytes);
    p->hart = NULL;
    p->ref.region_count = 0;
}

void pair_map(struct pair *p, uint64_t base, uint64_t size, uint64_t seed)
{
    map(p, base, size, &seed);
}

void pair_set_x(struct pair *p, unsigned number, uint64_t value)
{
    if (p->ref.xlen == 32)
        value &= UINT32_MAX;
    sam_hart_set_x(p->hart, number, value);
    p->ref.x[number] = number ? value : 0;
}

void pair_set_tl(struct pair *p, unsigned number, const uint8_t bytes[1024])
{
    sam_hart_set_tl(p->hart, number, bytes);
    tref_set_tl(&p->ref, number, bytes);
}

void pair_fill_tl(struct pair *p, unsigned number, uint64_t *random)
{
    uint8_t bytes[1024];
    pair_fill(bytes, sizeof bytes, random);
    pair_set_tl(p, number, bytes);
}

void pair_set_csr(struct pair *p, unsigned index, uint32_t value)
{
    assert_true(sam_hart_set_csr(p->hart, TREF_FIRST_CSR + index, value));
    p->ref.csr[index] = value;
    p->ref.written[index] = true;
}

static bool differ(struct pair *p, const char *what, uint64_t at, uint64_t got, uint64_t want)
{
    snprintf(p->difference, sizeof p->difference,
             "%s 0x%" PRIx64 " is 0x%" PRIx64 ", the reference says 0x%" PRIx64, what, at, got,
             want);
    return false;
}

static bool same_bytes(struct pair *p, const char *what, uint64_t base, const uint8_t *got,
                       const uint8_t *want, size_t size)
{
    if (memcmp(got, want, size) == 0)
        return true;
    size_t at = 0;
    while (got[at] == want[at])
        at++;
    return differ(p, what, base + at, got[at], want[at]);
}

static bool same_registers(struct pair *p, const struct tref *want)
{
    for (unsigned i = 0; i < 32; i++) {
        FREED char *what = formatted("tl%u byte", i);
        if (sam_hart_x(p->hart, i) != want->x[i])
            return differ(p, "x register", i, sam_hart_x(p->hart, i), want->x[i]);
        if (!same_bytes(p, what, 0, sam_hart_tl(p->hart, i), want->tl[i], 1024))
            return false;
    }
    for (unsigned i = 0; i < TREF_CSRS; i++) {
        uint64_t value = 0;
        if (!sam_hart_csr(p->hart, TREF_FIRST_CSR + i, &value))
            return differ(p, "missing CSR", TREF_FIRST_CSR + i, 0, 1);
        if (value != want->csr[i])
            return differ(p, "CSR", TREF_FIRST_CSR + i, value, want->csr[i]);
    }
    return true;
}

static bool same_memory(struct pair *p)
{
    static uint8_t bytes[0x10000];
    for (size_t i = 0; i < p->ref.region_count; i++) {
        const struct tref_region *r = &p->ref.regions[i];
        assert_true(r->size <= sizeof bytes);
        succeeds(sam_hart_read, p->hart, r->base, bytes, r->size);
        if (!same_bytes(p, "memory at", r->base, bytes, r->bytes, r->size))
            return false;
    }
    return true;
}

/* Checks the hart's report of the instruction at p->pc, which trapped on the reference. */
static bool same_trap(struct pair *p, uint32_t word, const struct sam_hart_result *got)
{
    const struct tref_trap *trap = &p->trap;
    if (got->end != SAM_HART_TRAP)
        return differ(p, "end of a run, trap of cause", trap->cause, got->end, SAM_HART_TRAP);
    if (got->cause != trap->cause)
        return differ(p, "cause of a trap at", p->pc, got->cause, trap->cause);
    if (got->tval != trap->tval)
        return differ(p, "tval of cause", trap->cause, got->tval, trap->tval);
    if (got->pc != p->pc || sam_hart_pc(p->hart) != p->pc)
        return differ(p, "pc of the trap at", p->pc, got->pc, p->pc);
    return got->word == word || differ(p, "word of the trap at", p->pc, got->word, word);
}

/* Checks its report of one that did not trap, and was to stop with `end`. */
static bool same_end(struct pair *p, const struct sam_hart_result *got, enum sam_hart_end end)
{
    if (got->end == SAM_HART_TRAP)
        return differ(p, "trap, of cause", got->cause, 1, 0);
    if (got->end != end)
        return differ(p, "end of a run at", p->pc, got->end, end);
    return sam_hart_pc(p->hart) == p->pc + 4 ||
           differ(p, "pc after", p->pc, sam_hart_pc(p->hart), p->pc + 4);
}

bool pair_step(struct pair *p, uint32_t word)
{
    struct sam_error error;
    struct sam_hart_result got = {0};
    uint8_t *code = p->ref.regions[0].bytes + (p->pc - PAIR_CODE);
    if (sam_le32(code) != word) {
        sam_put_le32(code, word);
        succeeds(sam_hart_write, p->hart, p->pc, code, 4);
    }
    sam_hart_set_pc(p->hart, p->pc);
    p->before = p->ref;
    p->trapped = !tref_step(&p->ref, word, &p->trap);
    sam_hart_step(p->hart, &got, &error);
    p->steps++;
    p->traps += p->trapped;
    /* A trap must change nothing, independent of the reference. */
    bool same = p->trapped ? same_trap(p, word, &got) : same_end(p, &got, SAM_HART_STEPPED);
    if (!same || !same_registers(p, p->trapped ? &p->before : &p->ref) || !same_memory(p))
        return false;
    p->pc = p->pc + 4 < PAIR_CODE + PAIR_CODE_SIZE ? p->pc + 4 : PAIR_CODE;
    return true;
}

bool pair_run(struct pair *p, const uint32_t *words, size_t count)
{
    struct sam_error error;
    uint64_t end = PAIR_RUN_CODE + 4 * count;
    succeeds(sam_hart_map, p->hart, PAIR_RUN_CODE, 4 * count + 4);
    succeeds(sam_hart_write, p->hart, PAIR_RUN_CODE, words, 4 * count);
    sam_hart_set_until(p->hart, end);
    for (size_t i = 0; i < count; i++) {
        struct sam_hart_result got = {0};
        sam_hart_set_pc(p->hart, PAIR_RUN_CODE + 4 * i);
        sam_hart_run(p->hart, &got, &error);
        p->before = p->ref;
        p->trapped = !tref_step(&p->ref, words[i], &p->trap);
        while (!p->trapped && i + 1 < count) {
            i++;
            p->before = p->ref;
            p->trapped = !tref_step(&p->ref, words[i], &p->trap);
        }
        p->pc = PAIR_RUN_CODE + 4 * i;
        if (!(p->trapped ? same_trap(p, words[i], &got) : same_end(p, &got, SAM_HART_UNTIL)))
            return false;
    }
    return same_registers(p, &p->ref) && same_memory(p);
}

void pair_report(const struct pair *p, uint32_t word)
{
    char text[128];
    const struct tref *t = &p->before;
    sam_disassemble(&p->isa, word, p->pc, 0, NULL, text, sizeof text);
    fprintf(stderr, "# RV%u, %08" PRIx32 "  %s\n# %s\n", p->isa.xlen, word, text, p->difference);
    for (unsigned i = 0; i < TREF_CSRS; i++)
        if (t->written[i])
            fprintf(stderr, "#   CSR 0x%x = 0x%" PRIx32 "\n", TREF_FIRST_CSR + i, t->csr[i]);
    for (unsigned i = 1; i < 32; i++)
        if (t->x[i])
            fprintf(stderr, "#   x%u = 0x%" PRIx64 "\n", i, t->x[i]);
}

void pair_agree(struct pair *p, uint32_t word)
{
    if (pair_step(p, word))
        return;
    pair_report(p, word);
    fail_msg("%s", p->difference);
}
