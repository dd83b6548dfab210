/* SPDX-License-Identifier: Apache-2.0 */
/* `samite run --machine tensor`: its options. */
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "run_hart.h"

static int add_range(struct hart_ranges *ranges, struct run_range range)
{
    struct run_range *items = realloc(ranges->items, (ranges->count + 1) * sizeof *items);
    if (!items)
        return cli_no_memory();
    ranges->items = items;
    items[ranges->count++] = range;
    return CLI_OK;
}

/* BASE:SIZE */
static bool read_range(const char *text, uint64_t *base, uint64_t *size)
{
    const char *rest = run_leading_number(text, ':', UINT64_MAX, base);
    return rest && sam_parse_u64(rest, size) && *size && *size - 1 <= UINT64_MAX - *base;
}

static int parse_region(const struct hart_request *r, const char *option, const char *text,
                        uint64_t region[2])
{
    if (read_range(text, &region[0], &region[1]))
        return CLI_OK;
    return cli_usage_error(r->args, "--%s %s: expected BASE:SIZE", option, text);
}

static int parse_map(struct hart_request *r, const char *text)
{
    struct run_range range = {.path = NULL};
    if (!read_range(text, &range.base, &range.size))
        return cli_usage_error(r->args, "--map %s: expected BASE:SIZE", text);
    return add_range(&r->maps, range);
}

static int parse_mem(struct hart_request *r, const char *text)
{
    struct run_range range = {0};
    range.path = run_leading_number(text, ':', UINT64_MAX, &range.base);
    if (!range.path || !*range.path)
        return cli_usage_error(r->args, "--mem %s: expected BASE:FILE", text);
    return add_range(&r->mems, range);
}

static int parse_dump(struct hart_request *r, const char *text)
{
    struct run_range range;
    int code = run_dump_parse(r->args, text, UINT64_MAX, &range);
    if (code == CLI_OK)
        code = add_range(&r->dumps, range);
    if (code != CLI_OK)
        run_range_free(&range);
    return code;
}

static int parse_register(struct hart_request *r, const char *text)
{
    char name[8];
    const char *equals = strchr(text, '=');
    uint64_t value;
    int number = -1;
    if (equals && equals - text < (ptrdiff_t)sizeof name) {
        snprintf(name, sizeof name, "%.*s", (int)(equals - text), text);
        number = sam_hart_register(name);
    }
    if (number < 0 || !sam_parse_u64(equals + 1, &value))
        return cli_usage_error(r->args, "--reg %s: expected a register and a value, as x10=0x1000",
                               text);
    struct hart_register *items = realloc(r->registers, (r->register_count + 1) * sizeof *items);
    if (!items)
        return cli_no_memory();
    r->registers = items;
    items[r->register_count++] = (struct hart_register){(unsigned)number, value};
    return CLI_OK;
}

/* A register to print: its number, up to `top`, onto the list. */
static int parse_dumped(const struct hart_request *r, const char *option, const char *text,
                        unsigned top, unsigned **list, size_t *count)
{
    uint64_t number;
    int code = run_parse_number(r->args, option, text, top, &number);
    if (code != CLI_OK)
        return code;
    unsigned *items = realloc(*list, (*count + 1) * sizeof *items);
    if (!items)
        return cli_no_memory();
    *list = items;
    items[(*count)++] = (unsigned)number;
    return CLI_OK;
}

static int parse_mlen(struct hart_request *r, const char *text)
{
    uint64_t mlen;
    if (!sam_parse_u64(text, &mlen) || (mlen != 128 && mlen != 256 && mlen != 512))
        return cli_usage_error(r->args, "--mlen %s: expected 128, 256 or 512", text);
    r->mlen = (unsigned)mlen;
    return CLI_OK;
}

static int parse_order(struct hart_request *r, const char *text)
{
    r->options.fp_tree = strcmp(text, "tree") == 0;
    if (!r->options.fp_tree && strcmp(text, "k") != 0)
        return cli_usage_error(r->args, "--fp-order %s: expected k or tree", text);
    return CLI_OK;
}

