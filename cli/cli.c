/* SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli_args.h"
#include "stop.h"

#undef cli_usage_error /* cli.h has macros of these names for the analyzer */
#undef cli_report

const struct cli_verb *cli_verb_of(const struct cli_args *args)
{
    return args->verb;
}

size_t cli_alike(const char *a, const char *b)
{
    size_t long_a = strlen(a), long_b = strlen(b), begin = 0, end = 0;
    size_t most = long_a < long_b ? long_a : long_b;
    while (begin < most && a[begin] == b[begin])
        begin++;
    while (end < most - begin && a[long_a - 1 - end] == b[long_b - 1 - end])
        end++;
    return begin + end;
}

/* One line, whatever names the user or a file has in it. */
static void print_plain(const char *text)
{
    for (; *text; text++)
        fputc((unsigned char)*text < ' ' || *text == 127 ? '?' : *text, stderr);
}

int cli_usage_error(const struct cli_args *args, const char *format, ...)
{
    struct sam_error line;
    va_list list;
    va_start(list, format);
    vsnprintf(line.text, sizeof line.text, format, list);
    va_end(list);
    fprintf(stderr, "samite %s: error: ", args->verb->name);
    print_plain(line.text);
    fprintf(stderr, " (samite %s --help)\n", args->verb->name);
    return CLI_BAD_INPUT;
}

bool cli_parse_u64(const char *text, uint64_t *value)
{
    char *end;
    errno = 0;
    *value = strtoull(text, &end, 0);
    return errno == 0 && isdigit((unsigned char)text[0]) && *end == '\0';
}

bool cli_parse_i64(const char *text, int64_t *value)
{
    char *end;
    errno = 0;
    *value = strtoll(text, &end, 10);
    return errno == 0 && isdigit((unsigned char)text[*text == '-']) && *end == '\0';
}

int cli_report(const struct sam_error *error)
{
    /* What was woken to stop fails as if its file had. */
    bool woken = error->status == SAM_ERR_IO && cli_stopped();
    fputs("samite: error: ", stderr);
    print_plain(woken ? "stopped" : error->text);
    fputc('\n', stderr);
    return error->status == SAM_ERR_TRAP || error->status == SAM_ERR_STOPPED ? CLI_PROGRAM_FAILED
                                                                             : CLI_BAD_INPUT;
}

/* "[json]" takes a value only behind '='. */
static bool value_is_optional(const struct cli_option *option)
{
    return option->argument && option->argument[0] == '[';
}

static int take_value(struct cli_args *args, const struct cli_option *option, const char *attached,
                      const char **value)
{
    if (!option->argument) {
        if (attached)
            return cli_usage_error(args, "--%s takes no value", option->name), CLI_ERROR;
    } else if (attached) {
        *value = attached;
    } else if (!value_is_optional(option)) {
        if (args->at >= args->count)
            return cli_usage_error(args, "--%s needs a value (%s)", option->name, option->argument),
                   CLI_ERROR;
        *value = args->words[args->at++];
    }
    return option->id;
}

int cli_next(struct cli_args *args, const char **value)
{
    *value = NULL;
    if (args->at >= args->count)
        return CLI_END;
    const char *word = args->words[args->at++];
    if (args->only_files || word[0] != '-' || word[1] == '\0') {
        *value = word;
        return CLI_POSITIONAL;
    }
    if (strcmp(word, "--") == 0) {
        args->only_files = true;
        return cli_next(args, value);
    }
    const struct cli_option *options = args->verb->options;
    if (word[1] == '-') {
        size_t size = strcspn(word + 2, "=");
        const char *attached = word[2 + size] ? word + 3 + size : NULL;
        for (const struct cli_option *o = options; o && o->name; o++)
            if (strlen(o->name) == size && memcmp(o->name, word + 2, size) == 0)
                return take_value(args, o, attached, value);
    } else {
        for (const struct cli_option *o = options; o && o->name; o++)
            if (o->id == word[1])
                return take_value(args, o, word[2] ? word + 2 : NULL, value);
    }
    return cli_usage_error(args, "unknown option '%s'", word), CLI_ERROR;
}

static void print_option(const struct cli_option *option, FILE *out)
{
    char left[64];
    bool optional = value_is_optional(option);
    int used = snprintf(left, sizeof left, isprint(option->id) ? "  -%c, " : "      ", option->id);
    snprintf(left + used, sizeof left - (size_t)used, "--%s%s%s", option->name,
             !option->argument ? ""
             : optional        ? "[="
                               : " ",
             option->argument ? option->argument + optional : "");
    fprintf(out, "%-30s", left);
    for (const char *c = option->help; *c; c++) {
        fputc(*c, out);
        if (*c == '\n')
            fprintf(out, "%30s", "");
    }
    fputc('\n', out);
}

