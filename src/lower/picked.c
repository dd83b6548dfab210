/* SPDX-License-Identifier: Apache-2.0 */
/* mgather, mscatter and their forms: a lane has an element of the tile, and computes the address of
 * its element in the array. Warps go over the elements in row order, 32 at a time.
 *
 * Order decides what remains of colliding elements of mscatter, and what exchanges of mgather_cas
 * find. There each workgroup goes over all elements, and takes those of its own lines of 64 bytes
 * of the array; its warps access the array in turn, with barriers between them. Lanes of a warp
 * compare their addresses: each loads those of the lanes before or after it from the stack of the
 * warp, where zeros surround them. A lane without an element has the address of a place of its own
 * on the stack. */
#include "lower/indexed.h"
#include "tile/check/bind.h"

#define LEVEL    LOWER_CHUNK
#define PUT(...) sam_lower_gpu(&k->b->code, LEVEL, __VA_ARGS__)
/* Bytes from the stack pointer: zeros, addresses, zeros, and 8 bytes of each lane. */
enum { ZEROS = 256, ADDRESSES = 384, OWN = 640, AT_ONCE = 8, LINE_BITS = 6 };

/* Registers of an operation: v but for `count`, `stride` and `first`, numbers of the window, and
 * `total`, the elements of the tile. */
struct picked {
    struct lower_build *b;
    const struct sam_tile_op *op;
    enum sam_dtype dtype;
    uint32_t window, tile, mask; /* tile: source or destination; mask: or SAM_TILE_NONE */
    unsigned words;              /* per element: 2 of 64 bits */
    unsigned count, stride, first, total;
    unsigned own, addresses; /* places of the lane on the stack */
    unsigned active, element, row, col;
    unsigned used, at; /* 1 if the lane has an element of the array, and its address */
};

static uint32_t arg(const struct picked *k, uint32_t i)
{
    return sam_tile_arg(k->b->l->p, k->op, i);
}

static unsigned take(struct picked *k)
{
    return sam_lower_take_vector(&k->b->code, LEVEL);
}

static void load(struct picked *k, enum sam_dtype dtype, unsigned at, const unsigned to[2])
{
    PUT("%s v%u, 0(v%u)", sam_lower_load_of(dtype), to[0], at);
    if (sam_tile_size(dtype) == 8)
        PUT("vlw12.v v%u, 4(v%u)", to[1], at);
}

static void store(struct picked *k, const unsigned from[2], unsigned at)
{
    static const char widths[] = "?bh?w???w";
    for (unsigned i = 0; i < k->words; i++)
        PUT("vs%c12.v v%u, %u(v%u)", widths[sam_tile_size(k->dtype)], from[i], 4 * i, at);
}

/* The address of the lane's element of a tile: of [0,0] if it has none. */
static unsigned address(struct picked *k, uint32_t tile)
{
    const unsigned at = take(k);
    sam_lower_build_touch(k->b, tile);
    sam_lower_element_address(k->b, tile, k->row, k->col, at);
    return at;
}

static void load_tile(struct picked *k, uint32_t tile, unsigned to[2])
{
    to[0] = take(k), to[1] = take(k);
    load(k, sam_tile_ty(k->b->l->p, tile)->tile.dtype, address(k, tile), to);
}

/* Store the results of the lanes in mask v`in`. */
static void store_tile(struct picked *k, const unsigned from[2], unsigned in)
{
    const unsigned at = address(k, k->tile);
    PUT("vmseq.vi v0, v%u, 0; vmerge.vvm v%u, v%u, v%u, v0", in, at, at, k->own);
    store(k, from, at);
}

