/* SPDX-License-Identifier: Apache-2.0 */
/* The report on a run of the tensor hart, and registers as text. */
#include "machine/tensor.h"

#include <math.h>

static const char *end_name(enum sam_hart_end end)
{
    switch (end) {
    case SAM_HART_EXIT: return "exit";
    case SAM_HART_EBREAK: return "ebreak";
    case SAM_HART_UNTIL: return "until";
    case SAM_HART_TRAP: return "trap";
    case SAM_HART_BUDGET: return "budget";
    case SAM_HART_DEADLOCK: return "deadlock";
    default: return "stopped";
    }
}

static const char *class_name(unsigned index)
{
    return sam_hart_class_name((enum sam_hart_class)index);
}

json_t *tensor_report(const struct hart_request *request, const struct sam_hart_result *result,
                      struct sam_hart *hart, double seconds)
{
    static const struct report_field counts[] = {
        REPORT_FIELD(struct sam_hart_stats, tl_bytes_loaded),
        REPORT_FIELD(struct sam_hart_stats, tl_bytes_stored),
        REPORT_FIELD(struct sam_hart_stats, m_bytes_loaded),
        REPORT_FIELD(struct sam_hart_stats, m_bytes_stored),
        REPORT_FIELD(struct sam_hart_stats, m_macs),
        REPORT_FIELD(struct sam_hart_stats, traps),
        {0},
    };
    const struct sam_hart_stats *stats = sam_hart_stats(hart);
    const struct sam_mxu_stats *cycles = sam_hart_cycles(hart);
    struct sam_engines_report engines;
    struct sam_energy energy;
    char *text = NULL;
    json_t *root =
        REPORT(TEXT("program", request->run->files.items[0]), TEXT("end", end_name(result->end)),
               COUNT("exit_code", result->exit_code), COUNT("pc", result->pc),
               COUNT("instructions", result->instructions), REAL("seconds", seconds),
               TREE("classes", report_named(stats->classes, SAM_HART_CLASSES, class_name)));
    root = report_fields(root, counts, stats);
    if (cycles)
        root = report_set(root, "matrix", tensor_cycles(&request->mxu, cycles));
    if (sam_hart_engines(hart, &engines))
        root = report_set(root, "engines", cli_engines(&engines));
    if (sam_hart_energy(hart, &energy) && !request->system &&
        sam_energy_report(&energy, true, &text, NULL) == SAM_OK)
        root = report_set(root, "energy", json_loads(text, 0, NULL));
    sam_text_free(text);
    return root;
}

#define SPEED ", {instructions} instructions in {seconds:.3m} ms, {instructions/seconds:.1M} M/s\n"

void tensor_print_end(const json_t *report, enum sam_hart_end end, FILE *text)
{
    const bool failed = end == SAM_HART_TRAP || end == SAM_HART_BUDGET || end == SAM_HART_DEADLOCK;
    report_print(text,
                 end == SAM_HART_EXIT ? "{program}: exit {exit_code}" SPEED
                 : failed             ? "{program}: FAILED" SPEED
                                      : "{program}: {end} at {pc:x}" SPEED,
                 report);
}

const char tensor_stats[] = "*classes?value   {key:-12} {value:14}  {value%instructions:5.1} %\n"
                            "  tl loaded    {tl_bytes_loaded:14} bytes\n"
                            "  tl stored    {tl_bytes_stored:14} bytes\n"
                            "?m_bytes_loaded   m loaded     {m_bytes_loaded:14} bytes\n"
                            "?m_bytes_stored   m stored     {m_bytes_stored:14} bytes\n"
                            "?m_macs   m macs       {m_macs:14}\n"
                            "  traps        {traps:14}\n";

/* Lines of `row` bytes, each with the offset of its first byte. */
static void put_rows(const uint8_t *bytes, unsigned size, unsigned row, FILE *text)
{
    for (unsigned i = 0; i < size; i += row) {
        fprintf(text, "  %3u ", i);
        for (unsigned k = 0; k < row; k++)
            fprintf(text, " %02x", bytes[i + k]);
        fputc('\n', text);
    }
}

void tensor_print_tl(const struct sam_hart *hart, unsigned number, FILE *text)
{
    fprintf(text, "tl%u\n", number);
    put_rows(sam_hart_tl(hart, number), 1024, 32, text);
}

