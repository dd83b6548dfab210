/* SPDX-License-Identifier: Apache-2.0 */
/* One token's step as a tile program. Weights are rows of K elements, one row per result, so that a
 * window of them, seen as K x rows, is a right factor which the matrix unit reads as it is. Rows of queries and keys have
 * the first elements of the pairs of all heads, then the second ones, and the first ones of queries
 * and keys are side by side: two rows rotate all heads. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "llm.h"

enum {
    CHUNK = 16384,  /* weights of a tile, but */
    BLOCKS = 64,    /* at least these rows: the matrix unit multiplies four blocks of 16 at once */
    STAGED = 147456, /* bytes of decoded weights that are asked for at once: a slot of staging */
    PIECE = 16,     /* positions of the cache that are loaded at once */
    LANES = 32,     /* of the GPU: elements of a row that are rotated side by side */
    PLACES = 8,     /* where pieces of values are loaded */
    GROUP = 8       /* rows of scores, at least: kernels take rows side by side */
};

struct tile {
    char name[48], type[96];
};

struct text {
    const struct llm *llm;
    FILE *out;
    const char *weight; /* dtype of weights, and of what they are multiplied with */
    uint32_t bytes;     /* of an element of it */
    struct tile *tiles;
    size_t tile_count, tile_room;
    unsigned number;           /* of the next name */
    uint32_t values, keys; /* of PLACES: the next pieces of them */
    bool failed;
};

/* --- statements */

static const char *type_of(struct text *t, const char *name)
{
    for (size_t i = t->tile_count; i-- > 0;)
        if (strcmp(t->tiles[i].name, name) == 0)
            return t->tiles[i].type;
    t->failed = true;
    return "?";
}

static const char *note(struct text *t, const char *name, const char *type, va_list arguments)
{
    if (t->tile_count == t->tile_room) {
        t->tile_room = 2 * t->tile_room + 64;
        struct tile *more = realloc(t->tiles, t->tile_room * sizeof *more);
        if (!more) {
            t->failed = true;
            t->tile_room = t->tile_count;
            return "?";
        }
        t->tiles = more;
    }
    struct tile *tile = &t->tiles[t->tile_count++];
    snprintf(tile->name, sizeof tile->name, "%s", name);
    vsnprintf(tile->type, sizeof tile->type, type, arguments);
    return tile->type;
}

/* Allocate a tile of the type "vec, 1x128xf32"; `sizes` are those that it leaves open. */
static void make(struct text *t, const char *name, const char *sizes, const char *type, ...)
{
    va_list arguments;
    va_start(arguments, type);
    type = note(t, name, type, arguments);
    va_end(arguments);
    fprintf(t->out, "    %%%s = pto.alloc_tile%s : !pto.tile_buf<%s>\n", name, sizes,
            type);
}

/* A window of a tile; row and column are names of indexes. */
static void window(struct text *t, const char *name, const char *of, const char *at,
                   const char *type, ...)
{
    va_list arguments;
    va_start(arguments, type);
    type = note(t, name, type, arguments);
    va_end(arguments);
    fprintf(t->out,
            "    %%%s = pto.subset %%%s, offsets = [%s] : !pto.tile_buf<%s> -> "
            "!pto.tile_buf<%s>\n",
            name, of, at, type_of(t, of), type);
}

static void list(struct text *t, const char *names, bool types)
{
    for (const char *at = names; *at;) {
        char name[40] = "";
        const size_t length = strcspn(at, " ");
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        fprintf(t->out, "%s", at == names ? "" : ", ");
        if (types)
            fprintf(t->out, "%s%s%s", name[0] == '_' ? "" : "!pto.tile_buf<",
                    name[0] != '_' ? type_of(t, name) : name[1] == '_' ? "f16" : "f32",
                    name[0] == '_' ? "" : ">");
        else
            fprintf(t->out, "%%%s", name[0] == '_' ? name : name);
        at += length + (at[length] == ' ');
    }
}

/* An operation on tiles, whose names blanks separate; scalars begin with an underscore, those of
 * f16 with two. */
static void op(struct text *t, const char *name, const char *sources, const char *destination)
{
    fprintf(t->out, "    pto.%s ins(", name);
    list(t, sources, false);
    fprintf(t->out, " : ");
    list(t, sources, true);
    fprintf(t->out, ") outs(%%%s : !pto.tile_buf<%s>)%s\n", destination,
            type_of(t, destination), strcmp(name, "tcvt") == 0 ? " {round = rint}" : "");
}

static void view(struct text *t, const char *name, const char *pointer, const char *shape,
                 const char *strides, const char *dtype)
{
    fprintf(t->out,
            "    %%%s = pto.make_tensor_view %%%s, shape = [%s], strides = [%s] : "
            "!pto.tensor_view<?x?x%s>\n",
            name, pointer, shape, strides, dtype);
}

