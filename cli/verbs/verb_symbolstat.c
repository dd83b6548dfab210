/* SPDX-License-Identifier: Apache-2.0 */
/* `samite symbolstat FILE`: count symbols with the model of the counter. */
#include <stdlib.h>

#include "cli.h"
#include "report.h"
#include "samite/samite.h"

enum { LIMIT = 256 << 20 };

struct request {
    unsigned sym_width, wt_width, depth;
    struct sam_symbolstat_task task;
    const char *file, *vcd;
    bool json;
};

/* Load the symbols, of one byte each, or two for more than 8 bits. NULL: an error was reported. */
static uint32_t *load(struct request *r)
{
    struct sam_error error;
    char *data;
    size_t size;
    const size_t bytes = r->sym_width > 8 ? 2 : 1;
    if (sam_file_load(r->file, LIMIT, &data, &size, &error) != SAM_OK) {
        cli_report(&error);
        return NULL;
    }
    uint32_t *symbols = calloc(size / bytes + 1, sizeof *symbols);
    if (!symbols || size % bytes) {
        cli_error("%s: %s", r->file, symbols ? "incomplete symbol at the end" : "out of memory");
        free(symbols);
        free(data);
        return NULL;
    }
    const uint32_t mask = (1u << r->sym_width) - 1;
    for (size_t i = 0; i < size / bytes; i++) {
        const unsigned char *at = (const unsigned char *)data + i * bytes;
        symbols[i] = (at[0] | (bytes == 2 ? (uint32_t)at[1] << 8 : 0)) & mask;
    }
    r->task.symbols = symbols;
    r->task.count = size / bytes;
    free(data);
    return symbols;
}

static const char *state_name(unsigned state)
{
    static const char *const names[] = {"idle", "clear", "count", "drain", "done"};
    return names[state];
}

static int show(const struct request *r, const uint64_t *counts, const struct sam_symbolstat *unit,
                const struct sam_symbolstat_result *result)
{
    json_t *root =
        REPORT(COUNT("symbols", r->task.count), COUNT("cycles", result->cycles),
               FLAG("bad_symbol", unit->bad_symbol), FLAG("overflow", unit->overflow),
               TREE("states", report_named(result->states, SAM_SYMBOLSTAT_DONE + 1, state_name)),
               TREE("counts", report_numbers(counts, r->depth)));
    if (!root || r->json)
        return cli_json_print(root);
    report_print(
        stdout,
        "*counts?value {key:5} {value:10}\n"
        "{symbols} symbols in {cycles} cycles: clear {states.clear}, count {states.count}, "
        "drain {states.drain}, done {states.done}\n"
        "?bad_symbol symbols not below the depth were not counted\n"
        "?overflow a counter saturated\n",
        root);
    json_decref(root);
    return CLI_OK;
}

static int run_bench(struct request *r, uint64_t *counts, uint64_t *freq)
{
    struct sam_error error;
    struct sam_symbolstat unit;
    struct sam_symbolstat_result result;
    struct sam_output *vcd = NULL;
    if (sam_symbolstat_init(&unit, r->sym_width, r->wt_width, r->depth, counts, &error) != SAM_OK)
        return cli_report(&error);
    if (r->vcd) {
        if (sam_output_open(r->vcd, &vcd, &error) != SAM_OK)
            return cli_report(&error);
        r->task.vcd = (struct sam_sink){sam_output_write, vcd};
    }
    if (sam_symbolstat_run(&unit, &r->task, freq, &result, &error) != SAM_OK) {
        sam_output_abort(vcd);
        return cli_report(&error);
    }
    if (vcd && sam_output_commit(vcd, &error) != SAM_OK)
        return cli_report(&error);
    return show(r, freq, &unit, &result);
}

static int run(struct cli_args *args)
{
    struct request r = {.sym_width = 8, .wt_width = 32, .task = {.seed = 1}};
    int code = cli_read(args, &r) ?: cli_reads(args, r.file) ?: cli_writes(args, r.vcd);
    if (code != CLI_OK)
        return code;
    if (!r.depth)
        r.depth = 1u << r.sym_width;
    uint32_t *symbols = load(&r);
    if (!symbols)
        return CLI_BAD_INPUT;
    uint64_t *counts = calloc(r.depth, sizeof *counts), *freq = calloc(r.depth, sizeof *freq);
    if (counts && freq)
        code = run_bench(&r, counts, freq);
    else
        code = cli_no_memory();
    free(counts);
    free(freq);
    free(symbols);
    return code;
}

static const struct cli_option options[] = {
    CLI_ROW(struct request, sym_width, "sym-width", CLI_NUMBER, "BITS",
            "symbol width in bits: 1 to 16 (8)", .low = 1, .high = 16),
    CLI_ROW(struct request, wt_width, "wt-width", CLI_NUMBER, "BITS",
            "counter width in bits: 1 to 64 (32)", .low = 1, .high = 64),
    CLI_ROW(struct request, depth, "depth", CLI_NUMBER, "N",
            "number of symbols counted, from 0 (2^sym-width)", .low = 1,
            .high = SAM_SYMBOLSTAT_DEPTH),
    CLI_ROW(struct request, task.stall, "stall", CLI_NUMBER, "PERCENT",
            "percentage of cycles in which each side stalls: 0 to 90 (0)", .high = 90),
    CLI_ROW(struct request, task.flush_at, "flush-at", CLI_NUMBER, "N",
            "flush in cycle N, 1 being the first of CLEAR, and count again from the start",
            .low = 1, .high = UINT64_MAX),
    CLI_ROW(struct request, vcd, "vcd", CLI_TEXT, "FILE", "write the handshakes as a waveform",
            .suffixes = ""),
    CLI_JSON(struct request, json, "print JSON"),
    {0},
};

const struct cli_verb verb_symbolstat = {
    .name = "symbolstat",
    .summary = "count symbols with the model of the hardware counter",
    .usage = "[options] FILE",
    .options = options,
    .operand = CLI_OPERAND(struct request, file, "file of symbols", CLI_TEXT, 1, 1, ""),
    .details =
        "The file has one byte per symbol, or two (little-endian) for more than 8 bits. Prints\n"
        "the nonzero counts and the cycles of each state.\n",
    .examples = "  samite symbolstat --sym-width 8 --depth 256 in.bin\n",
    .run = run,
};
