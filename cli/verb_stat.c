/* SPDX-License-Identifier: Apache-2.0 */
/* samite stat: estimate the gain of packing and the cost of counting with a SymbolStat unit. */
#include <stdlib.h>
#include <string.h>

#include "samite/symbolstat.h"
#include "weights.h"
#include "weights_split.h"

enum { MOST_PLANES = 32 };

struct request {
    const struct cli_args *args;
    struct weights_hint hint;
    struct sam_codec_options options;
    bool json, hardware, many;
    const char *path, *file; /* the operand and the current file */
    unsigned width;          /* of SymbolStat's counters */
    uint32_t depth;
    json_t *rows;
    double before, after; /* bytes */
};

/* The unit's results for one coded plane. */
struct hardware {
    uint64_t symbols, cycles, saturated, beyond; /* saturated counters; symbols beyond the depth */
    unsigned wanted;                             /* counter width that would suffice */
};

/* State of the tensor being read. */
struct passing {
    struct request *request;
    const struct sam_weights *weights;
    uint64_t seen; /* bytes */
    struct sam_weight_stat stat;
    uint64_t (*counts)[256]; /* per coded plane; NULL: not wanted */
    struct cli_bytes progress;
};

static void measure(const struct request *r, const uint64_t counts[256], struct hardware *hw)
{
    uint64_t most = UINT64_MAX >> (64 - r->width), highest = 0;
    *hw = (struct hardware){0};
    for (uint32_t s = 0; s < 256; s++) {
        hw->symbols += counts[s];
        highest = counts[s] > highest ? counts[s] : highest;
        if (s >= r->depth)
            hw->beyond += counts[s];
        else
            hw->saturated += counts[s] > most;
    }
    for (; highest; highest >>= 1)
        hw->wanted++;
    hw->cycles = sam_symbolstat_cycles(r->depth, hw->symbols);
}

static void show_hardware(const struct request *r, const struct passing *p, json_t *row)
{
    json_t *list = r->json ? json_array() : NULL;
    for (unsigned i = 0; i < p->stat.coded; i++) {
        struct hardware hw;
        measure(r, p->counts[i], &hw);
        if (r->json)
            json_array_append_new(
                list, json_pack("{s:i, s:I, s:I, s:I, s:I, s:i}", "plane", (int)i, "symbols",
                                (json_int_t)hw.symbols, "cycles", (json_int_t)hw.cycles,
                                "saturated", (json_int_t)hw.saturated, "beyond_depth",
                                (json_int_t)hw.beyond, "width_needed", (int)hw.wanted));
        else
            printf("    SymbolStat %u x %u bits, plane %u: %llu symbols in %llu cycles, %llu "
                   "counters saturate, %llu symbols beyond the depth, %u bits would suffice\n",
                   r->depth, r->width, i, (unsigned long long)hw.symbols,
                   (unsigned long long)hw.cycles, (unsigned long long)hw.saturated,
                   (unsigned long long)hw.beyond, hw.wanted);
    }
    if (r->json)
        json_object_set_new(row, "symbolstat", list);
}

static void print_sum(const char *path, double before, double after)
{
    if (before > 0)
        printf("%s: tensors of %.0f bytes could become %.0f, %.1f %%\n", cli_plain(path).text,
               before, after, 100 * after / before);
}

static void show(struct request *r, const struct sam_weight *w, const struct passing *p)
{
    const struct sam_weight_stat *stat = &p->stat;
    char shape[128];
    json_t *row = NULL;
    double least = stat->bound < stat->width ? stat->bound : stat->width;
    double share = stat->elements ? 100 * least / stat->width : 100;
    r->before += (double)w->size;
    r->after += (double)w->size * share / 100;
    if (r->json) {
        row = json_pack("{s:o, s:s, s:s, s:I, s:I, s:f, s:f, s:f}", "name", cli_json_text(w->name),
                        "dtype", sam_dtype_name(w->type), "planes", stat->layout, "elements",
                        (json_int_t)stat->elements, "bytes", (json_int_t)w->size, "width",
                        stat->width, "entropy", stat->entropy, "bound", stat->bound);
        if (r->many)
            json_object_set_new(row, "file", cli_json_text(r->file));
        json_array_append_new(r->rows, row);
    } else {
        printf("%-40s %-6s %16s  %-20s %5.0f %8.3f %8.3f %6.1f %%\n", weights_name(w).text,
               sam_dtype_name(w->type), weights_shape(w, shape, sizeof shape), stat->layout,
               stat->width, stat->entropy, stat->bound, share);
    }
    if (r->hardware)
        show_hardware(r, p, row);
}

