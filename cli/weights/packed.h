/* SPDX-License-Identifier: Apache-2.0 */
/* Reading packed files. */
#ifndef WEIGHTS_PACKED_H
#define WEIGHTS_PACKED_H

#include "weights.h"

/* Unpack a whole packed file ("-": standard input) into `sink` (write NULL: verify only). `what` is
 * the progress label; NULL: no progress. */
struct weights_fed {
    uint64_t bytes, packed; /* restored and packed size; after a failure, the sizes so far */
};
bool weights_feed(const char *path, const char *what, const struct sam_codec_options *options,
                  struct sam_sink sink, struct weights_fed *fed, struct sam_error *error);

/* `path` itself, or the packed files of a folder; free it with weights_list_free. */
bool weights_packed_list(const char *path, struct weights_list *list, struct sam_error *error);

/* A packed file read on demand, or held in memory if it comes from a pipe. */
struct weights_packed {
    struct weights_input input;
    struct sam_packed *packed;
    uint64_t size;
};
/* Open the packed file in `file->input`, which is already open. Close it in either case. */
bool weights_packed_start(struct weights_packed *file, const struct sam_codec_options *options,
                          struct sam_error *error);
/* False with `error` filled; then there is nothing to close. */
bool weights_packed_open(const char *path, const struct sam_codec_options *options,
                         struct weights_packed *file, struct sam_error *error);
void weights_packed_close(struct weights_packed *file);

#endif