void tensor_print_m(const struct sam_hart *hart, unsigned number, FILE *text)
{
    const unsigned size = sam_hart_m_size(hart);
    fprintf(text, "m%u\n", number);
    put_rows(sam_hart_m(hart, number), size, size == 1024 ? 64 : size == 256 ? 32 : 16, text);
}

/* ----------------------------------------------------- the cycles of the matrix unit by reason */

enum { ROWS = 9, COLUMNS = 56, NAME = 10 };

/* Both axes are in powers of two: a row is `step` octaves, an octave `width` columns. */
struct plot {
    struct sam_mxu_roofline roofline;
    int top, step;
    int left, octaves, width;
};

/* 2^exponent in at most NAME - 1 characters. */
static const char *power(int exponent, char text[NAME])
{
    if (exponent > 20 || exponent < -20)
        snprintf(text, NAME, "2^%d", exponent);
    else
        snprintf(text, NAME, exponent < 0 ? "1/%lu" : "%lu",
                 1ul << (exponent < 0 ? -exponent : exponent));
    return text;
}

/* The roof begins at peak / slope. The top row holds the peak and the lowest the program; both the
 * ridge and the program have room at either side. */
static struct plot plot_of(const struct sam_mxu_roofline *r)
{
    struct plot p = {.roofline = *r, .top = (int)ceil(log2(r->peak))};
    const double ridge = log2(r->peak / r->slope), at = log2(r->intensity);
    const int below = p.top - (int)floor(log2(r->done));
    p.step = below < ROWS ? 1 : (below + ROWS - 2) / (ROWS - 1);
    p.left = (int)floor(fmin(ridge, at)) - 2;
    p.octaves = (int)ceil(fmax(ridge, at)) + 2 - p.left;
    p.width = p.octaves < COLUMNS ? COLUMNS / p.octaves : 1;
    return p;
}

/* The row of 2^exponent, counted from the top. */
static int row_of(const struct plot *p, double exponent)
{
    return (int)lround((p->top - exponent) / p->step);
}

static void put_row(const struct plot *p, int row, FILE *text)
{
    const struct sam_mxu_roofline *r = &p->roofline;
    char line[COLUMNS + 2] = "", name[NAME];
    const int columns = p->octaves * p->width < COLUMNS ? p->octaves * p->width : COLUMNS;
    const int x = (int)lround((log2(r->intensity) - p->left) * p->width);
    int used = 0;
    for (int column = 0; column <= columns; column++) {
        const double at = p->left + (double)column / p->width + log2(r->slope);
        const bool roof = row == row_of(p, fmin(log2(r->peak), at));
        line[column] = (char)(!roof ? ' ' : at < log2(r->peak) ? '/' : '-');
        if (column == x && row == row_of(p, log2(r->done)))
            line[column] = '@';
        used = line[column] == ' ' ? used : column + 1;
    }
    fprintf(text, "  %8s |%.*s\n", power(p->top - row * p->step, name), used, line);
}

/* A mark per octave, and labels where they fit. */
static void put_axis(const struct plot *p, FILE *text)
{
    char marks[COLUMNS + 2] = "", names[COLUMNS + NAME + 1] = "", name[NAME];
    int free_from = 0, last = 0;
    memset(marks, '-', COLUMNS + 1);
    memset(names, ' ', COLUMNS + NAME);
    for (int octave = 0; octave <= p->octaves && octave * p->width <= COLUMNS; octave++) {
        const int at = octave * p->width;
        const size_t size = strlen(power(p->left + octave, name));
        marks[last = at] = '+';
        if (at < free_from)
            continue;
        memcpy(names + at, name, size);
        free_from = at + (int)size + 1;
    }
    fprintf(text, "           %.*s\n           %.*s\n", last + 1, marks, free_from - 1, names);
}

/* Operations per cycle over operations per byte: the slope of the bus and the roof of the array. */
static void put_roofline(const struct sam_mxu_config *c, const struct sam_mxu_stats *s, FILE *text)
{
    struct sam_mxu_roofline r;
    sam_mxu_roofline(c, s, &r);
    if (s->macs == 0)
        return;
    if (isinf(r.intensity)) {
        fprintf(text,
                "  roofline: no bus traffic, compute-bound; %.1f of %.1f operations per cycle\n",
                r.done, r.bound);
        return;
    }
    const struct plot p = plot_of(&r);
    fprintf(text,
            "  roofline: operations per cycle over operations per byte of the busier channel\n");
    for (int row = 0; row < ROWS; row++)
        put_row(&p, row, text);
    put_axis(&p, text);
    fprintf(text,
            "           %.2f operations per byte, ridge at %.2f: %s; @ %.1f of %.1f operations per "
            "cycle\n",
            r.intensity, r.peak / r.slope, r.bus_bound ? "bus-bound" : "compute-bound", r.done,
            r.bound);
}

