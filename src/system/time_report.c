/* SPDX-License-Identifier: Apache-2.0 */
/* The figures of a system as text and as JSON. */
#include "energy/energy.h"
#include "samite/system_time.h"

static double share(uint64_t part, uint64_t whole)
{
    return whole ? 100 * (double)part / (double)whole : 0;
}

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

static uint64_t busy_of(const struct sam_system_figures *f, const char *unit)
{
    uint64_t busy = 0;
    for (size_t i = 0; i < f->row_count; i++)
        if (f->rows[i].busy && strcmp(f->rows[i].unit, unit) == 0)
            busy += f->rows[i].cycles;
    return busy;
}

/* ------------------------------------------------------------------------------------- text */

enum { BAR = 30, MOST_LAUNCHES = 20 };

static void put_bar(double percent, struct sam_buffer *out)
{
    const int filled = (int)(percent * BAR / 100 + 0.5);
    for (int i = 0; i < BAR; i++)
        sam_buffer_puts(out, i < filled ? "#" : ".");
}

/* A line for the rows of a unit, unless it was never busy. */
static void put_unit(const struct sam_system_figures *f, const struct sam_system_row *rows,
                     size_t count, struct sam_buffer *out)
{
    uint64_t busy = 0;
    char name[32];
    for (size_t i = 0; i < count; i++)
        busy += rows[i].busy ? rows[i].cycles : 0;
    if (!busy)
        return;
    if (strcmp(rows[0].unit, "SM") == 0)
        sam_format(name, sizeof name, "SM %u", rows[0].number);
    else
        sam_format(name, sizeof name, "%s", rows[0].unit);
    sam_buffer_printf(out, "  %-10s ", name);
    put_bar(share(busy, f->cycles), out);
    sam_buffer_printf(out, " %5.1f %%", share(busy, f->cycles));
    for (size_t i = 0; i < count; i++)
        if (rows[i].cycles && !(rows[i].busy && rows[i].cycles == busy))
            sam_buffer_printf(out, "  %s %.1f", rows[i].reason, share(rows[i].cycles, f->cycles));
    sam_buffer_puts(out, "\n");
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

static void put_pipes(const struct sam_system_figures *f, struct sam_buffer *out)
{
    const char *before = "pipes: ";
    for (size_t i = 0; i < f->pipe_count; i++) {
        if (!f->pipes[i].operations)
            continue;
        sam_buffer_printf(out, "%s%s %llu", before, f->pipes[i].name,
                          (unsigned long long)f->pipes[i].operations);
        before = ", ";
    }
    if (f->pipe_count)
        sam_buffer_puts(out, before[0] == ',' ? " operations\n" : "pipes: no operations\n");
    for (size_t i = 0; i < f->pipe_count; i++) {
        struct sam_system_row rows[SAM_SYSTEM_PIPE_CYCLES];
        pipe_rows(&f->pipes[i], rows);
        put_unit(f, rows, SAM_COUNT(rows), out);
    }
}

static void put_levels(const struct sam_system_figures *f, struct sam_buffer *out)
{
    if (f->byte_count)
        sam_buffer_puts(out, "memory         read (bytes)  written (bytes)  bytes/cycle      of\n");
    for (size_t i = 0; i < f->level_count; i++) {
        const struct sam_system_level *l = &f->levels[i];
        const uint64_t bytes = l->read + l->written;
        if (!l->requests)
            continue;
        sam_buffer_printf(out, "  %-6s %18llu %16llu %12.2f %7u", l->name,
                          (unsigned long long)l->read, (unsigned long long)l->written,
                          f->cycles ? (double)bytes / (double)f->cycles : 0, l->width);
        if (l->hits + l->misses)
            sam_buffer_printf(out, "  %.1f %% hits, %llu writes of parts of lines",
                              share(l->hits, l->hits + l->misses), (unsigned long long)l->partial);
        sam_buffer_puts(out, "\n");
    }
}

static void put_bytes(const struct sam_system_figures *f, struct sam_buffer *out)
{
    for (size_t i = 0; i < f->byte_count; i++) {
        const struct sam_system_bytes *b = &f->bytes[i];
        const struct sam_system_level *l = level_named(f, b->level);
        sam_buffer_printf(out, "    %-10s %-4s %10llu %16llu  %5.1f %% of %s\n", b->unit, b->level,
                          (unsigned long long)b->read, (unsigned long long)b->written,
                          l ? share(b->read + b->written, l->read + l->written) : 0, b->level);
    }
}

static void put_roofline(const struct sam_system_figures *f, struct sam_buffer *out)
{
    const struct sam_system_roofline *r = &f->roofline;
    if (!f->macs)
        return;
    sam_buffer_printf(out,
                      "roofline: %.2f operations per byte of DRAM; %.2f of at most %.2f operations "
                      "per cycle (%s)\n",
                      r->intensity, r->done, r->bound,
                      r->memory_bound ? "DRAM limits" : "the multipliers limit");
}

static void put_weights(const struct sam_system_figures *f, const struct sam_system_figures *raw,
                        struct sam_buffer *out)
{
    if (!f->raw)
        return;
    sam_buffer_printf(
        out,
        "packed weights: %llu bytes for %llu (%.1f %%); the decoder is busy in %.1f %% of the "
        "cycles\n",
        (unsigned long long)f->packed, (unsigned long long)f->raw, share(f->packed, f->raw),
        share(busy_of(f, "weights"), f->cycles));
    if (!raw)
        return;
    const struct sam_system_level *packed = level_named(f, "DRAM"),
                                  *plain = level_named(raw, "DRAM");
    sam_buffer_printf(out,
                      "  with raw weights: %llu cycles, %.2f times as many; %llu bytes over DRAM "
                      "instead of %llu\n",
                      (unsigned long long)raw->cycles,
                      f->cycles ? (double)raw->cycles / (double)f->cycles : 0,
                      (unsigned long long)(plain ? plain->read + plain->written : 0),
                      (unsigned long long)(packed ? packed->read + packed->written : 0));
}

static void put_launches(const struct sam_system_figures *f, struct sam_buffer *out)
{
    if (f->launch_count)
        sam_buffer_puts(out, "launches        submitted      first warp             end   "
                             "instructions\n");
    for (size_t i = 0; i < f->launch_count && i < MOST_LAUNCHES; i++) {
        const struct sam_system_launch_time *l = &f->launches[i];
        sam_buffer_printf(out, "  %5llu %16llu %15llu %15llu %14llu  %s\n",
                          (unsigned long long)l->number, (unsigned long long)l->submitted,
                          (unsigned long long)l->first, (unsigned long long)l->end,
                          (unsigned long long)l->insns, l->kernel ? l->kernel : "");
    }
    if (f->launch_count > MOST_LAUNCHES)
        sam_buffer_printf(out, "  ... and %zu more\n", f->launch_count - MOST_LAUNCHES);
}

static void put_text(const struct sam_system_figures *f, const struct sam_system_figures *raw,
                     struct sam_buffer *out)
{
    sam_buffer_printf(
        out,
        "system: %llu cycles, %llu instructions of the hart, %zu launches, %llu weight "
        "records\n",
        (unsigned long long)f->cycles, (unsigned long long)f->instructions, f->launch_count,
        (unsigned long long)f->records);
    for (size_t i = 0, count; i < f->row_count; i += count) {
        count = rows_of_unit(f, i);
        put_unit(f, &f->rows[i], count, out);
    }
    put_pipes(f, out);
    put_levels(f, out);
    put_bytes(f, out);
    put_launches(f, out);
    put_roofline(f, out);
    sam_energy_put_text(&f->energy, out);
    put_weights(f, raw, out);
}

/* ------------------------------------------------------------------------------------- JSON */

#define MEMBER(type, field)                                                                        \
    {                                                                                              \
#field, offsetof(struct type, field)                                                       \
    }
static const struct sam_json_member root_members[] = {
    MEMBER(sam_system_figures, cycles),
    MEMBER(sam_system_figures, instructions),
    MEMBER(sam_system_figures, records),
    MEMBER(sam_system_figures, packed),
    MEMBER(sam_system_figures, raw),
    MEMBER(sam_system_figures, macs),
    {NULL, 0},
};
static const struct sam_json_member level_members[] = {
    MEMBER(sam_system_level, requests), MEMBER(sam_system_level, read),
    MEMBER(sam_system_level, written),  MEMBER(sam_system_level, busy),
    MEMBER(sam_system_level, waiting),  MEMBER(sam_system_level, idle),
    MEMBER(sam_system_level, hits),     MEMBER(sam_system_level, misses),
    MEMBER(sam_system_level, partial),  {NULL, 0},
};
static const struct sam_json_member launch_members[] = {
    MEMBER(sam_system_launch_time, number),
    MEMBER(sam_system_launch_time, submitted),
    MEMBER(sam_system_launch_time, begun),
    MEMBER(sam_system_launch_time, first),
    MEMBER(sam_system_launch_time, end),
    MEMBER(sam_system_launch_time, insns),
    MEMBER(sam_system_launch_time, read),
    MEMBER(sam_system_launch_time, written),
    {NULL, 0},
};
static const struct sam_json_member pipe_members[] = {
    MEMBER(sam_system_pipe, operations),
    MEMBER(sam_system_pipe, slices),
    MEMBER(sam_system_pipe, read),
    MEMBER(sam_system_pipe, written),
    {NULL, 0},
};
static const struct sam_json_member operation_members[] = {
    MEMBER(sam_system_operation_time, count),
    MEMBER(sam_system_operation_time, instructions),
    MEMBER(sam_system_operation_time, cycles),
    MEMBER(sam_system_operation_time, work),
    MEMBER(sam_system_operation_time, read),
    MEMBER(sam_system_operation_time, written),
    {NULL, 0},
};
#undef MEMBER

static json_t *json_unit(const struct sam_system_row *rows, size_t count, bool *good)
{
    json_t *unit = json_object(), *cycles = json_object();
    uint64_t busy = 0;
    for (size_t i = 0; i < count; i++) {
        busy += rows[i].busy ? rows[i].cycles : 0;
        sam_json_set(cycles, rows[i].reason, sam_json_count(rows[i].cycles), good);
    }
    sam_json_set(unit, "unit", sam_json_text(rows[0].unit), good);
    sam_json_set(unit, "number", sam_json_count(rows[0].number), good);
    sam_json_set(unit, "busy", sam_json_count(busy), good);
    sam_json_set(unit, "cycles", cycles, good);
    return unit;
}

static json_t *json_units(const struct sam_system_figures *f, bool *good)
{
    json_t *units = json_array();
    for (size_t i = 0, count; i < f->row_count; i += count) {
        count = rows_of_unit(f, i);
        sam_json_add(units, json_unit(&f->rows[i], count, good), good);
    }
    return units;
}

static json_t *json_memory(const struct sam_system_figures *f, bool *good)
{
    json_t *levels = json_array();
    for (size_t i = 0; i < f->level_count; i++) {
        const struct sam_system_level *l = &f->levels[i];
        json_t *level = json_object(), *units = json_array();
        sam_json_set(level, "level", sam_json_text(l->name), good);
        sam_json_set(level, "width", sam_json_count(l->width), good);
        sam_json_set_counts(level, l, level_members, good);
        for (size_t k = 0; k < f->byte_count; k++) {
            const struct sam_system_bytes *b = &f->bytes[k];
            if (strcmp(b->level, l->name) != 0)
                continue;
            json_t *unit = json_object();
            sam_json_set(unit, "unit", sam_json_text(b->unit), good);
            sam_json_set(unit, "read", sam_json_count(b->read), good);
            sam_json_set(unit, "written", sam_json_count(b->written), good);
            sam_json_add(units, unit, good);
        }
        sam_json_set(level, "units", units, good);
        sam_json_add(levels, level, good);
    }
    return levels;
}

static json_t *json_launches(const struct sam_system_figures *f, bool *good)
{
    json_t *launches = json_array();
    for (size_t i = 0; i < f->launch_count; i++) {
        json_t *launch = json_object();
        sam_json_set(launch, "kernel", sam_json_text(f->launches[i].kernel), good);
        sam_json_set_counts(launch, &f->launches[i], launch_members, good);
        sam_json_add(launches, launch, good);
    }
    return launches;
}

static json_t *json_pipes(const struct sam_system_figures *f, bool *good)
{
    json_t *pipes = json_array();
    for (size_t i = 0; i < f->pipe_count; i++) {
        struct sam_system_row rows[SAM_SYSTEM_PIPE_CYCLES];
        pipe_rows(&f->pipes[i], rows);
        json_t *pipe = json_unit(rows, SAM_SYSTEM_PIPE_CYCLES, good);
        json_object_del(pipe, "unit");
        json_object_del(pipe, "number");
        sam_json_set(pipe, "pipe", sam_json_text(f->pipes[i].name), good);
        sam_json_set_counts(pipe, &f->pipes[i], pipe_members, good);
        sam_json_add(pipes, pipe, good);
    }
    return pipes;
}

static json_t *json_operations(const struct sam_system_figures *f, bool *good)
{
    json_t *operations = json_array();
    for (size_t i = 0; i < f->operation_count; i++) {
        const struct sam_system_operation_time *t = &f->operations[i];
        const struct sam_system_operation *o = t->operation,
                                          *leader = f->operations[t->leader].operation;
        json_t *operation = json_object();
        sam_json_set(operation, "name", sam_json_text(o ? o->name : NULL), good);
        sam_json_set(operation, "line", sam_json_count(o ? o->line : 0), good);
        sam_json_set(operation, "column", sam_json_count(o ? o->column : 0), good);
        sam_json_set(operation, "pipe",
                     sam_json_text(o && o->pipe < f->pipe_count ? f->pipes[o->pipe].name : NULL),
                     good);
        sam_json_set(operation, "with_line", sam_json_count(leader ? leader->line : 0), good);
        sam_json_set_counts(operation, t, operation_members, good);
        sam_json_add(operations, operation, good);
    }
    return operations;
}

static json_t *json_roofline(const struct sam_system_roofline *r, bool *good)
{
    json_t *roofline = json_object();
    sam_json_set(roofline, "peak", json_real(r->peak), good);
    sam_json_set(roofline, "slope", json_real(r->slope), good);
    sam_json_set(roofline, "intensity", json_real(r->intensity), good);
    sam_json_set(roofline, "done", json_real(r->done), good);
    sam_json_set(roofline, "bound", json_real(r->bound), good);
    sam_json_set(roofline, "memory_bound", json_boolean(r->memory_bound), good);
    return roofline;
}

static json_t *json_figures(const struct sam_system_figures *f, bool *good)
{
    json_t *root = json_object();
    sam_json_set_counts(root, f, root_members, good);
    sam_json_set(root, "units", json_units(f, good), good);
    sam_json_set(root, "memory", json_memory(f, good), good);
    sam_json_set(root, "launches", json_launches(f, good), good);
    if (f->pipe_count) {
        sam_json_set(root, "pipes", json_pipes(f, good), good);
        sam_json_set(root, "operations", json_operations(f, good), good);
    }
    sam_json_set(root, "energy", sam_energy_json(&f->energy, good), good);
    sam_json_set(root, "roofline", json_roofline(&f->roofline, good), good);
    return root;
}

/* -------------------------------------------------------------------------------------- both */

enum sam_status sam_system_report(const struct sam_system_figures *figures,
                                  const struct sam_system_figures *raw,
                                  enum sam_system_format format, char **text,
                                  struct sam_error *error)
{
    struct sam_buffer out = {0};
    bool good = true;
    if (SAM_LACKS(error, figures, text))
        return SAM_ERR_USAGE;
    *text = NULL;
    if (format != SAM_SYSTEM_TEXT && format != SAM_SYSTEM_JSON)
        return sam_fail(error, SAM_ERR_USAGE, "report format %d: expected 0 or 1", (int)format);
    if (format == SAM_SYSTEM_TEXT) {
        put_text(figures, raw, &out);
    } else {
        json_t *root = json_figures(figures, &good);
        if (raw)
            sam_json_set(root, "with_raw_weights", json_figures(raw, &good), &good);
        sam_json_put(root, good, "\n", &out);
    }
    if (!out.failed)
        *text = sam_strdup(sam_buffer_text(&out));
    sam_buffer_free(&out);
    return *text ? SAM_OK : sam_fail_memory(error);
}
