/* SPDX-License-Identifier: Apache-2.0 */
/* Random programs whose statistics, profile and cycles are counted in straight-line runs: all
 * figures equal those of single steps, wherever a run of the hart ends. */

#include "hart/core.h"
#include "hart/program.h"
#include "matrix/random_config.h"
#include "profile_rows.h"
#include "streams.h"
#include "tensor/engines_gen.h"

enum { ROUNDS = 120, ITEMS = 500, TURNS = 12, MOST = 1000000 };

struct source {
    uint64_t random;
    struct sam_buffer text;
    unsigned labels;
    bool wide;   /* XLEN 64 */
    bool matrix; /* with the matrix unit */
};

static unsigned below(struct source *s, unsigned bound)
{
    return (unsigned)test_below(&s->random, bound);
}

static const char *any(struct source *s)
{
    static const char *const registers[] = {"t0", "t1", "t2", "t3", "t4", "a2", "a3", "a4"};
    return registers[below(s, SAM_COUNT(registers))];
}

#define PUT(...) sam_buffer_printf(&s->text, __VA_ARGS__)

static void put_alu(struct source *s)
{
    static const char *const names[] = {"add", "sub",  "xor",  "mul",   "divu",
                                        "and", "sltu", "mulh", "fadd.s"};
    if (below(s, 3) == 0)
        PUT("addi %s, %s, %d\n", any(s), any(s), (int)below(s, 64) - 32);
    else
        PUT("%s %s, %s, %s\n", names[below(s, SAM_COUNT(names))], any(s), any(s), any(s));
}

/* Mostly to data; sometimes misaligned or unmapped: the handler continues after it. */
static void put_access(struct source *s)
{
    static const char *const names[] = {"lb", "lw", "lhu", "sb", "sh", "sw", "ld", "sd"};
    const unsigned which = below(s, s->wide ? 8 : 6), offset = below(s, 60) ? 8 : 3;
    if (below(s, 40) == 0)
        PUT("%s %s, 16(zero)\n", names[which], any(s));
    else if (below(s, 8) == 0)
        PUT("amoadd.w %s, %s, (a%u)\n", any(s), any(s), below(s, 2));
    else if (below(s, 12) == 0)
        PUT("lr.w %s, (a0)\nsc.w %s, %s, (a0)\n", any(s), any(s), any(s));
    else
        PUT("%s %s, %u(a%u)\n", names[which], any(s), offset * below(s, 200), below(s, 2));
}

/* The stack is far from the data; there is no memory at address 0. */
static void put_tensor(struct source *s)
{
    switch (below(s, 30)) {
    case 0: PUT("tl.addi tl%u, tl%u, 3\n", below(s, 4), below(s, 4)); break;
    case 1: PUT("tl.concat.0 tl%u, tl%u, tl%u\n", below(s, 4), below(s, 4), below(s, 4)); break;
    case 2: PUT("tl.store tl1, -8(sp)\n"); break;
    case 3: PUT("csrw tload_stride%u, %s\n", below(s, 8), "zero"); break;
    case 4: PUT("tl.store tl1, 0(zero)\n"); break;
    default:
        PUT("tl.%s tl%u, %u(a%u)\n", below(s, 2) ? "load" : "store", below(s, 4), below(s, 16),
            below(s, 2));
    }
}

static void put_matrix(struct source *s)
{
    switch (below(s, 6)) {
    case 0: PUT("mcfgm zero, a5\n"); break;
    case 1: PUT("mldw m%u, s3, (a%u)\n", below(s, 4), below(s, 2)); break;
    case 2: PUT("mstw m%u, s3, (a%u)\n", below(s, 4), below(s, 2)); break;
    case 3: PUT("fmmacc.s m4, m2, m0\n"); break;
    case 4: PUT("mldw m0, s3, (%s)\n", below(s, 4) ? "a0" : "zero"); break;
    default: PUT("mmov.mm m%u, m%u\n", below(s, 4), below(s, 4)); break;
    }
}