/* Set what all elements have in common. */
static void prepare(struct picked *k)
{
    struct lower_code *c = &k->b->code;
    static const enum lower_word_kind kinds[] = {LOWER_WORD_COUNT, LOWER_WORD_STRIDE,
                                                 LOWER_WORD_WINDOW};
    unsigned *const regs[] = {&k->count, &k->stride, &k->first};
    for (unsigned i = 0; i < 3; i++) {
        *regs[i] = sam_lower_take_scalar(c, LOWER_ONCE);
        sam_lower_gpu(c, LOWER_ONCE, "lw x%u, %u(a0)", *regs[i],
                      sam_lower_kernel_word(k->b->kernel, kinds[i], k->window));
    }
    k->total = sam_lower_take_scalar(c, LOWER_ONCE);
    sam_lower_load_field(c, k->b->kernel, LOWER_ONCE, "t0", k->tile, LOWER_ROWS);
    sam_lower_load_field(c, k->b->kernel, LOWER_ONCE, "t1", k->tile, LOWER_COLS);
    k->own = sam_lower_take_vector(c, LOWER_ONCE);
    k->addresses = sam_lower_take_vector(c, LOWER_ONCE);
    sam_lower_gpu(c, LOWER_ONCE,
                  "mul x%u, t0, t1; addi t0, sp, %d; vsll.vi v8, v%u, 3; vadd.vx v%u, v8, t0;"
                  "addi t1, sp, %d; vsll.vi v8, v%u, 2; vadd.vx v%u, v8, t1; vmv.v.i v8, 0;"
                  "vsw12.v v8, -128(v%u); vsw12.v v8, 128(v%u)",
                  k->total, OWN, k->b->lane, k->own, ADDRESSES, k->b->lane, k->addresses,
                  k->addresses, k->addresses);
}

/* Find the element of the lane: its number in x`from` and on. */
static void find(struct picked *k, unsigned from)
{
    k->active = take(k), k->element = take(k), k->row = take(k), k->col = take(k);
    sam_lower_load_field(&k->b->code, k->b->kernel, LEVEL, "t0", k->tile, LOWER_COLS);
    PUT("vadd.vx v%u, v%u, x%u; vmsltu.vx v%u, v%u, x%u; vmul.vv v%u, v%u, v%u;"
        "vdivu.vx v%u, v%u, t0; vmul.vx v8, v%u, t0; vsub.vv v%u, v%u, v8",
        k->element, k->b->lane, from, k->active, k->element, k->total, k->element, k->element,
        k->active, k->row, k->element, k->row, k->col, k->element);
}

/* Find the lane's element of the array. A wrong displacement is a failure. */
static void choose(struct picked *k)
{
    const struct lower_build *b = k->b;
    const enum sam_dtype of = sam_tile_ty(b->l->p, arg(k, 1))->tile.dtype;
    const unsigned shift = (unsigned)__builtin_ctzll(sam_tile_size(k->dtype));
    unsigned wanted = k->active, index[2], mask[2];
    load_tile(k, arg(k, 1), index);
    if (k->mask != SAM_TILE_NONE) {
        wanted = take(k);
        load_tile(k, k->mask, mask);
        PUT("vmsne.vi v8, v%u, 0; vand.vv v%u, v8, v%u", mask[0], wanted, k->active);
    }
    if (sam_tile_size(of) < 8 && sam_tile_is_signed(of))
        PUT("vsra.vi v%u, v%u, 31", index[1], index[0]);
    else if (sam_tile_size(of) < 8)
        PUT("vmv.v.i v%u, 0", index[1]);
    k->used = take(k), k->at = take(k);
    PUT("vsrl.vi v8, v%u, %u; vmseq.vi v8, v8, 0; vand.vi v9, v%u, %u; vmseq.vi v9, v9, 0;"
        "vand.vv v%u, v8, v9; vsrl.vi v9, v%u, %u",
        index[1], shift, index[0], (1u << shift) - 1, k->used, index[0], shift);
    if (shift)
        PUT("vsll.vi v8, v%u, %u; vor.vv v9, v9, v8", index[1], 32 - shift);
    PUT("vmsltu.vx v8, v9, x%u; vand.vv v%u, v%u, v8; vand.vv v%u, v%u, v%u;"
        "vxor.vv v0, v%u, v%u; vminu.vv v%u, v%u, v%u, v0.t",
        k->count, k->used, k->used, k->used, k->used, wanted, k->used, wanted, b->zeros, b->zeros,
        k->element);
    PUT("vmul.vx v8, v9, x%u; vadd.vx v%u, v8, x%u", k->stride, k->at, k->first);
    if (sam_lower_is_ordered(k->op->code) && b->kernel->workgroups > 1)
        PUT("csrr t0, gdx; vsrl.vi v8, v%u, %d; vand.vi v8, v8, %u; vmseq.vx v8, v8, t0;"
            "vand.vv v%u, v%u, v8",
            k->at, LINE_BITS, b->kernel->workgroups - 1, k->used, k->used);
    PUT("vmseq.vi v0, v%u, 0; vmerge.vvm v%u, v%u, v%u, v0", k->used, k->at, k->at, k->own);
}

