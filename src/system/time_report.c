/* SPDX-License-Identifier: Apache-2.0 */
/* The figures of a system as a tree of named values, and as lines over it. */
#include "energy/energy.h"
#include "samite/system_time.h"

#define FIELD(type, field) SAM_TREE_FIELD(struct type, field)
static const struct sam_tree_field root_members[] = {
    FIELD(sam_system_figures, cycles),
    FIELD(sam_system_figures, instructions),
    FIELD(sam_system_figures, records),
    FIELD(sam_system_figures, packed),
    FIELD(sam_system_figures, raw),
    FIELD(sam_system_figures, macs),
    {0},
};
static const struct sam_tree_field level_members[] = {
    FIELD(sam_system_level, width),
    FIELD(sam_system_level, requests),
    FIELD(sam_system_level, read),
    FIELD(sam_system_level, written),
    FIELD(sam_system_level, busy),
    FIELD(sam_system_level, waiting),
    FIELD(sam_system_level, idle),
    FIELD(sam_system_level, hits),
    FIELD(sam_system_level, misses),
    FIELD(sam_system_level, partial),
    {0},
};
static const struct sam_tree_field bytes_members[] = {
    FIELD(sam_system_bytes, read),
    FIELD(sam_system_bytes, written),
    {0},
};
static const struct sam_tree_field launch_members[] = {
    FIELD(sam_system_launch_time, number),
    FIELD(sam_system_launch_time, submitted),
    FIELD(sam_system_launch_time, begun),
    FIELD(sam_system_launch_time, first),
    FIELD(sam_system_launch_time, end),
    FIELD(sam_system_launch_time, insns),
    FIELD(sam_system_launch_time, read),
    FIELD(sam_system_launch_time, written),
    {0},
};
static const struct sam_tree_field pipe_members[] = {
    FIELD(sam_system_pipe, operations),
    FIELD(sam_system_pipe, slices),
    FIELD(sam_system_pipe, read),
    FIELD(sam_system_pipe, written),
    {0},
};
static const struct sam_tree_field operation_members[] = {
    FIELD(sam_system_operation_time, count),  FIELD(sam_system_operation_time, instructions),
    FIELD(sam_system_operation_time, cycles), FIELD(sam_system_operation_time, work),
    FIELD(sam_system_operation_time, read),   FIELD(sam_system_operation_time, written),
    FIELD(sam_system_operation_time, waited), {0},
};
static const struct sam_tree_field roofline_members[] = {
    FIELD(sam_system_roofline, peak),      FIELD(sam_system_roofline, slope),
    FIELD(sam_system_roofline, intensity), FIELD(sam_system_roofline, done),
    FIELD(sam_system_roofline, bound),     {0},
};

/* The number of consecutive rows of one unit, from row `first` on. */
static size_t rows_of_unit(const struct sam_system_figures *f, size_t first)
{
    size_t count = 0;
    while (first + count < f->row_count &&
           strcmp(f->rows[first + count].unit, f->rows[first].unit) == 0 &&
           f->rows[first + count].number == f->rows[first].number)
        count++;
    return count;
}

static const struct sam_system_level *level_named(const struct sam_system_figures *f,
                                                  const char *name)
{
    for (size_t i = 0; i < f->level_count; i++)
        if (strcmp(f->levels[i].name, name) == 0)
            return &f->levels[i];
    return NULL;
}

/* The cycles of a pipe as rows of a unit. */
static void pipe_rows(const struct sam_system_pipe *pipe,
                      struct sam_system_row rows[SAM_SYSTEM_PIPE_CYCLES])
{
    for (unsigned i = 0; i < SAM_SYSTEM_PIPE_CYCLES; i++)
        rows[i] = (struct sam_system_row){.unit = pipe->name,
                                          .reason = sam_system_pipe_cycle_name(i),
                                          .busy = i == SAM_SYSTEM_PIPE_BUSY,
                                          .cycles = pipe->cycles[i]};
}

static uint64_t busy_of(const struct sam_system_row *rows, size_t count)
{
    uint64_t busy = 0;
    for (size_t i = 0; i < count; i++)
        busy += rows[i].busy ? rows[i].cycles : 0;
    return busy;
}

/* ------------------------------------------------------------------------------------- tree */

/* The cycles of a unit. */
static json_t *set_cycles(json_t *unit, const struct sam_system_row *rows, size_t count)
{
    json_t *cycles = json_object();
    for (size_t i = 0; i < count; i++)
        cycles = sam_tree_count(cycles, rows[i].reason, rows[i].cycles);
    return sam_tree_set(sam_tree_count(unit, "busy", busy_of(rows, count)), "cycles", cycles);
}

