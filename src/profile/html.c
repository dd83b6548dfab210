/* SPDX-License-Identifier: Apache-2.0 */
/* A profile as an HTML page. A source line unfolds to its instructions. */
#include "profile/profile.h"

#include <stdlib.h>

#include "tree/page.h"

/* Of a longer source only the neighbourhood of counted lines is printed. */
enum { WHOLE_SOURCE = 3000, NEAR = 5 };

/* ----------------------------------------------------------------------------------- cells */

static void put_heads(struct sam_buffer *out, const struct sam_profile_tables *t)
{
    sam_buffer_printf(out,
                      "<thead><tr><th>%%</th>%s<th>count</th><th>lanes&nbsp;%%</th>"
                      "<th>diverged</th><th>lines/mem</th><th>conflicts</th>%s",
                      t->timed ? "<th>cycles</th>" : "",
                      t->reasoned ? "<th class=\"at\">waits for</th>" : "");
}

static void put_number(struct sam_buffer *out, bool applies, const char *format, double value)
{
    char text[48];
    sam_format(text, sizeof text, format, value); /* formats of this file */
    sam_buffer_printf(out, "<td>%s</td>", applies ? text : "");
}

/* The cells of a sum; `largest` scales the bar behind the share. */
static void put_cells(struct sam_buffer *out, const struct sam_profile_tables *t,
                      const struct sam_profile_sum *sum, uint64_t largest)
{
    char share[32], bar[32], waits[32];
    const uint64_t weight = sam_profile_weight(t, sum);
    sam_format(share, sizeof share, "%.2f",
               sam_profile_percent(weight, sam_profile_weight(t, &t->sum)));
    sam_format(bar, sizeof bar, "%.1f", sam_profile_percent(weight, largest));
    sam_buffer_printf(out, "<td class=\"p\" style=\"--w:%s\">%s</td>", bar, share);
    if (t->timed)
        sam_buffer_printf(out, "<td>%llu</td>", (unsigned long long)sum->cycles);
    sam_buffer_printf(out, "<td>%llu</td>", (unsigned long long)sum->count);
    put_number(out, sum->vector_slots != 0, "%.1f",
               sam_profile_percent(sum->vector_lanes, sum->vector_slots));
    put_number(out, sum->diverged != 0, "%.0f", (double)sum->diverged);
    put_number(out, sum->lines != 0, "%.2f", (double)sum->lines / (double)sum->global_insns);
    put_number(out, sum->conflicts != 0, "%.0f", (double)sum->conflicts);
    sam_profile_waits(sum, waits, sizeof waits);
    if (t->reasoned)
        sam_buffer_printf(out, "<td class=\"at\">%s</td>", waits);
}

static unsigned cell_count(const struct sam_profile_tables *t)
{
    return 6u + t->timed + t->reasoned;
}

static void put_empty_cells(struct sam_buffer *out, const struct sam_profile_tables *t)
{
    for (unsigned i = 0; i < cell_count(t); i++)
        sam_buffer_puts(out, "<td></td>");
}

static uint64_t largest_insn(const struct sam_profile_tables *t)
{
    struct sam_profile_sum sum = {0};
    if (t->insn_count)
        sam_profile_sum_add(&sum, t->insns[t->hottest[0]].row);
    return sam_profile_weight(t, &sum);
}

static void put_insn_cells(struct sam_buffer *out, const struct sam_profile_tables *t,
                           const struct sam_profile_insn *insn)
{
    struct sam_profile_sum sum = {0};
    sam_profile_sum_add(&sum, insn->row);
    put_cells(out, t, &sum, largest_insn(t));
}

/* ---------------------------------------------------------------------------------- tables */

