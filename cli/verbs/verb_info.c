/* SPDX-License-Identifier: Apache-2.0 */
/* samite info: list the contents of a weight file, packed or not. Reads headers only. */
#include <stdlib.h>
#include <sys/stat.h>

#include "weights.h"

static const char *const kinds[] = {"raw", "npy", "safetensors", "gguf"};

/* *file: its tensors and, unless `packed` is NULL, the packing of each. It is NULL on
 * out-of-memory, reported by report_row. On failure returns false and fills `error`. */
static bool describe(const char *path, const char *kind, uint64_t bytes,
                     const struct sam_weight *tensors, size_t count,
                     const struct sam_packed *packed, json_t **file, struct sam_error *error)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < count; i++) {
        struct sam_packed_stat stat;
        json_t *row = weights_row(&tensors[i]);
        row = REPORT_MORE(row, COUNT("offset", tensors[i].offset), COUNT("bytes", tensors[i].size));
        if (packed) {
            if (sam_packed_stat(packed, i, &stat, error) != SAM_OK) {
                weights_name_error(path, error);
                json_decref(row);
                json_decref(rows);
                return false;
            }
            row = REPORT_MORE(row, COUNT("packed", stat.packed), TEXT("planes", stat.layout),
                              COUNT("blocks", stat.blocks), COUNT("verbatim", stat.verbatim),
                              FLAG("all_verbatim", stat.blocks && stat.verbatim == stat.blocks));
        }
        rows = report_add(rows, row);
    }
    *file = REPORT(TEXT("file", path), TEXT("kind", kind), COUNT("bytes", bytes),
                   TREE("tensors", rows));
    return true;
}

#define TITLES "tensor                                   dtype             shape          bytes"

static bool show_tensors(const char *path, const char *kind, uint64_t size,
                         const struct sam_weight *tensors, size_t count, json_t *files,
                         struct sam_error *error)
{
    json_t *file;
    return describe(path, kind, size, tensors, count, NULL, &file, error) &&
           report_row(files,
                      "{file}: {kind}, {bytes} bytes\n" TITLES "\n"
                      "*tensors " WEIGHTS_ROW("16") " {bytes:14}\n",
                      file, error);
}

static bool show_packed(const char *path, const struct sam_packed *packed, uint64_t size,
                        json_t *files, struct sam_error *error)
{
    const struct sam_weights *w = sam_packed_weights(packed);
    json_t *file;
    return describe(path, kinds[w->kind], w->file_size, w->tensors, w->count, packed, &file,
                    error) &&
           report_row(
               files,
               "{file}: {kind}, {bytes} bytes packed into {packed} ({packed%bytes:.1} %)\n" TITLES
               "         packed  planes\n"
               "*tensors " WEIGHTS_ROW("16") " {bytes:14} {packed:14}  "
                                             "{planes}{all_verbatim|, verbatim|}\n",
               report_count(file, "packed", size), error);
}

static bool show_model(const char *path, json_t *files, struct sam_error *error)
{
    struct sam_model *model;
    struct stat status = {0};
    size_t count;
    if (sam_model_open(path, &model, error) != SAM_OK)
        return false;
    const struct sam_weight *tensors = sam_model_tensors(model, &count);
    stat(path, &status);
    bool good = show_tensors(path, weights_ends_with(path, ".onnx") ? "onnx" : "pytorch",
                             (uint64_t)status.st_size, tensors, count, files, error);
    sam_model_close(model);
    return good;
}

static bool show(const char *path, json_t *files, struct sam_error *error)
{
    if (weights_are_model(path))
        return show_model(path, files, error);
    struct weights_packed file = {0};
    struct weights_input *in = &file.input;
    bool good = weights_open(path, &(struct weights_hint){0}, in, error);
    if (good && (weights_is_packed(in) || weights_ends_with(path, PACKED_SUFFIX)))
        good = weights_packed_start(&file, NULL, error) &&
               show_packed(path, file.packed, file.size, files, error);
    else if (good)
        good = show_tensors(path, kinds[in->weights.kind], in->weights.file_size,
                            in->weights.tensors, in->weights.count, files, error);
    weights_packed_close(&file);
    return good;
}

static bool is_shown(const char *path)
{
    return weights_ends_with(path, PACKED_SUFFIX) || weights_are_known(path) ||
           weights_are_model(path);
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
        cli_fail(&error, SAM_ERR_INPUT, path,
                 "no weights (*" PACKED_SUFFIX ", .safetensors, .gguf, .npy, .onnx, .pt) in it");
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
    return cli_json_end(r.json, files, info(r.path, files));
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
    .operand = CLI_OPERAND(struct request, path, "file or folder", CLI_TEXT, 1, 1,
                           WEIGHTS_SUFFIXES " .onnx " PACKED_SUFFIX),
    .details =
        "Prints one line per tensor: type, shape, bytes; for packed ones also the packed size\n"
        "and the planes. Reads packed files, safetensors, gguf, npy, onnx and PyTorch checkpoints\n"
        "(.pt, .pth, .bin, .ckpt), or all such files of a folder; any other file is treated as\n"
        "one tensor of bytes. The kind of a packed checkpoint is raw: an archive of tensors.\n",
    .examples = "  samite info model.safetensors.smw\n"
                "  samite info --json model.gguf\n",
    .run = run,
};
