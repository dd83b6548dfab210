/* SPDX-License-Identifier: Apache-2.0 */
/* Per line of a tile program: the code it was lowered to and, with the figures of a run, its cost.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "lower/op_map.h"
#include "lower/program.h"

struct explained {
    struct sam_tile_lowered *made;
    const struct sam_system_pipes *pipes;
    const struct sam_system_figures *figures; /* of a run, or NULL */
    struct sam_buffer out;
};

static void indent(struct explained *e)
{
    sam_buffer_puts(&e->out, "      | ");
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static void put_cost(struct explained *e, uint64_t count, uint64_t cycles)
{
    if (e->figures)
        sam_buffer_printf(&e->out, ": %" PRIu64 " run, %" PRIu64 " cycle%s", count, cycles,
                          plural(cycles));
    sam_buffer_puts(&e->out, "\n");
}

/* Count the hart instructions of a line, from each mark to the next one. The last mark has no
 * operation. */
static uint64_t static_count(const struct explained *e, uint32_t line)
{
    const struct sam_system_pipes *p = e->pipes;
    uint64_t bytes = 0;
    for (size_t i = 0; i + 1 < p->mark_count; i++) {
        const struct sam_system_mark *m = &p->marks[i];
        if (m->operation != SAM_SYSTEM_NO_PIPE && p->operations[m->operation].line == line)
            bytes += m[1].address - m->address;
    }
    return bytes / 4;
}

/* Hart instructions of a line, and their run-time cost including called routines. */
static void explain_hart(struct explained *e, uint32_t line)
{
    const uint64_t instructions = static_count(e, line);
    uint64_t count = 0, cycles = 0;
    if (!instructions)
        return;
    for (size_t i = 0; e->figures && i < e->figures->operation_count; i++) {
        const struct sam_system_operation_time *t = &e->figures->operations[i];
        if (t->operation && t->operation->line == line) {
            count += t->instructions;
            cycles += t->cycles;
        }
    }
    indent(e);
    sam_buffer_printf(&e->out, "%" PRIu64 " instruction%s of the hart", instructions,
                      plural(instructions));
    put_cost(e, count, cycles);
}

/* The launches of another line that the hart waits for at operations of this line. */
static void explain_waits(struct explained *e, uint32_t line)
{
    for (size_t i = 0; e->figures && i + 1 < e->figures->operation_count; i++) {
        const struct sam_system_operation_time *t = &e->figures->operations[i];
        if (t->operation->line != line || t->waited_for == SAM_SYSTEM_NO_OPERATION)
            continue;
        const struct sam_system_operation *o = e->figures->operations[t->waited_for].operation;
        indent(e);
        sam_buffer_printf(&e->out, "%s: waits %" PRIu64 " cycle%s for %s of line %" PRIu32 "\n",
                          t->operation->name, t->waited, plural(t->waited), o->name, o->line);
    }
}

/* Cost outside all operations: prologue, checks, tile arguments. */
static void explain_rest(struct explained *e)
{
    if (!e->figures || !e->figures->operation_count)
        return;
    const struct sam_system_operation_time *t =
        &e->figures->operations[e->figures->operation_count - 1];
    indent(e);
    sam_buffer_puts(&e->out, "before and after all lines");
    put_cost(e, t->instructions, t->cycles);
}

static const struct sam_system_kernel *kernel_of(const struct sam_system_pipes *p, size_t operation)
{
    for (size_t i = 0; i < p->kernel_count; i++)
        for (uint32_t n = 0; n < p->kernels[i].count; n++)
            if (p->kernels[i].operations[n] == operation)
                return &p->kernels[i];
    return NULL;
}

/* Unit work of the operations of a line that are not part of a kernel. */
static void explain_units(struct explained *e, uint32_t line)
{
    for (size_t i = 0; e->figures && i + 1 < e->figures->operation_count; i++) {
        const struct sam_system_operation_time *t = &e->figures->operations[i];
        if (t->operation->line != line || !t->count || kernel_of(e->pipes, i))
            continue;
        indent(e);
        sam_buffer_printf(&e->out,
                          "%s: %" PRIu64 " time%s, %" PRIu64 " cycle%s in units, %" PRIu64
                          " bytes read, %" PRIu64 " written\n",
                          t->operation->name, t->count, plural(t->count), t->work, plural(t->work),
                          t->read, t->written);
    }
}

/* Launches of the kernel that a note "kernel k0: ..." names, reported at the kernel's first
 * operation. */
static void explain_kernel(struct explained *e, const char *name, uint32_t line)
{
    const size_t size = strcspn(name, ":");
    uint64_t insns = 0;
    for (size_t i = 0; e->figures && i < e->pipes->kernel_count; i++) {
        const struct sam_system_kernel *k = &e->pipes->kernels[i];
        const struct sam_system_operation_time *t = &e->figures->operations[k->operations[0]];
        uint64_t count = 0, cycles = 0, read = 0, written = 0;
        if (strlen(k->name) != size || memcmp(k->name, name, size) != 0 || !t->count ||
            t->operation->line != line)
            continue;
        for (size_t n = 0; n < e->figures->launch_count; n++) {
            const struct sam_system_launch_time *launch = &e->figures->launches[n];
            if (!launch->kernel || strcmp(launch->kernel, k->name) != 0)
                continue;
            count++;
            insns += launch->insns;
            cycles += launch->end - launch->first;
            read += launch->read;
            written += launch->written;
        }
        indent(e);
        sam_buffer_printf(&e->out,
                          "%s: %" PRIu64 " launch%s, %" PRIu64 " instructions of warps, %" PRIu64
                          " cycles, %" PRIu64 " bytes read, %" PRIu64 " written\n",
                          k->name, count, count == 1 ? "" : "es", insns, cycles, read, written);
    }
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
            explain_kernel(e, n->text + 7, line);
    }
    explain_units(e, line);
    explain_waits(e, line);
    explain_hart(e, line);
}

enum sam_status sam_tile_lowered_explain(struct sam_tile_lowered *made,
                                         const struct sam_system_figures *figures, char **text,
                                         struct sam_error *error)
{
    const struct sam_image *hart, *gpu;
    struct explained e = {.made = made, .figures = figures};
    if (text)
        *text = NULL;
    if (SAM_LACKS(error, made, text))
        return SAM_ERR_USAGE;
    enum sam_status status = sam_tile_lowered_images(made, &hart, &gpu, error);
    if (status != SAM_OK)
        return status;
    e.pipes = sam_lower_pipes(made->described, hart);
    if (figures && e.pipes && figures->operation_count != e.pipes->operation_count + 1)
        return sam_fail(error, SAM_ERR_USAGE,
                        "figures of another program: expected those of this one");
    bool good = e.pipes != NULL;
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
        explain_rest(&e);
    good = good && !e.out.failed && (*text = sam_strdup(sam_buffer_text(&e.out)));
    sam_buffer_free(&e.out);
    return good ? SAM_OK : sam_fail_memory(error);
}
