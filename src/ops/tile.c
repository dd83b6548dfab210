/* SPDX-License-Identifier: Apache-2.0 */
/* Which blocks a box is cut into: the search over block sizes and ways to permute a block. */
#include <stdio.h>
#include <stdlib.h>

#include "ops/plan.h"

#define MAX_SIZE    1024 /* of a block along one dim */
#define POWERS      11   /* of two, up to that */
#define MAX_OPTIONS 96

/* How a block's bytes get from load order to store order. */
enum way {
    WAY_NONE,   /* they are the same */
    WAY_CONCAT, /* dims swapped factor by factor, any sizes */
    WAY_XPOSE,  /* one XPOSE, power-of-two sizes */
    WAY_CLASS,  /* XPOSE; the rows of a LOAD are `step` apart, so that their distances are
                   multiples of the width where the row pitch is not */
};

struct tile {
    uint64_t t[SAM_PLAN_DIMS]; /* indices of each dim in a block */
    int a, b;                  /* dims that run in the input and in the output, or -1 */
    enum way way;
    uint64_t step; /* of WAY_CLASS */
};

static bool is_pow2(uint64_t n)
{
    return n && !(n & (n - 1));
}

static uint64_t tile_bytes(const struct sam_box *box, const struct tile *tile)
{
    uint64_t bytes = box->unit;
    for (unsigned i = 0; i < box->rank; i++)
        bytes *= tile->t[i];
    return bytes;
}

/* ------------------------------------------------------------------------------ building */

static void push(struct sam_rows *rows, uint64_t n, int64_t step)
{
    if (n == 1)
        return;
    rows->dim[rows->rank].n = n;
    rows->dim[rows->rank++].step = step;
}

/* The dims other than a and b, largest input step first; the same order in both lists. */
static void push_others(const struct sam_box *box, const struct tile *tile, struct sam_rows *load,
                        struct sam_rows *store)
{
    bool taken[SAM_PLAN_DIMS] = {false};
    for (unsigned round = 0; round < box->rank; round++) {
        unsigned best = 0;
        while (taken[best])
            best++;
        for (unsigned i = best + 1; i < box->rank; i++)
            if (!taken[i] && box->dim[i].in > box->dim[best].in)
                best = i;
        taken[best] = true;
        if ((int)best == tile->a || (int)best == tile->b)
            continue;
        push(load, tile->t[best], box->dim[best].in);
        push(store, tile->t[best], box->dim[best].out);
    }
}

/* Swap the p-by-q dims of [outer][p][q][unit] by CONCAT, a pair of factors at a time. */
static bool swap_by_factors(struct sam_block *block, unsigned reg, unsigned scratch, uint64_t outer,
                            uint64_t p, uint64_t q, uint64_t unit)
{
    uint64_t done = 1; /* factors of q that stand before p */
    while (q > 1) {
        uint64_t factor = 2;
        while (q % factor)
            factor++;
        if (factor > SAM_TL_SLICES / 2)
            return false;
        q /= factor;
        /* p's factors, the last first, step behind this one. */
        uint64_t left = p, behind = 1;
        while (left > 1) {
            uint64_t part = SAM_TL_SLICES / factor;
            while (part > 1 && left % part)
                part--;
            if (part == 1)
                return false;
            left /= part;
            if (!sam_swap_concat(block, reg, scratch, outer * done * left, part, factor,
                                 behind * q * unit))
                return false;
            behind *= part;
        }
        done *= factor;
    }
    return true;
}

/* Halves along the outermost dim. */
static bool half_of(const struct sam_rows *rows, unsigned half, struct sam_rows *out)
{
    *out = *rows;
    if (rows->rank == 0 || rows->dim[0].n % 2)
        return false;
    out->dim[0].n /= 2;
    out->offset += (int64_t)(half * out->dim[0].n) * rows->dim[0].step;
    return true;
}

static bool fill(struct sam_block *block, const struct sam_rows *rows, unsigned registers,
                 unsigned scratch)
{
    struct sam_rows half;
    if (registers == 1)
        return sam_fill_register(block, rows, 0, scratch);
    for (unsigned i = 0; i < 2; i++)
        if (!half_of(rows, i, &half) || !sam_fill_register(block, &half, i, scratch))
            return false;
    return true;
}

static bool drain(struct sam_block *block, const struct sam_rows *rows, unsigned registers,
                  unsigned scratch)
{
    struct sam_rows half;
    if (registers == 1)
        return sam_drain_register(block, rows, 0, scratch);
    for (unsigned i = 0; i < 2; i++)
        if (!half_of(rows, i, &half) || !sam_drain_register(block, &half, i, scratch))
            return false;
    return true;
}

