/* SPDX-License-Identifier: Apache-2.0 */
/* samite info: what is in a packed file. Reads its index and headers, no data. */
#include <stdlib.h>

#include "weights_packed.h"

static json_t *json_tensor(const struct sam_weight *w, const struct sam_packed_stat *stat)
{
    return json_pack("{s:o, s:s, s:o, s:I, s:I, s:I, s:s, s:I, s:I}", "name",
                     weights_json_text(w->name), "dtype", sam_weight_type_name(w->type), "shape",
                     weights_json_shape(w), "offset", (json_int_t)w->offset, "bytes",
                     (json_int_t)w->size, "packed", (json_int_t)stat->packed, "planes",
                     stat->layout, "blocks", (json_int_t)stat->blocks, "verbatim",
                     (json_int_t)stat->verbatim);
}

static bool show(const char *path, const struct sam_packed *packed, size_t size, json_t *files,
                 struct sam_error *error)
{
    static const char *const kinds[] = {"raw", "npy", "safetensors", "gguf"};
    const struct sam_weights *weights = sam_packed_weights(packed);
    json_t *rows = json_array();
    char shape[128];
    if (!files) {
        printf("%s: %s, %llu bytes packed into %zu (%.1f %%)\n", path, kinds[weights->kind],
               (unsigned long long)weights->file_size, size,
               weights->file_size ? 100.0 * (double)size / (double)weights->file_size : 100);
        printf("%-40s %-6s %16s %14s %14s  %s\n", "tensor", "dtype", "shape", "bytes", "packed",
               "planes");
    }
    for (size_t i = 0; i < weights->count; i++) {
        const struct sam_weight *w = &weights->tensors[i];
        struct sam_packed_stat stat;
        if (sam_packed_stat(packed, i, &stat, error) != SAM_OK) {
            json_decref(rows);
            return false;
        }
        if (files)
            json_array_append_new(rows, json_tensor(w, &stat));
        else
            printf("%-40s %-6s %16s %14llu %14llu  %s%s\n", weights_name(w).text,
                   sam_weight_type_name(w->type), weights_shape(w, shape, sizeof shape),
                   (unsigned long long)w->size, (unsigned long long)stat.packed, stat.layout,
                   stat.blocks && stat.verbatim == stat.blocks ? ", kept as it is" : "");
    }
    if (files)
        json_array_append_new(
            files, json_pack("{s:o, s:s, s:I, s:I, s:O}", "file", weights_json_text(path), "kind",
                             kinds[weights->kind], "bytes", (json_int_t)weights->file_size,
                             "packed", (json_int_t)size, "tensors", rows));
    json_decref(rows);
    return true;
}

static int info(const char *path, json_t *files)
{
    struct weights_list list;
    struct sam_error error = {0};
    if (!weights_packed_list(path, &list, &error))
        return cli_report(&error);
    bool good = true;
    for (size_t i = 0; good && i < list.count; i++) {
        struct weights_file file;
        struct sam_packed *packed;
        good = weights_packed_open(list.paths[i], NULL, &file, &packed, &error);
        if (!good)
            break;
        good = show(list.paths[i], packed, file.size, files, &error);
        sam_packed_close(packed);
        weights_unmap(&file);
    }
    weights_list_free(&list);
    return good ? CLI_OK : cli_report(&error);
}

static int run(struct cli_args *args)
{
    const char *value, *path = NULL;
    bool json = false;
    for (int option; (option = cli_next(args, &value)) != CLI_END;) {
        switch (option) {
        case 'j': json = true; break;
        case CLI_POSITIONAL:
            if (path)
                return cli_usage_error(args, "one file or folder, please; '%s' is a second", value);
            path = value;
            break;
        default: return CLI_BAD_INPUT;
        }
    }
    if (!path)
        return cli_usage_error(args, "which packed file?");
    json_t *files = json ? json_array() : NULL;
    int code = info(path, files);
    if (code != CLI_OK) {
        json_decref(files);
        return code;
    }
    return json ? weights_print_json(files) : CLI_OK;
}

static const struct cli_option options[] = {
    {'j', "json", NULL, "as JSON"},
    {0},
};

const struct cli_verb verb_info = {
    .name = "info",
    .summary = "list what is in packed weights",
    .usage = "[options] FILE" PACKED_SUFFIX "|FOLDER",
    .options = options,
    .details = "A line a tensor: type, shape, bytes before and after, planes.\n\n"
               "Example:\n"
               "  samite info model.safetensors.smw\n",
    .run = run,
};