/* A window of an array, `name`, then its load or store. */
static void part(struct text *t, const char *name, const char *of, const char *at,
                 const char *sizes, const char *dtype)
{
    fprintf(t->out,
            "    %%%s = pto.partition_view %%%s, offsets = [%s], sizes = [%s] : "
            "!pto.tensor_view<?x?x%s> -> !pto.partition_tensor_view<?x?x%s>\n",
            name, of, at, sizes, dtype, dtype);
}

static void load(struct text *t, const char *from, const char *dtype, const char *tile)
{
    fprintf(t->out,
            "    pto.tload ins(%%%s : !pto.partition_tensor_view<?x?x%s>) outs(%%%s : "
            "!pto.tile_buf<%s>)\n",
            from, dtype, tile, type_of(t, tile));
}

static void store(struct text *t, const char *tile, const char *to, const char *dtype)
{
    fprintf(t->out,
            "    pto.tstore ins(%%%s : !pto.tile_buf<%s>) outs(%%%s : "
            "!pto.partition_tensor_view<?x?x%s>)\n",
            tile, type_of(t, tile), to, dtype);
}

/* --- weights */

/* The row of a layer after those that are asked for with row `first`: as many as fit a slot, but not
 * those after the queries, keys and values with these. While attention works the next ones are
 * decoded, so they should be many. The last ones are more than half of what fits, lest the slot take
 * them twice. */
static uint32_t stage_end(const struct text *t, enum llm_matrix matrix, uint32_t first)
{
    const struct llm_rows *m = &t->llm->matrices[matrix];
    const uint32_t fit = STAGED / t->bytes / m->depth / 16 * 16, most = fit ? fit : 16;
    const uint32_t qkv = matrix == LLM_WIDE ? 3 * t->llm->shape.width : 0;
    const uint32_t begin = first < qkv ? 0 : qkv, end = first < qkv ? qkv : m->rows;
    const uint32_t parts = (end - begin + most - 1) / most;
    const uint32_t last = end - begin - (parts - 1) * most;
    const uint32_t even = ((end - begin + parts - 1) / parts + 15) / 16 * 16;
    const uint32_t rows = 2 * last > most ? most : even;
    const uint32_t next = begin + ((first - begin) / rows + 1) * rows;
    return next < end ? next : end;
}

/* Ask for the weights of `matrix` from row `first` of a layer on, a hint for packed ones. `row` is
 * the first row of the layer. */
static void prefetch(struct text *t, enum llm_matrix matrix, const char *row, uint32_t first)
{
    const struct llm_rows *m = &t->llm->matrices[matrix];
    const uint32_t rows = stage_end(t, matrix, first) - first;
    const unsigned number = t->number++;
    char name[24], of[32], at[32], sizes[48];
    fprintf(t->out, "    %%at%u = arith.addi %s, %%c%" PRIu32 " : index\n", number, row, first);
    snprintf(name, sizeof name, "next%u", number);
    snprintf(of, sizeof of, "%s_of", llm_matrix_name(matrix));
    snprintf(at, sizeof at, "%%c0, %%at%u", number);
    snprintf(sizes, sizeof sizes, "%%c%" PRIu32 ", %%c%" PRIu32, m->depth, rows);
    part(t, name, of, at, sizes, t->weight);
    fprintf(t->out, "    pto.prefetch %%%s : !pto.partition_tensor_view<?x?x%s>\n", name, t->weight);
}

/* After the first rows of a stage: ask for the next one. */
static void prefetch_after(struct text *t, enum llm_matrix matrix, uint32_t first)
{
    const struct llm_rows *m = &t->llm->matrices[matrix];
    const uint32_t next = stage_end(t, matrix, first);
    if (next < m->rows)
        prefetch(t, matrix, matrix == LLM_WIDE ? "%wide_row" : "%down_row", next);
    else if (matrix == LLM_WIDE)
        prefetch(t, LLM_DOWN, "%down_row", 0);
    else if (matrix == LLM_DOWN) {
        fprintf(t->out, "    scf.if %%is_last {\n");
        prefetch(t, LLM_HEAD, "%c0", 0);
        fprintf(t->out, "    } else {\n");
        prefetch(t, LLM_WIDE, "%next_row", 0);
        fprintf(t->out, "    }\n");
    }
}

/* The tile of `rows` rows of weights from `first` on. */
static void load_weights(struct text *t, enum llm_matrix matrix, const char *tile, uint32_t first,
                         uint32_t rows)
{
    static const char *const starts[] = {"%wide_row", "%down_row", "%c0"};
    const struct llm_rows *m = &t->llm->matrices[matrix];
    const unsigned number = t->number++;
    char name[24], of[32], at[32], sizes[48];
    fprintf(t->out, "    %%at%u = arith.addi %s, %%c%" PRIu32 " : index\n", number, starts[matrix],
            first);
    snprintf(name, sizeof name, "p%u", number);
    snprintf(of, sizeof of, "%s_of", llm_matrix_name(matrix));
    snprintf(at, sizeof at, "%%c0, %%at%u", number);
    snprintf(sizes, sizeof sizes, "%%c%" PRIu32 ", %%c%" PRIu32, m->depth, rows);
    part(t, name, of, at, sizes, t->weight);
    make(t, tile, "", "mat, %ux%ux%s, blayout=col_major", m->depth, rows, t->weight);
    load(t, name, t->weight, tile);
}

