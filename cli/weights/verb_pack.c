/* SPDX-License-Identifier: Apache-2.0 */
/* samite pack: compress weights. */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "weights.h"

enum { PIECE = 1 << 20 };

struct request {
    const struct cli_args *args;
    const char *input, *output;
    struct weights_hint hint;
    struct sam_codec_options options;
    bool json, quiet, force;
    struct cli_part part;
    json_t *files; /* what --json prints */
    /* Totals of a folder so far. */
    struct {
        uint64_t files, bytes, packed, copied, copied_bytes, foreign, foreign_bytes;
    } total;
};

/* A file being packed. */
struct job {
    struct request *request;
    struct weights_input in;
    struct sam_packer *packer;
    struct sam_output *output;
    bool is_part;                  /* of the file */
    bool reported;                 /* tensor by tensor */
    uint64_t packed;               /* bytes so far */
    struct sam_weight_stat *stats; /* per tensor of the packer, counted on the way; or NULL */
    struct weights_split split;
};

static bool write_packed(void *context, const void *data, size_t size)
{
    struct job *job = context;
    job->packed += size;
    return sam_output_write(job->output, data, size);
}

static bool count_tensor(void *context, size_t tensor, const uint8_t *data, size_t size,
                         struct sam_error *error)
{
    struct job *job = context;
    return weights_stat_add(&job->stats[tensor],
                            sam_packer_weights(job->packer)->tensors[tensor].type, data, size,
                            &job->request->options, error);
}

/* Whether a stream has the length implied by its header, after `sent` bytes have been packed and
 * `got` more were read (0: its end). The packed file's header already states that length. */
static bool fits(const struct weights_input *in, uint64_t sent, uint64_t got,
                 struct sam_error *error)
{
    const struct sam_weights *w = &in->weights;
    const struct sam_weight *last = w->count ? &w->tensors[w->count - 1] : NULL;
    if (!in->is_stream)
        return true;
    if (got > w->file_size - sent)
        return cli_fail(
            error, SAM_ERR_INPUT, NULL,
            "more than the %llu bytes of its tensors: not supported for a stream, give the "
            "file name",
            (unsigned long long)w->file_size);
    if (!got && sent < w->file_size && last && sent >= last->offset + last->size)
        return cli_fail(
            error, SAM_ERR_INPUT, NULL,
            "%llu bytes, without padding after the last tensor: not supported for a stream, "
            "give the file name",
            (unsigned long long)sent);
    return true;
}

/* Statistics are gathered during packing, because the input may be a pipe. */
static bool start_counting(struct job *job, struct sam_error *error)
{
    const struct sam_weights *weights = sam_packer_weights(job->packer);
    job->stats = calloc(weights->count + 1, sizeof *job->stats);
    job->split = (struct weights_split){.weights = weights, .take = count_tensor, .context = job};
    if (job->stats && weights_split_open(&job->split))
        return true;
    return cli_fail_memory(error);
}

/* Feed the whole input to the packer. */
static bool stream(struct job *job, struct sam_error *error)
{
    struct weights_input *in = &job->in;
    struct cli_bytes progress = {.what = job->request->quiet ? NULL : "pack",
                                 .total = in->weights.file_size};
    uint8_t *piece = malloc(PIECE);
    bool good = piece || cli_fail_memory(error);
    while (good) {
        long got = weights_read(in, piece, PIECE, error);
        good = got >= 0 && fits(in, progress.done, (uint64_t)got, error);
        size_t size = got > 0 ? (size_t)got : 0;
        good = good && (!job->stats || weights_split_write(&job->split, piece, size, error));
        if (!size)
            break;
        good = good && sam_packer_write(job->packer, piece, size, error) == SAM_OK;
        cli_bytes_add(&progress, size);
    }
    cli_bytes_end(&progress);
    free(piece);
    return good && sam_packer_finish(job->packer, error) == SAM_OK;
}

/* Feed bytes first .. end - 1 of the file. */
static bool feed(struct job *job, uint64_t first, uint64_t end, struct cli_bytes *progress,
                 struct sam_error *error)
{
    const struct sam_source source = weights_source(&job->in);
    uint8_t *piece = malloc(PIECE);
    bool good = piece || cli_fail_memory(error);
    while (good && first < end) {
        const size_t size = end - first < PIECE ? (size_t)(end - first) : PIECE;
        good = !cli_stopped() && source.read(source.context, first, piece, size);
        if (!good)
            cli_fail(error, cli_stopped() ? SAM_ERR_STOPPED : SAM_ERR_INPUT, NULL,
                     cli_stopped() ? "stopped" : "truncated while it was read");
        good = good && sam_packer_write(job->packer, piece, size, error) == SAM_OK;
        cli_bytes_add(progress, size);
        first += size;
    }
    free(piece);
    return good;
}

