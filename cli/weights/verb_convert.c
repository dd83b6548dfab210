/* SPDX-License-Identifier: Apache-2.0 */
/* samite convert: write arrays, raw bytes and the tensors of models to one safetensors file. */
#include <stdlib.h>

#include "weights.h"

enum { PIECE = 1 << 20, MAX_HEADER = 100000000 };

/* A source file: one array read sequentially, a model, or an array in memory. */
struct source {
    char *path;
    struct weights_hint hint;
    struct weights_input input;
    struct sam_model *model;
    struct weights_manifest manifest; /* of a TensorFlow.js model */
    struct sam_array array;           /* an array that had to be reordered */
    struct sam_weight ordered;
};

struct tensor {
    const char *name; /* in request.names */
    const struct sam_weight *weight;
    enum sam_dtype to; /* bf16 if rounded from f32, else the same type */
    struct source *source;
    const uint8_t *data;     /* the rest of it if in memory, else NULL */
    struct sam_model *model; /* of which it is tensor `index`, else NULL */
    size_t index;
    uint64_t taken; /* bytes */
};

/* An operand, and whether a --bf16 precedes it. */
struct word {
    const char *text;
    bool to_bf16;
};

struct request {
    struct cli_args *args;
    struct {
        struct word *items;
        size_t count;
    } words;
    const char *output;
    struct source **sources;
    struct tensor *tensors;
    size_t source_count, count;
    json_t *names; /* already in use */
    bool to_bf16, force, json;
};

static const char *safetensors_name(enum sam_dtype type)
{
    return type == SAM_OPAQUE ? "U8" : sam_dtype_safetensors(type);
}

static uint64_t size_of(const struct tensor *t)
{
    return t->to == t->weight->type ? t->weight->size : t->weight->size / 2;
}

/* The header with its 8-byte length, padded so that the tensors begin at a multiple of 8. NULL with
 * `error` filled. */
static char *make_header(const struct request *r, size_t *size, struct sam_error *error)
{
    json_t *root = json_object();
    uint64_t at = 0;
    for (size_t i = 0; i < r->count; i++) {
        const struct tensor *t = &r->tensors[i];
        uint64_t end = at + size_of(t);
        json_t *entry = json_pack("{s:s, s:o, s:[I, I]}", "dtype", safetensors_name(t->to), "shape",
                                  report_numbers(t->weight->shape, t->weight->rank), "data_offsets",
                                  (json_int_t)at, (json_int_t)end);
        json_object_set_new(root, t->name, entry);
        at = end;
    }
    char *text = json_dumps(root, JSON_COMPACT);
    size_t length = text ? strlen(text) : 0, padded = (length + 7) / 8 * 8;
    char *header = text ? malloc(8 + padded) : NULL;
    json_decref(root);
    *size = 8 + padded;
    cli_fail_memory(error);
    if (header) {
        for (size_t i = 0; i < 8; i++)
            header[i] = (char)(padded >> (8 * i) & 255);
        memset(header + 8, ' ', padded);
        for (size_t i = 0; i < length; i++)
            header[8 + i] = text[i];
    }
    free(text);
    if (header && padded > MAX_HEADER) {
        snprintf(error->text, sizeof error->text,
                 "a header of %zu bytes exceeds the limit of readers", padded);
        free(header);
        return NULL;
    }
    return header;
}

/* f32 to what it is converted to, in place; the new size. */
static size_t shorten(enum sam_dtype to, uint8_t *data, size_t size)
{
    size_t count = size / sam_dtype_size(SAM_F32);
    sam_dtype_narrow(to, data, count, data, NULL);
    return count * sam_dtype_size(to);
}

/* Read the next `size` bytes of the tensor. */
static bool fill(struct tensor *t, uint8_t *piece, size_t size, struct sam_error *error)
{
    if (t->data && !cli_stopped()) {
        memcpy(piece, t->data, size);
        t->data += size;
        return true;
    }
    if (t->model && !cli_stopped()) {
        t->taken += size;
        return sam_model_read(t->model, t->index, t->taken - size, size, piece, error) == SAM_OK;
    }
    for (size_t got = 0; got < size;) {
        long more = weights_read(&t->source->input, piece + got, size - got, error);
        if (more < 0)
            return false;
        if (more == 0) {
            return cli_fail(error, SAM_ERR_INPUT, t->source->path, "truncated while it was read");
        }
        got += (size_t)more;
    }
    return true;
}

