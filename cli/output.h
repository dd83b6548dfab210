/* SPDX-License-Identifier: Apache-2.0 */
/* A file written piece by piece that appears under its name only when it is complete. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "samite/status.h"

struct cli_output;

/* "-" is standard output. NULL with `error` filled when it cannot be made. */
struct cli_output *cli_output_open(const char *path, struct sam_error *error);
/* A sam_sink: `context` is the output. */
bool cli_output_write(void *context, const void *data, size_t size);
/* Did a write fail? _commit then says why, and leaves no trace. */
bool cli_output_failed(const struct cli_output *output);
/* Close and rename; frees the output whatever happens. */
bool cli_output_commit(struct cli_output *output, struct sam_error *error);
/* Close and leave no trace. NULL is fine. */
void cli_output_abort(struct cli_output *output);

#endif
