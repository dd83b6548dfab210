/* SPDX-License-Identifier: Apache-2.0 */
/* Messages on standard error: one line, in colour on a terminal. */
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli.h"

#undef cli_usage_error /* macros in cli.h have these names for the analyzer */
#undef cli_error
#undef cli_no_memory
#undef cli_report
#undef cli_refuse
#undef cli_refuse_memory

#define RED    "\033[1;31m"
#define YELLOW "\033[1;33m"
#define GREEN  "\033[1;32m"
#define PLAIN  "\033[0m"

static bool is_set(const char *variable)
{
    const char *value = getenv(variable);
    return value && *value;
}

/* Whether output to `out` may be coloured: a terminal, unless NO_COLOR is set or TERM is dumb;
 * anything if CLICOLOR_FORCE is set. --color sets these variables. */
static bool may_colour(FILE *out)
{
    const char *term = getenv("TERM");
    if (is_set("NO_COLOR"))
        return false;
    if (is_set("CLICOLOR_FORCE"))
        return true;
    return isatty(fileno(out)) && term && *term && strcmp(term, "dumb") != 0;
}

/* Names from users and files are made safe: no terminal control characters. */
static void put_plain(const char *text, size_t size)
{
    for (size_t bytes; size; text += bytes, size -= bytes) {
        bytes = sam_text_character(text, size);
        if (bytes)
            fwrite(text, 1, bytes, stderr);
        else
            fputc(*text == '\t' ? '\t' : '?', stderr);
        bytes += !bytes;
    }
}

struct cli_plain cli_plain(const char *text)
{
    struct cli_plain shown;
    snprintf(shown.text, sizeof shown.text, "%s", text);
    sam_text_make_plain(shown.text);
    return shown;
}

/* The first "error:" or similar in a line, after a place or a name; NULL if there is none. */
static const char *severity(const char *line, size_t size, size_t *length, const char **colour)
{
    static const struct {
        const char *word, *colour;
    } words[] = {{": error:", RED}, {": warning:", YELLOW}, {": note:", ""}};
    const char *first = NULL;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const char *at = memmem(line, size, words[i].word, strlen(words[i].word));
        if (at && (!first || at < first)) {
            first = at;
            *length = strlen(words[i].word) - 2;
            *colour = words[i].colour;
        }
    }
    return first ? first + 2 : NULL;
}

static void put_coloured(const char *colour, const char *text, size_t size)
{
    fputs(colour, stderr);
    put_plain(text, size);
    fputs(*colour ? PLAIN : "", stderr);
}

/* Print one line of any origin: the only path to standard error. */
static void put_line(const char *line, size_t size)
{
    const char *hue = "", *word = line;
    size_t length = 0, blanks = strspn(line, " \t|");
    const bool colour = may_colour(stderr);
    if (colour && blanks < size && line[blanks] == '^')
        put_coloured(GREEN, line, size);
    else if (colour && (word = severity(line, size, &length, &hue))) {
        put_plain(line, (size_t)(word - line));
        put_coloured(hue, word, length);
        put_plain(word + length, size - (size_t)(word - line) - length);
    } else
        put_plain(line, size);
    fputc('\n', stderr);
}

/* "samite VERB: error: text (samite VERB --help)"; without the verb if there is none. */
static void say(const struct cli_verb *verb, const char *kind, const char *format, va_list list)
{
    struct sam_error text;
    char line[sizeof text.text + 128];
    const char *name = verb ? verb->name : "", *blank = verb ? " " : "";
    vsnprintf(text.text, sizeof text.text, format, list);
    int size = snprintf(line, sizeof line, "samite%s%s: %s: %s", blank, name, kind, text.text);
    if (verb)
        size += snprintf(line + size, sizeof line - (size_t)size, " (samite %s --help)", name);
    put_line(line, (size_t)size);
}

int cli_usage_error(const struct cli_args *args, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    say(args->verb, "error", format, list);
    va_end(list);
    return CLI_BAD_INPUT;
}

int cli_error(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    say(NULL, "error", format, list);
    va_end(list);
    return CLI_BAD_INPUT;
}

