/* SPDX-License-Identifier: Apache-2.0 */
/* Executed instructions, as pulled by a model of time, equal those of a session's steps, on
 * random programs, for every way of recording and every order of reading. */

#include "test.h"

#include "random_case.h"
#include "samite/session.h"
#include "simt/replay.h"

/* The steps of a warp, as reported by a session. */
struct expected {
    struct sam_insn insn;
    uint32_t pc, next_pc, mask, acting, taken;
    bool taken_known, vector, local;
    unsigned count, bytes;
    uint32_t addresses[SAM_STEP_ACCESSES];
};

struct trail {
    struct expected *ops;
    size_t count, capacity;
};

struct recording {
    const struct random_case *of;
    struct sam_isa isa;
    struct trail *trails; /* [workgroup * warps + warp] */
};

static void expect_taken(const struct sam_step *step, struct expected *e)
{
    const bool falls = step->next_pc == step->pc + 4;
    e->taken_known = e->insn.imm != 4;
    if (step->depth_after == step->depth_before)
        e->taken = falls ? 0 : step->mask_before;
    else
        e->taken = falls ? step->pushed[1].mask : step->mask_after;
}

static bool record(void *context, struct sam_session *session, const struct sam_step *step)
{
    struct recording *r = context;
    struct trail *t = &r->trails[step->workgroup * r->of->launch.warps + step->warp];
    (void)session;
    void *grown = sam_grow(t->ops, t->count, &t->capacity, sizeof *t->ops);
    assert_non_null(grown);
    t->ops = grown;
    struct expected *e = &t->ops[t->count++];
    *e = (struct expected){.pc = (uint32_t)step->pc,
                           .next_pc = (uint32_t)step->next_pc,
                           .mask = step->mask_before,
                           .acting = step->lanes[0] | step->lanes[1],
                           .vector = step->vector,
                           .count = step->access_count};
    assert_true(sam_decode(&r->isa, step->word, step->prefix, &e->insn));
    if (sam_insn_rows[e->insn.op].does.act == SAM_ACT_SPLIT)
        expect_taken(step, e);
    for (unsigned i = 0; i < step->access_count; i++)
        e->addresses[i] = (uint32_t)step->access[i].address;
    if (e->count) {
        e->bytes = step->access[0].size;
        e->local = e->addresses[0] - SAM_LDS_BASE < SAM_LDS_SIZE;
    }
    if (!step->vector && e->count == 2) { /* a pair is one access */
        e->count = 1;
        e->bytes *= 2;
    }
    return true;
}

static uint32_t groups_of(const struct random_case *c)
{
    return c->launch.grid[0] * c->launch.grid[1] * c->launch.grid[2];
}

static struct sam_gpu *machine_of(const struct random_case *c, bool log)
{
    struct sam_gpu_options options = c->options;
    struct sam_gpu *gpu = NULL;
    options.size = sizeof options;
    options.jobs = 1;
    if (!log)
        options.collect_stats = false;
    succeeds(sam_gpu_new, &options, &gpu);
    random_case_map(c, gpu);
    return gpu;
}

static void run_session(struct recording *r, struct sam_gpu *gpu)
{
    SCOPED_SESSION *session = NULL;
    struct sam_error error = {0};
    struct sam_session_stop stop = {0};
    struct sam_session_run run = {.size = sizeof run, .each = record, .context = r};
    succeeds(sam_session_open, gpu, &r->of->launch, NULL, &session);
    sam_session_run(session, &run, &stop, &error);
}

/* ------------------------------------------------------------------------------ comparing */

static unsigned addresses_of(const struct sam_gputime_op *op, uint32_t at[SAM_STEP_ACCESSES])
{
    unsigned count = 0;
    switch (op->form) {
    case SAM_GPUTIME_SCALAR: at[count++] = op->base; break;
    case SAM_GPUTIME_STRIDED:
        for (uint32_t bits = op->acting; bits; bits &= bits - 1)
            at[count++] = op->base + (uint32_t)op->stride * (uint32_t)__builtin_ctz(bits);
        break;
    case SAM_GPUTIME_EACH:
        count = op->count;
        memcpy(at, op->addresses, count * sizeof *at);
        break;
    default: break;
    }
    return count;
}

static const char *difference(const struct sam_gputime_op *op, const struct expected *e, bool last)
{
    uint32_t at[SAM_STEP_ACCESSES];
    const struct sam_insn *a = op->insn, *b = &e->insn;
    if (op->pc != e->pc)
        return "pc";
    if (a->op != b->op || a->word != b->word || a->rd != b->rd || a->rs1 != b->rs1 ||
        a->rs2 != b->rs2 || a->rs3 != b->rs3 || a->imm != b->imm || a->vm != b->vm ||
        a->pair != b->pair)
        return "instruction";
    if (!last && op->next_pc != e->next_pc)
        return "next pc";
    if (op->mask != e->mask)
        return "mask";
    if (e->vector && op->acting != e->acting)
        return "lanes";
    if (e->taken_known && op->taken != e->taken)
        return "lanes that jump";
    if (addresses_of(op, at) != e->count)
        return "number of addresses";
    if (e->count && memcmp(at, e->addresses, e->count * sizeof *at) != 0)
        return "addresses";
    if (e->count && (op->bytes != e->bytes || op->local != e->local))
        return "size or place of the accesses";
    return NULL;
}

