/* SPDX-License-Identifier: Apache-2.0 */
/* Completion scripts for bash, zsh and fish, from the rows: options, their values, files. */
#include <ctype.h>

#include "cli.h"
#include "samite/parameter.h"

static void put_row_words(const struct cli_option *o, const char *before, FILE *out)
{
    const char *choices = o->choices ? o->choices : "";
    for (char word[64]; cli_word(&choices, word, sizeof word);)
        fprintf(out, "%s%s", before, word);
    for (size_t i = 0; o->names && o->names(i); i++)
        fprintf(out, "%s%s", before, o->names(i));
    const char *prefix;
    const struct sam_parameter *key;
    for (size_t i = 0; o->settings && (key = cli_parameter(o->settings, i, &prefix)); i++)
        fprintf(out, "%s%s%s", before, prefix, key->name);
}

/* The completion words of a row, its choices and names, each preceded by `before`; and those of
 * the rows of this name in other forms of the verb. */
static void put_words(const struct cli_verb *verb, const struct cli_option *o, const char *before,
                      FILE *out)
{
    struct cli_cursor c = {.verb = verb};
    put_row_words(o, before, out);
    while (cli_next_option(&c))
        if (c.option != o && o != &verb->operand && strcmp(c.option->name, o->name) == 0)
            put_row_words(c.option, before, out);
}

/* The next row whose name no earlier row has. */
static bool next_name(struct cli_cursor *c)
{
    while (cli_next_option(c)) {
        struct cli_cursor first = {.verb = c->verb};
        while (cli_next_option(&first) && strcmp(first.option->name, c->option->name) != 0)
            ;
        if (first.index == c->index)
            return true;
    }
    return false;
}

static bool has_words(const struct cli_option *o)
{
    return o->choices || o->names || o->settings;
}

static bool takes_value(const struct cli_option *o)
{
    return o->grammar != CLI_FLAG && (o->argument || o->choices);
}

static void put_forms(const struct cli_verb *verb, FILE *out)
{
    for (const struct cli_form *f = verb->forms; f && f->name; f++)
        fprintf(out, " %s", f->name);
}

static bool forms_first(const struct cli_verb *verb)
{
    return verb->forms && !verb->form_option;
}

/* --------------------------------------------------------------------------------- bash */

static void bash_values(const struct cli_verb *verb, const struct cli_option *o, FILE *out)
{
    if (has_words(o)) {
        fputs("_samite_words '", out);
        put_words(verb, o, " ", out);
        fputs(o->suffixes ? "'; [ ${#COMPREPLY[@]} != 0 ] || " : "'\n", out);
    }
    if (o->suffixes)
        fprintf(out, "_samite_files '%s'\n", o->suffixes);
}

static void bash_verb(const struct cli_verb *verb, FILE *out)
{
    struct cli_cursor c = {.verb = verb};
    fprintf(out, "    %s)\n        case \"$before\" in\n", verb->name);
    while (next_name(&c)) {
        const struct cli_option *o = c.option;
        if (!takes_value(o))
            continue;
        fputs("        ", out);
        if (o->letter)
            fprintf(out, "-%c|", o->letter);
        fprintf(out, "--%s) ", o->name);
        bash_values(verb, o, out);
        fputs("            return ;;\n", out);
    }
    fputs("        esac\n        case \"$word\" in\n        -*) _samite_words '", out);
    for (c = (struct cli_cursor){.verb = verb}; next_name(&c);)
        fprintf(out, "--%s ", c.option->name);
    fputs("--help' ;;\n        *) ", out);
    if (forms_first(verb)) {
        fputs("if [ \"$COMP_CWORD\" = 2 ]; then _samite_words '", out);
        put_forms(verb, out);
        fputs("'; else ", out);
    }
    if (has_words(&verb->operand) || verb->operand.suffixes)
        bash_values(verb, &verb->operand, out);
    else
        fputs("_samite_files ''\n", out);
    fputs(forms_first(verb) ? "            fi ;;\n" : "            ;;\n", out);
    fputs("        esac ;;\n", out);
}

