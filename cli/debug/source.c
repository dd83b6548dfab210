/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of source, and the locations that users write as them. */
#include <stdlib.h>
#include <sys/stat.h>

#include "debugger.h"

#define MAX_SOURCE (UINT64_C(64) << 20)

void source_free(struct debug *d)
{
    for (size_t i = 0; i < d->source_count; i++) {
        free(d->sources[i].path);
        free(d->sources[i].text);
        free(d->sources[i].lines);
    }
    free(d->sources);
    d->sources = NULL;
    d->source_count = 0;
}

static bool split(struct source *s, size_t size)
{
    size_t count = 1;
    for (size_t i = 0; i < size; i++)
        count += s->text[i] == '\n';
    s->lines = calloc(count, sizeof *s->lines);
    if (!s->lines)
        return false;
    for (char *line = s->text; line < s->text + size;) {
        s->lines[s->count++] = line;
        char *end = memchr(line, '\n', (size_t)(s->text + size - line));
        if (!end)
            break;
        *end = '\0';
        line = end + 1;
    }
    return true;
}

static struct source *open_source(struct debug *d, const char *path)
{
    for (size_t i = 0; i < d->source_count; i++)
        if (strcmp(d->sources[i].path, path) == 0)
            return &d->sources[i];
    struct source *grown = debug_grow(d->sources, d->source_count, sizeof *grown);
    if (!grown)
        return NULL;
    d->sources = grown;
    struct source *s = &grown[d->source_count];
    *s = (struct source){.path = strdup(path)};
    if (!s->path)
        return NULL;
    d->source_count++;
    size_t size = 0;
    struct sam_error error;
    struct stat status;
    if (strcmp(path, "<start code>") == 0) {
        s->text = strdup(sam_gpu_start_code());
        size = s->text ? strlen(s->text) : 0;
    } else if (stat(path, &status) != 0 || !S_ISREG(status.st_mode)) { /* never block on a pipe */
        snprintf(s->problem, sizeof s->problem, "%.200s: no such file", path);
        return s;
    } else if (sam_file_load(path, MAX_SOURCE, &s->text, &size, &error) != SAM_OK) {
        snprintf(s->problem, sizeof s->problem, "%.250s", error.text);
        return s;
    }
    if (!s->text || !split(s, size))
        snprintf(s->problem, sizeof s->problem, "%.200s: out of memory", path);
    return s;
}

const char *source_at(struct debug *d, uint64_t address, uint32_t *line)
{
    return d->image ? sam_image_line_at(d->image, address, line) : NULL;
}

bool source_is(struct debug *d, uint64_t address, const char *file, uint32_t line)
{
    uint32_t found = 0;
    const char *other = source_at(d, address, &found);
    return other && found == line && strcmp(other, file) == 0;
}

const char *source_problem(struct debug *d, const char *file, uint32_t line)
{
    const struct source *s = open_source(d, file);
    static const char none[] = "out of memory";
    if (!s)
        return none;
    if (!s->problem[0])
        snprintf(d->problem, sizeof d->problem, "line %u: %.200s has %zu", line, file, s->count);
    return s->problem[0] ? s->problem : d->problem;
}

const char *source_text(struct debug *d, const char *file, uint32_t line)
{
    const struct source *s = open_source(d, file);
    return s && line >= 1 && line <= s->count ? s->lines[line - 1] : NULL;
}

void source_describe(struct debug *d, uint64_t address, char *text, size_t size)
{
    char name[160];
    uint32_t line;
    const char *file = source_at(d, address, &line);
    sam_image_describe(d->image, address, name, sizeof name);
    if (file)
        snprintf(text, size, "%s at %s:%u", name, file, line);
    else
        snprintf(text, size, "%s", name);
}

/* ------------------------------------------------------------------------------- locations */

enum sam_status source_line_address(const struct debug *d, const char *file, uint32_t line,
                                    uint64_t *address, struct sam_error *error)
{
    uint32_t found = line, first = 1;
    if (!d->image || !d->image->line_count)
        return cli_refuse(error, "%s:%u: the program has no line information", file, line);
    if (sam_image_line_address(d->image, file, &found, address))
        return SAM_OK;
    if (sam_image_line_address(d->image, file, &first, address))
        return cli_refuse(error, "%.200s: no code from line %u on", file, line);
    return cli_refuse(error, "%.200s: the program has no code of such a file", file);
}

/* The file shown by `list`, or that of the pc; in start code, the program's first. */
const char *source_present(struct debug *d)
{
    const char *file = d->list_file ? d->list_file : source_at(d, debug_pc(d), NULL);
    for (size_t i = 0; d->image && i < d->image->file_count && (!file || *file == '<'); i++)
        file = d->image->files[i];
    return file;
}

static bool is_line_number(const char *text, uint32_t *line)
{
    uint64_t number;
    if (text[0] < '0' || text[0] > '9' || !sam_parse_u64(text, &number) || number < 1 ||
        number > UINT32_MAX)
        return false;
    *line = (uint32_t)number;
    return true;
}

enum sam_status source_location(struct debug *d, const char **at, uint64_t *address,
                                struct sam_error *error)
{
    char word[512], near[240];
    const char *rest = *at + strspn(*at, " \t");
    uint32_t line;
    if (*rest == '*') {
        rest++;
        const enum sam_status status = debug_number(d, &rest, "the address", address, error);
        if (status == SAM_OK)
            *at = rest;
        return status;
    }
    if (!cli_word(&rest, word, sizeof word))
        return cli_refuse(error, "no place: expected a symbol, FILE:LINE, LINE or *ADDRESS");
    *at = rest;
    char *colon = strrchr(word, ':');
    if (colon && is_line_number(colon + 1, &line)) {
        *colon = '\0';
        return source_line_address(d, word, line, address, error);
    }
    if (is_line_number(word, &line)) {
        const char *file = source_present(d);
        if (!file)
            return cli_refuse(error, "line %u: no source for this address; *%u is an address", line,
                              line);
        return source_line_address(d, file, line, address, error);
    }
    const struct sam_symbol *symbol = d->image ? sam_image_find(d->image, word) : NULL;
    if (!symbol)
        return cli_refuse(error, "no symbol '%s'%s", word,
                          debug_near_symbol(d, word, near, sizeof near));
    *address = symbol->value;
    return SAM_OK;
}
