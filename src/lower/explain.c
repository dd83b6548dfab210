/* SPDX-License-Identifier: Apache-2.0 */
/* What each line of a tile program became and, with figures of a run, what it cost. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "lower/program.h"
#include "samite/profile.h"

/* The code of one operation on the hart. */
struct range {
    uint64_t from, to;
    uint32_t line;
};

struct explained {
    struct sam_tile_lowered *made;
    const struct sam_image *hart, *gpu;
    const struct sam_profile_row *rows;
    size_t row_count;
    const struct sam_system_figures *figures;
    struct range *ranges;
    size_t range_count;
    uint64_t done; /* the end of the last */
    struct sam_buffer out;
};

/* The line of a label, "tload_12_5"; 0: it is not the label of an operation. */
static uint32_t line_of(const char *label)
{
    const char *column = strrchr(label, '_');
    if (!column || column == label)
        return 0;
    const char *line = column;
    while (line > label && line[-1] >= '0' && line[-1] <= '9')
        line--;
    if (line == column || line == label || line[-1] != '_' || column[1] < '0' || column[1] > '9')
        return 0;
    return (uint32_t)strtoul(line, NULL, 10);
}

static int by_address(const void *x, const void *y)
{
    const struct range *a = x, *b = y;
    return (a->from > b->from) - (a->from < b->from);
}

/* The code of each operation ends where the next begins, or where the program is done. */
static bool find_ranges(struct explained *e)
{
    const struct sam_symbol *done = sam_image_find(e->hart, "done");
    e->ranges = sam_alloc(e->hart->symbol_count + 1, sizeof *e->ranges);
    if (!e->ranges || !done)
        return false;
    e->done = done->value;
    for (size_t i = 0; i < e->hart->symbol_count; i++) {
        const struct sam_symbol *s = &e->hart->symbols[i];
        const uint32_t line = line_of(s->name);
        if (line && s->value < done->value)
            e->ranges[e->range_count++] = (struct range){.from = s->value, .line = line};
    }
    qsort(e->ranges, e->range_count, sizeof *e->ranges, by_address);
    for (size_t i = 0; i < e->range_count; i++)
        e->ranges[i].to = i + 1 < e->range_count ? e->ranges[i + 1].from : done->value;
    return true;
}

static void indent(struct explained *e)
{
    sam_buffer_puts(&e->out, "      | ");
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

/* What the instructions of a range have taken. */
static void add_rows(const struct explained *e, const struct range *r, uint64_t *count,
                     uint64_t *cycles)
{
    for (size_t k = 0; k < e->row_count; k++)
        if (e->rows[k].pc >= r->from && e->rows[k].pc < r->to) {
            *count += e->rows[k].count;
            *cycles += e->rows[k].cycles[SAM_GPUTIME_BUSY];
        }
}

static void put_cost(struct explained *e, uint64_t count, uint64_t cycles)
{
    if (e->rows)
        sam_buffer_printf(&e->out, ": %" PRIu64 " run", count);
    if (e->figures)
        sam_buffer_printf(&e->out, ", %" PRIu64 " cycle%s", cycles, plural(cycles));
    sam_buffer_puts(&e->out, "\n");
}

/* Instructions of the hart for a line, and what they took. */
static void explain_hart(struct explained *e, uint32_t line)
{
    uint64_t static_count = 0, count = 0, cycles = 0;
    for (size_t i = 0; i < e->range_count; i++) {
        const struct range *r = &e->ranges[i];
        if (r->line != line)
            continue;
        static_count += (r->to - r->from) / 4;
        add_rows(e, r, &count, &cycles);
    }
    if (!static_count)
        return;
    indent(e);
    sam_buffer_printf(&e->out, "%" PRIu64 " instruction%s of the hart", static_count,
                      plural(static_count));
    put_cost(e, count, cycles);
}

/* Everything else: loops of TensorLoad that operations call, tests, tiles of arguments. */
static void explain_routines(struct explained *e)
{
    const struct range before = {.to = e->range_count ? e->ranges[0].from : e->done};
    const struct range after = {.from = e->done, .to = UINT64_MAX};
    uint64_t count = 0, cycles = 0;
    add_rows(e, &before, &count, &cycles);
    add_rows(e, &after, &count, &cycles);
    if (!e->rows)
        return;
    indent(e);
    sam_buffer_puts(&e->out, "routines of the hart, for all lines");
    put_cost(e, count, cycles);
}

/* The launches of the kernel that a note names, "kernel k0: ..."; once per kernel. */
static void explain_kernel(struct explained *e, const char *text, size_t note)
{
    uint64_t launches = 0, cycles = 0, insns = 0;
    const size_t name = strcspn(text + 7, ":");
    for (size_t i = 0; i < note; i++)
        if (strncmp(e->made->notes[i].text, text, 7 + name + 1) == 0)
            return;
    for (size_t i = 0; e->figures && i < e->figures->launch_count; i++) {
        const struct sam_system_launch_time *t = &e->figures->launches[i];
        if (!t->kernel || strlen(t->kernel) != name || memcmp(t->kernel, text + 7, name) != 0)
            continue;
        launches++;
        cycles += t->end - t->begun;
        insns += t->insns;
    }
    if (!launches)
        return;
    indent(e);
    sam_buffer_printf(&e->out,
                      "%.*s: %" PRIu64 " launch%s, %" PRIu64 " instructions of warps, %" PRIu64
                      " cycles\n",
                      (int)name, text + 7, launches, launches == 1 ? "" : "es", insns, cycles);
}

static void explain_line(struct explained *e, uint32_t line)
{
    for (size_t i = 0; i < e->made->note_count; i++) {
        const struct sam_tile_lowered_note *n = &e->made->notes[i];
        if (n->line != line)
            continue;
        indent(e);
        sam_buffer_printf(&e->out, "%s: %s\n", n->name, n->text);
        if (strncmp(n->text, "kernel ", 7) == 0)
            explain_kernel(e, n->text, i);
    }
    explain_hart(e, line);
}

enum sam_status sam_tile_lowered_explain(struct sam_tile_lowered *made, struct sam_profile *profile,
                                         const struct sam_system_figures *figures, char **text,
                                         struct sam_error *error)
{
    struct explained e = {.made = made, .figures = figures};
    if (text)
        *text = NULL;
    if (SAM_LACKS(error, made, text))
        return SAM_ERR_USAGE;
    enum sam_status status = sam_tile_lowered_images(made, &e.hart, &e.gpu, error);
    if (status != SAM_OK)
        return status;
    if (profile)
        e.rows = sam_profile_rows(profile, &e.row_count);
    bool good = find_ranges(&e);
    uint32_t line = 1;
    for (const char *at = made->source; good && *at; line++) {
        const size_t size = strcspn(at, "\n");
        sam_buffer_printf(&e.out, "%5" PRIu32 " ", line);
        sam_buffer_plain(&e.out, at, size, ' ');
        sam_buffer_puts(&e.out, "\n");
        explain_line(&e, line);
        at += size + (at[size] == '\n');
    }
    if (good)
        explain_routines(&e);
    good = good && !e.out.failed && (*text = sam_strdup(sam_buffer_text(&e.out)));
    free(e.ranges);
    sam_buffer_free(&e.out);
    return good ? SAM_OK : sam_fail_memory(error);
}