static json_t *units_of(const struct sam_system_figures *f)
{
    json_t *units = json_array();
    for (size_t i = 0, count; i < f->row_count; i += count) {
        count = rows_of_unit(f, i);
        json_t *unit = sam_tree_set(json_object(), "unit", sam_tree_plain(f->rows[i].unit));
        unit = sam_tree_count(unit, "number", f->rows[i].number);
        units = sam_tree_add(units, set_cycles(unit, &f->rows[i], count));
    }
    return units;
}

static json_t *memory_of(const struct sam_system_figures *f)
{
    json_t *levels = json_array();
    for (size_t i = 0; i < f->level_count; i++) {
        const struct sam_system_level *l = &f->levels[i];
        json_t *level = sam_tree_set(json_object(), "level", sam_tree_plain(l->name));
        json_t *units = json_array();
        for (size_t k = 0; k < f->byte_count; k++) {
            const struct sam_system_bytes *b = &f->bytes[k];
            if (strcmp(b->level, l->name) != 0)
                continue;
            json_t *unit = sam_tree_set(json_object(), "unit", sam_tree_plain(b->unit));
            units = sam_tree_add(units, sam_tree_fields(unit, bytes_members, b));
        }
        level = sam_tree_fields(level, level_members, l);
        levels = sam_tree_add(levels, sam_tree_set(level, "units", units));
    }
    return levels;
}

static json_t *launches_of(const struct sam_system_figures *f)
{
    json_t *launches = json_array();
    for (size_t i = 0; i < f->launch_count; i++) {
        const struct sam_system_launch_time *l = &f->launches[i];
        json_t *launch = sam_tree_set(json_object(), "kernel", sam_tree_plain(l->kernel));
        launches = sam_tree_add(launches, sam_tree_fields(launch, launch_members, l));
    }
    return launches;
}

static json_t *pipes_of(const struct sam_system_figures *f)
{
    json_t *pipes = json_array();
    for (size_t i = 0; i < f->pipe_count; i++) {
        struct sam_system_row rows[SAM_SYSTEM_PIPE_CYCLES];
        pipe_rows(&f->pipes[i], rows);
        json_t *pipe = set_cycles(json_object(), rows, SAM_SYSTEM_PIPE_CYCLES);
        pipe = sam_tree_set(pipe, "pipe", sam_tree_plain(f->pipes[i].name));
        pipes = sam_tree_add(pipes, sam_tree_fields(pipe, pipe_members, &f->pipes[i]));
    }
    return pipes;
}

static json_t *operations_of(const struct sam_system_figures *f)
{
    static const struct sam_system_operation none = {.pipe = UINT32_MAX};
    json_t *operations = json_array();
    for (size_t i = 0; i < f->operation_count; i++) {
        const struct sam_system_operation_time *t = &f->operations[i];
        const struct sam_system_operation *o = t->operation ? t->operation : &none,
                                          *leader = f->operations[t->leader].operation;
        const char *pipe = o->pipe < f->pipe_count ? f->pipes[o->pipe].name : NULL;
        json_t *operation = sam_tree_set(json_object(), "name", sam_tree_plain(o->name));
        operation = sam_tree_count(operation, "line", o->line);
        operation = sam_tree_count(operation, "column", o->column);
        operation = sam_tree_set(operation, "pipe", sam_tree_plain(pipe));
        operation = sam_tree_count(operation, "with_line", leader ? leader->line : 0);
        if (t->waited_for != SAM_SYSTEM_NO_OPERATION)
            operation = sam_tree_count(operation, "waited_for",
                                       f->operations[t->waited_for].operation->line);
        operations = sam_tree_add(operations, sam_tree_fields(operation, operation_members, t));
    }
    return operations;
}

static json_t *figures_of(const struct sam_system_figures *f)
{
    json_t *root = sam_tree_fields(json_object(), root_members, f);
    root = sam_tree_set(root, "units", units_of(f));
    root = sam_tree_set(root, "memory", memory_of(f));
    root = sam_tree_set(root, "launches", launches_of(f));
    if (f->pipe_count) {
        root = sam_tree_set(root, "pipes", pipes_of(f));
        root = sam_tree_set(root, "operations", operations_of(f));
    }
    json_t *roofline = sam_tree_fields(json_object(), roofline_members, &f->roofline);
    roofline = sam_tree_flag(roofline, "memory_bound", f->roofline.memory_bound);
    root = sam_tree_set(root, "busiest", sam_tree_plain(f->busiest));
    root = sam_tree_count(root, "busiest_cycles", f->busiest_cycles);
    root = sam_tree_set(root, "energy", sam_energy_tree(&f->energy));
    return sam_tree_set(root, "roofline", roofline);
}

