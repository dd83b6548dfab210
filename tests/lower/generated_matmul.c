/* SPDX-License-Identifier: Apache-2.0 */
/* Random products of matrices, of every type and layout: the same bytes as the executor with
 * sums in the system's order, also outside the written elements. */
#include "lower/writer.h"

/* Those of the matrix unit, and pairs that are widened. */
static const enum sam_dtype units[] = {SAM_TILE_f32, SAM_TILE_f16, SAM_TILE_bf16, SAM_TILE_i8};
static const enum sam_dtype others[][2] = {
    {SAM_TILE_e4m3, SAM_TILE_e5m2}, {SAM_TILE_hif8, SAM_TILE_hif8}, {SAM_TILE_e3m2, SAM_TILE_f16},
    {SAM_TILE_e2m3, SAM_TILE_bf16}, {SAM_TILE_f32, SAM_TILE_tf32},  {SAM_TILE_hf32, SAM_TILE_e4m3},
    {SAM_TILE_f16, SAM_TILE_f32},   {SAM_TILE_tf32, SAM_TILE_tf32}, {SAM_TILE_bf16, SAM_TILE_hif8},
    {SAM_TILE_e5m2, SAM_TILE_e5m2}, {SAM_TILE_f16, SAM_TILE_bf16}};
static const char *const names[] = {"tmatmul", "tmatmul_acc", "tmatmul_bias"};

static unsigned size(struct writer *w, bool zero)
{
    static const unsigned sizes[] = {1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65, 70};
    if (zero && writer_below(w, 20) == 0)
        return 0;
    return writer_below(w, 3) ? sizes[writer_below(w, SAM_COUNT(sizes))] : 1 + writer_below(w, 80);
}

/* A tile of another memory with elements from an array, through mat. */
static struct writer_tile load(struct writer *w, const char *loc, enum sam_dtype dtype,
                               unsigned rows, unsigned cols)
{
    char name[16], type[160];
    struct writer_tile mat = {.loc = "mat",
                              .dtype = dtype,
                              .valid_rows = rows,
                              .valid_cols = cols,
                              .by_columns = writer_below(w, 2),
                              .empty = true};
    struct writer_tile t = mat;
    writer_tile(w, &mat);
    writer_window(w, dtype, rows, cols, false, name, type);
    writer_put(w, "pto.tload ins(%s : %s) outs(%s : %s)\n", name, type, mat.name, mat.type);
    if (strcmp(loc, "mat") == 0)
        return mat;
    t.loc = loc;
    t.by_columns = writer_below(w, 2);
    writer_tile(w, &t);
    writer_put(w, "pto.tmov ins(%s : %s) outs(%s : %s)\n", mat.name, mat.type, t.name, t.type);
    return t;
}

static void multiply(struct writer *w, unsigned kind, const enum sam_dtype of[2], unsigned depth,
                     const struct writer_tile *d, const struct writer_tile *start)
{
    enum sam_dtype sum = of[0] == SAM_TILE_i8 ? SAM_TILE_i32 : SAM_TILE_f32;
    struct writer_tile left = load(w, "left", of[0], d->valid_rows, depth);
    struct writer_tile right = load(w, "right", of[1], depth, d->valid_cols);
    struct writer_tile bias = {0};
    if (kind == 2)
        bias = load(w, "mat", sum, 1 + writer_below(w, 2), d->valid_cols);
    writer_put(w, "pto.%s ins(", names[kind]);
    if (kind == 1)
        writer_put(w, "%s, ", start->name);
    writer_put(w, "%s, %s", left.name, right.name);
    if (kind == 2)
        writer_put(w, ", %s", bias.name);
    writer_put(w, " : ");
    if (kind == 1)
        writer_put(w, "%s, ", start->type);
    writer_put(w, "%s, %s", left.type, right.type);
    if (kind == 2)
        writer_put(w, ", %s", bias.type);
    writer_put(w, ") outs(%s : %s)\n", d->name, d->type);
}