/* v`to` = the lanes before or after each one that have its address. */
static void count_equal(struct picked *k, bool after, unsigned to)
{
    PUT("vsw12.v v%u, 0(v%u); vmv.v.i v%u, 0", k->at, k->addresses, to);
    for (int i = 1; i < LOWER_LANES; i += AT_ONCE) { /* loads, then what waits for them */
        for (int n = i; n < i + AT_ONCE && n < LOWER_LANES; n++)
            PUT("vlw12.v v%d, %d(v%u)", 8 + n - i, after ? 4 * n : -4 * n, k->addresses);
        for (int n = i; n < i + AT_ONCE && n < LOWER_LANES; n++)
            PUT("vmseq.vv v%d, v%d, v%u; vadd.vv v%u, v%u, v%d", 8 + n - i, 8 + n - i, k->at, to,
                to, 8 + n - i);
    }
}

/* Emit the beginning, or the end, of what the warps do one after the other. */
struct turns {
    unsigned loop, next, turn;
};

static struct turns take_turns(struct picked *k)
{
    struct lower *l = k->b->l;
    const struct turns t = {sam_lower_label(l), sam_lower_label(l),
                            sam_lower_take_scalar(&k->b->code, LEVEL)};
    PUT("li x%u, 0; .Lg%u:; csrr t0, wid; bne x%u, t0, .Lg%u", t.turn, t.loop, t.turn, t.next);
    return t;
}

static void end_turns(struct picked *k, struct turns t)
{
    PUT(".Lg%u:; barrier zero, zero, 1; addi x%u, x%u, 1; li t0, %u; bne x%u, t0, .Lg%u", t.next,
        t.turn, t.turn, k->b->kernel->warps, t.turn, t.loop);
}

static void gather(struct picked *k)
{
    const struct sam_tile_type *type = &sam_tile_ty(k->b->l->p, k->tile)->tile;
    const uint64_t pad = sam_tile_pad_bits(type, k->b->l->options.dialect);
    const unsigned value[2] = {take(k), take(k)};
    load(k, k->dtype, k->at, value);
    for (unsigned i = 0; k->mask != SAM_TILE_NONE && i < k->words; i++)
        PUT("vmseq.vi v0, v%u, 0; vmerge.vxm v%u, v%u, x%u, v0", k->used, value[i], value[i],
            sam_lower_number(&k->b->code, LEVEL, (uint32_t)(pad >> (32 * i))));
    store_tile(k, value, k->active);
}

/* The last of the lanes with an address stores there. */
static void scatter(struct picked *k)
{
    const unsigned later = take(k);
    unsigned value[2] = {0};
    load_tile(k, k->tile, value);
    count_equal(k, true, later);
    PUT("vmsne.vi v0, v%u, 0; vmerge.vvm v%u, v%u, v%u, v0", later, k->at, k->at, k->own);
    const struct turns turns = take_turns(k);
    store(k, value, k->at);
    end_turns(k, turns);
}

