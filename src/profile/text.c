/* SPDX-License-Identifier: Apache-2.0 */
/* A profile as text tables, and as folded stacks. */
#include "profile/profile.h"

/* Columns of a sum: share of all cycles or instructions, both numbers, lanes active, divergence,
 * 64-byte lines per instruction that accesses global memory, passes lost to bank conflicts, stall
 * reasons. Columns that do not apply are omitted. */
static void put_heading(struct sam_buffer *out, const struct sam_profile_tables *t)
{
    sam_buffer_printf(out, "\n     %%%s        count  lanes%%  diverged  lines/mem  conflicts  %s",
                      t->timed ? "       cycles" : "",
                      t->reasoned ? "waits for                       " : "");
}

static void put_columns(struct sam_buffer *out, const struct sam_profile_tables *t,
                        const struct sam_profile_sum *sum)
{
    char cycles[32] = "", lanes[16] = "", diverged[32] = "", lines[16] = "", conflicts[32] = "";
    char waits[32] = "";
    if (t->timed)
        sam_format(cycles, sizeof cycles, " %12llu", (unsigned long long)sum->cycles);
    if (sum->vector_slots)
        sam_format(lanes, sizeof lanes, "%.1f",
                   sam_profile_percent(sum->vector_lanes, sum->vector_slots));
    if (sum->diverged)
        sam_format(diverged, sizeof diverged, "%llu", (unsigned long long)sum->diverged);
    if (sum->lines)
        sam_format(lines, sizeof lines, "%.2f", (double)sum->lines / (double)sum->global_insns);
    if (sum->conflicts)
        sam_format(conflicts, sizeof conflicts, "%llu", (unsigned long long)sum->conflicts);
    sam_buffer_printf(
        out, "%6.2f%s %12llu  %6s  %8s  %9s  %9s  ",
        sam_profile_percent(sam_profile_weight(t, sum), sam_profile_weight(t, &t->sum)), cycles,
        (unsigned long long)sum->count, lanes, diverged, lines, conflicts);
    sam_profile_waits(sum, waits, sizeof waits);
    if (t->reasoned)
        sam_buffer_printf(out, "%-30s  ", waits); /* two reasons with the longest names */
}

static void put_plain(struct sam_buffer *out, const char *text)
{
    sam_buffer_plain(out, text, strlen(text), ' ');
}

/* The statement of a line, trimmed and without its comment. */
static void put_statement(struct sam_buffer *out, const char *text)
{
    while (*text == ' ' || *text == '\t')
        text++;
    size_t size = strlen(text);
    while (size && strchr(" \t\r", text[size - 1]))
        size--;
    sam_buffer_plain(out, text, size, ' ');
}

static void put_rest(struct sam_buffer *out, size_t shown, size_t count, const char *what)
{
    if (count > shown)
        sam_buffer_printf(out, "  ... %zu more %s\n", count - shown, what);
}

static size_t shown_of(const struct sam_profile_tables *t, size_t count)
{
    return count < t->top ? count : t->top;
}

static void put_functions(const struct sam_profile_tables *t, struct sam_buffer *out)
{
    const size_t shown = shown_of(t, t->function_count);
    put_heading(out, t);
    sam_buffer_puts(out, "function\n");
    for (size_t i = 0; i < shown; i++) {
        put_columns(out, t, &t->functions[i].sum);
        put_plain(out, t->functions[i].name ? t->functions[i].name : "(no symbol)");
        sam_buffer_puts(out, "\n");
    }
    put_rest(out, shown, t->function_count, "functions");
}

static void put_lines(const struct sam_profile_tables *t, struct sam_buffer *out)
{
    const size_t shown = shown_of(t, t->line_count);
    put_heading(out, t);
    sam_buffer_puts(out, "line\n");
    for (size_t i = 0; i < shown; i++) {
        const struct sam_profile_line *line = &t->lines[i];
        put_columns(out, t, &line->sum);
        if (line->file) {
            put_plain(out, line->file);
            sam_buffer_printf(out, ":%u", line->line);
        } else {
            sam_buffer_puts(out, "(no line)");
        }
        if (line->text) {
            sam_buffer_puts(out, "  ");
            put_statement(out, line->text);
        }
        sam_buffer_puts(out, "\n");
    }
    put_rest(out, shown, t->line_count, "lines");
}

static void put_insns(const struct sam_profile_tables *t, struct sam_buffer *out)
{
    const size_t shown = shown_of(t, t->insn_count);
    put_heading(out, t);
    sam_buffer_puts(out, "pc          instruction\n");
    for (size_t i = 0; i < shown; i++) {
        const struct sam_profile_insn *insn = &t->insns[t->hottest[i]];
        struct sam_profile_sum sum = {0};
        sam_profile_sum_add(&sum, insn->row);
        put_columns(out, t, &sum);
        sam_buffer_printf(out, "0x%08llx  %s\n", (unsigned long long)insn->row->pc, insn->text);
    }
    put_rest(out, shown, t->insn_count, "instructions");
}

void sam_profile_put_text(const struct sam_profile_tables *t, struct sam_buffer *out)
{
    sam_buffer_puts(out, "profile");
    if (t->title) {
        sam_buffer_puts(out, " of ");
        put_plain(out, t->title);
    }
    sam_buffer_printf(out, ": %llu instructions%s", (unsigned long long)t->sum.count,
                      sam_profile_of(t));
    if (t->sum.vector_slots)
        sam_buffer_printf(out, ", %.1f%% of lanes active",
                          sam_profile_percent(t->sum.vector_lanes, t->sum.vector_slots));
    if (t->timed)
        sam_buffer_printf(out, ", %llu cycles%s", (unsigned long long)t->sum.cycles,
                          sam_profile_of(t));
    sam_buffer_puts(out, "\n");
    if (t->problem) {
        put_plain(out, t->problem);
        sam_buffer_puts(out, "\n");
    }
    put_functions(t, out);
    if (t->has_lines)
        put_lines(t, out);
    put_insns(t, out);
}

/* A frame of a folded stack, without the separators of frames and counts. */
static void put_frame(struct sam_buffer *out, const char *text)
{
    for (; *text; text++) {
        const bool bad = *text == ';' || *text == '\n' || *text == '\r';
        sam_buffer_append(out, bad ? "_" : text, 1);
    }
    sam_buffer_puts(out, ";");
}

void sam_profile_put_folded(const struct sam_profile_tables *t, struct sam_buffer *out)
{
    for (size_t i = 0; i < t->insn_count; i++) {
        const struct sam_profile_insn *insn = &t->insns[i];
        const struct sam_profile_line *line = &t->lines[insn->line];
        const char *function = t->functions[insn->function].name;
        put_frame(out, t->title ? t->title : "program");
        put_frame(out, function ? function : "(no symbol)");
        if (line->file) {
            char number[16];
            struct sam_buffer frame = {0};
            sam_format(number, sizeof number, ":%u", line->line);
            sam_buffer_puts(&frame, line->file);
            sam_buffer_puts(&frame, number);
            put_frame(out, sam_buffer_text(&frame));
            out->failed |= frame.failed;
            sam_buffer_free(&frame);
        }
        struct sam_profile_sum sum = {0};
        sam_profile_sum_add(&sum, insn->row);
        sam_buffer_printf(out, "0x%08llx %s %llu\n", (unsigned long long)insn->row->pc, insn->text,
                          (unsigned long long)sam_profile_weight(t, &sum));
    }
}
