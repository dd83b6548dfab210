/* SPDX-License-Identifier: Apache-2.0 */
/* The runs of a sweep as CSV, and as a page that needs no network: charts in SVG. */
#include <stdio.h>
#include <stdlib.h>

#include "sweep.h"

unsigned sweep_value(const struct sweep *s, size_t run, unsigned axis)
{
    for (unsigned i = s->axis_count; --i > axis;)
        run /= s->axes[i].count;
    return (unsigned)(run % s->axes[axis].count);
}

double sweep_utilisation(const struct sam_mxu_stats *s)
{
    return s->cycles ? s->full_uops / (double)s->cycles : 0;
}

static double cycles_of(const struct sam_mxu_stats *s)
{
    return (double)s->cycles;
}

/* Close a stream to memory: its text, or NULL when memory ran out. */
static char *finish(FILE *out, char **text)
{
    bool good = !ferror(out);
    good = fclose(out) == 0 && good;
    if (good)
        return *text;
    free(*text);
    return NULL;
}

char *sweep_csv(const struct sweep *s)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    for (unsigned a = 0; a < s->axis_count; a++)
        fprintf(out, "%s,", s->axes[a].name);
    fprintf(out, "cycles,utilisation,mma_uops,pointwise_uops,load_uops,store_uops,zero_uops,macs,"
                 "read_beats,write_beats,bytes_loaded,bytes_stored,error\n");
    for (size_t i = 0; i < s->run_count; i++) {
        const struct sam_mxu_stats *r = &s->runs[i].stats;
        for (unsigned a = 0; a < s->axis_count; a++)
            fprintf(out, "%s,", s->axes[a].values[sweep_value(s, i, a)]);
        if (!s->runs[i].done) {
            fprintf(out, ",,,,,,,,,,,,\"%s\"\n", s->runs[i].error.text);
            continue;
        }
        fprintf(out, "%llu,%.6f", (unsigned long long)r->cycles, sweep_utilisation(r));
        const uint64_t numbers[] = {r->mma_uops,     r->pw_uops,     r->load_uops,  r->store_uops,
                                    r->zero_uops,    r->macs,        r->read_beats, r->write_beats,
                                    r->bytes_loaded, r->bytes_stored};
        for (size_t n = 0; n < sizeof numbers / sizeof numbers[0]; n++)
            fprintf(out, ",%llu", (unsigned long long)numbers[n]);
        fprintf(out, ",\n");
    }
    return finish(out, &text);
}

/* ---------------------------------------------------------------------------------- the page */

static void put_escaped(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '<')
            fputs("&lt;", out);
        else if (*text == '&')
            fputs("&amp;", out);
        else
            fputc(*text, out);
    }
}

typedef double measure(const struct sam_mxu_stats *stats);

enum { WIDTH = 420, HEIGHT = 220, LEFT = 60, RIGHT = 15, TOP = 15, BOTTOM = 40 };

static double place_x(const struct sweep_axis *axis, unsigned value)
{
    const double step = (double)(WIDTH - LEFT - RIGHT) / axis->count;
    return LEFT + step * (value + 0.5);
}

static double place_y(double value, double top)
{
    return TOP + (HEIGHT - TOP - BOTTOM) * (1 - (top > 0 ? value / top : 0));
}

