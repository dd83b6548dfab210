/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_ARGS_H
#define CLI_ARGS_H

#include "cli.h"

/* The words after the verb and how far they are read. */
struct cli_args {
    const struct cli_verb *verb;
    char **words;
    int count;
    int at;
    bool only_files; /* after "--" */
    struct cli_files *files;
};

#endif
