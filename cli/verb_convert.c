/* SPDX-License-Identifier: Apache-2.0 */
/* samite convert: arrays and plain bytes into one safetensors file. */
#include <stdlib.h>
#include <string.h>

#include "weights.h"

enum { MAX_TENSORS = 4096, PIECE = 1 << 20 };

struct tensor {
    char *name;
    struct weights_hint hint;
    struct weights_input input;
    enum sam_weight_type to; /* bf16 from f32, or what it is */
};

struct request {
    const struct cli_args *args;
    const char *output;
    struct tensor *tensors;
    size_t count;
    bool to_bf16;
};

static const char *safetensors_name(enum sam_weight_type type)
{
    static const char *const names[SAM_W_TYPES] = {
        [SAM_W_OPAQUE] = "U8",    [SAM_W_BF16] = "BF16",    [SAM_W_F16] = "F16",
        [SAM_W_F32] = "F32",      [SAM_W_E4M3] = "F8_E4M3", [SAM_W_E5M2] = "F8_E5M2",
        [SAM_W_E8M0] = "F8_E8M0", [SAM_W_E2M1] = "F4",      [SAM_W_U8] = "U8",
        [SAM_W_I8] = "I8",        [SAM_W_U16] = "U16",      [SAM_W_I16] = "I16",
        [SAM_W_U32] = "U32",      [SAM_W_I32] = "I32",      [SAM_W_U64] = "U64",
        [SAM_W_I64] = "I64",      [SAM_W_F64] = "F64",      [SAM_W_BOOL] = "BOOL",
    };
    return names[type];
}

static const struct sam_weight *weight_of(const struct tensor *t)
{
    return &t->input.weights.tensors[0];
}

static uint64_t size_of(const struct tensor *t)
{
    const struct sam_weight *w = weight_of(t);
    return t->to == w->type ? w->size : w->size / 2;
}

/* The header and the 8 bytes in front of it, padded so that the tensors begin at a multiple of 8.
 */
static char *make_header(const struct request *r, size_t *size)
{
    json_t *root = json_object();
    uint64_t at = 0;
    for (size_t i = 0; i < r->count; i++) {
        const struct tensor *t = &r->tensors[i];
        const struct sam_weight *w = weight_of(t);
        uint64_t end = at + size_of(t);
        json_t *shape = json_array();
        for (size_t d = 0; d < w->rank; d++)
            json_array_append_new(shape, json_integer((json_int_t)w->shape[d]));
        json_t *entry = json_pack("{s:s, s:o, s:[I, I]}", "dtype", safetensors_name(t->to), "shape",
                                  shape, "data_offsets", (json_int_t)at, (json_int_t)end);
        json_object_set_new(root, t->name, entry);
        at = end;
    }
    char *text = json_dumps(root, JSON_COMPACT), *header = NULL;
    json_decref(root);
    if (text) {
        size_t length = strlen(text), padded = (length + 7) / 8 * 8;
        header = malloc(8 + padded);
        *size = 8 + padded;
        for (size_t i = 0; header && i < 8; i++)
            header[i] = (char)(padded >> (8 * i) & 255);
        if (header) {
            memset(header + 8, ' ', padded);
            for (size_t i = 0; i < length; i++)
                header[8 + i] = text[i];
        }
    }
    free(text);
    return header;
}

/* f32 to bf16, to the nearest, ties to even; a NaN stays one. In place; the new size. */
static size_t shorten(uint8_t *data, size_t size)
{
    for (size_t i = 0; i < size / 4; i++) {
        uint32_t x;
        memcpy(&x, data + 4 * i, sizeof x);
        bool nan = (x & 0x7fffffff) > 0x7f800000;
        x = nan ? x >> 16 | 0x40 : (x + 0x7fff + (x >> 16 & 1)) >> 16;
        data[2 * i] = (uint8_t)x;
        data[2 * i + 1] = (uint8_t)(x >> 8);
    }
    return size / 2;
}

static bool copy_tensor(struct tensor *t, struct cli_output *output, uint8_t *piece,
                        struct sam_error *error)
{
    const struct sam_weight *w = weight_of(t);
    uint64_t skip = w->offset, left = w->size;
    size_t waiting = 0;
    while (left) {
        uint64_t room = skip ? skip : left - waiting;
        long got = weights_read(&t->input, piece + waiting,
                                room < PIECE - waiting ? (size_t)room : PIECE - waiting, error);
        if (got < 0)
            return false;
        if (got == 0) {
            error->status = SAM_ERR_INPUT;
            snprintf(error->text, sizeof error->text, "%.400s: it has become shorter",
                     t->input.path);
            return false;
        }
        if (skip) {
            skip -= (uint64_t)got;
            continue;
        }
        waiting += (size_t)got;
        if (waiting < PIECE && waiting < left)
            continue;
        left -= waiting;
        size_t size = t->to == w->type ? waiting : shorten(piece, waiting);
        if (!cli_output_write(output, piece, size))
            return false;
        waiting = 0;
    }
    return true;
}

