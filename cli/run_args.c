/* SPDX-License-Identifier: Apache-2.0 */
/* --arg: what each word means, and the kernel's argument buffer (manual 2.2: pointers of 4 bytes,
 * scalars at their own alignment, at least 4). */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "run.h"

/* Local memory for __local pointers is handed out downward from the top of the window, as the
 * public driver does; stacks grow upward from its bottom. */
#define LOCAL_TOP (SAM_LDS_BASE + SAM_LDS_SIZE)

static int bad_argument(const struct run_request *request, const char *word, const char *what)
{
    return cli_usage_error(request->args, "--arg %s: %s", word, what);
}

/* Cut the text at its next ':'; NULL at the end. */
static char *next_part(char **rest)
{
    char *part = *rest;
    if (!part)
        return NULL;
    char *colon = strchr(part, ':');
    *rest = colon ? colon + 1 : NULL;
    if (colon)
        *colon = '\0';
    return part;
}

/* "1024", "32x32" or "32,32": up to 8 dimensions. */
static bool parse_shape(char *text, struct sam_array *array)
{
    uint64_t count = 1;
    for (array->rank = 0; text; array->rank++) {
        char *times = strpbrk(text, "x,");
        if (times == text + 1 && text[0] == '0' && *times == 'x')
            return false; /* 0x10 would be read as 0 x 10 */
        if (times)
            *times = '\0';
        uint64_t value;
        if (array->rank == 8 || !cli_parse_u64(text, &value) || value == 0 || value > UINT32_MAX ||
            (count *= value) > UINT32_MAX)
            return false;
        array->shape[array->rank] = value;
        text = times ? times + 1 : NULL;
    }
    array->count = (size_t)count;
    array->size = array->count * sam_dtype_size(array->dtype);
    return array->size <= UINT32_MAX;
}

static int parse_output(const struct run_request *request, const char *word, char *rest,
                        struct run_argument *a)
{
    char *type = next_part(&rest), *shape = next_part(&rest);
    if (!type || !sam_dtype_parse(type, &a->array.dtype))
        return bad_argument(request, word,
                            "expected out:TYPE:COUNT[:FILE.npy], with a type such as "
                            "f32 or u8");
    if (!shape || !parse_shape(shape, &a->array))
        return bad_argument(request, word, "expected a count or a shape such as 32x32");
    a->array.data = calloc(a->array.size, 1);
    if (!a->array.data) {
        fprintf(stderr, "samite: error: out of memory\n");
        return CLI_BAD_INPUT;
    }
    a->kind = RUN_BUFFER;
    a->output = true;
    a->path = rest;
    return rest && !*rest ? bad_argument(request, word, "the file's name is missing") : CLI_OK;
}

static int parse_input(const struct run_request *request, const char *word, const char *path,
                       struct run_argument *a)
{
    struct sam_error error;
    a->kind = RUN_BUFFER;
    a->input = path;
    if (!path || !*path)
        return bad_argument(request, word, "the file's name is missing");
    return sam_npy_read(path, &a->array, &error) == SAM_OK ? CLI_OK : cli_report(&error);
}

static bool parse_integer(const char *text, bool is_signed, unsigned bits, uint64_t *value)
{
    bool negative = is_signed && *text == '-';
    uint64_t magnitude;
    if (!cli_parse_u64(text + negative, &magnitude))
        return false;
    uint64_t top = is_signed ? (UINT64_C(1) << (bits - 1)) - !negative : UINT64_MAX >> (64 - bits);
    *value = negative ? 0 - magnitude : magnitude;
    return magnitude <= top;
}

/* Decimal or hexadecimal, inf, nan; rounded once, to the type's own precision. */
static bool parse_real(const char *text, bool wide, uint64_t *value)
{
    char *end;
    if (!*text || isspace((unsigned char)*text))
        return false;
    errno = 0;
    double number = 0;
    float single = 0;
    if (wide)
        number = strtod(text, &end);
    else
        number = single = strtof(text, &end);
    uint32_t low;
    memcpy(&low, &single, sizeof low);
    *value = low;
    if (wide)
        memcpy(value, &number, sizeof number);
    return !*end && !(errno == ERANGE && (number > 1 || number < -1)); /* too small is zero */
}

