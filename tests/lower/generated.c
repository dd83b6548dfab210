/* SPDX-License-Identifier: Apache-2.0 */
/* Random programs of all operations, on any dtype that runs on the system, with constant and
 * run-time sizes, empty ones included: later operations use results of earlier ones. The same
 * bytes as the executor with sums in the system's order, also outside the written elements, and
 * the same failures. The executor itself is compared with plain formulas in tests/tile and in
 * picked.c. */
#include "lower/products.h"
#include "lower/vector_programs.h"
#include "tile/tile.h"

enum { MOST_TILES = 12, MOST_OPERATIONS = 10, MOST_BYTES = 100000 };

struct program {
    struct writer w;
    enum sam_dtype dtype;
    unsigned rows, cols; /* of most tiles */
    struct writer_tile tiles[MOST_TILES];
    struct sam_array *arrays[MOST_TILES]; /* with their first elements */
    unsigned tile_count;
    size_t bytes; /* of them */
    unsigned code;
    const struct sam_tile_row *op;            /* of the code */
    struct writer_tile in[SAM_TILE_OPERANDS]; /* names and types */
    unsigned in_count;
    bool codes[SAM_TILE_CODES], hints;
};

static const enum sam_dtype any[] = {
    SAM_TILE_f32,  SAM_TILE_f16,  SAM_TILE_bf16, SAM_TILE_i8,   SAM_TILE_ui8,  SAM_TILE_i16,
    SAM_TILE_ui16, SAM_TILE_i32,  SAM_TILE_ui32, SAM_TILE_i64,  SAM_TILE_ui64, SAM_TILE_f64,
    SAM_TILE_tf32, SAM_TILE_hf32, SAM_TILE_hif8, SAM_TILE_e5m2, SAM_TILE_e4m3, SAM_TILE_e3m2,
    SAM_TILE_e2m3, SAM_TILE_e8m0, SAM_TILE_e2m1, SAM_TILE_e1m2};

static unsigned below(struct program *g, unsigned n)
{
    return writer_below(&g->w, n);
}

static unsigned some(struct program *g, unsigned most)
{
    return below(g, 3) ? most : below(g, most + 1);
}

static enum sam_dtype any_dtype(struct program *g)
{
    return below(g, 2) ? g->dtype : any[below(g, SAM_COUNT(any))];
}

/* As any_dtype, but of 8 bits or more. */
static enum sam_dtype any_bytes(struct program *g)
{
    const enum sam_dtype dtype = any_dtype(g);
    return sam_dtype_size(dtype) ? dtype : SAM_U8;
}

/* --- operands */

/* A tile in vec: one of earlier operations, or a new one. */
static struct writer_tile *tile(struct program *g, enum sam_dtype dtype, unsigned rows,
                                unsigned cols, bool fresh)
{
    static const char *const pads[] = {NULL, "zero", "max", "min"};
    const unsigned from = below(g, MOST_TILES);
    for (unsigned i = 0; i < g->tile_count && !fresh && below(g, 4); i++) {
        struct writer_tile *t = &g->tiles[(i + from) % g->tile_count];
        if (t->dtype == dtype && t->valid_rows == rows && t->valid_cols == cols &&
            (t->pad || g->op->family != SAM_TILE_FILLPAD))
            return t;
    }
    assert_true(g->tile_count < MOST_TILES);
    struct writer_tile *t = &g->tiles[g->tile_count++];
    const unsigned least = g->op->family == SAM_TILE_FILLPAD;
    *t = (struct writer_tile){.loc = "vec",
                              .dtype = dtype,
                              .valid_rows = rows,
                              .valid_cols = cols,
                              .pad = pads[least + below(g, SAM_COUNT(pads) - least)]};
    if (cols == 1 && rows && sam_dtype_size(dtype) &&
        below(g, 2)) /* elements that follow each other */
        t->rows = rows + below(g, 3), t->cols = 1;
    writer_tile(&g->w, t);
    g->arrays[t - g->tiles] = &g->w.x.arrays[g->w.x.count - 1];
    g->bytes += (size_t)t->rows * t->cols * sam_dtype_bits(dtype) / 8;
    return t;
}