static bool permute(struct sam_block *block, const struct sam_box *box, const struct tile *tile,
                    uint64_t others, unsigned scratch)
{
    uint64_t ta = tile->a < 0 ? 1 : tile->t[tile->a], tb = tile->b < 0 ? 1 : tile->t[tile->b];
    if (tile->way == WAY_NONE)
        return true;
    if (tile->way == WAY_CONCAT)
        return swap_by_factors(block, 0, scratch, others, tb, ta, box->unit);
    uint64_t batch = 2 * SAM_TL_BYTES / (ta * tb * box->unit);
    if (tile->way == WAY_CLASS)
        return batch == 1 &&
               sam_swap_xpose(block, 0, (uint64_t[]){tile->step, tb / tile->step, ta, 1}, 0, 2,
                              box->unit);
    if (batch == 1)
        return sam_swap_xpose(block, 0, (uint64_t[]){tb, ta, 1, 1}, 0, 1, box->unit);
    return sam_swap_xpose(block, 0, (uint64_t[]){batch, tb, ta, 1}, 1, 2, box->unit);
}

/* What stands in the block from `first` on stores to the box's first place: once more for each
 * further one. */
static void repeat_at_places(struct sam_block *block, const struct sam_box *box, size_t first)
{
    size_t end = block->count;
    for (unsigned i = 1; i < box->places; i++)
        for (size_t k = first; k < end && !block->failed; k++) {
            struct sam_block_op *op = sam_block_add(block, SAM_BLOCK_STORE);
            *op = block->ops[k];
            if (op->kind == SAM_BLOCK_STORE)
                op->offset += box->place[i] - box->place[0];
        }
}

/* The block's instructions, or false when this tile has no good way. */
static bool build(const struct sam_box *box, const struct tile *tile, struct sam_block *block)
{
    struct sam_rows load = {.run = box->unit}, store = {.run = box->unit};
    uint64_t bytes = tile_bytes(box, tile);
    unsigned registers = bytes > SAM_TL_BYTES ? 2 : 1;
    unsigned scratch = tile->way == WAY_XPOSE || tile->way == WAY_CLASS ? 2 : 1;
    block->count = 0;
    block->registers = scratch + 1;
    push_others(box, tile, &load, &store);
    if (box->constant) {
        if (tile->b >= 0)
            push(&store, tile->t[tile->b], box->dim[tile->b].out);
        if (tile->a >= 0)
            push(&store, tile->t[tile->a], box->dim[tile->a].out);
        block->registers = 1;
        return sam_drain_register(block, &store, SAM_PLAN_FILL, 0);
    }
    uint64_t others = bytes / box->unit;
    if (tile->b >= 0) {
        const struct sam_dim *dim = &box->dim[tile->b];
        uint64_t t = tile->t[tile->b];
        others /= t;
        if (tile->way == WAY_CLASS) {
            push(&load, tile->step, dim->in);
            push(&load, t / tile->step, dim->in * (int64_t)tile->step);
        } else {
            push(&load, t, dim->in);
        }
        if (tile->way == WAY_NONE)
            push(&store, t, dim->out);
    }
    if (tile->a >= 0) {
        others /= tile->t[tile->a];
        push(&load, tile->t[tile->a], box->dim[tile->a].in);
        push(&store, tile->t[tile->a], box->dim[tile->a].out);
    }
    if (tile->b >= 0 && tile->way != WAY_NONE)
        push(&store, tile->t[tile->b], box->dim[tile->b].out);
    if (!fill(block, &load, registers, scratch) || !permute(block, box, tile, others, scratch))
        return false;
    size_t first = block->count;
    store.offset = box->places ? box->place[0] : 0;
    if (!drain(block, &store, registers, scratch))
        return false;
    repeat_at_places(block, box, first);
    for (size_t i = 0; i < block->count; i++)
        if (block->ops[i].kind == SAM_BLOCK_LOAD && block->ops[i].rd >= block->registers)
            block->registers = block->ops[i].rd + 1u;
    return true;
}

/* ---------------------------------------------------------------------------- searching */

struct search {
    const struct sam_box *box;
    struct sam_block block, best_block;
    struct sam_box best_box;
    struct tile best;
    double best_score; /* cycles a byte, the worse for what the tile leaves over */
    bool failed;
};

