/* SPDX-License-Identifier: Apache-2.0 */
/* The runs of one part of a sweep as a file, and a sweep merged from the files of all its parts.
 * A file is JSON: the common members (program, words, axes, machine), and for each run of the
 * part the words of its results in hexadecimal, in the layout of this build of Samite. */
#include <stdlib.h>

#include "sweep/sweep.h"
#include "weights.h"

enum { WORD = 8, MOST_BYTES = 1 << 30 };

/* The results of a run: structures of 64-bit numbers. */
static const struct block {
    const char *name;
    size_t at, size;
} blocks[] = {
    {"mxu", offsetof(struct sweep_run, stats), sizeof(struct sam_mxu_stats)},
    {"engines", offsetof(struct sweep_run, engines), sizeof(struct sam_engines_report)},
    {"gpu", offsetof(struct sweep_run, gpu), sizeof(struct ventus_measure)},
    {"system", offsetof(struct sweep_run, system), sizeof(struct sweep_system)},
};
enum { BLOCKS = sizeof blocks / sizeof blocks[0] };

bool sweep_is_mine(const struct sweep *s, size_t run)
{
    return s->part.count == 0 || run % s->part.count + 1 == s->part.index;
}

/* --- writing */
/* "1f,,3,..." of a structure; 0 is left out. */
static json_t *words_of(const void *data, size_t size)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    for (size_t i = 0; out && i < size / WORD; i++) {
        uint64_t word;
        memcpy(&word, (const char *)data + i * WORD, sizeof word);
        fprintf(out, word ? "%llx," : ",", (unsigned long long)word);
    }
    json_t *json = out && fclose(out) == 0 ? json_string(text) : NULL;
    free(text);
    return json;
}

static json_t *run_of(const struct sweep *s, size_t index)
{
    const struct sweep_run *run = &s->runs[index];
    json_t *row = REPORT(COUNT("run", index), FLAG("done", run->done));
    for (size_t b = 0; b < BLOCKS && run->done; b++)
        row = report_set(row, blocks[b].name,
                         words_of((const char *)run + blocks[b].at, blocks[b].size));
    return run->done ? row : report_text(row, "error", run->error.text);
}

/* The words of the command without --part, which differs. */
static json_t *command_of(const struct sweep *s)
{
    json_t *words = json_array();
    for (int i = 0; i < s->word_count; i++) {
        if (strcmp(s->words[i], "--part") == 0)
            i++;
        else if (strncmp(s->words[i], "--part=", 7) != 0)
            words = report_add(words, json_string(s->words[i]));
    }
    return words;
}

/* The common members of all parts of a sweep. */
static json_t *shared_of(const struct sweep *s)
{
    json_t *axes = json_array();
    for (unsigned a = 0; a < s->axis_count; a++) {
        json_t *values = json_array();
        for (unsigned v = 0; v < s->axes[a].count; v++)
            values = report_add(values, json_string(s->axes[a].values[v]));
        axes = report_add(axes, REPORT(TEXT("name", s->axes[a].name),
                                       FLAG("matrix", s->axes[a].matrix), TREE("values", values)));
    }
    return REPORT(TEXT("samite", sam_version()), COUNT("words", sizeof(struct sweep_run) / WORD),
                  TEXT("program", s->program), TREE("command", command_of(s)),
                  COUNT("machine", s->form), TREE("axes", axes));
}

static uint64_t checksum(const json_t *runs)
{
    char *text = json_dumps(runs, JSON_COMPACT);
    const uint64_t sum = text ? cli_plan_add(0, text, strlen(text)) : 0;
    free(text);
    return sum;
}

char *sweep_part_name(const struct sweep *s, const char *csv)
{
    char more[64];
    snprintf(more, sizeof more, CLI_PART_SUFFIX, s->part.index, s->part.count);
    return weights_place(NULL, csv, more, "");
}