void tensor_print_cycles(const json_t *report, const struct sam_mxu_config *c,
                         const struct sam_mxu_stats *s, FILE *text)
{
    json_t *shown = report_real(json_copy((json_t *)(uintptr_t)report), "full_uops", s->full_uops);
    report_print(text,
                 "matrix unit: {cycles} cycles; MLEN {mlen}, mpara {mpara}, npara {npara}, {slots} "
                 "slots\n"
                 "  uops: {mma_uops} mma, {pointwise_uops} pointwise, {load_uops} load, "
                 "{store_uops} store, {zero_uops} zeroing\n"
                 "  bus: {read_beats} read beats for {bytes_loaded} bytes, {write_beats} write "
                 "beats for {bytes_stored} bytes, {full_lines} full lines\n"
                 "?cut_uops   masks: {mask_bits} bits for {elewidth} bits each, {cut_uops} uops "
                 "within one\n"
                 "?l2_kib   L2: {l2_hits} hits, {l2_misses} misses in {l2_kib} KiB\n"
                 "  array  {full_uops#cycles:40} {full_uops%cycles:5.1} % of its multipliers\n"
                 "*units   {key:-6} {busy#cycles:40} {busy%cycles:5.1} %{value^cycles}\n",
                 shown);
    json_decref(shown);
    put_roofline(c, s, text);
}

static const char *state_name(unsigned state)
{
    return sam_mxu_state_name((enum sam_mxu_state)state);
}

static const char *port_name(unsigned port)
{
    return sam_mxu_port_name((enum sam_mxu_port)port);
}

const struct report_field tensor_uops[] = {
    REPORT_FIELD(struct sam_mxu_stats, mma_uops),
    REPORT_FIELD_AS("pointwise_uops", struct sam_mxu_stats, pw_uops),
    REPORT_FIELD(struct sam_mxu_stats, load_uops),
    REPORT_FIELD(struct sam_mxu_stats, store_uops),
    REPORT_FIELD(struct sam_mxu_stats, zero_uops),
    REPORT_FIELD(struct sam_mxu_stats, macs),
    REPORT_FIELD(struct sam_mxu_stats, read_beats),
    REPORT_FIELD(struct sam_mxu_stats, write_beats),
    REPORT_FIELD(struct sam_mxu_stats, bytes_loaded),
    REPORT_FIELD(struct sam_mxu_stats, bytes_stored),
    {0},
};

json_t *tensor_cycles(const struct sam_mxu_config *c, const struct sam_mxu_stats *s)
{
    static const struct report_field parameters[] = {
        REPORT_FIELD(struct sam_mxu_config, mlen),
        REPORT_FIELD(struct sam_mxu_config, mpara),
        REPORT_FIELD(struct sam_mxu_config, npara),
        REPORT_FIELD(struct sam_mxu_config, slots),
        REPORT_FIELD(struct sam_mxu_config, l2_kib),
        REPORT_FIELD(struct sam_mxu_config, elewidth),
        {0},
    };
    static const struct report_field counts[] = {
        REPORT_FIELD(struct sam_mxu_stats, cycles),
        REPORT_FIELD(struct sam_mxu_stats, instructions),
        REPORT_FIELD(struct sam_mxu_stats, scalar),
        REPORT_FIELD(struct sam_mxu_stats, peak_macs),
        REPORT_FIELD(struct sam_mxu_stats, read_requests),
        REPORT_FIELD(struct sam_mxu_stats, write_requests),
        REPORT_FIELD(struct sam_mxu_stats, full_lines),
        REPORT_FIELD(struct sam_mxu_stats, mask_bits),
        REPORT_FIELD(struct sam_mxu_stats, cut_uops),
        REPORT_FIELD(struct sam_mxu_stats, l2_hits),
        REPORT_FIELD(struct sam_mxu_stats, l2_misses),
        {0},
    };
    json_t *units = json_object();
    for (unsigned unit = 0; unit < SAM_MXU_UNITS; unit++)
        units = report_set(units, sam_mxu_unit_name((enum sam_mxu_unit)unit),
                           report_named(s->buckets[unit], SAM_MXU_STATES, state_name));
    json_t *root = report_fields(report_fields(json_object(), parameters, c), counts, s);
    root = report_fields(root, tensor_uops, s);
    root = report_real(root, "utilisation", s->cycles ? s->full_uops / (double)s->cycles : 0);
    /* blocks and rows through each kind of port */
    return REPORT_MORE(root, TREE("ports", report_named(s->port_blocks, SAM_MXU_PORTS, port_name)),
                       TREE("units", units));
}