/* ------------------------------------------------------------------------------------- text */

enum { MOST_LAUNCHES = 20 };

#define BAR_LINE "{name:-10} {waits.busy#cycles:30} {waits.busy%cycles:5.1} %{waits^cycles}\n"

static const char lines[] =
    "system: {cycles} cycles, {instructions} instructions of the hart, {launch_count} launches, "
    "{records} weight records\n"
    "*bars?waits.busy   " BAR_LINE "?pipes pipes: {pipe_operations?no} operations\n"
    "*pipe_bars?waits.busy   " BAR_LINE
    "?bound bound: {busiest} is busy for {busiest_cycles} cycles, {busiest_cycles%cycles:.1} % of "
    "those taken\n"
    "?wait_cycles   {wait_name} of line {wait_line} waits {wait_cycles} cycles for {cause_name} of "
    "line {cause_line}\n"
    "?bytes memory         read (bytes)  written (bytes)  bytes/cycle      of\n"
    "*memory?requests   {level:-6} {read:18} {written:16} {bytes/cycles:12.2} {width:7}{cached}\n"
    "*bytes     {unit:-10} {level:-4} {read:10} {written:16}  {bytes%of:5.1} % of {level}\n"
    "?launches launches        submitted      first warp             end   instructions\n"
    "*launches:20   {number:5} {submitted:16} {first:15} {end:15} {insns:14}  {kernel}\n"
    "?more_launches   ... and {more_launches} more\n"
    "?macs roofline: {roofline.intensity:.2} operations per byte of DRAM; {roofline.done:.2} of at "
    "most {roofline.bound:.2} operations per cycle "
    "({roofline.memory_bound|DRAM limits|the multipliers limit})\n" SAM_ENERGY_LINES
    "?raw packed weights: {packed} bytes for {raw} ({packed%raw:.1} %); the decoder is busy in "
    "{decoding%cycles:.1} % of the cycles\n"
    "?raw_cycles   with raw weights: {raw_cycles} cycles, {raw_cycles/cycles:.2} times as many; "
    "{raw_dram} bytes over DRAM instead of {dram}\n";

/* The cycles of a unit as a bar: its busy cycles, followed by other notable numbers. */
static json_t *add_bar(json_t *bars, const char *name, const struct sam_system_row *rows,
                       size_t count)
{
    const uint64_t busy = busy_of(rows, count);
    json_t *waits = sam_tree_count(json_object(), "busy", busy);
    for (size_t i = 0; i < count; i++)
        if (!rows[i].busy || rows[i].cycles != busy)
            waits = sam_tree_count(waits, rows[i].reason, rows[i].cycles);
    json_t *bar = sam_tree_text(json_object(), "name", name);
    return sam_tree_add(bars, sam_tree_set(bar, "waits", waits));
}

static json_t *set_bars(json_t *root, const struct sam_system_figures *f)
{
    json_t *bars = json_array(), *pipe_bars = json_array();
    uint64_t decoding = 0;
    struct sam_buffer operations = {0};
    for (size_t i = 0, count; i < f->row_count; i += count) {
        char name[32];
        const struct sam_system_row *rows = &f->rows[i];
        count = rows_of_unit(f, i);
        sam_format(name, sizeof name, strcmp(rows->unit, "SM") == 0 ? "%s %u" : "%s", rows->unit,
                   rows->number);
        bars = add_bar(bars, name, rows, count);
        decoding += strcmp(rows->unit, "weights") == 0 ? busy_of(rows, count) : 0;
    }
    for (size_t i = 0; i < f->pipe_count; i++) {
        const struct sam_system_pipe *pipe = &f->pipes[i];
        struct sam_system_row rows[SAM_SYSTEM_PIPE_CYCLES];
        pipe_rows(pipe, rows);
        pipe_bars = add_bar(pipe_bars, pipe->name, rows, SAM_COUNT(rows));
        if (pipe->operations)
            sam_buffer_printf(&operations, "%s%s %llu", operations.size ? ", " : "", pipe->name,
                              (unsigned long long)pipe->operations);
    }
    root = sam_tree_set(sam_tree_set(root, "bars", bars), "pipe_bars", pipe_bars);
    root = sam_tree_text(root, "pipe_operations", sam_buffer_text(&operations));
    sam_buffer_free(&operations);
    return sam_tree_count(root, "decoding", decoding);
}

