/* SPDX-License-Identifier: Apache-2.0 */
/* A layer of the tile program of a step. */
#include <inttypes.h>
#include <string.h>

#include "llm_text.h"

enum {
    CHUNK = 16384,  /* weights of a tile, but */
    BLOCKS = 64,    /* at least these rows: the matrix unit multiplies four blocks of 16 at once */
    STAGED = 98304, /* bytes of decoded weights that are asked for at once: a slot of staging */
    PIECE = 16,     /* positions of the cache that are loaded at once */
    PLACES = 8,     /* where pieces of values are loaded */
    GROUP = 8       /* rows of scores, at least: kernels take rows side by side */
};

/* --- weights */

/* The row of a layer after those that are asked for with row `first`: as many as fit a slot, but
 * not those after the queries, keys and values with these. While attention works the next ones are
 * decoded, so they should be many. The last ones are more than half of what fits, lest the slot
 * take them twice. */
static uint32_t stage_end(const struct llm_text *t, enum llm_matrix matrix, uint32_t first)
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

/* Ask for rows `first` to `end` of `matrix` in a layer whose first row is `row`. */
static void prefetch_rows(struct llm_text *t, enum llm_matrix matrix, const char *row,
                          uint32_t first, uint32_t end)
{
    const struct llm_rows *m = &t->llm->matrices[matrix];
    const uint32_t rows = end - first;
    const unsigned number = t->number++;
    char name[24], of[32], at[32], sizes[48];
    fprintf(t->out, "    %%at%u = arith.addi %s, %%c%" PRIu32 " : index\n", number, row, first);
    snprintf(name, sizeof name, "next%u", number);
    snprintf(of, sizeof of, "%s_of", llm_matrix_name(matrix));
    snprintf(at, sizeof at, "%%c0, %%at%u", number);
    snprintf(sizes, sizeof sizes, "%%c%" PRIu32 ", %%c%" PRIu32, m->depth, rows);
    text_part(t, name, of, at, sizes, t->weight);
    fprintf(t->out, "    pto.prefetch %%%s : !pto.partition_tensor_view<?x?x%s>\n", name,
            t->weight);
}

static void prefetch(struct llm_text *t, enum llm_matrix matrix, const char *row, uint32_t first)
{
    prefetch_rows(t, matrix, row, first, stage_end(t, matrix, first));
}

/* Rows that are asked for at once. */
struct stage {
    enum llm_matrix matrix;
    uint32_t first;
    bool next; /* of the next layer, or those of the logits after the last one */
};

static struct stage stage_after(const struct llm_text *t, struct stage s)
{
    const uint32_t end = stage_end(t, s.matrix, s.first);
    if (end < t->llm->matrices[s.matrix].rows)
        return (struct stage){s.matrix, end, s.next};
    return (struct stage){s.matrix == LLM_WIDE ? LLM_DOWN : LLM_WIDE, 0,
                          s.next || s.matrix == LLM_DOWN};
}

/* Ask for a stage, whose layer `next` is the one after this. */
static void ask(struct llm_text *t, struct stage s)
{
    if (!s.next) {
        prefetch(t, s.matrix, s.matrix == LLM_WIDE ? "%wide_row" : "%down_row", s.first);
        return;
    }
    fprintf(t->out, "    scf.if %%is_last {\n");
    if (s.first == 0)
        prefetch(t, LLM_HEAD, "%c0", 0);
    fprintf(t->out, "    } else {\n");
    prefetch(t, LLM_WIDE, "%next_row", s.first);
    fprintf(t->out, "    }\n");
}

/* After the first rows of a stage: ask for the one after the next. */
static void prefetch_after(struct llm_text *t, enum llm_matrix matrix, uint32_t first)
{
    if (matrix != LLM_HEAD)
        ask(t, stage_after(t, stage_after(t, (struct stage){matrix, first, false})));
}

/* Rows of the tiles that a product has at once, at most. */
static uint32_t chunk_rows(const struct llm_text *t, enum llm_matrix matrix)
{
    const uint32_t fit = CHUNK / t->llm->matrices[matrix].depth / BLOCKS * BLOCKS;
    return fit ? fit : BLOCKS;
}

