/* SPDX-License-Identifier: Apache-2.0 */
/* Files, read and written the way the command does it: whole, or piece by piece. Different threads
 * may work on different files; an output is used by one thread at a time. */
#ifndef SAMITE_FILE_H
#define SAMITE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Read all of `path` ("-": standard input) into *data, with a trailing NUL that *size does not
 * count; freed with free(). A file larger than `limit` bytes is rejected. */
SAM_API enum sam_status sam_file_load(const char *path, uint64_t limit, char **data, size_t *size,
                                      struct sam_error *error);
/* Write `size` bytes to `path` ("-": standard output): all of them or, after a failure, nothing; an
 * existing file stays until the new one is complete. */
SAM_API enum sam_status sam_file_save(const char *path, const void *data, size_t size,
                                      struct sam_error *error);

/* A file written piece by piece that appears under its name only when it is committed, with the
 * permissions of the file it replaces, or of any new file. Devices and pipes are written in place.
 */
struct sam_output;
/* "-" is standard output. SAM_ERR_IO when `path` cannot be created; *output is then NULL. */
SAM_API enum sam_status sam_output_open(const char *path, struct sam_output **output,
                                        struct sam_error *error);
/* The same for output derived from the file `input`: when both are regular files, the output gets
 * the permissions of `input` (all nine bits, whatever the umask) and its modification time. */
SAM_API enum sam_status sam_output_open_like(const char *path, const char *input,
                                             struct sam_output **output, struct sam_error *error);
/* The `write` of a struct sam_sink: `output` is the struct sam_output. False when a write fails. */
SAM_API bool sam_output_write(void *output, const void *data, size_t size);
/* Whether a write has failed. sam_output_commit then says why and leaves no file behind. */
SAM_API bool sam_output_failed(const struct sam_output *output);
/* Flush, close, rename. Frees the output whatever happens; SAM_ERR_IO when anything failed; an
 * existing file is then unchanged. */
SAM_API enum sam_status sam_output_commit(struct sam_output *output, struct sam_error *error);
/* Close and discard the output. NULL is fine. */
SAM_API void sam_output_abort(struct sam_output *output);

#ifdef __cplusplus
}
#endif
#endif