/* An element of a tile before the first operation. */
static void set(const struct program *g, const struct writer_tile *t, size_t i, size_t j,
                uint64_t bits)
{
    test_set(g->arrays[t - g->tiles]->data, i * t->cols + j, t->dtype, bits);
}

static void add(struct program *g, const char *name, const char *type)
{
    struct writer_tile *in = &g->in[g->in_count++];
    snprintf(in->name, sizeof in->name, "%s", name);
    snprintf(in->type, sizeof in->type, "%s", type);
}

static struct writer_tile *source(struct program *g, enum sam_dtype dtype, unsigned rows,
                                  unsigned cols, bool fresh)
{
    struct writer_tile *t = tile(g, dtype, rows, cols, fresh);
    add(g, t->name, t->type);
    return t;
}

static void number(struct program *g, int64_t value)
{
    char name[24];
    add(g, writer_number(&g->w, value, name), "index");
}

static void constant(struct program *g, int64_t value)
{
    char name[24];
    add(g, writer_constant(&g->w, value, name), "index");
}

static void scalar(struct program *g, enum sam_dtype dtype, uint64_t bits)
{
    char name[24];
    const char *type = sam_tile_dtype_name(dtype);
    snprintf(name, sizeof name, "%%c%u", g->w.fresh++);
    if (test_is_real(dtype))
        writer_put(&g->w, "%s = arith.constant 0x%" PRIx64 " : %s\n", name, bits, type);
    else
        writer_put(&g->w, "%s = arith.constant %.0f : %s\n", name, test_value(dtype, bits), type);
    add(g, name, type);
}

/* Write the operation with this destination. */
static void put(struct program *g, const char *name, const char *type, const char *attribute)
{
    writer_put(&g->w, "pto.%s ins(", g->op->name);
    for (unsigned i = 0; i < g->in_count; i++)
        writer_put(&g->w, "%s%s", i ? ", " : "", g->in[i].name);
    for (unsigned i = 0; i < g->in_count; i++)
        writer_put(&g->w, "%s%s", i ? ", " : " : ", g->in[i].type);
    writer_put(&g->w, ") outs(%s : %s)", name, type);
    if (attribute)
        writer_put(&g->w, " {%s = %s}", sam_tile_attribute(g->op)->key, attribute);
    writer_put(&g->w, "\n");
}

/* With a tile as destination, perhaps a source where that is allowed. */
static void result(struct program *g, enum sam_dtype dtype, unsigned rows, unsigned cols,
                   const char *attribute)
{
    struct writer_tile *d = tile(g, dtype, rows, cols, false);
    for (unsigned i = 0; i < g->in_count; i++)
        if (strcmp(g->in[i].name, d->name) == 0 && !sam_tile_in_place(g->op, i))
            d = tile(g, dtype, rows, cols, true);
    put(g, d->name, d->type, attribute);
}

/* One of the values of an attribute, from the first on. */
static const char *attribute(struct program *g, unsigned count)
{
    return sam_tile_attribute(g->op)->words[below(g, count)];
}

static const char *any_attribute(struct program *g)
{
    const struct sam_tile_attribute_text *a = sam_tile_attribute(g->op);
    return a->key ? attribute(g, a->count) : NULL;
}

/* --- element by element, reductions */

static bool is_division(const struct program *g, enum sam_dtype dtype)
{
    return (g->op->function == SAM_TILE_FN_DIV || g->op->function == SAM_TILE_FN_REM) &&
           !test_is_real(dtype);
}

static enum sam_dtype destination(struct program *g, enum sam_dtype dtype)
{
    switch (g->op->family) {
    case SAM_TILE_CMP: return SAM_U8;
    case SAM_TILE_CVT: return test_dtypes[below(g, SAM_COUNT(test_dtypes))];
    case SAM_TILE_COLARG:
    case SAM_TILE_ROWARG: return below(g, 2) ? SAM_I32 : SAM_U32;
    default: return g->op->function == SAM_TILE_FN_EXPDIF && below(g, 2) ? SAM_F32 : dtype;
    }
}

