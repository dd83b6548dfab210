/* SPDX-License-Identifier: Apache-2.0 */
/* mgather and mscatter, with and without masks, and mgather_cas: the executor against a plain
 * formula, and the system against the executor, on random displacements, wrong ones included. */
#include "plain.h"

#include "tile/tile.h"

enum { TEXT = 4096 };

struct program {
    struct lowered x;
    char text[TEXT];
    enum sam_dtype dtype, of;
    unsigned rows, cols, count, stride;
    bool load, mask, exchange, dynamic;
};

static unsigned below(struct program *g, unsigned n)
{
    return (unsigned)test_below(&g->x.seed, n);
}

static int tile_type(struct program *g, char *text, enum sam_dtype dtype, unsigned pad)
{
    const unsigned unit = 32 / (unsigned)sam_dtype_size(dtype);
    const unsigned room = (g->cols + unit - 1) / unit * unit;
    FREED char *valid = formatted(g->dynamic ? "?x?" : "%ux%u", g->rows, g->cols);
    return sprintf(text, "!pto.tile_buf<vec, %ux%ux%s, valid=%s, pad=%u>", g->rows + 1,
                   room ? room : unit, sam_tile_dtype_name(dtype), valid, pad);
}

static struct sam_array *tile(struct program *g, enum sam_dtype dtype)
{
    struct sam_array *a = lowered_random(&g->x, dtype, g->rows ? g->rows : 1, g->cols);
    a->shape[0] = g->rows;
    a->count = (size_t)g->rows * g->cols;
    g->x.arguments[g->x.count - 1].output = g->x.arguments[g->x.count - 1].inout = true;
    return a;
}

static void write(struct program *g, unsigned pad)
{
    char t[120], index[120], mask[120], view[60];
    const char *name = sam_tile_dtype_name(g->dtype);
    tile_type(g, t, g->dtype, pad);
    tile_type(g, index, g->of, 0);
    tile_type(g, mask, SAM_TILE_ui8, 0);
    sprintf(view, "!pto.partition_tensor_view<%ux%s>", g->count, name);
    int at =
        sprintf(g->text,
                "func.func @f(%%t: %s, %%i: %s, %%m: %s, %%p: !pto.ptr<%s>, %%x: %s, "
                "%%y: %s) {\n"
                "  %%c2 = arith.constant 2 : index\n"
                "  %%n = arith.constant %u : index\n"
                "  %%all = arith.constant %u : index\n"
                "  %%s = arith.constant %u : index\n"
                "  %%v = pto.make_tensor_view %%p, shape = [%%all], strides = [%%s] : "
                "!pto.tensor_view<?x%s>\n"
                "  %%w = pto.partition_view %%v, offsets = [%%c2], sizes = [%%n] : "
                "!pto.tensor_view<?x%s> -> %s\n",
                t, index, mask, name, t, t, g->count, g->count + 2, g->stride, name, name, view);
    if (g->exchange) {
        sprintf(g->text + at,
                "  pto.mgather_cas ins(%%w, %%i, %%x, %%y : %s, %s, %s, %s) outs(%%t : %s)\n"
                "  return\n}\n",
                view, index, t, t, t);
        return;
    }
    const char *sources = g->mask ? ", %m" : "";
    sprintf(g->text + at, "  pto.%s%s ins(%s, %%i%s : %s, %s%s%s) outs(%s : %s)\n  return\n}\n",
            g->load ? "mgather" : "mscatter", g->mask ? "_mask" : "", g->load ? "%w" : "%t",
            sources, g->load ? view : t, index, g->mask ? ", " : "", g->mask ? mask : "",
            g->load ? "%t" : "%w", g->load ? t : view);
}

/* The formula, on copies of the arrays: false if a displacement is wrong. */
static bool formula(const struct program *g, unsigned pad, uint8_t *t, const uint8_t *index,
                    const uint8_t *mask, const uint8_t *const exchange[2], uint8_t *p, size_t all)
{
    const size_t size = sam_dtype_size(g->dtype), n = (size_t)g->rows * g->cols;
    if (n && (g->count + 1) * g->stride >= all)
        return false;
    for (int moves = 0; moves < 2; moves++)
        for (size_t i = 0; i < n; i++) {
            const double bytes = test_value(g->of, test_bits(index, i, g->of));
            const bool on = !g->mask || mask[i];
            if (on && (bytes < 0 || (uint64_t)bytes % size != 0 ||
                       bytes != (double)(uint64_t)bytes || bytes >= (double)(g->count * size)))
                return false;
            const size_t at = on ? (2 + (size_t)bytes / size) * g->stride : 0;
            if (moves && on)
                memcpy(g->load ? t + i * size : p + at * size,
                       g->load ? p + at * size : t + i * size, size);
            if (moves && g->exchange && memcmp(t + i * size, exchange[0] + i * size, size) == 0)
                memcpy(p + at * size, exchange[1] + i * size, size);
            if (moves && !on && g->load)
                test_set(t, i, g->dtype,
                         pad ? test_is_real(g->dtype) && pad == 2
                                   ? (uint64_t)test_real(g->dtype)->infinity
                                   : 0
                             : 0);
        }
    return true;
}