static size_t part(uint64_t left)
{
    return left < PIECE ? (size_t)left : PIECE;
}

static bool copy_tensor(struct tensor *t, struct sam_output *output, uint8_t *piece,
                        struct cli_bytes *progress, struct sam_error *error)
{
    uint64_t skip = t->data || t->model ? 0 : t->weight->offset, left = t->weight->size;
    for (; skip; skip -= part(skip))
        if (!fill(t, piece, part(skip), error))
            return false;
    for (; left; left -= part(left)) {
        size_t size = part(left);
        if (!fill(t, piece, size, error))
            return false;
        if (!sam_output_write(output, piece,
                              t->to == t->weight->type ? size : shorten(t->to, piece, size)))
            return false;
        cli_bytes_add(progress, size);
    }
    return true;
}

static bool convert(struct request *r, struct sam_error *error)
{
    size_t size = 0;
    char *header = make_header(r, &size, error);
    uint8_t *piece = malloc(PIECE);
    struct sam_output *output = NULL;
    struct cli_bytes progress = {.what = "convert"};
    bool good = header && piece;
    for (size_t i = 0; i < r->count; i++)
        progress.total += r->tensors[i].weight->size;
    for (size_t i = 0; good && i < r->source_count; i++)
        good = weights_may_replace(r->output, r->sources[i]->path, r->force || i > 0, error) &&
               weights_may_write(r->output, r->sources[i]->path, error);
    good = good && sam_output_open(r->output, &output, error) == SAM_OK &&
           sam_output_write(output, header, size);
    for (size_t i = 0; good && i < r->count; i++)
        good = copy_tensor(&r->tensors[i], output, piece, &progress, error);
    cli_bytes_end(&progress);
    free(header);
    free(piece);
    return weights_finish(output, good, error);
}

/* `data` NULL: it is not in memory. */
static int add_tensor(struct request *r, struct source *source, const char *name,
                      const struct sam_weight *weight, const uint8_t *data)
{
    const bool shorter = r->to_bf16 && weight->type == SAM_F32;
    if (strcmp(name, "__metadata__") == 0)
        return cli_usage_error(r->args, "invalid tensor name '%s' for safetensors", name);
    if (json_object_get(r->names, name))
        return cli_usage_error(r->args, "two tensors named '%s'", name);
    json_t *text = json_string(name);
    if (!text)
        return cli_usage_error(r->args, "the name of a tensor of %s is not UTF-8", source->path);
    if (!safetensors_name(weight->type)) {
        json_decref(text);
        return cli_usage_error(r->args, "%s: no safetensors type for '%s', which is %s",
                               source->path, name, sam_dtype_name(weight->type));
    }
    struct tensor *grown = realloc(r->tensors, (r->count + 1) * sizeof *grown);
    if (grown)
        r->tensors = grown;
    if (json_object_set_new(r->names, name, text) != 0 || !grown)
        return cli_no_memory();
    r->tensors[r->count++] = (struct tensor){.name = json_string_value(text),
                                             .weight = weight,
                                             .to = shorter ? SAM_BF16 : weight->type,
                                             .source = source,
                                             .data = data};
    return CLI_OK;
}

/* Add all tensors of a model. */
static int add_tensors(struct request *r, struct source *source, const struct sam_weight *tensors,
                       size_t count, const uint8_t *const *data)
{
    int code = CLI_OK;
    if (!count)
        return cli_usage_error(r->args, "%s: contains no tensors", source->path);
    for (size_t i = 0; i < count && code == CLI_OK; i++)
        code = add_tensor(r, source, tensors[i].name, &tensors[i], data ? data[i] : NULL);
    return code;
}

/* Add the tensors of source->model, or say why it could not be opened. */
static int add_opened(struct request *r, struct source *source, enum sam_status status,
                      const struct sam_error *error)
{
    const size_t first = r->count;
    size_t count = 0;
    if (status != SAM_OK)
        return cli_report(error);
    const struct sam_weight *tensors = sam_model_tensors(source->model, &count);
    const int code = add_tensors(r, source, tensors, count, NULL);
    for (size_t i = first; i < r->count; i++) {
        r->tensors[i].model = source->model;
        r->tensors[i].index = i - first;
    }
    return code;
}

