/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <stdlib.h>

#include "cli.h"

extern const struct cli_verb verb_asm, verb_cc, verb_convert, verb_debug, verb_dis, verb_info,
    verb_isa, verb_logdiff, verb_lsp, verb_merge, verb_op, verb_pack, verb_run, verb_stat,
    verb_sweep, verb_symbolstat, verb_tile, verb_unpack, verb_verify;

const struct cli_verb *const cli_verbs[] = {
    &verb_asm,     &verb_cc,      &verb_dis,        &verb_isa,    &verb_run,
    &verb_debug,   &verb_logdiff, &verb_op,         &verb_tile,   &verb_pack,
    &verb_merge,   &verb_unpack,  &verb_info,       &verb_verify, &verb_stat,
    &verb_convert, &verb_sweep,   &verb_symbolstat, &verb_lsp,    NULL,
};

static void print_usage(FILE *out)
{
    fprintf(out, "Usage: samite VERB [options] FILE...\n\n"
                 "Run, check and measure programs for RISC-V tensor accelerators.\n\nVerbs:\n");
    for (const struct cli_verb *const *v = cli_verbs; *v; v++)
        fprintf(out, "  %-12s %s\n", (*v)->name, (*v)->summary);
    fprintf(out, "\n  samite help VERB, samite VERB --help  options of a verb, with an example\n"
                 "  samite --version\n"
                 "  samite --completion bash|zsh|fish     completion script on standard output\n"
                 "  samite --man [VERB]                   man page on standard output\n"
                 "  --color=auto|always|never             with any verb: colour of messages\n");
}

static const struct cli_verb *find_verb(const char *name)
{
    for (const struct cli_verb *const *v = cli_verbs; *v; v++)
        if (strcmp((*v)->name, name) == 0)
            return *v;
    return NULL;
}

static int unknown_verb(const char *word)
{
    struct cli_near near = {.wanted = word};
    for (const struct cli_verb *const *v = cli_verbs; *v; v++)
        cli_near_offer(&near, (*v)->name);
    return cli_error("unknown verb '%s'%s (samite --help)", word, cli_near_text(&near));
}

/* `samite --man [VERB]`, `samite --completion SHELL`. */
static int print_generated(bool man, const char *which)
{
    const struct cli_verb *verb = man && which ? find_verb(which) : NULL;
    char shells[64];
    if (verb)
        cli_print_man(verb, stdout);
    else if (man && !which)
        cli_print_man_overview(stdout);
    else if (man)
        return unknown_verb(which);
    else if (!which || !cli_print_completion(which, stdout))
        return cli_error("--completion %s: expected %s", which ? which : "without a shell",
                         cli_choices_text(CLI_SHELLS, shells, sizeof shells));
    return CLI_OK;
}

/* Help of a verb, or of the form named by the next word: `samite help run tensor`. */
static int help(const struct cli_verb *verb, const char *form)
{
    const int found = form ? cli_find_form(verb, form) : -1;
    struct cli_near near = {.wanted = form};
    if (form && found < 0) {
        for (const struct cli_form *f = verb->forms; f && f->name; f++)
            cli_near_offer(&near, f->name);
        return cli_error("no help for '%s' of samite %s%s (samite %s --help)", form, verb->name,
                         cli_near_text(&near), verb->name);
    }
    cli_print_help(verb, found, stdout);
    return CLI_OK;
}

static int help_on(int count, char **words)
{
    const struct cli_verb *verb = count ? find_verb(words[0]) : NULL;
    if (!count)
        print_usage(stdout);
    else if (!verb)
        return unknown_verb(words[0]);
    return verb ? help(verb, count > 1 ? words[1] : NULL) : CLI_OK;
}

/* The form named by the words, including --help; NULL: none. */
static const char *form_among(const struct cli_verb *verb, int count, char **words)
{
    for (int i = 0; i < count; i++) {
        const char *equals = words[i][0] == '-' ? strchr(words[i], '=') : NULL;
        const char *word = equals ? equals + 1 : words[i];
        if (cli_find_form(verb, word) >= 0)
            return word;
    }
    return NULL;
}

/* Remove --color[=WHEN] from the words and set the equivalent environment variables. They apply to
 * all output. */
static int take_colour(struct cli_args *args)
{
    int kept = 0;
    bool only_files = false;
    for (int i = 0; i < args->count; i++) {
        const char *word = args->words[i];
        only_files |= strcmp(word, "--") == 0;
        if (only_files || strncmp(word, "--color", 7) != 0 || (word[7] && word[7] != '=')) {
            args->words[kept++] = args->words[i];
            continue;
        }
        const char *when = word[7] ? word + 8 : "always";
        const int choice = cli_choice("auto always never", when, strlen(when));
        if (choice < 0)
            return cli_usage_error(args, "--color %s: expected auto, always or never", when);
        if (choice == 1)
            unsetenv("NO_COLOR");
        if (choice)
            setenv(choice == 1 ? "CLICOLOR_FORCE" : "NO_COLOR", "1", 1);
    }
    args->count = kept;
    return CLI_OK;
}

static int run_verb(const struct cli_verb *verb, int count, char **words)
{
    struct cli_args args = {.verb = verb, .words = words, .count = count};
    int code = take_colour(&args);
    if (code != CLI_OK)
        return code;
    for (int i = 0; i < args.count && strcmp(args.words[i], "--") != 0; i++)
        if (strcmp(args.words[i], "--help") == 0 || strcmp(args.words[i], "-h") == 0)
            return help(verb, i == 0 && verb->forms && args.count > 1
                                  ? args.words[1]
                                  : form_among(verb, args.count, args.words));
    args.files = cli_files_new();
    if (!args.files)
        return cli_no_memory();
    code = verb->run(&args);
    cli_files_free(args.files);
    cli_args_free(&args);
    return code == CLI_SHOWN ? CLI_OK : code;
}

static int flushed(int code)
{
    if ((fflush(stdout) != 0 || ferror(stdout)) && !cli_stopped() && code != CLI_BAD_INPUT)
        return cli_error("cannot write to standard output");
    return code;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        print_usage(stderr);
        return CLI_BAD_INPUT;
    }
    signal(SIGXFSZ, SIG_IGN); /* a file that exceeds ulimit is an error like a full disk */
    const char *word = argv[1];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0)
        return flushed(help_on(argc - 2, argv + 2));
    if (strcmp(word, "--version") == 0) {
        printf("samite %s\n", sam_version());
        return flushed(CLI_OK);
    }
    bool man = strcmp(word, "--man") == 0;
    if (man || strcmp(word, "--completion") == 0)
        return flushed(print_generated(man, argc > 2 ? argv[2] : NULL));
    const struct cli_verb *verb = find_verb(word);
    if (!verb)
        return unknown_verb(word);
    int code = flushed(run_verb(verb, argc - 2, argv + 2));
    cli_die_if_stopped();
    return code;
}
