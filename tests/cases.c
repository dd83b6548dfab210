/* SPDX-License-Identifier: Apache-2.0 */

#include "test.h"

#include "cases.h"

struct added {
    void (*run)(const struct test_case *c);
    struct test_case data;
    struct added *next;
};

static struct added *all; /* lives until the program ends */

static void run_added(void **state)
{
    const struct added *added = *state;
    added->run(&added->data);
}

static const char *take_word(char *line, const char *const *words)
{
    for (size_t i = 0; words[i]; i++) {
        const size_t size = strlen(words[i]);
        if (strncmp(line, words[i], size) == 0 && (line[size] == ' ' || !line[size]))
            return words[i];
    }
    return NULL;
}

static bool is_each(const char *line)
{
    return strncmp(line, "each", 4) == 0 && (line[4] == ' ' || !line[4]);
}

static void add_directive(struct test_case *c, const char *word, const char *line)
{
    if (c->count == CASE_DIRECTIVES)
        exit(1);
    line += strlen(word);
    c->directives[c->count].word = word;
    c->directives[c->count++].rest = line + (*line == ' ');
}

/* The lines with `each` for "$" and a newline for ";". */
static char *program_of(char *const *lines, size_t count, const char *const *words,
                        const char *each)
{
    struct sam_buffer text = {0};
    for (size_t i = 0; i < count; i++) {
        if (*lines[i] == '#' || is_each(lines[i]) || take_word(lines[i], words))
            continue;
        for (const char *c = lines[i]; *c; c++)
            if (*c == '$')
                sam_buffer_puts(&text, each);
            else
                sam_buffer_append(&text, c, 1);
        sam_buffer_puts(&text, "\n");
    }
    char *program = strdup(sam_buffer_text(&text));
    sam_buffer_free(&text);
    if (!program)
        exit(1);
    for (char *c = program; (c = strchr(c, ';'));)
        *c = '\n';
    return program;
}

/* The case with the text of this line after "each". Returns NULL if it has none. */
static void add_case(char *const *lines, size_t count, const char *const *words, char *each,
                     void (*run)(const struct test_case *c))
{
    struct added *added = calloc(1, sizeof *added);
    if (!added)
        exit(1);
    struct test_case *c = &added->data;
    added->run = run;
    added->next = all;
    all = added;
    c->name = lines[0] + 3;
    for (size_t i = 1; i < count; i++) {
        const char *word = take_word(lines[i], words);
        if (word)
            add_directive(c, word, lines[i]);
    }
    for (char *own = each ? strstr(each, " | ") : NULL, *next; own; own = next) {
        char *const line = own + 3;
        const char *const word = take_word(line, words);
        next = strstr(line, " | ");
        *own = '\0';
        if (next)
            *next = '\0';
        if (!word) {
            fprintf(stderr, "%s: no directive: %s\n", c->name, line);
            exit(1);
        }
        add_directive(c, word, line);
    }
    c->program = program_of(lines + 1, count - 1, words, each && *each ? each + 1 : "");
    if (!c->program)
        exit(1);
    test_add(run_added, added, each ? "%s:%s" : "%s", c->name, each);
}

void cases_add(const char *path, const char *const *words, void (*run)(const struct test_case *c))
{
    char whole[4096];
    struct sam_error error;
    struct sam_buffer file = {0};
    const char *root = getenv("SAMITE_SOURCE");
    snprintf(whole, sizeof whole, "%s/tests/%s", root ? root : ".", path);
    if (sam_file_read(whole, 1 << 20, &file, &error) != SAM_OK) {
        fprintf(stderr, "%s\n", error.text);
        exit(1);
    }
    char **lines = calloc(file.size + 1, sizeof *lines);
    if (!lines || !sam_buffer_append(&file, "", 1))
        exit(1);
    size_t count = 0;
    for (char *line = strtok((char *)file.data, "\n"); line; line = strtok(NULL, "\n"))
        lines[count++] = line;
    for (size_t i = 0, end; i < count; i = end) {
        bool varied = false;
        for (end = i + 1; end < count && strncmp(lines[end], "== ", 3) != 0; end++)
            ;
        if (strncmp(lines[i], "== ", 3) != 0)
            continue;
        for (size_t k = i; k < end; k++)
            if (is_each(lines[k])) {
                varied = true;
                add_case(lines + i, end - i, words, lines[k] + 4, run);
            }
        if (!varied)
            add_case(lines + i, end - i, words, NULL, run);
    }
    free(lines);
}

const char *case_find(const struct test_case *c, const char *word)
{
    for (unsigned i = c->count; i-- > 0;)
        if (strcmp(c->directives[i].word, word) == 0)
            return c->directives[i].rest;
    return NULL;
}

bool case_setting(const char **text, char name[32], const char **value)
{
    *text += strspn(*text, " ");
    if (!**text)
        return false;
    const size_t size = strcspn(*text, "= ");
    snprintf(name, 32, "%.*s", (int)size, *text);
    *value = (*text)[size] == '=' ? *text + size + 1 : "1";
    *text += strcspn(*text, " ");
    return true;
}

const char *case_value(const char *text, uint64_t *value,
                       bool (*lookup)(void *context, const char *name, uint64_t *value),
                       void *context)
{
    char name[64], *end;
    const size_t sign = *text == '-';
    const size_t size = sign + strcspn(text + sign, "+- :,=*");
    snprintf(name, sizeof name, "%.*s", (int)size, text);
    *value = sign ? (uint64_t)strtoll(name, &end, 0) : strtoull(name, &end, 0);
    if ((*end || !*name) && !lookup(context, name, value))
        fail_msg("'%s' is no value: %s", name, text);
    text += size;
    if (*text == '+' || *text == '-') {
        *value += (uint64_t)strtoll(text, &end, 0);
        text = end;
    }
    return text;
}
