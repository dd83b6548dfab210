/* SPDX-License-Identifier: Apache-2.0 */
/* Operations whose lanes know their position, and quantisation: random programs lowered and run on
 * a system, against the executor, failures included. */
#include "plain.h"

#include <inttypes.h>

#include "tile/tile.h"

enum { TEXT = 4096 };

struct program {
    struct lowered x;
    char text[TEXT], *at;
    char head[TEXT], *to; /* the function's arguments */
    bool dynamic;
};

static unsigned below(struct program *g, unsigned n)
{
    return (unsigned)test_below(&g->x.seed, n);
}

static unsigned some(struct program *g, unsigned most)
{
    return below(g, 3) ? most : below(g, most + 1);
}

static void put(struct program *g, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    g->at += vsnprintf(g->at, (size_t)(g->text + TEXT - g->at), format, list);
    va_end(list);
}

/* A tile argument with this valid rectangle, its name and type: %tN. */
struct operand {
    unsigned number;
    char type[120];
    struct sam_array *array;
};

static struct operand tile(struct program *g, enum sam_dtype dtype, unsigned rows, unsigned cols,
                           bool random)
{
    struct operand t = {.number = (unsigned)g->x.count};
    const unsigned unit = 32 / (unsigned)sam_dtype_size(dtype);
    const unsigned room = (cols + unit - 1) / unit * unit + unit * below(g, 2);
    char valid[40];
    snprintf(valid, sizeof valid, g->dynamic ? "?x?" : "%ux%u", rows, cols);
    snprintf(t.type, sizeof t.type, "!pto.tile_buf<vec, %ux%ux%s, valid=%s, pad=%u>",
             rows + 1 + below(g, 2), room ? room : unit, sam_tile_dtype_name(dtype), valid,
             below(g, 4));
    t.array = (random ? lowered_random : lowered_array)(&g->x, dtype, rows ? rows : 1, cols);
    t.array->shape[0] = rows;
    t.array->count = (size_t)rows * cols;
    g->x.arguments[g->x.count - 1].output = g->x.arguments[g->x.count - 1].inout = true;
    g->to += sprintf(g->to, "%s%%t%u: %s", t.number ? ", " : "", t.number, t.type);
    return t;
}

static void scalar(struct program *g, const char *type, enum sam_dtype dtype, uint64_t bits)
{
    g->to += sprintf(g->to, "%s%%t%zu: %s", g->x.count ? ", " : "", g->x.count, type);
    lowered_scalar(&g->x, dtype, bits);
}

static void binary(struct program *g, const char *name, const struct operand *a,
                   const struct operand *b, const struct operand *d, const char *more)
{
    put(g, "  pto.%s ins(%%t%u, %%t%u : %s, %s) outs(%%t%u : %s)%s\n", name, a->number, b->number,
        a->type, b->type, d->number, d->type, more);
}

static void run(struct program *g)
{
    char *text = malloc(3 * TEXT);
    snprintf(text, 3 * TEXT, "func.func @f(%s) {\n%s  return\n}\n", g->head, g->text);
    g->x.text = text;
    g->x.options.nan = (enum sam_tile_nan)below(g, 3);
    g->x.options.outside = below(g, 2) ? SAM_TILE_PAD_VALUE : SAM_TILE_PAD_KEEP;
    (below(g, 8) ? lowered_run : plain_run)(&g->x);
    lowered_free(&g->x);
    free(text);
}

static void begin(struct program *g)
{
    g->at = g->text;
    g->to = g->head;
    g->text[0] = g->head[0] = '\0';
    g->dynamic = below(g, 2);
}

static void each(void (*write)(struct program *, enum sam_dtype), bool reals, bool whole)
{
    static struct program g;
    g = (struct program){.x = {.seed = test_seed()}};
    for (unsigned round = 0; round < 12; round++)
        for (size_t k = 0; k < SAM_COUNT(test_dtypes); k++) {
            if (!(test_is_real(test_dtypes[k]) ? reals : whole))
                continue;
            begin(&g);
            write(&g, test_dtypes[k]);
            run(&g);
        }
}

/* --- unions */

