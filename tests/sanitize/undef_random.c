/* SPDX-License-Identifier: Apache-2.0 */
/* Random programs with uninitialised registers and memory: the check `init` and the second
 * opinion of plain.h must find the same uses. The programs end by storing every register, so
 * that each remaining undefined bit is a use as well. */

#include "test.h"

#include "plain.h"
#include "random_cases.h"

enum { KEPT = 1000 }; /* the sanitizer's limit of findings per check */

struct hole {
    uint32_t base, size;
};

struct holes {
    struct hole *items;
    unsigned count;
};

/* Parts of the memory from which each warp loads its registers: whole registers, and some bytes. */
static struct holes make_holes(const struct random_case *c, struct gen_random *r)
{
    const uint32_t warps = random_case_size(c, 1) / GEN_STRIDE, each = 4 + gen_below(r, 60);
    struct holes holes = {.items = calloc((size_t)warps * each, sizeof *holes.items)};
    assert_non_null(holes.items);
    assert_int_equal(random_buffers[1].base, GEN_INPUT);
    for (uint32_t warp = 0; warp < warps; warp++) {
        for (uint32_t i = 0; i < each; i++) {
            const bool scalar = gen_once_in(r, 2);
            /* Scalar registers are loaded from the first 256 bytes, vector registers from all. */
            uint32_t at = scalar ? 4 * gen_below(r, 64) : 128 * gen_below(r, 256), size;
            if (gen_once_in(r, 3)) {
                at += gen_below(r, scalar ? 4 : 128);
                size = 1 + gen_below(r, 3);
            } else {
                size = scalar ? 4 : 128;
            }
            holes.items[holes.count++] = (struct hole){GEN_INPUT + warp * GEN_STRIDE + at, size};
        }
    }
    return holes;
}

static bool step(void *context, struct sam_session *session, const struct sam_step *recorded)
{
    (void)session;
    plain_step(context, recorded);
    return true;
}

static struct plain *run_plain(const struct random_case *c, const struct holes *holes)
{
    const struct sam_launch *launch = &c->launch;
    struct plain *plain = plain_new(launch->lanes, launch->warps, launch->pds_base,
                                    launch->warps * launch->lanes * launch->pds_size);
    const struct sam_session_run run = {.size = sizeof run, .each = step, .context = plain};
    struct sam_gpu_options options = {.schedule = c->options.schedule};
    struct sam_gpu *gpu;
    SCOPED_SESSION *session;
    struct sam_session_stop stop;
    for (unsigned i = 0; i < holes->count; i++)
        plain_output(plain, holes->items[i].base, holes->items[i].size);
    succeeds(sam_gpu_new, &options, &gpu);
    random_case_map(c, gpu);
    succeeds(sam_session_open, gpu, launch, NULL, &session);
    succeeds(sam_session_run, session, &run, &stop);
    assert_int_equal(stop.reason, SAM_SESSION_DONE);
    sam_gpu_free(gpu);
    return plain;
}

/* False: the program trapped or did not end. */
static bool run_sanitized(const struct random_case *c, const struct holes *holes,
                          struct sam_sanitizer *sanitizer)
{
    struct sam_gpu_options options = c->options;
    struct sam_gpu *gpu;
    struct sam_error error;
    options.size = sizeof options;
    options.sanitizer = sanitizer;
    succeeds(sam_gpu_new, &options, &gpu);
    random_case_map(c, gpu);
    for (unsigned i = 0; i < holes->count; i++) {
        const struct sam_sanitizer_buffer buffer = {
            .base = holes->items[i].base, .size = holes->items[i].size, .name = "", .output = true};
        succeeds(sam_sanitizer_add_buffer, sanitizer, &buffer);
    }
    const bool ended = sam_gpu_launch(gpu, &c->launch, NULL, &error) == SAM_OK;
    sam_gpu_free(gpu);
    return ended;
}

static bool is_alike(const struct sam_finding *a, const struct plain_finding *b)
{
    return a->kind == b->kind && a->sides[0].pc == b->pc && a->used.file == b->file &&
           a->used.number == b->number;
}

static bool differs(const struct plain_finding *p, const char *what, uint64_t got,
                    uint64_t expected)
{
    fprintf(stderr, "# pc 0x%08x, %s, %c%u: %s %#" PRIx64 ", expected %#" PRIx64 "\n", p->pc,
            sam_finding_kind_name(p->kind), p->file ? p->file : 'm', p->number, what, got,
            expected);
    return false;
}

/* Findings are distinguished by the load from which their undefined bits come; those of plain.h
 * are not. */
static bool same_finding(const struct sam_finding *findings, size_t count,
                         const struct plain_finding *p)
{
    const struct sam_finding *first = NULL;
    uint64_t total = 0;
    for (size_t i = 0; i < count; i++) {
        if (!is_alike(&findings[i], p))
            continue;
        first = first ? first : &findings[i];
        total += findings[i].count;
    }
    if (total != p->count)
        return differs(p, "count", total, p->count);
    if (first->sides[0].workgroup != p->workgroup)
        return differs(p, "workgroup", first->sides[0].workgroup, p->workgroup);
    if (first->sides[0].warp != p->warp)
        return differs(p, "warp", first->sides[0].warp, p->warp);
    return first->lanes == p->lanes || differs(p, "lanes", first->lanes, p->lanes);
}

static bool same_findings(struct sam_sanitizer *sanitizer, const struct plain *plain)
{
    size_t count, plain_count, known = 0;
    const struct sam_finding *findings = sam_sanitizer_findings(sanitizer, &count);
    const struct plain_finding *expected = plain_findings(plain, &plain_count);
    if (count >= KEPT)
        return true;
    for (size_t i = 0; i < plain_count; i++)
        if (!same_finding(findings, count, &expected[i]))
            return false;
    for (size_t i = 0; i < count; i++) {
        bool found = false;
        for (size_t k = 0; k < plain_count && !found; k++)
            found = is_alike(&findings[i], &expected[k]);
        known += found;
        if (!found)
            fprintf(stderr, "# pc 0x%08x, %s, %c%u: not expected\n", findings[i].sides[0].pc,
                    sam_finding_kind_name(findings[i].kind),
                    findings[i].used.file ? findings[i].used.file : 'm', findings[i].used.number);
    }
    return known == count;
}

static bool agrees(struct random_case *c, uint64_t seed, uint64_t *found)
{
    struct gen_random r = {c->data_seed ^ seed << 1};
    struct holes holes = make_holes(c, &r);
    struct sam_sanitizer *sanitizer = sam_sanitizer_new(SAM_SANITIZE_INIT);
    bool same = true;
    size_t count;
    assert_non_null(sanitizer);
    if (run_sanitized(c, &holes, sanitizer)) {
        struct plain *plain = run_plain(c, &holes);
        same = same_findings(sanitizer, plain);
        sam_sanitizer_findings(sanitizer, &count);
        *found += count;
        plain_free(plain);
    }
    sam_sanitizer_free(sanitizer);
    free(holes.items);
    return same;
}

TEST(the_plain_reading_finds_the_same)
{
    printf("# %" PRIu64 " findings\n", random_cases_agree(agrees));
}
