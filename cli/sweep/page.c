/* SPDX-License-Identifier: Apache-2.0 */
/* The page of a sweep: the command, the best run, charts, cycles by reason, all runs in a table.
 * It needs no network; its only script sorts the table. */
#include <math.h>
#include <stdlib.h>

#include "sweep/sweep.h"

enum { MOST_ROWS = 2000 };

/* A click on a heading sorts by its column, a second one the other way round. */
static const char script[] =
    "for (const table of document.querySelectorAll('.sortable')) {\n"
    "  const heads = [...table.tHead.rows[0].cells], body = table.tBodies[0];\n"
    "  const key = (row, i) => { const t = row.cells[i] ? row.cells[i].textContent.trim() : '';\n"
    "    const n = parseFloat(t); return isNaN(n) ? t : n; };\n"
    "  heads.forEach((head, i) => {\n"
    "    const sort = () => {\n"
    "      const down = head.getAttribute('aria-sort') === 'ascending';\n"
    "      heads.forEach(h => h.removeAttribute('aria-sort'));\n"
    "      head.setAttribute('aria-sort', down ? 'descending' : 'ascending');\n"
    "      const compare = (a, b) => {\n"
    "        if (a.className === 'failed' || b.className === 'failed')\n"
    "          return (a.className === 'failed') - (b.className === 'failed');\n"
    "        const x = key(a, i), y = key(b, i), c = x < y ? -1 : x > y ? 1 : 0;\n"
    "        return down ? -c : c; };\n"
    "      body.append(...[...body.rows].sort(compare));\n"
    "    };\n"
    "    head.tabIndex = 0;\n"
    "    head.addEventListener('click', sort);\n"
    "    head.addEventListener('keydown', e => { if (e.key === 'Enter') sort(); });\n"
    "  });\n"
    "}\n";

static bool put_head(FILE *out, const struct sweep *s)
{
    struct tm date;
    char text[40] = "";
    if (gmtime_r(&s->date, &date))
        strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", &date);
    char *head = sam_tree_page_head("Sweep", s->program);
    fputs(head ? head : "", out);
    bool good = head != NULL;
    free(head);
    fprintf(out, "<p>%s; samite %s; %zu run%s over", text, sam_version(), s->run_count,
            s->run_count == 1 ? "" : "s");
    for (unsigned a = 0; a < s->axis_count; a++)
        fprintf(out, "%s %s (%u)", a ? "," : "", s->axes[a].name, s->axes[a].count);
    fprintf(out, "</p>\n<pre>samite sweep");
    for (int i = 0; i < s->word_count; i++) {
        char *word = cli_quoted(s->words[i]);
        good &= word != NULL;
        fputc(' ', out);
        sam_tree_page_escape(out, word ? word : "");
        free(word);
    }
    fprintf(out, "</pre>\n");
    return good;
}

/* ----------------------------------------------------------------------------------- results */

static void put_measure(FILE *out, const struct sweep_measure *m, const struct sweep_run *run)
{
    const double value = sweep_measured(m, run);
    fprintf(out, "%.*f%s%s", value == floor(value) ? 0 : 2, value, *m->unit ? " " : "", m->unit);
}

static void put_run(FILE *out, const struct sweep *s, size_t run)
{
    const struct sweep_measure *m;
    sweep_settings(out, s, run);
    for (size_t i = 0; (m = sweep_measure(s, i)); i++) {
        fprintf(out, "%s%s ", i ? ", " : ": ", m->name);
        put_measure(out, m, &s->runs[run]);
    }
}

static void put_result(FILE *out, const struct sweep *s)
{
    size_t best = 0, worst = 0, failed = 0;
    for (size_t i = 0; i < s->run_count; i++)
        failed += !s->runs[i].done;
    if (sweep_extremes(s, &best, &worst)) {
        const struct sweep_measure *m = sweep_measure(s, 0);
        const double least = sweep_measured(m, &s->runs[best]),
                     most = sweep_measured(m, &s->runs[worst]);
        fprintf(out, "<p class=\"result\"><strong>Best run:</strong> ");
        put_run(out, s, best);
        fprintf(out, ".<br>Slowest: ");
        put_run(out, s, worst);
        fprintf(out, "; %.2f times as long.</p>\n", least > 0 ? most / least : 1);
    }
    if (failed)
        fprintf(out, "<p class=\"failed\">%zu of %zu runs failed; the table says why.</p>\n",
                failed, s->run_count);
}

/* ------------------------------------------------------------------------------------ charts */