/* The first product waits for its rows alone. */
void text_first_stages(struct llm_text *t)
{
    const uint32_t end = stage_end(t, LLM_WIDE, 0), some = chunk_rows(t, LLM_WIDE);
    if (some < end) {
        prefetch_rows(t, LLM_WIDE, "%c0", 0, some);
        prefetch_rows(t, LLM_WIDE, "%c0", some, end);
    } else {
        prefetch(t, LLM_WIDE, "%c0", 0);
    }
    prefetch(t, LLM_WIDE, "%c0", end);
}

/* The tile of `rows` rows of weights from `first` on. */
static void load_weights(struct llm_text *t, enum llm_matrix matrix, const char *tile,
                         uint32_t first, uint32_t rows)
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
    text_part(t, name, of, at, sizes, t->weight);
    text_make(t, tile, "", "mat, %ux%ux%s, blayout=col_major", m->depth, rows, t->weight);
    text_load(t, name, t->weight, tile);
}

/* A vec tile as a left factor. */
static void left(struct llm_text *t, const char *name, const char *from, uint32_t rows,
                 uint32_t cols, const char *dtype)
{
    char mat[40];
    snprintf(mat, sizeof mat, "%s_mat", name);
    text_make(t, mat, "", "mat, %ux%ux%s", rows, cols, dtype);
    text_op(t, "tmov", from, mat);
    text_make(t, name, "", "left, %ux%ux%s", rows, cols, dtype);
    text_op(t, "tmov", mat, name);
}

/* --- keys and values in mat: of all positions so far, of one layer. Values are loaded while
 * kernels of their layer work, keys a few at a time between products of the layer before. */

/* Load a piece of keys, or of values, from row `base` of the cache on, if `count` positions reach
 * it. */
static void load_cached(struct llm_text *t, bool keys, uint32_t piece, const char *base,
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
        text_window(t, name, "old_keys", at, "mat, %ux%uxf16, blayout=col_major, valid=%ux?", d,
                    PIECE, d);
        snprintf(at, sizeof at, "%%c0, %%from%u", n);
        snprintf(sizes, sizeof sizes, "%%c%" PRIu32 ", %%n%" PRIu32, d, piece);
    } else {
        snprintf(at, sizeof at, "%%c%" PRIu32 ", %%c0", piece * PIECE);
        text_window(t, name, "old_values", at, "mat, %ux%uxf16, valid=?x%u", PIECE, d, d);
        snprintf(at, sizeof at, "%%from%u, %%c0", n);
        snprintf(sizes, sizeof sizes, "%%n%" PRIu32 ", %%c%" PRIu32, piece, d);
    }
    text_part(t, from, keys ? "keys_turned" : "values_of", at, sizes, "f16");
    text_load(t, from, "f16", name);
    fprintf(t->out, "    }\n");
}

void text_cached(struct llm_text *t)
{
    const uint32_t d = t->llm->shape.width, context = t->llm->shape.context;
    text_make(t, "old_keys", " valid_col = %count", "mat, %ux%uxf16, blayout=col_major, valid=%ux?",
              d, context, d);
    text_make(t, "old_values", " valid_row = %count", "mat, %ux%uxf16, valid=?x%u", context, d, d);
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
static void keep_order(struct llm_text *t)
{
    fprintf(t->out, "    %%order%u = pto.record_event <tload>\n", t->number++);
}

/* The next pieces of the values of this layer, up to `end` of PLACES. */
static void load_values(struct llm_text *t, uint32_t end)
{
    for (; t->values < end; t->values++)
        for (uint32_t i = t->values; i < t->llm->shape.context / PIECE; i += PLACES)
            load_cached(t, false, i, "%base", "%count");
}

/* The next pieces of the keys of the next layer. */
static void load_keys(struct llm_text *t, uint32_t end)
{
    for (; t->keys < end && t->keys < PLACES; t->keys++)
        for (uint32_t i = t->keys; i < t->llm->shape.context / PIECE; i += PLACES)
            load_cached(t, true, i, "%next_base", "%to_load");
    keep_order(t);
}

void text_multiply(struct llm_text *t, enum llm_matrix matrix, uint32_t from, uint32_t rows,
                   const char *factor, const char *result)
{
    const struct llm_rows *m = &t->llm->matrices[matrix];
    const uint32_t most = chunk_rows(t, matrix);
    char sums[40];
    snprintf(sums, sizeof sums, "%s_acc", result);
    text_make(t, sums, "", "acc, 1x%uxf32", rows);
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
        text_make(t, right, "", "right, %ux%ux%s, blayout=col_major", m->depth, some, t->weight);
        text_op(t, "tmov", tile, right);
        text_window(t, name, sums, at, "acc, 1x%uxf32", some);
        text_op(t, "tmatmul", sources, name);
        if (first == 0 || stage_end(t, matrix, first - 1) == first)
            prefetch_after(t, matrix, first);
        else if (matrix == LLM_WIDE && done == most && from == 0)
            prefetch_after(t, matrix, 0); /* in the first layer it had no slot before */
        if (matrix == LLM_WIDE && from == 0)
            load_values(t, t->values < 3 ? t->values + 1 : 3);
        else if (matrix != LLM_HEAD)
            load_keys(t, t->keys + 1);
    }
    text_make(t, result, "", "vec, 1x%uxf32", rows);
    text_op(t, "tmov", sums, result);
}