/* A vec tile as a left factor. */
static void left(struct text *t, const char *name, const char *from, uint32_t rows, uint32_t cols,
                 const char *dtype)
{
    char mat[40];
    snprintf(mat, sizeof mat, "%s_mat", name);
    make(t, mat, "", "mat, %ux%ux%s", rows, cols, dtype);
    op(t, "tmov", from, mat);
    make(t, name, "", "left, %ux%ux%s", rows, cols, dtype);
    op(t, "tmov", mat, name);
}

/* --- keys and values in mat: of all positions so far, of one layer. Values are loaded while kernels
 * of their layer work, keys a few at a time between products of the layer before. */

/* Load a piece of keys, or of values, from row `base` of the cache on, if `count` positions reach
 * it. */
static void load_cached(struct text *t, bool keys, uint32_t piece, const char *base,
                        const char *count)
{
    const uint32_t d = t->llm->shape.width;
    const unsigned n = t->number++;
    char name[24], from[24], at[48], sizes[48];
    fprintf(t->out,
            "    %%has%u = arith.cmpi sgt, %s, %%c%" PRIu32 " : index\n"
            "    scf.if %%has%u {\n"
            "    %%from%u = arith.addi %s, %%c%" PRIu32 " : index\n",
            n, count, piece * PIECE, n, n, base, piece * PIECE);
    snprintf(name, sizeof name, "piece%u", n);
    snprintf(from, sizeof from, "some%u", n);
    if (keys) {
        snprintf(at, sizeof at, "%%c0, %%c%" PRIu32, piece * PIECE);
        window(t, name, "old_keys", at, "mat, %ux%uxf16, blayout=col_major, valid=%ux?", d, PIECE,
               d);
        snprintf(at, sizeof at, "%%c0, %%from%u", n);
        snprintf(sizes, sizeof sizes, "%%c%" PRIu32 ", %%n%" PRIu32, d, piece);
    } else {
        snprintf(at, sizeof at, "%%c%" PRIu32 ", %%c0", piece * PIECE);
        window(t, name, "old_values", at, "mat, %ux%uxf16, valid=?x%u", PIECE, d, d);
        snprintf(at, sizeof at, "%%from%u, %%c0", n);
        snprintf(sizes, sizeof sizes, "%%n%" PRIu32 ", %%c%" PRIu32, piece, d);
    }
    part(t, from, keys ? "keys_turned" : "values_of", at, sizes, "f16");
    load(t, from, "f16", name);
    fprintf(t->out, "    }\n");
}

/* Tiles for keys and values, with the keys of the first layer. */
static void write_cached(struct text *t)
{
    const uint32_t d = t->llm->shape.width, context = t->llm->shape.context;
    make(t, "old_keys", " valid_col = %count", "mat, %ux%uxf16, blayout=col_major, valid=%ux?", d,
         context, d);
    make(t, "old_values", " valid_row = %count", "mat, %ux%uxf16, valid=?x%u", context, d, d);
    for (uint32_t i = 0; i < context / PIECE; i++) {
        fprintf(t->out,
                "    %%left%" PRIu32 " = arith.subi %%count, %%c%" PRIu32 " : index\n"
                "    %%full%" PRIu32 " = arith.cmpi sge, %%left%" PRIu32 ", %%c%u : index\n"
                "    %%n%" PRIu32 " = arith.select %%full%" PRIu32 ", %%c%u, %%left%" PRIu32
                " : index\n",
                i, i * PIECE, i, i, PIECE, i, i, PIECE, i);
        load_cached(t, true, i, "%c0", "%count");
    }
}

/* An event: the schedule moves nothing past it, so loads stay where they have time. */
static void keep_order(struct text *t)
{
    fprintf(t->out, "    %%order%u = pto.record_event <tload>\n", t->number++);
}

/* The next pieces of the values of this layer, up to `end` of PLACES. */
static void load_values(struct text *t, uint32_t end)
{
    for (; t->values < end; t->values++)
        for (uint32_t i = t->values; i < t->llm->shape.context / PIECE; i += PLACES)
            load_cached(t, false, i, "%base", "%count");
}

/* The next pieces of the keys of the next layer. */
static void load_keys(struct text *t, uint32_t end)
{
    for (; t->keys < end && t->keys < PLACES; t->keys++)
        for (uint32_t i = t->keys; i < t->llm->shape.context / PIECE; i += PLACES)
            load_cached(t, true, i, "%next_base", "%to_load");
    keep_order(t);
}