static void print_bash(FILE *out)
{
    fputs(
        "_samite_words() {\n    mapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$word\")\n}\n"
        "_samite_files() { # '.s .elf': folders and these; '': any; '/': folders\n"
        "    local suffix\n    COMPREPLY=()\n    compopt -o filenames 2>/dev/null\n"
        "    if [ -z \"$1\" ]; then\n        mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
        "        return\n    fi\n"
        "    mapfile -t COMPREPLY < <(compgen -d -- \"$word\"\n"
        "        for suffix in $1; do compgen -f -X \"!*$suffix\" -- \"$word\"; done)\n}\n"
        "_samite() {\n    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
        "    if [ \"$word\" = = ]; then # --option= is three words\n        word=\n"
        "    elif [ \"$before\" = = ] && [ \"$COMP_CWORD\" -gt 2 ]; then\n"
        "        before=${COMP_WORDS[COMP_CWORD-2]}\n    fi\n"
        "    if [ \"$COMP_CWORD\" = 1 ] || { [ \"$COMP_CWORD\" = 2 ] && [ \"$before\" = help ]; }; "
        "then\n        _samite_words '",
        out);
    for (const struct cli_verb *const *v = cli_verbs; *v; v++)
        fprintf(out, "%s ", (*v)->name);
    fputs("help --help --version'\n        return\n    fi\n    case \"${COMP_WORDS[1]}\" in\n",
          out);
    for (const struct cli_verb *const *v = cli_verbs; *v; v++)
        bash_verb(*v, out);
    fputs("    esac\n}\ncomplete -F _samite samite\n", out);
}

/* ---------------------------------------------------------------------------------- zsh */

/* Inside single quotes; characters in `also` get a backslash. */
static void quoted(const char *text, const char *also, FILE *out)
{
    for (; *text && *text != '\n'; text++) {
        if (*text == '\'')
            fputs("'\\''", out);
        else if (strchr(also, *text))
            fprintf(out, "\\%c", *text);
        else
            fputc(*text, out);
    }
}

static void zsh_values(const struct cli_verb *verb, const struct cli_option *o, FILE *out)
{
    if (has_words(o) && o->suffixes) {
        fputs("{ compadd --", out);
        put_words(verb, o, " ", out);
        fputs("; _files }", out);
    } else if (has_words(o)) {
        fputs("(", out);
        put_words(verb, o, " ", out);
        fputs(")", out);
    } else if (o->suffixes && strcmp(o->suffixes, "/") == 0) {
        fputs("_files -/", out);
    } else if (o->suffixes && *o->suffixes) {
        fputs("_files -g \"*(", out);
        for (const char *c = o->suffixes; *c; c++)
            fputc(*c == ' ' ? '|' : *c, out);
        fputs(")\"", out);
    } else if (o->suffixes) {
        fputs("_files", out);
    }
}

static void zsh_spec(const struct cli_verb *verb, const struct cli_option *o, bool letter,
                     FILE *out)
{
    char argument[64];
    const char *value = cli_argument(o, argument, sizeof argument);
    fputs("            '", out);
    if (cli_repeats(o))
        fputc('*', out);
    else if (o->letter)
        fprintf(out, "(-%c --%s)", o->letter, o->name);
    if (letter)
        fprintf(out, "-%c%s", o->letter, value ? "+" : "");
    else
        fprintf(out, "--%s%s", o->name, !value ? "" : cli_value_is_optional(o) ? "=-" : "=");
    fputc('[', out);
    quoted(o->help, "[]\\", out);
    fputc(']', out);
    if (value) {
        fputs(cli_value_is_optional(o) ? "::" : ":", out);
        quoted(value, ":\\[]", out);
        fputc(':', out);
        zsh_values(verb, o, out);
    }
    fputs("' \\\n", out);
}

static void print_zsh(FILE *out)
{
    fputs("#compdef samite\n_samite() {\n    local -a verbs\n    verbs=(\n", out);
    for (const struct cli_verb *const *v = cli_verbs; *v; v++) {
        fprintf(out, "        '%s:", (*v)->name);
        quoted((*v)->summary, ":\\", out);
        fputs("'\n", out);
    }
    fputs("        'help:show the options of a verb'\n    )\n"
          "    if (( CURRENT == 2 )) || { (( CURRENT == 3 )) && [[ $words[2] == help ]]; }; then\n"
          "        _describe verb verbs\n        return\n    fi\n"
          "    local verb=$words[2]\n    shift words\n    (( CURRENT-- ))\n    case $verb in\n",
          out);
    for (const struct cli_verb *const *v = cli_verbs; *v; v++) {
        struct cli_cursor c = {.verb = *v};
        fprintf(out, "    %s)\n        _arguments -s \\\n", (*v)->name);
        while (next_name(&c)) {
            if (c.option->letter)
                zsh_spec(*v, c.option, true, out);
            zsh_spec(*v, c.option, false, out);
        }
        if (forms_first(*v)) {
            fprintf(out, "            '1:%s:(", (*v)->form_word);
            put_forms(*v, out);
            fputs(")' \\\n", out);
        }
        fputs("            '*:", out);
        quoted((*v)->operand.name ? (*v)->operand.name : "file", ":\\", out);
        fputc(':', out);
        zsh_values(*v, &(*v)->operand, out);
        fputs("' \\\n            '--help[show the options and examples]' ;;\n", out);
    }
    fputs("    esac\n}\nif [ \"$funcstack[1]\" = _samite ]; then\n    _samite \"$@\"\nelse\n"
          "    compdef _samite samite\nfi\n",
          out);
}

