/* SPDX-License-Identifier: Apache-2.0 */
/* mgather, mscatter and their forms: each lane computes the address of its element in the array.
 *
 * What order decides, colliding elements of mscatter and the exchanges of mgather_cas, is the work
 * of one warp, 32 elements at a time. Its stack has the addresses of these lanes, and zeros before
 * and after them, so that each lane compares its own with those of the lanes before or after it. A
 * lane without an element has an address on the stack, which no other lane has. */
#include "lower/indexed.h"
#include "tile/check/bind.h"

#define LEVEL LOWER_CHUNK
/* Bytes from the stack pointer, and of each lane's own place. */
enum { ADDRESSES = 256, OWN = 640, AT_ONCE = 8 };

/* Registers of an operation: of an element of 64 bits two, of others one. */
struct picked {
    struct lower_build *b;
    const struct sam_tile_op *op;
    struct lower_position p;
    enum sam_dtype dtype;
    uint32_t window, tile; /* tile: source or destination */
    unsigned words, used, at;
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
    sam_lower_gpu(&k->b->code, LEVEL, "%s v%u, 0(v%u)", sam_lower_load_of(dtype), to[0], at);
    if (sam_tile_size(dtype) == 8)
        sam_lower_gpu(&k->b->code, LEVEL, "vlw12.v v%u, 4(v%u)", to[1], at);
}

static void store(struct picked *k, const unsigned from[2], unsigned at)
{
    static const char widths[] = "?bh?w???w";
    for (unsigned i = 0; i < k->words; i++)
        sam_lower_gpu(&k->b->code, LEVEL, "vs%c12.v v%u, %u(v%u)",
                      widths[sam_tile_size(k->dtype)], from[i], 4 * i, at);
}

/* Load the lanes' elements of a tile. */
static void load_tile(struct picked *k, uint32_t tile, unsigned to[2])
{
    const enum sam_dtype dtype = sam_tile_ty(k->b->l->p, tile)->tile.dtype;
    const unsigned at = take(k);
    for (unsigned i = 0; i < 2; i++)
        to[i] = take(k);
    sam_lower_build_touch(k->b, tile);
    sam_lower_element_address(k->b, tile, k->p.row, k->p.col, at);
    load(k, dtype, at, to);
}

/* A scalar with a number of the window. */
static unsigned number(struct picked *k, enum lower_word_kind kind)
{
    const unsigned reg = sam_lower_take_scalar(&k->b->code, LOWER_ONCE);
    sam_lower_gpu(&k->b->code, LOWER_ONCE, "lw x%u, %u(a0)", reg,
                  sam_lower_kernel_word(k->b->kernel, kind, k->window));
    return reg;
}

