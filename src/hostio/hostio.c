/* SPDX-License-Identifier: Apache-2.0 */
/* Life of a program's host. */
#include "hostio/hostio.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* "prog one two": semihosting separates arguments by spaces. */
static char *join_arguments(const struct sam_hostio_options *o)
{
    struct sam_buffer line = {0};
    for (size_t i = 0; i < o->argument_count; i++) {
        if (i)
            sam_buffer_puts(&line, " ");
        sam_buffer_puts(&line, o->arguments[i]);
    }
    sam_buffer_append(&line, "", 1);
    if (line.failed) {
        sam_buffer_free(&line);
        return NULL;
    }
    return (char *)line.data;
}

static enum sam_status fill(struct sam_hostio *io, const struct sam_hostio_options *o,
                            struct sam_error *error)
{
    if (o->argument_count && !o->arguments)
        return sam_fail_null(error, "arguments");
    for (size_t i = 0; i < o->argument_count; i++)
        if (!o->arguments[i])
            return sam_fail_null(error, "arguments[i]");
    io->output = o->output;
    io->errors = o->errors;
    io->input = o->input;
    io->input_context = o->input_context;
    io->files[0].kind = SAM_HOSTIO_INPUT;
    io->files[1].kind = SAM_HOSTIO_OUTPUT;
    io->files[2].kind = SAM_HOSTIO_ERRORS;
    io->command_line = join_arguments(o);
    if (!io->command_line)
        return sam_fail_memory(error);
    if (o->folder) {
        io->folder = open(o->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (io->folder < 0)
            return sam_fail(error, SAM_ERR_IO, "%s: %s", o->folder, strerror(errno));
    }
    return SAM_OK;
}

enum sam_status sam_hostio_new(const struct sam_hostio_options *options, struct sam_hostio **out,
                               struct sam_error *error)
{
    struct sam_hostio_options o;
    if (!out)
        return sam_fail_null(error, "hostio");
    *out = NULL;
    enum sam_status status = sam_options_take(&o, sizeof o, sizeof o, options, error);
    struct sam_hostio *io = status == SAM_OK ? sam_alloc(1, sizeof *io) : NULL;
    if (status == SAM_OK && !io)
        status = sam_fail_memory(error);
    if (status != SAM_OK)
        return status;
    io->folder = -1;
    status = fill(io, &o, error);
    if (status == SAM_OK)
        *out = io;
    else
        sam_hostio_free(io);
    return status;
}

void sam_hostio_free(struct sam_hostio *io)
{
    if (!io)
        return;
    for (unsigned i = 0; i < SAM_HOSTIO_FILES; i++)
        if (io->files[i].kind == SAM_HOSTIO_FILE)
            close(io->files[i].fd);
    if (io->folder >= 0)
        close(io->folder);
    free(io->command_line);
    free(io);
}
