/* SPDX-License-Identifier: Apache-2.0 */
/* --check OUTPUT=FILE.npy[:ULP]: every element of an output against the expected one. The distance
 * of two floating-point numbers is how many representable numbers lie from one to the other; NaN
 * equals NaN, zeros of both signs are equal. */
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "run.h"

enum { SHOWN = 10 };

static bool is_real(enum sam_dtype dtype)
{
    return dtype == SAM_F16 || dtype == SAM_F32 || dtype == SAM_F64;
}

static uint64_t element(const struct sam_array *array, size_t index)
{
    size_t size = sam_dtype_size(array->dtype);
    const uint8_t *at = (const uint8_t *)array->data + index * size;
    uint64_t bits = 0;
    for (size_t i = 0; i < size; i++)
        bits |= (uint64_t)at[i] << 8 * i;
    return bits;
}

/* Exponent and mantissa bits of the type. */
static unsigned mantissa_bits(enum sam_dtype dtype)
{
    return dtype == SAM_F16 ? 10 : dtype == SAM_F32 ? 23 : 52;
}

static bool is_nan(enum sam_dtype dtype, uint64_t bits)
{
    unsigned width = 8 * (unsigned)sam_dtype_size(dtype), mantissa = mantissa_bits(dtype);
    uint64_t magnitude = bits & ((UINT64_C(1) << (width - 1)) - 1);
    uint64_t infinity = ((UINT64_C(1) << (width - 1 - mantissa)) - 1) << mantissa;
    return magnitude > infinity;
}

/* 0 = equal; UINT64_MAX = a number and a NaN, or unequal integers. */
static uint64_t distance(enum sam_dtype dtype, uint64_t a, uint64_t b)
{
    if (!is_real(dtype))
        return a == b ? 0 : UINT64_MAX;
    if (is_nan(dtype, a) || is_nan(dtype, b))
        return is_nan(dtype, a) && is_nan(dtype, b) ? 0 : UINT64_MAX;
    uint64_t sign = UINT64_C(1) << (8 * sam_dtype_size(dtype) - 1);
    uint64_t x = a & (sign - 1), y = b & (sign - 1);
    if ((a & sign) != (b & sign))
        return x + y;
    return x > y ? x - y : y - x;
}

static double half_value(uint64_t bits)
{
    uint64_t exponent = bits >> 10 & 31, mantissa = bits & 1023;
    double value = exponent ? (double)(mantissa | 1024) : (double)mantissa;
    for (uint64_t e = exponent ? exponent : 1; e < 25; e++)
        value /= 2;
    for (uint64_t e = 25; e < exponent; e++)
        value *= 2;
    if (exponent == 31)
        value = mantissa ? __builtin_nan("") : __builtin_inf();
    return bits & 0x8000 ? -value : value;
}

static void element_text(enum sam_dtype dtype, uint64_t bits, char *text, size_t size)
{
    float single;
    double wide;
    uint32_t low = (uint32_t)bits;
    switch (dtype) {
    case SAM_F16: snprintf(text, size, "%.5g", half_value(bits)); break;
    case SAM_F32:
        memcpy(&single, &low, sizeof single);
        snprintf(text, size, "%.9g", (double)single);
        break;
    case SAM_F64:
        memcpy(&wide, &bits, sizeof wide);
        snprintf(text, size, "%.17g", wide);
        break;
    case SAM_I8: snprintf(text, size, "%d", (int8_t)bits); break;
    case SAM_I16: snprintf(text, size, "%d", (int16_t)bits); break;
    case SAM_I32: snprintf(text, size, "%d", (int32_t)bits); break;
    case SAM_I64: snprintf(text, size, "%lld", (long long)bits); break;
    default: snprintf(text, size, "%llu", (unsigned long long)bits); break;
    }
}

/* "[3, 5]" of an element of the array. */
static void index_text(const struct sam_array *array, size_t index, char *text, size_t size)
{
    uint64_t at[8];
    size_t used = 0;
    for (size_t d = array->rank; d-- > 0;) {
        at[d] = index % array->shape[d];
        index /= array->shape[d];
    }
    for (size_t d = 0; d < array->rank && used < size; d++)
        used += (size_t)snprintf(text + used, size - used, d ? ", %llu" : "%llu",
                                 (unsigned long long)at[d]);
    if (array->rank == 0)
        snprintf(text, size, "0");
}

