/* SPDX-License-Identifier: Apache-2.0 */
/* The charts of a sweep's page, as SVG: dots and lines, and stacked bars. The <title> of a dot
 * or a part names it; browsers show it on hover. */
#include <math.h>
#include <stdlib.h>

#include "sweep/sweep.h"

void sweep_settings(FILE *out, const struct sweep *s, size_t run)
{
    for (unsigned a = 0; a < s->axis_count; a++)
        fprintf(out, "%s%s=%s", a ? ", " : "", s->axes[a].name,
                s->axes[a].values[sweep_value(s, run, a)]);
}

/* --------------------------------------------------------------------------------- the axis */

enum { WIDTH = 480, HEIGHT = 270, LEFT = 62, RIGHT = 14, TOP = 20, BOTTOM = 44, TICKS = 6 };

/* The range of the values, widened to whole ticks of 1, 2 or 5 times a power of ten. */
struct scale {
    double low, high, step;
};

static struct scale scale_of(double least, double most)
{
    if (most - least < 1e-9 * fabs(most)) { /* all are the same: some room around them */
        const double room = most != 0 ? fabs(most) * 0.05 : 1;
        least -= room;
        most += room;
        least = least < 0 && most > 0 && most != room ? 0 : least;
    }
    const double rough = (most - least) / (TICKS - 1), power = pow(10, floor(log10(rough)));
    const double lead = rough / power;
    const double step = power * (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10);
    return (struct scale){floor(least / step) * step, ceil(most / step) * step, step};
}

static double place_y(const struct scale *scale, double value)
{
    return TOP + (HEIGHT - TOP - BOTTOM) * (scale->high - value) / (scale->high - scale->low);
}

/* A tick's label: 25400 on a scale up to 27000 in steps of 200 is "25.4k". */
static void put_tick(FILE *out, double value, const struct scale *scale)
{
    static const char *const units[] = {"", "k", "M", "G", "T"};
    unsigned unit = 0;
    double most = fmax(fabs(scale->high), fabs(scale->low));
    for (; most >= 10000 && unit < 4; most /= 1000)
        unit++;
    const double unit_value = pow(1000, unit);
    int digits = 0;
    for (double s = scale->step / unit_value; digits < 6 && s < 1 - 1e-9; s *= 10)
        digits++;
    const bool zero = fabs(value) < scale->step / 2;
    fprintf(out, "%.*f%s", zero ? 0 : digits, zero ? 0 : value / unit_value,
            zero ? "" : units[unit]);
}

static double place_x(const struct sweep_axis *axis, unsigned value)
{
    return LEFT + (double)(WIDTH - LEFT - RIGHT) * (value + 0.5) / axis->count;
}

/* ------------------------------------------------------------------------------- the colours */

/* Dark to light in the order of the values, since the parameters are quantities. */
static void colour_text(char text[8], unsigned value, unsigned count)
{
    static const double anchors[][3] = {
        {49, 46, 110}, {38, 98, 160}, {27, 145, 150}, {84, 182, 110}, {214, 170, 40}};
    const double at = count > 1 ? 4.0 * value / (count - 1) : 1;
    const unsigned from = at >= 4 ? 3 : (unsigned)at;
    unsigned rgb[3];
    for (int i = 0; i < 3; i++)
        rgb[i] = (unsigned)lround(anchors[from][i] +
                                  (anchors[from + 1][i] - anchors[from][i]) * (at - from));
    snprintf(text, 8, "#%02x%02x%02x", rgb[0] & 255, rgb[1] & 255, rgb[2] & 255);
}

/* --------------------------------------------------------------------------------- the chart */

struct chart {
    FILE *out;
    const struct sweep *sweep;
    const struct sweep_measure *measure;
    unsigned axis, colour, colours; /* one colour: by no axis */
    struct scale scale;
    double sum[SWEEP_VALUES][SWEEP_VALUES]; /* by colour and value */
    unsigned count[SWEEP_VALUES][SWEEP_VALUES];
    bool drawn[SWEEP_VALUES][SWEEP_VALUES][HEIGHT]; /* taken by a dot */
};

