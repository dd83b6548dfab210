/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the commands of this folder: errors, options, and the end of their output. */
#ifndef SAMITE_KERNELS_COMMAND_H
#define SAMITE_KERNELS_COMMAND_H

#include <samite/samite.h>
#include <stdio.h>

static inline int kernel_usage(const char *program, const char *what, const char *text)
{
    fprintf(stderr, "%s: error: %s '%s' (%s --help)\n", program, what, text, program);
    return 2;
}

static inline int kernel_fail(const char *program, const struct sam_error *error,
                              enum sam_status status)
{
    fprintf(stderr, "%s: error: %s\n", program, error->text);
    return status == SAM_ERR_TRAP ? 1 : 2;
}

static inline int kernel_write(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    const bool written = file && fwrite(data, 1, size, file) == size;
    if (file && fclose(file) == 0 && written)
        return 0;
    perror(path);
    return 2;
}

/* Create *config, unless there is one, and set it from `text`: KEY=N,..., a file of them, or NULL.
 */
static inline enum sam_status kernel_cycles(struct sam_system_config **config, const char *text,
                                            struct sam_error *error)
{
    char *settings = NULL;
    enum sam_status status = *config ? SAM_OK : sam_system_config_new(config, error);
    if (status == SAM_OK && text)
        status = sam_settings_read(text, &settings, error);
    if (status == SAM_OK && text)
        status = sam_system_config_set(*config, settings, error);
    sam_text_free(settings);
    return status;
}

/* `code`, or 2 with a message if output could not be written. */
static inline int kernel_finish(const char *program, int code)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return code;
    fprintf(stderr, "%s: error: cannot write to standard output\n", program);
    return 2;
}

#endif