static int add_model(struct request *r, struct source *source)
{
    struct sam_error error = {0};
    return add_opened(r, source, sam_model_open(source->path, &source->model, &error), &error);
}

static int add_manifest(struct request *r, struct source *source)
{
    struct sam_error error = {0};
    const struct weights_manifest *m = &source->manifest;
    return weights_manifest_load(source->path, &source->manifest, &error)
               ? add_tensors(r, source, m->tfjs.tensors, m->tfjs.count, m->at)
               : cli_report(&error);
}

/* Add an array in Fortran order or big-endian. */
static int add_ordered(struct request *r, struct source *source, const char *name)
{
    struct sam_error error = {0};
    const struct sam_array *array = &source->array;
    struct sam_weight *w = &source->ordered;
    if (source->hint.has_type || source->hint.has_shape)
        return cli_usage_error(
            r->args, "%s: a type cannot be given for an array in Fortran order or big-endian",
            source->path);
    if (sam_npy_read(source->path, &source->array, &error) != SAM_OK)
        return cli_report(&error);
    *w = (struct sam_weight){.type = array->dtype, .rank = array->rank, .size = array->size};
    memcpy(w->shape, array->shape, sizeof array->shape);
    return add_tensor(r, source, name, w, array->data);
}

/* An array, or a checkpoint from a pipe. */
static int add_array(struct request *r, struct source *source, const char *name)
{
    struct sam_error error = {0};
    struct weights_input *in = &source->input;
    if (!weights_open(source->path, &source->hint, in, &error))
        return cli_report(&error);
    if (!source->hint.has_type &&
        weights_begin_checkpoint(source->path, in->prefix, in->prefix_size))
        return add_opened(
            r, source,
            sam_model_open_torch(weights_source(in), source->path, &source->model, &error), &error);
    if (in->weights.count != 1 ||
        (in->weights.kind != SAM_WEIGHTS_NPY && in->weights.kind != SAM_WEIGHTS_RAW))
        return cli_usage_error(r->args, "%s: expected an array, raw bytes or a model (.onnx)",
                               source->path);
    if (!source->hint.has_type && weights_begin_archive(in->prefix, in->prefix_size))
        return cli_usage_error(r->args,
                               "%s: a zip archive, of which only checkpoints are read: extract the "
                               "arrays of an .npz, or give a type (%s:u8)",
                               source->path, cli_base_name(source->path));
    return in->weights.out_of_order ? add_ordered(r, source, name)
                                    : add_tensor(r, source, name, in->weights.tensors, NULL);
}

/* Allocated separately, so that its tensors can point to it. */
static struct source *add_source(struct request *r, const char *path)
{
    struct source **grown = realloc(r->sources, (r->source_count + 1) * sizeof(struct source *));
    if (!grown)
        return NULL;
    r->sources = grown;
    struct source *source = calloc(1, sizeof *source);
    if (!source)
        return NULL;
    r->sources[r->source_count++] = source;
    source->input.file = -1;
    source->path = strdup(path);
    return source->path ? source : NULL;
}

/* Add [NAME=]FILE[:TYPE[:SHAPE]]; the default name is that of the file. */
static int add(struct request *r, const char *word)
{
    const char *equals = strchr(word, '='), *file = equals ? equals + 1 : word;
    struct source *source = add_source(r, file);
    if (!source)
        return cli_no_memory();
    char *rest = source->path; /* split at the colons */
    strsep(&rest, ":");
    const char *type = strsep(&rest, ":"), *shape = strsep(&rest, ":"),
               *base = cli_base_name(source->path);
    bool onnx = weights_ends_with(source->path, ".onnx"),
         model = onnx || (!type && weights_are_model(source->path));
    if (model || (weights_ends_with(source->path, ".json") && !type)) {
        if (!equals && !type)
            return model ? add_model(r, source) : add_manifest(r, source);
        return cli_usage_error(r->args, "%s: names and types cannot be given for a model",
                               source->path);
    }
    if (rest)
        return cli_usage_error(r->args, "'%s' is not NAME=FILE:TYPE:SHAPE", word);
    if ((type && weights_parse_type(r->args, NULL, type, &source->hint)) ||
        (shape && weights_parse_shape(r->args, NULL, shape, &source->hint)))
        return CLI_BAD_INPUT;
    char *name =
        equals ? strndup(word, (size_t)(equals - word)) : strndup(base, strcspn(base, "."));
    const int code = name ? add_array(r, source, name) : cli_no_memory();
    free(name);
    return code;
}