static void put_functions(const struct sam_profile_tables *t, struct sam_buffer *out)
{
    sam_buffer_puts(out, "<h2 id=\"functions\">Functions</h2>\n<div class=\"wide\"><table>\n");
    put_heads(out, t);
    sam_buffer_puts(out, "<th>function</th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < t->function_count; i++) {
        const char *name = t->functions[i].name;
        sam_buffer_puts(out, "<tr>");
        put_cells(out, t, &t->functions[i].sum, sam_profile_weight(t, &t->functions[0].sum));
        sam_tree_page_put(out, "<td><code>", name ? name : "(no symbol)", "</code></td></tr>\n");
    }
    sam_buffer_puts(out, "</tbody></table></div>\n");
}

static size_t source_number(const struct sam_profile_tables *t, const char *file)
{
    size_t i = 0;
    while (i < t->source_count && t->sources[i].file != file)
        i++;
    return i;
}

/* The hottest lines, linked to the source. */
static void put_hot_lines(const struct sam_profile_tables *t, struct sam_buffer *out)
{
    const size_t shown = t->line_count < t->top ? t->line_count : t->top;
    sam_buffer_puts(out, "<h2 id=\"lines\">Hottest lines</h2>\n<div class=\"wide\"><table>\n");
    put_heads(out, t);
    sam_buffer_puts(out, "<th class=\"at\">line</th><th>source</th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < shown; i++) {
        const struct sam_profile_line *line = &t->lines[i];
        sam_buffer_puts(out, "<tr>");
        put_cells(out, t, &line->sum, sam_profile_weight(t, &t->lines[0].sum));
        if (line->file) {
            const char *slash = strrchr(line->file, '/');
            sam_buffer_printf(out, "<td class=\"at\"><a href=\"#s%zul%u\" title=\"",
                              source_number(t, line->file), line->line);
            sam_tree_page_put(out, "", line->file, "\">");
            sam_tree_page_put(out, "", slash ? slash + 1 : line->file,
                              ""); /* room for the source */
            sam_buffer_printf(out, ":%u</a></td><td><code>", line->line);
        } else {
            sam_buffer_puts(out, "<td class=\"at\">(no line)</td><td><code>");
        }
        sam_tree_page_put(out, "", line->text ? line->text + strspn(line->text, " \t") : "",
                          "</code></td></tr>\n");
    }
    sam_buffer_puts(out, "</tbody></table></div>\n");
}

/* ---------------------------------------------------------------------------------- source */

/* Linked lists of the instructions of each line, in order of pc. */
struct chains {
    size_t *first, *next; /* indices plus one; 0: none */
};

static bool make_chains(const struct sam_profile_tables *t, struct chains *chains)
{
    chains->first = sam_alloc(t->line_count, sizeof *chains->first);
    chains->next = sam_alloc(t->insn_count, sizeof *chains->next);
    for (size_t i = t->insn_count; chains->first && chains->next && i-- > 0;) {
        const size_t line = t->insns[i].line;
        chains->next[i] = chains->first[line];
        chains->first[line] = i + 1;
    }
    return chains->first && chains->next;
}

static void put_line_insns(const struct sam_profile_tables *t, const struct chains *chains,
                           size_t line, struct sam_buffer *out)
{
    sam_buffer_puts(out, "<table>");
    for (size_t i = chains->first[line]; i; i = chains->next[i - 1]) {
        const struct sam_profile_insn *insn = &t->insns[i - 1];
        sam_buffer_puts(out, "<tr>");
        put_insn_cells(out, t, insn);
        sam_buffer_printf(out, "<td class=\"at\">0x%08llx  ", (unsigned long long)insn->row->pc);
        sam_tree_page_put(out, "", insn->text, "</td></tr>");
    }
    sam_buffer_puts(out, "</table>");
}

