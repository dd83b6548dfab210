/* SPDX-License-Identifier: Apache-2.0 */
/* Translated loops in warps of every width, on elements that a branch, v0 and vl select: registers
 * and memory are those of a loop in C, element by element. */
#include "program.h"

#include "test.h"

#include "machine/jit.h"
#include "simt/simt.h"

enum { ROUNDS = 8, TABLES = 6, PARAMETERS = 0x8000, APART = 36, ROW = 320 /* bytes */ };

/* The elements that a loop works on. */
struct selection {
    const char *name;
    bool branch; /* lanes of a vector branch */
    bool masked; /* elements of v0 */
    bool fewer;  /* all but the last, by vl */
    bool inner;  /* a vector branch within the loop */
    bool two;    /* LMUL 2 */
    bool waits;  /* a barrier within the loop */
    bool pages;  /* addresses apart, in two pages */
    bool rows;   /* addresses in rows of eight */
};

static const struct selection selections[] = {
    {.name = "all"},
    {.name = "v0", .masked = true},
    {.name = "vl", .fewer = true},
    {.name = "vl, v0", .fewer = true, .masked = true},
    {.name = "branch", .branch = true},
    {.name = "branch, v0", .branch = true, .masked = true},
    {.name = "branch, vl", .branch = true, .fewer = true},
    {.name = "branch, vl, v0", .branch = true, .fewer = true, .masked = true},
    {.name = "branch within", .inner = true},
    {.name = "branch within a branch", .branch = true, .inner = true},
    {.name = "branch within a branch, v0", .branch = true, .inner = true, .masked = true},
    {.name = "LMUL 2", .two = true},
    {.name = "LMUL 2, branch, v0", .two = true, .branch = true, .masked = true},
    {.name = "LMUL 2, branch within a branch, vl",
     .two = true,
     .branch = true,
     .inner = true,
     .fewer = true},
    {.name = "barrier", .waits = true},
    {.name = "barrier, branch within, v0", .waits = true, .inner = true, .masked = true},
    {.name = "two pages", .pages = true},
    {.name = "two pages, branch, v0", .pages = true, .branch = true, .masked = true},
    {.name = "two pages, LMUL 2, vl", .pages = true, .two = true, .fewer = true},
    {.name = "rows", .rows = true},
    {.name = "rows, branch, vl", .rows = true, .branch = true, .fewer = true},
};

/* Of v0 and of the branch, in every pair. */
static const uint32_t masks[] = {0x1,    0x8,    0x5,        0xe,        0x7a,      0x83,
                                 0x8001, 0x7ffe, 0x55555555, 0xffff0006, UINT32_MAX};

/* Bytes of a table. */
static uint32_t table_size(const struct selection *s, uint32_t elements)
{
    return s->rows ? 8 * ROW : (s->pages ? APART : 4) * elements;
}

/* Word `index` of a table of one word per element. */
static uint32_t word_at(const struct selection *s, uint32_t elements, unsigned table,
                        uint32_t index)
{
    const uint32_t first = s->pages ? SAM_PAGE_SIZE - elements / 2 * APART : 0;
    const uint32_t at = s->rows ? index / 8 * ROW + index % 8 * 4 : (s->pages ? APART : 4) * index;
    return DATA + first + table_size(s, elements) * table + at;
}

/* s3 and s4 have the masks of v0 and of the branch, v2 addresses of the first table. */
static void write_program(struct sam_buffer *b, const struct selection *s, uint32_t lanes)
{
    const char *v0 = s->masked ? ", v0.t" : "";
    const unsigned group = s->two ? 2 : 1;
    const unsigned elements = group * lanes, fewer = elements - s->fewer;
    sam_buffer_printf(b, "\tli s1, %u\n\tli s2, %u\n\tlw s3, 0(s2)\n\tlw s4, 4(s2)\n",
                      word_at(s, elements, 0, 0), DATA + PARAMETERS);
    sam_buffer_printf(b, "\tli s5, %u\n\tli s6, %u\n\tvsetvli zero, s5, e32, m%u, ta, ma\n",
                      elements, fewer, group);
    sam_buffer_printf(b, "\tvid.v v20\n\tli t0, %u\n", s->rows ? ROW : s->pages ? APART : 4);
    sam_buffer_puts(b, s->rows ? "\tvsrl.vi v4, v20, 3\n\tvmul.vx v4, v4, t0\n"
                                 "\tvand.vi v2, v20, 7\n\tvsll.vi v2, v2, 2\n\tvadd.vv v2, v2, v4\n"
                               : "\tvmul.vx v2, v20, t0\n");
    sam_buffer_puts(b, "\tvadd.vx v2, v2, s1\n"
                       "\tvmv.v.x v14, s3\n\tvsrl.vv v14, v14, v20\n\tvand.vi v0, v14, 1\n"
                       "\tvmv.v.x v14, s4\n\tvsrl.vv v14, v14, v20\n\tvand.vi v14, v14, 1\n"
                       "\tvmv.v.i v16, 0\n\tli t0, 415\n\tvmv.v.x v18, t0\n");
    for (unsigned v = 4; v <= 12; v += 2)
        sam_buffer_printf(b, "\tli t0, %u\n\tvadd.vx v%u, v20, t0\n", 100 * v, v);
    sam_buffer_printf(b, "\tli s0, %d\n\tla s7, outer\n\tla s8, inner\n", ROUNDS);
    sam_buffer_printf(b, "\tvsetvli zero, s6, e32, m%u, ta, ma\n", group);
    if (s->branch)
        sam_buffer_puts(b, "\tsetrpc zero, s7, 0\n\tvbeq v14, v16, outer\n");
    sam_buffer_printf(b,
                      "loop:\n\tvadd.vi v4, v4, 3%s\n\tvmerge.vim v6, v4, -12, v0\n"
                      "\tvadd.vv v8, v8, v6%s\n\tvlw12.v v10, 0(v2)\n\tvadd.vi v10, v10, 1%s\n"
                      "\tvsw12.v v10, 0(v2)\n",
                      v0, v0, v0);
    if (s->inner)
        sam_buffer_printf(b,
                          "\tsetrpc zero, s8, 0\n\tvblt v4, v18, below\n"
                          "\tvadd.vi v12, v12, 1%s\n\tj inner\n"
                          "below:\n\tvadd.vi v12, v12, 7%s\n",
                          v0, v0);
    sam_buffer_printf(b,
                      "inner:\n%s%s\taddi s0, s0, -1\n\tbnez s0, loop\nouter:\n%s"
                      "\tvsetvli zero, s5, e32, m%u, ta, ma\n\tli t0, %u\n",
                      s->inner ? "\tjoin\n" : "", s->waits ? "\tbarrier x0, x0, 0\n" : "",
                      s->branch ? "\tjoin\n" : "", group, table_size(s, elements));
    for (unsigned v = 4; v <= 12; v += 2)
        sam_buffer_printf(b, "\tvadd.vx v2, v2, t0\n\tvsw12.v v%u, 0(v2)\n", v);
    sam_buffer_puts(b, "\tendprg\n");
}

