/* SPDX-License-Identifier: Apache-2.0 */
/* What the verbs of the weight codec share: files of weights as they come, whole files in memory,
 * folders, tables. */
#ifndef WEIGHTS_H
#define WEIGHTS_H

#include "cli.h"
#include "json.h"
#include "progress.h"
#include "samite/codec.h"
#include "samite/file.h"
#include "samite/format.h"

#define PACKED_SUFFIX ".smw"

/* What the command line says about the elements of a file that does not. */
struct weights_hint {
    bool has_type, has_shape;
    enum sam_dtype type;
    size_t rank;
    uint64_t shape[SAM_WEIGHT_RANK];
};
/* "e4m3", "3,4,5". False: a message was printed. */
bool weights_hint_type(const struct cli_args *args, const char *text, struct weights_hint *hint);
bool weights_hint_shape(const struct cli_args *args, const char *text, struct weights_hint *hint);
/* The rows of the options that give the hint. */
int weights_parse_type(const struct cli_args *args, const struct cli_option *option,
                       const char *text, void *hint);
int weights_parse_shape(const struct cli_args *args, const struct cli_option *option,
                        const char *text, void *hint);
const char *weights_type_name(size_t index);
#define WEIGHTS_DTYPE(type, member)                                                                \
    {                                                                                              \
        .name = "dtype", .letter = 'd', .grammar = CLI_PARSE, .argument = "TYPE",                  \
        .names = weights_type_name, .parse = weights_parse_type,                                   \
        .help = "what a raw or npy file holds: bf16 f16 f32 e4m3 e5m2 e2m1 i4 i8 u8 ...",          \
        CLI_AT(type, member)                                                                       \
    }
#define WEIGHTS_SHAPE(type, member)                                                                \
    {                                                                                              \
        .name = "shape", .letter = 's', .grammar = CLI_PARSE, .argument = "N,N...",                \
        .parse = weights_parse_shape, .help = "shape of a raw file", CLI_AT(type, member)          \
    }
#define WEIGHTS_SUFFIXES ".safetensors .gguf .npy .index.json"

/* The message of an error inside a file begins with its name, once. */
void weights_name_error(const char *path, struct sam_error *error);

/* A file of weights, read from front to back; "-" is standard input. */
struct weights_input {
    const char *path;
    int file;
    uint8_t *prefix; /* the bytes that were read to know what is where */
    size_t prefix_size, prefix_given;
    struct sam_weights weights;
    bool is_plain; /* a plain file, of `size` bytes when it was opened: it can be read anywhere */
    uint64_t size;
    bool is_device; /* a terminal, /dev/zero */
    bool is_stream; /* of unknown length: weights.file_size is what the tensors need */
};
/* False with `error` filled; close it whatever happened. What comes from a pipe and does not say
 * how long it is (plain bytes, a packed file) is all in `prefix` then. */
bool weights_open(const char *path, const struct weights_hint *hint, struct weights_input *input,
                  struct sam_error *error);
void weights_close(struct weights_input *input);
/* By the first bytes of an open one. */
bool weights_is_packed(const struct weights_input *input);
/* Of an open one; `text` is the error when it is a packed file. */
bool weights_are_unpacked(const struct weights_input *input, const char *text,
                          struct sam_error *error);
/* The next bytes; 0 at the end, -1 with `error` filled, also after Ctrl-C. */
long weights_read(struct weights_input *input, void *data, size_t room, struct sam_error *error);
long weights_read_from(int file, const char *path, void *data, size_t room,
                       struct sam_error *error);

/* Before `path` is made of the file `input`: they must not be one file. Unless `path` is standard
 * output, Ctrl-C is caught from here on, and the work ended by the one who reads. */
bool weights_may_write(const char *path, const char *input, struct sam_error *error);
/* The output, then, with the input's permissions and time; NULL with `error` filled. */
struct sam_output *weights_create(const char *path, const char *input, struct sam_error *error);

/* May `path`, made of the file `input`, take the place of what is there? Not of its input; of a
 * plain file with `force`, or when the user says so on a terminal. Nothing, devices and pipes may
 * be written. False with `error` filled. */
bool weights_may_replace(const char *path, const char *input, bool force, struct sam_error *error);

bool weights_is_folder(const char *path);
bool weights_ends_with(const char *path, const char *suffix);
/* By its name: an index of shards; weights. */
bool weights_is_index(const char *path);
bool weights_are_known(const char *path);
/* Weights, by the name, of a format that is not packed. */
bool weights_are_foreign(const char *path);
#define WEIGHTS_NONE "no weights (.safetensors, .gguf, .npy) in it"
bool weights_are_many(const char *path); /* a folder or an index */
/* The plain files of a folder, or of the shards that an index (*.index.json) names and the index
 * itself; by name. `others` are in the folder, too, and no plain files. False with `error` filled.
 */
struct weights_list {
    char **paths, **others;
    size_t count, other_count;
};
bool weights_list(const char *path, struct weights_list *list, struct sam_error *error);
/* Are the shards there that the index `path`, or the indexes in the folder `path`, name? In a
 * folder they may be packed. False with `error` filled: it names the first that is not. */
bool weights_whole(const char *path, struct sam_error *error);
bool weights_list_one(const char *path, struct weights_list *list, struct sam_error *error);
void weights_list_free(struct weights_list *list);
/* "folder/name" with `more` behind it, without `cut` at its end; malloc'ed, NULL when memory runs
 * out. */
char *weights_place(const char *folder, const char *path, const char *more, const char *cut);
/* "folder" of "folder/"; malloc'ed, NULL when memory runs out. */
char *weights_without_slash(const char *path);
/* Copy as it is; true or a message in `error`. */
bool weights_copy(const char *from, const char *to, struct sam_error *error);

/* What is done to the files of a folder or an index. */
struct weights_work {
    /* Is this one to be worked on? The others are copied. */
    bool (*wanted)(const char *path);
    bool (*work)(void *context, const char *from, const char *to, struct sam_error *error);
    void *context;
    const char *more, *cut; /* how its name changes: weights_place */
    const char *none;       /* the message when no file is wanted */
    bool alone;             /* the output folder may have no other files in it */
    bool force;             /* weights_may_replace */
    /* A file was copied; may be NULL. */
    void (*copied)(void *context, const char *from, const char *to);
};
/* The files of `input` into the folder `output`, which is made, and removed again after a failure.
 * Nothing is done when two files would go to one place, or a shard is missing. */
bool weights_each(const char *input, const char *output, const struct weights_work *work,
                  struct sam_error *error);

/* "3x4x5", "scalar". */
const char *weights_shape(const struct sam_weight *w, char *text, size_t room);
json_t *weights_json_shape(const struct sam_weight *w);
/* Its name for a table: without characters that would break the line or reach a terminal as
 * commands. */
struct weights_name {
    char text[200];
};
struct weights_name weights_name(const struct sam_weight *w);

#endif
