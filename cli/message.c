/* SPDX-License-Identifier: Apache-2.0 */
/* Messages on standard error: one line, in colour on a terminal. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli_args.h"
#include "stop.h"

#undef cli_usage_error /* cli.h has macros of these names for the analyzer */
#undef cli_error
#undef cli_no_memory
#undef cli_report

#define RED    "\033[1;31m"
#define YELLOW "\033[1;33m"
#define GREEN  "\033[1;32m"
#define PLAIN  "\033[0m"

static bool is_set(const char *variable)
{
    const char *value = getenv(variable);
    return value && *value;
}

bool cli_colour(FILE *out)
{
    const char *term = getenv("TERM");
    if (is_set("NO_COLOR"))
        return false;
    if (is_set("CLICOLOR_FORCE"))
        return true;
    return isatty(fileno(out)) && term && *term && strcmp(term, "dumb") != 0;
}

/* Whatever names the user or a file has in it: nothing that a terminal would obey. */
static void print_plain(const char *text, size_t size)
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

static void print_coloured(const char *colour, const char *text, size_t size)
{
    fputs(colour, stderr);
    print_plain(text, size);
    fputs(*colour ? PLAIN : "", stderr);
}

static void print_error(const char *verb, const char *text, bool help)
{
    fprintf(stderr, "samite%s%s: ", verb ? " " : "", verb ? verb : "");
    print_coloured(cli_colour(stderr) ? RED : "", "error:", 6);
    fputc(' ', stderr);
    print_plain(text, strlen(text));
    if (verb && help)
        fprintf(stderr, " (samite %s --help)", verb);
    fputc('\n', stderr);
}

int cli_usage_error(const struct cli_args *args, const char *format, ...)
{
    struct sam_error line;
    va_list list;
    va_start(list, format);
    vsnprintf(line.text, sizeof line.text, format, list);
    va_end(list);
    print_error(args->verb->name, line.text, true);
    return CLI_BAD_INPUT;
}

int cli_error(const char *format, ...)
{
    struct sam_error line;
    va_list list;
    va_start(list, format);
    vsnprintf(line.text, sizeof line.text, format, list);
    va_end(list);
    print_error(NULL, line.text, false);
    return CLI_BAD_INPUT;
}

void cli_note(const char *format, ...)
{
    struct sam_error line;
    va_list list;
    va_start(list, format);
    vsnprintf(line.text, sizeof line.text, format, list);
    va_end(list);
    fputs("samite: note: ", stderr);
    print_plain(line.text, strlen(line.text));
    fputc('\n', stderr);
}

int cli_no_memory(void)
{
    return cli_error("out of memory");
}

int cli_report(const struct sam_error *error)
{
    /* What was woken to stop fails as if its file had. */
    const bool woken = error->status == SAM_ERR_IO && cli_stopped();
    print_error(NULL, woken ? "stopped" : error->text, false);
    return error->status == SAM_ERR_TRAP || error->status == SAM_ERR_STOPPED ? CLI_PROGRAM_FAILED
                                                                             : CLI_BAD_INPUT;
}

/* "error:" or "warning:" of a line, after its place; NULL if it has none. */
static const char *severity(const char *line, size_t size, size_t *length, const char **colour)
{
    static const struct {
        const char *word, *colour;
    } words[] = {{": error:", RED}, {": warning:", YELLOW}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const char *at = memmem(line, size, words[i].word, strlen(words[i].word));
        if (at) {
            *length = strlen(words[i].word) - 2;
            *colour = words[i].colour;
            return at + 2;
        }
    }
    return NULL;
}

static void put_line(const char *line, size_t size, bool colour)
{
    const char *hue = "", *word = colour ? NULL : line;
    size_t length = 0, blanks = strspn(line, " \t|");
    if (colour)
        word = severity(line, size, &length, &hue);
    if (word && length) {
        print_plain(line, (size_t)(word - line));
        print_coloured(hue, word, length);
        print_plain(word + length, size - (size_t)(word - line) - length);
    } else if (colour && blanks < size && line[blanks] == '^') {
        print_coloured(GREEN, line, size);
    } else {
        print_plain(line, size);
    }
    fputc('\n', stderr);
}

void cli_put_messages(const char *messages)
{
    bool colour = cli_colour(stderr);
    while (messages && *messages) {
        size_t size = strcspn(messages, "\n");
        put_line(messages, size, colour);
        messages += size + (messages[size] == '\n');
    }
}
