/* SPDX-License-Identifier: Apache-2.0 */
/* samite unpack: restore a packed file byte for byte, or one tensor of it. */
#include <stdlib.h>

#include "weights.h"

struct request {
    const struct cli_args *args;
    const char *input, *output, *tensor;
    bool has_range, force, json, quiet;
    uint64_t first, end;
    struct cli_part part;
    struct weights_hint wanted; /* the type of --dtype */
    struct sam_codec_options options;
    json_t *files; /* what --json prints */
};

/* A row for --json, to which members are added. */
static json_t *row_of(const char *from, const char *to)
{
    return REPORT(TEXT("packed_file", from), TEXT("file", to));
}

static bool unpack_file(void *context, const char *from, const char *to, struct sam_error *error)
{
    struct request *r = context;
    struct weights_fed fed;
    struct sam_output *output = weights_create(to, from, error);
    if (!output)
        return false;
    bool good = weights_feed(from, r->quiet ? NULL : "unpack", &r->options,
                             (struct sam_sink){sam_output_write, output}, &fed, error);
    good = weights_finish(output, good, error);
    if (good && r->json) {
        r->files = report_add(r->files, REPORT_MORE(row_of(from, to), COUNT("bytes", fed.bytes),
                                                    COUNT("packed", fed.packed)));
    }
    return good;
}

static bool is_packed(const char *path)
{
    return weights_ends_with(path, PACKED_SUFFIX);
}

/* --- one tensor */
/* Convert the `count` elements of *data to the type of --dtype. */
static bool widen(const struct request *r, struct sam_weight *w, uint64_t count, void **data,
                  size_t *size, struct sam_error *error)
{
    enum sam_dtype to = r->wanted.type;
    if (!r->wanted.has_type || to == w->type)
        return true;
    *size = (size_t)count * sam_dtype_bits(to) / 8;
    void *wide = malloc(*size ? *size : 1);
    if (!wide)
        return cli_fail_memory(error);
    bool good = sam_dtype_widen(w->type, to, *data, count, wide, error) == SAM_OK;
    free(*data);
    *data = wide;
    w->size = w->size * 8 / sam_dtype_bits(w->type) * sam_dtype_bits(to) / 8;
    w->type = to;
    return good;
}

static bool write_tensor(const struct request *r, const struct sam_weight *w, void *data,
                         size_t size, struct sam_error *error)
{
    if (!weights_ends_with(r->output, ".npy"))
        return sam_file_save(r->output, data, size, error) == SAM_OK;
    struct sam_array array = {.dtype = sam_dtype_npy(w->type), .size = size, .data = data};
    array.count = size / sam_dtype_size(array.dtype);
    bool whole =
        size == w->size && w->rank <= 8 && w->type != SAM_OPAQUE && sam_dtype_bits(w->type) >= 8;
    array.rank = whole ? w->rank : 1;
    for (size_t d = 0; d < array.rank; d++)
        array.shape[d] = whole ? w->shape[d] : array.count;
    return sam_npy_write(r->output, &array, error) == SAM_OK;
}

