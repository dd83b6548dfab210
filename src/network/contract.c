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
    uint64_t taps, block; /* of k */
    uint32_t rows;        /* axes of the space that the right factors do not have, a bit for each */
    struct net_site site;
    bool kept;
    struct net_tile right[KEPT_TILES];
    struct net_tile loaded[NET_OPERANDS]; /* operands that are the same in all rows */
    struct net_builder *b;
};

/* k elements of a factor for a site, from `tap` and `at` on: rows x k, or k x cols. `next` elements
 * of a constant factor follow. */
static struct net_tile load_factor(struct state *s, bool right, uint64_t tap, struct net_index at,
                                   uint64_t k, uint64_t next)
{
    const struct net_contract *const c = s->c;
    const struct net_factor *const f = right ? &c->right : &c->left;
    const struct net_site *const site = &s->site;
    struct sam_net_text *const text = &s->b->text;
    const int64_t step = f->step, cols = (int64_t)site->cols;
    const bool run = right && c->constant; /* elements in the order in which they are loaded */
    struct net_box box = sam_net_site_box(text, site, f->operand, right, !right);
    const uint32_t last = box.count - 1;
    struct net_tile like = {.loc = SAM_TILE_mat, .dtype = SAM_F32, .rows = site->rows, .cols = k};
    int64_t first = f->first + (int64_t)(tap / c->taps[1]) * f->tap[0] +
                    (int64_t)(tap % c->taps[1]) * f->tap[1];
    if (right) { /* k rows */
        like.rows = k;
        like.cols = site->cols;
        like.col_major = step == 1 && k > 1;
        box.size[1] = site->cols;
        box.stride[1] = run ? (int64_t)k : box.stride[last];
        box.size[0] = k;
        box.stride[0] = step;
        box.count = 2;
    } else {
        box.size[last] = k;
        box.stride[last] = step;
    }
    if (run)
        first = (int64_t)(tap * c->depth) * cols;
    box.at = sam_net_add(text, box.at, net_at(first));
    box.at = sam_net_add(text, box.at, sam_net_times(text, at, run ? cols : step));
    const struct net_tile tile = sam_net_load(text, like, &box);
    if (run && next && s->b->plan->buffers[box.buffer].name) { /* for the weight unit */
        box.at = sam_net_add(text, box.at, net_at((int64_t)k * cols));
        box.size[0] = next;
        box.stride[1] = (int64_t)next;
        sam_net_prefetch(text, &box);
    }
    return tile;
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
static uint64_t block_after(const struct state *s, uint64_t tap, uint64_t n)
{
    if (n + 1 < blocks_of(s))
        return block_at(s, n + 1);
    return tap + 1 < s->taps ? block_at(s, 0) : 0;
}

static void multiply(struct state *s, struct net_tile sum, bool first, uint64_t tap,
                     struct net_index at, uint64_t k, uint64_t next, const struct net_tile *kept)
{
    struct sam_net_text *const text = &s->b->text;
    struct net_tile left = load_factor(s, false, tap, at, k, 0), like = left;
    struct net_tile right = kept ? *kept : load_factor(s, true, tap, at, k, next);
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

/* The sums of the site. */
static struct net_tile sums(struct state *s)
{
    struct net_contract *const c = s->c;
    struct sam_net_text *const text = &s->b->text;
    struct net_tile like = {
        .loc = SAM_TILE_acc, .dtype = SAM_F32, .rows = s->site.rows, .cols = s->site.cols};
    if (s->taps == 0)
        return sam_net_widen(text, sam_net_scalar(text, SAM_F32, 0), like.rows, like.cols);
    const struct net_tile sum = sam_net_alloc(text, like);
    const uint64_t blocks = blocks_of(s), whole = c->depth / s->block, more = c->depth - s->block;
    const bool loop = !s->kept && whole > 8; /* the first product is before the loop */
    for (uint64_t tap = 0; tap < s->taps; tap++) {
        for (uint64_t n = 0; n < (loop ? 1 : blocks); n++)
            multiply(s, sum, tap == 0 && n == 0, tap, net_at((int64_t)(n * s->block)),
                     block_at(s, n), block_after(s, tap, n),
                     s->kept ? &s->right[tap * blocks + n] : NULL);
        for (struct net_blocks k = {0}; loop && sam_net_blocks(text, 1, &more, &s->block, &k);)
            multiply(s, sum, false, tap, sam_net_add(text, k.at[0], net_at((int64_t)s->block)),
                     k.size[0], block_after(s, tap, k.size[0] == s->block ? whole - 1 : whole),
                     NULL);
    }
    like.loc = SAM_TILE_vec;
    return NET_OP1(text, "tmov", like, sum);
}

static void write_site(struct state *s)
{
    const struct net_contract *const c = s->c;
    struct sam_net_text *const text = &s->b->text;
    struct net_tile start = sums(s);
    if (c->bias != NET_NONE)
        start = sam_net_binary(text, "add", start, sam_net_site_load(s->b, &s->site, c->bias));
    sam_net_site_store(text, &s->site, sam_net_chain(s->b, &s->site, start));
}

/* Loads the operands and factors that all rows of these columns share. */
static void load_columns(struct state *s)
{
    const uint64_t blocks = blocks_of(s);
    for (uint64_t tap = 0, n = 0; s->kept && tap < s->taps; tap++)
        for (uint64_t k = 0; k < blocks; k++)
            s->right[n++] = load_factor(s, true, tap, net_at((int64_t)(k * s->block)),
                                        block_at(s, k), block_after(s, tap, k));
    memset(s->loaded, 0, sizeof s->loaded);
    for (uint32_t k = 1; k < s->c->space.operands; k++) {
        bool same = k != s->c->left.operand && k != s->c->right.operand;
        for (uint32_t i = 0; i < s->c->space.axes; i++)
            same &= !(s->rows >> i & 1) || s->c->space.operand[k].stride[i] == 0;
        if (same)
            s->loaded[k] = sam_net_site_load(s->b, &s->site, k);
    }
}

/* Constant right factors in the order in which tiles load them. */
static void reorder(struct state *s)
{
    struct net_contract *const c = s->c;
    struct net_operand *const right = &c->space.operand[c->right.operand];
    struct net_buffer *const buffer = &s->b->plan->buffers[right->buffer];
    const uint32_t last = c->space.axes - 1;
    const uint64_t cols = c->space.extent[last], depth = c->depth, each = s->taps * depth;
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
        for (uint64_t run = 0; run < s->taps * blocks_of(s); run++) {
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
        right->stride[i] *= (int64_t)s->taps;
    sam_net_weight_pack(s->b, right->buffer);
}

static uint64_t round_up(uint64_t value, uint64_t to)
{
    return (value + to - 1) / to * to;
}

static void write_sums(struct net_builder *b, const struct net_space *space, struct state *s)
{
    uint64_t products = s->taps * s->c->depth;
    s->rows = 0;
    for (uint32_t i = 0; i < space->axes; i++) {
        const bool row = i + 1 < space->axes && space->operand[s->c->right.operand].stride[i] == 0;
        products *= space->extent[i];
        s->rows |= (uint32_t)row << i;
    }
    b->products += products;
    for (struct net_site columns = {.space = space, .loaded = s->loaded, .skipped = s->rows};
         sam_net_site_next(b, &columns);) {
        s->site = net_site_within(&columns);
        load_columns(s);
        while (sam_net_site_next(b, &s->site))
            write_site(s);
    }
}

void sam_net_contract_run(struct net_builder *b, struct net_contract *c)
{
    struct net_space *const space = &c->space;
    if (b->status != SAM_OK)
        return;
    struct state s = {.c = c, .b = b, .taps = c->taps[0] * c->taps[1]};
    const uint32_t last = space->axes - 1;
    sam_net_space_tile(space, 1, 128);
    const uint64_t cols = round_up(space->tile[last], 8);
    const uint64_t most_k = FACTOR / (cols < 64 ? 64 : cols);
    s.block = c->depth <= most_k ? c->depth
                                 : round_up((c->depth + (c->depth + most_k - 1) / most_k - 1) /
                                                ((c->depth + most_k - 1) / most_k),
                                            16);
    uint64_t rows = FACTOR / round_up(s.block, 8);
    const uint64_t chain = 49152 / sam_net_chain_tiles(b) / cols;
    rows = rows < chain ? rows : chain;
    sam_net_space_tile(space, rows ? rows : 1, space->tile[last]);
    for (uint32_t i = 0; i < last; i++)
        if (space->operand[c->right.operand].stride[i] != 0)
            space->tile[i] = 1;
    s.kept = s.taps * round_up(c->depth, 8) * cols <= KEPT && s.taps * blocks_of(&s) <= KEPT_TILES;
    if (c->constant)
        reorder(&s);
    for (struct net_parts parts = {0}; sam_net_parts(b, space, &parts);)
        write_sums(b, space, &s);
}

/* --- MatMul */

/* A constant right factor with its columns as rows: [n][k]. */
static struct net_place turned(struct net_builder *b, const struct sam_net_value *v)
{
    const int64_t depth = (int64_t)v->shape[0], cols = (int64_t)v->shape[1];
    const uint32_t buffer =
        sam_net_weight_as(b, v, 0, 2, (uint64_t[]){v->shape[1], v->shape[0]}, (int64_t[]){1, cols});
    return (struct net_place){.buffer = buffer, .rank = 2, .stride = {1, depth}};
}

/* A factor over the axes of the output; `along` is the one of these that is its k. */
static uint32_t factor(struct net_builder *b, struct net_space *space,
                       const struct net_place *place, const struct sam_net_value *out,
                       uint32_t along)
{
    struct net_place wide = sam_net_place_expand(place, out);
    wide.stride[along] = 0;
    return sam_net_space_add(b, space, NET_NONE, place, wide.stride);
}

void sam_net_plan_product(struct net_builder *b)
{
    const struct net_node *const node = b->node;
    const struct sam_net_value *const x = &b->graph->values[node->inputs[0]];
    const struct sam_net_value *const w = &b->graph->values[node->inputs[1]];
    const struct sam_net_value *const out = &b->graph->values[b->at->output];
    const struct net_place place = sam_net_place_new(b, b->at->output, sam_net_order_c);
    const struct net_place left = sam_net_place_of(b, node->inputs[0]);
    const bool turn = w->data && w->rank == 2;
    const struct net_place right = turn ? turned(b, w) : sam_net_place_of(b, node->inputs[1]);
    if (b->status != SAM_OK)
        return;
    struct net_contract c = {.taps = {1, 1}, .bias = NET_NONE};
    sam_net_space_of(&c.space, &place);
    sam_net_chain_operands(b, &c.space);
    sam_net_space_last(&c.space, out->rank - 1);
    c.left.operand = factor(b, &c.space, &left, out, out->rank - 1);
    c.right.operand = factor(b, &c.space, &right, out, out->rank - 2);
    c.depth = x->shape[x->rank - 1];
    c.left.step = left.stride[x->rank - 1];
    c.right.step = right.stride[w->rank - 2];
    sam_net_space_merge(&c.space, true);
    c.constant = turn;
    sam_net_contract_run(b, &c);
}
