/* SPDX-License-Identifier: Apache-2.0 */
/* Results with valid sizes `?` inferred from the sources: as with explicit sizes, on both
 * machines. */
#include "lower/lowered.h"

#define F(loc, rows, cols) "!pto.tile<" loc ", " #rows "x" #cols "xf32, valid=?x?>"
#define A                  F("vec", 32, 32)

/* Sources: a and b r x c, m a mask of them, t c x k, row 1 x c, col r x 1, l and k factors. */
static const struct source {
    const char *name;
    enum sam_dtype dtype;
    char rows, cols;
} sources[] = {
    {"a", SAM_F32, 'r', 'c'},   {"b", SAM_F32, 'r', 'c'},   {"m", SAM_U8, 'r', 'c'},
    {"row", SAM_F32, '1', 'c'}, {"col", SAM_F32, 'r', '1'}, {"l", SAM_F32, 'r', 'c'},
    {"k", SAM_F32, 'c', 'k'},
};

/* A result with the sizes rows x cols: d is c + c. */
static const struct {
    const char *text, *type;
    enum sam_dtype dtype;
    char rows, cols;
} results[] = {
    {"tneg ins(%a : " A ")", A, SAM_F32, 'r', 'c'},
    {"tmov ins(%a : " A ")", A, SAM_F32, 'r', 'c'},
    {"tadd ins(%a, %b : " A ", " A ")", A, SAM_F32, 'r', 'c'},
    {"tsel ins(%m, %a, %b : !pto.tile<vec, 32x32xui8, valid=?x?>, " A ", " A ")", A, SAM_F32, 'r',
     'c'},
    {"tcvt ins(%a : " A ")", "!pto.tile<vec, 32x32xi32, valid=?x?>", SAM_I32, 'r', 'c'},
    {"tcmp ins(%a, %b : " A ", " A ")", "!pto.tile<vec, 32x32xui8, valid=?x?>", SAM_U8, 'r', 'c'},
    {"ttrans ins(%a : " A ")", A, SAM_F32, 'c', 'r'},
    {"tcolmax ins(%a : " A ")", "!pto.tile<vec, 1x32xf32, valid=1x?>", SAM_F32, '1', 'c'},
    {"trowargmin ins(%a : " A ")", "!pto.tile<vec, 32x8xi32, valid=?x?>", SAM_I32, 'r', '1'},
    {"trowexpand ins(%col : " A ")", "!pto.tile<vec, 32x32xf32, valid=?x9>", SAM_F32, 'r', '9'},
    {"tcolexpandadd ins(%a, %row : " A ", " A ")", A, SAM_F32, 'r', 'c'},
    {"tconcat ins(%a, %b : " A ", " A ")", F("vec", 32, 64), SAM_F32, 'r', 'd'},
    {"tmatmul ins(%l, %k : " F("left", 32, 32) ", " F("right", 32, 32) ")", F("acc", 32, 32),
     SAM_F32, 'r', 'k'},
};

static unsigned size_of(char name, const unsigned sizes[3])
{
    return name == 'r'   ? sizes[0]
           : name == 'c' ? sizes[1]
           : name == 'k' ? sizes[2]
           : name == 'd' ? 2 * sizes[1]
                         : (unsigned)(name - '0');
}

/* Bare operations: the sources are free names. */
static void write_program(struct sam_buffer *text, size_t k, const unsigned sizes[3], bool given)
{
    static const char *const keys[] = {"valid_row", "valid_col"};
    const char *attribute = strncmp(results[k].text, "tcmp", 4) == 0 ? " {cmp = lt}" : "";
    const char *valid = strstr(results[k].type, "valid=") + strlen("valid=");
    if (given)
        sam_buffer_printf(text,
                          "%%n0 = arith.constant %u : index\n%%n1 = arith.constant %u : index\n",
                          size_of(results[k].rows, sizes), size_of(results[k].cols, sizes));
    sam_buffer_puts(text, "%d = pto.alloc_tile");
    for (unsigned i = 0; i < 2; i++)
        if (given && (i ? strchr(valid, 'x') + 1 : valid)[0] == '?')
            sam_buffer_printf(text, " %s = %%n%u", keys[i], i);
    sam_buffer_printf(text, " : %s\npto.%s outs(%%d : %s)%s\n", results[k].type, results[k].text,
                      results[k].type, attribute);
}