static void by_element(struct program *g)
{
    const struct sam_tile_row *op = g->op;
    const struct sam_tile_family *family = sam_tile_family(op);
    enum sam_dtype dtype = g->dtype;
    const char *const how = any_attribute(g);
    const bool packed = how && strstr(how, "packed");
    unsigned rows = g->rows, cols = below(g, 4) ? g->cols : 1;
    while (!vector_takes(g->code, dtype))
        dtype = test_dtypes[below(g, SAM_COUNT(test_dtypes))];
    enum sam_dtype to = destination(g, dtype);
    if (op->family == SAM_TILE_CVT && below(g, 2)) { /* from or to elements of 4 bits */
        const enum sam_dtype pair = below(g, 2) ? SAM_TILE_e2m1 : SAM_TILE_e1m2;
        const bool back = below(g, 2);
        dtype = back ? any[below(g, SAM_COUNT(any))] : pair;
        to = back ? pair : any[below(g, SAM_COUNT(any))];
        to = to == SAM_TILE_e8m0 ? SAM_TILE_f64 : to; /* of some floats only */
    }
    for (unsigned i = 0; i < op->count; i++) {
        const bool last = i + 1u == op->count, mask = op->family == SAM_TILE_SEL && i == 0;
        const bool nonzero = last && is_division(g, dtype) && below(g, 20);
        unsigned r = rows, c = cols;
        if (op->sources[i] == 's') {
            const uint64_t bits = test_element(&g->w.x.seed, dtype);
            scalar(g, dtype, nonzero && !bits ? 1 : bits);
            continue;
        }
        if (mask && packed)
            c = (cols + 7) / 8;
        if (last && family->reads == SAM_TILE_READS_LAST_ROW)
            r = 1;
        if (last && family->reads == SAM_TILE_READS_LAST_COLUMN)
            c = 1;
        if (op->family == SAM_TILE_FILLPAD)
            r = some(g, rows), c = some(g, cols);
        const struct writer_tile *t = source(g, mask ? SAM_U8 : dtype, r, c, nonzero);
        const struct sam_array *a = g->arrays[t - g->tiles];
        for (size_t k = 0; k < a->count && nonzero; k++)
            if (!test_bits(a->data, k, t->dtype))
                test_set(a->data, k, t->dtype, 1);
    }
    if (op->family == SAM_TILE_COLFOLD || op->family == SAM_TILE_COLARG)
        rows = 1;
    if (op->family == SAM_TILE_ROWFOLD || op->family == SAM_TILE_ROWARG)
        cols = 1;
    result(g, to, rows, op->family == SAM_TILE_CMP && packed ? (cols + 7) / 8 : cols, how);
}

static void quantise(struct program *g)
{
    static const float factors[] = {1, 0.5F, 0.1F, 3, 0x1p-20F, 0x1p20F, 0x1p-10F, 1e30F};
    const float factor = factors[below(g, SAM_COUNT(factors))];
    const enum sam_dtype byte = below(g, 2) ? SAM_I8 : SAM_U8;
    const bool back = g->op->family == SAM_TILE_DEQUANT;
    const struct writer_tile *a =
        source(g, back ? byte : SAM_F32, g->rows, g->cols, !back && below(g, 2));
    for (unsigned j = 0; j < g->cols && g->rows && !back; j += 1 + below(g, 2))
        set(g, a, 0, j, sam_f32_bits(((float)below(g, 4096) - 2048) / 8 / factor));
    scalar(g, SAM_F32,
           below(g, 4) ? sam_f32_bits(factor) : test_element(&g->w.x.seed, SAM_TILE_f32));
    scalar(g, byte, below(g, 256));
    result(g, back ? SAM_F32 : byte, g->rows, g->cols, any_attribute(g));
}