static int parse_ebreak(struct hart_request *r, const char *text)
{
    r->ebreak_ok = strcmp(text, "ok") == 0;
    r->options.ebreak_traps = strcmp(text, "trap") == 0;
    if (!r->ebreak_ok && !r->options.ebreak_traps && strcmp(text, "fail") != 0)
        return cli_usage_error(r->args, "--ebreak %s: expected fail, ok or trap", text);
    return CLI_OK;
}

static int parse_config(struct hart_request *r, const char *text)
{
    struct sam_error error;
    r->cycles = true;
    if (strcmp(text, "help") == 0)
        r->listing = true;
    else if (sam_hart_configure(text, &r->engines, &r->mxu, &error) != SAM_OK)
        return cli_usage_error(r->args, "--config: %s", error.text);
    return CLI_OK;
}

/* A trace of the matrix unit. */
static int add_trace(struct hart_request *r, enum hart_trace trace, const char *option,
                     const char *path)
{
    r->matrix = option;
    r->traces[trace] = path && *path ? path : "-";
    return CLI_OK;
}

int run_hart_check_mlen(const struct hart_request *r, unsigned mlen)
{
    if (r->mlen && r->mlen != mlen)
        return cli_usage_error(r->args, "--mlen %u and --config mlen=%u: expected one row length",
                               r->mlen, mlen);
    return CLI_OK;
}

/* The matrix unit in time, with the row length of --mlen; that of --config is 0 unless it is named.
 */
static int finish_config(struct hart_request *r)
{
    struct sam_error error;
    if (r->mxu.mlen == 0)
        r->mxu.mlen = r->mlen ? r->mlen : 512;
    r->options.mlen = r->mxu.mlen;
    const int code = run_hart_check_mlen(r, r->mxu.mlen);
    if (code != CLI_OK)
        return code;
    struct sam_mxu_config complete =
        r->mxu; /* what follows from others stays open: sweeps set them */
    if (sam_mxu_config_check(&complete, &error) != SAM_OK)
        return cli_usage_error(r->args, "--config: %s", error.text);
    return CLI_OK;
}

static int parse_option(struct hart_request *r, const struct cli_word *word)
{
    const char *value = word->value;
    switch (word->option) {
    case CLI_POSITIONAL: return run_append(&r->files, value);
    case 'D': return run_append(&r->defines, value);
    case 'I': return run_append(&r->includes, value);
    case 'q': r->quiet = true; return CLI_OK;
    case OPT_ARG: return run_append(&r->arguments, value);
    case OPT_CHECK: return run_append(&r->checks, value);
    case OPT_DUMP: return parse_dump(r, value);
    case OPT_MAX_INSNS:
        return run_parse_number(r->args, "max-insns", value, UINT64_MAX, &r->options.max_insns);
    case OPT_JSON:
    case OPT_STATS:
        r->options.collect_stats = true;
        return run_parse_stats(r->args, word->option == OPT_JSON ? "json" : value, &r->stats);
    case OPT_ISA: r->isa = value; return CLI_OK;
    case OPT_EBREAK: return parse_ebreak(r, value);
    case OPT_REG: return parse_register(r, value);
    case OPT_MEM: return parse_mem(r, value);
    case OPT_MAP: return parse_map(r, value);
    case OPT_UNTIL: r->until = value; return CLI_OK;
    case OPT_DUMP_TL: return parse_dumped(r, "dump-tl", value, 31, &r->tls, &r->tl_count);
    case OPT_DUMP_M:
        r->matrix = "dump-m";
        return parse_dumped(r, "dump-m", value, 7, &r->ms, &r->m_count);
    case OPT_MLEN: r->matrix = "mlen"; return parse_mlen(r, value);
    case OPT_FP_ORDER: r->matrix = "fp-order"; return parse_order(r, value);
    case OPT_TRACE:
        r->traced = true;
        r->trace = value && *value ? value : "-";
        return CLI_OK;
    case OPT_L1M: return parse_region(r, "l1m", value, r->options.l1m);
    case OPT_CYCLES: r->cycles = true; return CLI_OK;
    case OPT_CONFIG: return parse_config(r, value);
    case OPT_KONATA: return add_trace(r, HART_KONATA, "konata", value);
    case OPT_VCD: return add_trace(r, HART_VCD, "vcd", value);
    case OPT_TRACE_BUS: return add_trace(r, HART_BUS, "trace-bus", value);
    case OPT_TIMELINE: r->timeline = value; return CLI_OK;
    case OPT_L0M: return parse_region(r, "l0m", value, r->options.l0m);
    default: return CLI_BAD_INPUT; /* verb_run.c has refused the others */
    }
}

