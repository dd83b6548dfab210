/* SPDX-License-Identifier: Apache-2.0 */
/* For transcripts:
 *   probe make FILE.npy TYPE SHAPE VALUE...   an array; a value FIRST..LAST is several,
 * FIRST..LAST*N those times N; the last is repeated probe npy FILE.npy                        "TYPE
 * [SHAPE]: VALUE..." probe onnx FILE.onnx TEXT                 a model (network/onnx_text.h) probe
 * json PATH... <FILE                  a line for each path, such as launches.0.kernel; PATH# is the
 * number of elements, PATH+ their sum */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "network/onnx_text.h"
#include "samite/samite.h"

static struct sam_error error;

static int failed(void)
{
    fprintf(stderr, "probe: %s\n", error.text);
    return 1;
}

static int make(char **words)
{
    struct sam_array array = {.rank = 0, .count = 1};
    const char *name = words[0];
    if (!sam_dtype_parse(words[1], &array.dtype))
        return 2;
    for (char *at = words[2]; *at; at += *at == 'x') {
        array.shape[array.rank] = strtoull(at, &at, 10);
        array.count *= (size_t)array.shape[array.rank++];
    }
    const size_t each = sam_dtype_size(array.dtype);
    array.size = array.count * each;
    array.data = calloc(array.count + 1, each);
    if (!array.data)
        return 2;
    double last = 0, value = 0, factor = 1;
    words += 3;
    for (size_t i = 0; i < array.count; i++) {
        if (value < last) {
            value++;
        } else if (*words) {
            char *end, *range = strstr(*words, "..");
            value = strtod(*words, &end); /* the first dot may belong to it */
            last = range ? strtod(range + 2, &end) : value;
            words++;
            factor = *end == '*' ? strtod(end + 1, NULL) : 1;
        }
        const bool real = sam_dtype_class(array.dtype) == SAM_CLASS_FLOAT;
        const double number = value * factor;
        const uint64_t bits =
            real ? sam_dtype_round(array.dtype, number) : (uint64_t)(int64_t)number;
        memcpy((char *)array.data + i * each, &bits, each);
    }
    const enum sam_status status = sam_npy_write(name, &array, &error);
    sam_array_free(&array);
    return status == SAM_OK ? 0 : failed();
}

static int show(const char *name)
{
    struct sam_array array;
    if (sam_npy_read(name, &array, &error) != SAM_OK)
        return failed();
    const size_t each = sam_dtype_size(array.dtype);
    printf("%s [", sam_dtype_name(array.dtype));
    for (size_t i = 0; i < array.rank; i++)
        printf("%s%" PRIu64, i ? "," : "", array.shape[i]);
    printf("]:");
    for (size_t i = 0; i < array.count; i++) {
        uint64_t bits = 0;
        memcpy(&bits, (const char *)array.data + i * each, each);
        printf(" %.9g", sam_dtype_value(array.dtype, bits));
    }
    putchar('\n');
    sam_array_free(&array);
    return 0;
}

static int make_model(const char *path, const char *text)
{
    struct sam_buffer bytes = onnx_from_text(text);
    const enum sam_status status = sam_file_save(path, bytes.data, bytes.size, &error);
    sam_buffer_free(&bytes);
    return status == SAM_OK ? 0 : failed();
}

static double sum_of(const json_t *list)
{
    double sum = 0;
    const char *key;
    json_t *value;
    size_t i;
    if (json_is_array(list))
        json_array_foreach(list, i, value) sum += json_number_value(value);
    else
        json_object_foreach((json_t *)(uintptr_t)list, key, value) sum += json_number_value(value);
    return sum;
}

static int look_up(char **paths)
{
    json_error_t where;
    json_t *root = json_loadf(stdin, 0, &where);
    if (!root) {
        fprintf(stderr, "probe: line %d: %s\n", where.line, where.text);
        return 1;
    }
    for (; *paths; paths++) {
        const json_t *value = root;
        const size_t length = strlen(*paths);
        const char last = length ? (*paths)[length - 1] : '\0';
        if (last == '#' || last == '+')
            (*paths)[length - 1] = '\0';
        for (char *key = strtok(*paths, "/"); key; key = strtok(NULL, "/"))
            value = json_is_array(value) ? json_array_get(value, strtoul(key, NULL, 10))
                                         : json_object_get(value, key);
        if (last == '#')
            printf("%zu\n",
                   json_is_array(value) ? json_array_size(value) : json_object_size(value));
        else if (last == '+')
            printf("%.9g\n", sum_of(value));
        else if (json_is_string(value))
            printf("%s\n", json_string_value(value));
        else if (!value || json_dumpf(value, stdout, JSON_ENCODE_ANY | JSON_COMPACT) != 0 ||
                 putchar('\n') < 0)
            printf("none\n");
    }
    json_decref(root);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 5 && !strcmp(argv[1], "make"))
        return make(argv + 2);
    if (argc == 3 && !strcmp(argv[1], "npy"))
        return show(argv[2]);
    if (argc == 4 && !strcmp(argv[1], "onnx"))
        return make_model(argv[2], argv[3]);
    if (argc > 2 && !strcmp(argv[1], "json"))
        return look_up(argv + 2);
    fprintf(
        stderr,
        "usage: probe make FILE TYPE SHAPE VALUE... | npy FILE | onnx FILE TEXT | json PATH...\n");
    return 2;
}