/* `rows` rows of a matrix from `from` on, times the factor: the row `result` in vec. */
static void multiply(struct text *t, enum llm_matrix matrix, uint32_t from, uint32_t rows,
                     const char *factor, const char *result)
{
    const struct llm_rows *m = &t->llm->matrices[matrix];
    const uint32_t fit = CHUNK / m->depth / BLOCKS * BLOCKS, most = fit ? fit : BLOCKS;
    char sums[40];
    snprintf(sums, sizeof sums, "%s_acc", result);
    make(t, sums, "", "acc, 1x%uxf32", rows);
    for (uint32_t done = 0, some; done < rows; done += some) {
        const uint32_t first = from + done, end = stage_end(t, matrix, first);
        const unsigned number = t->number++;
        char tile[24], right[24], name[24], at[32], sources[64];
        some = rows - done < most ? rows - done : most;
        some = some < end - first ? some : end - first;
        snprintf(tile, sizeof tile, "m%u", number);
        snprintf(right, sizeof right, "r%u", number);
        snprintf(name, sizeof name, "s%u", number);
        snprintf(at, sizeof at, "%%c0, %%c%" PRIu32, done);
        snprintf(sources, sizeof sources, "%s %s", factor, right);
        load_weights(t, matrix, tile, first, some);
        make(t, right, "", "right, %ux%ux%s, blayout=col_major", m->depth, some, t->weight);
        op(t, "tmov", tile, right);
        window(t, name, sums, at, "acc, 1x%uxf32", some);
        op(t, "tmatmul", sources, name);
        if (first == 0 || stage_end(t, matrix, first - 1) == first)
            prefetch_after(t, matrix, first);
        if (matrix == LLM_WIDE && from == 0)
            load_values(t, t->values < 3 ? t->values + 1 : 3);
        else if (matrix != LLM_HEAD)
            load_keys(t, t->keys + 1);
    }
    make(t, result, "", "vec, 1x%uxf32", rows);
    op(t, "tmov", sums, result);
}

/* --- the parts of a layer */

static bool halves(const struct text *t)
{
    return t->bytes == 2;
}

/* A row of f32, rounded to f16 for weights of f16, as a left factor. Until it is there, keys of the
 * next layer are loaded, up to `keys` of PLACES. */
static void factor(struct text *t, const char *name, const char *row, uint32_t cols, uint32_t keys)
{
    char narrow[40];
    snprintf(narrow, sizeof narrow, "%s_row", name);
    if (halves(t)) {
        make(t, narrow, "", "vec, 1x%uxf16", cols);
        op(t, "tcvt", row, narrow);
    }
    if (keys)
        load_keys(t, keys);
    left(t, name, halves(t) ? narrow : row, 1, cols, t->weight);
}

/* %x after `added` has been added to it, as a left factor, and in `scale` what its norm multiplies
 * it with: the product does not wait for that. */
static void write_norm(struct text *t, const char *name, const char *added, const char *scale,
                       uint32_t keys)
{
    const uint32_t d = t->llm->shape.width;
    char row[40], two[100];
    snprintf(row, sizeof row, "%s_squares", name);
    if (added) {
        snprintf(two, sizeof two, "x %s", added);
        op(t, "tadd", two, "x");
    }
    factor(t, name, "x", d, keys);
    keep_order(t);
    make(t, row, "", "vec, 1x%uxf32", d);
    make(t, scale, "", "vec, 1x8xf32, valid=1x1");
    op(t, "tmul", "x x", row);
    op(t, "trowsum", row, scale);
    snprintf(two, sizeof two, "%s _inverse", scale);
    op(t, "tmuls", two, scale);
    snprintf(two, sizeof two, "%s _eps", scale);
    op(t, "tadds", two, scale);
    op(t, "trsqrt", scale, scale);
}

/* Rows of LANES elements in which a row of `count` elements is rotated. */
static uint32_t lines(uint32_t count)
{
    return count / LANES;
}

/* Lines `first` on of a tile. */
static void take_lines(struct text *t, const char *name, const char *of, uint32_t first,
                       uint32_t count, const char *dtype)
{
    char at[32];
    snprintf(at, sizeof at, "%%c%" PRIu32 ", %%c0", first);
    window(t, name, of, at, "vec, %ux%ux%s", count, LANES, dtype);
}

/* Store lines of f16 in the cache, from line `at` on, the name of an index. */
static void store_lines(struct text *t, const char *name, const char *array, const char *at,
                        uint32_t count)
{
    char to[24], where[48], sizes[48];
    snprintf(to, sizeof to, "%s_to", name);
    snprintf(where, sizeof where, "%s, %%c0", at);
    snprintf(sizes, sizeof sizes, "%%c%" PRIu32 ", %%c%u", count, LANES);
    part(t, to, array, where, sizes, "f16");
    store(t, name, to, "f16");
}