bool run_hart_writes_data(const struct hart_request *r)
{
    bool data =
        (r->traced && strcmp(r->trace, "-") == 0) || (r->timeline && strcmp(r->timeline, "-") == 0);
    for (int i = 0; i < HART_TRACES; i++)
        data |= r->traces[i] && strcmp(r->traces[i], "-") == 0;
    for (size_t i = 0; i < r->dumps.count; i++)
        data |= strcmp(r->dumps.items[i].path, "-") == 0;
    return data || run_arguments_to_stdout(&r->arguments);
}

static int name_files(const struct hart_request *r)
{
    int code = cli_reads(r->args, r->files.items[0]);
    for (size_t i = 0; i < r->mems.count && code == CLI_OK; i++)
        code = cli_reads(r->args, r->mems.items[i].path);
    for (size_t i = 0; i < r->dumps.count && code == CLI_OK; i++)
        code = cli_writes(r->args, r->dumps.items[i].path);
    if (r->traced && code == CLI_OK)
        code = cli_writes(r->args, r->trace);
    if (r->timeline && code == CLI_OK)
        code = cli_writes(r->args, r->timeline);
    for (int i = 0; i < HART_TRACES && code == CLI_OK; i++)
        if (r->traces[i])
            code = cli_writes(r->args, r->traces[i]);
    return code;
}

int run_hart_request(const struct run_words *words, struct hart_request *r)
{
    *r = (struct hart_request){.args = words->args};
    sam_engines_defaults(&r->engines);
    sam_mxu_config_init(&r->mxu, 512);
    r->mxu.mlen = 0; /* until --config names it */
    for (size_t i = 0; i < words->list.count; i++) {
        int code = parse_option(r, &words->list.items[i]);
        if (code != CLI_OK)
            return code;
    }
    if (r->listing)
        return CLI_OK;
    int checked = finish_config(r);
    if (checked != CLI_OK)
        return checked;
    if (r->files.count == 0)
        return cli_usage_error(r->args, "no program to run");
    if (r->files.count > 1)
        return cli_usage_error(r->args, "one program, please; '%s' is a second", r->files.items[1]);
    if (r->stats == RUN_STATS_JSON && run_hart_writes_data(r))
        return cli_usage_error(r->args, "--json needs standard output for itself");
    if (r->timeline && r->traced && strcmp(r->timeline, "-") == 0 && strcmp(r->trace, "-") == 0)
        return cli_usage_error(r->args, "--perfetto - has standard output for itself");
    return name_files(r);
}

void run_hart_request_free(struct hart_request *r)
{
    free(r->files.items);
    free(r->defines.items);
    free(r->includes.items);
    free(r->maps.items);
    free(r->mems.items);
    for (size_t i = 0; i < r->dumps.count; i++)
        run_range_free(&r->dumps.items[i]);
    free(r->dumps.items);
    free(r->arguments.items);
    free(r->checks.items);
    free(r->registers);
    free(r->tls);
    free(r->ms);
}
