/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of products over tiles: convolutions by windows and matrix products. The right factors of a
 * tile of columns stay in mat while the rows pass, if they fit. */
#include "network/build.h"

#include <stdlib.h>

/* Elements of the largest factors, half of left and right so that two can be there, and of the
 * right factors that stay. */
enum { FACTOR = 8192, KEPT = 64 * 1024, KEPT_TILES = 96 };

struct state {
    struct net_contract *c;
    uint64_t block; /* of k */
    uint32_t inner[NET_AXES], inner_count, outer[NET_AXES], outer_count;
    struct net_index at[NET_AXES];
    uint64_t size[NET_AXES];
    bool kept;
    struct net_tile right[KEPT_TILES];
    struct net_tile loaded[NET_OPERANDS]; /* operands that are the same in all rows */
    struct net_builder *b;
};

static struct net_site site_of(const struct state *s)
{
    struct net_site site = {.space = &s->c->space, .loaded = s->loaded};
    memcpy(site.at, s->at, sizeof site.at);
    memcpy(site.size, s->size, sizeof site.size);
    sam_net_site_sizes(&site);
    return site;
}

/* Without offsets, the only tap has none. */
static int64_t tap_of(const int64_t *taps, uint32_t tap)
{
    return taps ? taps[tap] : 0;
}

/* k elements of a factor for a site, from `tap` and `at` on: rows x k, or k x cols. `next` elements
 * of a constant factor follow. */
static struct net_tile load_factor(struct state *s, const struct net_site *site, bool right,
                                   uint32_t tap, struct net_index at, uint64_t k, uint64_t next)
{
    struct net_contract *const c = s->c;
    struct sam_net_text *const text = &s->b->text;
    const uint32_t operand = right ? c->right : c->left;
    const int64_t step = right ? c->right_step : c->left_step;
    struct net_box box = sam_net_site_box(text, site, operand, right, !right);
    const uint32_t last = box.count - 1;
    struct net_tile like = {.loc = SAM_TILE_mat, .dtype = SAM_F32};
    if (right && c->constant) { /* a run of elements */
        const int64_t cols = (int64_t)site->cols;
        box.size[0] = k;
        box.stride[0] = 1;
        box.size[1] = site->cols;
        box.stride[1] = (int64_t)k;
        box.count = 2;
        like.rows = k;
        like.cols = site->cols;
        like.col_major = k > 1;
        box.at = sam_net_add(text, box.at, net_at((int64_t)(tap * c->depth) * cols));
        box.at = sam_net_add(text, box.at, sam_net_times(text, at, cols));
        const struct net_tile tile = sam_net_load(text, like, &box);
        if (next && s->b->plan->buffers[box.buffer].name) { /* for the weight unit */
            box.at = sam_net_add(text, box.at, net_at((int64_t)k * cols));
            box.size[0] = next;
            box.stride[1] = (int64_t)next;
            sam_net_prefetch(text, &box);
        }
        return tile;
    }
    if (right) { /* k rows */
        box.size[1] = box.size[last];
        box.stride[1] = box.stride[last];
        box.size[0] = k;
        box.stride[0] = step;
        box.count = 2;
        like.rows = k;
        like.cols = site->cols;
        like.col_major = step == 1 && k > 1;
    } else {
        box.size[last] = k;
        box.stride[last] = step;
        like.rows = site->rows;
        like.cols = k;
    }
    box.at = sam_net_add(text, box.at, net_at(tap_of(right ? c->right_tap : c->left_tap, tap)));
    box.at = sam_net_add(text, box.at, sam_net_times(text, at, step));
    return sam_net_load(text, like, &box);
}

static uint64_t blocks_of(const struct state *s)
{
    return (s->c->depth + s->block - 1) / s->block;
}

static uint64_t block_at(const struct state *s, uint64_t block)
{
    const uint64_t at = block * s->block;
    return s->c->depth - at < s->block ? s->c->depth - at : s->block;
}

/* Elements of the block after block `n` of a tap; 0: it is the last one. */
static uint64_t block_after(const struct state *s, uint32_t tap, uint64_t n)
{
    if (n + 1 < blocks_of(s))
        return block_at(s, n + 1);
    return tap + 1 < s->c->taps ? block_at(s, 0) : 0;
}