static void unions(struct program *g, enum sam_dtype dtype)
{
    static const char *const names[] = {"tpartadd", "tpartmul", "tpartmax", "tpartmin"};
    const unsigned rows = some(g, 9), cols = some(g, 70), small = below(g, 3);
    const struct operand a =
        tile(g, dtype, small ? rows : some(g, rows), small ? cols : some(g, cols), true);
    const struct operand b =
        tile(g, dtype, small == 1 ? some(g, rows) : rows, small == 1 ? some(g, cols) : cols, true);
    const struct operand d = tile(g, dtype, rows, cols, true);
    binary(g, names[below(g, 4)], &a, &b, &d, "");
    if (below(g, 2)) /* with others in one kernel */
        binary(g, "tmax", &d, &d, &d, "");
}

TEST(test_unions)
{
    each(unions, true, true);
}

/* --- rows by index */

static enum sam_dtype index_dtype(struct program *g)
{
    static const enum sam_dtype dtypes[] = {SAM_TILE_i16, SAM_TILE_ui16, SAM_TILE_i32,
                                            SAM_TILE_ui32};
    return dtypes[below(g, 4)];
}

static void gathers(struct program *g, enum sam_dtype dtype)
{
    const enum sam_dtype of = index_dtype(g);
    const unsigned from = 1 + below(g, 9), rows = some(g, 9), cols = some(g, 70);
    const struct operand a = tile(g, dtype, from, cols + below(g, 3), true);
    const struct operand index = tile(g, of, rows, cols, false);
    const struct operand d = tile(g, dtype, rows, cols, true);
    for (size_t i = 0; i < index.array->count; i++)
        test_set(index.array->data, i, of, below(g, from + (below(g, 500) == 0)));
    if (below(g, 3) == 0) { /* the source comes from an operation just before it */
        put(g, "  pto.tmov ins(%%t%u : %s) outs(%%t%u : %s)\n", d.number, d.type, d.number, d.type);
        g->at = g->text;
        binary(g, "tmin", &a, &a, &a, "");
    }
    binary(g, "tgather", &a, &index, &d, "");
}

static void scatters(struct program *g, enum sam_dtype dtype)
{
    const enum sam_dtype of = index_dtype(g);
    const unsigned to = 1 + below(g, 9), rows = some(g, to), cols = some(g, 70);
    const struct operand a = tile(g, dtype, rows, cols, true);
    const struct operand index = tile(g, of, rows, cols, false);
    const struct operand d = tile(g, dtype, to, cols, true);
    for (unsigned j = 0; j < cols; j++) {
        unsigned order[16] = {0};
        for (unsigned i = 0; i < to; i++) {
            const unsigned k = below(g, i + 1);
            order[i] = order[k];
            order[k] = i;
        }
        for (unsigned i = 0; i < rows; i++)
            test_set(index.array->data, (size_t)i * cols + j, of,
                     below(g, 2000) ? order[i] : below(g, to + 2));
    }
    binary(g, "tscatter", &a, &index, &d, "");
}

TEST(test_rows_by_index)
{
    each(gathers, true, true);
    each(scatters, true, true);
}

/* --- merges: rows in any order, as both do the same with them */

static void merges(struct program *g, enum sam_dtype dtype)
{
    const unsigned n = some(g, 40), m = some(g, 40);
    const struct operand a = tile(g, dtype, 1, n, true);
    const struct operand b = tile(g, dtype, 1, m, true);
    const struct operand d = tile(g, dtype, 1, n + m, true);
    binary(g, "tmrgsort", &a, &b, &d, below(g, 2) ? " {order = descending}" : "");
}

TEST(test_merges)
{
    each(merges, true, false);
}

/* --- sorting */