/* A product into all of a tile; then one into a part of it, or an accumulating one. */
TEST(test_products)
{
    static const unsigned mlens[] = {512, 512, 256, 128};
    /* 0: all; those that leave four blocks of sums, two, one */
    static const uint32_t accumulators[] = {0, 0, 0x11, 0xf0, 0x99, 0x38, 0x1f, 0x80, 0xfc};
    static const char *const pads[] = {NULL, "zero", "max", "min"};
    uint64_t seed = test_seed();
    for (unsigned n = 0; n < 176; n++) {
        struct writer w;
        const enum sam_dtype dtype = units[n % SAM_COUNT(units)], same[2] = {dtype, dtype};
        const enum sam_dtype *const of = n % 8 < 3 ? others[n / 8 % SAM_COUNT(others)] : same;
        const unsigned kind = n / 4 % 3;
        const uint64_t own = test_random(&seed);
        char zero[24];
        writer_open(&w, own, own & 1);
        w.seldom = 20; /* software floats are slow */
        w.x.options.mlen = dtype == SAM_TILE_i8 ? mlens[writer_below(&w, SAM_COUNT(mlens))] : 512;
        w.x.options.acc_regs = accumulators[n % SAM_COUNT(accumulators)];
        w.x.options.outside = writer_below(&w, 2) ? SAM_TILE_PAD_VALUE : SAM_TILE_PAD_KEEP;
        struct writer_tile whole = {.loc = "acc",
                                    .dtype = dtype == SAM_TILE_i8 ? SAM_TILE_i32 : SAM_TILE_f32,
                                    .by_columns = writer_below(&w, 3) == 0,
                                    .empty = true,
                                    .pad = pads[writer_below(&w, SAM_COUNT(pads))]};
        unsigned length = (1 + writer_below(&w, 10)) * 8, lines = size(&w, false);
        whole.rows = whole.valid_rows = whole.by_columns ? length : lines;
        whole.cols = whole.valid_cols = whole.by_columns ? lines : length;
        writer_tile(&w, &whole);
        multiply(&w, 0, of, size(&w, false), &whole, NULL);
        struct writer_tile d = whole;
        d.valid_rows = writer_below(&w, whole.rows + 1);
        d.valid_cols = writer_below(&w, whole.cols + 1);
        if (w.dynamic) {
            char rows[24], cols[24];
            writer_number(&w, d.valid_rows, rows);
            writer_number(&w, d.valid_cols, cols);
            writer_put(&w, "pto.set_validshape %s, %s, %s : %s\n", d.name, rows, cols, d.type);
        } else {
            writer_constant(&w, 0, zero);
            writer_part(&w, &d, &whole, zero);
        }
        struct writer_tile other = d;
        if (kind == 1 && writer_below(&w, 2)) { /* from another tile */
            other = (struct writer_tile){.loc = "acc",
                                         .dtype = d.dtype,
                                         .valid_rows = d.valid_rows,
                                         .valid_cols = d.valid_cols,
                                         .by_columns = writer_below(&w, 2),
                                         .empty = true};
            writer_tile(&w, &other);
            multiply(&w, 0, of, size(&w, false), &other, NULL);
        }
        multiply(&w, kind, of, size(&w, true), &d, &other);
        writer_show(&w, w.dynamic ? &d : &whole);
        writer_run(&w);
    }
}

/* --- scaled products */

/* ui8: pairs of e2m1 along K */
static const enum sam_dtype scaled[] = {SAM_E4M3, SAM_E5M2, SAM_U8, SAM_F16, SAM_BF16};

