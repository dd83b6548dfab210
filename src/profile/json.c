/* SPDX-License-Identifier: Apache-2.0 */
/* A profile as JSON. */
#include "profile/profile.h"
#include "tree/tree.h"

#define SUM(field) SAM_TREE_FIELD(struct sam_profile_sum, field)
static const struct sam_tree_field sum_members[] = {
    SUM(count),     SUM(lanes),    SUM(slots), SUM(diverged),  SUM(global_insns),
    SUM(lds_insns), SUM(accesses), SUM(lines), SUM(conflicts), {0},
};

/* As a string: JSON numbers do not hold 64 bits. */
static json_t *hex_of(uint64_t value)
{
    return json_sprintf("0x%08llx", (unsigned long long)value);
}

/* With cycles and reasons if the profile has them. */
static json_t *set_sum(json_t *object, const struct sam_profile_tables *t,
                       const struct sam_profile_sum *sum)
{
    object = sam_tree_fields(object, sum_members, sum);
    if (!t->timed)
        return object;
    object = sam_tree_count(object, "cycles", sum->cycles);
    if (!t->reasoned)
        return object;
    return sam_tree_set(object, "reasons",
                        sam_tree_named(sum->reasons, SAM_GPUTIME_REASONS, sam_gputime_reason_name));
}

static json_t *functions_of(const struct sam_profile_tables *t)
{
    json_t *array = json_array();
    for (size_t i = 0; i < t->function_count; i++) {
        const struct sam_profile_function *f = &t->functions[i];
        json_t *object = sam_tree_set(json_object(), "name", sam_tree_plain(f->name));
        array = sam_tree_add(array, set_sum(object, t, &f->sum));
    }
    return array;
}

static json_t *lines_of(const struct sam_profile_tables *t)
{
    json_t *array = json_array();
    for (size_t i = 0; i < t->line_count; i++) {
        const struct sam_profile_line *line = &t->lines[i];
        if (!line->file)
            continue;
        json_t *object = sam_tree_set(json_object(), "file", sam_tree_plain(line->file));
        object = sam_tree_count(object, "line", line->line);
        object = sam_tree_set(object, "text", sam_tree_plain(line->text));
        array = sam_tree_add(array, set_sum(object, t, &line->sum));
    }
    return array;
}

static json_t *insns_of(const struct sam_profile_tables *t)
{
    json_t *array = json_array();
    for (size_t i = 0; i < t->insn_count; i++) {
        const struct sam_profile_insn *insn = &t->insns[i];
        const struct sam_profile_row *row = insn->row;
        const struct sam_profile_line *line = &t->lines[insn->line];
        struct sam_profile_sum sum = {0};
        sam_profile_sum_add(&sum, row);
        json_t *object = sam_tree_set(json_object(), "pc", hex_of(row->pc));
        object = sam_tree_set(object, "word", hex_of(row->word));
        object = sam_tree_set(object, "prefix", row->prefix ? hex_of(row->prefix) : json_null());
        object = sam_tree_set(object, "text", sam_tree_plain(insn->text));
        object = sam_tree_flag(object, "vector", row->vector);
        object =
            sam_tree_set(object, "function", sam_tree_plain(t->functions[insn->function].name));
        object = sam_tree_set(object, "file", sam_tree_plain(line->file));
        object = sam_tree_count(object, "line", line->line);
        array = sam_tree_add(array, set_sum(object, t, &sum));
    }
    return array;
}

void sam_profile_put_json(const struct sam_profile_tables *t, struct sam_buffer *out)
{
    json_t *root = sam_tree_set(json_object(), "title", sam_tree_plain(t->title));
    root = sam_tree_set(root, "problem", sam_tree_plain(t->problem));
    root = sam_tree_set(root, "total", set_sum(json_object(), t, &t->sum));
    root = sam_tree_set(root, "functions", functions_of(t));
    root = sam_tree_set(root, "lines", lines_of(t));
    sam_tree_put(sam_tree_set(root, "instructions", insns_of(t)), NULL, "\n", out);
}