/* --------------------------------------------------------------------------- the engines in time
 */

void cli_parameters(const struct sam_parameter *(*parameter)(size_t index))
{
    const struct sam_parameter *p;
    for (size_t i = 0; (p = parameter(i)); i++)
        printf("%-16s %7s  %-9s  %s\n", p->name, p->value, p->range, p->meaning);
}

int cli_engines_parameters(void)
{
    printf("%-16s %7s  %-9s  meaning\n", "parameter", "default", "range");
    cli_parameters(sam_engines_parameter);
    return CLI_SHOWN;
}

json_t *cli_engines(const struct sam_engines_report *report)
{
    static const struct report_field fields[] = {
        REPORT_FIELD(struct sam_engine_report, instructions),
        REPORT_FIELD(struct sam_engine_report, bytes),
        REPORT_FIELD(struct sam_engine_report, queued),
        REPORT_FIELD(struct sam_engine_report, queue_peak),
        {0},
    };
    const double cycles = report->cycles ? (double)report->cycles : 1;
    uint64_t busy = 0;
    for (unsigned i = 0; i < SAM_ENGINE_COUNT; i++)
        busy += report->engine[i].cycles[SAM_ENGINE_BUSY];
    json_t *root =
        REPORT(COUNT("cycles", report->cycles), REAL("ipc", (double)report->instructions / cycles),
               REAL("engines_at_work", (double)busy / cycles),
               TREE("hart", report_named(report->issue, SAM_ISSUE_CYCLES, sam_issue_cycle_name)));
    for (unsigned i = 0; i < SAM_ENGINE_COUNT; i++) {
        const struct sam_engine_report *r = &report->engine[i];
        json_t *engine = report_fields(json_object(), fields, r);
        engine = report_set(engine, "cycles",
                            report_named(r->cycles, SAM_ENGINE_CYCLES, sam_engine_cycle_name));
        root = report_set(root, sam_engine_name(i), engine);
    }
    return root;
}

/* A row of the table: `what` for each engine, in the form of report_print. */
static void print_row(const json_t *report, const char *label, const char *what, FILE *text)
{
    fprintf(text, "  %-14s", label);
    for (unsigned i = 0; i < SAM_ENGINE_COUNT; i++) {
        char cell[80];
        snprintf(cell, sizeof cell, " {%s.%s", sam_engine_name(i), what);
        report_print(text, cell, report);
    }
    fputc('\n', text);
}

/* Whether any engine spent a cycle in this state. */
static bool any_cycle(const json_t *report, const char *name)
{
    bool any = false;
    for (unsigned i = 0; i < SAM_ENGINE_COUNT; i++) {
        const json_t *engine = json_object_get(report, sam_engine_name(i));
        any |= json_integer_value(json_object_get(json_object_get(engine, "cycles"), name)) != 0;
    }
    return any;
}

void cli_engines_print(const json_t *report, FILE *text)
{
    report_print(text,
                 "{cycles} cycles, IPC {ipc:.2}, {engines_at_work:.2} engines at work on average\n",
                 report);
    fprintf(text, "  %-14s", "engine");
    for (unsigned i = 0; i < SAM_ENGINE_COUNT; i++)
        fprintf(text, " %12s", sam_engine_name(i));
    fputc('\n', text);
    print_row(report, "instructions", "instructions:12}", text);
    print_row(report, "bytes/cycle", "bytes/cycles:12.2}", text);
    print_row(report, "queue mean", "queued/cycles:12.2}", text);
    print_row(report, "queue peak", "queue_peak:12}", text);
    for (unsigned c = 0; c < SAM_ENGINE_CYCLES; c++) {
        char what[64];
        const char *name = sam_engine_cycle_name(c);
        snprintf(what, sizeof what, "cycles.%s%%cycles:10.1} %%", name);
        if (any_cycle(report, name))
            print_row(report, name, what, text);
    }
    report_print(text, "*hart?value   hart {key:-12} {value:14}  {value%cycles:5.1} %\n", report);
}