/* Rotate queries and keys, round them and the values to f16, and put keys and values into the
 * cache. */
static void write_rotation(struct text *t)
{
    const uint32_t d = t->llm->shape.width, half = lines(d / 2), all = lines(3 * d);
    make(t, "turning", "", "vec, %ux%uxf32", all, LANES);
    op(t, "treshape", "qkv", "turning");
    make(t, "narrow", "", "vec, %ux%uxf16", all, LANES);
    take_lines(t, "a", "turning", 0, 2 * half, "f32");
    take_lines(t, "b", "turning", 2 * half, 2 * half, "f32");
    take_lines(t, "v", "turning", 4 * half, 2 * half, "f32");
    take_lines(t, "a16", "narrow", 0, 2 * half, "f16");
    take_lines(t, "b16", "narrow", 2 * half, 2 * half, "f16");
    take_lines(t, "v16", "narrow", 4 * half, 2 * half, "f16");
    take_lines(t, "ka16", "narrow", half, half, "f16");
    take_lines(t, "kb16", "narrow", 3 * half, half, "f16");
    for (unsigned i = 0; i < 4; i++) {
        const char name[] = {'t', (char)('0' + i), '\0'};
        make(t, name, "", "vec, %ux%uxf32", 2 * half, LANES);
    }
    op(t, "tcolexpandmul", "a scales", "a");
    op(t, "tcolexpandmul", "b scales", "b");
    op(t, "tcolexpandmul", "v scales", "v");
    op(t, "tmul", "a cosines", "t0");
    op(t, "tmul", "b sines", "t1");
    op(t, "tsub", "t0 t1", "t0");
    op(t, "tmul", "b cosines", "t2");
    op(t, "tmul", "a sines", "t3");
    op(t, "tadd", "t2 t3", "t2");
    op(t, "tcvt", "t0", "a16");
    op(t, "tcvt", "t2", "b16");
    op(t, "tcvt", "v", "v16");
    load_values(t, 5);
    store_lines(t, "ka16", "key_lines", "%line", half);
    store_lines(t, "kb16", "key_lines", "%middle", half);
    store_lines(t, "v16", "value_lines", "%line", 2 * half);
}

/* Keys, or values, of this token, from the cache. */
static void load_new(struct text *t, bool keys)
{
    const uint32_t d = t->llm->shape.width;
    char sizes[48];
    snprintf(sizes, sizeof sizes, keys ? "%%c%" PRIu32 ", %%c1" : "%%c1, %%c%" PRIu32, d);
    if (keys)
        window(t, "knew", "old_keys", "%c0, %slot", "mat, %ux1xf16, blayout=col_major", d);
    else
        window(t, "vnew", "old_values", "%slot, %c0", "mat, 1x%uxf16", d);
    part(t, keys ? "kone" : "vone", keys ? "keys_turned" : "values_of",
         keys ? "%c0, %row" : "%row, %c0", sizes, "f16");
    load(t, keys ? "kone" : "vone", "f16", keys ? "knew" : "vnew");
}

static uint32_t score_rows(const struct llm_shape *s)
{
    return s->heads < GROUP ? GROUP : s->heads;
}

/* Queries of all heads, each in a row of its own at the columns of its pairs, times all keys. */
static void write_scores(struct text *t)
{
    const struct llm_shape *s = &t->llm->shape;
    const uint32_t d = s->width, rows = score_rows(s), pairs = d / s->heads / 2;
    for (uint32_t h = 0; h < s->heads; h++)
        for (uint32_t half = 0; half < 2; half++) {
            char from[24], to[24], at[48];
            const uint32_t column = half * d / 2 + h * pairs, place = half * d + h * pairs;
            snprintf(from, sizeof from, "q%u_%u", h, half);
            snprintf(to, sizeof to, "f%u_%u", h, half);
            snprintf(at, sizeof at, "%%c%" PRIu32 ", %%c%" PRIu32, place / LANES, place % LANES);
            window(t, from, "narrow", at, "vec, 1x%uxf16", pairs);
            snprintf(at, sizeof at, "%%c%" PRIu32 ", %%c%" PRIu32, h, column);
            window(t, to, "spread", at, "mat, 1x%uxf16", pairs);
            op(t, "tmov", from, to);
        }
    make(t, "queries", "", "left, %ux%uxf16", rows, d);
    op(t, "tmov", "spread", "queries");
    make(t, "right_keys", " valid_col = %count", "right, %ux%uxf16, blayout=col_major, valid=%ux?",
         d, s->context, d);
    op(t, "tmov", "old_keys", "right_keys");
    make(t, "scores_acc", " valid_col = %count", "acc, %ux%uxf32, valid=%ux?", rows, s->context,
         rows);
    op(t, "tmatmul", "queries right_keys", "scores_acc");
}

