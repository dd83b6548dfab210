/* SPDX-License-Identifier: Apache-2.0 */
/* samite pack: weights, smaller. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "weights.h"

enum { PIECE = 1 << 20 };

struct request {
    const struct cli_args *args;
    const char *input, *output;
    struct weights_hint hint;
    struct sam_codec_options options;
    bool json, quiet;
    json_t *files; /* what --json prints */
};

/* Is a stream as long as its header made believe, when `sent` bytes have been packed and `got` are
 * next (0: its end)? The header of what is packed has said so already. */
static bool fits(const struct weights_input *in, uint64_t sent, uint64_t got,
                 struct sam_error *error)
{
    const struct sam_weights *w = &in->weights;
    const struct sam_weight *last = w->count ? &w->tensors[w->count - 1] : NULL;
    if (!in->is_stream)
        return true;
    if (got > w->file_size - sent)
        snprintf(error->text, sizeof error->text,
                 "more than %llu bytes, which its tensors take, and no stream says how long it is: "
                 "pack the file by its name",
                 (unsigned long long)w->file_size);
    else if (!got && sent < w->file_size && last && sent >= last->offset + last->size)
        snprintf(error->text, sizeof error->text,
                 "%llu bytes, without padding behind the last tensor, which a stream has to have: "
                 "pack the file by its name",
                 (unsigned long long)sent);
    else
        return true;
    error->status = SAM_ERR_INPUT;
    return false;
}

/* All of the input through the packer. */
static bool stream(const struct request *r, struct weights_input *in, struct sam_packer *packer,
                   struct sam_error *error)
{
    struct weights_progress progress = {.what = r->quiet ? NULL : "pack",
                                        .total = in->weights.file_size};
    uint8_t *piece = malloc(PIECE);
    bool good = piece != NULL;
    if (!piece)
        snprintf(error->text, sizeof error->text, "out of memory");
    while (good) {
        long got = weights_read(in, piece, PIECE, error);
        good = got >= 0 && fits(in, progress.done, (uint64_t)got, error);
        if (got == 0)
            break;
        good = good && sam_packer_write(packer, piece, (size_t)got, error) == SAM_OK;
        weights_progress(&progress, got > 0 ? (uint64_t)got : 0);
    }
    weights_progress_end(&progress);
    free(piece);
    return good && sam_packer_finish(packer, error) == SAM_OK;
}

static bool pack_file(const struct request *r, const char *from, const char *to,
                      struct sam_error *error)
{
    struct weights_input in;
    struct sam_packer *packer = NULL;
    bool good = weights_open(from, &r->hint, &in, error) &&
                weights_are_unpacked(&in, "is packed already", error);
    struct sam_output *output = good ? weights_create(to, from, error) : NULL;
    if (output) {
        struct sam_sink sink = {sam_output_write, output};
        good = sam_packer_open(&in.weights, &r->options, sink, &packer, error) == SAM_OK &&
               stream(r, &in, packer, error);
        if (!good)
            weights_name_error(from, error);
        if (good || sam_output_failed(output))
            good = sam_output_commit(output, error) == SAM_OK && good;
        else
            sam_output_abort(output);
    }
    sam_packer_close(packer);
    weights_close(&in);
    return good && output;
}

/* --- what became of it */
static double percent(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 100;
}

static void print_row(const struct sam_weight *w, const struct sam_packed_stat *packed,
                      const struct sam_weight_stat *stat)
{
    char shape[128];
    double elements = (double)w->size * 8 / (double)sam_weight_type_bits(w->type);
    printf("%-40s %-6s %14s  %-20s %7.3f %7.3f %6.1f %%\n", weights_name(w).text,
           sam_weight_type_name(w->type), weights_shape(w, shape, sizeof shape), stat->layout,
           elements > 0 ? (double)packed->packed * 8 / elements : 0, stat->bound,
           percent(packed->packed, w->size));
}

