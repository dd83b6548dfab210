/* SPDX-License-Identifier: Apache-2.0 */
/* Random programs that declare too little: part of their local memory, and buffers that are
 * missing where bounds are loose. The check `bounds` must report each out-of-bounds access in
 * the recorded steps of a session, and no other. */

#include "test.h"

#include "random_cases.h"
#include "samite/sanitize.h"
#include "samite/session.h"

enum { RANGES = 3, MOST = 4096, SCRATCH = 2 };

struct outside {
    uint32_t pc;
    enum sam_finding_kind kind;
    uint64_t count;
};

struct plain {
    const struct random_case *c;
    struct sam_lds_range ranges[RANGES]; /* the first one is the launch's own */
    bool mapped[RANDOM_BUFFERS];
    struct outside found[MOST];
    size_t count;
};

static bool has_byte(const struct plain *p, uint32_t address)
{
    for (unsigned i = 0; i < RANGES; i++)
        if (address - p->ranges[i].base < p->ranges[i].size)
            return true;
    for (unsigned b = 0; b < RANDOM_BUFFERS; b++)
        if (p->mapped[b] && address - random_buffers[b].base < random_case_size(p->c, b))
            return true;
    return false;
}

static bool step(void *context, struct sam_session *session, const struct sam_step *s)
{
    struct plain *p = context;
    (void)session;
    for (unsigned i = 0; i < s->access_count; i++) {
        const struct sam_step_access *a = &s->access[i];
        const uint32_t address = (uint32_t)a->address;
        const enum sam_finding_kind kind = address - SAM_LDS_BASE < SAM_LDS_SIZE
                                               ? SAM_FINDING_BOUNDS_LOCAL
                                               : SAM_FINDING_BOUNDS_GAP;
        bool inside = true;
        for (uint32_t k = 0; k < a->size; k++)
            inside = inside && has_byte(p, address + k);
        size_t at = 0;
        while (at < p->count && (p->found[at].pc != s->pc || p->found[at].kind != kind))
            at++;
        if (inside)
            continue;
        assert_true(at < MOST);
        if (at == p->count)
            p->found[p->count++] = (struct outside){(uint32_t)s->pc, kind, 0};
        p->found[at].count++;
    }
    return true;
}

static struct sam_gpu *make(const struct plain *p, struct sam_gpu_options *options)
{
    struct sam_gpu *gpu;
    options->size = sizeof *options;
    options->loose_bounds = true;
    options->lds_ranges = p->ranges + 1;
    options->lds_range_count = RANGES - 1;
    succeeds(sam_gpu_new, options, &gpu);
    for (unsigned b = 0; b < RANDOM_BUFFERS; b++) {
        FREED uint8_t *data = random_case_contents(p->c, b);
        const uint32_t size = random_case_size(p->c, b);
        if (p->mapped[b]) {
            succeeds(sam_gpu_map, gpu, random_buffers[b].base, size);
            succeeds(sam_gpu_write, gpu, random_buffers[b].base, data, size);
        }
    }
    return gpu;
}

static void run_plain(struct plain *p, const struct sam_launch *launch)
{
    const struct sam_session_run run = {.size = sizeof run, .each = step, .context = p};
    struct sam_gpu_options options = {.schedule = p->c->options.schedule};
    struct sam_session *session;
    struct sam_session_stop stop;
    struct sam_gpu *gpu = make(p, &options);
    succeeds(sam_session_open, gpu, launch, NULL, &session);
    succeeds(sam_session_run, session, &run, &stop);
    assert_int_equal(stop.reason, SAM_SESSION_DONE);
    sam_session_close(session);
    sam_gpu_free(gpu);
}

static bool differs(uint32_t pc, uint64_t got, uint64_t expected)
{
    fprintf(stderr, "# pc 0x%08x: %" PRIu64 " times, expected %" PRIu64 "\n", pc, got, expected);
    return false;
}

static bool same(struct sam_sanitizer *sanitizer, const struct plain *p)
{
    size_t count;
    const struct sam_finding *f = sam_sanitizer_findings(sanitizer, &count);
    for (size_t i = 0; i < p->count; i++) {
        uint64_t got = 0;
        for (size_t k = 0; k < count; k++)
            if (f[k].sides[0].pc == p->found[i].pc && f[k].kind == p->found[i].kind)
                got += f[k].count;
        if (got != p->found[i].count)
            return differs(p->found[i].pc, got, p->found[i].count);
    }
    return count == p->count || differs(f[count ? count - 1 : 0].sides[0].pc, count, p->count);
}

/* Declares some of the memory used by a program. */
static void declare(struct plain *p, struct gen_random *r)
{
    for (unsigned b = 0; b < RANDOM_BUFFERS; b++)
        p->mapped[b] = b != SCRATCH || gen_once_in(r, 2);
    p->ranges[0] = (struct sam_lds_range){SAM_LDS_BASE, 64 * gen_below(r, 100)};
    for (unsigned i = 1; i < RANGES; i++)
        p->ranges[i] = (struct sam_lds_range){SAM_LDS_BASE + 4 * gen_below(r, GEN_REGION),
                                              1 + gen_below(r, GEN_REGION)};
}

static bool agrees(struct random_case *c, uint64_t seed, uint64_t *found)
{
    struct gen_random r = {c->data_seed ^ seed << 1};
    struct plain *p = calloc(1, sizeof *p);
    struct sam_sanitizer *sanitizer = sam_sanitizer_new(SAM_SANITIZE_BOUNDS);
    struct sam_gpu_options options = c->options;
    struct sam_launch launch = c->launch;
    struct sam_error error;
    bool good = true;
    assert_non_null(p);
    assert_non_null(sanitizer);
    p->c = c;
    declare(p, &r);
    launch.lds_size = p->ranges[0].size;
    options.sanitizer = sanitizer;
    struct sam_gpu *gpu = make(p, &options);
    if (sam_gpu_launch(gpu, &launch, NULL, &error) == SAM_OK) {
        run_plain(p, &launch);
        good = same(sanitizer, p);
        *found += p->count;
    }
    sam_gpu_free(gpu);
    sam_sanitizer_free(sanitizer);
    free(p);
    return good;
}

TEST(each_access_outside_is_found)
{
    assert_int_equal(random_buffers[SCRATCH].base, GEN_SCRATCH);
    printf("# %" PRIu64 " instructions with accesses outside\n", random_cases_agree(agrees));
}
