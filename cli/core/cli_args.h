/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_ARGS_H
#define CLI_ARGS_H

#include "cli.h"

/* The words after the verb, and the parser's position. */
struct cli_args {
    const struct cli_verb *verb;
    char **words;
    int count;
    int at;
    bool only_files; /* after "--" */
    int form;
    size_t operands;     /* read so far */
    bool *given;         /* by the row's index */
    const char **values; /* the first one given, likewise; NULL: none */
    void **owned;        /* memory that the verb need not free */
    size_t owned_count;
    struct cli_files *files; /* files.h */
};

/* Frees memory owned by the arguments. */
void cli_args_free(struct cli_args *args);

#endif
