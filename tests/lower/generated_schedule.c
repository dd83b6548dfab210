/* SPDX-License-Identifier: Apache-2.0 */
/* Random programs for the schedule: products, copies behind them and launches that could overtake
 * each other, on windows that overlap, of arrays that may be one, on tiles and windows of tiles, in
 * loops that are written out; of arrays that are packed weights, in both layouts, with rows near
 * each other or far apart. Every effect must stand after its causes: results are the executor's,
 * and the runs look for races. */
#include "lower/lowered.h"

#define MAT        "!pto.tile_buf<mat, 64x64xf32>"
#define LEFT       "!pto.tile_buf<left, 64x64xf32>"
#define RIGHT      "!pto.tile_buf<right, 64x64xf32>"
#define ACC        "!pto.tile_buf<acc, 64x64xf32>"
#define VEC        "!pto.tile_buf<vec, 64x64xf32>"
#define PART       "!pto.partition_tensor_view<64x64xf32>"
#define HALF(type) "!pto.tile_buf<" type ", 32x64xf32>"
#define HALF_PART  "!pto.partition_tensor_view<32x64xf32>"

enum { ROWS = 160, COLS = 80, TILES = 3, STATEMENTS = 14 };

struct schedule {
    struct lowered x;
    struct sam_buffer text;
    unsigned fresh, left;
    char row[16]; /* an index below 8, of this block */
};

#define PUT(...) sam_buffer_printf(&s->text, __VA_ARGS__)

static unsigned below(struct schedule *s, unsigned n)
{
    return (unsigned)test_below(&s->x.seed, n);
}

/* A window of an array, %w followed by the number: rows and columns may overlap those of others. */
static unsigned window(struct schedule *s, char of, bool half)
{
    static const char *const rows[] = {"%c0", "%c1", "%c32", "%c64"};
    const unsigned n = s->fresh++, k = below(s, 5);
    PUT("%%w%u = pto.partition_view %%%c, offsets = [%s, %s], sizes = [%s, %%c64] : "
        "!pto.tensor_view<?x?xf32> -> %s\n",
        n, of, k == 4 ? s->row : rows[k], below(s, 2) ? "%c0" : "%c8", half ? "%c32" : "%c64",
        half ? HALF_PART : PART);
    return n;
}

static void load(struct schedule *s)
{
    const char of = below(s, 2) ? 'x' : 'y';
    if (below(s, 3) == 0) { /* part of a vector tile */
        const unsigned n = s->fresh++, w = window(s, of, true);
        PUT("%%h%u = pto.subset %%v%u, offsets = [%s, %%c0] : " VEC " -> " HALF("vec") "\n", n,
            below(s, TILES), below(s, 2) ? "%c0" : "%c32");
        PUT("pto.tload ins(%%w%u : " HALF_PART ") outs(%%h%u : " HALF("vec") ")\n", w, n);
    } else {
        const unsigned w = window(s, of, false);
        PUT("pto.tload ins(%%w%u : " PART ") outs(%%m%u : " MAT ")\n", w, below(s, TILES));
    }
}

static void multiply(struct schedule *s)
{
    const unsigned a = below(s, TILES), b = below(s, TILES), d = below(s, TILES), n = s->fresh++;
    PUT("%%l%u = pto.tmov %%m%u : " MAT " -> " LEFT "\n%%r%u = pto.tmov %%m%u : " MAT " -> " RIGHT
        "\n",
        n, a, n, b);
    if (below(s, 2))
        PUT("pto.tmatmul ins(%%l%u, %%r%u : " LEFT ", " RIGHT ") outs(%%a%u : " ACC ")\n", n, n, d);
    else
        PUT("pto.tmatmul_acc ins(%%a%u, %%l%u, %%r%u : " ACC ", " LEFT ", " RIGHT
            ") outs(%%a%u : " ACC ")\n",
            d, n, n, d);
}

static void operate(struct schedule *s)
{
    const unsigned a = below(s, TILES), b = below(s, TILES), n = s->fresh++;
    switch (below(s, 3)) {
    case 0: PUT("pto.tmov ins(%%a%u : " ACC ") outs(%%v%u : " VEC ")\n", a, b); break;
    case 1:
        PUT("pto.tmax ins(%%v%u, %%v%u : " VEC ", " VEC ") outs(%%v%u : " VEC ")\n", a, b, a);
        PUT("pto.tmuls ins(%%v%u, %%scale : " VEC ", f32) outs(%%v%u : " VEC ")\n", a, a);
        break;
    default: /* a tile of this iteration */
        PUT("%%t%u = pto.tneg %%v%u : " VEC " -> " VEC "\n", n, a);
        PUT("pto.tadd ins(%%t%u, %%v%u : " VEC ", " VEC ") outs(%%v%u : " VEC ")\n", n, b, b);
    }
}