/* The results of element `e`: its word, v4, v6, v8, v10, v12. */
static void expect(uint32_t values[TABLES], const struct selection *s, uint32_t lanes, uint32_t e,
                   uint32_t v0, uint32_t branch)
{
    const uint32_t lane = e % lanes, last = (s->two ? 2 : 1) * lanes - 1;
    const bool active = !s->branch || (branch >> lane & 1);
    const bool set = v0 >> e % 32 & 1;
    const bool works = active && !(s->fewer && e == last);
    const bool adds = works && (set || !s->masked);
    /* Lanes branch by the first register of a group, which has element `lane`. */
    const bool first = active && !(s->fewer && lane == last) && (!s->masked || (v0 >> lane & 1));
    uint32_t decides = 400 + lane;
    values[0] = 1000 + e;
    for (unsigned k = 1; k < TABLES; k++)
        values[k] = 100 * (2 * k + 2) + e;
    for (unsigned round = 0; round < ROUNDS; round++) {
        values[1] += adds ? 3 : 0;
        decides += first ? 3 : 0;
        if (works)
            values[2] = set ? (uint32_t)-12 : values[1];
        values[3] += adds ? values[2] : 0;
        if (works)
            values[0] = values[4] = values[0] + adds;
        if (s->inner && adds)
            values[5] += decides < 415 ? 7 : 1;
    }
}

static void run_masks(struct program *p, const struct selection *s, uint32_t v0, uint32_t branch)
{
    const uint32_t lanes = p->launch.lanes, elements = (s->two ? 2 : 1) * lanes;
    for (uint32_t e = 0; e < elements; e++)
        program_set(p, word_at(s, elements, 0, e), 1000 + e);
    program_set(p, DATA + PARAMETERS, v0);
    program_set(p, DATA + PARAMETERS + 4, branch);
    program_pass(p);
    for (uint32_t e = 0; e < elements; e++) {
        uint32_t values[TABLES];
        expect(values, s, lanes, e, v0, branch);
        for (uint32_t k = 0; k < TABLES; k++) {
            const uint32_t got = program_word(p, word_at(s, elements, k, e));
            if (got != values[k])
                fail_msg("%s, %u lanes, v0 0x%x, branch 0x%x: element %u of table %u is 0x%x, "
                         "expected 0x%x",
                         s->name, (unsigned)lanes, (unsigned)v0, (unsigned)branch, (unsigned)e,
                         (unsigned)k, (unsigned)got, (unsigned)values[k]);
        }
    }
}

static void run_width(uint32_t lanes)
{
    assert_int_equal(setenv("XDG_CACHE_HOME", "/dev/null", 1), 0); /* nothing is kept */
    for (size_t i = 0; i < SAM_COUNT(selections); i++) {
        const struct selection *s = &selections[i];
        SCOPED(sam_buffer) text = {0};
        write_program(&text, s, lanes);
        assert_int_equal(setenv("SAMITE_JIT", "wait,1", 1), 0);
        SCOPED(program) p = program_new(sam_buffer_text(&text), lanes);
        unsetenv("SAMITE_JIT");
        assert_non_null(p.gpu->jit); /* the library has been found */
        for (size_t v0 = 0; v0 < SAM_COUNT(masks); v0++)
            for (size_t branch = 0; branch < SAM_COUNT(masks); branch++)
                run_masks(&p, s, masks[v0], masks[branch]);
        if (sam_jit_count(p.gpu->jit) == 0)
            fail_msg("%s, %u lanes: no loop was translated", s->name, (unsigned)lanes);
    }
}

TEST(of_4_lanes)
{
    run_width(4);
}

TEST(of_8_lanes)
{
    run_width(8);
}

TEST(of_16_lanes)
{
    run_width(16);
}

TEST(of_32_lanes)
{
    run_width(32);
}
