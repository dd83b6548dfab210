/* SPDX-License-Identifier: Apache-2.0 */
/* Random programs through the public API and through the reference of tests/reference, on the
 * same memory: every byte, every trap and every instruction count must agree. A failure prints
 * its seed and the program, reduced to the relevant words. SAMITE_SEED=N runs from seed N;
 * SAMITE_CASES=N sets the number of programs. */

#include "test.h"

#include "isa/isa.h"
#include "profile_rows.h"
#include "random_case.h"
#include "reference/ventus_ref.h"
#include "samite/gpu.h"
#include "samite/sanitize.h"

struct test_case {
    struct random_case of;
    char difference[512];
    const char *differs;                /* what does */
    enum sam_trap_kind ended, expected; /* how both sides ended */
};

static bool differ(struct test_case *t, const char *what, uint64_t got, uint64_t expected)
{
    t->differs = strstr(what, "memory") ? "memory" : what;
    snprintf(t->difference, sizeof(t->difference), "%s is 0x%llx, the reference says 0x%llx", what,
             (unsigned long long)got, (unsigned long long)expected);
    return false;
}

static bool same_trap(struct test_case *t, const struct sam_trap *got, const struct sam_trap *want)
{
    if (got->kind != want->kind)
        return differ(t, "trap kind", got->kind, want->kind);
    if (want->kind == SAM_TRAP_NONE)
        return true;
    if (got->pc != want->pc)
        return differ(t, "trap pc", got->pc, want->pc);
    if (got->workgroup != want->workgroup)
        return differ(t, "trap workgroup", got->workgroup, want->workgroup);
    if (got->warp != want->warp)
        return differ(t, "trap warp", got->warp, want->warp);
    if (got->lane != want->lane)
        return differ(t, "trap lane", got->lane, want->lane);
    if (got->lanes != want->lanes)
        return differ(t, "trap lanes", got->lanes, want->lanes);
    if (got->word != want->word)
        return differ(t, "trap word", got->word, want->word);
    /* gpu.h defines tval up to here. */
    if (want->kind <= SAM_TRAP_PRIVATE_RANGE && got->tval != want->tval)
        return differ(t, "trap tval", got->tval, want->tval);
    return true;
}

static bool same_memory(struct test_case *t, struct sam_gpu *gpu, struct ref_gpu *ref)
{
    for (unsigned b = 0; b < RANDOM_BUFFERS; b++) {
        FREED uint8_t *got = malloc(random_case_size(&t->of, b)),
                      *want = malloc(random_case_size(&t->of, b));
        assert_true(got && want);
        succeeds(sam_gpu_read, gpu, random_buffers[b].base, got, random_case_size(&t->of, b));
        ref_gpu_read(ref, random_buffers[b].base, want, random_case_size(&t->of, b));
        uint32_t at = 0;
        bool same = memcmp(got, want, random_case_size(&t->of, b)) == 0;
        while (!same && memcmp(got + at, want + at, 4) == 0)
            at += 4;
        if (!same) {
            uint32_t g, w;
            memcpy(&g, got + at, 4);
            memcpy(&w, want + at, 4);
            FREED char *what =
                formatted("memory at 0x%08x", (unsigned)(random_buffers[b].base + at));
            differ(t, what, g, w);
        }
        if (!same)
            return false;
    }
    return true;
}

static bool drop(void *context, const void *data, size_t size)
{
    (void)context, (void)data, (void)size;
    return true;
}

/* Run with every counter. A commit log makes each instruction a step. */
static void count(const struct test_case *t, bool stepped, struct sam_profile *profile,
                  struct sam_gpu_result *result)
{
    struct sam_error error = {0};
    struct sam_gpu *gpu = NULL;
    struct sam_gpu_options options = t->of.options;
    options.size = sizeof options;
    options.jobs = 1;
    options.schedule = SAM_SCHEDULE_RUN;
    options.collect_stats = true;
    options.profile = profile;
    if (stepped)
        options.log.write = drop;
    succeeds(sam_gpu_new, &options, &gpu);
    random_case_map(&t->of, gpu);
    sam_gpu_launch(gpu, &t->of.launch, result, &error);
    sam_gpu_free(gpu);
}

/* Whether counting in runs and counting step by step agree. */
static bool same_counts(struct test_case *t)
{
    struct sam_profile *profiles[2] = {sam_profile_new(), sam_profile_new()};
    struct sam_gpu_result results[2];
    const struct sam_profile_row *rows[2];
    size_t counts[2];
    for (int i = 0; i < 2; i++) {
        count(t, i == 1, profiles[i], &results[i]);
        rows[i] = sam_profile_rows(profiles[i], &counts[i]);
    }
    bool same = results[0].trap.kind == results[1].trap.kind || differ(t, "end", 0, 0);
    if (same && counts[0] != counts[1])
        same = differ(t, "number of counted instructions", counts[0], counts[1]);
    for (size_t i = 0; same && i < counts[0]; i++) {
        uint64_t got, expected;
        const char *field = profile_rows_differ(&rows[0][i], &rows[1][i], &got, &expected);
        if (!field)
            continue;
        FREED char *what = formatted("%s of 0x%llx", field, (unsigned long long)rows[0][i].pc);
        same = differ(t, what, got, expected);
    }
    const struct sam_gpu_stats *a = &results[0].stats, *b = &results[1].stats;
    if (same && (a->simt_depth != b->simt_depth || a->lane_insns != b->lane_insns ||
                 a->barriers != b->barriers || a->mix_count != b->mix_count ||
                 a->branch_count != b->branch_count || a->warp_insns != b->warp_insns ||
                 a->warp_insns != a->scalar_insns + a->vector_insns))
        same = differ(t, "a sum of the statistics", a->warp_insns, b->warp_insns);
    t->differs = same ? t->differs : "counts";
    for (int i = 0; i < 2; i++) {
        sam_profile_free(profiles[i]);
        sam_gpu_result_free(&results[i]);
    }
    return same;
}