char *sweep_part_text(const struct sweep *s)
{
    json_t *runs = json_array();
    for (size_t i = 0; i < s->run_count; i++)
        if (sweep_is_mine(s, i))
            runs = report_add(runs, run_of(s, i));
    char sum[24];
    snprintf(sum, sizeof sum, "%016llx", (unsigned long long)checksum(runs));
    json_t *root = REPORT(COUNT("part", s->part.index), COUNT("parts", s->part.count),
                          COUNT("date", (uint64_t)s->date), TREE("sweep", shared_of(s)),
                          TEXT("checksum", sum), TREE("runs", runs));
    char *text = root ? json_dumps(root, JSON_COMPACT) : NULL;
    json_decref(root);
    return text;
}

/* --- reading */
static bool damaged(struct sam_error *error, const char *path)
{
    return cli_fail(error, SAM_ERR_INPUT, path, "damaged, or not a part of a sweep");
}

/* The words of one structure; all must be present. */
static bool take_words(const char *text, void *data, size_t size)
{
    for (size_t i = 0; text && i < size / WORD; i++) {
        char *end;
        const uint64_t word = *text == ',' ? 0 : strtoull(text, &end, 16);
        if (*text == ',')
            end = (char *)(uintptr_t)text;
        if (*end != ',')
            return false;
        memcpy((char *)data + i * WORD, &word, sizeof word);
        text = end + 1;
    }
    return text && !*text;
}

static bool take_run(struct sweep *s, const json_t *row, size_t index)
{
    struct sweep_run *run = &s->runs[index];
    const char *error = cli_json_text(row, "error", NULL);
    if (cli_json_integer(row, "run", 0) != (json_int_t)index)
        return false;
    run->done = json_is_true(json_object_get(row, "done"));
    if (!run->done)
        snprintf(run->error.text, sizeof run->error.text, "%s", error ? error : "");
    for (size_t b = 0; b < BLOCKS && run->done; b++)
        if (!take_words(cli_json_text(row, blocks[b].name, NULL), (char *)run + blocks[b].at,
                        blocks[b].size))
            return false;
    return run->done || error;
}

static bool take_runs(struct sweep *s, const struct cli_part *part, const json_t *root,
                      const char *path, struct sam_error *error)
{
    const json_t *runs = json_object_get(root, "runs");
    const char *sum = cli_json_text(root, "checksum", NULL);
    char found[24];
    snprintf(found, sizeof found, "%016llx", (unsigned long long)checksum(runs));
    if (!json_is_array(runs) || !sum || strcmp(sum, found) != 0)
        return damaged(error, path);
    size_t at = 0;
    for (size_t i = part->index - 1; i < s->run_count; i += part->count)
        if (!take_run(s, json_array_get(runs, at++), i))
            return damaged(error, path);
    return at == json_array_size(runs) || damaged(error, path);
}

static bool take_axis(struct sweep_axis *axis, const json_t *json)
{
    const char *name = cli_json_text(json, "name", NULL);
    const json_t *values = json_object_get(json, "values");
    const size_t count = json_array_size(values);
    if (!name || strlen(name) >= sizeof axis->name || count == 0 || count > SWEEP_VALUES)
        return false;
    snprintf(axis->name, sizeof axis->name, "%s", name);
    axis->matrix = json_is_true(json_object_get(json, "matrix"));
    for (size_t v = 0; v < count; v++) {
        const char *value = json_string_value(json_array_get(values, v));
        if (!value || strlen(value) >= sizeof axis->values[0])
            return false;
        snprintf(axis->values[v], sizeof axis->values[v], "%s", value);
    }
    axis->count = (unsigned)count;
    return true;
}

