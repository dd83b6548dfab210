/* SPDX-License-Identifier: Apache-2.0 */
/* Random products of matrices, of every type and layout: the same bytes as the executor with
 * sums in the system's order, also outside the written elements. */
#include "lower/products.h"

static unsigned size(struct writer *w, bool zero)
{
    static const unsigned sizes[] = {1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65, 70};
    if (zero && writer_below(w, 20) == 0)
        return 0;
    return writer_below(w, 3) ? sizes[writer_below(w, SAM_COUNT(sizes))] : 1 + writer_below(w, 80);
}

/* A product into all of a tile; then one into a part of it, or an accumulating one. */
TEST(test_products)
{
    static const unsigned mlens[] = {512, 512, 256, 128};
    /* 0: all; those that leave four blocks of sums, two, one */
    static const uint32_t accumulators[] = {0, 0, 0x11, 0xf0, 0x99, 0x38, 0x1f, 0x80, 0xfc};
    static const char *const pads[] = {NULL, "zero", "max", "min"};
    uint64_t seed = test_seed();
    for (unsigned n = 0; n < 200; n++) {
        struct writer w;
        const enum sam_dtype dtype = products_units[n % SAM_COUNT(products_units)],
                             same[2] = {dtype, dtype};
        const enum sam_dtype *const of =
            n % 8 < 3 ? products_others[n / 8 % SAM_COUNT(products_others)] : same;
        const enum sam_dtype sum = products_sum(of[0]);
        const unsigned kind = n / 5 % 3;
        const uint64_t own = test_random(&seed);
        char zero[24];
        writer_open(&w, own, own & 1);
        w.seldom = 20; /* software floats are slow */
        w.x.options.mlen = sum == SAM_F32 ? 512 : mlens[writer_below(&w, SAM_COUNT(mlens))];
        w.x.options.acc_regs = accumulators[n % SAM_COUNT(accumulators)];
        w.x.options.outside = writer_below(&w, 2) ? SAM_TILE_PAD_VALUE : SAM_TILE_PAD_KEEP;
        struct writer_tile whole = {.loc = "acc",
                                    .dtype = sum,
                                    .by_columns = writer_below(&w, 3) == 0,
                                    .empty = true,
                                    .pad = pads[writer_below(&w, SAM_COUNT(pads))]};
        unsigned length = (1 + writer_below(&w, 10)) * 8, lines = size(&w, false);
        whole.rows = whole.valid_rows = whole.by_columns ? length : lines;
        whole.cols = whole.valid_cols = whole.by_columns ? lines : length;
        writer_tile(&w, &whole);
        products_write(&w, false, 0, of, size(&w, false), &whole, NULL);
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
            products_write(&w, false, 0, of, size(&w, false), &other, NULL);
        }
        products_write(&w, false, kind, of, size(&w, true), &d, &other);
        writer_show(&w, w.dynamic ? &d : &whole);
        writer_run(&w);
    }
}

/* --- scaled products */

TEST(test_scaled_products)
{
    uint64_t seed = test_seed();
    for (unsigned n = 0; n < 147; n++) {
        struct writer w;
        const enum sam_dtype of[2] = {products_scaled[n % 7], products_scaled[n / 7 % 7]};
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
        products_write_scaled(&w, n / 49 == 1 ? 0 : n / 49, of, depth, &d);
        if (n / 49 == 1)
            products_write_scaled(&w, 1, of, 2 * size(&w, false), &d);
        writer_show(&w, &d);
        writer_run(&w);
    }
}