/* True if both sides agree. A quarter of the programs runs under a sanitizer, which changes
 * nothing. */
static bool agree(struct test_case *t)
{
    struct sam_error error = {0};
    struct sam_gpu *gpu = NULL;
    struct sam_gpu_options options = t->of.options;
    options.size = sizeof options;
    if ((t->of.data_seed >> 32) % 4 == 0)
        /* its bounds check reports accesses that otherwise trap */
        assert_non_null(
            options.sanitizer = sam_sanitizer_new(
                options.strict_lds ? SAM_SANITIZE_ALL & ~SAM_SANITIZE_BOUNDS : SAM_SANITIZE_ALL));
    struct ref_gpu *ref = ref_gpu_new(&t->of.options);
    struct sam_gpu_result got = {0};
    struct ref_result want;
    succeeds(sam_gpu_new, &options, &gpu);
    random_case_map(&t->of, gpu);
    for (unsigned b = 0; b < RANDOM_BUFFERS; b++) {
        FREED uint8_t *data = random_case_contents(&t->of, b);
        ref_gpu_map(ref, random_buffers[b].base, random_case_size(&t->of, b));
        ref_gpu_write(ref, random_buffers[b].base, data, random_case_size(&t->of, b));
    }
    bool fine = ref_gpu_launch(ref, &t->of.launch, &want);
    enum sam_status status = sam_gpu_launch(gpu, &t->of.launch, &got, &error);
    t->ended = got.trap.kind;
    t->expected = want.trap.kind;
    bool same = same_trap(t, &got.trap, &want.trap);
    if (same && status != (fine ? SAM_OK : SAM_ERR_TRAP))
        same = differ(t, "status", status, fine ? SAM_OK : SAM_ERR_TRAP);
    if (same && got.stats.warp_insns != want.warp_insns)
        same = differ(t, "instruction count", got.stats.warp_insns, want.warp_insns);
    same = same && same_memory(t, gpu, ref) && same_counts(t);
    sam_gpu_result_free(&got);
    ref_result_free(&want);
    sam_gpu_free(gpu);
    sam_sanitizer_free(options.sanitizer);
    ref_gpu_free(ref);
    return same;
}

/* Replace words of the body by nops while the difference remains. */
static void shrink(struct test_case *t)
{
    struct gen_program *p = &t->of.program;
    const char *differs = t->differs;
    enum sam_trap_kind ended = t->ended, expected = t->expected;
    bool again = true;
    while (again) {
        again = false;
        for (size_t size = 64; size > 0; size /= 2) {
            for (size_t i = p->body; i + size <= p->body_end; i++) {
                uint32_t saved[64], nops = 0;
                memcpy(saved, p->words + i, 4 * size);
                for (size_t j = 0; j < size; j++) {
                    nops += p->words[i + j] == 0x13;
                    p->words[i + j] = 0x13;
                }
                if (nops == size)
                    continue;
                if (agree(t) || strcmp(t->differs, differs) != 0 || t->ended != ended ||
                    t->expected != expected)
                    memcpy(p->words + i, saved, 4 * size);
                else
                    again = true;
            }
        }
    }
    agree(t);
}

static void report(struct test_case *t, uint64_t seed)
{
    struct sam_isa isa;
    struct sam_error error;
    fprintf(stderr, "# SAMITE_SEED=%llu: %s\n", (unsigned long long)seed, t->difference);
    shrink(t);
    fprintf(stderr, "# cut down: %s\n# lanes %u, warps %u, grid %u,%u,%u\n", t->difference,
            t->of.launch.lanes, t->of.launch.warps, t->of.launch.grid[0], t->of.launch.grid[1],
            t->of.launch.grid[2]);
    sam_isa_parse("ventus", &isa, &error);
    for (size_t i = t->of.program.body; i < t->of.program.body_end; i++) {
        char text[128];
        if (t->of.program.words[i] == 0x13)
            continue;
        sam_disassemble(&isa, t->of.program.words[i], GEN_CODE + 4 * i, 0, NULL, text,
                        sizeof(text));
        fprintf(stderr, "#   %08x: %08x  %s\n", (unsigned)(GEN_CODE + 4 * i),
                (unsigned)t->of.program.words[i], text);
    }
}

static void run_cases(enum gen_trap trap, uint64_t cases)
{
    FREED struct test_case *t = calloc(1, sizeof(*t));
    assert_non_null(t);
    uint64_t first = test_number("SAMITE_SEED", 1), failures = 0;
    cases = test_number("SAMITE_CASES", cases);
    printf("# %llu programs from SAMITE_SEED=%llu\n", (unsigned long long)cases,
           (unsigned long long)first);
    for (uint64_t seed = first; seed < first + cases && failures < 5; seed++) {
        random_case_make(&t->of, seed, trap);
        if (seed % 3 == 0)
            random_case_cut(&t->of);
        if (trap == GEN_TRAP && seed % 4 == 0)
            random_case_bound(&t->of);
        if (agree(t))
            continue;
        failures++;
        report(t, seed);
    }
    assert_int_equal(failures, 0);
}

TEST(random_programs_agree_with_the_reference)
{
    run_cases(GEN_NO_TRAP, 150);
}

TEST(random_traps_agree_with_the_reference)
{
    run_cases(GEN_TRAP, 250);
}