/* --- the parts of a layer */

static bool halves(const struct llm_text *t)
{
    return t->bytes == 2;
}

/* A row of f32, rounded to f16 for weights of f16, as a left factor. Until it is there, keys of the
 * next layer are loaded, up to `keys` of PLACES. */
static void factor(struct llm_text *t, const char *name, const char *row, uint32_t cols,
                   uint32_t keys)
{
    char narrow[40];
    snprintf(narrow, sizeof narrow, "%s_row", name);
    if (halves(t)) {
        text_make(t, narrow, "", "vec, 1x%uxf16", cols);
        text_op(t, "tcvt", row, narrow);
    }
    if (keys)
        load_keys(t, keys);
    left(t, name, halves(t) ? narrow : row, 1, cols, t->weight);
}

void text_norm(struct llm_text *t, const char *name, const char *added, const char *scale,
               uint32_t keys)
{
    const uint32_t d = t->llm->shape.width;
    char row[40], two[100];
    snprintf(row, sizeof row, "%s_squares", name);
    if (added) {
        snprintf(two, sizeof two, "x %s", added);
        text_op(t, "tadd", two, "x");
    }
    factor(t, name, "x", d, keys);
    keep_order(t);
    text_make(t, row, "", "vec, 1x%uxf32", d);
    text_make(t, scale, "", "vec, 1x8xf32, valid=1x1");
    text_op(t, "tmul", "x x", row);
    text_op(t, "trowsum", row, scale);
    snprintf(two, sizeof two, "%s _inverse", scale);
    text_op(t, "tmuls", two, scale);
    snprintf(two, sizeof two, "%s _eps", scale);
    text_op(t, "tadds", two, scale);
    text_op(t, "trsqrt", scale, scale);
}

uint32_t text_lines(uint32_t count)
{
    return count / LANES;
}

/* Lines `first` on of a tile. */
void text_take_lines(struct llm_text *t, const char *name, const char *of, uint32_t first,
                     uint32_t count, const char *dtype)
{
    char at[32];
    snprintf(at, sizeof at, "%%c%" PRIu32 ", %%c0", first);
    text_window(t, name, of, at, "vec, %ux%ux%s", count, LANES, dtype);
}

/* Store lines of f16 in the cache, from line `at` on, the name of an index. */
static void store_lines(struct llm_text *t, const char *name, const char *array, const char *at,
                        uint32_t count)
{
    char to[24], where[48], sizes[48];
    snprintf(to, sizeof to, "%s_to", name);
    snprintf(where, sizeof where, "%s, %%c0", at);
    snprintf(sizes, sizeof sizes, "%%c%" PRIu32 ", %%c%u", count, LANES);
    text_part(t, to, array, where, sizes, "f16");
    text_store(t, name, to, "f16");
}

/* Rotate queries and keys, round them and the values to f16, and put keys and values into the
 * cache. */