/* A line of source `s`; `found` is its index among the counted lines, or SIZE_MAX. */
static void put_source_line(const struct sam_profile_tables *t, const struct chains *chains,
                            size_t s, uint32_t number, size_t found, struct sam_buffer *out)
{
    const struct sam_profile_source *source = &t->sources[s];
    const char *text = number <= source->line_count ? source->lines[number - 1] : "";
    sam_buffer_printf(out, "<tr id=\"s%zul%u\">", s, number);
    if (found == SIZE_MAX)
        put_empty_cells(out, t);
    else
        put_cells(out, t, &t->lines[found].sum, sam_profile_weight(t, &t->lines[0].sum));
    sam_buffer_printf(out, "<td class=\"n\">%u</td><td>", number);
    if (found == SIZE_MAX) {
        sam_tree_page_put(out, "<code>", text, "</code>");
    } else {
        sam_tree_page_put(out, "<details><summary>",
                          source->line_count ? text : t->insns[chains->first[found] - 1].text,
                          "</summary>");
        put_line_insns(t, chains, found, out);
        sam_buffer_puts(out, "</details>");
    }
    sam_buffer_puts(out, "</td></tr>\n");
}

/* A source, or of a long one the neighbourhood of counted lines. */
static void put_source(const struct sam_profile_tables *t, const struct chains *chains, size_t s,
                       struct sam_buffer *out)
{
    const struct sam_profile_source *source = &t->sources[s];
    size_t last = source->line_count;
    for (size_t i = 0; i < t->line_count; i++)
        if (t->lines[i].file == source->file && t->lines[i].line > last)
            last = t->lines[i].line;
    if (last > SIZE_MAX / sizeof(size_t) - 2 || (source->line_count == 0 && last > 1000000))
        return;                                         /* implausible line numbers */
    size_t *found = sam_alloc(last + 1, sizeof *found); /* indices of counted lines, plus one */
    if (!found) {
        out->failed = true;
        return;
    }
    for (size_t i = 0; i < t->line_count; i++)
        if (t->lines[i].file == source->file)
            found[t->lines[i].line] = i + 1;
    sam_tree_page_put(out, "<h2>", source->file,
                      "</h2>\n<div class=\"wide\"><table class=\"source\">\n");
    put_heads(out, t);
    sam_buffer_puts(out, "<th></th><th>source</th></tr></thead>\n<tbody>\n");
    const size_t near = source->line_count && last <= WHOLE_SOURCE ? last
                        : source->line_count                       ? NEAR
                                                                   : 0;
    size_t wanted = near == last ? last : 0; /* print up to this line */
    for (size_t i = 1; i <= last; i++) {
        for (size_t k = i; k <= last && k <= i + near && wanted < i + near && near < last; k++)
            if (found[k])
                wanted = k + near;
        if (i <= wanted || found[i])
            put_source_line(t, chains, s, (uint32_t)i, found[i] ? found[i] - 1 : SIZE_MAX, out);
    }
    sam_buffer_puts(out, "</tbody></table></div>\n");
    free(found);
}

/* The sources in order of their hottest lines. */
static void put_sources(const struct sam_profile_tables *t, struct sam_buffer *out)
{
    struct chains chains = {0};
    bool *shown = sam_alloc(t->source_count, sizeof *shown);
    const bool good = shown && make_chains(t, &chains);
    out->failed |= !good;
    sam_buffer_puts(out, "<section id=\"source\">\n");
    for (size_t i = 0; good && i < t->line_count; i++) {
        const size_t s = t->lines[i].file ? source_number(t, t->lines[i].file) : SIZE_MAX;
        if (s == SIZE_MAX || shown[s])
            continue;
        shown[s] = true;
        put_source(t, &chains, s, out);
    }
    sam_buffer_puts(out, "</section>\n");
    free(chains.first);
    free(chains.next);
    free(shown);
}

