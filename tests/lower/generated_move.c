/* SPDX-License-Identifier: Apache-2.0 */
/* Random programs of every operation that moves elements, of every type and layout, with
 * constant and run-time sizes: the same bytes as the executor, also outside the written
 * elements. */
#include "lower/writer.h"

static const enum sam_dtype dtypes[] = {SAM_TILE_f32,  SAM_TILE_f16,  SAM_TILE_bf16, SAM_TILE_i8,
                                        SAM_TILE_ui8,  SAM_TILE_i16,  SAM_TILE_ui16, SAM_TILE_i32,
                                        SAM_TILE_ui32, SAM_TILE_i64,  SAM_TILE_ui64, SAM_TILE_f64,
                                        SAM_TILE_tf32, SAM_TILE_hf32, SAM_TILE_hif8, SAM_TILE_e5m2,
                                        SAM_TILE_e4m3, SAM_TILE_e3m2, SAM_TILE_e2m3, SAM_TILE_e8m0};
static const char *const pads[] = {NULL, "zero", "max", "min"};

/* Sizes: small ones, powers of two and their neighbours. Three tiles of 64x64 fit vec for every
 * type. */
static unsigned size(struct writer *w)
{
    static const unsigned sizes[] = {0, 1, 2, 7, 8, 15, 16, 31, 32, 33, 63, 64};
    return writer_below(w, 3) ? sizes[writer_below(w, SAM_COUNT(sizes))] : writer_below(w, 60);
}

static struct writer_tile tile(struct writer *w, const char *loc, enum sam_dtype dtype,
                               unsigned rows, unsigned cols, bool by_columns)
{
    struct writer_tile t = {.loc = loc,
                            .dtype = dtype,
                            .valid_rows = rows,
                            .valid_cols = cols,
                            .by_columns = by_columns,
                            .pad = pads[writer_below(w, SAM_COUNT(pads))]};
    return t;
}

static void begin(struct writer *w, uint64_t *seed, enum sam_dtype *dtype)
{
    uint64_t own = test_random(seed);
    writer_open(w, own, own & 1);
    *dtype = dtypes[writer_below(w, SAM_COUNT(dtypes))];
    w->x.options.outside = writer_below(w, 2) ? SAM_TILE_PAD_VALUE : SAM_TILE_PAD_KEEP;
    w->x.options.dialect = writer_below(w, 2) ? SAM_TILE_SPEC : SAM_TILE_PAGE; /* pad values */
    w->x.options.profile = SAM_TILE_A5;
}

/* A tile and a window of its size; some windows are partly out of bounds. */
static void move(bool store)
{
    uint64_t seed = test_seed();
    unsigned traps = 0;
    for (unsigned n = 0; n < 150; n++) {
        struct writer w;
        enum sam_dtype dtype;
        char name[16], type[160];
        begin(&w, &seed, &dtype);
        w.outside = n % 10 == 0;
        struct writer_tile t = tile(&w, writer_below(&w, 2) ? "vec" : "mat", dtype, size(&w),
                                    size(&w), writer_below(&w, 3) == 0);
        writer_tile(&w, &t);
        writer_window(&w, dtype, t.valid_rows, t.valid_cols, store && writer_below(&w, 2), name,
                      type);
        if (store) {
            writer_put(&w, "pto.tstore ins(%s : %s) outs(%s : %s)\n", t.name, t.type, name, type);
        } else {
            writer_put(&w, "pto.tload ins(%s : %s) outs(%s : %s)\n", name, type, t.name, t.type);
            writer_show(&w, &t);
        }
        writer_run(&w);
        traps += w.x.status != SAM_OK;
    }
    assert_in_range(traps, 1, 30);
}

TEST(test_load)
{
    move(false);
}

TEST(test_store)
{
    move(true);
}

/* One source, one destination. */
TEST(test_tiles)
{
    static const char *const names[] = {"tmov", "ttrans", "treshape"};
    uint64_t seed = test_seed();
    for (unsigned n = 0; n < 240; n++) {
        struct writer w;
        enum sam_dtype dtype;
        begin(&w, &seed, &dtype);
        unsigned kind = n % SAM_COUNT(names), rows = size(&w), cols = size(&w), to = 0;
        bool mat = kind == 0 && writer_below(&w, 2), anywhere = kind == 0;
        struct writer_tile s = tile(&w, mat && writer_below(&w, 2) ? "mat" : "vec", dtype, rows,
                                    cols, anywhere && writer_below(&w, 2));
        writer_tile(&w, &s);
        if (kind == 1) {
            to = rows, rows = cols, cols = to;
        } else if (kind == 2 && rows && cols) {
            for (to = 1 + writer_below(&w, 2 * cols); rows * cols % to;)
                to--;
            rows = rows * cols / to;
            cols = to;
        }
        struct writer_tile d =
            tile(&w, mat ? "mat" : "vec", dtype, rows, cols, anywhere && writer_below(&w, 2));
        writer_tile(&w, &d);
        writer_put(&w, "pto.%s ins(%s : %s) outs(%s : %s)\n", names[kind], s.name, s.type, d.name,
                   d.type);
        writer_show(&w, &d);
        writer_run(&w);
    }
}

TEST(test_parts)
{
    uint64_t seed = test_seed();
    for (unsigned n = 0; n < 150; n++) {
        struct writer w;
        enum sam_dtype dtype;
        char row[24], col[24];
        begin(&w, &seed, &dtype);
        bool insert = n & 1, mat = writer_below(&w, 2);
        unsigned rows = size(&w), cols = size(&w), r = writer_below(&w, rows + 1);
        unsigned c = writer_below(&w, cols + 1);
        struct writer_tile whole =
            tile(&w, mat ? "mat" : "vec", dtype, rows, cols, writer_below(&w, 2));
        struct writer_tile part = tile(&w, mat ? "mat" : "vec", dtype, r, c, writer_below(&w, 2));
        writer_tile(&w, &whole);
        writer_tile(&w, &part);
        bool out = writer_below(&w, 20) == 0;
        writer_number(&w, (int64_t)writer_below(&w, rows - r + 1) - (out ? 1 : 0), row);
        writer_number(&w, (int64_t)writer_below(&w, cols - c + 1 + out), col);
        const struct writer_tile *s = insert ? &part : &whole, *d = insert ? &whole : &part;
        writer_put(&w, "pto.%s ins(%s, %s, %s : %s, index, index) outs(%s : %s)\n",
                   insert ? "tinsert" : "textract", s->name, row, col, s->type, d->name, d->type);
        writer_show(&w, d);
        writer_run(&w);
    }
}

TEST(test_concat)
{
    uint64_t seed = test_seed();
    for (unsigned n = 0; n < 80; n++) {
        struct writer w;
        enum sam_dtype dtype;
        begin(&w, &seed, &dtype);
        unsigned rows = size(&w), left = size(&w), right = size(&w) / 2;
        struct writer_tile a = tile(&w, "vec", dtype, rows, left, false);
        struct writer_tile b = tile(&w, "vec", dtype, rows, right, false);
        struct writer_tile d = tile(&w, "vec", dtype, rows, left + right, false);
        writer_tile(&w, &a);
        writer_tile(&w, &b);
        writer_tile(&w, &d);
        writer_put(&w, "pto.tconcat ins(%s, %s : %s, %s) outs(%s : %s)\n", a.name, b.name, a.type,
                   b.type, d.name, d.type);
        writer_show(&w, &d);
        writer_run(&w);
    }
}
