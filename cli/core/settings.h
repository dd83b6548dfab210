/* SPDX-License-Identifier: Apache-2.0 */
/* `--config KEY=N,...` and `--config FILE`, of every machine. */
#ifndef CLI_SETTINGS_H
#define CLI_SETTINGS_H

#include "cli.h"

/* Takes settings, "KEY=N,...", as sam_gputime_config_set and its kin do. */
typedef enum sam_status cli_set(void *config, const char *settings, struct sam_error *error);

/* The parameters of a machine. */
struct cli_settings {
    cli_set *set;
    int (*list)(void); /* print them, for --config help; CLI_SHOWN */
    /* their tables, up to NULL; and one whose names have prefixes, or NULL */
    const struct sam_parameter *(*tables[5])(size_t index);
    const struct sam_parameter *(*prefixed)(size_t index, const char **prefix);
};
/* All of them in order; NULL after the last. */
const struct sam_parameter *cli_parameter(const struct cli_settings *settings, size_t index,
                                          const char **prefix);
/* Set in `config` what an option's value, or the file it names, which no output may then
 * overwrite, gives to `option->settings`. Returns an exit code, with the message printed. */
int cli_read_settings(struct cli_args *args, const struct cli_option *option, const char *word,
                      void *config);
/* Reject settings from the command line (file "") or of a file; CLI_BAD_INPUT. */
int cli_refuse_settings(const struct cli_args *args, const char *file,
                        const struct sam_error *error);

#endif
