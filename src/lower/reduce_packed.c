/* SPDX-License-Identifier: Apache-2.0 */
/* tcolmax and tcolmin of 8- and 16-bit elements with two adjacent columns per lane, loaded
 * together. The upper column is compared in place: the lower column in its low bits only decides
 * between equals. The lower column is shifted up. */
#include <inttypes.h>

#include "lower/elements.h"

enum { LANES = 32, MOST_ROWS = 4 };
/* v1: loaded pair; v2: lower column, shifted up; v3, v4: accumulators of the upper and lower
 * column; v5: a magnitude; v6, v7: the largest magnitudes of both columns. */

struct pairs {
    struct lower_code code;
    struct lower *l;
    struct sam_lower_kernel *kernel;
    const struct sam_tile_op *op;
    uint32_t src, dst, rows, cols, pitch, from, to;
    enum sam_dtype dtype;
    unsigned size, shift; /* left shift of the lower column */
    bool real, max, finds_nan;
};

static bool known(const struct lower *l, uint32_t tile, enum sam_lower_field field,
                  unsigned multiple, uint32_t *number)
{
    return sam_lower_known(l, tile, field, number) && *number % multiple == 0;
}

static bool describe(struct pairs *p, struct lower *l, struct sam_lower_kernel *kernel)
{
    const struct sam_tile_op *op = &l->p->ops[kernel->ops[0]];
    const struct sam_tile_row *row = sam_tile_row(op->code);
    p->code.l = p->l = l;
    p->kernel = kernel;
    p->op = op;
    p->src = sam_tile_arg(l->p, op, 0);
    p->dst = sam_tile_arg(l->p, op, 1);
    p->dtype = sam_tile_ty(l->p, p->src)->tile.dtype;
    p->size = (unsigned)sam_tile_size(p->dtype);
    p->shift = 32 - 8 * p->size;
    p->real = sam_tile_is_real(p->dtype);
    p->max = row->function == SAM_TILE_FN_MAX;
    p->finds_nan = p->real && l->options.nan == SAM_TILE_NAN_PROPAGATE;
    if (row->family != SAM_TILE_COLFOLD || (!p->max && row->function != SAM_TILE_FN_MIN) ||
        p->size > 2 || (p->real && l->options.nan == SAM_TILE_NAN_FIRST) ||
        (p->real && p->dtype != SAM_F16 && p->dtype != SAM_BF16))
        return false;
    return known(l, p->src, LOWER_ROWS, 1, &p->rows) && p->rows > 1 &&
           known(l, p->src, LOWER_COLS, 2, &p->cols) && p->cols &&
           known(l, p->src, LOWER_PITCH, 2 * p->size, &p->pitch) &&
           known(l, p->src, LOWER_ADDRESS, 2 * p->size, &p->from) &&
           known(l, p->dst, LOWER_ADDRESS, 2 * p->size, &p->to);
}

static void emit(struct pairs *p, enum lower_level level, const char *lines)
{
    sam_lower_emit(&p->code, level, lines, (struct lower_regs){0});
}

/* Initialise v3 and v4 to the identity. */
static const char *identity(const struct pairs *p)
{
    static const char *const whole[2][2] = {
        {"vmv.v.i v3, -1; vmv.v.i v4, -1", "vmv.v.x v3, $(0x7fffffff); vmv.v.x v4, $(0x7fffffff)"},
        {"vmv.v.i v3, 0; vmv.v.i v4, 0", "vmv.v.x v3, $(0x80000000); vmv.v.x v4, $(0x80000000)"}};
    return p->real ? "vmv.v.x v3, $(0x7fc00000); vmv.v.x v4, $(0x7fc00000)"
                   : whole[p->max][sam_tile_is_signed(p->dtype)];
}

/* Accumulate a row into v3 and v4. An f16 NaN in the upper half of a float need not be a float NaN,
 * so NaN is detected by magnitude, with the sign shifted out. For bf16, low bits of the other
 * column would turn infinity into NaN: they are masked. */
static void combine(struct pairs *p)
{
    static const char *const whole[2][2] = {
        {"vminu.vv v3, v3, v1; vminu.vv v4, v4, v2", "vmin.vv v3, v3, v1; vmin.vv v4, v4, v2"},
        {"vmaxu.vv v3, v3, v1; vmaxu.vv v4, v4, v2", "vmax.vv v3, v3, v1; vmax.vv v4, v4, v2"}};
    static const char *const plain[2] = {"vfmin.vv v3, v3, v1; vfmin.vv v4, v4, v2",
                                         "vfmax.vv v3, v3, v1; vfmax.vv v4, v4, v2"};
    static const char *const numbers[2] = {
        "vsll.vi v5, v1, 1; vmsleu.vx v0, v5, $(0xf801ffff); vfmin.vv v3, v3, v1, v0.t;"
        "vsll.vi v5, v1, 17; vmsleu.vx v0, v5, $(0xf8000000); vfmin.vv v4, v4, v2, v0.t",
        "vsll.vi v5, v1, 1; vmsleu.vx v0, v5, $(0xf801ffff); vfmax.vv v3, v3, v1, v0.t;"
        "vsll.vi v5, v1, 17; vmsleu.vx v0, v5, $(0xf8000000); vfmax.vv v4, v4, v2, v0.t"};
    const bool masked = p->dtype == SAM_F16 && !p->finds_nan;
    if (p->finds_nan)
        emit(p, LOWER_CHUNK,
             "vsll.vi v5, v1, 17; vmaxu.vv v7, v7, v5; vsll.vi v5, v1, 1; vmaxu.vv v6, v6, v5");
    if (p->dtype == SAM_BF16)
        emit(p, LOWER_CHUNK, "vand.vx v1, v1, $(0xffff0000)");
    emit(p, LOWER_CHUNK,
         masked    ? numbers[p->max]
         : p->real ? plain[p->max]
                   : whole[p->max][sam_tile_is_signed(p->dtype)]);
}