static void unite(struct program *g)
{
    const unsigned small = below(g, 3);
    source(g, g->dtype, small ? g->rows : some(g, g->rows), small ? g->cols : some(g, g->cols),
           false);
    source(g, g->dtype, small == 1 ? some(g, g->rows) : g->rows,
           small == 1 ? some(g, g->cols) : g->cols, false);
    result(g, g->dtype, g->rows, g->cols, NULL);
}

/* --- by index */

static enum sam_dtype index_dtype(struct program *g)
{
    static const enum sam_dtype dtypes[] = {SAM_TILE_i16, SAM_TILE_ui16, SAM_TILE_i32,
                                            SAM_TILE_ui32};
    return dtypes[below(g, 4)];
}

static void gather(struct program *g)
{
    const unsigned from = 1 + below(g, 9);
    source(g, g->dtype, from, g->cols, false);
    const struct writer_tile *index = source(g, index_dtype(g), g->rows, g->cols, true);
    for (unsigned i = 0; i < g->rows; i++)
        for (unsigned j = 0; j < g->cols; j++)
            set(g, index, i, j, below(g, from + (below(g, 5000) == 0)));
    result(g, g->dtype, g->rows, g->cols, NULL);
}

static void scatter(struct program *g)
{
    const unsigned to = g->rows + below(g, 3);
    source(g, g->dtype, g->rows, g->cols, false);
    const struct writer_tile *index = source(g, index_dtype(g), g->rows, g->cols, true);
    for (unsigned j = 0; j < g->cols; j++) {
        unsigned order[80] = {0};
        for (unsigned i = 0; i < to; i++) {
            const unsigned k = below(g, i + 1);
            order[i] = order[k];
            order[k] = i;
        }
        for (unsigned i = 0; i < g->rows; i++)
            set(g, index, i, j, below(g, 5000) ? order[i] : below(g, to + 2));
    }
    result(g, g->dtype, to, g->cols, NULL);
}

static void histogram(struct program *g)
{
    const enum sam_dtype dtype = below(g, 2) ? SAM_U16 : SAM_U32;
    const unsigned rows = g->rows % 6;
    const struct writer_tile *a = source(g, dtype, rows, g->cols, true);
    for (unsigned i = 0; i < rows; i++)
        for (unsigned j = 0; j < g->cols; j++)
            set(g, a, i, j, test_random(&g->w.x.seed) & 0x01030101);
    const struct writer_tile *filter = source(g, SAM_U8, rows < 3 ? 3 : rows, 1, true);
    for (unsigned i = 0; i < filter->valid_rows; i++)
        set(g, filter, i, 0, below(g, 2));
    result(g, SAM_U32, rows, 256, attribute(g, dtype == SAM_U16 ? 2 : 4));
}

static enum sam_dtype real_dtype(struct program *g)
{
    return test_is_real(g->dtype) ? g->dtype : test_reals[below(g, 3)].dtype;
}

static void merge(struct program *g)
{
    const enum sam_dtype dtype = real_dtype(g);
    const unsigned other = some(g, 40);
    source(g, dtype, 1, g->cols, false);
    source(g, dtype, 1, other, false);
    result(g, dtype, 1, g->cols + other, any_attribute(g));
}

static void sort(struct program *g)
{
    const enum sam_dtype dtype = real_dtype(g);
    const struct writer_tile *a = source(g, dtype, g->rows, g->cols, true);
    const uint64_t same = test_element(&g->w.x.seed, dtype);
    for (unsigned j = 0; j < g->cols && g->rows; j += 1 + below(g, 9))
        set(g, a, 0, j, same);
    number(g, below(g, 30) ? below(g, 65) : 65 + below(g, 9));
    result(g, below(g, 3) ? dtype : SAM_U32, g->rows, g->cols, any_attribute(g));
}

static void triangle(struct program *g)
{
    number(g, ((int64_t)below(g, 140) - 70) * (below(g, 8) ? 1 : INT64_C(1) << below(g, 40)));
    result(g, g->dtype, g->rows, g->cols, any_attribute(g));
}

