/* SPDX-License-Identifier: Apache-2.0 */
/* --check OUTPUT=FILE.npy[:TOLERANCE]: compare each element of an output with the expected one. */
#include <float.h>
#include <stdlib.h>

#include "machine/machine.h"

enum { SHOWN = 10 };

/* Find an output by the name of its --arg, by its number among the outputs, or as "out" when it is
 * the only one. */
static const struct run_argument *find_output(const struct run_arguments *arguments,
                                              const char *which)
{
    const struct run_argument *numbered = NULL, *only = NULL;
    uint64_t number = 0, wanted = UINT64_MAX;
    if (!sam_parse_u64(which, &wanted))
        wanted = UINT64_MAX;
    for (size_t i = 0; i < arguments->count; i++) {
        const struct run_argument *a = &arguments->items[i];
        if (!a->output)
            continue;
        if (a->name && strcmp(a->name, which) == 0)
            return a;
        if (number == wanted)
            numbered = a;
        only = number == 0 ? a : NULL;
        number++;
    }
    return numbered ? numbered : strcmp(which, "out") == 0 ? only : NULL;
}

/* A finite number, not negative: "1e-5". */
static bool parse_real(const char *text, double *value)
{
    uint8_t bytes[8];
    uint64_t bits = 0;
    if (!sam_dtype_parse_value(SAM_F64, text, bytes))
        return false;
    for (unsigned i = 0; i < sizeof bytes; i++)
        bits |= (uint64_t)bytes[i] << 8 * i;
    memcpy(value, &bits, sizeof *value);
    return *value >= 0 && __builtin_isfinite(*value);
}

/* "4", or any of "rtol=1e-5,atol=1e-8,ulp=4" in any order. */
static bool parse_tolerance(char *text, struct run_tolerance *tolerance)
{
    struct run_tolerance t = {0};
    if (sam_parse_u64(text, &tolerance->ulp))
        return true;
    for (char *next; text; text = next) {
        next = strchr(text, ',');
        if (next)
            *next++ = '\0';
        bool good = strncmp(text, "ulp=", 4) == 0    ? sam_parse_u64(text + 4, &t.ulp)
                    : strncmp(text, "rtol=", 5) == 0 ? parse_real(text + 5, &t.rtol)
                    : strncmp(text, "atol=", 5) == 0 ? parse_real(text + 5, &t.atol)
                                                     : false;
        if (!good)
            return false;
        t.close |= text[0] != 'u';
    }
    *tolerance = t;
    return true;
}

/* Whether the text after a colon is a tolerance rather than part of a file name: it begins like
 * one, or the text before it is a whole name. */
static bool is_tolerance(const char *path, const char *colon)
{
    uint64_t number;
    const char *text = colon + 1;
    const bool named = colon - path >= 4 && memcmp(colon - 4, ".npy", 4) == 0;
    return (named && !cli_ends_with(text, ".npy")) || sam_parse_u64(text, &number) ||
           strncmp(text, "ulp=", 4) == 0 || strncmp(text, "rtol=", 5) == 0 ||
           strncmp(text, "atol=", 5) == 0;
}

static int parse_check(const struct cli_args *args, const struct run_arguments *arguments,
                       const char *word, struct run_check *check)
{
    struct sam_error error;
    check->text = strdup(word);
    if (!check->text)
        return cli_no_memory();
    char *path = strchr(check->text, '=');
    if (!path || !path[1])
        return cli_usage_error(args, "--check %s: expected OUTPUT=FILE.npy[:TOLERANCE]", word);
    *path++ = '\0';
    char *colon = strrchr(path, ':');
    if (colon && is_tolerance(path, colon)) {
        *colon = '\0';
        if (!parse_tolerance(colon + 1, &check->tolerance))
            return cli_usage_error(args,
                                   "--check %s: expected a TOLERANCE of whole ulp, such as 4, or "
                                   "any of ulp=4,rtol=1e-5,atol=1e-8 after the file",
                                   word);
    }
    check->path = path;
    check->argument = find_output(arguments, check->text);
    if (!check->argument)
        return cli_usage_error(
            args,
            "--check %s: no output '%s': expected the NAME of --arg NAME=out:..., "
            "the number of an output from 0, or out for the only one",
            word, check->text);
    int code = cli_reads(args, path);
    if (code != CLI_OK)
        return code;
    if (sam_npy_read(path, &check->expected, &error) != SAM_OK)
        return cli_report(&error);
    const struct sam_array *found = &check->argument->array, *wanted = &check->expected;
    const bool bytes = found->dtype == SAM_BOOL && wanted->dtype == SAM_U8;
    if ((wanted->dtype != found->dtype && !bytes) || wanted->count != found->count) {
        return cli_error("%s: %zu elements of %s, but output %s has %zu of %s", path, wanted->count,
                         sam_dtype_name(wanted->dtype), check->text, found->count,
                         sam_dtype_name(found->dtype));
    }
    return CLI_OK;
}

int run_checks_parse(struct run *run)
{
    const struct run_request *r = run->request;
    int code = CLI_OK;
    run->checks = calloc(r->checks.count + 1, sizeof *run->checks);
    if (!run->checks)
        return cli_no_memory();
    for (size_t i = 0; i < r->checks.count && code == CLI_OK; i++)
        code = parse_check(r->args, &run->arguments, r->checks.items[i], &run->checks[i]);
    return code;
}