static void sorts(struct program *g, enum sam_dtype dtype)
{
    const unsigned rows = some(g, 9), cols = some(g, 150);
    const bool columns = below(g, 3) == 0;
    const struct operand a = tile(g, dtype, rows, cols, true);
    const struct operand d = tile(g, columns ? SAM_TILE_ui32 : dtype, rows, cols, true);
    scalar(g, "index", SAM_I64, below(g, 30) ? below(g, 65) : test_random(&g->x.seed));
    for (size_t i = 0; i + 1 < a.array->count; i += 1 + below(g, 9)) /* of equal elements */
        test_set(a.array->data, i, dtype, test_bits(a.array->data, i + 1, dtype));
    if (below(g, 3) == 0)
        binary(g, "tadd", &a, &a, &a, "");
    put(g, "  pto.tsort ins(%%t0, %%t2 : %s, index) outs(%%t1 : %s)%s\n", a.type, d.type,
        below(g, 2) ? " {order = descending}" : "");
    if (below(g, 3) == 0)
        binary(g, columns ? "tor" : "tmax", &d, &d, &d, "");
}

TEST(test_sorting)
{
    each(sorts, true, false);
}

/* --- images as matrices */

static void images(struct program *g, enum sam_dtype dtype)
{
    const unsigned height = 1 + below(g, 5), width = 1 + below(g, 5), group = 1 + below(g, 9);
    const unsigned groups = 1 + below(g, 2), count = 1 + below(g, 3);
    const bool dynamic = g->dynamic;
    unsigned numbers[13] = {height,
                            width,
                            1 + below(g, 3),
                            1 + below(g, 3),
                            1 + below(g, 2),
                            1 + below(g, 2),
                            1 + below(g, 2),
                            1 + below(g, 2),
                            below(g, 3),
                            below(g, 3),
                            below(g, 3),
                            below(g, 3),
                            group * groups - below(g, group)};
    if (below(g, 10) == 0)
        numbers[below(g, 13)] = below(g, 3) ? 0 : 70000;
    const unsigned down = height + numbers[8] + numbers[9],
                   across = width + numbers[10] + numbers[11];
    const unsigned tall = (numbers[2] - 1) * numbers[6] + 1,
                   wide = (numbers[3] - 1) * numbers[7] + 1;
    const unsigned rows =
        down < tall || across < wide || !numbers[4] || !numbers[5]
            ? 1
            : count * ((down - tall) / numbers[4] + 1) * ((across - wide) / numbers[5] + 1);
    const unsigned cols = groups * numbers[2] * numbers[3] * group + 1;
    const unsigned m = below(g, rows), k = below(g, cols);
    const unsigned most_rows = rows - m + (below(g, 12) == 0), most = cols - k;
    g->dynamic = false; /* the source */
    const struct operand a =
        tile(g, dtype, count * groups * height * width + (below(g, 20) == 0), group, true);
    g->dynamic = dynamic;
    const struct operand d = tile(g, dtype, some(g, most_rows % 40), some(g, most % 70), true);
    scalar(g, "index", SAM_I64, m);
    scalar(g, "index", SAM_I64, k);
    for (size_t i = 0; i < 13; i++)
        put(g, "  %%n%zu = arith.constant %u : index\n", i, numbers[i]);
    put(g, "  pto.timg2col ins(%%t0, %%t2, %%t3");
    for (size_t i = 0; i < 13; i++)
        put(g, ", %%n%zu", i);
    put(g, " : %s", a.type);
    for (size_t i = 0; i < 15; i++)
        put(g, ", index");
    put(g, ") outs(%%t1 : %s)\n", d.type);
    if (below(g, 3) == 0)
        binary(g, "tmax", &d, &d, &d, "");
}

TEST(test_images)
{
    each(images, true, true);
    struct lowered x = {.text =
                            "func.func @f(%a: !pto.tile_buf<vec, 16x16xf32>, "
                            "%d: !pto.tile_buf<vec, 16x16xf32>, %n: index) {\n"
                            "pto.timg2col ins(%a, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, "
                            "%n, %n, %n : !pto.tile_buf<vec, 16x16xf32>, index, index, index, "
                            "index, index, index, index, index, index, index, index, index, "
                            "index, index, index) outs(%d : !pto.tile_buf<vec, 16x16xf32>)\n"
                            "return }\n"};
    lowered_array(&x, SAM_TILE_f32, 16, 16);
    lowered_array(&x, SAM_TILE_f32, 16, 16);
    x.arguments[1].output = true;
    lowered_scalar(&x, SAM_I64, 1);
    const size_t count = x.count;
    x.options.unbound = true;
    x.count = 0;
    lowered_refused(&x, "timg2col: expected a source of known size, and constants but for the "
                        "position");
    x.count = count;
    lowered_free(&x);
}