/* Softmax of the scores, the mean of the values of each head by it, and these in a row. */
static void write_attention(struct text *t)
{
    const struct llm_shape *s = &t->llm->shape;
    const uint32_t d = s->width, rows = score_rows(s), context = s->context, size = d / s->heads;
    make(t, "scores", " valid_col = %count", "vec, %ux%uxf32, valid=%ux?", rows, context, rows);
    op(t, "tmov", "scores_acc", "scores");
    make(t, "most", "", "vec, %ux8xf32, valid=%ux1", rows, rows);
    make(t, "shares", " valid_col = %count", "vec, %ux%uxf16, valid=%ux?", rows, context, rows);
    op(t, "tmuls", "scores _scale", "scores");
    op(t, "trowmax", "scores", "most");
    op(t, "trowexpandsub", "scores most", "scores");
    op(t, "texp", "scores", "scores");
    op(t, "trowsum", "scores", "most");
    op(t, "trecip", "most", "most");
    op(t, "trowexpandmul", "scores most", "scores");
    op(t, "tcvt", "scores", "shares");
    load_values(t, PLACES);
    load_new(t, false);
    make(t, "shares_mat", " valid_col = %count", "mat, %ux%uxf16, valid=%ux?", rows, context, rows);
    op(t, "tmov", "shares", "shares_mat");
    make(t, "left_shares", " valid_col = %count", "left, %ux%uxf16, valid=%ux?", rows, context,
         rows);
    op(t, "tmov", "shares_mat", "left_shares");
    make(t, "right_values", " valid_row = %count", "right, %ux%uxf16, valid=?x%u", context, d, d);
    op(t, "tmov", "old_values", "right_values");
    make(t, "mixed_acc", "", "acc, %ux%uxf32", rows, d);
    op(t, "tmatmul", "left_shares right_values", "mixed_acc");
    make(t, "mixed", "", "vec, 1x%uxf32", d);
    for (uint32_t h = 0; h < s->heads; h++) {
        char from[24], to[24], at[48];
        snprintf(from, sizeof from, "g%u", h);
        snprintf(to, sizeof to, "h%u", h);
        snprintf(at, sizeof at, "%%c%" PRIu32 ", %%c%" PRIu32, h, h * size);
        window(t, from, "mixed_acc", at, "acc, 1x%uxf32", size);
        snprintf(at, sizeof at, "%%c0, %%c%" PRIu32, h * size);
        window(t, to, "mixed", at, "vec, 1x%uxf32", size);
        op(t, "tmov", from, to);
    }
}

/* The gate: up * gate / (1 + exp(-gate)). */
static void write_gate(struct text *t)
{
    const uint32_t hidden = t->llm->shape.hidden;
    char at[32];
    snprintf(at, sizeof at, "%%c0, %%c%" PRIu32, hidden);
    window(t, "gate", "both", "%c0, %c0", "vec, 1x%uxf32", hidden);
    window(t, "up", "both", at, "vec, 1x%uxf32", hidden);
    make(t, "open", "", "vec, 1x%uxf32", hidden);
    op(t, "trowexpandmul", "gate scale2", "gate");
    op(t, "trowexpandmul", "up scale2", "up");
    op(t, "tneg", "gate", "open");
    op(t, "texp", "open", "open");
    op(t, "tadds", "open _one", "open");
    op(t, "tdiv", "gate open", "open");
    op(t, "tmul", "open up", "open");
    factor(t, "inner", "open", hidden, PLACES);
}

static void write_layer(struct text *t)
{
    const uint32_t d = t->llm->shape.width, hidden = t->llm->shape.hidden;
    t->values = t->keys = 0;
    write_norm(t, "input1", NULL, "scale1", 0);
    make(t, "scales", "", "vec, 1x%uxf32", LANES);
    op(t, "trowexpand", "scale1", "scales");
    multiply(t, LLM_WIDE, 0, 3 * d, "input1", "qkv");
    write_rotation(t);
    load_new(t, true);
    write_scores(t);
    keep_order(t);
    write_attention(t);
    keep_order(t);
    factor(t, "seen", "mixed", d, 2);
    multiply(t, LLM_WIDE, 3 * d, d, "seen", "out");
    write_norm(t, "input2", "out", "scale2", 3);
    multiply(t, LLM_WIDE, 4 * d, 2 * hidden, "input2", "both");
    write_gate(t);
    multiply(t, LLM_DOWN, 0, d, "inner", "more");
    op(t, "tadd", "x more", "x");
}

/* --- the function */