static void consider(struct search *search, const struct tile *tile)
{
    const struct sam_box *box = search->box;
    uint64_t bytes = tile_bytes(box, tile);
    bool two = tile->way == WAY_XPOSE || tile->way == WAY_CLASS;
    if (bytes > (two ? 2 : 1) * SAM_TL_BYTES || !build(box, tile, &search->block))
        return;
    double score = sam_block_cost(&search->block) / (double)bytes, rest = 0;
    for (unsigned i = 0; i < box->rank; i++)
        rest += (double)(box->dim[i].n % tile->t[i]) / (double)box->dim[i].n;
    score *= 1 + rest;
    search->failed |= search->block.failed;
    if (search->best_score > 0 && score >= search->best_score)
        return;
    struct sam_block spare = search->best_block;
    search->best_score = score;
    search->best = *tile;
    search->best_box = *box;
    search->best_block = search->block;
    search->block = spare;
}

/* Block sizes worth trying along a dim of `n`, the largest first: powers of two and divisors, up to
 * `top`. Of a dim with very many divisors the largest are left out: without the small ones there
 * may be no block at all. */
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

/* Fill what is left of `room` (indices) with the other dims, nearest in the input first. */
static void extend(const struct sam_box *box, struct tile *tile, uint64_t room, bool pow2)
{
    for (unsigned round = 0; round < box->rank && room > 1; round++) {
        int best = -1;
        for (unsigned i = 0; i < box->rank; i++)
            if ((int)i != tile->a && (int)i != tile->b && tile->t[i] == 1 &&
                (best < 0 || box->dim[i].in < box->dim[best].in))
                best = (int)i;
        if (best < 0)
            return;
        uint64_t n = box->dim[best].n, t = room < n ? room : n;
        while (pow2 ? !is_pow2(t) : n % t != 0)
            t--;
        if (t == 1)
            return;
        tile->t[best] = t;
        room /= t;
    }
}

static void consider_ways(struct search *search, struct tile *tile)
{
    const struct sam_box *box = search->box;
    uint64_t ta = tile->a < 0 ? 1 : tile->t[tile->a], tb = tile->b < 0 ? 1 : tile->t[tile->b];
    uint64_t bytes = tile_bytes(box, tile);
    tile->way = WAY_NONE;
    consider(search, tile);
    if (ta == 1 || tb == 1 || tile->a == tile->b)
        return;
    tile->way = WAY_CONCAT;
    consider(search, tile);
    if (!is_pow2(bytes) || !is_pow2(box->unit) || !is_pow2(ta) || !is_pow2(tb))
        return;
    tile->way = WAY_XPOSE;
    consider(search, tile);
    tile->way = WAY_CLASS;
    if (bytes == 2 * SAM_TL_BYTES)
        for (tile->step = 2; tile->step <= tb / 2; tile->step *= 2)
            consider(search, tile);
}

static bool among(const struct tile *tile, const struct tile *others, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (memcmp(tile->t, others[i].t, sizeof tile->t) == 0)
            return true;
    return false;
}

static void search_tiles(struct search *search)
{
    const struct sam_box *box = search->box;
    uint64_t options_a[MAX_OPTIONS] = {1}, options_b[MAX_OPTIONS] = {1};
    unsigned count_a = 1, count_b = 1;
    int a = -1, b = -1;
    uint64_t top = 2 * SAM_TL_BYTES / box->unit;
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
            struct tile tiles[5];
            for (unsigned how = 0; how < SAM_COUNT(tiles); how++) {
                struct tile *tile = &tiles[how];
                *tile = (struct tile){.a = a, .b = b};
                for (unsigned k = 0; k < SAM_PLAN_DIMS; k++)
                    tile->t[k] = 1;
                if (a >= 0)
                    tile->t[a] = options_a[i];
                if (b >= 0)
                    tile->t[b] = options_b[j];
                /* as it is, then filled up with the other dims to one register or two */
                if (how)
                    extend(box, tile, (how < 3 ? 1 : 2) * SAM_TL_BYTES / box->unit / indices,
                           how % 2);
                uint64_t bytes = tile_bytes(box, tile);
                bool small = bytes < 128 && bytes < total && search->best_score > 0;
                if (!small && !among(tile, tiles, how))
                    consider_ways(search, tile);
            }
        }
}

/* A dim of n in steps of `step` indices and the indices between: blocks of rows that are `step`
 * apart, whose distances a width may divide where it does not divide the row pitch. */
static struct sam_box split_dim(const struct sam_box *box, unsigned k, uint64_t step)
{
    struct sam_box split = *box;
    struct sam_dim dim = box->dim[k];
    split.dim[k] = (struct sam_dim){dim.n / step, dim.in * (int64_t)step, dim.out * (int64_t)step};
    split.dim[split.rank++] = (struct sam_dim){step, dim.in, dim.out};
    return split;
}