static json_t *json_row(const struct sam_weight *w, const struct sam_packed_stat *packed,
                        const struct sam_weight_stat *stat)
{
    double elements = (double)w->size * 8 / (double)sam_weight_type_bits(w->type);
    return json_pack(
        "{s:o, s:s, s:o, s:s, s:I, s:I, s:f, s:f, s:I, s:I}", "name", weights_json_text(w->name),
        "dtype", sam_weight_type_name(w->type), "shape", weights_json_shape(w), "planes",
        stat->layout, "bytes", (json_int_t)w->size, "packed", (json_int_t)packed->packed, "bits",
        elements > 0 ? (double)packed->packed * 8 / elements : 0.0, "bound", stat->bound, "blocks",
        (json_int_t)packed->blocks, "verbatim", (json_int_t)packed->verbatim);
}

static bool report_tensors(const struct request *r, const struct sam_packed *packed,
                           const uint8_t *file, json_t *rows, struct sam_error *error)
{
    const struct sam_weights *weights = sam_packed_weights(packed);
    if (!r->json)
        printf("%-40s %-6s %14s  %-20s %7s %7s %8s\n", "tensor", "dtype", "shape", "planes", "bits",
               "bound", "size");
    for (size_t i = 0; i < weights->count; i++) {
        const struct sam_weight *w = &weights->tensors[i];
        struct sam_packed_stat one;
        struct sam_weight_stat stat;
        if (sam_packed_stat(packed, i, &one, error) != SAM_OK ||
            sam_weight_stat(w->type, file + w->offset, w->size, &r->options, &stat, error) !=
                SAM_OK)
            return false;
        if (r->json)
            json_array_append_new(rows, json_row(w, &one, &stat));
        else
            print_row(w, &one, &stat);
    }
    return true;
}

/* From the two files, as they are on disk now; what came from standard input is there no more. */
static bool report(const struct request *r, const char *from, const char *to,
                   struct sam_error *error)
{
    struct weights_file file = {0}, packed_file = {0};
    struct sam_packed *packed = NULL;
    json_t *rows = json_array();
    bool is_file = strcmp(from, "-") != 0;
    bool good = (!is_file || weights_map(from, &file, error)) &&
                weights_map(to, &packed_file, error) &&
                sam_packed_open(packed_file.data, packed_file.size, &r->options, &packed, error) ==
                    SAM_OK &&
                (!is_file || report_tensors(r, packed, file.data, rows, error));
    uint64_t size = good ? sam_packed_weights(packed)->file_size : 0;
    if (good && r->json) {
        json_t *row = json_pack("{s:o, s:o, s:I, s:I}", "file", weights_json_text(from),
                                "packed_file", weights_json_text(to), "bytes", (json_int_t)size,
                                "packed", (json_int_t)packed_file.size);
        if (is_file)
            json_object_set(row, "tensors", rows);
        json_array_append_new(r->files, row);
    } else if (good) {
        printf("%s: %llu bytes, %s: %zu bytes, %.1f %%\n", from, (unsigned long long)size, to,
               packed_file.size, percent(packed_file.size, size));
    }
    json_decref(rows);
    sam_packed_close(packed);
    weights_unmap(&file);
    weights_unmap(&packed_file);
    return good;
}

static bool pack_one(void *context, const char *from, const char *to, struct sam_error *error)
{
    const struct request *r = context;
    bool report_it = (!r->quiet || r->json) && strcmp(to, "-") != 0;
    struct stat status;
    if (!pack_file(r, from, to, error))
        return false;
    if (stat(to, &status) != 0 || !S_ISREG(status.st_mode))
        report_it = false;
    return !report_it || report(r, from, to, error);
}

