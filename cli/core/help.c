/* SPDX-License-Identifier: Apache-2.0 */
/* --help of a verb, from its rows. */
#include "cli.h"

enum { LEFT = 30, WIDTH = 79 };

void cli_help_line(const char **text, struct cli_help_line *line)
{
    const char *at = *text;
    size_t size = strcspn(at, "\n");
    *line = (struct cli_help_line){.text = at, .size = size};
    line->kind = size == 0                   ? CLI_LINE_EMPTY
                 : strncmp(at, "  ", 2) == 0 ? CLI_LINE_VERBATIM
                                             : CLI_LINE_PROSE;
    *text = at + size + (at[size] == '\n');
    while (line->size && at[line->size - 1] == ' ') /* of a row without its last part */
        line->size--;
}

/* Print the words of a text from column `column` on, wrapped at `left`. Returns the column. */
static size_t flow(const char *text, size_t size, size_t column, size_t left, FILE *out)
{
    for (size_t i = 0; i < size;) {
        size_t length = 0;
        while (i + length < size && text[i + length] != ' ')
            length++;
        if (column > left && column + (column > left) + length > WIDTH) {
            fprintf(out, "\n%*s", (int)left, "");
            column = left;
        } else if (column > left) {
            fputc(' ', out);
            column++;
        }
        fwrite(text + i, 1, length, out);
        column += length;
        for (i += length; i < size && text[i] == ' ';)
            i++;
    }
    return column;
}

/* A help text with its own line breaks; lines with wide gaps are rows of a table. */
static void print_text(const char *text, size_t left, FILE *out)
{
    while (*text) {
        size_t size = strcspn(text, "\n");
        if (memmem(text, size, "  ", 2))
            fwrite(text, 1, size, out);
        else
            flow(text, size, left, left, out);
        text += size + (text[size] == '\n');
        if (*text)
            fprintf(out, "\n%*s", (int)left, "");
    }
    fputc('\n', out);
}

void cli_forms_prefix(const struct cli_cursor *c, int form, char *text, size_t room)
{
    const unsigned forms = cli_option_forms(c), shown = c->group ? c->group->forms : 0;
    cli_form_names(c->verb, form < 0 && forms != shown ? forms : 0, ", ", text, room - 2);
    if (*text)
        strcat(text, ": ");
}

static void print_option(const struct cli_cursor *c, int form, FILE *out)
{
    const struct cli_option *o = c->option;
    char left[96], argument[64], prefix[96], help[2048];
    const char *value = cli_argument(o, argument, sizeof argument);
    int used = o->letter ? snprintf(left, sizeof left, "  -%c, ", o->letter)
                         : snprintf(left, sizeof left, "      ");
    used += snprintf(left + used, sizeof left - (size_t)used, "--%s", o->name);
    if (value)
        snprintf(left + used, sizeof left - (size_t)used,
                 cli_value_is_optional(o) ? "[=%s]" : " %s", value);
    fprintf(out, strlen(left) < LEFT ? "%-30s" : "%s\n%30s", left, "");
    cli_forms_prefix(c, form, prefix, sizeof prefix);
    snprintf(help, sizeof help, "%s%s", prefix, o->help);
    print_text(help, LEFT, out);
}

/* Lines of prose are filled; others are kept. */
static void print_details(const char *text, FILE *out)
{
    struct cli_help_line line;
    size_t column = 0;
    while (*text) {
        cli_help_line(&text, &line);
        if (line.kind == CLI_LINE_PROSE) {
            column = flow(line.text, line.size, column, 0, out);
            continue;
        }
        fputs(column ? "\n" : "", out);
        column = 0;
        fwrite(line.text, 1, line.size, out);
        fputc('\n', out);
    }
    fputs(column ? "\n" : "", out);
}

/* Whether the rows of the group are listed with the form. For forms named by an option, the
 * overview leaves them to `--help FORM`. */
static bool is_shown(const struct cli_cursor *c, int form)
{
    const unsigned forms = cli_option_forms(c);
    if (form >= 0)
        return !forms || forms >> form & 1;
    return !c->verb->form_option || !c->group || !c->group->forms;
}

static void print_usage(const struct cli_verb *verb, const char *usage, FILE *out)
{
    const char *before = "Usage: ";
    while (*usage) {
        size_t size = strcspn(usage, "\n");
        fprintf(out, "%ssamite %s%s%.*s\n", before, verb->name, size ? " " : "", (int)size, usage);
        usage += size + (usage[size] == '\n');
        before = "       ";
    }
}

static void print_forms(const struct cli_verb *verb, FILE *out)
{
    fprintf(out, "\n%c%ss", verb->form_word[0] - 'a' + 'A', verb->form_word + 1);
    if (verb->form_option)
        fprintf(out, " (--%s); `samite %s --help NAME` shows the options of one", verb->form_option,
                verb->name);
    fputs(":\n", out);
    for (const struct cli_form *f = verb->forms; f->name; f++) {
        fprintf(out, "  %-12s ", f->name);
        flow(f->summary, strlen(f->summary), 15, 15, out);
        fputc('\n', out);
    }
}

void cli_print_help(const struct cli_verb *verb, int form, FILE *out)
{
    static const struct cli_form none;
    const struct cli_form *f = form >= 0 ? &verb->forms[form] : &none;
    const char *details = f->details ? f->details : verb->details;
    const struct cli_group *before = NULL;
    struct cli_cursor c = {.verb = verb};
    print_usage(verb, f->usage ? f->usage : verb->usage, out);
    fputc('\n', out);
    if (form >= 0) {
        const int column = fprintf(out, "%s:", f->name);
        flow(f->summary, strlen(f->summary), (size_t)column, 0, out);
        fputc('\n', out);
    } else {
        flow(verb->summary, strlen(verb->summary), 0, 0, out);
        fputc('\n', out);
        if (verb->forms)
            print_forms(verb, out);
    }
    bool first = true;
    while (cli_next_option(&c)) {
        if (!is_shown(&c, form))
            continue;
        if (first || (c.group != before && c.group->heading))
            fprintf(out, "\n%s:\n", c.group && c.group->heading ? c.group->heading : "Options");
        first = false;
        before = c.group;
        print_option(&c, form, out);
    }
    if (details) {
        fputc('\n', out);
        print_details(details, out);
    }
    fprintf(out, "\nExamples:\n%s", f->examples ? f->examples : verb->examples);
}
