/* SPDX-License-Identifier: Apache-2.0 */
/* The library's output under the names that the verbs of weights use, true for success. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include "samite/file.h"

#define cli_output        sam_output
#define cli_output_write  sam_output_write
#define cli_output_failed sam_output_failed
#define cli_output_abort  sam_output_abort

static inline struct sam_output *cli_output_open(const char *path, struct sam_error *error)
{
    struct sam_output *output;
    return sam_output_open(path, &output, error) == SAM_OK ? output : NULL;
}

static inline bool cli_output_commit(struct sam_output *output, struct sam_error *error)
{
    return sam_output_commit(output, error) == SAM_OK;
}

#endif