static void one(struct program *g)
{
    static const enum sam_dtype indices[] = {SAM_TILE_i32, SAM_TILE_ui32, SAM_TILE_i64,
                                             SAM_TILE_ui64, SAM_TILE_i16};
    static const enum sam_dtype values[] = {SAM_TILE_f32, SAM_TILE_f16, SAM_TILE_i8, SAM_TILE_ui32,
                                            SAM_TILE_i64};
    g->dtype = values[below(g, 5)];
    g->of = indices[below(g, 5)];
    const unsigned pad = test_is_real(g->dtype) ? below(g, 3) : below(g, 2);
    const size_t size = sam_dtype_size(g->dtype);
    g->rows = below(g, 8) ? 1 + below(g, 6) : 0;
    g->cols = below(g, 8) ? 1 + below(g, 40) : 0;
    g->count = 1 + below(g, 90);
    g->stride = 1 + below(g, 2);
    g->load = below(g, 2);
    g->exchange = below(g, 3) == 0;
    g->load |= g->exchange;
    g->mask = !g->exchange && below(g, 2);
    g->dynamic = below(g, 2);
    struct sam_array *t = tile(g, g->dtype), *index = tile(g, g->of), *mask = tile(g, SAM_TILE_ui8);
    const size_t all = (g->count + 1) * g->stride + below(g, 12); /* sometimes one too few */
    struct sam_array *p = lowered_random(&g->x, g->dtype, 0, all);
    g->x.arguments[3].output = true;
    struct sam_array *const exchange[2] = {tile(g, g->dtype), tile(g, g->dtype)};
    const uint8_t *const values_of[2] = {exchange[0]->data, exchange[1]->data};
    for (size_t i = 0; i < t->count; i++) {
        const uint64_t bad = below(g, 3000) ? 0 : 1 + below(g, 3);
        test_set(index->data, i, g->of,
                 bad == 1   ? size * g->count
                 : bad == 2 ? UINT64_MAX
                 : bad      ? size * below(g, g->count) + 1
                            : size * below(g, g->count));
        test_set(mask->data, i, SAM_TILE_ui8, below(g, 2) * (1 + below(g, 2)));
    }
    for (size_t i = 0; i < t->count; i++) { /* half of what is expected is there */
        const uint64_t bytes = test_bits(index->data, i, g->of),
                       at = (2 + bytes / size) * g->stride;
        if (below(g, 2) && at < all && bytes < g->count * size)
            memcpy((uint8_t *)exchange[0]->data + i * size, (uint8_t *)p->data + at * size, size);
    }
    write(g, pad);
    uint8_t *expected[2] = {malloc(t->size + 1), malloc(p->size + 1)};
    memcpy(expected[0], t->data, t->size);
    memcpy(expected[1], p->data, p->size);
    const bool good =
        formula(g, pad, expected[0], index->data, mask->data, values_of, expected[1], all);
    g->x.text = g->text;
    g->x.options.outside = below(g, 2) ? SAM_TILE_PAD_VALUE : SAM_TILE_PAD_KEEP;
    (below(g, 8) ? lowered_run : plain_run)(&g->x);
    assert_int_equal(g->x.status == SAM_OK, good);
    if (good && (memcmp(expected[0], t->data, t->count * size) != 0 ||
                 memcmp(expected[1], p->data, p->size) != 0))
        fail_msg("the executor differs from the formula:\n%s", g->text);
    free(expected[0]);
    free(expected[1]);
    lowered_free(&g->x);
}

TEST(test_displacements)
{
    static struct program g;
    g = (struct program){.x = {.seed = test_seed()}};
    for (unsigned n = 0; n < 300; n++)
        one(&g);
}

TEST(test_refusals)
{
    SCOPED(lowered) x = {
        .text = "func.func @f(%t: !pto.tile<vec, 1x8xf32>, %i: !pto.tile<vec, 1x8xi32>, "
                "%p: !pto.ptr<f32>) {\n"
                "%c8 = arith.constant 8 : index\n%c0 = arith.constant 0 : index\n"
                "%v = pto.make_tensor_view %p, shape = [%c8, %c8], strides = [%c8, %c8] : "
                "!pto.tensor_view<?x?xf32>\n"
                "%w = pto.partition_view %v, offsets = [%c0, %c0], sizes = [%c8, %c8] : "
                "!pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<8x8xf32>\n"
                "pto.mgather ins(%w, %i : !pto.partition_tensor_view<8x8xf32>, "
                "!pto.tile<vec, 1x8xi32>) outs(%t : !pto.tile<vec, 1x8xf32>)\nreturn\n}\n"};
    lowered_array(&x, SAM_TILE_f32, 1, 8);
    lowered_array(&x, SAM_TILE_i32, 1, 8);
    lowered_array(&x, SAM_TILE_f32, 0, 64);
    lowered_refused(&x, "mgather: the partition has 2 dimensions: expected 1");
}