void cli_note(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    say(NULL, "note", format, list);
    va_end(list);
}

char *cli_text(const char *format, ...)
{
    char *text;
    va_list list;
    va_start(list, format);
    const int size = vasprintf(&text, format, list);
    va_end(list);
    return size < 0 ? NULL : text;
}

char *cli_quoted(const char *word)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                "%+,-./:=@_";
    const bool quoted = !*word || word[strspn(word, plain)];
    char *text = malloc(4 * strlen(word) + 3), *at = text;
    if (text && quoted)
        *at++ = '\'';
    for (; text && *word; word++)
        at = *word == '\'' ? stpcpy(at, "'\\''") : (*at = *word, at + 1);
    if (text)
        strcpy(at, quoted ? "'" : "");
    return text;
}

int cli_no_memory(void)
{
    return cli_error("out of memory");
}

int cli_report(const struct sam_error *error)
{
    /* A wait interrupted by the stop signal fails as if its file had failed. */
    const bool woken = error->status == SAM_ERR_IO && cli_stopped();
    cli_error("%s", woken ? "stopped" : error->text);
    return error->status == SAM_ERR_TRAP || error->status == SAM_ERR_STOPPED ? CLI_PROGRAM_FAILED
                                                                             : CLI_BAD_INPUT;
}

int cli_code(enum sam_status status, const struct sam_error *error)
{
    return status == SAM_OK ? CLI_OK : cli_report(error);
}

bool cli_fail(struct sam_error *error, enum sam_status status, const char *path, const char *format,
              ...)
{
    char text[sizeof error->text]; /* an argument may point into the old text */
    va_list list;
    if (!error)
        return false;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    error->status = status;
    snprintf(error->text, sizeof error->text, "%.500s%s%.520s", path ? path : "", path ? ": " : "",
             text);
    return false;
}

bool cli_fail_memory(struct sam_error *error)
{
    return cli_fail(error, SAM_ERR_MEMORY, NULL, "out of memory");
}

enum sam_status cli_refuse(struct sam_error *error, const char *format, ...)
{
    va_list list;
    if (!error)
        return SAM_ERR_USAGE;
    va_start(list, format);
    vsnprintf(error->text, sizeof error->text, format, list);
    va_end(list);
    return error->status = SAM_ERR_USAGE;
}

enum sam_status cli_refuse_memory(struct sam_error *error)
{
    cli_fail_memory(error);
    return SAM_ERR_MEMORY;
}

int cli_first(int code, int other)
{
    return code ?: other;
}

void cli_put_messages(const char *messages)
{
    while (messages && *messages) {
        size_t size = strcspn(messages, "\n");
        put_line(messages, size);
        messages += size + (messages[size] == '\n');
    }
}

int cli_end_messages(enum sam_status status, char **messages, const struct sam_error *error)
{
    const bool any = *messages && **messages;
    cli_put_messages(*messages);
    free(*messages);
    return status == SAM_OK ? CLI_OK : any ? CLI_BAD_INPUT : cli_report(error);
}

int cli_print_text(enum sam_status status, char **text, const struct sam_error *error, FILE *out)
{
    if (status != SAM_OK)
        return cli_report(error);
    fputs(*text, out);
    free(*text);
    return CLI_OK;
}

/* ---------------------------------------------------------------------------- did you mean */

void cli_near_offer(struct cli_near *near, const char *candidate)
{
    const size_t size = strlen(near->wanted);
    unsigned edits = sam_edits(near->wanted, size, candidate);
    if (size >= 3 && strncmp(candidate, near->wanted, size) == 0)
        edits = 1; /* a prefix */
    if (edits * 2 > size || (near->name[0] && edits >= near->edits))
        return;
    near->edits = edits;
    snprintf(near->name, sizeof near->name, "%s", candidate);
}

const char *cli_near_text(struct cli_near *near)
{
    near->text[0] = '\0';
    if (near->name[0])
        snprintf(near->text, sizeof near->text, "; did you mean '%s'?", near->name);
    return near->text;
}