static void image(struct program *g)
{
    const unsigned height = 1 + below(g, 5), width = 1 + below(g, 5), group = 1 + below(g, 9);
    const unsigned groups = 1 + below(g, 2), count = 1 + below(g, 3);
    int64_t n[13] = {height, width};
    for (unsigned i = 2; i < 12; i++)
        n[i] = i < 8 ? 1 + below(g, i < 4 ? 3 : 2) : below(g, 3);
    n[12] = group * groups - below(g, group);
    if (below(g, 10) == 0)
        n[below(g, 13)] = below(g, 3) ? 0 : 70000;
    const int64_t down = height + n[8] + n[9] - (n[2] - 1) * n[6] - 1,
                  across = width + n[10] + n[11] - (n[3] - 1) * n[7] - 1;
    const int64_t rows = down < 0 || across < 0 || !n[4] || !n[5]
                             ? 1
                             : count * (down / n[4] + 1) * (across / n[5] + 1);
    const int64_t cols = groups * n[2] * n[3] * group + 1;
    const unsigned m = below(g, 1 + (unsigned)(rows % 1000) / 2),
                   k = below(g, 1 + (unsigned)cols / 2);
    const bool dynamic = g->w.dynamic;
    g->w.dynamic = false; /* the source */
    source(g, g->dtype, count * groups * height * width + (below(g, 20) == 0), group, true);
    g->w.dynamic = dynamic;
    number(g, m);
    number(g, k);
    for (unsigned i = 0; i < 13; i++)
        constant(g, n[i]);
    result(g, g->dtype, some(g, (unsigned)(rows - m) % 40), some(g, (unsigned)(cols - k) % 70),
           NULL);
}

/* --- arrays */

static void pick(struct program *g)
{
    static const enum sam_dtype indices[] = {SAM_TILE_i32, SAM_TILE_ui32, SAM_TILE_i64,
                                             SAM_TILE_ui64, SAM_TILE_i16};
    const enum sam_dtype dtype = any_bytes(g), of = indices[below(g, 5)];
    const bool stores = sam_tile_stores(g->op), exchanges = g->op->family == SAM_TILE_EXCHANGE;
    const unsigned count = 1 + below(g, below(g, 2) ? 90 : 900),
                   size = (unsigned)sam_dtype_size(dtype);
    char name[16], type[160];
    writer_line(&g->w, dtype, count, name, type);
    if (stores)
        source(g, dtype, g->rows, g->cols, false);
    else
        add(g, name, type);
    const struct writer_tile *index = source(g, of, g->rows, g->cols, true);
    for (unsigned i = 0; i < g->rows; i++)
        for (unsigned j = 0; j < g->cols; j++)
            set(g, index, i, j,
                below(g, 20000) ? size * below(g, count)
                                : test_random(&g->w.x.seed) >> below(g, 64));
    for (unsigned i = 2; i < g->op->count; i++)
        source(g, exchanges ? dtype : SAM_U8, g->rows, g->cols, false);
    if (stores)
        put(g, name, type, NULL);
    else
        result(g, dtype, g->rows, g->cols, NULL);
}

/* --- moves */

/* A tile of any memory and layout that only this operation uses. */
static struct writer_tile placed(struct program *g, const char *loc, enum sam_dtype dtype,
                                 unsigned rows, unsigned cols)
{
    struct writer_tile t = {.loc = loc,
                            .dtype = dtype,
                            .valid_rows = rows,
                            .valid_cols = cols,
                            .by_columns = below(g, 2)};
    writer_tile(&g->w, &t);
    return t;
}

static void move(struct program *g)
{
    const bool trans = g->op->family == SAM_TILE_TRANS;
    const enum sam_dtype dtype = g->op->family == SAM_TILE_RESHAPE ? any_bytes(g) : any_dtype(g);
    unsigned rows = trans ? g->cols : g->rows, cols = trans ? g->rows : g->cols;
    if (g->op->family == SAM_TILE_RESHAPE && rows && cols) {
        const unsigned all = rows * cols;
        for (cols = 1 + below(g, 2 * cols); all % cols || all / cols > 99;)
            cols = cols % all + 1;
        rows = all / cols;
    }
    if (g->op->family != SAM_TILE_MOV || below(g, 2)) {
        source(g, dtype, g->rows, g->cols, false);
        result(g, dtype, rows, cols, NULL);
        return;
    }
    const struct writer_tile s = placed(g, below(g, 2) ? "mat" : "vec", dtype, rows, cols),
                             d = placed(g, "mat", dtype, rows, cols);
    add(g, s.name, s.type);
    put(g, d.name, d.type, NULL);
    writer_show(&g->w, &d);
}