/* The bottleneck: the busiest unit, and the wait with the most cycles. */
static json_t *set_bound(json_t *root, const struct sam_system_figures *f)
{
    const struct sam_system_operation_time *most = NULL;
    for (size_t i = 0; i < f->operation_count; i++)
        if (f->operations[i].operation && f->operations[i].waited_for != SAM_SYSTEM_NO_OPERATION &&
            (!most || f->operations[i].waited > most->waited))
            most = &f->operations[i];
    root = sam_tree_count(root, "bound", f->pipe_count ? f->busiest_cycles : 0);
    if (!most)
        return root;
    const struct sam_system_operation *cause = f->operations[most->waited_for].operation;
    root = sam_tree_set(root, "wait_name", sam_tree_plain(most->operation->name));
    root = sam_tree_count(root, "wait_line", most->operation->line);
    root = sam_tree_count(root, "wait_cycles", most->waited);
    root = sam_tree_set(root, "cause_name", sam_tree_plain(cause->name));
    return sam_tree_count(root, "cause_line", cause->line);
}

static json_t *set_memory(json_t *root, const struct sam_system_figures *f)
{
    json_t *levels = json_object_get(root, "memory"), *list = json_array();
    for (size_t i = 0; i < f->level_count; i++) {
        const struct sam_system_level *l = &f->levels[i];
        char cached[96] = "";
        if (l->hits + l->misses)
            sam_format(cached, sizeof cached, "  %.1f %% hits, %llu writes of parts of lines",
                       100 * (double)l->hits / (double)(l->hits + l->misses),
                       (unsigned long long)l->partial);
        json_t *level = json_incref(json_array_get(levels, i));
        level = sam_tree_text(level, "cached", cached);
        json_decref(sam_tree_count(level, "bytes", l->read + l->written));
    }
    for (size_t i = 0; i < f->byte_count; i++) {
        const struct sam_system_bytes *b = &f->bytes[i];
        const struct sam_system_level *l = level_named(f, b->level);
        json_t *row = sam_tree_text(json_object(), "unit", b->unit);
        row = sam_tree_fields(sam_tree_text(row, "level", b->level), bytes_members, b);
        row = sam_tree_count(row, "bytes", b->read + b->written);
        list = sam_tree_add(list, sam_tree_count(row, "of", l ? l->read + l->written : 0));
    }
    return sam_tree_set(root, "bytes", list);
}

static uint64_t dram_bytes(const struct sam_system_figures *f)
{
    const struct sam_system_level *dram = level_named(f, "DRAM");
    return dram ? dram->read + dram->written : 0;
}

/* Totals and lists in the text that the JSON document lacks. */
static json_t *text_tree(json_t *root, const struct sam_system_figures *f,
                         const struct sam_system_figures *raw)
{
    const uint64_t more = f->launch_count > MOST_LAUNCHES ? f->launch_count - MOST_LAUNCHES : 0;
    root = set_memory(set_bound(set_bars(root, f), f), f);
    root = sam_tree_count(root, "launch_count", f->launch_count);
    root = sam_tree_count(root, "more_launches", more);
    if (!f->raw || !raw)
        return root;
    root = sam_tree_count(root, "raw_cycles", raw->cycles);
    root = sam_tree_count(root, "raw_dram", dram_bytes(raw));
    return sam_tree_count(root, "dram", dram_bytes(f));
}

enum sam_status sam_system_report(const struct sam_system_figures *figures,
                                  const struct sam_system_figures *raw,
                                  enum sam_system_format format, char **text,
                                  struct sam_error *error)
{
    if (SAM_LACKS(error, figures, text))
        return SAM_ERR_USAGE;
    *text = NULL;
    if (format != SAM_SYSTEM_TEXT && format != SAM_SYSTEM_JSON)
        return sam_fail(error, SAM_ERR_USAGE, "report format %d: expected 0 or 1", (int)format);
    json_t *root = figures_of(figures);
    if (format == SAM_SYSTEM_TEXT)
        return sam_tree_report(text_tree(root, figures, raw), lines, "", text, error);
    if (raw)
        root = sam_tree_set(root, "with_raw_weights", figures_of(raw));
    return sam_tree_report(root, NULL, "\n", text, error);
}