static unsigned colour_of(const struct chart *c, size_t run)
{
    return c->colours > 1 ? sweep_value(c->sweep, run, c->colour) : 0;
}

/* Dots of one value are side by side, by colour. */
static double dot_x(const struct chart *c, unsigned value, unsigned colour)
{
    const struct sweep_axis *axis = &c->sweep->axes[c->axis];
    const double room = 0.6 * (WIDTH - LEFT - RIGHT) / axis->count;
    const double apart = fmin(9, room / c->colours);
    return place_x(axis, value) + apart * (colour - (c->colours - 1) / 2.0);
}

static void put_dot(struct chart *c, size_t run, bool best)
{
    const unsigned value = sweep_value(c->sweep, run, c->axis), colour = colour_of(c, run);
    const double number = sweep_measured(c->measure, &c->sweep->runs[run]);
    const double y = place_y(&c->scale, number), x = dot_x(c, value, colour);
    bool *drawn = &c->drawn[colour][value][(int)y];
    char fill[8];
    if (*drawn && !best)
        return;
    *drawn = true;
    colour_text(fill, colour, c->colours);
    fprintf(c->out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%s\" fill=\"%s\"%s><title>", x, y,
            best ? "5" : "3.5", fill, best ? " class=\"best\"" : "");
    sweep_settings(c->out, c->sweep, run);
    fprintf(c->out, "\n%s%s: ", best ? "the best run\n" : "", c->measure->name);
    fprintf(c->out, number == floor(number) ? "%.0f" : "%.6g", number); /* a count has all digits */
    fprintf(c->out, "%s%s", *c->measure->unit ? " " : "", c->measure->unit);
    struct sweep_parts parts;
    sweep_main_parts(c->sweep, &c->sweep->runs[run], &parts);
    const uint64_t all = sweep_sum(&parts);
    fprintf(c->out, "\n%s:", parts.name);
    for (unsigned p = 0; p < parts.count; p++)
        if (parts.cycles[p])
            fprintf(c->out, " %s %.1f %%", sweep_reason_name(parts.reasons, p),
                    100 * (double)parts.cycles[p] / (double)all);
    fprintf(c->out, "</title></circle>\n");
}