/* All executed instructions in order of pc, by function. */
static void put_code(const struct sam_profile_tables *t, struct sam_buffer *out)
{
    size_t function = SIZE_MAX;
    sam_buffer_puts(out, "<h2 id=\"code\">Disassembly</h2>\n<div class=\"wide\"><table>\n");
    put_heads(out, t);
    sam_buffer_puts(out, "<th class=\"at\">pc</th><th>instruction</th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < t->insn_count; i++) {
        const struct sam_profile_insn *insn = &t->insns[i];
        if (insn->function != function) {
            function = insn->function;
            const char *name = t->functions[function].name;
            sam_buffer_printf(out, "<tr class=\"f\"><td colspan=\"%u\">", cell_count(t) + 2);
            sam_tree_page_put(out, "", name ? name : "(no symbol)", "</td></tr>\n");
        }
        sam_buffer_puts(out, "<tr>");
        put_insn_cells(out, t, insn);
        sam_buffer_printf(out, "<td class=\"at\">0x%08llx</td><td><code>",
                          (unsigned long long)insn->row->pc);
        sam_tree_page_put(out, "", insn->text, "</code></td></tr>\n");
    }
    sam_buffer_puts(out, "</tbody></table></div>\n");
}

/* The columns, and the stall reasons that occur. */
static void put_legend(const struct sam_profile_tables *t, struct sam_buffer *out)
{
    sam_buffer_puts(out,
                    "<h2 id=\"legend\">Legend</h2>\n<p>diverged: branches that split a warp; "
                    "lines/mem: lines of 64 bytes per instruction that accesses global memory; "
                    "conflicts: passes over local memory beyond the first of each access: one for "
                    "each lane that accesses the same bank of a line of 128 bytes, and for each "
                    "further line.</p>\n");
    if (t->timed && !t->reasoned)
        sam_buffer_puts(out, "<p>cycles: from the instruction to the next one of the hart, which "
                             "waits in them or issues.</p>\n");
    if (t->reasoned)
        sam_buffer_puts(out,
                        "<p>cycles: those in which the instruction was the next of a warp; waits "
                        "for: the two largest reasons why it did not issue.</p>\n"
                        "<ul class=\"legend\">\n");
    for (unsigned reason = 1; t->reasoned && reason < SAM_GPUTIME_REASONS; reason++)
        if (t->sum.reasons[reason])
            sam_buffer_printf(out, "<li><b>%s</b> %s</li>\n", sam_gputime_reason_name(reason),
                              sam_gputime_reason_meaning(reason));
    if (t->reasoned)
        sam_buffer_puts(out, "</ul>\n");
}

void sam_profile_put_html(const struct sam_profile_tables *t, struct sam_buffer *out)
{
    sam_tree_page(out, "Profile", t->title ? t->title : "program");
    sam_buffer_printf(out, "<p>%llu instructions%s", (unsigned long long)t->sum.count,
                      sam_profile_of(t));
    if (t->sum.vector_slots) {
        char percent[32];
        sam_format(percent, sizeof percent, "%.1f",
                   sam_profile_percent(t->sum.vector_lanes, t->sum.vector_slots));
        sam_buffer_printf(out, ", %s&nbsp;%% of lanes active", percent);
    }
    if (t->timed)
        sam_buffer_printf(out, ", %llu cycles%s", (unsigned long long)t->sum.cycles,
                          sam_profile_of(t));
    if (t->warps)
        sam_buffer_printf(out, ", %llu divergent branches, %llu bank conflicts",
                          (unsigned long long)t->sum.diverged,
                          (unsigned long long)t->sum.conflicts);
    sam_buffer_printf(out, ", %llu lines of memory</p>\n", (unsigned long long)t->sum.lines);
    if (t->problem)
        sam_tree_page_put(out, "<p>", t->problem, "</p>\n");
    sam_buffer_puts(out, "<nav><a href=\"#functions\">Functions</a>");
    if (t->has_lines)
        sam_buffer_puts(out, "<a href=\"#lines\">Hottest lines</a><a href=\"#source\">Source</a>");
    sam_buffer_puts(out, "<a href=\"#code\">Disassembly</a><a href=\"#legend\">Legend</a></nav>\n");
    put_functions(t, out);
    if (t->has_lines) {
        put_hot_lines(t, out);
        put_sources(t, out);
    }
    put_code(t, out);
    put_legend(t, out);
    sam_tree_page_end(out);
}