/* OUTPUT: the name of an --arg, its number among the outputs from 0, or "out" for the only one. */
static const struct run_argument *find_output(const struct run_arguments *arguments,
                                              const char *which)
{
    const struct run_argument *numbered = NULL, *only = NULL;
    uint64_t number = 0, wanted = UINT64_MAX;
    if (!cli_parse_u64(which, &wanted))
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

static int parse_check(const struct run_request *request, const struct run_arguments *arguments,
                       const char *word, struct run_check *check)
{
    struct sam_error error;
    check->text = strdup(word);
    if (!check->text) {
        fprintf(stderr, "samite: error: out of memory\n");
        return CLI_BAD_INPUT;
    }
    char *path = strchr(check->text, '=');
    if (!path || !path[1])
        return cli_usage_error(request->args, "--check %s: expected OUTPUT=FILE.npy[:ULP]", word);
    *path++ = '\0';
    char *colon = strrchr(path, ':');
    if (colon && cli_parse_u64(colon + 1, &check->ulp))
        *colon = '\0';
    check->path = path;
    check->argument = find_output(arguments, check->text);
    if (!check->argument)
        return cli_usage_error(request->args,
                               "--check %s: no output '%s'; give the NAME of --arg NAME=out:..., "
                               "the number of the output from 0, or out for the only one",
                               word, check->text);
    int code = cli_reads(request->args, path);
    if (code != CLI_OK)
        return code;
    if (sam_npy_read(path, &check->expected, &error) != SAM_OK)
        return cli_report(&error);
    const struct sam_array *found = &check->argument->array, *wanted = &check->expected;
    if (wanted->dtype != found->dtype || wanted->count != found->count) {
        fprintf(stderr, "samite: error: %s: %zu elements of %s, but output %s has %zu of %s\n",
                path, wanted->count, sam_dtype_name(wanted->dtype), check->text, found->count,
                sam_dtype_name(found->dtype));
        return CLI_BAD_INPUT;
    }
    return CLI_OK;
}

int run_checks_parse(const struct run_request *request, const struct run_arguments *arguments,
                     struct run_check **checks)
{
    int code = CLI_OK;
    *checks = calloc(request->checks.count + 1, sizeof **checks);
    if (!*checks) {
        fprintf(stderr, "samite: error: out of memory\n");
        return CLI_BAD_INPUT;
    }
    for (size_t i = 0; i < request->checks.count && code == CLI_OK; i++)
        code = parse_check(request, arguments, request->checks.items[i], &(*checks)[i]);
    return code;
}

void run_checks_free(struct run_check *checks, size_t count)
{
    for (size_t i = 0; checks && i < count; i++) {
        sam_array_free(&checks[i].expected);
        free(checks[i].text);
    }
    free(checks);
}

static void show_mismatch(const struct run *run, const struct run_check *check, size_t index,
                          uint64_t apart)
{
    const struct sam_array *array = &check->argument->array;
    char where[200], found[64], wanted[64];
    index_text(array, index, where, sizeof where);
    element_text(array->dtype, element(array, index), found, sizeof found);
    element_text(array->dtype, element(&check->expected, index), wanted, sizeof wanted);
    fprintf(run->text, "  [%s] is %s, expected %s", where, found, wanted);
    if (apart != UINT64_MAX)
        fprintf(run->text, " (%llu ulp)", (unsigned long long)apart);
    fputc('\n', run->text);
}

/* Elements that differ by more than allowed. */
static size_t compare(struct run *run, const struct run_check *check)
{
    const struct sam_array *array = &check->argument->array;
    size_t wrong = 0;
    uint64_t farthest = 0;
    for (size_t i = 0; i < array->count; i++) {
        uint64_t apart = distance(array->dtype, element(array, i), element(&check->expected, i));
        farthest = apart > farthest ? apart : farthest;
        if (apart <= check->ulp)
            continue;
        if (wrong++ < SHOWN)
            show_mismatch(run, check, i, apart);
    }
    const char *type = sam_dtype_name(array->dtype);
    if (wrong)
        fprintf(run->text, "check %s: FAILED, %zu of %zu elements of %s differ", check->text, wrong,
                array->count, type);
    else
        fprintf(run->text, "check %s: passed, %zu elements of %s equal", check->text, array->count,
                type);
    if (is_real(array->dtype) && farthest != UINT64_MAX && farthest)
        fprintf(run->text, " %s %llu ulp", wrong ? "by up to" : "within",
                (unsigned long long)farthest);
    fputc('\n', run->text);
    if (run->json_checks) {
        json_t *row =
            json_pack("{s:o, s:o, s:I, s:I, s:b}", "output", run_json_text(check->text), "expected",
                      run_json_text(check->path), "elements", (json_int_t)array->count, "different",
                      (json_int_t)wrong, "passed", wrong == 0);
        if (!row || json_array_append_new(run->json_checks, row) != 0)
            fprintf(stderr, "samite: error: out of memory\n");
    }
    return wrong;
}

int run_checks_compare(struct run *run, const struct run_check *checks, size_t count)
{
    size_t wrong = 0;
    for (size_t i = 0; i < count; i++)
        wrong += compare(run, &checks[i]);
    return wrong ? CLI_PROGRAM_FAILED : CLI_OK;
}
