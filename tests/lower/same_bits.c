/* SPDX-License-Identifier: Apache-2.0 */
/* Documented claims of bitwise equal results, on normally distributed numbers, whose sums depend
 * on the order: the commands in the documents, and the programs of kernels/tile/. */
#include "lower/tile_programs.h"

#include "folder.h"

static float normal(uint64_t *seed)
{
    const double u = (double)(1 + test_below(seed, 1 << 30)) * 0x1p-30;
    return (float)(sqrt(-2 * log(u)) *
                   cos(0x1p-30 * 6.283185307179586 * (double)(test_below(seed, 1 << 30))));
}

static void fill(const struct sam_array *a, uint64_t *seed)
{
    for (size_t i = 0; test_is_real(a->dtype) && i < a->count; i++)
        test_set(a->data, i, a->dtype,
                 sam_fp_convert(&test_real(a->dtype)->format, normal(seed), SAM_RNE));
}

/* --- commands of the documents */

static void write_arrays(size_t count, uint64_t *seed)
{
    struct sam_array a = {
        .dtype = SAM_F32, .rank = 1, .shape = {count}, .count = count, .size = 4 * count};
    a.data = malloc(a.size);
    assert_non_null(a.data);
    for (const char *const *name = (const char *const[]){"a.npy", "b.npy", NULL}; *name; name++) {
        fill(&a, seed);
        assert_int_equal(sam_npy_write(test_path(*name), &a, NULL), SAM_OK);
    }
    free(a.data);
}

/* Run a command, preceded by the one that makes its input. */
static void compare_shown(const char *page, const char *before, const char *command, uint64_t *seed)
{
    static const char arrays[] = "build/examples/arrays . ";
    char *rest;
    assert_int_equal(strncmp(before, arrays, strlen(arrays)), 0);
    write_arrays(strtoul(before + strlen(arrays), &rest, 10), seed);
    assert_int_equal(strncmp(rest, " && ", 4), 0);
    if (!test_shell("cd '%s' && %s", test_folder, rest + 4) ||
        !test_shell("cd '%s' && { %s; } >shown 2>&1 && grep -q '^check .* passed' shown && ! grep "
                    "FAILED shown",
                    test_folder, command)) {
        test_shell("cat '%s/shown' >&2", test_folder);
        fail_msg("%s: not the same bits: %s", page, command);
    }
}

/* The comparisons of the system with the executor on a page; returns their number. */
static unsigned compare_page(const char *page, uint64_t *seed)
{
    char path[1024], line[1024], before[1024] = "";
    unsigned count = 0;
    snprintf(path, sizeof path, "%s/%s", getenv("SAMITE_SOURCE"), page);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "$ ", 2) != 0)
            continue;
        if (strstr(line, ".pto ") && strstr(line, "--machine system") && strstr(line, "--check")) {
            compare_shown(page, before + 2, line + 2, seed);
            count++;
        }
        snprintf(before, sizeof before, "%s", line);
    }
    fclose(file);
    return count;
}

TEST(test_documents)
{
    static const char *const pages[] = {"docs/examples.md"};
    uint64_t seed = test_seed();
    assert_true(test_shell("ln -s '%s' '%s/build' && ln -s '%s/kernels' '%s/kernels'",
                           getenv("SAMITE_BUILD"), test_folder, getenv("SAMITE_SOURCE"),
                           test_folder));
    for (size_t i = 0; i < SAM_COUNT(pages); i++)
        if (compare_page(pages[i], &seed) == 0)
            fail_msg("%s shows no comparison of the system with the executor", pages[i]);
}

/* --- programs */

/* Whether another run of the executor, with other options, gives the same bits. */
static bool again(const struct lowered *done, const struct lowered *start,
                  const struct sam_tile_options *options)
{
    SCOPED(lowered) y;
    struct sam_error error;
    bool same = true;
    SCOPED_PROGRAM *p = test_parse(done->name, done->text, strlen(done->text));
    lowered_copy(start, &y);
    if (sam_tile_run(p, 0, y.arguments, y.count, options, NULL, &error) != SAM_OK)
        fail_msg("%s: %s", done->name, error.text);
    for (size_t i = 0; i < y.count; i++)
        same &= !y.arguments[i].array ||
                memcmp(y.arrays[i].data, done->arrays[i].data, y.arrays[i].size) == 0;
    return same;
}

/* Results that may depend on the order by docs/tile-rulings.md: floats, here all of them. */
static bool has_order(const char *text)
{
    return strstr(text, "trowsum") || strstr(text, "trowprod") || strstr(text, "tmatmul");
}

TEST(test_programs)
{
    uint64_t seed = test_seed();
    unsigned ordered = 0;
    struct lowered x, start;
    for (size_t i = 0; tile_program_open(i, seed + i, &x); i++) {
        for (size_t k = 0; k < x.count && strcmp(x.name, "block") != 0; k++)
            if (x.arguments[k].array)
                fill(x.arguments[k].array, &seed);
        lowered_copy(&x, &start);
        lowered_run(&x); /* the system and the executor */
        for (int order = SAM_TILE_SUM_RISING; order <= SAM_TILE_SUM_SYSTEM; order++) {
            const bool differ = order == SAM_TILE_SUM_RISING && has_order(x.text);
            const struct sam_tile_options options = {.size = sizeof options,
                                                     .plain = !differ,
                                                     .sum_order = (enum sam_tile_sum_order)order};
            if (again(&x, &start, &options) == differ)
                fail_msg("%s: %s in the %s order", x.name, differ ? "the same bits" : "other bits",
                         order == SAM_TILE_SUM_SYSTEM ? "system's" : "rising");
            ordered += differ;
        }
        lowered_free(&start);
        tile_program_close(&x);
    }
    assert_true(ordered >= 7);
}

TEST_GROUP(test_folder_make, test_folder_remove)
