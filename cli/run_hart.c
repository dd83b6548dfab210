/* SPDX-License-Identifier: Apache-2.0 */
/* `samite run --machine tensor PROGRAM`: a program on the tensor hart. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "run_hart.h"
#include "stop.h"

#define DEFAULT_ISA_32 "rv32im_zicsr_zfinx_xtensorload"
#define DEFAULT_ISA_64 "rv64im_zicsr_zfinx_xtensorload"

struct state {
    struct hart_request request;
    struct sam_hart *hart;
    struct sam_image *image;
    struct cli_output *trace, *timeline;
    FILE *text; /* where people read: stdout unless that carries data */
    struct sam_error error;
};

static const char *display_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "<stdin>" : path;
}

static int parse_isa(struct state *s, unsigned xlen)
{
    const char *text = s->request.isa ? s->request.isa
                       : xlen == 32   ? DEFAULT_ISA_32
                                      : DEFAULT_ISA_64;
    if (sam_isa_parse(text, &s->request.options.isa, &s->error) != SAM_OK)
        return cli_report(&s->error);
    if (s->request.tl_count && !(s->request.options.isa.extensions & SAM_EXT_XTENSORLOAD))
        return cli_usage_error(s->request.args, "--dump-tl: %s has no TensorLoad unit", text);
    if (s->request.matrix && !(s->request.options.isa.extensions & SAM_EXT_XMATRIX))
        return cli_usage_error(s->request.args, "--%s: %s has no matrix unit", s->request.matrix,
                               text);
    return CLI_OK;
}

/* The program; the ISA is the one asked for, or the default of an ELF file's XLEN. */
static int load_program(struct state *s)
{
    struct hart_request *r = &s->request;
    const char *path = r->files.items[0], *name = display_name(path);
    char *data;
    size_t size;
    int code = CLI_OK;
    if (sam_file_load(path, RUN_MAX_PROGRAM, &data, &size, &s->error) != SAM_OK)
        return cli_report(&s->error);
    if (size >= 4 && memcmp(data, "\177ELF", 4) == 0) {
        if (sam_elf_parse(data, size, name, &s->image, &s->error) != SAM_OK)
            code = cli_report(&s->error);
        else
            code = parse_isa(s, s->image->xlen);
    } else if ((code = parse_isa(s, 64)) == CLI_OK) {
        struct sam_asm_options options = {.isa = r->options.isa,
                                          .base = SAM_HART_CODE_BASE,
                                          .defines = r->defines.items,
                                          .define_count = r->defines.count,
                                          .include_paths = r->includes.items,
                                          .include_count = r->includes.count};
        s->image = run_assemble(&options, name, data, size);
        code = s->image ? CLI_OK : CLI_BAD_INPUT;
    }
    free(data);
    return code;
}

static int fill_memory(struct state *s, const struct hart_range *range)
{
    char *data;
    size_t size;
    if (sam_file_load(range->path, RUN_MAX_PROGRAM, &data, &size, &s->error) != SAM_OK)
        return cli_report(&s->error);
    int code = CLI_OK;
    if (sam_hart_map(s->hart, range->base, size, &s->error) != SAM_OK ||
        sam_hart_write(s->hart, range->base, data, size, &s->error) != SAM_OK)
        code = cli_report(&s->error);
    free(data);
    return code;
}

/* A symbol of the program, or an address. */
static int set_until(struct state *s)
{
    const char *name = s->request.until;
    const struct sam_symbol *symbol = sam_image_find(s->image, name);
    uint64_t address;
    if (symbol)
        address = symbol->value;
    else if (!cli_parse_u64(name, &address))
        return cli_usage_error(s->request.args, "--until: the program has no symbol '%s'", name);
    sam_hart_set_until(s->hart, address);
    return CLI_OK;
}

/* `path` may be NULL: none. */
static bool open_sink(struct state *s, const char *path, struct cli_output **output,
                      struct sam_sink *sink)
{
    if (!path)
        return true;
    *output = cli_output_open(path, &s->error);
    *sink = (struct sam_sink){cli_output_write, *output};
    return *output != NULL;
}

