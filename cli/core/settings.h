/* SPDX-License-Identifier: Apache-2.0 */
/* `--config KEY=N,...` and `--config FILE`, of every machine. */
#ifndef CLI_SETTINGS_H
#define CLI_SETTINGS_H

#include "cli.h"

/* Takes settings, "KEY=N,...", as sam_gputime_config_set and its kin do. */
typedef enum sam_status cli_set(void *config, const char *settings, struct sam_error *error);
/* Pass to `set` the settings in an option's value, or those of the file it names, which no
 * output may then overwrite. Returns an exit code, with the message printed. */
int cli_read_settings(struct cli_args *args, const struct cli_option *option, const char *word,
                      cli_set *set, void *config);
/* Reject settings from the command line (file "") or of a file; CLI_BAD_INPUT. */
int cli_refuse_settings(const struct cli_args *args, const char *file,
                        const struct sam_error *error);

#endif