/* Set `used`, 1 where a lane has an element, and `at`, its address in the array or on the stack. */
static void choose(struct picked *k, uint32_t mask)
{
    struct lower_build *b = k->b;
    struct lower_code *c = &b->code;
    const enum sam_dtype of = sam_tile_ty(b->l->p, arg(k, 1))->tile.dtype;
    const unsigned shift = (unsigned)__builtin_ctzll(sam_tile_size(k->dtype));
    const unsigned wanted = take(k), good = take(k);
    unsigned index[2], chosen[2];
    load_tile(k, arg(k, 1), index);
    sam_lower_build_watch(b);
    b->failure = sam_lower_failure(
        b->l, k->op, "%s has no element of %s for %s[*,*]", sam_tile_row(k->op->code)->name,
        b->l->p->values[sam_tile_pointer_of(b->l->p, k->window)].name,
        b->l->p->values[k->tile].name);
    if (mask == SAM_TILE_NONE) {
        sam_lower_gpu(c, LEVEL, "vmv.v.i v%u, 1", wanted);
    } else {
        load_tile(k, mask, chosen);
        sam_lower_gpu(c, LEVEL, "vmsne.vi v%u, v%u, 0", wanted, chosen[0]);
    }
    if (sam_tile_size(of) < 8)
        sam_lower_gpu(c, LEVEL, sam_tile_is_signed(of) ? "vsra.vi v%u, v%u, 31" : "vmv.v.i v%u, 0",
                      index[1], index[0]);
    sam_lower_gpu(c, LEVEL,
                  "vsrl.vi v8, v%u, %u; vmseq.vi v%u, v8, 0; vand.vi v8, v%u, %u;"
                  "vmseq.vi v8, v8, 0; vand.vv v%u, v%u, v8; vsrl.vi v9, v%u, %u",
                  index[1], shift, good, index[0], (1u << shift) - 1, good, good, index[0], shift);
    if (shift)
        sam_lower_gpu(c, LEVEL, "vsll.vi v8, v%u, %u; vor.vv v9, v9, v8", index[1], 32 - shift);
    sam_lower_gpu(c, LEVEL,
                  "vmsltu.vx v8, v9, x%u; vand.vv v%u, v%u, v8; vand.vv v%u, v%u, v%u;"
                  "vxor.vv v0, v%u, v%u; vadd.vx v8, v%u, x%u; vminu.vv v%u, v%u, v8, v0.t",
                  number(k, LOWER_WORD_COUNT), good, good, k->used, wanted, good, k->used, wanted,
                  b->lane, b->element, b->zeros, b->zeros);
    sam_lower_gpu(c, LEVEL,
                  "vmul.vx v8, v9, x%u; vadd.vx v8, v8, x%u; vsll.vi v9, v%u, 3;"
                  "addi t0, sp, %d; vadd.vx v9, v9, t0; vmv.v.v v0, v%u; vmerge.vvm v%u, v9, v8, v0",
                  number(k, LOWER_WORD_STRIDE), number(k, LOWER_WORD_WINDOW), b->lane, OWN,
                  k->used, k->at);
}

/* v`to` = the lanes before or after each one that have its address. */
static void count_equal(struct picked *k, bool after, unsigned to)
{
    struct lower_code *c = &k->b->code;
    const unsigned own = take(k);
    sam_lower_all_lanes(c, LEVEL);
    sam_lower_gpu(c, LEVEL, "vmv.v.i v8, 0");
    for (int i = 0; i < 3; i++)
        sam_lower_gpu(c, LEVEL, "addi t0, sp, %d; vse32.v v8, (t0)", ADDRESSES + 128 * i);
    sam_lower_gpu(c, LEVEL, "vmv.v.i v%u, -1", to);
    sam_lower_some_lanes(c, LEVEL);
    sam_lower_gpu(c, LEVEL, "addi t0, sp, %d; vse32.v v%u, (t0); vmv.v.i v%u, 0", ADDRESSES + 128,
                  k->at, to);
    sam_lower_gpu(c, LEVEL, "vsll.vi v8, v%u, 2; addi t0, sp, %d; vadd.vx v%u, v8, t0", k->b->lane,
                  ADDRESSES + 128, own);
    for (int i = 1; i < LOWER_LANES; i += AT_ONCE) { /* loads, then what waits for them */
        for (int n = i; n < i + AT_ONCE && n < LOWER_LANES; n++)
            sam_lower_gpu(c, LEVEL, "vlw12.v v%d, %d(v%u)", 8 + n - i, after ? 4 * n : -4 * n, own);
        for (int n = i; n < i + AT_ONCE && n < LOWER_LANES; n++)
            sam_lower_gpu(c, LEVEL, "vmseq.vv v%d, v%d, v%u; vadd.vv v%u, v%u, v%d", 8 + n - i,
                          8 + n - i, k->at, to, to, 8 + n - i);
    }
}

static void gather(struct picked *k, uint32_t mask)
{
    struct lower_code *c = &k->b->code;
    const uint64_t pad = sam_tile_pad_bits(&sam_tile_ty(k->b->l->p, k->tile)->tile,
                                           k->b->l->options.dialect);
    const unsigned to = take(k), value[2] = {take(k), take(k)};
    load(k, k->dtype, k->at, value);
    for (unsigned i = 0; mask != SAM_TILE_NONE && i < k->words; i++)
        sam_lower_gpu(c, LEVEL, "vmseq.vi v0, v%u, 0; vmerge.vxm v%u, v%u, x%u, v0", k->used,
                      value[i], value[i],
                      sam_lower_number(c, LEVEL, (uint32_t)(pad >> (32 * i))));
    sam_lower_element_address(k->b, k->tile, k->p.row, k->p.col, to);
    store(k, value, to);
}