/* Replace the instruction at a label by another, which may belong to a unit or be illegal. */
static void put_patch(struct source *s)
{
    static const char *const others[] = {"addi t1, t1, 1",    "lw t2, 4(a0)", "sw t2, 8(a0)",
                                         ".word 0x00000463",  ".word 0",      "tl.load tl2, 0(a0)",
                                         "csrr t3, minstret", "nop"};
    const unsigned label = s->labels++;
    PUT("j .Lover%u\n.Lnew%u: %s\n.Lover%u:\n", label, label, others[below(s, SAM_COUNT(others))],
        label);
    PUT("la a6, .Lnew%u\nlw a7, 0(a6)\nla a6, .Lold%u\nsw a7, 0(a6)\n", label, label);
    PUT("li a7, 0\n");
    for (unsigned i = below(s, 4); i; i--)
        put_alu(s);
    PUT(".Lold%u: %s\nnop\n", label, others[below(s, SAM_COUNT(others))]);
}

static void put_item(struct source *s, bool nested)
{
    const unsigned label = s->labels++;
    switch (below(s, 24)) {
    case 0:
    case 1:
    case 2:
    case 3: put_access(s); break;
    case 4:
    case 5: put_tensor(s); break;
    case 6:
    case 7:
        if (s->matrix)
            put_matrix(s);
        break;
    case 8: PUT("csrr %s, minstret\n", any(s)); break;
    case 9: PUT("csrr %s, %s\n", any(s), below(s, 2) ? "fflags" : "mcycle"); break;
    case 10: PUT("csrrw zero, mscratch, %s\nfence\n", any(s)); break;
    case 11: PUT("call .Lleaf\n"); break;
    case 12: PUT("ecall\n"); break;
    case 13:
    case 14:
        if (nested) {
            PUT("b%s %s, %s, .Lskip%u\n", below(s, 2) ? "eq" : "ltu", any(s), any(s), label);
            for (unsigned i = below(s, 5); i; i--)
                put_item(s, false);
            PUT(".Lskip%u:\n", label);
        }
        break;
    case 15:
        PUT("li s5, %u\n.Lloop%u:\n", 1 + below(s, 12), label);
        for (unsigned i = 1 + below(s, 4); i; i--)
            put_alu(s);
        put_access(s);
        PUT("addi s5, s5, -1\nbnez s5, .Lloop%u\n", label);
        break;
    case 16:
        if (nested)
            put_patch(s);
        break;
    default: put_alu(s); break;
    }
}

/* `handler` continues after the trapping instruction. */
static void write_program(struct source *s)
{
    PUT("la t0, handler\ncsrw mtvec, t0\nli a0, %u\nli a1, %u\nli s3, 64\nli a5, 3\n",
        (unsigned)DATA_BASE, (unsigned)DATA_BASE + 0x1000);
    PUT("li t0, 0x080110\ncsrw tshape, t0\n");
    if (s->matrix)
        PUT("mcfgm zero, a5\nmcfgn zero, a5\nli t0, 12\nmcfgk zero, t0\n");
    PUT("li s4, %d\nagain:\n", TURNS);
    for (unsigned i = 0; i < ITEMS; i++)
        put_item(s, true);
    PUT("addi s4, s4, -1\nbeqz s4, 1f\nj again\n1: ebreak\n");
    PUT("handler: csrr t6, mepc\naddi t6, t6, 4\ncsrw mepc, t6\naddi s11, s11, 1\nmret\n");
    PUT(".Lleaf: addi s6, s6, 1\nret\n");
    assert_false(s->text.failed);
}

/* One hart, and its counters. */
struct side {
    struct program p;
    struct sam_profile *profile;
};

static struct side open_side(const struct source *source, const struct sam_hart_options *asked,
                             bool profiled, bool stepped)
{
    struct side side = {.profile = profiled ? sam_profile_new() : NULL};
    struct sam_hart_options options = *asked;
    uint8_t bytes[DATA_SIZE];
    options.size = sizeof options;
    options.profile = side.profile;
    if (stepped)
        options.trace.write = test_drop;
    FREED char *isa = formatted("rv%dima_zicsr_zfinx_xtensorload%s", source->wide ? 64 : 32,
                                source->matrix ? "_xmatrix" : "");
    side.p = program_new(isa, &options, sam_buffer_text(&source->text));
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 7 + (i >> 8));
    program_write(&side.p, DATA_BASE, bytes, sizeof bytes);
    assert_int_equal(side.p.hart->counts == NULL, stepped);
    return side;
}

static void close_side(struct side *side)
{
    program_free(&side->p);
    sam_profile_free(side->profile);
}

