/* SPDX-License-Identifier: Apache-2.0 */
/* What every verb shares: its description (which also makes --help, the man page and shell
 * completion) and reading of the command line. A verb is one file, verb_<name>.c, with one
 * `const struct cli_verb verb_<name>`, listed in main.c. Includes only public headers. */
#ifndef CLI_H
#define CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "samite/status.h"
#include "samite/version.h"

enum { CLI_OK = 0, CLI_PROGRAM_FAILED = 1, CLI_BAD_INPUT = 2 };

struct cli_option {
    int id;               /* what cli_next returns; a printable character is also the short form */
    const char *name;     /* long form without the dashes */
    const char *argument; /* NULL: a flag. "FILE": a value follows. "[json]": `--name=json` only */
    const char *help;     /* one line or more, separated by newlines */
};

/* A line over the option `id` and those behind it, for help and man page. */
struct cli_heading {
    int id;
    const char *text;
};

struct cli_args;

struct cli_verb {
    const char *name;
    const char *summary;                /* one line, for `samite --help` */
    const char *usage;                  /* after "samite VERB " */
    const struct cli_option *options;   /* ended by a row with name NULL; --help is added */
    const struct cli_heading *headings; /* ended by a row with text NULL; or NULL */
    const char *details; /* paragraphs and at least one example, for --help and man */
    int (*run)(struct cli_args *args);
};

extern const struct cli_verb *const cli_verbs[]; /* NULL-terminated */

enum { CLI_END = -1, CLI_POSITIONAL = -2, CLI_ERROR = -3 };

/* The next option or file in the order written. *value is its argument (NULL without one).
 * CLI_ERROR: a message was printed, return CLI_BAD_INPUT. */
int cli_next(struct cli_args *args, const char **value);
/* The verb being run, for messages. */
const struct cli_verb *cli_verb_of(const struct cli_args *args);

/* "samite VERB: error: text" on stderr; returns CLI_BAD_INPUT. */
int cli_usage_error(const struct cli_args *args, const char *format, ...) SAM_PRINTF(2, 3);
/* Print `error` on stderr; the exit code that its status asks for. */
int cli_report(const struct sam_error *error);
#ifdef __clang_analyzer__ /* It looks at one file at a time and cannot see what these return. */
#define cli_usage_error(...) (cli_usage_error(__VA_ARGS__), CLI_BAD_INPUT)
#define cli_report(error)    (cli_report(error), CLI_BAD_INPUT)
#endif

/* A number in C notation (all of the text, 64 bits). */
bool cli_parse_u64(const char *text, uint64_t *value);
/* The same in decimal, with or without a minus. */
bool cli_parse_i64(const char *text, int64_t *value);

/* Characters at the beginning and at the end that two names share. */
size_t cli_alike(const char *a, const char *b);

/* --help of one verb; man page of one verb, of the command; completion script ("bash", "zsh"). */
void cli_print_help(const struct cli_verb *verb, FILE *out);
void cli_print_man(const struct cli_verb *verb, FILE *out);
void cli_print_man_overview(FILE *out);
bool cli_print_completion(const char *shell, FILE *out);

#endif