static void part(struct program *g)
{
    const bool insert = g->op->family == SAM_TILE_INSERT, out = below(g, 30) == 0;
    const enum sam_dtype dtype = any_dtype(g);
    const unsigned small[2] = {below(g, g->rows + 1), below(g, g->cols + 1)};
    const unsigned all[2] = {g->rows, g->cols}, *const from = insert ? small : all,
                   *const to = insert ? all : small;
    const bool elsewhere = below(g, 2);
    const char *const loc = below(g, 2) ? "mat" : "vec";
    struct writer_tile d = {0};
    if (elsewhere) {
        const struct writer_tile s = placed(g, loc, dtype, from[0], from[1]);
        d = placed(g, loc, dtype, to[0], to[1]);
        add(g, s.name, s.type);
    } else {
        source(g, dtype, from[0], from[1], false);
    }
    number(g, (int64_t)below(g, all[0] - small[0] + 1) - (out ? 1 : 0));
    number(g, below(g, all[1] - small[1] + 1 + out));
    if (!elsewhere) {
        result(g, dtype, to[0], to[1], NULL);
        return;
    }
    put(g, d.name, d.type, NULL);
    writer_show(&g->w, &d);
}

static void transfer(struct program *g)
{
    const bool store = g->op->family == SAM_TILE_STORE;
    const enum sam_dtype dtype = any_dtype(g);
    char name[16], type[160];
    g->w.outside = below(g, 40) == 0;
    writer_window(&g->w, dtype, g->rows, g->cols, store && below(g, 2), name, type);
    g->w.outside = false;
    if (below(g, 4) == 0) {
        writer_put(&g->w, "pto.prefetch %s : %s\n", name, type);
        g->hints = true;
    }
    if (below(g, 2)) {
        const struct writer_tile t =
            placed(g, below(g, 2) ? "mat" : "vec", dtype, g->rows, g->cols);
        add(g, store ? t.name : name, store ? t.type : type);
        put(g, store ? name : t.name, store ? type : t.type, NULL);
        writer_show(&g->w, &t);
    } else if (store) {
        source(g, dtype, g->rows, g->cols, false);
        put(g, name, type, NULL);
    } else {
        add(g, name, type);
        result(g, dtype, g->rows, g->cols, NULL);
    }
}

static void concat(struct program *g)
{
    const enum sam_dtype dtype = any_dtype(g);
    const unsigned other = some(g, 40);
    source(g, dtype, g->rows, g->cols, false);
    source(g, dtype, g->rows, other, false);
    result(g, dtype, g->rows, g->cols + other, NULL);
}

static void from_peer(struct program *g)
{
    const enum sam_dtype dtype = any_dtype(g);
    source(g, dtype, g->rows, g->cols, false);
    number(g, below(g, 20) ? 0 : below(g, 4));
    result(g, dtype, g->rows, g->cols, NULL);
}

/* --- programs */