static int read_tensor(struct request *r, const char *path, const struct sam_packed *packed,
                       size_t tensor)
{
    struct sam_weight w = sam_packed_weights(packed)->tensors[tensor];
    struct sam_error error = {0};
    uint64_t bits = sam_dtype_bits(w.type), count = w.size * 8 / bits;
    uint64_t first = r->has_range ? r->first : 0;
    uint64_t end = r->has_range && r->end != UINT64_MAX ? r->end : count;
    if (first > end && first <= count)
        return cli_usage_error(r->args, "%s: the range %llu:%llu ends before it begins", path,
                               (unsigned long long)first, (unsigned long long)end);
    if (first > count || end > count)
        return cli_usage_error(r->args, "%s: the range %llu:%llu exceeds the %llu elements of %s",
                               path, (unsigned long long)first, (unsigned long long)end,
                               (unsigned long long)count, r->tensor);
    if (first * bits % 8 || end * bits % 8)
        return cli_usage_error(r->args, "%s: the range %llu:%llu splits a byte", path,
                               (unsigned long long)first, (unsigned long long)end);
    enum sam_dtype to = r->wanted.has_type ? r->wanted.type : w.type;
    if (to != w.type && !sam_dtype_widens(w.type, to))
        return cli_usage_error(r->args, "%s: --dtype %s cannot hold every value of %s, which is %s",
                               path, sam_dtype_name(to), r->tensor, sam_dtype_name(w.type));
    size_t size = (size_t)((end - first) * bits / 8);
    void *data = malloc(size ? size : 1);
    bool good = (data || cli_fail_memory(&error)) &&
                weights_may_replace(r->output, path, r->force, &error) &&
                weights_may_write(r->output, path, &error);
    if (good && sam_packed_read(packed, tensor, first * bits / 8, size, data, &error) != SAM_OK) {
        weights_name_error(path, &error);
        good = false;
    }
    good = good && widen(r, &w, end - first, &data, &size, &error) &&
           write_tensor(r, &w, data, size, &error);
    free(data);
    if (good && r->json) {
        r->files = report_add(
            r->files, REPORT_MORE(row_of(path, r->output), TEXT("tensor", r->tensor),
                                  TEXT("dtype", sam_dtype_name(w.type)), COUNT("first", first),
                                  COUNT("elements", end - first), COUNT("bytes", size)));
    }
    return good ? CLI_OK : cli_report(&error);
}

/* Look for tensors with names similar to the one wanted. */
static void find_near(const struct sam_packed *packed, struct cli_near *near)
{
    const struct sam_weights *weights = sam_packed_weights(packed);
    for (size_t i = 0; i < weights->count; i++)
        cli_near_offer(near, weights_name(&weights->tensors[i]).text);
}

static int unpack_tensor(struct request *r)
{
    struct weights_list list = {0};
    struct sam_error error = {0};
    if (!weights_packed_list(r->input, &list, &error))
        return cli_report(&error);
    int code = CLI_BAD_INPUT;
    bool found = false;
    struct cli_near near = {.wanted = r->tensor};
    for (size_t i = 0; !found && i < list.count; i++) {
        struct weights_packed file;
        if (!weights_packed_open(list.paths[i], &r->options, &file, &error)) {
            weights_list_free(&list);
            return cli_report(&error);
        }
        size_t tensor = sam_packed_find(file.packed, r->tensor);
        found = tensor != SIZE_MAX;
        if (found)
            code = read_tensor(r, list.paths[i], file.packed, tensor);
        else
            find_near(file.packed, &near);
        weights_packed_close(&file);
    }
    weights_list_free(&list);
    if (found)
        return code;
    if (weights_is_folder(r->input) && !weights_whole(r->input, &error))
        return cli_report(&error); /* the tensor may be in this file */
    return cli_usage_error(r->args, "no tensor is called '%s'%s", r->tensor,
                           near.name[0] ? cli_near_text(&near) : " (samite info lists them)");
}

static int unpack(struct request *r)
{
    struct sam_error error = {0};
    bool many = weights_is_folder(r->input), good;
    const struct weights_work work = {.wanted = is_packed,
                                      .work = unpack_file,
                                      .context = r,
                                      .more = "",
                                      .cut = PACKED_SUFFIX,
                                      .none = "no packed file (*" PACKED_SUFFIX ") in it",
                                      .part = &r->part,
                                      .plan = cli_plan_add(0, "u", 1),
                                      .force = r->force};
    if (r->tensor && !r->output)
        return cli_usage_error(r->args, "no output: use -o FILE");
    if (r->json && r->output && strcmp(r->output, "-") == 0)
        return cli_usage_error(r->args, "--json and the output cannot both go to standard output");
    if (r->part.count && (!many || r->tensor))
        return cli_usage_error(r->args, "--part applies to a folder of packed files");
    if (r->tensor)
        return unpack_tensor(r);
    if (many && r->output && strcmp(r->output, "-") == 0)
        return cli_usage_error(r->args,
                               "several files cannot go to standard output: use -o FOLDER");
    if (r->has_range || r->wanted.has_type)
        return cli_usage_error(r->args, "--%s requires --tensor", r->has_range ? "range" : "dtype");
    char *input = weights_without_slash(r->input);
    if (input && !r->output && !is_packed(input)) {
        free(input);
        return cli_usage_error(r->args, "no output: use -o %s", many ? "FOLDER" : "FILE");
    }
    char *place = r->output ? strdup(r->output)
                  : input   ? weights_place(NULL, input, "", PACKED_SUFFIX)
                            : NULL;
    good = (place || cli_fail_memory(&error)) &&
           (many ? weights_each(r->input, place, &work, &error)
                 : weights_may_replace(place, r->input, r->force, &error) &&
                       unpack_file(r, r->input, place, &error));
    free(place);
    free(input);
    return good ? CLI_OK : cli_report(&error);
}