static void write_views(struct text *t)
{
    const struct llm_shape *s = &t->llm->shape;
    char shape[64], strides[64];
    const uint32_t d = s->width;
    snprintf(shape, sizeof shape, "%%c%" PRIu32 ", %%c%" PRIu32, s->vocabulary, d);
    snprintf(strides, sizeof strides, "%%c%" PRIu32 ", %%c1", d);
    view(t, "embed_of", "embed", shape, strides, "f16");
    snprintf(shape, sizeof shape, "%%c%" PRIu32 ", %%c%u", s->positions * lines(d), LANES);
    view(t, "turn_lines", "turns", shape, "%c32, %c1", "f32");
    snprintf(shape, sizeof shape, "%%c%" PRIu32 ", %%c%u", s->layers * s->context * lines(d),
             LANES);
    view(t, "key_lines", "keys", shape, "%c32, %c1", "f16");
    view(t, "value_lines", "values", shape, "%c32, %c1", "f16");
    snprintf(shape, sizeof shape, "%%c%" PRIu32 ", %%c%" PRIu32, s->layers * s->context, d);
    view(t, "keys_of", "keys", shape, strides, "f16");
    view(t, "values_of", "values", shape, strides, "f16");
    snprintf(shape, sizeof shape, "%%c%" PRIu32 ", %%c%" PRIu32, d, s->layers * s->context);
    snprintf(strides, sizeof strides, "%%c1, %%c%" PRIu32, d);
    view(t, "keys_turned", "keys", shape, strides, "f16");
    for (int i = 0; i < LLM_MATRICES; i++) {
        const struct llm_rows *m = &t->llm->matrices[i];
        const char *name = llm_matrix_name((enum llm_matrix)i);
        char of[32];
        snprintf(of, sizeof of, "%s_of", name);
        snprintf(shape, sizeof shape, "%%c%" PRIu32 ", %%c%" PRIu32, m->depth, m->rows * m->layers);
        snprintf(strides, sizeof strides, "%%c1, %%c%" PRIu32, m->depth);
        view(t, of, name, shape, strides, t->weight);
    }
}

/* The embedding of the token, its rotations, and zeros between the queries of the heads. */
static void write_start(struct text *t)
{
    const struct llm_shape *s = &t->llm->shape;
    const uint32_t d = s->width, rows = score_rows(s), half = lines(d / 2);
    char sizes[48];
    snprintf(sizes, sizeof sizes, "%%c1, %%c%" PRIu32, d);
    make(t, "embedded", "", "vec, 1x%uxf16", d);
    part(t, "efrom", "embed_of", "%token, %c0", sizes, "f16");
    load(t, "efrom", "f16", "embedded");
    make(t, "x", "", "vec, 1x%uxf32", d);
    op(t, "tcvt", "embedded", "x");
    fprintf(t->out,
            "    %%turn = arith.muli %%position, %%c%" PRIu32 " : index\n"
            "    %%turned = arith.addi %%turn, %%c%" PRIu32 " : index\n",
            lines(d), half);
    snprintf(sizes, sizeof sizes, "%%c%" PRIu32 ", %%c%u", half, LANES);
    make(t, "cosines", "", "vec, %ux%uxf32", 2 * half, LANES);
    make(t, "sines", "", "vec, %ux%uxf32", 2 * half, LANES);
    part(t, "cfrom", "turn_lines", "%turn, %c0", sizes, "f32");
    part(t, "sfrom", "turn_lines", "%turned, %c0", sizes, "f32");
    for (unsigned i = 0; i < 2; i++) { /* of queries and of keys */
        const char *cosines = i ? "key_cosines" : "query_cosines";
        const char *sines = i ? "key_sines" : "query_sines";
        take_lines(t, cosines, "cosines", i * half, half, "f32");
        take_lines(t, sines, "sines", i * half, half, "f32");
        load(t, "cfrom", "f32", cosines);
        load(t, "sfrom", "f32", sines);
    }
    make(t, "zeros", "", "vec, %ux%uxf16", rows, d);
    op(t, "texpands", "__zero", "zeros");
    make(t, "spread", "", "mat, %ux%uxf16", rows, d);
    op(t, "tmov", "zeros", "spread");
}