/* A factor in left or right, and its scales in mat. */
static void load_scaled(struct writer *w, enum sam_dtype dtype, bool right, unsigned lines,
                        unsigned depth, struct writer_tile pair[2])
{
    const unsigned length = dtype == SAM_U8 ? depth / 2 : depth, blocks = (depth + 31) / 32;
    const bool has = dtype != SAM_F16 && dtype != SAM_BF16;
    struct writer_tile t;
    char name[16], type[160];
    t = (struct writer_tile){.loc = right ? "right" : "left",
                             .dtype = dtype,
                             .valid_rows = right ? length : lines,
                             .valid_cols = right ? lines : length,
                             .by_columns = dtype == SAM_U8 ? right : writer_below(w, 2),
                             .empty = true};
    struct writer_tile mat = t;
    mat.loc = "mat";
    mat.by_columns = writer_below(w, 2);
    writer_tile(w, &mat);
    writer_window(w, dtype, mat.valid_rows, mat.valid_cols, false, name, type);
    writer_put(w, "pto.tload ins(%s : %s) outs(%s : %s)\n", name, type, mat.name, mat.type);
    writer_tile(w, &t);
    writer_put(w, "pto.tmov ins(%s : %s) outs(%s : %s)\n", mat.name, mat.type, t.name, t.type);
    pair[0] = t;
    t = (struct writer_tile){.loc = "mat",
                             .dtype = SAM_E8M0,
                             .valid_rows = !has    ? 0
                                           : right ? blocks
                                                   : lines,
                             .valid_cols = right ? lines : blocks,
                             .empty = true};
    writer_tile(w, &t);
    writer_window(w, SAM_E8M0, t.valid_rows, t.valid_cols, false, name, type);
    writer_put(w, "pto.tload ins(%s : %s) outs(%s : %s)\n", name, type, t.name, t.type);
    pair[1] = t;
}

static void multiply_scaled(struct writer *w, unsigned kind, const enum sam_dtype of[2],
                            unsigned depth, const struct writer_tile *d)
{
    static const char *const suffixes[] = {"", "_acc", "_bias"};
    struct writer_tile all[6];
    size_t count = 0;
    if (kind == 1)
        all[count++] = *d;
    load_scaled(w, of[0], false, d->valid_rows, depth, all + count);
    load_scaled(w, of[1], true, d->valid_cols, depth, all + count + 2);
    count += 4;
    if (kind == 2)
        all[count++] = load(w, "mat", SAM_F32, 1 + writer_below(w, 2), d->valid_cols);
    writer_put(w, "pto.%s_mx%s ins(", d->valid_rows == 1 ? "tgemv" : "tmatmul", suffixes[kind]);
    for (size_t i = 0; i < count; i++)
        writer_put(w, "%s%s", i ? ", " : "", all[i].name);
    for (size_t i = 0; i < count; i++)
        writer_put(w, "%s%s", i ? ", " : " : ", all[i].type);
    writer_put(w, ") outs(%s : %s)\n", d->name, d->type);
}

TEST(test_scaled_products)
{
    uint64_t seed = test_seed();
    for (unsigned n = 0; n < 75; n++) {
        struct writer w;
        const enum sam_dtype of[2] = {scaled[n % 5], scaled[n / 5 % 5]};
        const uint64_t own = test_random(&seed);
        writer_open(&w, own, own & 1);
        w.seldom = 20;
        struct writer_tile d = {
            .loc = "acc", .dtype = SAM_F32, .by_columns = writer_below(&w, 3) == 0, .empty = true};
        const unsigned length = (1 + writer_below(&w, 5)) * 8;
        const unsigned lines = writer_below(&w, 4) ? 1 + writer_below(&w, 40) : 1;
        const unsigned depth = 2 * size(&w, n % 10 == 0);
        d.rows = d.valid_rows = d.by_columns ? length : lines;
        d.cols = d.valid_cols = d.by_columns ? lines : length;
        writer_tile(&w, &d);
        multiply_scaled(&w, n / 25 == 1 ? 0 : n / 25, of, depth, &d);
        if (n / 25 == 1)
            multiply_scaled(&w, 1, of, 2 * size(&w, false), &d);
        writer_show(&w, &d);
        writer_run(&w);
    }
}