/* Take a piece of a tensor, and report the tensor after its last piece. */
static bool take(void *context, size_t tensor, const uint8_t *data, size_t size,
                 struct sam_error *error)
{
    struct passing *p = context;
    struct request *r = p->request;
    const struct sam_weight *w = &p->weights->tensors[tensor];
    if (!weights_stat_add(&p->stat, w->type, data, size, &r->options, error))
        return false;
    for (unsigned i = 0; r->hardware && i < p->stat.coded; i++) {
        uint64_t counts[256];
        if (sam_weight_count(w->type, data, size, &r->options, i, counts, error) != SAM_OK)
            return false;
        for (unsigned s = 0; s < 256; s++)
            p->counts[i][s] += counts[s];
    }
    p->seen += size;
    if (p->seen < w->size)
        return true;
    cli_bytes_end(&p->progress); /* rows may go to the same terminal */
    show(r, w, p);
    p->seen = 0;
    p->stat = (struct sam_weight_stat){0};
    memset(p->counts, 0, MOST_PLANES * sizeof *p->counts);
    return true;
}

/* Read the whole file sequentially. */
static bool stat_tensors(struct request *r, struct weights_input *in, struct sam_error *error)
{
    struct passing p = {.request = r,
                        .weights = &in->weights,
                        .progress = {.what = "stat", .total = in->weights.file_size}};
    struct weights_split split = {.weights = &in->weights, .take = take, .context = &p};
    uint8_t *piece = malloc(WEIGHTS_PIECE);
    p.counts = calloc(MOST_PLANES, sizeof *p.counts);
    bool good = weights_split_open(&split) && piece && p.counts;
    if (!good)
        *error = (struct sam_error){.status = SAM_ERR_MEMORY, .text = "out of memory"};
    while (good && !weights_split_done(&split)) {
        long got = weights_read(in, piece, WEIGHTS_PIECE, error);
        if (got == 0) {
            error->status = SAM_ERR_INPUT;
            snprintf(error->text, sizeof error->text,
                     "%.400s: truncated while it was read: %llu of %llu bytes", in->path,
                     (unsigned long long)split.at, (unsigned long long)in->weights.file_size);
        }
        good = got > 0 && weights_split_write(&split, piece, (size_t)got, error);
        if (good)
            cli_bytes_add(&p.progress, (uint64_t)got);
    }
    good = good && weights_split_write(&split, piece, 0, error); /* trailing empty tensors */
    cli_bytes_end(&p.progress);
    weights_split_close(&split);
    free(p.counts);
    free(piece);
    return good;
}

static bool stat_file(struct request *r, const char *path, struct sam_error *error)
{
    struct weights_input in;
    double before = r->before, after = r->after;
    bool good = weights_open(path, &r->hint, &in, error) &&
                weights_are_unpacked(&in, "is packed: use samite info", error);
    if (good && !r->json)
        printf("%-40s %-6s %16s  %-20s %5s %8s %8s %8s\n", "tensor", "dtype", "shape", "planes",
               "bits", "entropy", "bound", "size");
    r->file = path;
    good = good && stat_tensors(r, &in, error);
    weights_close(&in);
    if (good && !r->json)
        print_sum(path, r->before - before, r->after - after);
    return good;
}