void run_checks_free(struct run *run)
{
    for (size_t i = 0; run->checks && i < run->request->checks.count; i++) {
        sam_array_free(&run->checks[i].expected);
        free(run->checks[i].text);
    }
    free(run->checks);
}

/* --------------------------------------------------------------------------------- reports */

static void show_mismatch(const struct run_check *check, size_t index, uint64_t ulp, FILE *text)
{
    const struct sam_array *array = &check->argument->array;
    char where[200], found[64], wanted[64];
    run_index_text(array, index, where, sizeof where);
    run_element_text(array, index, found, sizeof found);
    run_element_text(&check->expected, index, wanted, sizeof wanted);
    fprintf(text, "  [%s] is %s, expected %s", where, found, wanted);
    if (ulp != UINT64_MAX)
        fprintf(text, " (%llu ulp)", (unsigned long long)ulp);
    fputc('\n', text);
}

static void show_verdict(const struct run_check *check, const struct run_comparison *c, FILE *text)
{
    const enum sam_dtype dtype = check->argument->array.dtype;
    const struct run_tolerance *t = &check->tolerance;
    const char *type = sam_dtype_name(dtype);
    if (c->failed)
        fprintf(text, "check %s: FAILED, %zu of %zu elements of %s differ",
                cli_plain(check->text).text, c->failed, c->count, type);
    else
        fprintf(text, "check %s: passed, %zu elements of %s equal", cli_plain(check->text).text,
                c->count, type);
    if (c->unequal && t->close)
        fprintf(text, " %s rtol %g, atol %g", c->failed ? "beyond" : "within", t->rtol, t->atol);
    else if (run_is_real(dtype) && c->ulp)
        fprintf(text, " %s %llu ulp", c->failed ? "by up to" : "within",
                (unsigned long long)c->ulp);
    fputc('\n', text);
}

/* "1: 12, 2-3: 5, 8-15: 1" */
static void show_spread(const struct run_comparison *c, FILE *text)
{
    bool any = false;
    for (unsigned i = 1; i < RUN_SPREAD; i++) {
        if (!c->spread[i])
            continue;
        const unsigned long long low = 1ULL << (i - 1);
        fprintf(text, "%s%llu", any ? ", " : "  elements by ulp: ", low);
        if (i > 1)
            fprintf(text, "-%llu", 2 * low - 1);
        fprintf(text, ": %zu", c->spread[i]);
        any = true;
    }
    if (any)
        fputc('\n', text);
}

/* The size of the differences. */
static void show_summary(const struct run_check *check, const struct run_comparison *c, FILE *text)
{
    const struct sam_array *array = &check->argument->array;
    char where[200];
    fprintf(text, "  %zu of %zu unequal", c->unequal, c->count);
    if (c->most > 0) {
        run_index_text(array, c->most_at, where, sizeof where);
        fprintf(text, ", largest difference %.3g at [%s]", c->most, where);
    }
    if (c->most_relative > 0) {
        run_index_text(array, c->relative_at, where, sizeof where);
        fprintf(text, ", largest relative %.3g at [%s]", c->most_relative, where);
    }
    if (c->count > c->unordered)
        fprintf(text, ", mean of all %.3g", c->sum / (double)(c->count - c->unordered));
    if (c->unordered)
        fprintf(text, "; %zu with a NaN or an infinity", c->unordered);
    fputc('\n', text);
    show_spread(c, text);
}

/* JSON has no infinity. */
static double no_infinity(double value)
{
    return value < DBL_MAX ? value : DBL_MAX;
}

static json_t *check_json(const struct run_check *check, const struct run_comparison *c)
{
    const size_t ordered = c->count - c->unordered;
    const double mean = ordered ? c->sum / (double)ordered : 0;
    return REPORT(TEXT("output", check->text), TEXT("expected", check->path),
                  COUNT("elements", c->count), COUNT("different", c->failed),
                  FLAG("passed", c->failed == 0), COUNT("unequal", c->unequal),
                  COUNT("unordered", c->unordered), REAL("max_abs", no_infinity(c->most)),
                  REAL("max_rel", no_infinity(c->most_relative)),
                  REAL("mean_abs", no_infinity(mean)), COUNT("max_ulp", c->ulp));
}

/* Returns the number of elements that differ by more than allowed. */
static size_t compare(const struct run_check *check, FILE *text, json_t *rows)
{
    struct run_comparison c = {0};
    for (size_t i = 0; i < check->expected.count; i++) {
        uint64_t ulp;
        if (!run_compare_element(&check->tolerance, &check->argument->array, &check->expected, i,
                                 &c, &ulp) &&
            c.failed <= SHOWN)
            show_mismatch(check, i, ulp, text);
    }
    show_verdict(check, &c, text);
    if (c.failed || (c.unequal && check->tolerance.close))
        show_summary(check, &c, text);
    if (rows && json_array_append_new(rows, check_json(check, &c)) != 0)
        cli_no_memory();
    return c.failed;
}

int run_checks_compare(const struct run *run)
{
    size_t failed = 0;
    for (size_t i = 0; i < run->request->checks.count; i++)
        failed += compare(&run->checks[i], run->text, run->json_checks);
    return failed ? CLI_PROGRAM_FAILED : CLI_OK;
}