/* Do rows of `run` bytes, `t` of them and `step` apart, make at most 32 slices of one width? */
static bool one_width(uint64_t run, uint64_t t, int64_t step)
{
    uint64_t a = run, b = (uint64_t)llabs(step);
    while (b) {
        uint64_t r = a % b;
        a = b;
        b = r;
    }
    return t * (run / a) <= SAM_TL_SLICES;
}

static void search_split(struct search *search, unsigned k)
{
    const struct sam_box *box = search->box;
    uint64_t options_a[MAX_OPTIONS] = {1}, options_k[MAX_OPTIONS];
    unsigned count_a = 1;
    int a = -1;
    for (unsigned i = 0; i + 1 < box->rank; i++) /* the last dim holds the indices between */
        if (i != k && (a < 0 || llabs(box->dim[i].in) < llabs(box->dim[a].in)))
            a = (int)i;
    if (a >= 0)
        count_a = size_options(box->dim[a].n, SAM_TL_BYTES / box->unit, options_a);
    for (unsigned i = 0; i < count_a && i < 6; i++) {
        uint64_t top = SAM_TL_BYTES / box->unit / options_a[i];
        unsigned count_k = size_options(box->dim[k].n, top, options_k);
        for (unsigned j = 0; j < count_k && j < 6; j++) {
            uint64_t run = box->unit * options_a[i];
            if (!one_width(run, options_k[j], box->dim[k].in) ||
                !one_width(run, options_k[j], box->dim[k].out))
                continue;
            struct tile tile = {.a = a, .b = (int)k, .way = WAY_NONE};
            for (unsigned d = 0; d < SAM_PLAN_DIMS; d++)
                tile.t[d] = 1;
            if (a >= 0)
                tile.t[a] = options_a[i];
            tile.t[k] = options_k[j];
            consider(search, &tile);
        }
    }
}

/* Where the blocks found so far take many short slices. */
static void search_splits(struct search *search)
{
    const double poor = 0.16; /* twice the cycles a byte of the best blocks */
    const uint64_t widest = 64;
    const struct sam_box *box = search->box;
    if (search->best_score < poor || box->rank == SAM_PLAN_DIMS ||
        sam_box_bytes(box) < 2 * SAM_TL_BYTES)
        return;
    for (unsigned k = 0; k < box->rank; k++)
        for (uint64_t step = 2; step <= widest && step * 2 <= box->dim[k].n; step++) {
            struct sam_box split = split_dim(box, k, step);
            search->box = &split;
            search_split(search, k);
        }
    search->box = box;
}

/* ------------------------------------------------------------------------------ regions */

struct sam_region *sam_plan_add_region(struct sam_plan *plan)
{
    struct sam_region *regions =
        sam_grow(plan->regions, plan->count, &plan->capacity, sizeof *regions);
    if (!regions)
        return NULL;
    plan->regions = regions;
    regions[plan->count] = (struct sam_region){0};
    return &regions[plan->count++];
}

static void drop_regions(struct sam_plan *plan, size_t count)
{
    while (plan->count > count)
        sam_block_clear(&plan->regions[--plan->count].block);
}

static void describe(const struct sam_box *box, const struct tile *tile, struct sam_region *region)
{
    static const char *const ways[] = {"", ", concat", ", xpose", ", xpose by classes"};
    size_t at = 0;
    for (unsigned i = 0; i < box->rank && at < sizeof region->what; i++)
        at += (size_t)snprintf(region->what + at, sizeof region->what - at, "%llux",
                               (unsigned long long)tile->t[i]);
    if (at < sizeof region->what)
        snprintf(region->what + at, sizeof region->what - at, "%llu bytes%s",
                 (unsigned long long)box->unit, ways[tile->way]);
}

static enum sam_status plan_normal(struct sam_plan *plan, const struct sam_box *given, double *cost,
                                   struct sam_error *error);

/* Dim k from index `first` on, `n` of them. */
static struct sam_box part_of(const struct sam_box *box, unsigned k, uint64_t first, uint64_t n)
{
    struct sam_box part = *box;
    part.in += (int64_t)first * box->dim[k].in;
    part.out += (int64_t)first * box->dim[k].out;
    part.dim[k].n = n;
    return part;
}