static void run(size_t k, const unsigned sizes[3], uint64_t seed)
{
    struct lowered x = {.seed = seed}, y;
    SCOPED(sam_buffer) inferred = {0}, given = {0};
    struct sam_error error = {0};
    for (size_t i = 0; i < SAM_COUNT(sources); i++) {
        FREED char *word = formatted("%%%s", sources[i].name);
        const char *at = strstr(results[k].text, word);
        if (!at || !strchr(" ,", at[strlen(word)]))
            continue;
        lowered_random(&x, sources[i].dtype, size_of(sources[i].rows, sizes),
                       size_of(sources[i].cols, sizes));
        lowered_name(&x, sources[i].name, false);
    }
    const struct sam_array *d = lowered_array(&x, results[k].dtype, size_of(results[k].rows, sizes),
                                              size_of(results[k].cols, sizes));
    lowered_name(&x, "d", true);
    lowered_copy(&x, &y);
    write_program(&inferred, k, sizes, false);
    write_program(&given, k, sizes, true);
    x.text = sam_buffer_text(&inferred);
    lowered_succeeds(&x); /* the array of d has the required sizes */
    const struct sam_tile_options options = {.size = sizeof options,
                                             .sum_order = SAM_TILE_SUM_SYSTEM};
    SCOPED_PROGRAM *p = test_parse("given", sam_buffer_text(&given), given.size);
    if (sam_tile_run(p, 0, y.arguments, y.count, &options, NULL, &error) != SAM_OK)
        fail_msg("%s\n%s", error.text, sam_buffer_text(&given));
    assert_memory_equal(d->data, y.arrays[y.count - 1].data, d->size);
    lowered_free(&x);
    lowered_free(&y);
}

TEST(test_results)
{
    uint64_t seed = test_seed();
    for (unsigned n = 0; n < 8; n++)
        for (size_t k = 0; k < SAM_COUNT(results); k++) {
            const unsigned sizes[] = {1 + (unsigned)test_below(&seed, 32),
                                      1 + (unsigned)test_below(&seed, 32),
                                      1 + (unsigned)test_below(&seed, 32)};
            run(k, sizes, test_random(&seed));
        }
}

/* Sizes that nothing determines, or only later; that do not fit; that differ per iteration. */
TEST(test_others)
{
    static const char *const refused[] = {
        "%d = tfillpad %a : " A " -> !pto.tile<vec, 32x32xf32, valid=?x?, pad=zero>",
        "%d = tcolmax %a : " A " -> !pto.tile<vec, 1x32xf32, valid=?x?>",
        "%d = pto.alloc_tile : " A "\n%b = tneg %a : " A " -> " A "\npto.tneg ins(%a : " A
        ") outs(%d : " A ")",
        "%s = arith.constant 1.0 : f32\n%d = texpands %s : f32 -> " A,
    };
    static const char small[] = "%d = tneg %a : " A " -> !pto.tile<vec, 8x32xf32, valid=?x?>";
    static const char again[] =
        "func.func @f(%a: " A ", %d: " A ") {\n"
        "%c1 = arith.constant 1 : index\n%c9 = arith.constant 9 : index\n"
        "scf.for %i = %c1 to %c9 step %c1 {\n"
        "pto.set_validshape %a, %i, %i : " A "\npto.set_validshape %d, %i, %i : " A "\n"
        "%t = ttrans %a : " A " -> " A "\npto.tadd ins(%t, %d : " A ", " A ") outs(%d : " A ")\n}\n"
        "%c32 = arith.constant 32 : index\npto.set_validshape %d, %c32, %c32 : " A "\nreturn\n}\n";
    struct lowered x = {.seed = test_seed()};
    for (size_t i = 0; i < SAM_COUNT(refused); i++) {
        x.text = refused[i];
        lowered_refused(&x, "the type has '?', so alloc_tile needs valid_row");
    }
    for (size_t rows = 8; rows <= 9; rows++) {
        x.text = small;
        lowered_random(&x, SAM_F32, rows, 5);
        lowered_name(&x, "a", false);
        lowered_run(&x);
        assert_int_equal(x.status, rows == 8 ? SAM_OK : SAM_ERR_TRAP);
        assert_true(rows == 8 || strstr(x.error.text, "9 valid rows in a tile of 8"));
        lowered_free(&x);
    }
    x.text = again;
    lowered_random(&x, SAM_F32, 32, 32);
    lowered_random(&x, SAM_F32, 32, 32);
    lowered_name(&x, NULL, true);
    x.arguments[1].inout = true;
    lowered_succeeds(&x);
    lowered_free(&x);
}
