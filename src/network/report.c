/* SPDX-License-Identifier: Apache-2.0 */
/* The figures of a run as text, JSON, a page with a chart of its steps, and a timeline. */
#include <stdlib.h>

#include "base/base.h"
#include "samite/network.h"
#include "trace/perfetto.h"
#include "tree/page.h"
#include "tree/tree.h"

static const double hertz = 1e9; /* of the clock in inferences per second */

/* ----------------------------------------------------------------------------------- tree */

#define FIELD(member) SAM_TREE_FIELD(struct sam_network_step, member)
static const struct sam_tree_field untimed_fields[] = {FIELD(seconds), {0}};
static const struct sam_tree_field timed_fields[] = {
    FIELD(cycles),       FIELD(raw_cycles), FIELD(bound),  FIELD(waiting),
    FIELD(instructions), FIELD(macs),       FIELD(packed), FIELD(raw),
    FIELD(read),         FIELD(written),    {0},
};

static json_t *step_tree(const struct sam_network_step *s, bool timed)
{
    json_t *tree = sam_tree_fields(json_object(), untimed_fields, s);
    if (s->nodes)
        tree = sam_tree_set(tree, "nodes", sam_tree_plain(s->nodes));
    if (s->kind)
        tree = sam_tree_text(tree, "kind", s->kind);
    if (!timed)
        return tree;
    tree = sam_tree_fields(tree, timed_fields, s);
    tree = sam_tree_text(tree, "busiest", s->busiest);
    return sam_tree_text(tree, "waits", s->waits);
}

static double per_second(uint64_t cycles)
{
    return cycles ? hertz / (double)cycles : 0;
}

static json_t *figures_tree(const struct sam_network_figures *f, const char *title)
{
    json_t *steps = json_array();
    for (size_t i = 0; i < f->step_count; i++)
        steps = sam_tree_add(steps, step_tree(&f->steps[i], f->timed));
    json_t *tree = step_tree(&f->sum, f->timed);
    tree = sam_tree_set(tree, "title", sam_tree_plain(title));
    tree = sam_tree_flag(tree, "timed", f->timed);
    tree = sam_tree_count(tree, "step_count", f->step_count);
    tree = sam_tree_count(tree, "total", f->sum.cycles);
    if (f->timed)
        tree = sam_tree_real(tree, "per_second", per_second(f->sum.cycles));
    if (f->timed && f->sum.raw_cycles)
        tree = sam_tree_real(tree, "raw_per_second", per_second(f->sum.raw_cycles));
    return sam_tree_set(tree, "steps", steps);
}

static const char lines[] =
    "{title}: {step_count} step{step_count||s}, {seconds:.2} s\n"
    "?timed {cycles} cycles, {per_second:.1} inferences per second at 1 GHz\n"
    "?raw_per_second with raw weights {raw_cycles} cycles, {raw_per_second:.1} per second\n"
    "?busiest busiest: {busiest}, {bound%cycles:.1} % of the cycles\n"
    "?timed DRAM: {read} bytes read, {written} written\n"
    "?packed weights: {packed} bytes packed, {raw} as arrays\n"
    "?timed       cycles     %  bound %  busiest         waits for             kind        nodes\n"
    "*steps?cycles {cycles:12} {cycles%total:5.1}    {bound%cycles:5.1}  {busiest:-15} {waits:-21} "
    "{kind:-11} {nodes}\n";

/* ----------------------------------------------------------------------------------- page */