/* Pull everything, warps in random order, workgroups in ascending order with several at a time. */
static void compare(const struct recording *r, struct sam_replay *replay, uint64_t *random)
{
    const uint32_t warps = r->of->launch.warps, streams = groups_of(r->of) * warps;
    FREED size_t *at = calloc(streams, sizeof *at);
    FREED bool *ended = calloc(streams, sizeof *ended);
    assert_true(at && ended);
    uint32_t begun = 0; /* workgroups */
    for (uint32_t left = streams; left;) {
        const uint32_t stream = (uint32_t)test_random(random) % streams;
        const struct trail *t = &r->trails[stream];
        if (ended[stream] || stream / warps > begun)
            continue;
        begun = stream / warps == begun ? begun + 1 : begun;
        for (uint64_t some = 1 + test_random(random) % 50; some && !ended[stream]; some--) {
            struct sam_gputime_op op;
            if (!sam_replay_next(replay, stream / warps, stream % warps, &op)) {
                if (at[stream] < t->count)
                    fail_msg("stream %u ends after %zu instead of %zu", stream, at[stream],
                             t->count);
                ended[stream] = true;
                left--;
                break;
            }
            if (at[stream] == t->count)
                fail_msg("stream %u has more than %zu", stream, t->count);
            const struct expected *e = &t->ops[at[stream]++];
            const char *what = difference(&op, e, at[stream] == t->count);
            if (what)
                fail_msg("stream %u, instruction %zu at 0x%08x, word 0x%08x: %s", stream,
                         at[stream] - 1, (unsigned)e->pc, (unsigned)e->insn.word, what);
        }
    }
}

/* With `kept`, the whole launch runs before the first instruction is read. */
static void check(const struct recording *r, size_t limit, bool stepped, bool kept,
                  uint64_t *random, size_t *most)
{
    struct sam_gpu *gpu = machine_of(r->of, stepped);
    struct sam_run run;
    succeeds(sam_run_open, &run, gpu, &r->of->launch);
    run.recorded = true;
    assert_true(sam_workers_find(&run, 1) && sam_worker_open(&run.workers[0], &run));
    struct sam_replay *replay = sam_replay_new(&run, limit);
    assert_non_null(replay);
    if (kept) {
        sam_replay_keep(replay);
        sam_workers_leave(&run);
        assert_true(limit || replay->store.held == 0);
    }
    compare(r, replay, random);
    for (uint32_t i = 0; i < groups_of(r->of); i++)
        sam_replay_drop(replay, i);
    assert_int_equal(replay->store.held, 0);
    assert_int_equal(replay->store.status, SAM_OK);
    *most = replay->store.most > *most ? replay->store.most : *most;
    sam_replay_free(replay);
    if (!kept)
        sam_workers_leave(&run);
    sam_run_close(&run);
    sam_gpu_free(gpu);
}

static void run_cases(enum gen_trap trap, uint64_t cases)
{
    FREED struct random_case *c = calloc(1, sizeof *c);
    struct recording r = {.of = c};
    assert_non_null(c);
    succeeds(sam_isa_parse, "ventus", &r.isa);
    const uint64_t first = test_number("SAMITE_SEED", 1);
    cases = test_number("SAMITE_CASES", cases);
    uint64_t random = first;
    size_t most[2] = {0};
    for (uint64_t seed = first; seed < first + cases; seed++) {
        printf("# SAMITE_SEED=%llu\n", (unsigned long long)seed);
        random_case_make(c, seed, trap);
        const uint32_t streams = groups_of(c) * c->launch.warps;
        r.trails = calloc(streams, sizeof *r.trails);
        assert_non_null(r.trails);
        struct sam_gpu *gpu = machine_of(c, false);
        run_session(&r, gpu);
        sam_gpu_free(gpu);
        check(&r, SIZE_MAX, false, false, &random, &most[0]);
        check(&r, 0, seed & 1, false, &random, &most[1]);
        check(&r, seed & 2 ? 0 : SIZE_MAX, seed & 1, true, &random, &most[0]);
        for (uint32_t i = 0; i < streams; i++)
            free(r.trails[i].ops);
        free(r.trails);
    }
    printf("# at most %zu bytes; with a file %zu\n", most[0], most[1]);
}

TEST(instructions_are_those_of_a_session)
{
    run_cases(GEN_NO_TRAP, 60);
}

TEST(they_end_where_a_program_fails)
{
    run_cases(GEN_TRAP, 100);
}