static void store(struct schedule *s)
{
    const unsigned n = s->fresh++;
    if (below(s, 3) == 0) {
        const unsigned w = window(s, 'y', true);
        PUT("%%h%u = pto.subset %%v%u, offsets = [%s, %%c0] : " VEC " -> " HALF("vec") "\n", n,
            below(s, TILES), below(s, 2) ? "%c0" : "%c32");
        PUT("pto.tstore ins(%%h%u : " HALF("vec") ") outs(%%w%u : " HALF_PART ")\n", n, w);
    } else {
        const unsigned w = window(s, 'y', false);
        PUT("pto.tstore ins(%%v%u : " VEC ") outs(%%w%u : " PART ")\n", below(s, TILES), w);
    }
}

static void block(struct schedule *s, unsigned depth)
{
    for (unsigned i = 2 + below(s, 6); i && s->left; i--) {
        char row[16];
        s->left--;
        switch (below(s, depth < 2 ? 10 : 8)) {
        case 0:
        case 1:
        case 2: load(s); break;
        case 3:
        case 4: multiply(s); break;
        case 5: operate(s); break;
        case 6:
        case 7: store(s); break;
        default:
            memcpy(row, s->row, sizeof row);
            snprintf(s->row, sizeof s->row, "%%i%u", s->fresh++);
            PUT("scf.for %s = %%c0 to %s step %%c3 {\n", s->row, below(s, 2) ? "%c8" : "%n");
            block(s, depth + 1);
            if (below(s, 4) == 0)
                PUT("pto.barrier\n");
            PUT("}\n");
            memcpy(s->row, row, sizeof row);
        }
    }
}

static void run(uint64_t seed)
{
    struct schedule schedule = {.x = {.seed = seed}, .left = STATEMENTS, .row = "%c1"};
    struct schedule *s = &schedule;
    static const unsigned numbers[] = {0, 1, 3, 8, 32, 64, COLS, ROWS};
    static const unsigned widths[] = {COLS, 640, 2000};
    const bool packed = below(s, 2);
    const unsigned width = packed ? widths[below(s, 3)] : COLS;
    PUT("func.func @f(%%in: !pto.ptr<f32>, %%out: !pto.ptr<f32>, %%n: index, %%scale: f32) {\n");
    for (size_t i = 0; i < SAM_COUNT(numbers); i++)
        PUT("%%c%u = arith.constant %u : index\n", numbers[i], numbers[i]);
    PUT("%%width = arith.constant %u : index\n"
        "%%x = pto.make_tensor_view %%in, shape = [%%c160, %%width], strides = [%%width, %%c1] : "
        "!pto.tensor_view<?x?xf32>\n"
        "%%y = pto.make_tensor_view %%out, shape = [%%c160, %%c80], strides = [%%c80, %%c1] : "
        "!pto.tensor_view<?x?xf32>\n",
        width);
    for (unsigned i = 0; i < TILES; i++) {
        const unsigned w = window(s, 'x', false), v = window(s, 'y', false);
        PUT("%%m%u = pto.tload %%w%u : " PART " -> " MAT "\n%%v%u = pto.tload %%w%u : " PART
            " -> " VEC "\n%%l_%u = pto.tmov %%m%u : " MAT " -> " LEFT
            "\n%%r_%u = pto.tmov %%m%u : " MAT " -> " RIGHT
            "\n%%a%u = pto.tmatmul %%l_%u, %%r_%u : " LEFT ", " RIGHT " -> " ACC "\n",
            i, w, i, v, i, i, i, i, i, i, i);
    }
    while (s->left)
        block(s, 0);
    PUT("return\n}\n");
    s->x.text = sam_buffer_text(&s->text);
    const struct sam_array *in = lowered_random(&s->x, SAM_F32, ROWS, width);
    lowered_random(&s->x, SAM_F32, ROWS, COLS);
    lowered_scalar(&s->x, SAM_I64, below(s, 9));
    lowered_scalar(&s->x, SAM_F32, 0x3f000000);
    if (packed) {
        s->x.arguments[0].packed = "w";
        s->x.options.weights = lowered_pack(in, below(s, 2), &s->x.options.weights_size);
    } else if (below(s, 2)) /* both pointers are to one array */
        s->x.arguments[0].array = s->x.arguments[1].array;
    lowered_succeeds(&s->x);
    lowered_free(&s->x);
    free((void *)s->x.options.weights);
    sam_buffer_free(&s->text);
}

TEST(test_schedule)
{
    const uint64_t seed = test_seed();
    for (unsigned i = 0; i < 60; i++)
        run(seed + i);
}
