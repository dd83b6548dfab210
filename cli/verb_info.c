/* SPDX-License-Identifier: Apache-2.0 */
/* samite info: list the contents of a weight file, packed or not. Reads headers only. */
#include <stdlib.h>
#include <string.h>

#include "weights_packed.h"

static const char *const kinds[] = {"raw", "npy", "safetensors", "gguf"};

/* A tensor; with `stat`, also how it was packed. */
static json_t *json_tensor(const struct sam_weight *w, const struct sam_packed_stat *stat)
{
    json_t *row = json_pack("{s:o, s:s, s:o, s:I, s:I}", "name", cli_json_text(w->name), "dtype",
                            sam_dtype_name(w->type), "shape", weights_json_shape(w), "offset",
                            (json_int_t)w->offset, "bytes", (json_int_t)w->size);
    json_t *more = !stat ? NULL
                         : json_pack("{s:I, s:s, s:I, s:I}", "packed", (json_int_t)stat->packed,
                                     "planes", stat->layout, "blocks", (json_int_t)stat->blocks,
                                     "verbatim", (json_int_t)stat->verbatim);
    json_object_update(row, more);
    json_decref(more);
    return row;
}

static void print_tensor(const struct sam_weight *w, const struct sam_packed_stat *stat)
{
    char shape[128];
    printf("%-40s %-6s %16s %14llu", weights_name(w).text, sam_dtype_name(w->type),
           weights_shape(w, shape, sizeof shape), (unsigned long long)w->size);
    if (stat)
        printf(" %14llu  %s%s", (unsigned long long)stat->packed, stat->layout,
               stat->blocks && stat->verbatim == stat->blocks ? ", verbatim" : "");
    printf("\n");
}

static bool show_packed(const char *path, const struct sam_packed *packed, uint64_t size,
                        json_t *files, struct sam_error *error)
{
    const struct sam_weights *weights = sam_packed_weights(packed);
    json_t *rows = json_array();
    if (!files) {
        printf("%s: %s, %llu bytes packed into %llu (%.1f %%)\n", cli_plain(path).text,
               kinds[weights->kind], (unsigned long long)weights->file_size,
               (unsigned long long)size,
               weights->file_size ? 100.0 * (double)size / (double)weights->file_size : 100);
        printf("%-40s %-6s %16s %14s %14s  %s\n", "tensor", "dtype", "shape", "bytes", "packed",
               "planes");
    }
    for (size_t i = 0; i < weights->count; i++) {
        struct sam_packed_stat stat;
        if (sam_packed_stat(packed, i, &stat, error) != SAM_OK) {
            weights_name_error(path, error);
            json_decref(rows);
            return false;
        }
        if (files)
            json_array_append_new(rows, json_tensor(&weights->tensors[i], &stat));
        else
            print_tensor(&weights->tensors[i], &stat);
    }
    if (files)
        json_array_append_new(files, json_pack("{s:o, s:s, s:I, s:I, s:O}", "file",
                                               cli_json_text(path), "kind", kinds[weights->kind],
                                               "bytes", (json_int_t)weights->file_size, "packed",
                                               (json_int_t)size, "tensors", rows));
    json_decref(rows);
    return true;
}

/* List an unpacked file. */
static void show_tensors(const char *path, const char *kind, uint64_t size,
                         const struct sam_weight *tensors, size_t count, json_t *files)
{
    json_t *rows = files ? json_array() : NULL;
    if (!files) {
        printf("%s: %s, %llu bytes\n", cli_plain(path).text, kind, (unsigned long long)size);
        printf("%-40s %-6s %16s %14s\n", "tensor", "dtype", "shape", "bytes");
    }
    for (size_t i = 0; i < count; i++) {
        if (files)
            json_array_append_new(rows, json_tensor(&tensors[i], NULL));
        else
            print_tensor(&tensors[i], NULL);
    }
    if (files)
        json_array_append_new(files,
                              json_pack("{s:o, s:s, s:I, s:o}", "file", cli_json_text(path), "kind",
                                        kind, "bytes", (json_int_t)size, "tensors", rows));
}

static bool show_model(const char *path, json_t *files, struct sam_error *error)
{
    char *data;
    size_t size;
    struct sam_onnx model = {0};
    if (sam_file_load(path, INT32_MAX, &data, &size, error) != SAM_OK)
        return false;
    bool good = sam_onnx_parse(data, size, path, &model, error) == SAM_OK;
    if (good)
        show_tensors(path, "onnx", size, model.tensors, model.count, files);
    sam_onnx_free(&model);
    free(data);
    return good;
}

static bool show(const char *path, json_t *files, struct sam_error *error)
{
    if (weights_ends_with(path, ".onnx"))
        return show_model(path, files, error);
    struct weights_packed file = {0};
    struct weights_input *in = &file.input;
    bool good = weights_open(path, &(struct weights_hint){0}, in, error);
    if (good && (weights_is_packed(in) || weights_ends_with(path, PACKED_SUFFIX)))
        good = weights_packed_start(&file, NULL, error) &&
               show_packed(path, file.packed, file.size, files, error);
    else if (good)
        show_tensors(path, kinds[in->weights.kind], in->weights.file_size, in->weights.tensors,
                     in->weights.count, files);
    weights_packed_close(&file);
    return good;
}

static bool is_shown(const char *path)
{
    return weights_ends_with(path, PACKED_SUFFIX) || weights_are_known(path) ||
           weights_ends_with(path, ".onnx");
}

static int info(const char *path, json_t *files)
{
    struct weights_list list;
    struct sam_error error = {0};
    bool many = weights_are_many(path), any = !many;
    bool good = many ? weights_list(path, &list, &error) : weights_list_one(path, &list, &error);
    if (!good)
        return cli_report(&error);
    for (size_t i = 0; good && i < list.count; i++) {
        bool shown = !many || is_shown(list.paths[i]);
        any |= shown;
        good = !shown || show(list.paths[i], files, &error);
    }
    weights_list_free(&list);
    if (good && !any) {
        error.status = SAM_ERR_INPUT;
        snprintf(error.text, sizeof error.text,
                 "%s: no weights (*" PACKED_SUFFIX ", .safetensors, .gguf, .npy, .onnx) in it",
                 path);
    }
    return good && any ? CLI_OK : cli_report(&error);
}

struct request {
    const char *path;
    bool json;
};

static int run(struct cli_args *args)
{
    struct request r = {0};
    int code = cli_read(args, &r);
    if (code != CLI_OK)
        return code;
    json_t *files = r.json ? json_array() : NULL;
    code = info(r.path, files);
    if (code != CLI_OK) {
        json_decref(files);
        return code;
    }
    return r.json ? cli_json_print(files) : CLI_OK;
}

static const struct cli_option options[] = {
    CLI_JSON(struct request, json, "print JSON"),
    {0},
};

const struct cli_verb verb_info = {
    .name = "info",
    .summary = "list the tensors in weights, packed or not",
    .usage = "[options] FILE|FOLDER|INDEX.json",
    .options = options,
    .operand = {.name = "file or folder",
                .grammar = CLI_TEXT,
                .low = 1,
                .high = 1,
                .suffixes = WEIGHTS_SUFFIXES " .onnx " PACKED_SUFFIX,
                CLI_AT(struct request, path)},
    .details =
        "Prints one line per tensor: type, shape, bytes; for packed ones also the packed size\n"
        "and the planes. Reads packed files, safetensors, gguf, npy and onnx, or all such files\n"
        "of a folder; any other file is treated as one tensor of bytes.\n",
    .examples = "  samite info model.safetensors.smw\n"
                "  samite info --json model.gguf\n",
    .run = run,
};
