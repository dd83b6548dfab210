/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges of memory in files: bytes, or the array of a .npy file. */
#include <stdlib.h>

#include "run/run.h"

static const char npy[] = ".npy";

/* Split "x.npy:TYPE:SHAPE" after the path; returns the rest, or NULL. */
static char *cut_form(char *path)
{
    char *last = NULL;
    for (char *at = path; (at = strstr(at, npy)); at++)
        if (at[sizeof npy - 1] == ':')
            last = at + sizeof npy - 1;
    if (!last)
        return NULL;
    *last = '\0';
    return last + 1;
}

/* The type and shape of the array: bytes in one dimension, or TYPE[:SHAPE]. */
static bool read_form(struct run_range *range, char *form)
{
    struct sam_array *a = &range->form;
    char *shape = form ? strchr(form, ':') : NULL;
    if (shape)
        *shape++ = '\0';
    a->dtype = SAM_U8;
    if (form && !run_parse_dtype(form, &a->dtype))
        return false;
    if (shape)
        return run_parse_shape(shape, a) && a->size == range->size;
    size_t size = sam_dtype_size(a->dtype);
    a->rank = 1;
    a->shape[0] = a->count = (size_t)(range->size / size);
    a->size = a->count * size;
    return a->size == range->size;
}

int run_dump_parse(struct cli_args *args, const char *word, struct run_range *range)
{
    const size_t size = strlen(word) + 1;
    char *text = cli_own(args, size, 1);
    if (!text)
        return cli_no_memory();
    memcpy(text, word, size);
    const char *rest = cli_leading_number(text, ':', UINT64_MAX, &range->base);
    range->path = rest ? cli_leading_number(rest, ':', UINT64_MAX, &range->size) : NULL;
    if (!range->path || !*range->path ||
        (range->size && range->size - 1 > UINT64_MAX - range->base))
        return cli_usage_error(args, "--dump %s: expected BASE:SIZE:FILE", word);
    char *form = cut_form(text + (range->path - text));
    range->is_array = cli_ends_with(range->path, npy);
    if (range->is_array && !read_form(range, form))
        return cli_usage_error(args,
                               "--dump %s: expected FILE.npy:TYPE[:SHAPE], such as "
                               "x.npy:f32:4x8, of %llu bytes in all",
                               word, (unsigned long long)range->size);
    return CLI_OK;
}

int run_memory_load(const char *path, char **data, size_t *size)
{
    struct sam_error error;
    struct sam_array array;
    const int code = cli_load(path, RUN_MAX_PROGRAM, data, size);
    if (code != CLI_OK)
        return code;
    const bool magic = *size >= 6 && memcmp(*data, "\x93NUMPY", 6) == 0;
    if (!magic && !cli_ends_with(path, npy))
        return CLI_OK;
    enum sam_status status = sam_npy_parse(*data, *size, path, &array, &error);
    free(*data);
    *data = NULL;
    if (status != SAM_OK)
        return cli_report(&error);
    *data = array.data;
    *size = array.size;
    return CLI_OK;
}