static void write_rotation(struct llm_text *t)
{
    const uint32_t d = t->llm->shape.width, half = text_lines(d / 2), all = text_lines(3 * d);
    text_make(t, "turning", "", "vec, %ux%uxf32", all, LANES);
    text_op(t, "treshape", "qkv", "turning");
    text_make(t, "narrow", "", "vec, %ux%uxf16", all, LANES);
    text_take_lines(t, "a", "turning", 0, 2 * half, "f32");
    text_take_lines(t, "b", "turning", 2 * half, 2 * half, "f32");
    text_take_lines(t, "v", "turning", 4 * half, 2 * half, "f32");
    text_take_lines(t, "a16", "narrow", 0, 2 * half, "f16");
    text_take_lines(t, "b16", "narrow", 2 * half, 2 * half, "f16");
    text_take_lines(t, "v16", "narrow", 4 * half, 2 * half, "f16");
    text_take_lines(t, "ka16", "narrow", half, half, "f16");
    text_take_lines(t, "kb16", "narrow", 3 * half, half, "f16");
    for (unsigned i = 0; i < 4; i++) {
        const char name[] = {'t', (char)('0' + i), '\0'};
        text_make(t, name, "", "vec, %ux%uxf32", 2 * half, LANES);
    }
    text_op(t, "tcolexpandmul", "a scales", "a");
    text_op(t, "tcolexpandmul", "b scales", "b");
    text_op(t, "tcolexpandmul", "v scales", "v");
    text_op(t, "tmul", "a cosines", "t0");
    text_op(t, "tmul", "b sines", "t1");
    text_op(t, "tsub", "t0 t1", "t0");
    text_op(t, "tmul", "b cosines", "t2");
    text_op(t, "tmul", "a sines", "t3");
    text_op(t, "tadd", "t2 t3", "t2");
    text_op(t, "tcvt", "t0", "a16");
    text_op(t, "tcvt", "t2", "b16");
    text_op(t, "tcvt", "v", "v16");
    load_values(t, 5);
    store_lines(t, "ka16", "key_lines", "%line", half);
    store_lines(t, "kb16", "key_lines", "%middle", half);
    store_lines(t, "v16", "value_lines", "%line", 2 * half);
}

/* Keys, or values, of this token, from the cache. */
static void load_new(struct llm_text *t, bool keys)
{
    const uint32_t d = t->llm->shape.width;
    char sizes[48];
    snprintf(sizes, sizeof sizes, keys ? "%%c%" PRIu32 ", %%c1" : "%%c1, %%c%" PRIu32, d);
    if (keys)
        text_window(t, "knew", "old_keys", "%c0, %slot", "mat, %ux1xf16, blayout=col_major", d);
    else
        text_window(t, "vnew", "old_values", "%slot, %c0", "mat, 1x%uxf16", d);
    text_part(t, keys ? "kone" : "vone", keys ? "keys_turned" : "values_of",
              keys ? "%c0, %row" : "%row, %c0", sizes, "f16");
    text_load(t, keys ? "kone" : "vone", "f16", keys ? "knew" : "vnew");
}

uint32_t text_score_rows(const struct llm_shape *s)
{
    return s->heads < GROUP ? GROUP : s->heads;
}

/* Queries of all heads, each in a row of its own at the columns of its pairs, times all keys. */
static void write_scores(struct llm_text *t)
{
    const struct llm_shape *s = &t->llm->shape;
    const uint32_t d = s->width, rows = text_score_rows(s), pairs = d / s->heads / 2;
    for (uint32_t h = 0; h < s->heads; h++)
        for (uint32_t half = 0; half < 2; half++) {
            char from[24], to[24], at[48];
            const uint32_t column = half * d / 2 + h * pairs, place = half * d + h * pairs;
            snprintf(from, sizeof from, "q%u_%u", h, half);
            snprintf(to, sizeof to, "f%u_%u", h, half);
            snprintf(at, sizeof at, "%%c%" PRIu32 ", %%c%" PRIu32, place / LANES, place % LANES);
            text_window(t, from, "narrow", at, "vec, 1x%uxf16", pairs);
            snprintf(at, sizeof at, "%%c%" PRIu32 ", %%c%" PRIu32, h, column);
            text_window(t, to, "spread", at, "mat, 1x%uxf16", pairs);
            text_op(t, "tmov", from, to);
        }
    text_make(t, "queries", "", "left, %ux%uxf16", rows, d);
    text_op(t, "tmov", "spread", "queries");
    text_make(t, "right_keys", " valid_col = %count",
              "right, %ux%uxf16, blayout=col_major, valid=%ux?", d, s->context, d);
    text_op(t, "tmov", "old_keys", "right_keys");
    text_make(t, "scores_acc", " valid_col = %count", "acc, %ux%uxf32, valid=%ux?", rows,
              s->context, rows);
    text_op(t, "tmatmul", "queries right_keys", "scores_acc");
}

