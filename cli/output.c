/* SPDX-License-Identifier: Apache-2.0 */
#include "output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct cli_output {
    FILE *file;
    const char *path;
    int write_errno;  /* of the first write that failed */
    char temporary[]; /* empty: written in place (standard output, a device, a pipe) */
};

static bool fail(struct sam_error *error, const char *path, const char *what)
{
    error->status = SAM_ERR_IO;
    snprintf(error->text, sizeof error->text, "%s: cannot %s: %s", path, what, strerror(errno));
    return false;
}

/* A new file beside `path`, with the rights an ordinary new file has. */
static FILE *open_temporary(struct cli_output *output)
{
    sprintf(output->temporary, "%s.XXXXXX", output->path);
    int fd = mkstemp(output->temporary);
    if (fd < 0) {
        output->temporary[0] = '\0';
        return NULL;
    }
    mode_t mask = umask(0);
    umask(mask);
    FILE *file = fchmod(fd, 0666 & ~mask) == 0 ? fdopen(fd, "wb") : NULL;
    if (!file)
        close(fd);
    return file;
}

struct cli_output *cli_output_open(const char *path, struct sam_error *error)
{
    struct cli_output *output = calloc(1, sizeof *output + strlen(path) + sizeof ".XXXXXX");
    if (!output) {
        error->status = SAM_ERR_MEMORY;
        snprintf(error->text, sizeof error->text, "out of memory");
        return NULL;
    }
    output->path = path;
    struct stat existing;
    if (strcmp(path, "-") == 0)
        output->file = stdout;
    else if (stat(path, &existing) == 0 && !S_ISREG(existing.st_mode))
        output->file = fopen(path, "wb");
    else
        output->file = open_temporary(output);
    if (!output->file) {
        fail(error, path, "create");
        cli_output_abort(output);
        return NULL;
    }
    return output;
}

bool cli_output_write(void *context, const void *data, size_t size)
{
    struct cli_output *output = context;
    if (size == 0 || fwrite(data, 1, size, output->file) == size)
        return true;
    if (!output->write_errno)
        output->write_errno = errno;
    return false;
}

bool cli_output_failed(const struct cli_output *output)
{
    return output->write_errno != 0;
}

bool cli_output_commit(struct cli_output *output, struct sam_error *error)
{
    int before = output->write_errno;
    bool good = !before && !ferror(output->file);
    good &= output->file == stdout ? fflush(stdout) == 0 : fclose(output->file) == 0;
    if (before)
        errno = before;
    output->file = NULL;
    if (good && output->temporary[0]) {
        good = rename(output->temporary, output->path) == 0;
        if (good)
            output->temporary[0] = '\0';
    }
    if (!good)
        fail(error, output->path, "write");
    cli_output_abort(output);
    return good;
}

void cli_output_abort(struct cli_output *output)
{
    if (!output)
        return;
    if (output->file && output->file != stdout)
        fclose(output->file);
    if (output->temporary[0])
        unlink(output->temporary);
    free(output);
}