/* Whether any run differs from the others in this. */
static bool varies(const struct sweep *s, const struct sweep_measure *m)
{
    size_t first = 0;
    while (first < s->run_count && !s->runs[first].done)
        first++;
    for (size_t i = first; i < s->run_count; i++)
        if (s->runs[i].done && sweep_measured(m, &s->runs[i]) != sweep_measured(m, &s->runs[first]))
            return true;
    return false;
}

/* The spread of the means of an axis' values: its effect. */
static double effect(const struct sweep *s, unsigned axis, const struct sweep_measure *m)
{
    double sum[SWEEP_VALUES] = {0}, least = INFINITY, most = -INFINITY;
    unsigned count[SWEEP_VALUES] = {0};
    for (size_t i = 0; i < s->run_count; i++) {
        if (!s->runs[i].done)
            continue;
        sum[sweep_value(s, i, axis)] += sweep_measured(m, &s->runs[i]);
        count[sweep_value(s, i, axis)]++;
    }
    for (unsigned v = 0; v < s->axes[axis].count; v++) {
        if (!count[v])
            continue;
        least = fmin(least, sum[v] / count[v]);
        most = fmax(most, sum[v] / count[v]);
    }
    return most - least;
}

/* The other axis with the largest effect; SWEEP_AXES: there is none. */
static unsigned second_axis(const struct sweep *s, unsigned axis, const struct sweep_measure *m)
{
    unsigned chosen = SWEEP_AXES;
    double most = -1;
    for (unsigned a = 0; a < s->axis_count; a++) {
        const double one = a != axis && s->axes[a].count > 1 ? effect(s, a, m) : -1;
        if (one > most) {
            most = one;
            chosen = a;
        }
    }
    return chosen;
}

static void put_charts(FILE *out, const struct sweep *s)
{
    const struct sweep_measure *m;
    fprintf(out, "<h2>By parameter</h2>\n<p>A dot is a run, a line goes through the "
                 "means; the ring is the best run.</p>\n<div class=\"charts\">\n");
    for (unsigned a = 0; a < s->axis_count; a++)
        for (size_t i = 0; (m = sweep_measure(s, i)); i++)
            if ((s->axes[a].count > 1 || s->axis_count == 1) && (varies(s, m) || i == 0))
                sweep_chart(out, s, m, a, second_axis(s, a, m));
    fprintf(out, "</div>\n");
    for (size_t i = 0; (m = sweep_measure(s, i)); i++)
        if (!varies(s, m) && s->run_count > 1)
            fprintf(out, "<p>The same in every run: %s.</p>\n", m->name);
}

/* -------------------------------------------------------------------------- cycles by reason */

/* The union of the parts of two runs. */
static void put_parts_legend(FILE *out, const struct sweep_parts *best,
                             const struct sweep_parts *worst, bool seen[32])
{
    for (unsigned p = 0; p < best->count; p++) {
        if (seen[p] || best->cycles[p] + worst->cycles[p] == 0)
            continue;
        seen[p] = true;
        fprintf(out, SAM_TREE_PAGE_KEY, best->reasons->rows[p].colour,
                sweep_reason_name(best->reasons, p), sweep_reason_meaning(best->reasons, p));
    }
}

/* Rows from `index` on that share one set of parts, under one legend; returns the index after them.
 */
static size_t put_units(FILE *out, const struct sweep *s, size_t best, size_t worst, size_t index)
{
    struct sweep_parts first, a, b;
    bool seen[32] = {false};
    size_t end = index;
    sweep_parts(s, &s->runs[best], index, &first);
    for (; sweep_parts(s, &s->runs[best], end, &a) && a.reasons == first.reasons; end++)
        continue;
    fprintf(out, "<p class=\"legend\">");
    for (size_t i = index; i < end; i++) {
        sweep_parts(s, &s->runs[best], i, &a);
        sweep_parts(s, &s->runs[worst], i, &b);
        put_parts_legend(out, &a, &b, seen);
    }
    fprintf(out, "</p>\n<div class=\"wide\"><table><thead><tr><th class=\"at\">unit</th><th "
                 "class=\"at\">best run"
                 "</th><th class=\"at\">slowest run</th></tr></thead><tbody>\n");
    for (size_t i = index; i < end; i++) {
        sweep_parts(s, &s->runs[best], i, &a);
        sweep_parts(s, &s->runs[worst], i, &b);
        fprintf(out, "<tr><td class=\"at\">%s</td><td>", a.name);
        sweep_bar(out, &a, 400, 16);
        fprintf(out, "</td><td>");
        sweep_bar(out, &b, 400, 16);
        fprintf(out, "</td></tr>\n");
    }
    fprintf(out, "</tbody></table></div>\n");
    return end;
}