/* Softmax of the scores, the mean of the values of each head by it, and these in a row. */
static void write_attention(struct llm_text *t)
{
    const struct llm_shape *s = &t->llm->shape;
    const uint32_t d = s->width, rows = text_score_rows(s), context = s->context,
                   size = d / s->heads;
    text_make(t, "scores", " valid_col = %count", "vec, %ux%uxf32, valid=%ux?", rows, context,
              rows);
    text_op(t, "tmov", "scores_acc", "scores");
    text_make(t, "most", "", "vec, %ux8xf32, valid=%ux1", rows, rows);
    text_make(t, "shares", " valid_col = %count", "vec, %ux%uxf16, valid=%ux?", rows, context,
              rows);
    text_op(t, "tmuls", "scores _scale", "scores");
    text_op(t, "trowmax", "scores", "most");
    text_op(t, "trowexpandsub", "scores most", "scores");
    text_op(t, "texp", "scores", "scores");
    text_op(t, "trowsum", "scores", "most");
    text_op(t, "trecip", "most", "most");
    text_op(t, "trowexpandmul", "scores most", "scores");
    text_op(t, "tcvt", "scores", "shares");
    load_values(t, PLACES);
    load_new(t, false);
    text_make(t, "shares_mat", " valid_col = %count", "mat, %ux%uxf16, valid=%ux?", rows, context,
              rows);
    text_op(t, "tmov", "shares", "shares_mat");
    text_make(t, "left_shares", " valid_col = %count", "left, %ux%uxf16, valid=%ux?", rows, context,
              rows);
    text_op(t, "tmov", "shares_mat", "left_shares");
    text_make(t, "right_values", " valid_row = %count", "right, %ux%uxf16, valid=?x%u", context, d,
              d);
    text_op(t, "tmov", "old_values", "right_values");
    text_make(t, "mixed_acc", "", "acc, %ux%uxf32", rows, d);
    text_op(t, "tmatmul", "left_shares right_values", "mixed_acc");
    text_make(t, "mixed", "", "vec, 1x%uxf32", d);
    for (uint32_t h = 0; h < s->heads; h++) {
        char from[24], to[24], at[48];
        snprintf(from, sizeof from, "g%u", h);
        snprintf(to, sizeof to, "h%u", h);
        snprintf(at, sizeof at, "%%c%" PRIu32 ", %%c%" PRIu32, h, h * size);
        text_window(t, from, "mixed_acc", at, "acc, 1x%uxf32", size);
        snprintf(at, sizeof at, "%%c0, %%c%" PRIu32, h * size);
        text_window(t, to, "mixed", at, "vec, 1x%uxf32", size);
        text_op(t, "tmov", from, to);
    }
}

/* The gate: up * gate / (1 + exp(-gate)). */
static void write_gate(struct llm_text *t)
{
    const uint32_t hidden = t->llm->shape.hidden;
    char at[32];
    snprintf(at, sizeof at, "%%c0, %%c%" PRIu32, hidden);
    text_window(t, "gate", "both", "%c0, %c0", "vec, 1x%uxf32", hidden);
    text_window(t, "up", "both", at, "vec, 1x%uxf32", hidden);
    text_make(t, "open", "", "vec, 1x%uxf32", hidden);
    text_op(t, "trowexpandmul", "gate scale2", "gate");
    text_op(t, "trowexpandmul", "up scale2", "up");
    text_op(t, "tneg", "gate", "open");
    text_op(t, "texp", "open", "open");
    text_op(t, "tadds", "open _one", "open");
    text_op(t, "tdiv", "gate open", "open");
    text_op(t, "tmul", "open up", "open");
    factor(t, "inner", "open", hidden, PLACES);
}

void text_layer(struct llm_text *t)
{
    const uint32_t d = t->llm->shape.width, hidden = t->llm->shape.hidden;
    t->values = t->keys = 0;
    text_norm(t, "input1", NULL, "scale1", 0);
    text_make(t, "scales", "", "vec, 1x%uxf32", LANES);
    text_op(t, "trowexpand", "scale1", "scales");
    text_multiply(t, LLM_WIDE, 0, 3 * d, "input1", "qkv");
    write_rotation(t);
    load_new(t, true);
    write_scores(t);
    keep_order(t);
    write_attention(t);
    keep_order(t);
    factor(t, "seen", "mixed", d, 2);
    text_multiply(t, LLM_WIDE, 3 * d, d, "seen", "out");
    text_norm(t, "input2", "out", "scale2", 3);
    text_multiply(t, LLM_WIDE, 4 * d, 2 * hidden, "input2", "both");
    write_gate(t);
    text_multiply(t, LLM_DOWN, 0, d, "inner", "more");
    text_op(t, "tadd", "x more", "x");
}