static void operate(struct program *g, unsigned code)
{
    g->code = code;
    g->op = sam_tile_row(code);
    g->in_count = 0;
    g->codes[code] = true;
    switch (g->op->family) {
    case SAM_TILE_QUANT:
    case SAM_TILE_DEQUANT: quantise(g); break;
    case SAM_TILE_UNION: unite(g); break;
    case SAM_TILE_GATHER: gather(g); break;
    case SAM_TILE_SCATTER: scatter(g); break;
    case SAM_TILE_HISTOGRAM: histogram(g); break;
    case SAM_TILE_MERGE: merge(g); break;
    case SAM_TILE_SORT: sort(g); break;
    case SAM_TILE_TRI: triangle(g); break;
    case SAM_TILE_IMAGE: image(g); break;
    case SAM_TILE_PICK:
    case SAM_TILE_EXCHANGE:
    case SAM_TILE_SPREAD: pick(g); break;
    case SAM_TILE_LOAD:
    case SAM_TILE_STORE: transfer(g); break;
    case SAM_TILE_MOV:
    case SAM_TILE_TRANS:
    case SAM_TILE_RESHAPE: move(g); break;
    case SAM_TILE_EXTRACT:
    case SAM_TILE_INSERT: part(g); break;
    case SAM_TILE_CONCAT: concat(g); break;
    case SAM_TILE_PEER: from_peer(g); break;
    default:
        if (sam_tile_family(g->op)->pipe == SAM_TILE_PIPE_MATRIX)
            products_write_any(&g->w, g->op);
        else
            by_element(g);
    }
}

/* A program that begins with this operation. */
static void write(struct program *g, uint64_t seed, unsigned code)
{
    static const unsigned rows[] = {0, 1, 2, 7, 8, 16, 31, 33, 64},
                          cols[] = {0, 1, 2, 7, 8, 31, 32, 33, 64, 65, 200};
    memset(g, 0, sizeof *g);
    writer_open(&g->w, seed, seed & 1);
    g->w.seldom = 20;
    g->w.x.options.profile = SAM_TILE_A5;
    g->w.x.options.nan = (enum sam_tile_nan)below(g, 3);
    g->w.x.options.dialect = (enum sam_tile_dialect)below(g, 2);
    g->w.x.options.outside = below(g, 2) ? SAM_TILE_PAD_VALUE : SAM_TILE_PAD_KEEP;
    g->dtype = test_dtypes[below(g, SAM_COUNT(test_dtypes))];
    g->rows = rows[below(g, SAM_COUNT(rows))];
    g->cols = cols[below(g, SAM_COUNT(cols))];
    if (g->rows * g->cols > 64 * 33)
        g->cols = 64 * 33 / g->rows;
    operate(g, code);
    for (unsigned n = below(g, MOST_OPERATIONS);
         n > 0 && g->tile_count + 5 < MOST_TILES && g->w.x.count + g->tile_count < 18 &&
         g->bytes < MOST_BYTES;
         n--)
        operate(g, SAM_TILE_FIRST_OP + below(g, SAM_TILE_CODES - SAM_TILE_FIRST_OP));
    for (unsigned i = 0; i < g->tile_count; i++)
        writer_show(&g->w, &g->tiles[i]);
}

/* The programs of these seeds have every operation. */
TEST(test_all)
{
    struct program *g = calloc(1, sizeof *g);
    bool seen[SAM_TILE_CODES] = {false}, hints = false;
    for (uint64_t seed = 0; seed < 1000; seed++) {
        write(g, seed * UINT64_C(0x9e3779b97f4a7c15), SAM_TILE_FIRST_OP + (unsigned)seed % 7);
        for (unsigned i = SAM_TILE_FIRST_OP; i < SAM_TILE_CODES; i++)
            seen[i] |= g->codes[i];
        hints |= g->hints;
        writer_close(&g->w);
    }
    for (unsigned i = SAM_TILE_FIRST_OP; i < SAM_TILE_CODES; i++)
        if (!seen[i])
            fail_msg("no %s", sam_tile_row(i)->name);
    assert_true(hints);
    free(g);
}

TEST(test_programs)
{
    uint64_t seed = test_seed(), cases = test_number("SAMITE_CASES", 6);
    struct program *g = calloc(1, sizeof *g);
    unsigned traps = 0, count = 0;
    for (uint64_t n = 0; n < cases; n++)
        for (unsigned code = SAM_TILE_FIRST_OP; code < SAM_TILE_CODES; code++) {
            write(g, test_random(&seed), code);
            writer_run(&g->w);
            traps += g->w.x.status != SAM_OK;
            count++;
        }
    assert_in_range(traps, 0, count / 5);
    free(g);
}
