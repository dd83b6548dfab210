/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of a profile: rows with disassembly, source lines and functions. */
#include "profile/profile.h"

#include <stdlib.h>
#include <sys/stat.h>

#define SOURCE_LIMIT (UINT64_C(64) << 20)

void sam_profile_sum_add(struct sam_profile_sum *sum, const struct sam_profile_row *row)
{
    sum->count += row->count;
    sum->lanes += row->lanes;
    sum->slots += row->slots;
    sum->vector_lanes += row->vector ? row->lanes : 0;
    sum->vector_slots += row->vector ? row->slots : 0;
    sum->diverged += row->diverged;
    sum->global_insns += row->global_insns;
    sum->lds_insns += row->lds_insns;
    sum->accesses += row->accesses;
    sum->lines += row->lines;
    sum->conflicts += row->conflicts;
    for (unsigned reason = 0; reason < SAM_GPUTIME_REASONS; reason++) {
        sum->reasons[reason] += row->cycles[reason];
        sum->cycles += row->cycles[reason];
    }
}

void sam_profile_waits(const struct sam_profile_sum *sum, char *text, size_t size)
{
    unsigned most[2] = {SAM_GPUTIME_BUSY, SAM_GPUTIME_BUSY}; /* none */
    for (unsigned reason = 1; reason < SAM_GPUTIME_REASONS; reason++) {
        if (!most[0] || sum->reasons[reason] > sum->reasons[most[0]]) {
            most[1] = most[0];
            most[0] = reason;
        } else if (!most[1] || sum->reasons[reason] > sum->reasons[most[1]]) {
            most[1] = reason;
        }
    }
    text[0] = '\0';
    for (unsigned i = 0; i < 2; i++) {
        const double percent = sam_profile_percent(sum->reasons[most[i]], sum->cycles);
        const size_t used = strlen(text);
        if (percent >= 1)
            sam_format(text + used, size - used, "%s%s %.0f%%", i ? ", " : "",
                       sam_gputime_reason_name(most[i]), percent);
    }
}

