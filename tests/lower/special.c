/* SPDX-License-Identifier: Apache-2.0 */
/* Dtypes that only some operations take: e5m2 has a lowering, the others are refused by name and
 * line; products are in products.c. */
#include "lower/lowered.h"

#include "samite/tile_ops.h"
#include "tile/tile.h"

/* $ is the dtype; tiles have 16x32 elements. */
#define TILE "!pto.tile<vec, 16x32x$>"
#define I16  "!pto.tile<vec, 16x32xi16>"
struct form {
    const char *name, *text;
    unsigned sources;
    enum sam_dtype from, to; /* of the first source, of the result; OPAQUE: $ */
};
static const struct form forms[] = {
    {"tcolexpand", "%d = tcolexpand %a : " TILE " -> " TILE, 1, 0, 0},
    {"trowexpand", "%d = trowexpand %a : " TILE " -> " TILE, 1, 0, 0},
    {"tcolexpandadd", "%d = tcolexpandadd %a, %b : " TILE ", " TILE " -> " TILE, 2, 0, 0},
    {"trowexpandsub", "%d = trowexpandsub %a, %b : " TILE ", " TILE " -> " TILE, 2, 0, 0},
    {"tcolexpandmul", "%d = tcolexpandmul %a, %b : " TILE ", " TILE " -> " TILE, 2, 0, 0},
    {"trowexpanddiv", "%d = trowexpanddiv %a, %b : " TILE ", " TILE " -> " TILE, 2, 0, 0},
    {"tcolexpandmax", "%d = tcolexpandmax %a, %b : " TILE ", " TILE " -> " TILE, 2, 0, 0},
    {"trowexpandmin", "%d = trowexpandmin %a, %b : " TILE ", " TILE " -> " TILE, 2, 0, 0},
    {"tcvt", "%d = tcvt %a {round = rint} : " TILE " -> " I16, 1, 0, SAM_TILE_i16},
    {"tcvt", "%d = tcvt %a {round = rint} : " I16 " -> " TILE, 1, SAM_TILE_i16, 0},
    {"tsel", "%d = tsel %a, %b, %c : !pto.tile<vec, 16x32xui8>, " TILE ", " TILE " -> " TILE, 3,
     SAM_TILE_ui8, 0},
    {"tand", "%d = tand %a, %b : " TILE ", " TILE " -> " TILE, 2, 0, 0},
};

static void make(struct lowered *x, const struct form *form, enum sam_dtype dtype, char *text)
{
    static const char *const names[] = {"a", "b", "c"};
    size_t n = 0;
    for (const char *c = form->text; *c; c++) {
        const char one[] = {*c, 0}, *word = *c == '$' ? sam_tile_dtype_name(dtype) : one;
        strcpy(text + n, word);
        n += strlen(word);
    }
    strcpy(text + n, "\n");
    x->text = text;
    for (unsigned i = 0; i < form->sources; i++) {
        lowered_random(x, i == 0 && form->from ? form->from : dtype, 16, 32);
        lowered_name(x, names[i], false);
    }
    lowered_array(x, form->to ? form->to : dtype, 16, 32);
    lowered_name(x, "d", true);
}

TEST(test_refused)
{
    static const enum sam_dtype dtypes[] = {SAM_TILE_f64,  SAM_TILE_tf32, SAM_TILE_hf32,
                                            SAM_TILE_e4m3, SAM_TILE_i64,  SAM_TILE_ui64,
                                            SAM_TILE_hif8, SAM_TILE_e3m2, SAM_TILE_e2m3};
    for (size_t n = 0; n < SAM_COUNT(dtypes); n++)
        for (size_t k = 0; k < SAM_COUNT(forms); k++) {
            const enum sam_dtype dtype = dtypes[n];
            struct lowered x = {.seed = n + 1};
            char text[400], words[100];
            const bool whole = dtype == SAM_TILE_i64 || dtype == SAM_TILE_ui64;
            const bool picks = strcmp(forms[k].name, "tsel") == 0;
            if (dtype >= SAM_TILE_hif8 && !picks && strcmp(forms[k].name, "tcvt") != 0)
                continue; /* by the host, too */
            if (strcmp(forms[k].name, "tand") == 0 ? !whole : picks && sam_dtype_size(dtype) == 8)
                continue; /* by the host, too */
            make(&x, &forms[k], dtype, text);
            snprintf(words, sizeof words, "test.pto:1:6: error: %s on %s has no lowering",
                     forms[k].name, sam_tile_dtype_name(dtype));
            lowered_refused(&x, words);
            lowered_free(&x);
        }
}

/* System against host, bit by bit. */
TEST(test_e5m2)
{
    const uint64_t seed = test_seed();
    for (unsigned n = 0; n < 4 * SAM_COUNT(forms); n++) {
        const struct form *form = &forms[n % SAM_COUNT(forms)];
        struct lowered x = {.seed = seed + n};
        char text[400];
        if (strcmp(form->name, "tand") == 0)
            continue;
        make(&x, form, SAM_TILE_e5m2, text);
        lowered_succeeds(&x);
        lowered_free(&x);
    }
}

/* An element near a tie of e2m1 or e1m2, or any. */
static uint64_t near_tie(uint64_t *seed, enum sam_dtype dtype)
{
    const double tie = ((double)test_below(seed, 113) - 56) / 8;
    const double value = tie * (1 + ((double)test_below(seed, 3) - 1) * 0x1p-9);
    if (test_below(seed, 4) == 0)
        return test_random(seed);
    if (sam_dtype_class(dtype) != SAM_CLASS_FLOAT)
        return (uint64_t)(int64_t)value;
    return sam_dtype_round(dtype, value);
}

/* tcvt to 4 bits from every dtype, in every rounding mode. */
TEST(test_halves)
{
    static const enum sam_dtype dtypes[] = {
        SAM_TILE_f32,  SAM_TILE_f16,  SAM_TILE_bf16, SAM_TILE_i8,   SAM_TILE_ui8,
        SAM_TILE_i16,  SAM_TILE_ui16, SAM_TILE_i32,  SAM_TILE_ui32, SAM_TILE_i64,
        SAM_TILE_ui64, SAM_TILE_f64,  SAM_TILE_tf32, SAM_TILE_hf32, SAM_TILE_hif8,
        SAM_TILE_e5m2, SAM_TILE_e4m3, SAM_TILE_e3m2, SAM_TILE_e2m3, SAM_TILE_e8m0};
    const uint64_t first = test_seed();
    for (unsigned n = 0; n < SAM_COUNT(dtypes) * 10; n++) {
        const enum sam_dtype dtype = dtypes[n / 10];
        const char *const name = sam_tile_dtype_name(dtype);
        struct lowered x = {.seed = first + n};
        char text[400];
        snprintf(text, sizeof text,
                 "%%d = pto.tcvt %%a {round = %s} : !pto.tile<vec, 16x64x%s> -> "
                 "!pto.tile<vec, 16x64x%s>\n",
                 sam_tile_round_names[n % 5], name, n / 5 % 2 ? "e2m1" : "e1m2");
        x.text = text;
        struct sam_array *const a = lowered_array(&x, dtype, 16, 64);
        for (size_t i = 0; i < a->count; i++)
            test_set(a->data, i, dtype, near_tie(&x.seed, dtype));
        lowered_name(&x, "a", false);
        lowered_array(&x, SAM_U8, 16, 32);
        lowered_name(&x, "d", true);
        lowered_run(&x);
        assert_int_equal(x.status, SAM_OK);
        lowered_free(&x);
    }
}