static void expect_same_profile(struct sam_profile *counted, struct sam_profile *stepped)
{
    size_t count, wanted;
    const struct sam_profile_row *a = sam_profile_rows(counted, &count);
    const struct sam_profile_row *b = sam_profile_rows(stepped, &wanted);
    uint64_t got, expected;
    assert_int_equal(count, wanted);
    for (size_t i = 0; i < count; i++) {
        const char *field = profile_rows_differ(&a[i], &b[i], &got, &expected);
        if (field)
            fail_msg("pc 0x%llx: %s is %llu, step by step %llu", (unsigned long long)a[i].pc, field,
                     (unsigned long long)got, (unsigned long long)expected);
    }
}

#define EXPECT_SAME_WORDS(a, b)                                                                    \
    do {                                                                                           \
        assert_int_equal(sizeof *(a) % sizeof(uint64_t), 0);                                       \
        assert_memory_equal(a, b, sizeof *(a));                                                    \
    } while (0)

static void expect_same(struct side *counted, struct side *stepped)
{
    struct sam_hart *a = counted->p.hart, *b = stepped->p.hart;
    struct sam_engines_report in_runs, by_steps;
    assert_int_equal(counted->p.result.end, stepped->p.result.end);
    assert_int_equal(counted->p.result.instructions, stepped->p.result.instructions);
    assert_int_equal(counted->p.result.pc, stepped->p.result.pc);
    for (unsigned r = 0; r < 32; r++)
        assert_int_equal(sam_hart_x(a, r), sam_hart_x(b, r));
    const struct sam_hart_stats *s = sam_hart_stats(a), *t = sam_hart_stats(b);
    for (unsigned k = 0; k < SAM_HART_CLASSES; k++)
        if (s->classes[k] != t->classes[k])
            fail_msg("%s: %llu instructions, step by step %llu", sam_hart_class_name(k),
                     (unsigned long long)s->classes[k], (unsigned long long)t->classes[k]);
    EXPECT_SAME_WORDS(s, t);
    assert_int_equal(sam_hart_engines(a, &in_runs), sam_hart_engines(b, &by_steps));
    if (sam_hart_engines(a, &in_runs)) {
        assert_int_equal(in_runs.cycles, by_steps.cycles);
        EXPECT_SAME_WORDS(&in_runs, &by_steps);
    }
    if (a->mxu)
        EXPECT_SAME_WORDS(sam_mxu_stats(a->mxu), sam_mxu_stats(b->mxu));
    if (counted->profile)
        expect_same_profile(counted->profile, stepped->profile);
}

/* Run both in steps of several instructions. */
static void run_both(const struct source *source, const struct sam_hart_options *options,
                     bool profiled)
{
    struct side counted = open_side(source, options, profiled, false);
    struct side stepped = open_side(source, options, profiled, true);
    uint64_t left = MOST;
    do {
        program_run(&counted.p);
        program_run(&stepped.p);
        expect_same(&counted, &stepped);
        assert_true(counted.p.result.instructions < left);
        left -= counted.p.result.instructions;
    } while (counted.p.result.end == SAM_HART_BUDGET);
    assert_int_equal(counted.p.result.end, SAM_HART_EBREAK);
    close_side(&counted);
    close_side(&stepped);
}

TEST(figures_are_those_of_steps)
{
    uint64_t random = test_seed();
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct source s = {.random = test_random(&random)};
        struct sam_engines_config engines;
        struct sam_mxu_config mxu = random_mxu_config(&s.random, 4);
        char text[512];
        s.wide = below(&s, 2);
        s.matrix = below(&s, 2);
        write_program(&s);
        egen_config(&s.random, text, sizeof text);
        sam_engines_defaults(&engines);
        succeeds(sam_engines_parse, text, &engines);
        const unsigned what = below(&s, 6);
        const struct sam_hart_options options = {
            .collect_stats = what<4, .engines = what> 1 ? &engines : NULL,
            .cycles = what > 2 && s.matrix ? &mxu : NULL,
            .max_insns = below(&s, 2) ? 1 + below(&s, 30000) : MOST,
        };
        /* without statistics or models: runs are counted for the profile */
        run_both(&s, &options, what == 0 || (what == 1 && below(&s, 2)));
        sam_buffer_free(&s.text);
    }
}
