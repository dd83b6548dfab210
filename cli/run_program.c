/* SPDX-License-Identifier: Apache-2.0 */
/* What both machines do with programs and memory. */
#include <stdlib.h>

#include "run.h"

struct sam_image *run_assemble(const struct sam_asm_options *options, const char *name,
                               const char *text, size_t size)
{
    struct sam_error error = {0};
    struct sam_image *image = NULL;
    char *messages = NULL;
    enum sam_status status = sam_assemble(options, name, text, size, &image, &messages, &error);
    if (messages && messages[0])
        fputs(messages, stderr);
    else if (status != SAM_OK)
        cli_report(&error);
    sam_text_free(messages);
    return status == SAM_OK ? image : NULL;
}

/* A range of memory into an output, block by block. */
static bool copy_out(run_read_memory *read, void *context, uint64_t address, uint64_t size,
                     const char *path, struct cli_output *output, struct sam_error *error)
{
    enum { BLOCK = 65536 };
    uint8_t block[BLOCK];
    for (uint64_t at = 0; at < size; at += BLOCK) {
        size_t part = size - at < BLOCK ? (size_t)(size - at) : BLOCK;
        if (!read(context, address + at, block, part, error))
            return false;
        if (!cli_output_write(output, block, part)) {
            error->status = SAM_ERR_IO;
            snprintf(error->text, sizeof error->text, "%.900s: cannot write", path);
            return false;
        }
    }
    return true;
}

int run_dump_memory(run_read_memory *read, void *context, uint64_t address, uint64_t size,
                    const char *path)
{
    struct sam_error error;
    struct cli_output *output = cli_output_open(path, &error);
    if (!output)
        return cli_report(&error);
    if (!copy_out(read, context, address, size, path, output, &error)) {
        cli_output_abort(output);
        return cli_report(&error);
    }
    return cli_output_commit(output, &error) ? CLI_OK : cli_report(&error);
}