static void multiply(struct state *s, const struct net_site *site, struct net_tile sum, bool first,
                     uint32_t tap, struct net_index at, uint64_t k, uint64_t next,
                     const struct net_tile *kept)
{
    struct sam_net_text *const text = &s->b->text;
    struct net_tile left = load_factor(s, site, false, tap, at, k, 0), like = left;
    struct net_tile right = kept ? *kept : load_factor(s, site, true, tap, at, k, next);
    like.loc = SAM_TILE_left;
    left = NET_OP1(text, "tmov", like, left);
    like = right;
    like.loc = SAM_TILE_right;
    right = NET_OP1(text, "tmov", like, right);
    if (first)
        sam_net_op_into(text, "tmatmul", sum, 2, (struct net_tile[]){left, right});
    else
        sam_net_op_into(text, "tmatmul_acc", sum, 3, (struct net_tile[]){sum, left, right});
}

static void sum_rows(struct sam_net_text *text, void *context, const struct net_index *at,
                     const uint64_t *size)
{
    struct state *const s = context;
    struct net_contract *const c = s->c;
    for (uint32_t i = 0; i < s->inner_count; i++) {
        s->at[s->inner[i]] = at[i];
        s->size[s->inner[i]] = size[i];
    }
    const struct net_site site = site_of(s);
    struct net_tile like = {
        .loc = SAM_TILE_acc, .dtype = SAM_F32, .rows = site.rows, .cols = site.cols};
    const struct net_tile sum = sam_net_alloc(text, like);
    const uint64_t blocks = blocks_of(s), whole = c->depth / s->block;
    for (uint32_t tap = 0; tap < c->taps; tap++) {
        const bool loop = !s->kept && whole > 8; /* the first product is before the loop */
        for (uint64_t n = 0; n < (loop ? 1 : blocks); n++)
            multiply(s, &site, sum, tap == 0 && n == 0, tap, net_at((int64_t)(n * s->block)),
                     block_at(s, n), block_after(s, tap, n),
                     s->kept ? &s->right[tap * blocks + n] : NULL);
        if (!loop)
            continue;
        const struct net_index k = sam_net_for(text, (whole - 1) * s->block, s->block);
        multiply(s, &site, sum, false, tap, sam_net_add(text, k, net_at((int64_t)s->block)),
                 s->block, block_after(s, tap, whole - 1), NULL);
        sam_net_end(text, (whole - 1) * s->block, s->block);
        if (whole < blocks)
            multiply(s, &site, sum, false, tap, net_at((int64_t)(whole * s->block)),
                     block_at(s, whole), block_after(s, tap, whole), NULL);
    }
    like.loc = SAM_TILE_vec;
    struct net_tile start = NET_OP1(text, "tmov", like, sum);
    if (c->bias != NET_NONE)
        start = sam_net_binary(text, "add", start, sam_net_site_load(s->b, &site, c->bias));
    sam_net_site_store(text, &site, sam_net_chain(s->b, c->group, &site, start));
}

static void sum_columns(struct sam_net_text *text, void *context, const struct net_index *at,
                        const uint64_t *size)
{
    struct state *const s = context;
    uint64_t extent[NET_AXES] = {0}, tile[NET_AXES] = {0};
    for (uint32_t i = 0; i < s->outer_count; i++) {
        s->at[s->outer[i]] = at[i];
        s->size[s->outer[i]] = size[i];
    }
    for (uint32_t i = 0; i < s->inner_count; i++) {
        s->at[s->inner[i]] = net_at(0);
        s->size[s->inner[i]] = 1;
        extent[i] = s->c->space.extent[s->inner[i]];
        tile[i] = s->c->space.tile[s->inner[i]];
    }
    const struct net_site site = site_of(s);
    const uint64_t blocks = blocks_of(s);
    for (uint32_t tap = 0, n = 0; s->kept && tap < s->c->taps; tap++)
        for (uint64_t k = 0; k < blocks; k++)
            s->right[n++] = load_factor(s, &site, true, tap, net_at((int64_t)(k * s->block)),
                                        block_at(s, k), block_after(s, tap, k));
    memset(s->loaded, 0, sizeof s->loaded);
    for (uint32_t k = 1; k < s->c->space.operands; k++) {
        bool same = k != s->c->left && k != s->c->right;
        for (uint32_t i = 0; i < s->inner_count; i++)
            same &= s->c->space.operand[k].stride[s->inner[i]] == 0;
        if (same)
            s->loaded[k] = sam_net_site_load(s->b, &site, k);
    }
    sam_net_nest(text, s->inner_count, extent, tile, sum_rows, s);
}

