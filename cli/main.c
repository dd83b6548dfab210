/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "cli_args.h"
#include "files.h"
#include "stop.h"

extern const struct cli_verb verb_asm, verb_convert, verb_dis, verb_info, verb_isa, verb_op,
    verb_pack, verb_run, verb_stat, verb_sweep, verb_symbolstat, verb_tile, verb_unpack,
    verb_verify;

const struct cli_verb *const cli_verbs[] = {
    &verb_asm,  &verb_dis,     &verb_isa,    &verb_run,        &verb_op,
    &verb_tile, &verb_pack,    &verb_unpack, &verb_info,       &verb_verify,
    &verb_stat, &verb_convert, &verb_sweep,  &verb_symbolstat, NULL,
};

static void print_usage(FILE *out)
{
    fprintf(out, "Usage: samite VERB [options] FILE...\n\n"
                 "Run, check and measure programs for RISC-V tensor accelerators.\n\nVerbs:\n");
    for (const struct cli_verb *const *v = cli_verbs; *v; v++)
        fprintf(out, "  %-12s %s\n", (*v)->name, (*v)->summary);
    fprintf(out, "\n  samite VERB --help            options of a verb, with an example\n"
                 "  samite --version\n"
                 "  samite --completion bash|zsh  completion script on standard output\n"
                 "  samite --man [VERB]           man page on standard output\n");
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
    const struct cli_verb *near = NULL;
    size_t likeness = 0;
    for (const struct cli_verb *const *v = cli_verbs; *v; v++) {
        size_t now = cli_alike(word, (*v)->name);
        if (now > likeness && now * 2 >= strlen(word)) {
            likeness = now;
            near = *v;
        }
    }
    fprintf(stderr, "samite: error: unknown verb '%s'%s%s%s (samite --help)\n", word,
            near ? "; did you mean '" : "", near ? near->name : "", near ? "'?" : "");
    return CLI_BAD_INPUT;
}

/* `samite --man [VERB]`, `samite --completion SHELL`. */
static int print_generated(bool man, const char *which)
{
    const struct cli_verb *verb = man && which ? find_verb(which) : NULL;
    if (verb)
        cli_print_man(verb, stdout);
    else if (man && !which)
        cli_print_man_overview(stdout);
    else if (man || !which || !cli_print_completion(which, stdout)) {
        fprintf(stderr, "samite: error: %s\n",
                man ? "--man needs one of the verbs" : "--completion needs bash or zsh");
        return CLI_BAD_INPUT;
    }
    return CLI_OK;
}

static int flushed(int code)
{
    if ((fflush(stdout) != 0 || ferror(stdout)) && !cli_stopped()) {
        fprintf(stderr, "samite: error: cannot write to standard output\n");
        return CLI_BAD_INPUT;
    }
    return code;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        print_usage(stderr);
        return CLI_BAD_INPUT;
    }
    signal(SIGXFSZ, SIG_IGN); /* a file too large for ulimit is an error like a full disk */
    const char *word = argv[1];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0) {
        print_usage(stdout);
        return flushed(CLI_OK);
    }
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
    struct cli_args args = {.verb = verb, .words = argv + 2, .count = argc - 2};
    for (int i = 0; i < args.count && strcmp(args.words[i], "--") != 0; i++) {
        if (strcmp(args.words[i], "--help") == 0 || strcmp(args.words[i], "-h") == 0) {
            cli_print_help(verb, stdout);
            return flushed(CLI_OK);
        }
    }
    args.files = cli_files_new();
    if (!args.files)
        return cli_report(&(struct sam_error){SAM_ERR_MEMORY, "out of memory"});
    int code = flushed(verb->run(&args));
    cli_files_free(args.files);
    cli_die_if_stopped();
    return code;
}