/* --- histograms */

static void histograms(struct program *g, enum sam_dtype dtype)
{
    if (dtype != SAM_TILE_ui16)
        dtype = SAM_TILE_ui32;
    const unsigned rows = some(g, 5), cols = some(g, 50);
    const struct operand a = tile(g, dtype, rows, cols, false);
    const struct operand filter = tile(g, SAM_TILE_ui8, rows < 3 ? 3 : rows, 1, false);
    const struct operand d = tile(g, SAM_TILE_ui32, rows, 256, true);
    char more[32];
    for (size_t i = 0; i < a.array->count; i++)
        test_set(a.array->data, i, dtype, test_random(&g->x.seed) & 0x01030101);
    for (size_t i = 0; i < filter.array->count; i++)
        test_set(filter.array->data, i, SAM_TILE_ui8, below(g, 2));
    sprintf(more, " {byte = b%u}", below(g, dtype == SAM_TILE_ui16 ? 2 : 4));
    binary(g, "thistogram", &a, &filter, &d, more);
}

TEST(test_histograms)
{
    each(histograms, false, true);
}

/* --- triangles */

static void triangles(struct program *g, enum sam_dtype dtype)
{
    const unsigned rows = some(g, 9), cols = some(g, 70);
    const struct operand d = tile(g, dtype, rows, cols, true);
    scalar(g, "index", SAM_I64,
           (uint64_t)((int64_t)below(g, 140) - 70) << (below(g, 8) ? 0 : below(g, 40)));
    put(g, "  pto.ttri ins(%%t1 : index) outs(%%t0 : %s)%s\n", d.type,
        below(g, 2) ? " {tri = upper}" : "");
    binary(g, "tadd", &d, &d, &d, "");
}

TEST(test_triangles)
{
    each(triangles, true, true);
}

/* --- another core */

static void peers(struct program *g, enum sam_dtype dtype)
{
    const unsigned rows = some(g, 9), cols = some(g, 70);
    const struct operand a = tile(g, dtype, rows, cols, true);
    const struct operand d = tile(g, dtype, rows, cols, true);
    scalar(g, "index", SAM_I64, below(g, 4) ? 0 : below(g, 4));
    put(g, "  pto.gmov ins(%%t0, %%t2 : %s, index) outs(%%t1 : %s)\n", a.type, d.type);
}

TEST(test_peers)
{
    each(peers, true, true);
}

/* --- quantisation */

static const char *const modes[] = {"rint", "round", "floor", "ceil", "trunc"};

static void quantisations(struct program *g, enum sam_dtype dtype)
{
    const unsigned rows = some(g, 9), cols = some(g, 70);
    const float factors[] = {1, 0.5F, 0.1F, 3, 0x1p-20F, 0x1p20F, 0x1p-10F, 1e30F};
    const float factor = factors[below(g, SAM_COUNT(factors))];
    const struct operand a = tile(g, SAM_TILE_f32, rows, cols, true);
    if (dtype != SAM_TILE_i8)
        dtype = SAM_TILE_ui8;
    const struct operand d = tile(g, dtype, rows, cols, true);
    for (size_t i = 0; i < a.array->count; i += 1 + below(g, 2))
        test_set(a.array->data, i, SAM_TILE_f32,
                 sam_f32_bits(((float)below(g, 4096) - 2048) / 8 / factor));
    const bool random = below(g, 4) == 0;
    scalar(g, "f32", SAM_TILE_f32,
           random ? test_element(&g->x.seed, SAM_TILE_f32) : sam_f32_bits(factor));
    scalar(g, sam_tile_dtype_name(dtype), dtype, below(g, 256));
    const bool back = below(g, 2);
    put(g, "  pto.%s ins(%%t%u, %%t2, %%t3 : %s, f32, %s) outs(%%t%u : %s) {round = %s%s}\n",
        back ? "tdequant" : "tquant", back ? 1 : 0, back ? d.type : a.type,
        sam_tile_dtype_name(dtype), back ? 0 : 1, back ? a.type : d.type,
        !back && below(g, 2) ? "wrap_" : "", modes[below(g, 5)]);
}