/* --------------------------------------------------------------------------------- fish */

static void fish_values(const struct cli_verb *verb, const struct cli_option *o, FILE *out)
{
    if (has_words(o)) {
        fputs(o->suffixes ? " -r -F -a '" : " -x -a '", out);
        put_words(verb, o, " ", out);
        fputc('\'', out);
    } else if (o->suffixes && strcmp(o->suffixes, "/") == 0) {
        fputs(" -x -a '(__fish_complete_directories)'", out);
    } else if (o->suffixes && *o->suffixes) {
        fputs(" -k -x -a '(", out);
        const char *at = o->suffixes, *between = "";
        for (char suffix[32]; cli_word(&at, suffix, sizeof suffix); between = "; ")
            fprintf(out, "%s__fish_complete_suffix %s", between, suffix);
        fputs(")'", out);
    } else {
        fputs(o->suffixes ? " -r -F" : " -x", out);
    }
}

static void fish_help(const char *text, FILE *out)
{
    fputs(" -d '", out);
    for (; *text && *text != '\n'; text++)
        fprintf(out, *text == '\'' || *text == '\\' ? "\\%c" : "%c", *text);
    fputs("'\n", out);
}

static void print_fish(FILE *out)
{
    fputs("function __samite_verb\n    set -l words (commandline -opc)\n"
          "    test (count $words) -ge 2; and test \"$words[2]\" = \"$argv[1]\"\nend\n"
          "function __samite_words\n    test (count (commandline -opc)) -eq $argv[1]\nend\n"
          "complete -c samite -f\n",
          out);
    for (const struct cli_verb *const *v = cli_verbs; *v; v++) {
        struct cli_cursor c = {.verb = *v};
        fprintf(out, "complete -c samite -n '__samite_words 1' -a %s", (*v)->name);
        fish_help((*v)->summary, out);
        fprintf(out, "complete -c samite -n '__samite_verb help; and __samite_words 2' -a %s\n",
                (*v)->name);
        while (next_name(&c)) {
            fprintf(out, "complete -c samite -n '__samite_verb %s'", (*v)->name);
            if (c.option->letter)
                fprintf(out, " -s %c", c.option->letter);
            fprintf(out, " -l %s", c.option->name);
            if (takes_value(c.option))
                fish_values(*v, c.option, out);
            fish_help(c.option->help, out);
        }
        if (forms_first(*v)) {
            fprintf(out, "complete -c samite -n '__samite_verb %s; and __samite_words 2' -a '",
                    (*v)->name);
            put_forms(*v, out);
            fputs("'\n", out);
        }
        fprintf(out, "complete -c samite -n '__samite_verb %s%s'", (*v)->name,
                forms_first(*v) ? "; and not __samite_words 2" : "");
        if (has_words(&(*v)->operand) || (*v)->operand.suffixes)
            fish_values(*v, &(*v)->operand, out);
        else
            fputs(" -F", out);
        fputc('\n', out);
    }
    fputs("complete -c samite -n '__samite_words 1' -a help -d 'show the options of a verb'\n"
          "complete -c samite -n '__samite_words 1' -l version -d 'print the version'\n"
          "complete -c samite -l help -d 'show the options and examples'\n",
          out);
}

bool cli_print_completion(const char *shell, FILE *out)
{
    if (strcmp(shell, "bash") == 0)
        print_bash(out);
    else if (strcmp(shell, "zsh") == 0)
        print_zsh(out);
    else if (strcmp(shell, "fish") == 0)
        print_fish(out);
    else
        return false;
    return true;
}
