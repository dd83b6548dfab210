/* SPDX-License-Identifier: Apache-2.0 */
/* Files, as the command reads and writes them: whole, or piece by piece. */
#ifndef SAMITE_FILE_H
#define SAMITE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Read all of `path` ("-": standard input) into *data, with a NUL behind it that *size does not
 * count; freed with free(). A file larger than `limit` bytes is refused. */
SAM_API enum sam_status sam_file_load(const char *path, uint64_t limit, char **data, size_t *size,
                                      struct sam_error *error);
/* Write `size` bytes to `path` ("-": standard output): all of them or, after a failure, nothing;
 * an older file stays until the new one is complete. */
SAM_API enum sam_status sam_file_save(const char *path, const void *data, size_t size,
                                      struct sam_error *error);

/* A file written piece by piece that appears under its name only when it is committed, with the
 * permissions of the file it replaces, or of any new file. Devices and pipes are written in place.
 */
struct sam_output;
/* "-" is standard output. SAM_ERR_IO when `path` cannot be made, *output is NULL then. */
SAM_API enum sam_status sam_output_open(const char *path, struct sam_output **output,
                                        struct sam_error *error);
/* The same for what is made of the file `input`: when both are plain files, the output gets the
 * permissions of `input` (all nine bits, whatever the umask) and its time of modification. */
SAM_API enum sam_status sam_output_open_like(const char *path, const char *input,
                                             struct sam_output **output, struct sam_error *error);
/* The `write` of a struct sam_sink: `output` is the struct sam_output. False when a write fails. */
SAM_API bool sam_output_write(void *output, const void *data, size_t size);
/* Did a write fail? sam_output_commit then says why, and leaves no trace. */
SAM_API bool sam_output_failed(const struct sam_output *output);
/* Flush, close, rename. Frees the output whatever happens; SAM_ERR_IO when anything failed, an
 * older file is then as it was. */
SAM_API enum sam_status sam_output_commit(struct sam_output *output, struct sam_error *error);
/* Close and leave no trace. NULL is fine. */
SAM_API void sam_output_abort(struct sam_output *output);

#ifdef __cplusplus
}
#endif
#endif