/* The heading over this option, or NULL. */
static const char *heading(const struct cli_verb *verb, const struct cli_option *option)
{
    const struct cli_heading *h = verb->headings;
    while (h && h->text && h->id != option->id)
        h++;
    return h ? h->text : NULL;
}

void cli_print_help(const struct cli_verb *verb, FILE *out)
{
    fprintf(out, "Usage: samite %s %s\n\n%s\n", verb->name, verb->usage, verb->summary);
    if (verb->options && verb->options->name)
        fprintf(out, "\nOptions:\n");
    for (const struct cli_option *o = verb->options; o && o->name; o++) {
        if (heading(verb, o))
            fprintf(out, "\n%s:\n", heading(verb, o));
        print_option(o, out);
    }
    if (verb->details)
        fprintf(out, "\n%s", verb->details);
}

static const char exit_status[] = "0 done, 1 the program under test failed, 2 bad usage or "
                                  "input. After Ctrl\\-C or SIGTERM, when it has cleaned up, it "
                                  "dies by that signal.\n";

/* Text for roff: a leading dot or quote would be a request, a dash a hyphen. */
static void roff(const char *text, FILE *out)
{
    bool start = true;
    for (; *text; text++) {
        if (start && (*text == '.' || *text == '\''))
            fputs("\\&", out);
        if (*text == '-')
            fputs("\\-", out);
        else if (*text == '\\')
            fputs("\\e", out);
        else
            fputc(*text, out);
        start = *text == '\n';
    }
}

void cli_print_man(const struct cli_verb *verb, FILE *out)
{
    fprintf(out, ".TH SAMITE-%s 1 \"\" \"Samite %s\" \"Samite\"\n.SH NAME\nsamite-%s \\- ",
            verb->name, sam_version(), verb->name);
    roff(verb->summary, out);
    fprintf(out, "\n.SH SYNOPSIS\n.B samite %s\n", verb->name);
    roff(verb->usage, out);
    fprintf(out, "\n.SH OPTIONS\n");
    for (const struct cli_option *o = verb->options; o && o->name; o++) {
        if (heading(verb, o)) {
            fprintf(out, ".SS ");
            roff(heading(verb, o), out);
            fputc('\n', out);
        }
        fprintf(out, ".TP\n.B ");
        if (isprint(o->id))
            fprintf(out, "\\-%c, ", o->id);
        fprintf(out, "\\-\\-%s", o->name);
        if (o->argument)
            fprintf(out, " \\fI%s\\fR", o->argument);
        fputc('\n', out);
        roff(o->help, out);
        fputc('\n', out);
    }
    fprintf(out, ".SH DETAILS\n.nf\n");
    roff(verb->details ? verb->details : "", out);
    fprintf(out, ".fi\n.SH EXIT STATUS\n%s", exit_status);
}

void cli_print_man_overview(FILE *out)
{
    fprintf(
        out,
        ".TH SAMITE 1 \"\" \"Samite %s\" \"Samite\"\n.SH NAME\nsamite \\- run, check and measure "
        "programs for RISC\\-V tensor accelerators\n.SH SYNOPSIS\n.B samite\nVERB [options] "
        "FILE...\n.SH VERBS\n",
        sam_version());
    for (const struct cli_verb *const *v = cli_verbs; *v; v++) {
        fprintf(out, ".TP\n.BR samite\\-%s (1)\n", (*v)->name);
        roff((*v)->summary, out);
        fputc('\n', out);
    }
    fprintf(out, ".SH EXIT STATUS\n%s", exit_status);
}

bool cli_print_completion(const char *shell, FILE *out)
{
    bool zsh = strcmp(shell, "zsh") == 0;
    if (!zsh && strcmp(shell, "bash") != 0)
        return false;
    if (zsh)
        fprintf(out, "#compdef samite\nautoload -U +X bashcompinit && bashcompinit\n");
    fprintf(out, "_samite() {\n    local word=${COMP_WORDS[COMP_CWORD]}\n"
                 "    if [ \"$COMP_CWORD\" = 1 ]; then\n        COMPREPLY=($(compgen -W \"");
    for (const struct cli_verb *const *v = cli_verbs; *v; v++)
        fprintf(out, "%s ", (*v)->name);
    fprintf(out,
            "--help --version\" -- \"$word\"))\n        return\n    fi\n"
            "    case \"$word\" in\n    -*) ;;\n    *) COMPREPLY=($(compgen -f -- \"$word\")); "
            "return ;;\n    esac\n    case \"${COMP_WORDS[1]}\" in\n");
    for (const struct cli_verb *const *v = cli_verbs; *v; v++) {
        fprintf(out, "    %s) COMPREPLY=($(compgen -W \"", (*v)->name);
        for (const struct cli_option *o = (*v)->options; o && o->name; o++)
            fprintf(out, "--%s ", o->name);
        fprintf(out, "--help\" -- \"$word\")) ;;\n");
    }
    fprintf(out, "    esac\n}\ncomplete -o filenames -F _samite samite\n");
    return true;
}