/* Feed what a part of the file is made of. */
static bool stream_part(struct job *job, struct sam_error *error)
{
    uint64_t first, end;
    sam_packer_range(job->packer, &first, &end);
    const uint64_t header = job->in.weights.header_size;
    struct cli_bytes progress = {.what = job->request->quiet ? NULL : "pack",
                                 .total = header + end - first};
    const bool good =
        feed(job, 0, header, &progress, error) && feed(job, first, end, &progress, error);
    cli_bytes_end(&progress);
    return good && sam_packer_finish(job->packer, error) == SAM_OK;
}

/* Open the input. The error suggests --dtype for a checkpoint whose tensors cannot be found. */
static bool open_input(struct job *job, const char *from, struct sam_error *error)
{
    if (weights_open(from, &job->request->hint, &job->in, error))
        return true;
    const size_t used = strlen(error->text);
    if (error->status == SAM_ERR_INPUT && weights_are_model(from))
        snprintf(error->text + used, sizeof error->text - used,
                 " (--dtype u8 packs it as plain bytes)");
    return false;
}

static bool pack_file(struct job *job, const char *from, const char *to, struct sam_error *error)
{
    const struct request *r = job->request;
    const struct sam_sink sink = {write_packed, job};
    bool good =
        open_input(job, from, error) && weights_are_unpacked(&job->in, "is already packed", error);
    if (good && job->is_part && !job->in.is_plain)
        good = cli_fail(error, SAM_ERR_USAGE, from,
                        "a pipe: --part needs a file, of which it reads a part");
    job->output = good ? weights_create(to, from, error) : NULL;
    if (!job->output)
        return false;
    good = (job->is_part ? sam_packer_open_part(&job->in.weights, r->part.index - 1, r->part.count,
                                                &r->options, sink, &job->packer, error)
                         : sam_packer_open(&job->in.weights, &r->options, sink, &job->packer,
                                           error)) == SAM_OK &&
           (!job->reported || start_counting(job, error)) &&
           (job->is_part ? stream_part(job, error) : stream(job, error));
    if (!good)
        weights_name_error(from, error);
    return weights_finish(job->output, good, error);
}

/* --- reports */
static double percent(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 100;
}

static bool report(const struct job *job, const char *from, const char *to, struct sam_error *error)
{
    const struct sam_weights *weights = sam_packer_weights(job->packer);
    json_t *rows = json_array();
    for (size_t i = 0; i < weights->count; i++) {
        const struct sam_weight *w = &weights->tensors[i];
        const double elements = (double)w->size * 8 / (double)sam_dtype_bits(w->type);
        struct sam_packed_stat one;
        if (sam_packer_stat(job->packer, i, &one, error) != SAM_OK) {
            json_decref(rows);
            return false;
        }
        const bool all_verbatim = one.blocks && one.verbatim == one.blocks;
        rows = report_add(
            rows,
            REPORT_MORE(weights_row(w), TEXT("planes", all_verbatim ? "verbatim" : one.layout),
                        COUNT("bytes", w->size), COUNT("packed", one.packed),
                        REAL("bits", elements > 0 ? (double)one.packed * 8 / elements : 0),
                        REAL("bound", job->stats[i].bound),
                        REAL("size_percent", percent(one.packed, w->size)),
                        COUNT("blocks", one.blocks), COUNT("verbatim", one.verbatim)));
    }
    json_t *file = REPORT(TEXT("file", from), TEXT("packed_file", to),
                          COUNT("bytes", weights->file_size), COUNT("packed", job->packed),
                          REAL("size_percent", percent(job->packed, weights->file_size)));
    return report_row(
        job->request->files,
        "tensor                                   dtype           shape  planes                  "
        "bits   bound     size\n"
        "*tensors " WEIGHTS_ROW(
            "14") "  {planes:-20} {bits:7.3} {bound:7.3} {size_percent:6.1} %\n"
                  "{file}: {bytes} bytes, {packed_file}: {packed} bytes, {size_percent:.1} %\n",
        report_set(file, "tensors", rows), error);
}