static bool convert(struct request *r, struct sam_error *error)
{
    size_t size = 0;
    char *header = make_header(r, &size);
    uint8_t *piece = malloc(PIECE);
    struct cli_output *output = NULL;
    bool good = header && piece;
    if (!good)
        snprintf(error->text, sizeof error->text, "out of memory");
    good = good && (output = cli_output_open(r->output, error)) != NULL &&
           cli_output_write(output, header, size);
    for (size_t i = 0; good && i < r->count; i++)
        good = copy_tensor(&r->tensors[i], output, piece, error);
    free(header);
    free(piece);
    if (output && (good || cli_output_failed(output)))
        return cli_output_commit(output, error) && good;
    cli_output_abort(output);
    return false;
}

/* NAME=FILE[:TYPE[:SHAPE]]; without a name it is that of the file. */
static bool add(struct request *r, const char *word)
{
    struct tensor *t = &r->tensors[r->count];
    struct sam_error error = {0};
    if (r->count == MAX_TENSORS) {
        cli_usage_error(r->args, "more than %d tensors", MAX_TENSORS);
        return false;
    }
    const char *equals = strchr(word, '='), *file = equals ? equals + 1 : word;
    const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file;
    t->input.file = -1;
    r->count++;
    char *path = strdup(file), *rest = path;
    t->name = equals ? strndup(word, (size_t)(equals - word)) : strndup(base, strcspn(base, ".:"));
    strsep(&rest, ":");
    const char *type = strsep(&rest, ":"), *shape = strsep(&rest, ":");
    bool good = t->name && path && (!type || weights_hint_type(r->args, type, &t->hint)) &&
                (!shape || weights_hint_shape(r->args, shape, &t->hint));
    if (good && !weights_open(path, &t->hint, &t->input, &error)) {
        cli_report(&error);
        good = false;
    }
    t->input.path = word; /* `path` goes; the word stays */
    free(path);
    if (!good)
        return false;
    enum sam_weight_type from = t->input.weights.count ? weight_of(t)->type : SAM_W_OPAQUE;
    if (t->input.weights.count != 1 || !safetensors_name(from)) {
        cli_usage_error(r->args, "%s: one array of a type that safetensors has, please", word);
        return false;
    }
    for (size_t i = 0; i + 1 < r->count; i++) {
        if (strcmp(r->tensors[i].name, t->name) == 0) {
            cli_usage_error(r->args, "two tensors are called '%s'", t->name);
            return false;
        }
    }
    t->to = r->to_bf16 && from == SAM_W_F32 ? SAM_W_BF16 : from;
    return true;
}

static int read_words(struct cli_args *args, struct request *r)
{
    const char *value;
    for (int option; (option = cli_next(args, &value)) != CLI_END;) {
        switch (option) {
        case 'o': r->output = value; break;
        case 'b': r->to_bf16 = true; break;
        case CLI_POSITIONAL:
            if (!add(r, value))
                return CLI_BAD_INPUT;
            break;
        default: return CLI_BAD_INPUT;
        }
    }
    if (!r->count || !r->output)
        return cli_usage_error(args, r->count ? "where to? (-o)" : "which arrays?");
    struct sam_error error = {0};
    return convert(r, &error) ? CLI_OK : cli_report(&error);
}

static int run(struct cli_args *args)
{
    struct request r = {.args = args, .tensors = calloc(MAX_TENSORS, sizeof *r.tensors)};
    int code = CLI_BAD_INPUT;
    if (r.tensors)
        code = read_words(args, &r);
    else
        fprintf(stderr, "samite: error: out of memory\n");
    for (size_t i = 0; i < r.count; i++) {
        free(r.tensors[i].name);
        weights_close(&r.tensors[i].input);
    }
    free(r.tensors);
    return code;
}

static const struct cli_option options[] = {
    {'o', "output", "FILE", "the safetensors file"},
    {'b', "bf16", NULL, "round the f32 arrays that follow to bf16 (to nearest, ties to even)"},
    {0},
};

const struct cli_verb verb_convert = {
    .name = "convert",
    .summary = "make a safetensors file of arrays",
    .usage = "[options] [NAME=]FILE[:TYPE[:SHAPE]]...",
    .options = options,
    .details =
        "Each file is a tensor: npy, or plain bytes of a type and a shape. Without a name the\n"
        "tensor is called as the file is.\n\n"
        "Example:\n"
        "  samite convert w.npy bias=b.npy head=head.bin:f16:1000,512 -o m.safetensors\n",
    .run = run,
};