/* Read the sweep from its first part; `shared` owns the strings. */
static bool take_shared(struct sweep *s, const json_t *shared)
{
    const json_t *axes = json_object_get(shared, "axes");
    const json_t *command = json_object_get(shared, "command");
    s->program = cli_json_text(shared, "program", NULL);
    const json_int_t form = cli_json_integer(shared, "machine", 0);
    s->form = (unsigned)form;
    s->axis_count = (unsigned)json_array_size(axes);
    if (!s->program || form < 0 || form >= SWEEP_FORMS || s->axis_count == 0 ||
        json_array_size(axes) > SWEEP_AXES || json_array_size(command) > INT16_MAX)
        return false;
    s->run_count = 1;
    for (unsigned a = 0; a < s->axis_count; a++) {
        if (!take_axis(&s->axes[a], json_array_get(axes, a)) ||
            s->run_count > SWEEP_RUNS / s->axes[a].count)
            return false;
        s->run_count *= s->axes[a].count;
    }
    /* Room for two more words. */
    s->words = calloc(json_array_size(command) + 3, sizeof *s->words);
    for (size_t i = 0; s->words && i < json_array_size(command); i++) {
        s->words[i] = (char *)(uintptr_t)json_string_value(json_array_get(command, i));
        if (!s->words[i])
            return false;
    }
    s->word_count = (int)json_array_size(command);
    s->runs = calloc(s->run_count, sizeof *s->runs);
    return s->words && s->runs;
}

bool sweep_part_take(struct sweep *s, const char *text, size_t size, const char *path,
                     const struct cli_part *part, json_t **first, struct sam_error *error)
{
    json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, NULL);
    json_t *shared = json_object_get(root, "sweep");
    const char *version = cli_json_text(shared, "samite", NULL);
    bool good = json_is_object(shared) && version;
    if (!good)
        damaged(error, path);
    else if (strcmp(version, sam_version()) != 0 ||
             cli_json_integer(shared, "words", 0) != (json_int_t)(sizeof(struct sweep_run) / WORD))
        good = cli_fail(error, SAM_ERR_INPUT, path, "written by another version of samite");
    else if (cli_json_integer(root, "part", 0) != (json_int_t)part->index ||
             cli_json_integer(root, "parts", 0) != (json_int_t)part->count)
        good = cli_fail(error, SAM_ERR_INPUT, path,
                        "not the part that its name says: is one part given twice?");
    else if (*first && !json_equal(json_object_get(*first, "sweep"), shared))
        good = cli_fail(error, SAM_ERR_INPUT, path,
                        "of another sweep than the first part: expected the same command");
    if (good && !*first) {
        *first = json_incref(root);
        s->date = (time_t)cli_json_integer(root, "date", 0);
        good = take_shared(s, shared) || damaged(error, path);
    }
    good = good && take_runs(s, part, root, path, error);
    json_decref(root);
    return good;
}

static bool read_part(struct sweep *s, const char *path, const struct cli_part *part,
                      json_t **first, struct sam_error *error)
{
    char *text;
    size_t size;
    if (sam_file_load(path, MOST_BYTES, &text, &size, error) != SAM_OK)
        return false;
    const bool good = sweep_part_take(s, text, size, path, part, first, error);
    free(text);
    return good;
}

bool sweep_parts_read(struct sweep *s, const char *name, json_t **first, struct sam_error *error)
{
    struct weights_list list;
    unsigned count = 0;
    *first = NULL;
    if (!weights_find_parts(name, &list, error))
        return false;
    const size_t stem = strlen(name);
    bool good = sscanf(list.paths[0] + stem, ".part-%*u-of-%5u", &count) == 1 && count > 0 &&
                count <= CLI_MOST_PARTS;
    if (!good)
        damaged(error, list.paths[0]);
    for (size_t i = 0; good && i < list.count; i++) {
        unsigned other = 0;
        sscanf(list.paths[i] + stem, ".part-%*u-of-%5u", &other);
        good = other == count || cli_fail(error, SAM_ERR_INPUT, list.paths[i],
                                          "parts of two sweeps: remove those of one");
    }
    for (struct cli_part part = {1, count}; good && part.index <= count; part.index++) {
        char more[64];
        bool there = false;
        snprintf(more, sizeof more, CLI_PART_SUFFIX, part.index, part.count);
        for (size_t i = 0; i < list.count; i++)
            there |= strcmp(list.paths[i] + stem, more) == 0;
        char *path = weights_place(NULL, name, more, "");
        if (!path)
            good = cli_fail(error, SAM_ERR_INPUT, name, "out of memory");
        else
            good = there ? read_part(s, path, &part, first, error)
                         : cli_fail(error, SAM_ERR_INPUT, name, "part %u/%u is missing", part.index,
                                    part.count);
        free(path);
    }
    weights_list_free(&list);
    return good;
}
