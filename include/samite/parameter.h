/* SPDX-License-Identifier: Apache-2.0 */
/* A parameter of a cycle model, as "name=value" texts set it and lists show it.
 *
 * Threads: the rows are constant. Since 0.2. */
#ifndef SAMITE_PARAMETER_H
#define SAMITE_PARAMETER_H

#include <stdint.h>

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

struct sam_parameter {
    const char *name;
    const char *value;  /* the default: a number, or another parameter whose value it takes */
    const char *range;  /* "1..16" */
    uint64_t low, high; /* the same as numbers; 0 and 0 if the value is not a number */
    const char *meaning;
};

/* Settings from a word of a command line: "name=value,..." as it is; of a word without '=', those
 * of the file with that name as one such text. The file has a setting per line or several with
 * commas between them, and comments from '#' to the end of a line. *settings is to be freed with
 * sam_text_free. SAM_ERR_IO, SAM_ERR_INPUT: the file cannot be read, is larger than 1 MiB, or is
 * not text. The caller interprets the settings. */
SAM_API enum sam_status sam_settings_read(const char *word, char **settings,
                                          struct sam_error *error);

#ifdef __cplusplus
}
#endif

#endif
