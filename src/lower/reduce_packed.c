/* SPDX-License-Identifier: Apache-2.0 */
/* tcolmax and tcolmin of 8- and 16-bit elements with two adjacent columns per lane, loaded
 * together. The upper column is compared in place: the lower column in its low bits only decides
 * between equals. The lower column is shifted up. */
#include "lower/build.h"

/* v8: loaded pair; v9: lower column, shifted up; v10: a magnitude. */
struct pairs {
    struct lower_build *b;
    enum sam_dtype dtype;
    unsigned upper, lower;           /* v: accumulators of both columns */
    unsigned upper_most, lower_most; /* v: their largest magnitudes */
    bool max, finds_nan;
};

static bool known(const struct lower *l, uint32_t tile, enum sam_lower_field field,
                  unsigned multiple)
{
    uint32_t number;
    return sam_lower_known(l, tile, field, &number) && number % multiple == 0;
}

unsigned sam_lower_pairs(const struct lower *l, const struct sam_tile_op *op)
{
    const struct sam_tile_row *row = sam_tile_row(op->code);
    const uint32_t src = sam_tile_arg(l->p, op, 0), dst = sam_tile_arg(l->p, op, 1);
    const enum sam_dtype dtype = sam_tile_ty(l->p, src)->tile.dtype;
    const unsigned pair = 2 * (unsigned)sam_tile_size(dtype);
    uint32_t rows;
    const bool order = row->function == SAM_TILE_FN_MAX || row->function == SAM_TILE_FN_MIN;
    const bool real = sam_tile_is_real(dtype);
    const bool pairs = row->family == SAM_TILE_COLFOLD && order && pair <= 4 &&
                       !(real && l->options.nan == SAM_TILE_NAN_FIRST) &&
                       (!real || dtype == SAM_F16 || dtype == SAM_BF16) &&
                       sam_lower_known(l, src, LOWER_ROWS, &rows) && rows > 1 &&
                       known(l, src, LOWER_COLS, 2) && known(l, src, LOWER_PITCH, pair) &&
                       known(l, src, LOWER_ADDRESS, pair) && known(l, dst, LOWER_ADDRESS, pair);
    return pairs ? 2 : 1;
}

static void emit(struct pairs *p, enum lower_level level, unsigned d, unsigned a, const char *lines)
{
    sam_lower_emit(&p->b->code, level, lines, (struct lower_regs){.d = d, .a = a});
}

static const char *identity(const struct pairs *p)
{
    static const char *const whole[2][2] = {{"vmv.v.i $d, -1", "vmv.v.x $d, $(0x7fffffff)"},
                                            {"vmv.v.i $d, 0", "vmv.v.x $d, $(0x80000000)"}};
    return sam_tile_is_real(p->dtype) ? "vmv.v.x $d, $(0x7fc00000)"
                                      : whole[p->max][sam_tile_is_signed(p->dtype)];
}

/* Accumulate a row. An f16 NaN in the upper half of a float need not be a float NaN, so NaN is
 * detected by magnitude, with the sign shifted out. For bf16, low bits of the other column would
 * turn infinity into NaN: they are masked. */