TEST(test_quantisation)
{
    each(quantisations, true, true);
}

/* --- readings of the specification: indices of ui32, descending sequences, vectors of R x 1, f32
 * differences of 16-bit floats */

static void readings(struct program *g, enum sam_dtype dtype)
{
    const unsigned rows = 1 + below(g, 8), cols = 1 + below(g, 69);
    if (dtype != SAM_TILE_bf16)
        dtype = SAM_TILE_f16;
    const char *name = sam_tile_dtype_name(dtype);
    const struct operand a = tile(g, dtype, rows, cols, true);
    const struct operand d = tile(g, SAM_TILE_f32, rows, cols, true);
    const struct operand at = tile(g, SAM_TILE_ui32, 1, cols, true);
    const struct operand steps = tile(g, SAM_TILE_ui16, rows, cols, true);
    scalar(g, "ui16", SAM_TILE_ui16, below(g, 100));
    put(g, "  %%m = pto.trowmax %%t0 : %s -> !pto.tile<vec, %ux1x%s, valid=?x1>\n", a.type, rows,
        name);
    put(g,
        "  pto.trowexpandexpdif ins(%%t0, %%m : %s, !pto.tile<vec, %ux1x%s, valid=?x1>) outs(%%t1 "
        ": %s)\n",
        a.type, rows, name, d.type);
    put(g, "  pto.tcolargmin ins(%%t0 : %s) outs(%%t2 : %s)\n", a.type, at.type);
    put(g, "  pto.tci ins(%%t4 : ui16) outs(%%t3 : %s) {order = descending}\n", steps.type);
}

TEST(test_readings)
{
    each(readings, true, true);
}

/* Masks of bits: one that is written, and one from outside, with bits past the last column. */
static void masks(struct program *g, enum sam_dtype dtype)
{
    static const char *const how[] = {"eq", "ne", "lt", "le", "gt", "ge"};
    const char *const name = sam_tile_dtype_name(dtype);
    const unsigned rows = some(g, 9), cols = some(g, 70), one = below(g, 2), other = below(g, 2);
    const struct operand a = tile(g, dtype, rows, cols, true);
    const struct operand b = tile(g, dtype, rows, cols, true);
    const struct operand mask = tile(g, SAM_TILE_ui8, rows, (cols + 7) / 8, true);
    const struct operand d = tile(g, dtype, rows, cols, true);
    scalar(g, name, dtype, rows && cols ? test_bits(a.array->data, 0, dtype) : 0);
    if (below(g, 3))
        put(g, "  pto.tcmp%s ins(%%t0, %%t%u : %s, %s) outs(%%t2 : %s) {cmp = packed_%s}\n",
            one ? "s" : "", one ? 4 : 1, a.type, one ? name : b.type, mask.type, how[below(g, 6)]);
    put(g, "  pto.tsel%s ins(%%t2, %%t0, %%t%u : %s, %s, %s) outs(%%t3 : %s) {mask = packed}\n",
        other ? "s" : "", other ? 4 : 1, mask.type, a.type, other ? name : b.type, d.type);
    if (below(g, 2)) /* with others in one kernel */
        binary(g, "tmax", &d, &d, &d, "");
}

TEST(test_masks)
{
    each(masks, true, true);
}

TEST(test_one_row)
{
    struct lowered x = {.text = "%d = tcolmin %a : !pto.tile<vec, 8x32xf32> -> "
                                "!pto.tile<vec, 8x32xf32>\n"};
    lowered_array(&x, SAM_TILE_f32, 8, 32);
    lowered_name(&x, "a", false);
    lowered_array(&x, SAM_TILE_f32, 8, 32);
    lowered_name(&x, "d", true);
    x.options.dialect = SAM_TILE_SPEC;
    lowered_refused(&x, "the destination has 8 valid rows: expected 1 in dialect spec");
    lowered_free(&x);
}