/* v3 = both columns, as stored. */
static void join(struct pairs *p)
{
    if (p->finds_nan)
        emit(p, LOWER_ROW,
             p->dtype == SAM_F16
                 ? "vmsgtu.vx v0, v6, $(0xf801ffff); vmerge.vxm v3, v3, $(0x7e000000), v0;"
                   "vmsgtu.vx v0, v7, $(0xf8000000); vmerge.vxm v4, v4, $(0x7e000000), v0"
                 : "vmsgtu.vx v0, v6, $(0xff01ffff); vmerge.vxm v3, v3, $(0x7fc00000), v0;"
                   "vmsgtu.vx v0, v7, $(0xff000000); vmerge.vxm v4, v4, $(0x7fc00000), v0");
    else if (p->dtype == SAM_F16)
        emit(p, LOWER_ROW, "vmin.vx v3, v3, $(0x7e000000); vmin.vx v4, v4, $(0x7e000000)");
    emit(p, LOWER_ROW,
         p->size == 1 ? "vand.vx v3, v3, $(0xffffff00); vsrl.vi v4, v4, 24; vor.vv v3, v3, v4"
                      : "vand.vx v3, v3, $(0xffff0000); vsrl.vi v4, v4, 16; vor.vv v3, v3, v4");
}

static void put(struct pairs *p, struct sam_buffer *out, unsigned end)
{
    const struct lower_code *c = &p->code;
    const unsigned chunk = sam_lower_label(p->l), row = sam_lower_label(p->l);
    const unsigned bits = 16 * p->size, warps = p->kernel->workgroups * p->kernel->warps;
    const unsigned log = (unsigned)__builtin_ctz(LANES * 2 * p->size);
    unsigned at_once = MOST_ROWS;
    while (p->rows % at_once)
        at_once /= 2;
    sam_lower_number_warp(p->kernel, out);
    sam_buffer_printf(out,
                      "\tli x11, 0x%" PRIx32 "\n\tli x12, 0x%" PRIx32 "\n\tslli t0, t3, %u\n"
                      "\tadd x11, x11, t0\n\tadd x12, x12, t0\n"
                      "\tli " LOWER_REST ", %u\n\tslli t0, t3, 5\n\tsub " LOWER_REST ", " LOWER_REST
                      ", t0\n\tblez " LOWER_REST ", .Lg%u\n\tli s2, %u\n",
                      p->from, p->to, log, p->cols / 2, end, p->pitch);
    sam_lower_load_constants(c, out);
    sam_buffer_printf(out, ".Lg%u:\n\tvsetvli t0, " LOWER_REST ", e32, m1, ta, ma\n", chunk);
    sam_buffer_append(out, c->text[LOWER_ONCE].data, c->text[LOWER_ONCE].size);
    sam_buffer_printf(out, "\tmv x13, x11\n\tli x14, %u\n.Lg%u:\n", p->rows / at_once, row);
    for (unsigned i = 0; i < at_once; i++) {
        sam_buffer_printf(out, "\tvle%u.v v1, (x13)\n\tvsll.vi v2, v1, %u\n", bits, p->shift);
        sam_buffer_append(out, c->text[LOWER_CHUNK].data, c->text[LOWER_CHUNK].size);
        sam_buffer_puts(out, "\tadd x13, x13, s2\n");
    }
    sam_buffer_printf(out, "\taddi x14, x14, -1\n\tbnez x14, .Lg%u\n", row);
    sam_buffer_append(out, c->text[LOWER_ROW].data, c->text[LOWER_ROW].size);
    sam_buffer_printf(out,
                      "\tvse%u.v v3, (x12)\n\tli t0, %u\n\tadd x11, x11, t0\n\tadd x12, x12, t0\n"
                      "\taddi " LOWER_REST ", " LOWER_REST ", -%u\n\tbgtz " LOWER_REST ", .Lg%u\n",
                      bits, warps << log, warps * LANES, chunk);
}

bool sam_lower_reduce_packed(struct lower *l, struct sam_lower_kernel *kernel)
{
    struct pairs p = {0};
    const unsigned end = sam_lower_label(l);
    if (!describe(&p, l, kernel))
        return false;
    for (unsigned i = 11; i <= 14; i++)
        p.code.scalar_used[i] = true;
    sam_lower_reduce_divide(l, kernel, (p.cols / 2 + LANES - 1) / LANES);
    emit(&p, LOWER_ONCE, identity(&p));
    if (p.finds_nan)
        emit(&p, LOWER_ONCE, "vmv.v.i v6, 0; vmv.v.i v7, 0");
    combine(&p);
    join(&p);
    sam_buffer_printf(&l->gpu, "%s:\n", kernel->name);
    put(&p, &l->gpu, end);
    sam_buffer_printf(&l->gpu, ".Lg%u:\n", end);
    sam_lower_reduce_end(l, kernel, LOWER_FIRST_ROW);
    sam_lower_code_free(&p.code);
    return true;
}
