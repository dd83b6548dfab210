/* SPDX-License-Identifier: Apache-2.0 */
/* samite stat: estimate the gain of packing and the cost of counting with a SymbolStat unit. */
#include <stdlib.h>

#include "samite/symbolstat.h"
#include "weights.h"

enum { MOST_PLANES = 32 };

struct request {
    const struct cli_args *args;
    struct weights_hint hint;
    struct sam_codec_options options;
    bool json, hardware, many;
    struct cli_part part;
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

static json_t *hardware(const struct passing *p)
{
    static const struct report_field fields[] = {
        REPORT_FIELD(struct hardware, symbols),
        REPORT_FIELD(struct hardware, cycles),
        REPORT_FIELD(struct hardware, saturated),
        REPORT_FIELD_AS("beyond_depth", struct hardware, beyond),
        REPORT_FIELD_AS("width_needed", struct hardware, wanted),
        {0},
    };
    json_t *list = json_array();
    for (unsigned i = 0; i < p->stat.coded; i++) {
        struct hardware hw;
        measure(p->request, p->counts[i], &hw);
        list = report_add(list,
                          report_fields(REPORT(COUNT("plane", i), COUNT("depth", p->request->depth),
                                               COUNT("width", p->request->width)),
                                        fields, &hw));
    }
    return list;
}

static void print_sum(const char *path, double before, double after)
{
    if (before > 0)
        printf("%s: tensors of %.0f bytes could become %.0f, %.1f %%\n", cli_plain(path).text,
               before, after, 100 * after / before);
}

static bool show(struct request *r, const struct sam_weight *w, const struct passing *p,
                 struct sam_error *error)
{
    const struct sam_weight_stat *stat = &p->stat;
    const double least = stat->bound < stat->width ? stat->bound : stat->width;
    const double share = stat->elements ? least / stat->width : 1;
    r->before += (double)w->size;
    r->after += (double)w->size * share;
    json_t *row = REPORT_MORE(weights_row(w), TEXT("planes", stat->layout),
                              COUNT("elements", stat->elements), COUNT("bytes", w->size),
                              REAL("width", stat->width), REAL("entropy", stat->entropy),
                              REAL("bound", stat->bound), REAL("size_percent", 100 * share));
    if (r->many)
        row = report_text(row, "file", r->file);
    if (r->hardware)
        row = report_set(row, "symbolstat", hardware(p));
    return report_row(
        r->rows,
        WEIGHTS_ROW(
            "16") "  {planes:-20} {width:5} {entropy:8.3} {bound:8.3} "
                  "{size_percent:6.1} %\n"
                  "*symbolstat     SymbolStat {depth} x {width} bits, plane {plane}: {symbols} "
                  "symbols in {cycles} cycles, {saturated} counters saturate, {beyond_depth} "
                  "symbols beyond the depth, {width_needed} bits would suffice\n",
        row, error);
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
    const bool good = show(r, w, p, error);
    p->seen = 0;
    p->stat = (struct sam_weight_stat){0};
    memset(p->counts, 0, MOST_PLANES * sizeof *p->counts);
    return good;
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
        cli_fail_memory(error);
    while (good && !weights_split_done(&split)) {
        long got = weights_read(in, piece, WEIGHTS_PIECE, error);
        if (got == 0) {
            cli_fail(error, SAM_ERR_INPUT, in->path,
                     "truncated while it was read: %llu of %llu bytes",
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
    bool good = true;
    size_t any = 0;
    for (size_t i = 0; i < list.count; i++) { /* the files that count come first */
        if (!weights_are_known(list.paths[i]))
            continue;
        char *known = list.paths[i];
        list.paths[i] = list.paths[any];
        list.paths[any++] = known;
    }
    bool *mine = cli_part_files(&r->part, list.paths, any);
    for (size_t i = 0; mine && good && i < any; i++)
        good = !mine[i] || stat_file(r, list.paths[i], error);
    good = mine ? good : cli_fail_memory(error);
    free(mine);
    weights_list_free(&list);
    if (!any) {
        cli_fail(error, SAM_ERR_INPUT, path, WEIGHTS_NONE);
    } else if (good && !r->json) {
        print_sum(path, r->before, r->after);
    }
    return good && any > 0;
}

/* WIDTHxDEPTH */
static int parse_hardware(struct cli_args *args, const struct cli_option *option, const char *text,
                          void *request)
{
    struct request *r = request;
    uint64_t width = 0, depth = 0;
    const bool good = cli_pair(text ? text : "32x256", 'x', &width, &depth) && width >= 1 &&
                      width <= 64 && depth >= 1 && depth <= SAM_SYMBOLSTAT_DEPTH;
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
    if (r.part.count && !r.many)
        return cli_usage_error(args, "--part applies to a folder or an index");
    const bool good = r.many ? stat_many(&r, path, &error) : stat_file(&r, path, &error);
    return cli_json_end(r.json, r.rows, good ? CLI_OK : cli_report(&error));
}

static const struct cli_option options[] = {
    WEIGHTS_DTYPE(struct request, hint),
    WEIGHTS_SHAPE(struct request, hint),
    CLI_ROW(struct request, options.dense, "dense", CLI_FLAG, NULL,
            "analyse the planes of pack --dense"),
    CLI_ROW(struct request, options.bit_planes, "bits", CLI_FLAG, NULL,
            "analyse the planes of pack --planes=bit"),
    CLI_PARSED("hw", "[WIDTHxDEPTH]", parse_hardware,
               "model a SymbolStat unit with DEPTH counters of WIDTH bits (32x256)"),
    CLI_PART(struct request, part),
    CLI_JSON(struct request, json, "print JSON"),
    {0},
};

const struct cli_verb verb_stat = {
    .name = "stat",
    .summary = "estimate how much packing would gain",
    .usage = "[options] FILE|FOLDER|INDEX.json|-",
    .options = options,
    .operand = WEIGHTS_OPERAND(struct request, path),
    .details =
        "Prints one line per tensor: planes, bits per weight now, entropy of the coded "
        "planes, and\n"
        "the least that coding these planes could take (mean over windows of 65536\n"
        "weights). For a folder or an index, reports each file that pack would pack and a\n"
        "total; with --part, only its own files. With --hw, also cycles and counters of the\n"
        "symbol-counting hardware.\n",
    .examples = "  samite stat model.safetensors\n"
                "  samite stat --dtype bf16 --hw=16x256 layer.bin\n",
    .run = run,
};