/* Report on the files that pack would pack. */
static bool stat_many(struct request *r, const char *path, struct sam_error *error)
{
    struct weights_list list;
    if (!weights_whole(path, error) || !weights_list(path, &list, error))
        return false;
    bool good = true, any = false;
    for (size_t i = 0; good && i < list.count; i++) {
        if (!weights_are_known(list.paths[i]))
            continue;
        any = true;
        good = stat_file(r, list.paths[i], error);
    }
    weights_list_free(&list);
    if (!any) {
        error->status = SAM_ERR_INPUT;
        snprintf(error->text, sizeof error->text, "%s: " WEIGHTS_NONE, path);
    } else if (good && !r->json) {
        print_sum(path, r->before, r->after);
    }
    return good && any;
}

/* WIDTHxDEPTH */
static int parse_hardware(struct cli_args *args, const struct cli_option *option, const char *text,
                          void *request)
{
    struct request *r = request;
    char *copy = strdup(text ? text : "32x256"), *x = copy ? strchr(copy, 'x') : NULL;
    uint64_t width = 0, depth = 0;
    bool good = x != NULL;
    if (good) {
        *x = '\0';
        good = sam_parse_u64(copy, &width) && sam_parse_u64(x + 1, &depth) && width >= 1 &&
               width <= 64 && depth >= 1 && depth <= SAM_SYMBOLSTAT_DEPTH;
    }
    free(copy);
    r->hardware = true;
    r->width = (unsigned)width;
    r->depth = (uint32_t)depth;
    return good ? CLI_OK
                : cli_usage_error(args,
                                  "--%s=%s: expected WIDTHxDEPTH, counters of 1 to 64 bits and up "
                                  "to %d of them",
                                  option->name, text, SAM_SYMBOLSTAT_DEPTH);
}

static int run(struct cli_args *args)
{
    struct request r = {.args = args};
    int code = cli_read(args, &r);
    if (code != CLI_OK)
        return code;
    const char *path = r.path;
    r.many = weights_are_many(path);
    if (r.many && (r.hint.has_type || r.hint.has_shape))
        return cli_usage_error(args, "--dtype and --shape apply to a single file");
    r.rows = r.json ? json_array() : NULL;
    struct sam_error error = {0};
    if (!(r.many ? stat_many(&r, path, &error) : stat_file(&r, path, &error))) {
        json_decref(r.rows);
        return cli_report(&error);
    }
    return r.json ? cli_json_print(r.rows) : CLI_OK;
}

static const struct cli_option options[] = {
    WEIGHTS_DTYPE(struct request, hint),
    WEIGHTS_SHAPE(struct request, hint),
    {.name = "dense",
     .grammar = CLI_FLAG,
     .help = "analyse the planes of pack --dense",
     CLI_AT(struct request, options.dense)},
    {.name = "bits",
     .grammar = CLI_FLAG,
     .help = "analyse the planes of pack --planes=bit",
     CLI_AT(struct request, options.bit_planes)},
    {.name = "hw",
     .grammar = CLI_PARSE,
     .argument = "[WIDTHxDEPTH]",
     .parse = parse_hardware,
     .help = "model a SymbolStat unit with DEPTH counters of WIDTH bits (32x256)"},
    CLI_JSON(struct request, json, "print JSON"),
    {0},
};

const struct cli_verb verb_stat = {
    .name = "stat",
    .summary = "estimate how much packing would gain",
    .usage = "[options] FILE|FOLDER|INDEX.json|-",
    .options = options,
    .operand = {.name = "file or folder",
                .grammar = CLI_TEXT,
                .low = 1,
                .high = 1,
                .suffixes = WEIGHTS_SUFFIXES,
                CLI_AT(struct request, path)},
    .details = "Prints one line per tensor: planes, bits per weight now, entropy of the coded "
               "planes, and\n"
               "the least that coding these planes could take (mean over windows of 65536\n"
               "weights). For a folder or an index, reports each file that pack would pack and a\n"
               "total. With --hw, also cycles and counters of the symbol-counting hardware.\n",
    .examples = "  samite stat model.safetensors\n"
                "  samite stat --dtype bf16 --hw=16x256 layer.bin\n",
    .run = run,
};
