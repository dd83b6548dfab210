/* SPDX-License-Identifier: Apache-2.0 */
/* Random TensorLoad programs on the hart and on the reference: after each instruction every
 * TLReg, x register, CSR and byte of memory must agree, as must cause and tval of a trap. A
 * trap changes nothing else. Then each program runs again without stops. A failure prints
 * its seed and the program, reduced to the relevant words. SAMITE_SEED=N runs from seed N;
 * SAMITE_CASES=N sets the number of programs. */

#include "test.h"

#include "gen.h"
#include "pair.h"
#include "words.h"

enum { ACTIONS = 60, MAX_WORDS = ACTIONS * (int)GEN_BURST };

struct program {
    uint64_t seed;
    struct pair_options options;
    uint32_t words[MAX_WORDS];
    size_t count;
};

struct tally {
    uint64_t programs, steps, traps;
    uint64_t done[TREF_XPOSE + 1]; /* instructions that did not trap, by enum tref_op */
    uint64_t causes[8];
};

/* Memory and registers of a program before it starts, all from its seed. Regions end at odd
 * addresses, and two of them meet where addresses wrap. */
static void start(const struct program *program, struct pair *p)
{
    uint64_t random = program->seed, top = program->options.xlen == 32 ? UINT32_MAX : UINT64_MAX;
    uint64_t far = program->options.xlen == 32 ? 0x90000000 : UINT64_C(0x123490000000);
    pair_open(p, &program->options);
    pair_map(p, 0x1000, 0x3f35, test_random(&random));
    pair_map(p, far, 0x2001, test_random(&random));
    pair_map(p, 0, 0x900, test_random(&random));
    pair_map(p, top - 0xfff, 0x1000, test_random(&random));
    for (unsigned i = 0; i < 32; i++)
        pair_fill_tl(p, i, &random);
}

/* Run the words; returns the index of the first that disagrees, or their count. */
static size_t replay(const struct program *program, struct pair *p)
{
    size_t i = 0;
    start(program, p);
    while (i < program->count && pair_step(p, program->words[i]))
        i++;
    return i;
}

/* Whether the two sides disagree, at the last word or, in one run, at any. Leaves `p` open. */
static bool fails(const struct program *program, bool one_go, struct pair *p)
{
    if (!one_go)
        return replay(program, p) + 1 == program->count;
    start(program, p);
    return !pair_run(p, program->words, program->count);
}

/* Replace words by nops while they still disagree. */
static void shrink(struct program *program, bool one_go)
{
    struct pair p;
    for (size_t size = 64; size > 0; size /= 2)
        for (size_t i = 0; i + size < program->count + one_go; i += size) {
            uint32_t kept[64];
            memcpy(kept, program->words + i, 4 * size);
            for (size_t j = 0; j < size; j++)
                program->words[i + j] = WORD_NOP;
            if (!fails(program, one_go, &p))
                memcpy(program->words + i, kept, 4 * size);
            pair_free(&p);
        }
}

static void report(struct program *program, bool one_go)
{
    struct pair p;
    fprintf(stderr, "# SAMITE_SEED=0x%" PRIx64 "%s\n", program->seed, one_go ? ", in one go" : "");
    shrink(program, one_go);
    fails(program, one_go, &p);
    for (size_t i = 0; i < program->count; i++) {
        char text[128];
        if (program->words[i] == WORD_NOP)
            continue;
        sam_disassemble(&p.isa, program->words[i], 0, 0, NULL, text, sizeof text);
        fprintf(stderr, "#   %08x  %s\n", (unsigned)program->words[i], text);
    }
    pair_report(&p, program->words[program->count - 1]);
    pair_free(&p);
}

/* True if both sides agree on every word of a program made from program->seed. */
static bool run_program(struct program *program, struct tally *tally)
{
    SCOPED(pair) p;
    uint64_t random = ~program->seed;
    struct gen g = {.random = random, .plain_strides = random % 3 == 0};
    bool agree = true;
    program->count = 0;
    start(program, &p);
    for (unsigned n = 0; agree && n < ACTIONS; n++) {
        gen_action(&g, &p.ref);
        for (size_t i = 0; agree && i < g.count; i++) {
            program->words[program->count++] = g.words[i];
            agree = pair_step(&p, g.words[i]);
            if (p.trapped)
                tally->causes[p.trap.cause]++;
            else
                tally->done[tref_decode(g.words[i]).op]++;
        }
    }
    tally->steps += p.steps;
    tally->traps += p.traps;
    tally->programs++;
    return agree;
}

/* The same program, without a stop after each instruction. */
static bool run_again(const struct program *program)
{
    SCOPED(pair) p;
    bool fine = !fails(program, true, &p);
    return fine;
}

static void run(struct pair_options options)
{
    FREED struct program *program = calloc(1, sizeof *program);
    struct tally tally = {0};
    assert_non_null(program);
    uint64_t seed = test_seed(), cases = test_number("SAMITE_CASES", 150), failures = 0;
    program->options = options;
    for (uint64_t i = 0; i < cases && failures < 3; i++) {
        program->seed = seed + i;
        bool stepped = run_program(program, &tally);
        if (stepped && run_again(program))
            continue;
        failures++;
        report(program, stepped);
    }
    printf("# RV%u: %" PRIu64 " programs, %" PRIu64 " instructions, %" PRIu64 " traps; done: load "
           "and store %" PRIu64 ", addi %" PRIu64 ", concat %" PRIu64 ", merge %" PRIu64
           ", xpose %" PRIu64 "\n# traps by cause:",
           options.xlen, tally.programs, tally.steps, tally.traps, tally.done[TREF_MEMORY],
           tally.done[TREF_ADDI], tally.done[TREF_CONCAT], tally.done[TREF_MERGE],
           tally.done[TREF_XPOSE]);
    for (unsigned cause = 2; cause < 8; cause++)
        printf(" %u: %" PRIu64, cause, tally.causes[cause]);
    printf("\n");
    assert_int_equal(failures, 0);
    if (cases < 100)
        return;
    for (unsigned op = TREF_MEMORY; op <= TREF_XPOSE; op++) /* the generator works */
        assert_true(tally.done[op] > cases / 2);
    for (unsigned cause = 4; cause < 8; cause++)
        assert_true(tally.causes[cause] > 2);
}

TEST(random_programs_agree_on_rv32)
{
    run((struct pair_options){.xlen = 32});
}

TEST(random_programs_agree_on_rv64)
{
    run((struct pair_options){.xlen = 64});
}

/* L1M and L0M overlap in part; most memory is in neither. */
TEST(random_programs_agree_in_strict_mode)
{
    run((struct pair_options){.xlen = 64, .l1m = {0x1000, 0x3001}, .l0m = {0x2800, 0x2735}});
}
