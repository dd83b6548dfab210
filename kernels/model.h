/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the programs that run models on the system. */
#ifndef KERNELS_MODEL_H
#define KERNELS_MODEL_H

#include <samite/samite.h>

/* Fill in `error`; returns `status`. */
enum sam_status model_refuse(struct sam_error *error, enum sam_status status, const char *text);
/* Pack a safetensors file in memory. `*packed` is to be freed, also on failure. */
enum sam_status model_pack(const void *file, size_t bytes, const struct sam_codec_options *options,
                           void **packed, size_t *size, struct sam_error *error);
/* The first race as an error, if there is any. */
enum sam_status model_check_races(struct sam_system *system, struct sam_error *error);

#endif