static int prepare(struct state *s)
{
    struct hart_request *r = &s->request;
    int code = CLI_OK;
    r->options.stop = cli_stop_flag();
    if (r->cycles || r->timeline)
        r->options.engines = &r->engines;
    if (!open_sink(s, r->traced ? r->trace : NULL, &s->trace, &r->options.trace) ||
        !open_sink(s, r->timeline, &s->timeline, &r->options.timeline) ||
        sam_hart_new(&r->options, &s->hart, &s->error) != SAM_OK ||
        sam_hart_load(s->hart, s->image, &s->error) != SAM_OK)
        return cli_report(&s->error);
    for (size_t i = 0; i < r->maps.count; i++) {
        const struct hart_range *map = &r->maps.items[i];
        if (sam_hart_map(s->hart, map->base, map->size, &s->error) != SAM_OK)
            return cli_report(&s->error);
    }
    for (size_t i = 0; code == CLI_OK && i < r->mems.count; i++)
        code = fill_memory(s, &r->mems.items[i]);
    for (size_t i = 0; i < r->register_count; i++)
        sam_hart_set_x(s->hart, r->registers[i].number, r->registers[i].value);
    return code == CLI_OK && r->until ? set_until(s) : code;
}

static bool read_memory(void *context, uint64_t address, void *data, size_t size,
                        struct sam_error *error)
{
    return sam_hart_read(context, address, data, size, error) == SAM_OK;
}

/* What the user asked to see, whatever ended the run. */
static int show_results(struct state *s, const struct sam_hart_result *result, double seconds)
{
    const struct hart_request *r = &s->request;
    int code = CLI_OK;
    if (!r->quiet)
        run_hart_report(r, result, seconds, s->text);
    struct sam_engines_report engines;
    if (r->cycles && r->stats != RUN_STATS_JSON && sam_hart_engines(s->hart, &engines))
        cli_engines_report(&engines, s->text);
    if (r->stats == RUN_STATS_TEXT)
        run_hart_report_stats(sam_hart_stats(s->hart), s->text);
    for (size_t i = 0; i < r->tl_count; i++)
        run_hart_report_tl(s->hart, r->tls[i], s->text);
    for (size_t i = 0; i < r->m_count; i++)
        run_hart_report_m(s->hart, r->ms[i], s->text);
    for (size_t i = 0; code == CLI_OK && i < r->dumps.count; i++) {
        const struct hart_range *d = &r->dumps.items[i];
        code = run_dump_memory(read_memory, s->hart, d->base, d->size, d->path);
    }
    if (r->stats == RUN_STATS_JSON && code == CLI_OK)
        code = run_hart_report_json(r, result, s->hart, seconds);
    return code;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int commit(struct cli_output **output)
{
    struct sam_error error;
    struct cli_output *file = *output;
    *output = NULL;
    return !file || cli_output_commit(file, &error) ? CLI_OK : cli_report(&error);
}

/* The trace and the timeline appear, whole. */
static int finish_files(struct state *s)
{
    struct sam_error error;
    int traced = commit(&s->trace);
    if (s->timeline && sam_hart_end_timeline(s->hart, &error) != SAM_OK)
        return cli_report(&error);
    int drawn = commit(&s->timeline);
    return traced == CLI_OK ? drawn : traced;
}

static int execute(struct state *s)
{
    struct sam_hart_result result;
    cli_catch_signals();
    double started = now();
    enum sam_status status = sam_hart_run(s->hart, &result, &s->error);
    double seconds = now() - started;
    int code = CLI_OK;
    if (status == SAM_OK || status == SAM_ERR_TRAP) {
        code = finish_files(s);
        int shown = show_results(s, &result, seconds);
        code = code == CLI_OK ? shown : code;
    }
    fflush(s->text);
    if (status != SAM_OK) {
        int failed = cli_report(&s->error);
        code = code == CLI_OK ? failed : code;
    } else if (result.end == SAM_HART_EXIT && result.exit_code != 0) {
        fprintf(stderr, "samite: error: %s: exit code %llu\n",
                display_name(s->request.files.items[0]), (unsigned long long)result.exit_code);
        code = code == CLI_OK ? CLI_PROGRAM_FAILED : code;
    }
    return code;
}

int run_hart(const struct run_words *words)
{
    struct state s = {.text = stdout};
    int code = run_hart_request(words, &s.request);
    if (code == CLI_OK && s.request.listing) {
        run_hart_request_free(&s.request);
        return cli_engines_parameters();
    }
    bool data = s.request.stats == RUN_STATS_JSON || run_hart_writes_data(&s.request);
    s.text = data ? stderr : stdout;
    if (code == CLI_OK)
        code = load_program(&s);
    if (code == CLI_OK)
        code = prepare(&s);
    if (code == CLI_OK)
        code = execute(&s);
    cli_output_abort(s.trace);
    cli_output_abort(s.timeline);
    sam_hart_free(s.hart);
    sam_image_free(s.image);
    run_hart_request_free(&s.request);
    return code;
}