static int parse_scalar(const struct run_request *request, const char *word, enum sam_dtype dtype,
                        const char *text, struct run_argument *a)
{
    unsigned bytes = (unsigned)sam_dtype_size(dtype);
    bool good = false;
    a->kind = RUN_SCALAR;
    a->dtype = dtype;
    a->size = bytes < 4 ? 4 : bytes;
    switch (dtype) {
    case SAM_U8:
    case SAM_U16:
    case SAM_U32:
    case SAM_U64: good = parse_integer(text, false, 8 * bytes, &a->bits); break;
    case SAM_I8:
    case SAM_I16:
    case SAM_I32:
    case SAM_I64: good = parse_integer(text, true, 8 * bytes, &a->bits); break;
    case SAM_F32:
    case SAM_F64: good = parse_real(text, dtype == SAM_F64, &a->bits); break;
    case SAM_BOOL: good = parse_integer(text, false, 1, &a->bits); break;
    case SAM_F16: return bad_argument(request, word, "f16 is for arrays; pass its bits as u16");
    }
    return good ? CLI_OK : bad_argument(request, word, "the value does not fit the type");
}

static int parse_local(const struct run_request *request, const char *word, const char *text,
                       struct run_argument *a)
{
    uint64_t bytes;
    if (!cli_parse_u64(text, &bytes) || bytes == 0 || bytes > SAM_LDS_SIZE)
        return bad_argument(request, word, "expected local:BYTES");
    a->kind = RUN_LOCAL;
    a->size = (size_t)bytes;
    return CLI_OK;
}