static void combine(struct pairs *p)
{
    static const char *const whole[2][2] = {
        {"vminu.vv $d, $d, v8; vminu.vv $a, $a, v9", "vmin.vv $d, $d, v8; vmin.vv $a, $a, v9"},
        {"vmaxu.vv $d, $d, v8; vmaxu.vv $a, $a, v9", "vmax.vv $d, $d, v8; vmax.vv $a, $a, v9"}};
    static const char *const plain[2] = {"vfmin.vv $d, $d, v8; vfmin.vv $a, $a, v9",
                                         "vfmax.vv $d, $d, v8; vfmax.vv $a, $a, v9"};
    static const char *const numbers[2] = {
        "vsll.vi v10, v8, 1; vmsleu.vx v0, v10, $(0xf801ffff); vfmin.vv $d, $d, v8, v0.t;"
        "vsll.vi v10, v8, 17; vmsleu.vx v0, v10, $(0xf8000000); vfmin.vv $a, $a, v9, v0.t",
        "vsll.vi v10, v8, 1; vmsleu.vx v0, v10, $(0xf801ffff); vfmax.vv $d, $d, v8, v0.t;"
        "vsll.vi v10, v8, 17; vmsleu.vx v0, v10, $(0xf8000000); vfmax.vv $a, $a, v9, v0.t"};
    if (p->finds_nan)
        emit(p, LOWER_CHUNK, p->upper_most, p->lower_most,
             "vsll.vi v10, v8, 17; vmaxu.vv $a, $a, v10; vsll.vi v10, v8, 1; vmaxu.vv $d, $d, v10");
    if (p->dtype == SAM_BF16)
        emit(p, LOWER_CHUNK, 0, 0, "vand.vx v8, v8, $(0xffff0000)");
    emit(p, LOWER_CHUNK, p->upper, p->lower,
         p->dtype == SAM_F16 && !p->finds_nan ? numbers[p->max]
         : sam_tile_is_real(p->dtype)         ? plain[p->max]
                                              : whole[p->max][sam_tile_is_signed(p->dtype)]);
}

/* upper = both columns, as stored. */
static void join(struct pairs *p, unsigned bytes)
{
    const bool half = p->dtype == SAM_F16;
    if (p->finds_nan) {
        emit(p, LOWER_END, p->upper, p->upper_most,
             half ? "vmsgtu.vx v0, $a, $(0xf801ffff); vmerge.vxm $d, $d, $(0x7e000000), v0"
                  : "vmsgtu.vx v0, $a, $(0xff01ffff); vmerge.vxm $d, $d, $(0x7fc00000), v0");
        emit(p, LOWER_END, p->lower, p->lower_most,
             half ? "vmsgtu.vx v0, $a, $(0xf8000000); vmerge.vxm $d, $d, $(0x7e000000), v0"
                  : "vmsgtu.vx v0, $a, $(0xff000000); vmerge.vxm $d, $d, $(0x7fc00000), v0");
    } else if (half) {
        emit(p, LOWER_END, p->upper, p->lower,
             "vmin.vx $d, $d, $(0x7e000000); vmin.vx $a, $a, $(0x7e000000)");
    }
    emit(p, LOWER_END, p->upper, p->lower,
         bytes == 2 ? "vand.vx $d, $d, $(0xffffff00); vsrl.vi $a, $a, 24; vor.vv $d, $d, $a"
                    : "vand.vx $d, $d, $(0xffff0000); vsrl.vi $a, $a, 16; vor.vv $d, $d, $a");
}

void sam_lower_build_pairs(struct lower_build *b, const struct sam_tile_op *op)
{
    struct lower_code *c = &b->code;
    struct lower_place *src = sam_lower_build_place(b, op, 0),
                       *dst = sam_lower_build_place(b, op, 1);
    struct pairs p = {.b = b, .dtype = src->dtype};
    p.max = sam_tile_row(op->code)->function == SAM_TILE_FN_MAX;
    p.finds_nan = sam_tile_is_real(p.dtype) && b->l->options.nan == SAM_TILE_NAN_PROPAGATE;
    unsigned *const registers[] = {&p.upper, &p.lower, &p.upper_most, &p.lower_most};
    for (unsigned i = 0; i < (p.finds_nan ? 4 : 2); i++) {
        *registers[i] = sam_lower_take_vector(c, LOWER_ROW);
        emit(&p, LOWER_ROW, *registers[i], 0, i < 2 ? identity(&p) : "vmv.v.i $d, 0");
    }
    const unsigned at = sam_lower_build_moving(b, sam_lower_build_row(b, src), 0, b->pitch);
    sam_lower_gpu(c, LOWER_CHUNK, "vle%u.v v8, (x%u); vsll.vi v9, v8, %u", 8 * src->bytes, at,
                  32 - 4 * src->bytes);
    combine(&p);
    join(&p, src->bytes);
    sam_lower_gpu(c, LOWER_END, "vse%u.v v%u, (x%u)", 8 * dst->bytes, p.upper,
                  sam_lower_build_row(b, dst));
}
