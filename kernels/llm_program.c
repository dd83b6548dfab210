/* SPDX-License-Identifier: Apache-2.0 */
/* One token's step as a tile program. Weights are rows of K elements, one row per result, so that a
 * window of them, seen as K x rows, is a right factor which the matrix unit reads as it is. Rows of
 * queries and keys have the first elements of the pairs of all heads, then the second ones, and the
 * first ones of queries and keys are side by side: two rows rotate all heads. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "llm_text.h"

static void write_views(struct llm_text *t)
{
    const struct llm_shape *s = &t->llm->shape;
    char shape[64], strides[64];
    const uint32_t d = s->width;
    snprintf(shape, sizeof shape, "%%c%" PRIu32 ", %%c%" PRIu32, s->vocabulary, d);
    snprintf(strides, sizeof strides, "%%c%" PRIu32 ", %%c1", d);
    text_view(t, "embed_of", "embed", shape, strides, "f16");
    snprintf(shape, sizeof shape, "%%c%" PRIu32 ", %%c%u", s->positions * text_lines(d), LANES);
    text_view(t, "turn_lines", "turns", shape, "%c32, %c1", "f32");
    snprintf(shape, sizeof shape, "%%c%" PRIu32 ", %%c%u", s->layers * s->context * text_lines(d),
             LANES);
    text_view(t, "key_lines", "keys", shape, "%c32, %c1", "f16");
    text_view(t, "value_lines", "values", shape, "%c32, %c1", "f16");
    snprintf(shape, sizeof shape, "%%c%" PRIu32 ", %%c%" PRIu32, s->layers * s->context, d);
    text_view(t, "keys_of", "keys", shape, strides, "f16");
    text_view(t, "values_of", "values", shape, strides, "f16");
    snprintf(shape, sizeof shape, "%%c%" PRIu32 ", %%c%" PRIu32, d, s->layers * s->context);
    snprintf(strides, sizeof strides, "%%c1, %%c%" PRIu32, d);
    text_view(t, "keys_turned", "keys", shape, strides, "f16");
    for (int i = 0; i < LLM_MATRICES; i++) {
        const struct llm_rows *m = &t->llm->matrices[i];
        const char *name = llm_matrix_name((enum llm_matrix)i);
        char of[32];
        snprintf(of, sizeof of, "%s_of", name);
        snprintf(shape, sizeof shape, "%%c%" PRIu32 ", %%c%" PRIu32, m->depth, m->rows * m->layers);
        snprintf(strides, sizeof strides, "%%c1, %%c%" PRIu32, m->depth);
        text_view(t, of, name, shape, strides, t->weight);
    }
}

/* The embedding of the token, its rotations, and zeros between the queries of the heads. */
static void write_start(struct llm_text *t)
{
    const struct llm_shape *s = &t->llm->shape;
    const uint32_t d = s->width, rows = text_score_rows(s), half = text_lines(d / 2);
    char sizes[48];
    snprintf(sizes, sizeof sizes, "%%c1, %%c%" PRIu32, d);
    text_make(t, "embedded", "", "vec, 1x%uxf16", d);
    text_part(t, "efrom", "embed_of", "%token, %c0", sizes, "f16");
    text_load(t, "efrom", "f16", "embedded");
    text_make(t, "x", "", "vec, 1x%uxf32", d);
    text_op(t, "tcvt", "embedded", "x");
    fprintf(t->out,
            "    %%turn = arith.muli %%position, %%c%" PRIu32 " : index\n"
            "    %%turned = arith.addi %%turn, %%c%" PRIu32 " : index\n",
            text_lines(d), half);
    snprintf(sizes, sizeof sizes, "%%c%" PRIu32 ", %%c%u", half, LANES);
    text_make(t, "cosines", "", "vec, %ux%uxf32", 2 * half, LANES);
    text_make(t, "sines", "", "vec, %ux%uxf32", 2 * half, LANES);
    text_part(t, "cfrom", "turn_lines", "%turn, %c0", sizes, "f32");
    text_part(t, "sfrom", "turn_lines", "%turned, %c0", sizes, "f32");
    for (unsigned i = 0; i < 2; i++) { /* of queries and of keys */
        const char *cosines = i ? "key_cosines" : "query_cosines";
        const char *sines = i ? "key_sines" : "query_sines";
        text_take_lines(t, cosines, "cosines", i * half, half, "f32");
        text_take_lines(t, sines, "sines", i * half, half, "f32");
        text_load(t, "cfrom", "f32", cosines);
        text_load(t, "sfrom", "f32", sines);
    }
    text_make(t, "zeros", "", "vec, %ux%uxf16", rows, d);
    text_op(t, "texpands", "__zero", "zeros");
    text_make(t, "spread", "", "mat, %ux%uxf16", rows, d);
    text_op(t, "tmov", "zeros", "spread");
}

static void write_body(struct llm_text *t)
{
    const struct llm_shape *s = &t->llm->shape;
    const struct llm_rows *m = t->llm->matrices;
    char sizes[48];
    write_views(t);
    text_first_stages(t);
    write_start(t);
    text_cached(t);
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
            s->layers - 1, s->context, text_lines(s->width), text_lines(s->width / 2));
    text_layer(t);
    fprintf(t->out, "    }\n");
    text_norm(t, "input3", NULL, "scale3", 0);
    text_multiply(t, LLM_HEAD, 0, s->vocabulary, "input3", "chances");
    text_op(t, "trowexpandmul", "chances scale3", "chances");
    snprintf(sizes, sizeof sizes, "%%c%" PRIu32 ", %%c1", s->vocabulary);
    text_view(t, "logits_of", "logits", "%c1, %last", "%last, %c1", "f32");
    snprintf(sizes, sizeof sizes, "%%c1, %%c%" PRIu32, s->vocabulary);
    text_part(t, "to", "logits_of", "%c0, %c0", sizes, "f32");
    text_store(t, "chances", "to", "f32");
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

static void write_head(const struct llm_text *t, FILE *out, const char *body)
{
    const struct llm_shape *s = &t->llm->shape;
    fprintf(out,
            "// A step of a language model: the logits of the character after one token.\n"
            "// Run: build/kernels/llm (--write-program made it)\n"
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
    struct llm_text t = {.llm = llm, .weight = single ? "f32" : "f16", .bytes = single ? 4 : 2};
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