/* Pack a part of one file, and say so. */
static bool pack_one_part(struct request *r, const char *from, const char *place,
                          struct sam_error *error)
{
    struct job job = {.request = r, .is_part = true};
    char more[64];
    snprintf(more, sizeof more, CLI_PART_SUFFIX, r->part.index, r->part.count);
    char *to = weights_place(NULL, place, more, "");
    bool good = (to || cli_fail_memory(error)) && weights_may_replace(to, from, r->force, error) &&
                pack_file(&job, from, to, error);
    if (good && (!r->quiet || r->json)) {
        uint64_t first, end;
        sam_packer_range(job.packer, &first, &end);
        good = report_row(r->files,
                          "{file}: part {part}/{parts}, {bytes} bytes, {part_file}: {packed} "
                          "bytes\n",
                          REPORT(TEXT("file", from), TEXT("part_file", to),
                                 COUNT("part", r->part.index), COUNT("parts", r->part.count),
                                 COUNT("bytes", end - first), COUNT("packed", job.packed)),
                          error);
    }
    free(to);
    sam_packer_close(job.packer);
    weights_close(&job.in);
    return good;
}

static bool pack_one(void *context, const char *from, const char *to, struct sam_error *error)
{
    struct request *r = context;
    struct job job = {.request = r};
    struct stat status;
    /* No report if the output is a device or a pipe: it may be where the report goes. */
    job.reported = (!r->quiet || r->json) && strcmp(to, "-") != 0 &&
                   (stat(to, &status) != 0 || S_ISREG(status.st_mode));
    bool good = pack_file(&job, from, to, error);
    if (good) {
        r->total.files++;
        r->total.bytes += sam_packer_weights(job.packer)->file_size;
        r->total.packed += job.packed;
    }
    good = good && (!job.reported || report(&job, from, to, error));
    weights_split_close(&job.split);
    free(job.stats);
    sam_packer_close(job.packer);
    weights_close(&job.in);
    return good;
}

/* --- folders */
static void note_copied(void *context, const char *from, const char *to)
{
    struct request *r = context;
    struct stat status;
    uint64_t size = stat(to, &status) == 0 ? (uint64_t)status.st_size : 0;
    bool foreign = weights_are_foreign(from);
    r->total.copied++;
    r->total.copied_bytes += size;
    r->total.foreign += foreign;
    r->total.foreign_bytes += foreign ? size : 0;
    if (r->json) {
        r->files = report_add(
            r->files, REPORT(TEXT("file", from), TEXT("copied_to", to), COUNT("bytes", size)));
    }
    if (!foreign || r->quiet)
        return;
    struct sam_error why = {0};
    if (!weights_are_checkpoint(from, &why) && why.text[0])
        cli_note("%s: copied unchanged", why.text);
    else
        cli_note("%s: copied unchanged: pack does not support this format", from);
}

static void print_total(const struct request *r)
{
    printf("%s: %llu files packed, %llu bytes into %llu, %.1f %%", cli_plain(r->input).text,
           (unsigned long long)r->total.files, (unsigned long long)r->total.bytes,
           (unsigned long long)r->total.packed, percent(r->total.packed, r->total.bytes));
    if (r->total.copied)
        printf("; %llu copied, %llu bytes", (unsigned long long)r->total.copied,
               (unsigned long long)r->total.copied_bytes);
    if (r->total.foreign)
        printf(", including %llu weight files in other formats, %llu bytes",
               (unsigned long long)r->total.foreign, (unsigned long long)r->total.foreign_bytes);
    printf("\n");
}

/* The parts of a folder must agree on what changes the packed files. */
static uint64_t plan_of(const struct sam_codec_options *options)
{
    const uint8_t choices[] = {'p', options->dense, options->bit_planes, options->restart,
                               options->window};
    return cli_plan_add(0, choices, sizeof choices);
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
                                      .alone = true,
                                      .force = r->force,
                                      .part = &r->part,
                                      .plan = plan_of(&r->options),
                                      .copied = note_copied};
    bool to_standard = r->output && strcmp(r->output, "-") == 0;
    if (!r->output && many)
        return cli_usage_error(r->args, "no output: use -o FOLDER");
    if (!r->output && strcmp(r->input, "-") == 0)
        return cli_usage_error(r->args, "no output: use -o FILE, or -o - for standard output");
    if (many && to_standard)
        return cli_usage_error(r->args,
                               "several files cannot go to standard output: use -o FOLDER");
    if (r->part.count && (to_standard || strcmp(r->input, "-") == 0))
        return cli_usage_error(r->args,
                               "--part needs files: a part is read and written by its name");
    if (r->json && to_standard)
        return cli_usage_error(r->args,
                               "--json and the packed file cannot both go to standard output");
    if (to_standard && isatty(STDOUT_FILENO))
        return cli_usage_error(r->args, "standard output is a terminal: use -o FILE or redirect");
    if (many && (r->hint.has_type || r->hint.has_shape))
        return cli_usage_error(r->args, "--dtype and --shape apply to a single file");
    if (r->json)
        r->files = json_array();
    if (many) {
        good = weights_each(r->input, r->output, &work, &error);
        if (good && !r->quiet && !r->json)
            print_total(r);
    } else {
        char *place =
            r->output ? strdup(r->output) : weights_place(NULL, r->input, PACKED_SUFFIX, "");
        if (!place)
            good = cli_fail_memory(&error);
        else if (r->part.count)
            good = pack_one_part(r, r->input, place, &error);
        else
            good = weights_may_replace(place, r->input, r->force, &error) &&
                   pack_one(r, r->input, place, &error);
        free(place);
    }
    return cli_json_end(r->json, r->files, good ? CLI_OK : cli_report(&error));
}