static void put_stalls(FILE *out, const struct sweep *s)
{
    size_t best = 0, worst = 0, index = 0;
    struct sweep_parts parts;
    if (!sweep_extremes(s, &best, &worst))
        return;
    fprintf(out, "<h2>Where the cycles went</h2>\n");
    while (sweep_parts(s, &s->runs[best], index, &parts))
        index = put_units(out, s, best, worst, index);
}

/* ------------------------------------------------------------------------------------- table */

/* "75.3 % register": the largest reason for waiting; the first part is the unit's work. */
static void put_largest_stall(FILE *out, const struct sweep_parts *parts)
{
    const unsigned first = parts->model == SWEEP_ENGINES ? SAM_ISSUE_FULL : SAM_MXU_EMPTY;
    unsigned largest = first;
    for (unsigned p = first; p < parts->count; p++)
        if (parts->cycles[p] > parts->cycles[largest])
            largest = p;
    const uint64_t all = sweep_sum(parts);
    if (all && parts->cycles[largest])
        fprintf(out, "%.1f %% %s", 100 * (double)parts->cycles[largest] / (double)all,
                sweep_reason_name(parts->reasons, largest));
    else
        fputs("0 %", out);
}

static void put_row(FILE *out, const struct sweep *s, size_t i, size_t best)
{
    const struct sweep_run *run = &s->runs[i];
    const struct sweep_measure *m;
    struct sweep_parts parts;
    size_t measures = 0;
    fprintf(out, "<tr class=\"%s\"><td>%zu</td>",
            !run->done  ? "failed"
            : i == best ? "best"
                        : "",
            i + 1);
    for (unsigned a = 0; a < s->axis_count; a++)
        fprintf(out, "<td>%s</td>", s->axes[a].values[sweep_value(s, i, a)]);
    if (!run->done) {
        while (sweep_measure(s, measures))
            measures++;
        fprintf(out, "<td class=\"error\" colspan=\"%zu\">", measures + 3);
        sam_tree_page_escape(out, run->error.text);
        fprintf(out, "</td></tr>\n");
        return;
    }
    for (; (m = sweep_measure(s, measures)); measures++) {
        fprintf(out, "<td>");
        put_measure(out, m, run);
        fprintf(out, "</td>");
        if (measures == 0) {
            const double least = sweep_measured(m, &s->runs[best]);
            fprintf(out, "<td>%.3f</td>", least > 0 ? sweep_measured(m, run) / least : 1);
        }
    }
    sweep_main_parts(s, run, &parts);
    fprintf(out, "<td class=\"at\">");
    put_largest_stall(out, &parts);
    fprintf(out, "</td><td>");
    sweep_bar(out, &parts, 160, 12);
    fprintf(out, "</td></tr>\n");
}

static void put_table(FILE *out, const struct sweep *s)
{
    const struct sweep_measure *m;
    size_t best = s->run_count, worst = 0;
    struct sweep_parts parts;
    sweep_extremes(s, &best, &worst);
    sweep_main_parts(s, &s->runs[0], &parts);
    fprintf(out, "<h2>All runs</h2>\n");
    if (s->run_count > MOST_ROWS)
        fprintf(out, "<p>The first %d of %zu; the CSV has all.</p>\n", MOST_ROWS, s->run_count);
    fprintf(out, "<div class=\"wide\"><table class=\"sortable\"><thead><tr><th>run</th>");
    for (unsigned a = 0; a < s->axis_count; a++)
        fprintf(out, "<th>%s</th>", s->axes[a].name);
    for (size_t i = 0; (m = sweep_measure(s, i)); i++)
        fprintf(out, "<th>%s</th>%s", m->name, i == 0 ? "<th>× best</th>" : "");
    fprintf(out,
            "<th class=\"at\">largest stall (%s)</th><th class=\"at\">%s</th></tr></thead>"
            "<tbody>\n",
            parts.name, parts.name);
    for (size_t i = 0; i < s->run_count && i < MOST_ROWS; i++)
        put_row(out, s, i, best);
    fprintf(out, "</tbody></table></div>\n");
}

char *sweep_page(const struct sweep *s)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    bool good = put_head(out, s);
    put_result(out, s);
    put_charts(out, s);
    put_stalls(out, s);
    put_table(out, s);
    fprintf(out, "<script>\n%s</script>\n</body></html>\n", script);
    good &= !ferror(out);
    good &= fclose(out) == 0;
    if (good)
        return text;
    free(text);
    return NULL;
}