/* In round i those lanes exchange that have the address of i lanes before them. */
static void exchange(struct picked *k)
{
    const unsigned words = k->words == 2 ? 2 : 1;
    const unsigned loop = sam_lower_label(k->b->l), done = sam_lower_label(k->b->l);
    const unsigned earlier = take(k), round = take(k), turn = take(k), at = take(k);
    const unsigned old[2] = {take(k), take(k)}, found[2] = {take(k), take(k)};
    unsigned expected[2] = {0}, replacement[2] = {0};
    load_tile(k, arg(k, 2), expected);
    load_tile(k, arg(k, 3), replacement);
    count_equal(k, false, earlier);
    PUT("vmv.v.i v%u, 0", round);
    for (unsigned i = 0; i < words; i++)
        PUT("vmv.v.i v%u, 0", found[i]);
    const struct turns turns = take_turns(k);
    PUT(".Lg%u:; setrpc t0, .Lg%u; vblt v%u, v%u, .Lg%u; vmseq.vv v%u, v%u, v%u; vmv.v.v v9, v%u",
        loop, done, earlier, round, done, turn, earlier, round, turn);
    load(k, k->dtype, k->at, old);
    for (unsigned i = 0; i < words; i++)
        PUT("vmv.v.v v0, v%u; vmerge.vvm v%u, v%u, v%u, v0; vmseq.vv v8, v%u, v%u;"
            "vand.vv v9, v9, v8",
            turn, found[i], found[i], old[i], old[i], expected[i]);
    PUT("vmv.v.v v0, v9; vmerge.vvm v%u, v%u, v%u, v0; vadd.vi v%u, v%u, 1", at, k->own, k->at,
        round, round);
    store(k, replacement, at);
    PUT("j .Lg%u; .Lg%u:; join", loop, done);
    end_turns(k, turns);
    store_tile(k, found, k->used);
}

void sam_lower_build_picked(struct lower_build *b, const struct sam_tile_op *op)
{
    const struct sam_tile_row *row = sam_tile_row(op->code);
    const bool stores = sam_tile_stores(row);
    const uint32_t first = sam_tile_arg(b->l->p, op, 0),
                   last = sam_tile_arg(b->l->p, op, row->count);
    struct picked all = {.b = b,
                         .op = op,
                         .window = stores ? last : first,
                         .tile = stores ? first : last,
                         .mask = row->count == 3 ? sam_tile_arg(b->l->p, op, 2) : SAM_TILE_NONE},
                  *const k = &all;
    const unsigned loop = sam_lower_label(b->l), done = sam_lower_label(b->l);
    const unsigned from = sam_lower_take_scalar(&b->code, LEVEL),
                   left = sam_lower_take_scalar(&b->code, LEVEL);
    const int64_t step =
        LOWER_LANES * (int64_t)(sam_lower_is_ordered(op->code) ? b->kernel->warps : b->step_warps);
    k->dtype = sam_tile_ty(b->l->p, k->tile)->tile.dtype;
    k->words = sam_tile_size(k->dtype) == 8 ? 2 : 1;
    sam_lower_build_watch(b);
    b->failure = sam_lower_failure(b->l, op, "%s has no element of %s for %s[*,*]", row->name,
                                   b->l->p->values[sam_tile_pointer_of(b->l->p, k->window)].name,
                                   b->l->p->values[k->tile].name);
    prepare(k);
    if (sam_lower_is_ordered(op->code))
        PUT("csrr t0, wid; slli x%u, t0, 5", from);
    else
        PUT("mv x%u, x%u", from, b->element);
    PUT("mv x%u, x%u; .Lg%u:; blez x%u, .Lg%u", left, k->total, loop, left, done);
    find(k, from);
    choose(k);
    if (stores)
        scatter(k);
    else if (row->family == SAM_TILE_EXCHANGE)
        exchange(k);
    else
        gather(k);
    sam_lower_advance(&b->code, LEVEL, from, from, step);
    sam_lower_advance(&b->code, LEVEL, left, left, -step);
    PUT("j .Lg%u; .Lg%u:", loop, done);
}
