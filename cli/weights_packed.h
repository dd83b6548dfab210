/* SPDX-License-Identifier: Apache-2.0 */
/* Packed files, for the verbs that read them. */
#ifndef WEIGHTS_PACKED_H
#define WEIGHTS_PACKED_H

#include "weights.h"

/* All of a packed file ("-": standard input) through an unpacker into `sink` (write NULL: verify
 * only). `what` is said of it while it takes time; NULL: nothing. */
struct weights_fed {
    uint64_t bytes, packed; /* of the file, of the packed file; so far, after a failure */
};
bool weights_feed(const char *path, const char *what, const struct sam_codec_options *options,
                  struct sam_sink sink, struct weights_fed *fed, struct sam_error *error);

/* `path` itself, or the packed files of a folder; weights_list_free. */
bool weights_packed_list(const char *path, struct weights_list *list, struct sam_error *error);

/* A packed file that is read where it is needed; from a pipe it is held in memory. */
struct weights_packed {
    struct weights_input input;
    struct sam_packed *packed;
    uint64_t size;
};
/* `file->input` is open: the rest. Close it whatever happened. */
bool weights_packed_start(struct weights_packed *file, const struct sam_codec_options *options,
                          struct sam_error *error);
/* False with `error` filled; then nothing is to be closed. */
bool weights_packed_open(const char *path, const struct sam_codec_options *options,
                         struct weights_packed *file, struct sam_error *error);
void weights_packed_close(struct weights_packed *file);

#endif