/* Constant right factors in the order in which tiles load them. */
static void reorder(struct state *s)
{
    struct net_contract *const c = s->c;
    struct net_operand *const right = &c->space.operand[c->right];
    struct net_buffer *const buffer = &s->b->plan->buffers[right->buffer];
    const uint32_t last = c->space.axes - 1;
    const uint64_t cols = c->space.extent[last], depth = c->depth, each = c->taps * depth;
    const float *const from = buffer->data;
    float *const to = sam_alloc(buffer->count, sizeof *to);
    uint64_t at = 0;
    if (!to) {
        sam_net_build_fail(s->b, SAM_ERR_MEMORY, "out of memory");
        return;
    }
    for (uint64_t first = 0; first * each < buffer->count;) { /* tiles of columns */
        const uint64_t left = cols - first % cols, most = c->space.tile[last];
        const uint64_t size = left < most ? left : most;
        for (uint64_t run = 0; run < c->taps * blocks_of(s); run++) {
            const uint64_t block = run % blocks_of(s), tap = run / blocks_of(s);
            for (uint64_t column = first; column < first + size; column++)
                for (uint64_t k = 0; k < block_at(s, block); k++)
                    to[at++] = from[(tap * (buffer->count / each) + column) * depth +
                                    block * s->block + k];
        }
        first += size;
    }
    free(buffer->data);
    buffer->data = to;
    for (uint32_t i = 0; i <= last; i++)
        right->stride[i] *= (int64_t)c->taps;
    sam_net_weight_pack(s->b, right->buffer);
}

static uint64_t round_up(uint64_t value, uint64_t to)
{
    return (value + to - 1) / to * to;
}

static void write_sums(struct net_builder *b, struct net_space *space, void *context)
{
    struct state *const s = context;
    uint64_t extent[NET_AXES], tile[NET_AXES], products = s->c->taps * s->c->depth;
    s->outer_count = s->inner_count = 0;
    for (uint32_t i = 0; i < space->axes; i++) {
        products *= space->extent[i];
        if (i + 1 < space->axes && space->operand[s->c->right].stride[i] == 0) {
            s->inner[s->inner_count++] = i;
            continue;
        }
        extent[s->outer_count] = space->extent[i];
        tile[s->outer_count] = space->tile[i];
        s->outer[s->outer_count++] = i;
    }
    b->products += products;
    sam_net_nest(&b->text, s->outer_count, extent, tile, sum_columns, s);
}

void sam_net_contract_run(struct net_builder *b, struct net_contract *c)
{
    struct net_space *const space = &c->space;
    if (b->status != SAM_OK)
        return;
    struct state s = {.c = c, .b = b};
    const uint32_t last = space->axes - 1;
    sam_net_space_tile(space, 1, 128);
    const uint64_t cols = round_up(space->tile[last], 8);
    const uint64_t most_k = FACTOR / (cols < 64 ? 64 : cols);
    s.block = c->depth <= most_k ? c->depth
                                 : round_up((c->depth + (c->depth + most_k - 1) / most_k - 1) /
                                                ((c->depth + most_k - 1) / most_k),
                                            16);
    uint64_t rows = FACTOR / round_up(s.block, 8);
    const uint64_t chain = 49152 / sam_net_chain_tiles(b, c->group) / cols;
    rows = rows < chain ? rows : chain;
    sam_net_space_tile(space, rows ? rows : 1, space->tile[last]);
    for (uint32_t i = 0; i < last; i++)
        if (space->operand[c->right].stride[i] != 0)
            space->tile[i] = 1;
    s.kept =
        c->taps * round_up(c->depth, 8) * cols <= KEPT && c->taps * blocks_of(&s) <= KEPT_TILES;
    if (c->constant)
        reorder(&s);
    sam_net_space_parts(b, space, c->constant ? "conv" : "product", c->group, write_sums, &s);
}