static void write_body(struct text *t)
{
    const struct llm_shape *s = &t->llm->shape;
    const struct llm_rows *m = t->llm->matrices;
    char sizes[48];
    write_views(t);
    prefetch(t, LLM_WIDE, "%c0", 0);
    write_start(t);
    write_cached(t);
    fprintf(t->out,
            "    scf.for %%layer = %%c0 to %%c%" PRIu32 " step %%c1 {\n"
            "    %%base = arith.muli %%layer, %%c%" PRIu32 " : index\n"
            "    %%row = arith.addi %%slot, %%base : index\n"
            "    %%wide_row = arith.muli %%layer, %%c%" PRIu32 " : index\n"
            "    %%next_row = arith.addi %%wide_row, %%c%" PRIu32 " : index\n"
            "    %%down_row = arith.muli %%layer, %%c%" PRIu32 " : index\n"
            "    %%is_last = arith.cmpi eq, %%layer, %%c%" PRIu32 " : index\n"
            "    %%next_base = arith.addi %%base, %%c%" PRIu32 " : index\n"
            "    %%to_load = arith.select %%is_last, %%c0, %%count : index\n"
            "    %%line = arith.muli %%row, %%c%" PRIu32 " : index\n"
            "    %%middle = arith.addi %%line, %%c%" PRIu32 " : index\n",
            s->layers, s->context, m[LLM_WIDE].rows, m[LLM_WIDE].rows, m[LLM_DOWN].rows,
            s->layers - 1, s->context, lines(s->width), lines(s->width / 2));
    write_layer(t);
    fprintf(t->out, "    }\n");
    write_norm(t, "input3", NULL, "scale3", 0);
    multiply(t, LLM_HEAD, 0, s->vocabulary, "input3", "chances");
    op(t, "trowexpandmul", "chances scale3", "chances");
    snprintf(sizes, sizeof sizes, "%%c%" PRIu32 ", %%c1", s->vocabulary);
    view(t, "logits_of", "logits", "%c1, %last", "%last, %c1", "f32");
    snprintf(sizes, sizeof sizes, "%%c1, %%c%" PRIu32, s->vocabulary);
    part(t, "to", "logits_of", "%c0, %c0", sizes, "f32");
    store(t, "chances", "to", "f32");
}

/* Constants of the numbers that a text uses as %c7. */
static void write_constants(FILE *out, const char *body)
{
    enum { NUMBERS = 1 << 20 };
    bool *used = calloc(NUMBERS, sizeof *used);
    for (const char *at = body; used && (at = strstr(at, "%c")); at += 2)
        if (at[2] >= '0' && at[2] <= '9') {
            const unsigned long number = strtoul(at + 2, NULL, 10);
            if (number < NUMBERS && !used[number]) {
                used[number] = true;
                fprintf(out, "    %%c%lu = arith.constant %lu : index\n", number, number);
            }
        }
    free(used);
}

static void write_head(const struct text *t, FILE *out, const char *body)
{
    const struct llm_shape *s = &t->llm->shape;
    fprintf(out,
            "// A step of a language model: the logits of the character after one token.\n"
            "// Made by build/kernels/llm --write-program, which also runs it.\n"
            "// %" PRIu32 " wide, %" PRIu32 " layers, %" PRIu32 " heads, gates of %" PRIu32
            ", %" PRIu32 " tokens, a cache of %" PRIu32 " positions.\n"
            "// keys, values [layers][positions of the cache][width]; turns [positions][cosines, "
            "sines]; weights by rows of inputs.\n"
            "module {\n  func.func @llm_step(%%embed: !pto.ptr<f16>, %%turns: !pto.ptr<f32>, "
            "%%keys: !pto.ptr<f16>, %%values: !pto.ptr<f16>",
            s->width, s->layers, s->heads, s->hidden, s->vocabulary, s->context);
    for (int i = 0; i < LLM_MATRICES; i++)
        fprintf(out, ", %%%s: !pto.ptr<%s>", llm_matrix_name((enum llm_matrix)i), t->weight);
    fprintf(out, ", %%logits: !pto.ptr<f32>, %%token: index, %%position: index) {\n");
    write_constants(out, body);
    fprintf(out,
            "    %%last = arith.constant %" PRIu32 " : index\n"
            "    %%context = arith.constant %" PRIu32 " : index\n"
            "    %%_inverse = arith.constant %.9g : f32\n"
            "    %%_eps = arith.constant %.9g : f32\n"
            "    %%_scale = arith.constant %.9g : f32\n"
            "    %%_one = arith.constant 1.0 : f32\n"
            "    %%__zero = arith.constant 0.0 : f16\n"
            "    %%slot = arith.remsi %%position, %%context : index\n"
            "    %%after = arith.addi %%position, %%c1 : index\n"
            "    %%filled = arith.cmpi sge, %%after, %%context : index\n"
            "    %%count = arith.select %%filled, %%context, %%after : index\n",
            s->vocabulary, s->context, 1.0 / s->width, LLM_EPS, sqrt((double)s->heads / s->width));
    fprintf(out, "%s    return\n  }\n}\n", body);
}

char *llm_program(const struct llm *llm, struct sam_error *error)
{
    const bool single = llm->type == SAM_BF16;
    struct text t = {.llm = llm, .weight = single ? "f32" : "f16", .bytes = single ? 4 : 2};
    char *body = NULL, *text = NULL;
    size_t size;
    t.out = open_memstream(&body, &size);
    if (t.out)
        write_body(&t);
    t.failed |= !t.out || fclose(t.out) != 0;
    FILE *out = t.failed ? NULL : open_memstream(&text, &size);
    if (out) {
        write_head(&t, out, body);
        if (fclose(out) != 0)
            t.failed = true;
    }
    free(t.tiles);
    free(body);
    if (out && !t.failed)
        return text;
    free(text);
    snprintf(error->text, sizeof error->text, "the program of the step: out of memory");
    return NULL;
}
