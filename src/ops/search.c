/* SPDX-License-Identifier: Apache-2.0 */
/* Search for the best cut of a box: block sizes and permutation methods. */
#include <stdlib.h>

#include "ops/cut.h"

#define MAX_SIZE    1024 /* largest block along one dim */
#define POWERS      11   /* powers of two up to that */
#define MAX_OPTIONS 96

struct search {
    const struct sam_box *box;
    struct sam_block block; /* under trial */
    struct sam_found found; /* best so far */
    double best_score;      /* its cycles per byte, weighted by the remainders of the cut */
    bool failed;
};

static bool is_pow2(uint64_t n)
{
    return n && !(n & (n - 1));
}

static void consider(struct search *search, const struct sam_cut *cut)
{
    const struct sam_box *box = search->box;
    uint64_t bytes = sam_cut_bytes(box, cut);
    size_t stores;
    bool two = cut->way == SAM_WAY_XPOSE || cut->way == SAM_WAY_CLASS;
    if (bytes > (two ? 2 : 1) * SAM_PLAN_TL_BYTES ||
        !sam_cut_build(box, cut, &search->block, &stores))
        return;
    double score = sam_block_cost(&search->block, stores, box->places) / (double)bytes, rest = 0;
    for (unsigned i = 0; i < box->rank; i++)
        rest += (double)(box->dim[i].n % cut->t[i]) / (double)box->dim[i].n;
    score *= 1 + rest;
    search->failed |= search->block.failed;
    if (search->best_score > 0 && score >= search->best_score)
        return;
    sam_cut_repeat(box, stores, &search->block);
    search->failed |= search->block.failed;
    struct sam_block spare = search->found.block;
    search->best_score = score;
    search->found.cut = *cut;
    search->found.box = *box;
    search->found.block = search->block;
    search->block = spare;
}

/* Candidate block sizes along a dim of `n`, largest first: powers of two and divisors up to `top`.
 * With very many divisors the largest are omitted: without the small ones there may be no block at
 * all. */
static unsigned size_options(uint64_t n, uint64_t top, uint64_t sizes[MAX_OPTIONS])
{
    unsigned count = 0, divisors = 0;
    if (top > n)
        top = n;
    if (top > MAX_SIZE)
        top = MAX_SIZE;
    for (uint64_t t = 1; t <= top; t++)
        if (is_pow2(t) || (n % t == 0 && divisors++ < MAX_OPTIONS - POWERS))
            sizes[count++] = t;
    for (unsigned i = 0; i < count / 2; i++) {
        uint64_t size = sizes[i];
        sizes[i] = sizes[count - 1 - i];
        sizes[count - 1 - i] = size;
    }
    return count;
}

/* Fill the rest of `room` (indices) with the other dims, innermost in the input first. */
static void extend(const struct sam_box *box, struct sam_cut *cut, uint64_t room, bool pow2)
{
    unsigned order[SAM_PLAN_DIMS];
    sam_order_by_input(box, order);
    for (unsigned k = box->rank; k-- > 0 && room > 1;) {
        unsigned i = order[k];
        if ((int)i == cut->a || (int)i == cut->b)
            continue;
        uint64_t n = box->dim[i].n, t = room < n ? room : n;
        while (pow2 ? !is_pow2(t) : n % t != 0)
            t--;
        if (t == 1)
            return;
        cut->t[i] = t;
        room /= t;
    }
}

static void consider_ways(struct search *search, struct sam_cut *cut)
{
    const struct sam_box *box = search->box;
    uint64_t ta = cut->a < 0 ? 1 : cut->t[cut->a], tb = cut->b < 0 ? 1 : cut->t[cut->b];
    uint64_t bytes = sam_cut_bytes(box, cut);
    cut->way = SAM_WAY_NONE;
    consider(search, cut);
    if (ta == 1 || tb == 1 || cut->a == cut->b)
        return;
    cut->way = SAM_WAY_CONCAT;
    consider(search, cut);
    if (!is_pow2(bytes) || !is_pow2(box->unit) || !is_pow2(ta) || !is_pow2(tb))
        return;
    cut->way = SAM_WAY_XPOSE;
    consider(search, cut);
    cut->way = SAM_WAY_CLASS;
    if (bytes == 2 * SAM_PLAN_TL_BYTES)
        for (cut->step = 2; cut->step <= tb / 2; cut->step *= 2)
            consider(search, cut);
}

static bool among(const struct sam_cut *cut, const struct sam_cut *others, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (memcmp(cut->t, others[i].t, sizeof cut->t) == 0)
            return true;
    return false;
}

