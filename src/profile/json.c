/* SPDX-License-Identifier: Apache-2.0 */
/* A profile as JSON. */
#include "base/json.h"
#include "profile/profile.h"

/* As a string: JSON numbers do not hold 64 bits. */
static json_t *hex_of(uint64_t value)
{
    return json_sprintf("0x%08llx", (unsigned long long)value);
}

static json_t *counts_of(const struct sam_profile_sum *sum)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "count",
                     (json_int_t)sum->count, "lanes", (json_int_t)sum->lanes, "slots",
                     (json_int_t)sum->slots, "diverged", (json_int_t)sum->diverged, "global_insns",
                     (json_int_t)sum->global_insns, "lds_insns", (json_int_t)sum->lds_insns,
                     "accesses", (json_int_t)sum->accesses, "lines", (json_int_t)sum->lines,
                     "conflicts", (json_int_t)sum->conflicts);
}

/* Append `object` with the members of `more`; takes ownership of both. */
static bool append(json_t *array, json_t *object, json_t *more)
{
    const bool good = object && more && json_object_update(object, more) == 0;
    json_decref(more);
    if (good)
        return json_array_append_new(array, object) == 0;
    json_decref(object);
    return false;
}

/* Returns the value, or frees it and returns NULL if a member failed. */
static json_t *end_of(json_t *value, bool good)
{
    if (good)
        return value;
    json_decref(value);
    return NULL;
}

/* With cycles if the profile has any. */
static json_t *sum_of(const struct sam_profile_tables *t, const struct sam_profile_sum *sum)
{
    json_t *object = counts_of(sum), *reasons = t->timed ? json_object() : NULL;
    bool good = object && (!t->timed || reasons);
    for (unsigned reason = 0; good && t->timed && reason < SAM_GPUTIME_REASONS; reason++)
        good = json_object_set_new(reasons, sam_gputime_reason_name(reason),
                                   json_integer((json_int_t)sum->reasons[reason])) == 0;
    if (good && t->timed)
        good = json_object_set_new(object, "cycles", json_integer((json_int_t)sum->cycles)) == 0 &&
               json_object_set(object, "reasons", reasons) == 0;
    json_decref(reasons);
    return end_of(object, good);
}

static json_t *functions_of(const struct sam_profile_tables *t)
{
    json_t *array = json_array();
    bool good = array != NULL;
    for (size_t i = 0; good && i < t->function_count; i++)
        good = append(array, json_pack("{s:o}", "name", sam_json_text(t->functions[i].name)),
                      sum_of(t, &t->functions[i].sum));
    return end_of(array, good);
}

static json_t *lines_of(const struct sam_profile_tables *t)
{
    json_t *array = json_array();
    bool good = array != NULL;
    for (size_t i = 0; good && i < t->line_count; i++) {
        const struct sam_profile_line *line = &t->lines[i];
        if (line->file)
            good = append(array,
                          json_pack("{s:o, s:I, s:o}", "file", sam_json_text(line->file), "line",
                                    (json_int_t)line->line, "text", sam_json_text(line->text)),
                          sum_of(t, &line->sum));
    }
    return end_of(array, good);
}

static json_t *insns_of(const struct sam_profile_tables *t)
{
    json_t *array = json_array();
    bool good = array != NULL;
    for (size_t i = 0; good && i < t->insn_count; i++) {
        const struct sam_profile_insn *insn = &t->insns[i];
        const struct sam_profile_line *line = &t->lines[insn->line];
        struct sam_profile_sum sum = {0};
        sam_profile_sum_add(&sum, insn->row);
        good = append(array,
                      json_pack("{s:o, s:o, s:o, s:o, s:b, s:o, s:o, s:I}", "pc",
                                hex_of(insn->row->pc), "word", hex_of(insn->row->word), "prefix",
                                insn->row->prefix ? hex_of(insn->row->prefix) : json_null(), "text",
                                sam_json_text(insn->text), "vector", insn->row->vector, "function",
                                sam_json_text(t->functions[insn->function].name), "file",
                                sam_json_text(line->file), "line", (json_int_t)line->line),
                      sum_of(t, &sum));
    }
    return end_of(array, good);
}

void sam_profile_put_json(const struct sam_profile_tables *t, struct sam_buffer *out)
{
    json_t *root =
        json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "title", sam_json_text(t->title), "problem",
                  sam_json_text(t->problem), "total", sum_of(t, &t->sum), "functions",
                  functions_of(t), "lines", lines_of(t), "instructions", insns_of(t));
    sam_json_put(root, true, "\n", out);
}