/* "A:B", "A:", ":B" */
static int parse_range(struct cli_args *args, const struct cli_option *option, const char *text,
                       void *request)
{
    struct request *r = request;
    r->first = 0;
    r->end = UINT64_MAX;
    const char *end =
        *text == ':' ? text + 1 : cli_leading_number(text, ':', UINT64_MAX / 64 - 1, &r->first);
    const bool good = end && (!*end || (sam_parse_u64(end, &r->end) && r->end < UINT64_MAX / 64));
    r->has_range = true;
    return good ? CLI_OK
                : cli_usage_error(args, "--%s %s: expected a range of elements (0:1024)",
                                  option->name, text);
}

static int run(struct cli_args *args)
{
    struct request r = {.args = args, .options.size = sizeof r.options};
    int code = cli_read(args, &r);
    if (code != CLI_OK)
        return code;
    r.files = r.json ? json_array() : NULL;
    code = unpack(&r);
    return cli_json_end(r.json, r.files, code);
}

static const struct cli_option options[] = {
    CLI_OUTPUT(struct request, output,
               "output (the name without " PACKED_SUFFIX
               ", for a folder as well; - is standard output)"),
    CLI_ROW(struct request, tensor, "tensor", CLI_TEXT, "NAME",
            "only this tensor: as npy if the output is named *.npy, else as raw bytes",
            .letter = 't'),
    CLI_PARSED("range", "A:B", parse_range,
               "only elements A to B - 1 of the tensor; either may be omitted", .letter = 'r'),
    CLI_JOBS(struct request, options.threads, "threads (1)"),
    CLI_ROW(struct request, options.trusted, "trusted", CLI_FLAG, NULL,
            "do not compare the checksums of tensor data: faster, damage may go unnoticed"),
    CLI_ROW(struct request, wanted, "dtype", CLI_PARSE, "TYPE",
            "convert the tensor to a wider floating-point type, exactly: bf16 to f32",
            .letter = 'd', .names = weights_type_name, .parse = weights_parse_type),
    CLI_PART(struct request, part),
    CLI_FORCE(struct request, force),
    CLI_JSON(struct request, json, "print input and output files as JSON"),
    CLI_QUIET(struct request, quiet, "no progress"),
    {0},
};

const struct cli_verb verb_unpack = {
    .name = "unpack",
    .summary = "restore packed weights, or one tensor of them",
    .usage = "[options] FILE" PACKED_SUFFIX "|FOLDER|-",
    .options = options,
    .operand =
        CLI_OPERAND(struct request, input, "packed file or folder", CLI_TEXT, 1, 1, PACKED_SUFFIX),
    .details =
        "Restores the file that was packed, byte for byte; every block is checked, and a\n"
        "damaged file gives an error and no output. With --tensor, one tensor or a range of\n"
        "its elements is read without reading the others. NumPy has neither bf16 nor the 8- and\n"
        "4-bit types: npy output stores them as u16 and u8, or converts with --dtype to f16 or\n"
        "f32, exactly. An existing file is overwritten with -f, or if you agree on a terminal.\n\n"
        "With --part, several processes restore a folder, each its own files: docs/clusters.md.\n",
    .examples =
        "  samite unpack model.safetensors.smw\n"
        "  samite unpack model.safetensors.smw --tensor lm_head.weight --range 0:4096 -o x.npy\n"
        "  samite unpack model.safetensors.smw --tensor lm_head.weight --dtype f32 -o x.npy\n",
    .run = run,
};