double sam_profile_percent(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

/* --------------------------------------------------------------------------------- sources */

/* Split the text into lines, in place. */
static bool cut(struct sam_profile_source *source, size_t size)
{
    size_t count = 1;
    for (size_t i = 0; i < size; i++)
        count += source->text[i] == '\n';
    source->lines = sam_alloc(count, sizeof *source->lines);
    if (!source->lines)
        return false;
    source->line_count = count;
    char *at = source->text;
    for (size_t i = 0; i < count; i++) {
        source->lines[i] = at;
        at += strcspn(at, "\n");
        if (*at)
            *at++ = '\0';
    }
    return true;
}

/* Read a regular file into lines; other paths are only names. */
static bool read_source(struct sam_profile_source *source)
{
    struct stat status;
    struct sam_error error;
    size_t size;
    if (strcmp(source->file, "-") == 0 || stat(source->file, &status) != 0 ||
        !S_ISREG(status.st_mode))
        return true;
    if (sam_file_load(source->file, SOURCE_LIMIT, &source->text, &size, &error) != SAM_OK)
        return error.status != SAM_ERR_MEMORY;
    return cut(source, strlen(source->text));
}

static const char *line_text(const struct sam_profile_source *source, uint32_t line)
{
    return line && line <= source->line_count ? source->lines[line - 1] : NULL;
}

/* Find or add the source of `file`. The image has one string per file, so pointers compare. */
static struct sam_profile_source *source_of(struct sam_profile_tables *t, const char *file)
{
    for (size_t i = 0; i < t->source_count; i++)
        if (t->sources[i].file == file)
            return &t->sources[i];
    struct sam_profile_source *source = &t->sources[t->source_count];
    source->file = file;
    if (!read_source(source))
        return NULL;
    t->source_count++;
    return source;
}

/* ---------------------------------------------------------------------------------- tables */

/* Unsorted lines and functions, with hash tables by file and line and by name. */
struct maker {
    struct sam_profile_tables *tables;
    const struct sam_image *image;
    struct sam_isa isa;
    uint32_t *line_slots; /* indices plus one */
    size_t slot_count;
    struct sam_names functions; /* indices plus one, as pointers */
};

static bool line_of(struct maker *m, const char *file, uint32_t line, size_t *number)
{
    struct sam_profile_tables *t = m->tables;
    size_t at = ((uintptr_t)file / 8 + line * UINT32_C(2654435761)) & (m->slot_count - 1);
    for (; m->line_slots[at]; at = (at + 1) & (m->slot_count - 1)) {
        *number = m->line_slots[at] - 1;
        if (t->lines[*number].file == file && t->lines[*number].line == line)
            return true;
    }
    *number = t->line_count;
    struct sam_profile_line *made = &t->lines[t->line_count];
    made->file = file;
    made->line = line;
    if (file) {
        const struct sam_profile_source *source = source_of(t, file);
        if (!source)
            return false;
        made->text = line_text(source, line);
        t->has_lines = true;
    }
    m->line_slots[at] = (uint32_t)++t->line_count;
    return true;
}

static bool function_of(struct maker *m, uint64_t pc, size_t *number)
{
    struct sam_profile_tables *t = m->tables;
    const struct sam_symbol *symbol = sam_image_function_at(m->image, pc);
    const char *name = symbol ? symbol->name : NULL;
    const char *key = name ? name : "";
    const void *known = sam_names_find(&m->functions, key, strlen(key));
    if (known) {
        *number = (size_t)((uintptr_t)known - 1);
        return true;
    }
    *number = t->function_count;
    t->functions[t->function_count++].name = name;
    return sam_names_add(&m->functions, key, strlen(key), (void *)(uintptr_t)t->function_count);
}

static bool add_row(struct maker *m, const struct sam_profile_row *row)
{
    struct sam_profile_tables *t = m->tables;
    struct sam_profile_insn *insn = &t->insns[t->insn_count++];
    uint32_t line = 0;
    const char *file = sam_image_line_at(m->image, row->pc, &line);
    insn->row = row;
    sam_disassemble(&m->isa, row->word, row->pc, row->prefix, m->image, insn->text,
                    sizeof insn->text);
    if (!line_of(m, file, file ? line : 0, &insn->line) ||
        !function_of(m, row->pc, &insn->function))
        return false;
    sam_profile_sum_add(&t->sum, row);
    sam_profile_sum_add(&t->lines[insn->line].sum, row);
    sam_profile_sum_add(&t->functions[insn->function].sum, row);
    return true;
}

static int by_count_down(uint64_t a, uint64_t b)
{
    return a != b ? (a > b ? -1 : 1) : 0;
}

struct ranked {
    uint64_t count;
    size_t index;
};

static int by_rank(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    const int order = by_count_down(x->count, y->count);
    return order ? order : (x->index > y->index) - (x->index < y->index);
}

/* order[i] is the index of the element with the i-th largest count; stable. */
static bool rank(size_t count, const void *elements, size_t size, size_t at, size_t *order)
{
    struct ranked *ranked = sam_alloc(count, sizeof *ranked);
    if (!ranked)
        return false;
    for (size_t i = 0; i < count; i++) {
        memcpy(&ranked[i].count, (const char *)elements + i * size + at, sizeof ranked[i].count);
        ranked[i].index = i;
    }
    qsort(ranked, count, sizeof *ranked, by_rank);
    for (size_t i = 0; i < count; i++)
        order[i] = ranked[i].index;
    free(ranked);
    return true;
}

/* Sort elements of the tables and renumber the references of instructions. */
static bool sort(struct sam_profile_tables *t, void *elements, size_t count, size_t size, size_t at,
                 size_t member)
{
    size_t *order = sam_alloc(count, sizeof *order), *place = sam_alloc(count, sizeof *place);
    char *sorted = sam_alloc(count, size);
    const bool good = order && place && sorted && rank(count, elements, size, at, order);
    for (size_t i = 0; good && i < count; i++) {
        memcpy(sorted + i * size, (const char *)elements + order[i] * size, size);
        place[order[i]] = i;
    }
    if (good)
        memcpy(elements, sorted, count * size);
    for (size_t i = 0; good && i < t->insn_count; i++) {
        size_t *number = (size_t *)(void *)((char *)&t->insns[i] + member);
        *number = place[*number];
    }
    free(order);
    free(place);
    free(sorted);
    return good;
}

static uint64_t weight_of(const struct sam_profile_tables *t, const struct sam_profile_row *row)
{
    struct sam_profile_sum sum = {0};
    sam_profile_sum_add(&sum, row);
    return sam_profile_weight(t, &sum);
}

static bool sort_all(struct sam_profile_tables *t)
{
    const size_t weight = t->timed ? offsetof(struct sam_profile_sum, cycles)
                                   : offsetof(struct sam_profile_sum, count);
    uint64_t *counts = sam_alloc(t->insn_count, sizeof *counts);
    bool good = counts != NULL;
    for (size_t i = 0; good && i < t->insn_count; i++)
        counts[i] = weight_of(t, t->insns[i].row);
    good = good && rank(t->insn_count, counts, sizeof *counts, 0, t->hottest) &&
           sort(t, t->lines, t->line_count, sizeof *t->lines,
                offsetof(struct sam_profile_line, sum) + weight,
                offsetof(struct sam_profile_insn, line)) &&
           sort(t, t->functions, t->function_count, sizeof *t->functions,
                offsetof(struct sam_profile_function, sum) + weight,
                offsetof(struct sam_profile_insn, function));
    free(counts);
    return good;
}

static bool make(struct maker *m, const struct sam_profile_row *rows, size_t count)
{
    struct sam_profile_tables *t = m->tables;
    for (m->slot_count = 16; m->slot_count < 2 * count;)
        m->slot_count *= 2;
    m->line_slots = sam_alloc(m->slot_count, sizeof *m->line_slots);
    t->insns = sam_alloc(count, sizeof *t->insns);
    t->lines = sam_alloc(count, sizeof *t->lines);
    t->functions = sam_alloc(count, sizeof *t->functions);
    t->hottest = sam_alloc(count, sizeof *t->hottest);
    t->sources = sam_alloc(m->image ? m->image->file_count + 1 : 1, sizeof *t->sources);
    if (!m->line_slots || !t->insns || !t->lines || !t->functions || !t->hottest || !t->sources)
        return false;
    for (size_t i = 0; i < count; i++)
        if (!add_row(m, &rows[i]))
            return false;
    t->timed = t->sum.cycles != 0;
    t->reasoned = t->timed && t->warps;
    return sort_all(t);
}

enum sam_status sam_profile_tables_make(struct sam_profile *profile,
                                        const struct sam_profile_options *options,
                                        struct sam_profile_tables *tables, struct sam_error *error)
{
    *tables = (struct sam_profile_tables){.title = options->title,
                                          .top = options->top ? options->top : 20};
    struct maker m = {.tables = tables, .image = options->image};
    if (options->isa)
        m.isa = *options->isa;
    else if (sam_isa_parse("ventus", &m.isa, error) != SAM_OK)
        return error ? error->status : SAM_ERR_USAGE;
    tables->warps = m.isa.extensions & SAM_EXT_XVENTUS;
    size_t count;
    const struct sam_profile_row *rows = sam_profile_rows(profile, &count);
    const bool good = make(&m, rows, count);
    tables->problem = options->image ? options->image->lines_problem : NULL;
    free(m.line_slots);
    sam_names_free(&m.functions);
    if (good)
        return SAM_OK;
    sam_profile_tables_free(tables);
    return sam_fail_memory(error);
}

void sam_profile_tables_free(struct sam_profile_tables *tables)
{
    for (size_t i = 0; tables->sources && i < tables->source_count; i++) {
        free(tables->sources[i].text);
        free(tables->sources[i].lines);
    }
    free(tables->insns);
    free(tables->lines);
    free(tables->functions);
    free(tables->sources);
    free(tables->hottest);
    *tables = (struct sam_profile_tables){0};
}

bool sam_profile_format_of(const char *path, enum sam_profile_format *format)
{
    static const struct {
        const char *suffix;
        enum sam_profile_format format;
    } rows[] = {
        {".html", SAM_PROFILE_HTML},
        {".json", SAM_PROFILE_JSON},
        {".folded", SAM_PROFILE_FOLDED},
        {".txt", SAM_PROFILE_TEXT},
    };
    const size_t size = strlen(path);
    for (size_t i = 0; i < SAM_COUNT(rows); i++) {
        const size_t end = strlen(rows[i].suffix);
        if (size >= end && strcmp(path + size - end, rows[i].suffix) == 0) {
            *format = rows[i].format;
            return true;
        }
    }
    *format = SAM_PROFILE_TEXT;
    return strcmp(path, "-") == 0;
}

enum sam_status sam_profile_print(struct sam_profile *profile, enum sam_profile_format format,
                                  const struct sam_profile_options *options, char **text,
                                  struct sam_error *error)
{
    static void (*const writers[])(const struct sam_profile_tables *, struct sam_buffer *) = {
        [SAM_PROFILE_TEXT] = sam_profile_put_text,
        [SAM_PROFILE_JSON] = sam_profile_put_json,
        [SAM_PROFILE_FOLDED] = sam_profile_put_folded,
        [SAM_PROFILE_HTML] = sam_profile_put_html,
    };
    struct sam_profile_options taken;
    struct sam_profile_tables tables;
    struct sam_buffer out = {0};
    if (text)
        *text = NULL;
    if (SAM_LACKS(error, profile, text))
        return SAM_ERR_USAGE;
    if ((unsigned)format >= SAM_COUNT(writers))
        return sam_fail(error, SAM_ERR_USAGE, "profile format %d: expected 0 to %d", (int)format,
                        (int)SAM_COUNT(writers) - 1);
    enum sam_status status = sam_options_take(&taken, sizeof taken, sizeof taken, options, error);
    if (status == SAM_OK)
        status = sam_profile_tables_make(profile, &taken, &tables, error);
    if (status != SAM_OK)
        return status;
    writers[format](&tables, &out);
    sam_profile_tables_free(&tables);
    if (!out.failed)
        *text = sam_strdup(sam_buffer_text(&out));
    sam_buffer_free(&out);
    return *text ? SAM_OK : sam_fail_memory(error);
}