static void scatter(struct picked *k)
{
    struct lower_code *c = &k->b->code;
    const unsigned later = take(k), own = take(k);
    unsigned value[2];
    load_tile(k, k->tile, value);
    count_equal(k, true, later);
    sam_lower_gpu(c, LEVEL,
                  "vsll.vi v8, v%u, 3; addi t0, sp, %d; vadd.vx v8, v8, t0; vmsne.vi v0, v%u, 0;"
                  "vmerge.vvm v%u, v%u, v8, v0",
                  k->b->lane, OWN, later, own, k->at);
    store(k, value, own);
}

/* In round i those lanes exchange that i lanes before them have the address of. */
static void exchange(struct picked *k)
{
    struct lower_code *c = &k->b->code;
    const unsigned loop = sam_lower_label(k->b->l), done = sam_lower_label(k->b->l);
    const unsigned earlier = take(k), round = take(k), turn = take(k), own = take(k), to = take(k);
    const unsigned old[2] = {take(k), take(k)}, found[2] = {take(k), take(k)};
    unsigned expected[2], replacement[2];
    load_tile(k, arg(k, 2), expected);
    load_tile(k, arg(k, 3), replacement);
    sam_lower_element_address(k->b, k->tile, k->p.row, k->p.col, to);
    count_equal(k, false, earlier);
    sam_lower_hold(c, LEVEL);
    sam_lower_all_lanes(c, LEVEL);
    sam_lower_gpu(c, LEVEL, "vmv.v.i v%u, 0", round);
    for (unsigned i = 0; i < k->words; i++)
        sam_lower_gpu(c, LEVEL, "vmv.v.i v%u, 0", found[i]);
    sam_lower_gpu(c, LEVEL,
                  ".Lg%u:; setrpc t0, .Lg%u; vblt v%u, v%u, .Lg%u; vmseq.vv v%u, v%u, v%u;"
                  "vsll.vi v8, v%u, 3; addi t1, sp, %d; vadd.vx v8, v8, t1; vmv.v.v v9, v%u",
                  loop, done, earlier, round, done, turn, earlier, round, k->b->lane, OWN, turn);
    load(k, k->dtype, k->at, old);
    for (unsigned i = 0; i < k->words; i++)
        sam_lower_gpu(c, LEVEL,
                      "vmv.v.v v0, v%u; vmerge.vvm v%u, v%u, v%u, v0;"
                      "vmseq.vv v10, v%u, v%u; vand.vv v9, v9, v10",
                      turn, found[i], found[i], old[i], old[i], expected[i]);
    sam_lower_gpu(c, LEVEL, "vmv.v.v v0, v9; vmerge.vvm v%u, v8, v%u, v0; vadd.vi v%u, v%u, 1", own,
                  k->at, round, round);
    store(k, replacement, own);
    sam_lower_gpu(c, LEVEL, "j .Lg%u; .Lg%u:; join", loop, done);
    c->holds = false;
    sam_lower_some_lanes(c, LEVEL);
    store(k, found, to);
}

void sam_lower_build_picked(struct lower_build *b, const struct sam_tile_op *op)
{
    const struct sam_tile_row *row = sam_tile_row(op->code);
    const bool stores = sam_tile_stores(row), exchanges = row->family == SAM_TILE_EXCHANGE;
    struct picked k = {.b = b, .op = op};
    const uint32_t first = arg(&k, 0), last = arg(&k, row->count);
    const uint32_t mask = row->count == 3 ? arg(&k, 2) : SAM_TILE_NONE;
    k.window = stores ? last : first;
    k.tile = stores ? first : last;
    k.dtype = sam_tile_ty(b->l->p, k.tile)->tile.dtype;
    k.words = sam_tile_size(k.dtype) == 8 ? 2 : 1;
    k.used = take(&k);
    k.at = take(&k);
    k.p = sam_lower_position(b);
    sam_lower_build_touch(b, k.tile);
    choose(&k, mask);
    if (stores)
        scatter(&k);
    else if (exchanges)
        exchange(&k);
    else
        gather(&k, mask);
}
