/* SPDX-License-Identifier: Apache-2.0 */
/* Man pages from the rows of --help: roff with the man macros. Synopses, tables and examples
 * keep their lines, prose is filled. */
#include "cli.h"

static const char exit_status[] = "0 done, 1 the program under test failed, 2 bad usage or input. "
                                  "After Ctrl-C or SIGTERM the command cleans up and dies by that "
                                  "signal.";

/* Text for roff: a leading dot or quote would be a request, a dash a hyphen. */
static void roff(const char *text, size_t size, FILE *out)
{
    for (size_t i = 0; i < size; i++) {
        const char c = text[i];
        if ((i == 0 || text[i - 1] == '\n') && (c == '.' || c == '\''))
            fputs("\\&", out);
        if (c == '-')
            fputs("\\-", out);
        else if (c == '\\')
            fputs("\\e", out);
        else
            fputc(c, out);
    }
}

static void roff_line(const char *text, FILE *out)
{
    roff(text, strlen(text), out);
    fputc('\n', out);
}

static void print_synopsis(const struct cli_verb *verb, FILE *out)
{
    fputs(".SH SYNOPSIS\n.nf\n", out);
    for (const char *usage = verb->usage; *usage;) {
        size_t size = strcspn(usage, "\n");
        fprintf(out, "\\fBsamite %s\\fR ", verb->name);
        roff(usage, size, out);
        fputc('\n', out);
        usage += size + (usage[size] == '\n');
    }
    fputs(".fi\n", out);
}

/* The lines of a help text: a table keeps its columns. */
static void print_lines(const char *text, FILE *out)
{
    bool table = strstr(text, "  ") != NULL;
    const char *newline;
    fputs(table ? ".nf\n" : "", out);
    for (; (newline = strchr(text, '\n')); text = newline + 1) {
        roff(text, (size_t)(newline - text), out);
        fputs(table ? "\n" : "\n.br\n", out);
    }
    roff_line(text, out);
    fputs(table ? ".fi\n" : "", out);
}

static void print_option(const struct cli_cursor *c, FILE *out)
{
    const struct cli_option *o = c->option;
    char argument[64], prefix[96], help[2048];
    const char *value = cli_argument(o, argument, sizeof argument);
    fputs(".TP\n", out);
    if (o->letter)
        fprintf(out, "\\fB\\-%c\\fR, ", o->letter);
    fputs("\\fB\\-\\-", out);
    roff(o->name, strlen(o->name), out);
    fputs("\\fR", out);
    if (value) {
        fputs(cli_value_is_optional(o) ? "[=\\fI" : " \\fI", out);
        roff(value, strlen(value), out);
        fputs(cli_value_is_optional(o) ? "\\fR]" : "\\fR", out);
    }
    fputc('\n', out);
    cli_forms_prefix(c, -1, prefix, sizeof prefix);
    snprintf(help, sizeof help, "%s%s", prefix, o->help);
    print_lines(help, out);
}

static void print_options(const struct cli_verb *verb, FILE *out)
{
    const struct cli_group *before = NULL;
    struct cli_cursor c = {.verb = verb};
    fputs(".SH OPTIONS\n", out);
    while (cli_next_option(&c)) {
        if (c.group != before && c.group->heading) {
            fputs(".SS ", out);
            roff_line(c.group->heading, out);
        }
        before = c.group;
        print_option(&c, out);
    }
    fputs(".TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nShow the options and examples.\n", out);
    fputs(".TP\n\\fB\\-\\-color\\fR=\\fIauto|always|never\\fR\nColour the messages: on terminals "
          "(auto, unless NO_COLOR is set), always or never.\n",
          out);
}

static void print_details(const char *text, FILE *out)
{
    enum cli_line_kind before = CLI_LINE_EMPTY;
    struct cli_help_line line;
    for (bool first = true; *text; first = false) {
        cli_help_line(&text, &line);
        if (before == CLI_LINE_VERBATIM && line.kind != CLI_LINE_VERBATIM)
            fputs(".fi\n", out);
        if (before == CLI_LINE_EMPTY && line.kind == CLI_LINE_PROSE && !first)
            fputs(".PP\n", out);
        if (before != CLI_LINE_VERBATIM && line.kind == CLI_LINE_VERBATIM)
            fputs(first ? ".nf\n" : ".PP\n.nf\n", out);
        if (line.kind != CLI_LINE_EMPTY) {
            roff(line.text, line.size, out);
            fputc('\n', out);
        }
        before = line.kind;
    }
    fputs(before == CLI_LINE_VERBATIM ? ".fi\n" : "", out);
}

static void print_forms(const struct cli_verb *verb, FILE *out)
{
    fputs(".SH ", out);
    for (const char *c = verb->form_word; *c; c++)
        fputc(*c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c, out);
    fputs("S\n", out);
    for (const struct cli_form *f = verb->forms; f->name; f++) {
        fprintf(out, f->details ? ".SS %s\n" : ".TP\n.B %s\n", f->name);
        roff_line(f->summary, out);
        if (f->details) {
            fputs(".PP\n", out);
            print_details(f->details, out);
        }
    }
}

static void print_title(const char *page, const char *suffix, FILE *out)
{
    fprintf(out, ".TH SAMITE%s 1 \"\" \"Samite %s\" \"Samite\"\n", page, sam_version());
    fprintf(out, ".SH NAME\nsamite%s \\- ", suffix);
}

void cli_print_man(const struct cli_verb *verb, FILE *out)
{
    char page[40] = "", name[40];
    snprintf(name, sizeof name, "-%s", verb->name);
    for (size_t i = 0; name[i]; i++)
        page[i] = (char)(name[i] >= 'a' && name[i] <= 'z' ? name[i] - 'a' + 'A' : name[i]);
    print_title(page, name, out);
    roff_line(verb->summary, out);
    print_synopsis(verb, out);
    if (verb->details) {
        fputs(".SH DESCRIPTION\n", out);
        print_details(verb->details, out);
    }
    if (verb->forms)
        print_forms(verb, out);
    print_options(verb, out);
    fputs(".SH EXAMPLES\n.nf\n", out);
    bool own = false; /* whether the forms have their own examples */
    for (const struct cli_form *f = verb->forms; f && f->name; f++) {
        own |= f->examples != NULL;
        if (f->examples)
            roff(f->examples, strlen(f->examples), out);
    }
    if (!own)
        roff(verb->examples, strlen(verb->examples), out);
    fputs(".fi\n.SH EXIT STATUS\n", out);
    roff_line(exit_status, out);
    fputs(".SH SEE ALSO\n.BR samite (1)\n", out);
}

void cli_print_man_overview(FILE *out)
{
    print_title("", "", out);
    roff_line("run, check and measure programs for RISC-V tensor accelerators", out);
    fputs(".SH SYNOPSIS\n.nf\n\\fBsamite\\fR VERB [options] FILE...\n\\fBsamite help\\fR "
          "[VERB]\n.fi\n.SH VERBS\n",
          out);
    for (const struct cli_verb *const *v = cli_verbs; *v; v++) {
        fprintf(out, ".TP\n.BR samite\\-%s (1)\n", (*v)->name);
        roff_line((*v)->summary, out);
    }
    fputs(".SH EXIT STATUS\n", out);
    roff_line(exit_status, out);
    fputs(".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nWhen set, messages are not coloured.\n"
          ".TP\n.B CLICOLOR_FORCE\nWhen set, messages are coloured even where they do not go to a "
          "terminal.\n",
          out);
}
