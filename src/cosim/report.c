/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a difference:
 *
 *   difference after 1234 commits, workgroup 0 warp 2: value of x5
 *               hardware                      Samite
 *     pc        80000194                      80000194 <vecadd+0x20>
 *     word      00a30333                      00a30333 add t1, t1, a0
 *     x5        00000010                      00000011
 *   the last commits of workgroup 0 warp 2:
 *     80000190 00150513 addi a0, a0, 1                      x10=00000005 */
#include <inttypes.h>
#include <stdio.h>

#include "cosim/cosim.h"

enum { SIDE = 30, TEXT = 40 };

void sam_cosim_report_begin(struct sam_cosim *cosim, uint32_t workgroup, uint32_t warp,
                            const char *what)
{
    cosim->differs = true;
    cosim->report.size = 0;
    sam_buffer_printf(&cosim->report,
                      "difference after %" PRIu64 " commits, workgroup %u warp %u: %s\n",
                      cosim->agreed, workgroup, warp, what);
    sam_cosim_report_row(cosim, "", "hardware", "Samite");
}

void sam_cosim_report_row(struct sam_cosim *cosim, const char *label, const char *hardware,
                          const char *samite)
{
    sam_buffer_printf(&cosim->report, "  %-9s %-*s %s\n", label, SIDE, hardware, samite);
}

void sam_cosim_report_line(struct sam_cosim *cosim, const char *text)
{
    sam_buffer_printf(&cosim->report, "  %s\n", text);
}

static void disassemble(const struct sam_cosim *cosim, uint64_t pc, uint32_t word, uint32_t prefix,
                        char *text, size_t size)
{
    sam_disassemble(&cosim->shape.isa, word, pc, prefix, cosim->shape.image, text, size);
}

void sam_cosim_report_insn(struct sam_cosim *cosim, const struct sam_cosim_commit *commit)
{
    const struct sam_step *step = &cosim->step;
    char ours[192], theirs[160], text[160];
    const struct sam_symbol *symbol =
        cosim->shape.image ? sam_image_symbol_at(cosim->shape.image, step->pc) : NULL;
    if (symbol)
        snprintf(ours, sizeof ours, "%08" PRIx64 " <%s+0x%" PRIx64 ">", step->pc, symbol->name,
                 step->pc - symbol->value);
    else
        snprintf(ours, sizeof ours, "%08" PRIx64, step->pc);
    snprintf(theirs, sizeof theirs, "%08x", commit->pc);
    sam_cosim_report_row(cosim, "pc", theirs, ours);
    disassemble(cosim, step->pc, step->word, step->prefix, text, sizeof text);
    snprintf(ours, sizeof ours, "%08x %s", step->word, text);
    snprintf(theirs, sizeof theirs, "%08x", commit->word);
    sam_cosim_report_row(cosim, "word", commit->word ? theirs : "-", ours);
}

static void show_writes(struct sam_cosim *cosim, const struct sam_cosim_record *step)
{
    for (unsigned i = 0; i < step->x_count; i++)
        sam_buffer_printf(&cosim->report, " x%u=%08x", step->x + i, step->x_value[i]);
    for (unsigned r = 0; r < step->v_count; r++) {
        sam_buffer_printf(&cosim->report, " v%u=", step->v + r);
        for (uint32_t lane = 0; lane < cosim->shape.lanes; lane++) {
            if (lane)
                sam_buffer_puts(&cosim->report, ",");
            if (step->lanes[r] >> lane & 1)
                sam_buffer_printf(&cosim->report, "%x", step->v_value[r][lane]);
        }
    }
}

void sam_cosim_report_end(struct sam_cosim *cosim, uint32_t workgroup, uint32_t warp)
{
    const struct sam_cosim_history *history = sam_cosim_history_of(cosim, workgroup, warp);
    if (!history || !history->count)
        return;
    const uint64_t room = cosim->options.history;
    const uint64_t first = history->count > room ? history->count - room : 0;
    sam_buffer_printf(&cosim->report, "the last commits of workgroup %u warp %u:\n", workgroup,
                      warp);
    for (uint64_t i = first; i < history->count; i++) {
        const struct sam_cosim_record *step = &history->records[i % room];
        char text[160];
        disassemble(cosim, step->pc, step->word, step->prefix, text, sizeof text);
        sam_buffer_printf(&cosim->report, "  %08" PRIx64 " %08x %-*s", step->pc, step->word, TEXT,
                          text);
        show_writes(cosim, step);
        while (cosim->report.size && cosim->report.data[cosim->report.size - 1] == ' ')
            cosim->report.size--;
        sam_buffer_puts(&cosim->report, "\n");
    }
}