static void put_frame(const struct chart *c)
{
    const struct sweep_axis *axis = &c->sweep->axes[c->axis];
    const struct scale *scale = &c->scale;
    fprintf(c->out,
            "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s by %s\">\n"
            "<title>%s by %s</title>\n",
            WIDTH, HEIGHT, c->measure->name, axis->name, c->measure->name, axis->name);
    const int ticks = (int)lround((scale->high - scale->low) / scale->step);
    for (int i = 0; i <= ticks; i++) {
        const double value = scale->low + i * scale->step, y = place_y(scale, value);
        fprintf(c->out,
                "<path d=\"M%d %.1fH%d\" class=\"grid\"/><text x=\"%d\" y=\"%.1f\" class=\"y\">",
                LEFT, y, WIDTH - RIGHT, LEFT - 7, y + 4);
        put_tick(c->out, value, scale);
        fprintf(c->out, "</text>\n");
    }
    for (unsigned v = 0; v < axis->count; v++)
        fprintf(c->out, "<text x=\"%.1f\" y=\"%d\" class=\"x\">%s</text>\n", place_x(axis, v),
                HEIGHT - BOTTOM + 17, axis->values[v]);
    fprintf(c->out, "<text x=\"%d\" y=\"%d\" class=\"unit\">%s</text>\n", LEFT, TOP - 6,
            *c->measure->unit ? c->measure->unit : c->measure->name);
    fprintf(c->out,
            "<path d=\"M%d %dV%dH%d\" class=\"axis\"/><text x=\"%d\" y=\"%d\" class=\"x name\">%s"
            "</text>\n",
            LEFT, TOP, HEIGHT - BOTTOM, WIDTH - RIGHT, (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8,
            axis->name);
}

/* Through the mean of each value, one line per colour. */
static void put_lines(const struct chart *c)
{
    for (unsigned k = 0; k < c->colours; k++) {
        char stroke[8];
        colour_text(stroke, k, c->colours);
        fprintf(c->out, "<polyline stroke=\"%s\" points=\"", stroke);
        for (unsigned v = 0; v < c->sweep->axes[c->axis].count; v++)
            if (c->count[k][v])
                fprintf(c->out, "%.1f,%.1f ", dot_x(c, v, k),
                        place_y(&c->scale, c->sum[k][v] / c->count[k][v]));
        fprintf(c->out, "\"/>\n");
    }
}

static void put_legend(const struct chart *c)
{
    fprintf(c->out, "<p class=\"legend\">");
    if (c->colours > 1)
        fprintf(c->out, "%s:", c->sweep->axes[c->colour].name);
    for (unsigned k = 0; c->colours > 1 && k < c->colours; k++) {
        char fill[8];
        colour_text(fill, k, c->colours);
        fprintf(c->out, SAM_TREE_PAGE_KEY, fill, c->sweep->axes[c->colour].values[k], "");
    }
    fprintf(c->out, "</p>\n");
}

void sweep_chart(FILE *out, const struct sweep *s, const struct sweep_measure *measure,
                 unsigned axis, unsigned colour)
{
    struct chart *c = calloc(1, sizeof *c);
    size_t best = 0, worst = 0;
    double least = INFINITY, most = -INFINITY;
    if (!c || !sweep_extremes(s, &best, &worst)) {
        free(c);
        return;
    }
    *c = (struct chart){.out = out, .sweep = s, .measure = measure, .axis = axis, .colour = colour};
    c->colours = colour < s->axis_count ? s->axes[colour].count : 1;
    for (size_t i = 0; i < s->run_count; i++) {
        if (!s->runs[i].done)
            continue;
        const double value = sweep_measured(measure, &s->runs[i]);
        least = fmin(least, value);
        most = fmax(most, value);
        c->sum[colour_of(c, i)][sweep_value(s, i, axis)] += value;
        c->count[colour_of(c, i)][sweep_value(s, i, axis)]++;
    }
    /* Shares of a whole keep the scale of the whole: a change of 0.1 % does not fill the chart. */
    c->scale = strcmp(measure->unit, "%") == 0 ? (struct scale){0, 100, 20} : scale_of(least, most);
    fprintf(out, "<figure><figcaption>%s%s%s by %s</figcaption>\n", measure->name,
            *measure->unit ? " in " : "", measure->unit, s->axes[axis].name);
    put_frame(c);
    put_lines(c);
    for (size_t i = 0; i < s->run_count; i++)
        if (s->runs[i].done && i != best)
            put_dot(c, i, false);
    put_dot(c, best, true);
    fprintf(out, "</svg>\n");
    put_legend(c);
    fprintf(out, "</figure>\n");
    free(c);
}

void sweep_bar(FILE *out, const struct sweep_parts *parts, unsigned width, unsigned height)
{
    const uint64_t all = sweep_sum(parts);
    double x = 0;
    fprintf(out, "<svg class=\"bar\" width=\"%u\" height=\"%u\" role=\"img\" aria-label=\"%s\">",
            width, height, parts->name);
    for (unsigned p = 0; p < parts->count; p++) {
        if (!parts->cycles[p])
            continue;
        const double part = (double)parts->cycles[p] / (double)all;
        fprintf(out,
                "<rect x=\"%.1f\" width=\"%.1f\" height=\"%u\" fill=\"%s\"><title>%s: %s %.1f %%"
                "</title></rect>",
                x, part * width, height, parts->reasons->rows[p].colour, parts->name,
                sweep_reason_name(parts->reasons, p), 100 * part);
        x += part * width;
    }
    fprintf(out, "</svg>");
}