static int pack(struct request *r)
{
    struct sam_error error = {0};
    bool many = weights_are_many(r->input), good;
    const struct weights_work work = {.wanted = weights_are_known,
                                      .work = pack_one,
                                      .context = r,
                                      .more = PACKED_SUFFIX,
                                      .cut = "",
                                      .none = WEIGHTS_NONE,
                                      .alone = true};
    bool to_standard = r->output && strcmp(r->output, "-") == 0;
    if (!r->output && many)
        return cli_usage_error(r->args, "where to? A folder takes the packed files: -o FOLDER");
    if (!r->output && strcmp(r->input, "-") == 0)
        return cli_usage_error(r->args, "where to? (-o FILE, or -o - for standard output)");
    if (many && to_standard)
        return cli_usage_error(r->args, "many files cannot go to standard output: -o FOLDER");
    if (r->json && to_standard)
        return cli_usage_error(r->args, "--json and the packed file both to standard output?");
    if (to_standard && isatty(STDOUT_FILENO))
        return cli_usage_error(r->args, "standard output is a terminal: give it a file (-o), or "
                                        "send it on");
    if (many && (r->hint.has_type || r->hint.has_shape))
        return cli_usage_error(r->args, "--dtype and --shape are of one file");
    if (r->json)
        r->files = json_array();
    if (many) {
        good = weights_each(r->input, r->output, &work, &error);
    } else {
        char *place =
            r->output ? strdup(r->output) : weights_place(NULL, r->input, PACKED_SUFFIX, "");
        good = place && pack_one(r, r->input, place, &error);
        free(place);
    }
    if (!good) {
        json_decref(r->files);
        return cli_report(&error);
    }
    return r->json ? weights_print_json(r->files) : CLI_OK;
}

static bool set_planes(struct request *r, const char *value)
{
    r->options.bit_planes = strcmp(value, "bit") == 0;
    if (r->options.bit_planes || strcmp(value, "field") == 0)
        return true;
    cli_usage_error(r->args, "--planes=field or --planes=bit, not '%s'", value);
    return false;
}

static int run(struct cli_args *args)
{
    struct request r = {.args = args};
    const char *value;
    for (int option; (option = cli_next(args, &value)) != CLI_END;) {
        switch (option) {
        case 'o': r.output = value; break;
        case 'T':
            if (!weights_threads(args, value, &r.options))
                return CLI_BAD_INPUT;
            break;
        case 'p':
            if (!set_planes(&r, value))
                return CLI_BAD_INPUT;
            break;
        case 'd':
            if (!weights_hint_type(args, value, &r.hint))
                return CLI_BAD_INPUT;
            break;
        case 's':
            if (!weights_hint_shape(args, value, &r.hint))
                return CLI_BAD_INPUT;
            break;
        case 'D': r.options.dense = true; break;
        case 'j': r.json = true; break;
        case 'q': r.quiet = true; break;
        case CLI_POSITIONAL:
            if (r.input)
                return cli_usage_error(args, "one file or folder, please; '%s' is a second", value);
            r.input = value;
            break;
        default: return CLI_BAD_INPUT;
        }
    }
    return r.input ? pack(&r) : cli_usage_error(args, "what is to be packed?");
}

static const struct cli_option options[] = {
    {'o', "output", "FILE",
     "where to (FILE" PACKED_SUFFIX "; a folder for a folder; - is standard output)"},
    {'T', "threads", "N", "threads (1)"},
    {'d', "dtype", "TYPE",
     "what a raw or npy file holds: bf16 f16 f32 e4m3 e5m2 e2m1 i4 i8 u8 ..."},
    {'s', "shape", "N,N...", "shape of a raw file"},
    {'D', "dense", NULL, "code more of fp16 and fp8: a little smaller, much slower"},
    {'p', "planes", "KIND", "field (default), or bit: a plane a bit, eight weights a symbol"},
    {'j', "json", NULL, "what became of each tensor as JSON"},
    {'q', "quiet", NULL, "no progress, and no look at the tensors again to print a table"},
    {0},
};

const struct cli_verb verb_pack = {
    .name = "pack",
    .summary = "pack weights without loss",
    .usage = "[options] FILE|FOLDER|INDEX.json|-",
    .options = options,
    .details =
        "Packs a safetensors, gguf, npy or raw file; the header is kept byte for byte and each\n"
        "tensor is packed on its own. Of a folder, or of the shards that a model.safetensors.\n"
        "index.json names, each file of weights is packed and the others are copied.\n\n"
        "Prints a line a tensor: planes, bits a weight, the least that coding these planes\n"
        "could take, and the size left. An output file appears whole or not at all, and takes\n"
        "the place of an older one only then.\n\n"
        "Example:\n"
        "  samite pack model.safetensors -T 2\n"
        "  samite pack --dtype bf16 --shape 4096,4096 layer.bin -o layer.smw\n"
        "  curl -s URL | samite pack - -o - | ssh host samite unpack - -o model.safetensors\n",
    .run = run,
};