static json_t *json_file(const struct request *r)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < r->count; i++) {
        const struct tensor *t = &r->tensors[i];
        json_t *row = weights_row(t->weight);
        row = REPORT_MORE(row, TEXT("name", t->name), TEXT("dtype", sam_dtype_name(t->to)),
                          COUNT("bytes", size_of(t)));
        rows = report_add(rows, report_text(row, "from", t->source->path));
    }
    return report_add(json_array(), REPORT(TEXT("file", r->output), TREE("tensors", rows)));
}

static int parse_word(struct cli_args *args, const struct cli_option *option, const char *text,
                      void *request)
{
    struct request *r = request;
    struct word *word = CLI_APPEND(args, &r->words);
    (void)option;
    if (!word)
        return cli_no_memory();
    *word = (struct word){text, r->to_bf16};
    return CLI_OK;
}

static int obey(struct request *r)
{
    struct cli_args *args = r->args;
    int code = cli_read(args, r);
    if (code != CLI_OK)
        return code;
    const bool idle = r->to_bf16 && !r->words.items[r->words.count - 1].to_bf16;
    for (size_t i = 0; i < r->words.count && code == CLI_OK; i++) {
        r->to_bf16 = r->words.items[i].to_bf16;
        code = add(r, r->words.items[i].text);
    }
    if (code != CLI_OK)
        return code;
    if (!r->output)
        return cli_usage_error(args, "no output: use -o FILE");
    if (idle)
        return cli_usage_error(args, "--bf16 has no effect: put it before the arrays to round");
    if (r->json && strcmp(r->output, "-") == 0)
        return cli_usage_error(args, "--json and the output cannot both go to standard output");
    struct sam_error error = {0};
    if (!convert(r, &error))
        return cli_report(&error);
    return r->json ? cli_json_print(json_file(r)) : CLI_OK;
}

static int run(struct cli_args *args)
{
    struct request r = {.args = args, .names = json_object()};
    int code = obey(&r);
    for (size_t i = 0; i < r.source_count; i++) {
        struct source *source = r.sources[i];
        sam_model_close(source->model);
        weights_manifest_free(&source->manifest);
        sam_array_free(&source->array);
        weights_close(&source->input);
        free(source->path);
        free(source);
    }
    free(r.sources);
    free(r.tensors);
    json_decref(r.names);
    return code;
}

static const struct cli_option options[] = {
    CLI_OUTPUT(struct request, output, "the safetensors file"),
    CLI_ROW(struct request, to_bf16, "bf16", CLI_FLAG, NULL,
            "round the f32 arrays that follow to bf16 (to nearest, ties to even)"),
    CLI_FORCE(struct request, force),
    CLI_JSON(struct request, json, "print the result for each array as JSON"),
    {0},
};

const struct cli_verb verb_convert = {
    .name = "convert",
    .summary = "convert arrays or an ONNX, PyTorch or TensorFlow.js model to safetensors",
    .usage = "[options] MODEL.onnx|MODEL.pt|MODEL.json|[NAME=]FILE[:TYPE[:SHAPE]]...",
    .options = options,
    .operand = {.name = "array or model",
                .grammar = CLI_PARSE,
                .parse = parse_word,
                .low = 1,
                .suffixes = ".onnx .pt .pth .bin .ckpt .npy .json"},
    .details =
        "Each file is a tensor: npy, or raw bytes with a type and a shape. The default name of\n"
        "a tensor is that of its file. From an ONNX model all tensors are taken, with their\n"
        "names: initializers and values of Constant nodes, including those of subgraphs;\n"
        "external data is read from files in the model's folder or below. From a PyTorch\n"
        "checkpoint (.pt, .pth, .bin, .ckpt of torch.save) all tensors are taken, named by the\n"
        "keys that lead to them; its pickle is parsed as data, never executed. From a model.json\n"
        "of TensorFlow.js all weights are taken from the files it names, which must be in the same "
        "folder;\n"
        "quantized ones become f32, those stored as float16 become f16.\n",
    .examples = "  samite convert w.npy bias=b.npy head=head.bin:f16:1000,512 -o m.safetensors\n"
                "  samite convert --bf16 model.onnx -o model.safetensors\n"
                "  samite convert pytorch_model.bin -o model.safetensors\n",
    .run = run,
};