static void search_cuts(struct search *search)
{
    const struct sam_box *box = search->box;
    uint64_t options_a[MAX_OPTIONS] = {1}, options_b[MAX_OPTIONS] = {1};
    unsigned count_a = 1, count_b = 1;
    int a = -1, b = -1;
    uint64_t top = 2 * SAM_PLAN_TL_BYTES / box->unit;
    for (unsigned i = 0; i < box->rank; i++) {
        if (a < 0 || llabs(box->dim[i].in) < llabs(box->dim[a].in))
            a = (int)i;
        if (b < 0 || llabs(box->dim[i].out) < llabs(box->dim[b].out))
            b = (int)i;
    }
    if (a == b)
        b = -1;
    if (a >= 0)
        count_a = size_options(box->dim[a].n, top, options_a);
    if (b >= 0)
        count_b = size_options(box->dim[b].n, top, options_b);
    uint64_t total = sam_box_bytes(box);
    for (unsigned i = 0; i < count_a; i++)
        for (unsigned j = 0; j < count_b; j++) {
            uint64_t indices = options_a[i] * options_b[j];
            if (indices > top)
                continue;
            struct sam_cut cuts[5];
            for (unsigned how = 0; how < SAM_COUNT(cuts); how++) {
                struct sam_cut *cut = &cuts[how];
                *cut = (struct sam_cut){.a = a, .b = b};
                for (unsigned k = 0; k < SAM_PLAN_DIMS; k++)
                    cut->t[k] = 1;
                if (a >= 0)
                    cut->t[a] = options_a[i];
                if (b >= 0)
                    cut->t[b] = options_b[j];
                /* unchanged, then extended along the other dims to one register or two */
                if (how)
                    extend(box, cut, (how < 3 ? 1 : 2) * SAM_PLAN_TL_BYTES / box->unit / indices,
                           how % 2);
                uint64_t bytes = sam_cut_bytes(box, cut);
                bool small = bytes < 128 && bytes < total && search->best_score > 0;
                if (!small && !among(cut, cuts, how))
                    consider_ways(search, cut);
            }
        }
}

/* Split a dim of n into steps of `step` indices and the indices in between. The rows of a block are
 * then `step` apart, and a width may divide these distances even if it does not divide the row
 * pitch. */
static struct sam_box split_dim(const struct sam_box *box, unsigned k, uint64_t step)
{
    struct sam_box split = *box;
    struct sam_dim dim = box->dim[k];
    split.dim[k] = (struct sam_dim){dim.n / step, dim.in * (int64_t)step, dim.out * (int64_t)step};
    split.dim[split.rank++] = (struct sam_dim){step, dim.in, dim.out};
    return split;
}

/* Returns whether `t` rows of `run` bytes, `step` apart, form at most 32 slices of one width. */
static bool one_width(uint64_t run, uint64_t t, int64_t step)
{
    uint64_t a = run, b = (uint64_t)llabs(step);
    while (b) {
        uint64_t r = a % b;
        a = b;
        b = r;
    }
    return t * (run / a) <= SAM_PLAN_TL_SLICES;
}

static void search_split(struct search *search, unsigned k)
{
    const struct sam_box *box = search->box;
    uint64_t options_a[MAX_OPTIONS] = {1}, options_k[MAX_OPTIONS];
    unsigned count_a = 1;
    int a = -1;
    for (unsigned i = 0; i + 1 < box->rank; i++) /* the last dim has the indices in between */
        if (i != k && (a < 0 || llabs(box->dim[i].in) < llabs(box->dim[a].in)))
            a = (int)i;
    if (a >= 0)
        count_a = size_options(box->dim[a].n, SAM_PLAN_TL_BYTES / box->unit, options_a);
    for (unsigned i = 0; i < count_a && i < 6; i++) {
        uint64_t top = SAM_PLAN_TL_BYTES / box->unit / options_a[i];
        unsigned count_k = size_options(box->dim[k].n, top, options_k);
        for (unsigned j = 0; j < count_k && j < 6; j++) {
            uint64_t run = box->unit * options_a[i];
            if (!one_width(run, options_k[j], box->dim[k].in) ||
                !one_width(run, options_k[j], box->dim[k].out))
                continue;
            struct sam_cut cut = {.a = a, .b = (int)k, .way = SAM_WAY_NONE};
            for (unsigned d = 0; d < SAM_PLAN_DIMS; d++)
                cut.t[d] = 1;
            if (a >= 0)
                cut.t[a] = options_a[i];
            cut.t[k] = options_k[j];
            consider(search, &cut);
        }
    }
}

/* Try splits if the best blocks so far use many short slices. */
static void search_splits(struct search *search)
{
    const double poor = 0.16; /* twice the cycles per byte of the best blocks */
    const uint64_t widest = 64;
    const struct sam_box *box = search->box;
    if (search->best_score < poor || box->rank == SAM_PLAN_DIMS ||
        sam_box_bytes(box) < 2 * SAM_PLAN_TL_BYTES)
        return;
    for (unsigned k = 0; k < box->rank; k++)
        for (uint64_t step = 2; step <= widest && step * 2 <= box->dim[k].n; step++) {
            struct sam_box split = split_dim(box, k, step);
            search->box = &split;
            search_split(search, k);
        }
    search->box = box;
}

enum sam_status sam_cut_search(const struct sam_box *box, struct sam_found *found,
                               struct sam_error *error)
{
    struct search search = {.box = box};
    search_cuts(&search);
    search_splits(&search);
    sam_block_clear(&search.block);
    *found = search.found;
    return search.failed ? sam_fail_memory(error) : SAM_OK;
}