/* What blocks of `t` leave of dim k: a box of its own, or one more block that overlaps the last. */
static enum sam_status plan_rest(struct sam_plan *plan, const struct sam_box *box, unsigned k,
                                 uint64_t t, double block_cost, double *cost,
                                 struct sam_error *error)
{
    uint64_t n = box->dim[k].n, rest = n % t;
    struct sam_box own = part_of(box, k, n - rest, rest), over = part_of(box, k, n - t, t);
    double own_cost = 0, over_cost = block_cost;
    for (unsigned i = 0; i < box->rank; i++)
        over_cost *= i == k ? (double)t : (double)box->dim[i].n;
    uint64_t extra = (t - rest) * 100 / n; /* bytes moved twice, in percent */
    if (extra <= 4)
        return plan_normal(plan, &over, cost, error);
    size_t mark = plan->count;
    enum sam_status status = plan_normal(plan, &own, &own_cost, error);
    if (status == SAM_OK && extra <= 25 && over_cost < own_cost) {
        drop_regions(plan, mark);
        return plan_normal(plan, &over, cost, error);
    }
    *cost += own_cost;
    return status;
}

static enum sam_status add_region(struct sam_plan *plan, const struct sam_box *box,
                                  const struct tile *tile, const struct sam_block *block,
                                  double *cost, struct sam_error *error)
{
    struct sam_region *region = sam_plan_add_region(plan);
    if (!region)
        return sam_fail_memory(error);
    double blocks = 1;
    region->block = *block;
    region->input = box->input;
    region->in = box->in;
    region->out = box->out;
    region->bytes = tile_bytes(box, tile);
    describe(box, tile, region);
    for (unsigned i = 0; i < box->rank; i++) {
        uint64_t count = box->dim[i].n / tile->t[i];
        int64_t t = (int64_t)tile->t[i];
        blocks *= (double)count;
        if (count > 1)
            region->loop[region->loops++] =
                (struct sam_loop){count, box->dim[i].in * t, box->dim[i].out * t};
    }
    *cost += sam_block_cost(block) * blocks;
    return SAM_OK;
}

/* What blocks leave of each dim; `per_index` is the cost of one index in a block. */
static enum sam_status add_rests(struct sam_plan *plan, struct sam_box *box,
                                 const struct tile *tile, double per_index, double *cost,
                                 struct sam_error *error)
{
    enum sam_status status = SAM_OK;
    for (unsigned i = 0; i < box->rank && status == SAM_OK; i++) {
        uint64_t rest = box->dim[i].n % tile->t[i];
        if (rest)
            status = plan_rest(plan, box, i, tile->t[i], per_index, cost, error);
        box->dim[i].n -= rest; /* done with: the other rests lie within */
    }
    return status;
}

/* Adds the regions of a box. */
static enum sam_status plan_normal(struct sam_plan *plan, const struct sam_box *given, double *cost,
                                   struct sam_error *error)
{
    struct sam_box box = *given;
    sam_box_normalize(&box);
    struct search search = {.box = &box};
    search_tiles(&search);
    search_splits(&search);
    enum sam_status status = search.failed ? sam_fail_memory(error) : SAM_OK;
    sam_block_clear(&search.block);
    double block_cost = sam_block_cost(&search.best_block);
    if (status == SAM_OK)
        status = add_region(plan, &search.best_box, &search.best, &search.best_block, cost, error);
    if (status != SAM_OK) {
        sam_block_clear(&search.best_block);
        return status;
    }
    uint64_t indices = tile_bytes(&box, &search.best) / box.unit;
    /* Of a dim that was split, the indices behind the last whole step. */
    for (unsigned i = 0; i < box.rank && search.best_box.rank > box.rank; i++) {
        uint64_t n = search.best_box.dim[i].n * search.best_box.dim[box.rank].n;
        if (search.best_box.dim[i].in == box.dim[i].in || n == box.dim[i].n)
            continue;
        struct sam_box rest = part_of(&box, i, n, box.dim[i].n - n);
        status = plan_normal(plan, &rest, cost, error);
        if (status != SAM_OK)
            return status;
    }
    return add_rests(plan, &search.best_box, &search.best, block_cost / (double)indices, cost,
                     error);
}

enum sam_status sam_plan_fill(struct sam_plan *plan, const struct sam_box *box,
                              struct sam_error *error)
{
    struct sam_box fill = *box;
    fill.constant = true;
    fill.in = fill.out;
    for (unsigned i = 0; i < fill.rank; i++)
        fill.dim[i].in = fill.dim[i].out;
    return sam_plan_box(plan, &fill, error);
}

enum sam_status sam_plan_box(struct sam_plan *plan, const struct sam_box *box,
                             struct sam_error *error)
{
    double cost = 0;
    return sam_box_bytes(box) ? plan_normal(plan, box, &cost, error) : SAM_OK;
}
