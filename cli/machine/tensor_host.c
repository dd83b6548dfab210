/* SPDX-License-Identifier: Apache-2.0 */
/* Host services of a program on the tensor hart: the command's own console, files below
 * --host-files, and the arguments after "--". */
#include <errno.h>
#include <unistd.h>

#include "machine/tensor.h"

static bool write_stream(void *context, const void *data, size_t size)
{
    struct tensor_console *console = context;
    if (console->progress)
        cli_progress_clear(console->progress);
    return fwrite(data, 1, size, console->output) == size;
}

static bool write_errors(void *context, const void *data, size_t size)
{
    struct tensor_console *console = context;
    if (console->progress)
        cli_progress_clear(console->progress);
    fflush(console->output); /* earlier output is shown first */
    return fwrite(data, 1, size, stderr) == size;
}

/* A signal ends the wait, and the run with it. */
static size_t read_input(void *context, void *data, size_t size)
{
    struct tensor_console *console = context;
    ssize_t got;
    fflush(console->output); /* a prompt before the input */
    do
        got = read(STDIN_FILENO, data, size);
    while (got < 0 && errno == EINTR && !cli_stopped());
    return got < 0 ? 0 : (size_t)got;
}

int tensor_host(const struct hart_request *r, struct tensor_console *console,
                struct sam_hostio **host)
{
    struct sam_error error;
    const struct cli_list *files = &r->run->files;
    struct sam_hostio_options options = {.size = sizeof options,
                                         .folder = r->host_files,
                                         .arguments = files->items + r->run->programs,
                                         .argument_count = files->count - r->run->programs};
    if (console) {
        options.output = (struct sam_sink){write_stream, console};
        options.errors = (struct sam_sink){write_errors, console};
        options.input = read_input;
        options.input_context = console;
    }
    return cli_code(sam_hostio_new(&options, host, &error), &error);
}