/* NAME= in front, when there is one: letters, digits and underscores. */
static void take_name(char **text, struct run_argument *a)
{
    size_t length =
        strspn(*text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    if (length && (*text)[length] == '=') {
        (*text)[length] = '\0';
        a->name = *text;
        *text += length + 1;
    }
}

static int parse_argument(const struct run_request *request, const char *word,
                          struct run_argument *a)
{
    char *rest = a->text = strdup(word);
    if (!rest) {
        fprintf(stderr, "samite: error: out of memory\n");
        return CLI_BAD_INPUT;
    }
    take_name(&rest, a);
    const char *kind = next_part(&rest);
    enum sam_dtype dtype;
    if (!rest)
        return bad_argument(request, word,
                            "expected in:FILE.npy, out:TYPE:COUNT[:FILE.npy], "
                            "inout:IN.npy[:OUT.npy], local:BYTES, or u32:VALUE and "
                            "the like");
    if (strcmp(kind, "in") == 0)
        return parse_input(request, word, rest, a);
    if (strcmp(kind, "out") == 0)
        return parse_output(request, word, rest, a);
    if (strcmp(kind, "local") == 0)
        return parse_local(request, word, rest, a);
    if (strcmp(kind, "inout") == 0) {
        const char *in = next_part(&rest);
        a->output = true;
        a->path = rest;
        if (rest && !*rest)
            return bad_argument(request, word, "the file's name is missing");
        return parse_input(request, word, in, a);
    }
    if (sam_dtype_parse(kind, &dtype))
        return parse_scalar(request, word, dtype, rest, a);
    return bad_argument(request, word,
                        "unknown kind; there are in, out, inout, local and the types u8 i8 u16 i16 "
                        "u32 i32 u64 i64 f32 f64 bool");
}

/* Outputs that can be written, and destroy no other file: an inout may be written where it was
 * read. */
static int check_files(const struct cli_args *args, const struct run_arguments *all)
{
    int code = CLI_OK;
    for (size_t i = 0; i < all->count && code == CLI_OK; i++) {
        const struct run_argument *a = &all->items[i];
        const char *path = a->output ? a->path : NULL;
        if (a->input)
            code = cli_changes(args, a->input, path);
        else if (path)
            code = cli_writes(args, path);
        if (path && code == CLI_OK)
            code = run_check_output(path);
    }
    return code;
}

int run_arguments_parse(const struct run_request *request, struct run_arguments *out)
{
    const struct run_list *words = &request->arguments;
    int code = CLI_OK;
    out->count = 0;
    out->items = calloc(words->count + 1, sizeof *out->items);
    if (!out->items) {
        fprintf(stderr, "samite: error: out of memory\n");
        return CLI_BAD_INPUT;
    }
    for (size_t i = 0; i < words->count && code == CLI_OK; i++)
        code = parse_argument(request, words->items[i], &out->items[out->count++]);
    return code == CLI_OK ? check_files(request->args, out) : code;
}

void run_arguments_free(struct run_arguments *arguments)
{
    for (size_t i = 0; i < arguments->count; i++) {
        sam_array_free(&arguments->items[i].array);
        free(arguments->items[i].text);
    }
    free(arguments->items);
    *arguments = (struct run_arguments){0};
}

/* Memory in the machine for a buffer or a local pointer; its address is what the kernel gets. */
static int place(struct run *run, struct run_argument *a, uint32_t *local_top)
{
    if (a->kind == RUN_LOCAL) {
        uint32_t size = ((uint32_t)a->size + 4095) & ~4095u;
        if (size > *local_top - SAM_LDS_BASE) {
            fprintf(stderr, "samite: error: local arguments of more than 256 MiB\n");
            return CLI_BAD_INPUT;
        }
        a->bits = *local_top -= size;
    } else if (a->kind == RUN_BUFFER) {
        size_t size = a->array.size;
        if (size > UINT32_MAX) {
            fprintf(stderr, "samite: error: %s: larger than 4 GiB\n", a->text);
            return CLI_BAD_INPUT;
        }
        if (sam_gpu_alloc(run->gpu, size ? (uint32_t)size : 4, &a->address, &run->error) !=
                SAM_OK ||
            sam_gpu_write(run->gpu, a->address, a->array.data, size, &run->error) != SAM_OK)
            return cli_report(&run->error);
        a->bits = a->address;
    }
    return CLI_OK;
}

int run_arguments_place(struct run *run, struct run_arguments *arguments, uint8_t **buffer,
                        size_t *size)
{
    uint32_t local_top = LOCAL_TOP;
    *size = 0;
    *buffer = calloc(arguments->count + 1, 16); /* at most 8 bytes behind 4 of padding each */
    if (!*buffer) {
        fprintf(stderr, "samite: error: out of memory\n");
        return CLI_BAD_INPUT;
    }
    for (size_t i = 0; i < arguments->count; i++) {
        struct run_argument *a = &arguments->items[i];
        int code = place(run, a, &local_top);
        if (code != CLI_OK)
            return code;
        size_t width = a->kind == RUN_SCALAR ? a->size : 4;
        *size = (*size + width - 1) & ~(width - 1);
        for (size_t k = 0; k < width; k++)
            (*buffer)[*size + k] = (uint8_t)(a->bits >> 8 * k);
        *size += width;
    }
    return CLI_OK;
}

int run_arguments_fetch(struct run *run, struct run_arguments *arguments)
{
    for (size_t i = 0; i < arguments->count; i++) {
        struct run_argument *a = &arguments->items[i];
        if (a->output &&
            sam_gpu_read(run->gpu, a->address, a->array.data, a->array.size, &run->error) != SAM_OK)
            return cli_report(&run->error);
    }
    for (size_t i = 0; i < arguments->count; i++) {
        struct run_argument *a = &arguments->items[i];
        if (a->output && a->path && sam_npy_write(a->path, &a->array, &run->error) != SAM_OK)
            return cli_report(&run->error);
    }
    return CLI_OK;
}