static const char page[] =
    "<p>{cycles} cycles, {per_second:.1} inferences per second at 1&nbsp;GHz.\n"
    "?raw_per_second With raw weights {raw_per_second:.1}.\n"
    "?busiest The busiest unit, {busiest}, works for {bound%cycles:.1}&nbsp;% of the cycles.\n"
    "</p>\n<div class=\"chart\">\n"
    "*steps <a href=\"#s{key}\" title=\"{nodes}: {cycles} cycles\" style=\"--h:{cycles%most:.1}\">"
    "<i style=\"--b:{bound%cycles:.1}\"></i></a>\n"
    "</div>\n<p class=\"legend\">A bar for each step, in their order; the highest "
    "has {most} cycles. <span><i style=\"background:var(--heat)\"></i><b>busy</b> the busiest unit "
    "works</span> "
    "<span><i style=\"background:var(--rule)\"></i><b>waiting</b></span></p>\n"
    "<h2>Steps</h2>\n<div class=\"wide\"><table>\n"
    "<thead><tr><th>cycles</th><th>%</th><th>bound %</th><th class=\"at\">busiest</th>"
    "<th class=\"at\">waits for</th><th>DRAM read</th><th>written</th><th class=\"at\">kind</th>"
    "<th>nodes</th></tr></thead>\n<tbody>\n"
    "*steps <tr id=\"s{key}\"><td>{cycles}</td>"
    "<td class=\"p\" style=\"--w:{cycles%most:.1}\">{cycles%total:.1}</td>"
    "<td>{bound%cycles:.1}</td>"
    "<td class=\"at\">{busiest}</td><td class=\"at\">{waits}</td><td>{read}</td><td>{written}</td>"
    "<td class=\"at\">{kind}</td><td>{nodes}</td></tr>\n"
    "</tbody></table></div>\n";

static void put_page(const struct sam_network_figures *f, const char *title, struct sam_buffer *out)
{
    uint64_t most = 1;
    for (size_t i = 0; i < f->step_count; i++)
        most = f->steps[i].cycles > most ? f->steps[i].cycles : most;
    sam_tree_page(out, "Network", title);
    sam_tree_put_page(sam_tree_count(figures_tree(f, title), "most", most), page, out);
    sam_tree_page_end(out);
}

/* ------------------------------------------------------------------------------- timeline */

static bool append(void *context, const void *data, size_t size)
{
    return sam_buffer_append(context, data, size);
}

static void put_timeline(const struct sam_network_figures *f, const char *title,
                         struct sam_buffer *out)
{
    const struct sam_sink sink = {append, out};
    struct sam_perfetto p;
    uint64_t at = 0;
    bool good = sam_perfetto_begin(&p, &sink) && sam_perfetto_process(&p, 0, title) &&
                sam_perfetto_track(&p, 0, "steps");
    for (size_t i = 0; good && i < f->step_count; i++) {
        const struct sam_network_step *s = &f->steps[i];
        const struct sam_perfetto_arg args[] = {
            {"bound", NULL, s->bound},
            {"busiest", s->busiest ? s->busiest : "none", 0},
            {"waits for", s->waits ? s->waits : "nothing", 0},
            {"DRAM read", NULL, s->read},
            {"DRAM written", NULL, s->written},
        };
        const struct sam_perfetto_slice slice = {.name = s->nodes,
                                                 .category = s->kind,
                                                 .start = at,
                                                 .end = at + s->cycles,
                                                 .args = args,
                                                 .arg_count = SAM_COUNT(args)};
        good = sam_perfetto_slice(&p, &slice);
        at += s->cycles;
    }
    good = sam_perfetto_end(&p) && good;
    out->failed |= !good;
}

enum sam_status sam_network_report(const struct sam_network_figures *figures, const char *title,
                                   enum sam_network_format format, char **text,
                                   struct sam_error *error)
{
    if (text)
        *text = NULL;
    if (SAM_LACKS(error, figures, title, text))
        return SAM_ERR_USAGE;
    if (format == SAM_NETWORK_TEXT || format == SAM_NETWORK_JSON)
        return sam_tree_report(figures_tree(figures, title),
                               format == SAM_NETWORK_TEXT ? lines : NULL, "\n", text, error);
    if (format != SAM_NETWORK_HTML && format != SAM_NETWORK_PERFETTO)
        return sam_fail(error, SAM_ERR_USAGE, "no such format of a network's figures");
    if (!figures->timed)
        return sam_fail(error, SAM_ERR_USAGE,
                        "a page or a timeline of a network needs cycles: timing of the system");
    struct sam_buffer out = {0};
    (format == SAM_NETWORK_HTML ? put_page : put_timeline)(figures, title, &out);
    if (out.failed) {
        sam_buffer_free(&out);
        return sam_fail_memory(error);
    }
    *text = (char *)out.data;
    return SAM_OK;
}

void sam_network_figures_free(struct sam_network_figures *figures)
{
    if (!figures)
        return;
    for (size_t i = 0; i < figures->step_count; i++)
        free((char *)figures->steps[i].nodes);
    free(figures->steps);
    free(figures);
}
