/* SPDX-License-Identifier: Apache-2.0 */
/* Whole files, as the command reads and writes them. */
#ifndef SAMITE_FILE_H
#define SAMITE_FILE_H

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

#ifdef __cplusplus
}
#endif
#endif
