/* SPDX-License-Identifier: Apache-2.0 */
/* What the verbs of the weight codec share: files of weights as they come, whole files in memory,
 * folders, tables. */
#ifndef WEIGHTS_H
#define WEIGHTS_H

#include <jansson.h>

#include "cli.h"
#include "output.h"
#include "samite/codec.h"
#include "samite/file.h"
#include "samite/format.h"

#define PACKED_SUFFIX ".smw"

/* What the command line says about the elements of a file that does not. */
struct weights_hint {
    bool has_type, has_shape;
    enum sam_weight_type type;
    size_t rank;
    uint64_t shape[SAM_WEIGHT_RANK];
};
/* "e4m3", "3,4,5". False: a message was printed. */
bool weights_hint_type(const struct cli_args *args, const char *text, struct weights_hint *hint);
bool weights_hint_shape(const struct cli_args *args, const char *text, struct weights_hint *hint);

/* A file of weights, read from front to back; "-" is standard input. */
struct weights_input {
    const char *path;
    int file;
    uint8_t *prefix; /* the bytes that were read to know what is where */
    size_t prefix_size, prefix_given;
    struct sam_weights weights;
};
/* False with `error` filled; close it whatever happened. */
bool weights_open(const char *path, const struct weights_hint *hint, struct weights_input *input,
                  struct sam_error *error);
void weights_close(struct weights_input *input);
/* The next bytes; 0 at the end, -1 with `error` filled. */
long weights_read(struct weights_input *input, void *data, size_t room, struct sam_error *error);

/* A whole file in memory: mapped where that can be done. */
struct weights_file {
    const void *data;
    size_t size;
    bool mapped;
};
bool weights_map(const char *path, struct weights_file *file, struct sam_error *error);
void weights_unmap(struct weights_file *file);

bool weights_is_folder(const char *path);
bool weights_ends_with(const char *path, const char *suffix);
/* The plain files of a folder, or of the shards that an index (*.index.json) names and the index
 * itself; by name. NULL with `error` filled. */
struct weights_list {
    char **paths;
    size_t count;
};
bool weights_list(const char *path, struct weights_list *list, struct sam_error *error);
void weights_list_free(struct weights_list *list);
/* "folder/name" with `more` behind it, without `cut` at its end; malloc'ed, NULL when memory runs
 * out. */
char *weights_place(const char *folder, const char *path, const char *more, const char *cut);
/* Copy as it is; true or a message in `error`. */
bool weights_copy(const char *from, const char *to, struct sam_error *error);

/* "3x4x5", "scalar". */
const char *weights_shape(const struct sam_weight *w, char *text, size_t room);
/* A string of JSON, whatever the bytes are. */
json_t *weights_json_text(const char *text);
int weights_print_json(json_t *root); /* takes it over; an exit code */

/* How far it is, on a terminal. */
struct weights_progress {
    const char *what;
    uint64_t done, total;
    int shown;
};
void weights_progress(struct weights_progress *progress, uint64_t more);

#endif