/* A dot a run, and a line through their mean at each value. */
static void put_chart(FILE *out, const struct sweep *s, unsigned a, const char *title,
                      measure *value_of, double top)
{
    const struct sweep_axis *axis = &s->axes[a];
    double sum[SWEEP_VALUES] = {0};
    unsigned count[SWEEP_VALUES] = {0};
    fprintf(out,
            "<svg width=\"%d\" height=\"%d\" role=\"img\"><title>%s by %s</title>"
            "<path d=\"M%d %dV%dH%d\" class=\"axis\"/>",
            WIDTH, HEIGHT, title, axis->name, LEFT, TOP, HEIGHT - BOTTOM, WIDTH - RIGHT);
    for (int i = 0; i <= 4; i++)
        fprintf(out, "<text x=\"%d\" y=\"%.1f\" class=\"y\">%.3g</text>", LEFT - 6,
                place_y(top * i / 4, top) + 4, top * i / 4);
    for (size_t i = 0; i < s->run_count; i++) {
        if (!s->runs[i].done)
            continue;
        const unsigned v = sweep_value(s, i, a);
        const double value = value_of(&s->runs[i].stats);
        sum[v] += value;
        count[v]++;
        fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\"/>", place_x(axis, v),
                place_y(value, top));
    }
    fprintf(out, "<polyline points=\"");
    for (unsigned v = 0; v < axis->count; v++)
        if (count[v])
            fprintf(out, "%.1f,%.1f ", place_x(axis, v), place_y(sum[v] / count[v], top));
    fprintf(out, "\"/>");
    for (unsigned v = 0; v < axis->count; v++)
        fprintf(out, "<text x=\"%.1f\" y=\"%d\" class=\"x\">%s</text>", place_x(axis, v),
                HEIGHT - BOTTOM + 16, axis->values[v]);
    fprintf(out, "<text x=\"%d\" y=\"%d\" class=\"x\">%s: %s</text></svg>\n",
            (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 6, axis->name, title);
}

static void put_table(FILE *out, const struct sweep *s)
{
    fprintf(out, "<table><tr>");
    for (unsigned a = 0; a < s->axis_count; a++)
        fprintf(out, "<th>%s</th>", s->axes[a].name);
    fprintf(out,
            "<th>cycles</th><th>utilisation</th><th>read beats</th><th>write beats</th></tr>\n");
    for (size_t i = 0; i < s->run_count; i++) {
        const struct sam_mxu_stats *r = &s->runs[i].stats;
        fprintf(out, "<tr>");
        for (unsigned a = 0; a < s->axis_count; a++)
            fprintf(out, "<td>%s</td>", s->axes[a].values[sweep_value(s, i, a)]);
        if (s->runs[i].done) {
            fprintf(out, "<td>%llu</td><td>%.1f %%</td><td>%llu</td><td>%llu</td></tr>\n",
                    (unsigned long long)r->cycles, 100 * sweep_utilisation(r),
                    (unsigned long long)r->read_beats, (unsigned long long)r->write_beats);
        } else {
            fprintf(out, "<td colspan=\"4\">");
            put_escaped(out, s->runs[i].error.text);
            fprintf(out, "</td></tr>\n");
        }
    }
    fprintf(out, "</table>\n");
}

char *sweep_html(const struct sweep *s)
{
    char *text = NULL;
    size_t size = 0;
    double most = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    for (size_t i = 0; i < s->run_count; i++)
        if (s->runs[i].done && cycles_of(&s->runs[i].stats) > most)
            most = cycles_of(&s->runs[i].stats);
    fprintf(out, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                 "<title>samite sweep</title><style>\n"
                 "body{font:14px sans-serif;margin:2em}table{border-collapse:collapse}\n"
                 "td,th{border:1px solid #bbb;padding:2px 8px;text-align:right}\n"
                 ".axis{stroke:#444;fill:none}circle{fill:#2a6fb0;opacity:.6}\n"
                 "polyline{stroke:#c44;fill:none;stroke-width:2}\n"
                 "text{font-size:11px}.x{text-anchor:middle}.y{text-anchor:end}\n"
                 "</style></head><body>\n<h1>");
    put_escaped(out, s->program);
    fprintf(out, "</h1>\n<p>%zu runs. A dot is a run, the line the mean.</p>\n", s->run_count);
    for (unsigned a = 0; a < s->axis_count; a++) {
        fprintf(out, "<h2>%s</h2>\n", s->axes[a].name);
        put_chart(out, s, a, "utilisation", sweep_utilisation, 1);
        put_chart(out, s, a, "cycles", cycles_of, most);
    }
    put_table(out, s);
    fprintf(out, "</body></html>\n");
    return finish(out, &text);
}