/* --planes: field, bit or window; --for: speed, size or system. */
static int parse_coding(struct cli_args *args, const struct cli_option *option, const char *text,
                        void *value)
{
    struct sam_codec_options *options = value;
    const bool planes = option->letter == 'p';
    const int choice = cli_choice(option->choices, text, strlen(text));
    char choices[64];
    if (choice < 0)
        return cli_usage_error(args, "--%s %s: expected %s", option->name, text,
                               cli_choices_text(option->choices, choices, sizeof choices));
    options->bit_planes = planes && choice == 1;
    options->dense = planes ? options->dense : choice == 1;
    /* for a system, so that the weight unit starts on a window at once */
    options->window = planes ? choice == 2 : choice != 1;
    return CLI_OK;
}

static int run(struct cli_args *args)
{
    struct request r = {.args = args, .options.size = sizeof r.options};
    return cli_read(args, &r) ?: pack(&r);
}

static const struct cli_option options[] = {
    CLI_OUTPUT(struct request, output,
               "output (FILE" PACKED_SUFFIX "; for a folder, a folder; - is standard output)"),
    CLI_JOBS(struct request, options.threads, "threads (1)"),
    WEIGHTS_DTYPE(struct request, hint),
    WEIGHTS_SHAPE(struct request, hint),
    CLI_ROW(struct request, options.dense, "dense", CLI_FLAG, NULL,
            "code more of fp16 and fp8: a little smaller, much slower"),
    CLI_ROW(struct request, options, "for", CLI_PARSE, NULL,
            "what matters: speed (--planes=window), size (--dense), or system: the weight unit "
            "(--planes=window)",
            .choices = "speed size system", .parse = parse_coding),
    CLI_ROW(struct request, options, "planes", CLI_PARSE, NULL,
            "field (default): Huffman codes; window: larger, loads twice as fast, any 1024 "
            "weights by themselves; or bit: one plane per bit",
            .letter = 'p', .choices = "field bit window", .parse = parse_coding),
    CLI_ROW(struct request, options.restart, "restart", CLI_FLAG, NULL,
            "a restart point every 4096 weights: the weight unit fetches only what it needs"),
    CLI_PART(struct request, part),
    CLI_FORCE(struct request, force),
    CLI_JSON(struct request, json, "print how each tensor was packed as JSON"),
    CLI_QUIET(struct request, quiet, "no progress, no table, no notes"),
    {0},
};

const struct cli_verb verb_pack = {
    .name = "pack",
    .summary = "compress weights losslessly",
    .usage = "[options] FILE|FOLDER|INDEX.json|-",
    .options = options,
    .operand = WEIGHTS_OPERAND(struct request, input),
    .details =
        "Packs a safetensors, gguf, npy or raw file, or a PyTorch checkpoint (.pt, .pth, .bin,\n"
        ".ckpt; --dtype packs it as plain bytes of that type); the header is kept byte for byte\n"
        "and each tensor is packed separately. For a folder, or the shards that a\n"
        "model.safetensors.index.json names, every weight file is packed and the others are "
        "copied.\n\n"
        "Prints one line per tensor: planes, bits per weight, the least that coding these\n"
        "planes could take, and the relative size; for a folder also a total and what was\n"
        "copied. An output file is written completely or not at all; an existing one is\n"
        "overwritten with -f, or if you agree on a terminal.\n\n"
        "With --part, several processes pack a folder, each its own files; of a single file\n"
        "each packs a part, FILE.smw.part-I-of-N, which samite merge joins: docs/clusters.md.\n",
    .examples =
        "  samite pack model.safetensors -j 2\n"
        "  srun samite pack --part auto model/ -o model.packed/\n"
        "  samite pack --dtype bf16 --shape 4096,4096 layer.bin -o layer.smw\n"
        "  curl -s URL | samite pack - -o - | ssh host samite unpack - -o model.safetensors\n",
    .run = run,
};
