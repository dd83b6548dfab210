/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the verbs of the weight codec: reading weight files, folders of them, tables. */
#ifndef WEIGHTS_H
#define WEIGHTS_H

#include "cli.h"
#include "part.h"
#include "report.h"
#include "samite/codec.h"
#include "samite/file.h"
#include "samite/format.h"
#include "samite/model.h"

#define PACKED_SUFFIX ".smw"

/* Element type and shape from the command line, for files that do not specify them. */
struct weights_hint {
    bool has_type, has_shape;
    enum sam_dtype type;
    size_t rank;
    uint64_t shape[SAM_WEIGHT_RANK];
};
/* Parse "e4m3", "3,4,5" into a hint, also without an option. */
cli_parse weights_parse_type, weights_parse_shape;
const char *weights_type_name(size_t index);
#define WEIGHTS_DTYPE(type, member)                                                                \
    CLI_ROW(type, member, "dtype", CLI_PARSE, "TYPE",                                              \
            "element type of a raw or npy file: bf16 f16 f32 e4m3 e5m2 e2m1 i4 i8 u8 ...",         \
            .letter = 'd', .names = weights_type_name, .parse = weights_parse_type)
#define WEIGHTS_SHAPE(type, member)                                                                \
    CLI_ROW(type, member, "shape", CLI_PARSE, "N,N...", "shape of a raw file", .letter = 's',      \
            .parse = weights_parse_shape)
#define WEIGHTS_SUFFIXES ".safetensors .gguf .npy .pt .pth .bin .ckpt .index.json"

/* The operand of a verb that reads weights. */
#define WEIGHTS_OPERAND(type, member)                                                              \
    CLI_OPERAND(type, member, "file or folder", CLI_TEXT, 1, 1, WEIGHTS_SUFFIXES)

/* Prefix an error message with the file's name, unless it already begins with it. */
void weights_name_error(const char *path, struct sam_error *error);

/* A weight file, read sequentially; "-" is standard input. */
struct weights_input {
    const char *path;
    int file;
    uint8_t *prefix; /* the bytes read to parse the layout */
    size_t prefix_size, prefix_given;
    struct sam_weights weights;
    bool is_plain;  /* a regular file from its start, which can be read at any offset */
    uint64_t size;  /* of a regular file, its unread bytes; otherwise UINT64_MAX */
    bool is_device; /* a terminal, /dev/zero */
    bool is_stream; /* of unknown length: weights.file_size is the end of the tensors */
};
/* Read exactly `size` bytes. Returns false on an error, at the end of the file, or if a signal that
 * stops the command interrupts the read. */
bool weights_read_at(int file, uint64_t offset, void *data, size_t size);

/* The bytes of an open file at any offset: of a regular file, or of one held in memory. */
struct sam_source weights_source(const struct weights_input *input);
/* False with `error` filled; close it in either case. Input from a pipe whose length is not known
 * in advance (raw bytes, a packed file) is read into `prefix` completely. */
bool weights_open(const char *path, const struct weights_hint *hint, struct weights_input *input,
                  struct sam_error *error);
void weights_close(struct weights_input *input);
/* Whether an open file is packed, by its first bytes. */
bool weights_is_packed(const struct weights_input *input);
/* Whether an open file is not packed; if it is, `text` becomes the error. */
bool weights_are_unpacked(const struct weights_input *input, const char *text,
                          struct sam_error *error);
/* Read the next bytes; 0 at the end, -1 with `error` filled on an error or after Ctrl-C. */
long weights_read(struct weights_input *input, void *data, size_t room, struct sam_error *error);
long weights_read_from(int file, const char *path, void *data, size_t room,
                       struct sam_error *error);

/* Check that the output `path` and the file `input` differ. Unless `path` is standard output, catch
 * Ctrl-C from now on; the next read then fails and ends the work. */
bool weights_may_write(const char *path, const char *input, struct sam_error *error);
/* Then create the output, with the input's permissions and time; NULL with `error` filled. */
struct sam_output *weights_create(const char *path, const char *input, struct sam_error *error);
/* Commit an output that is good, or report why it could not be written; drop another one, or
 * NULL. Whether it is good and kept. */
bool weights_finish(struct sam_output *output, bool good, struct sam_error *error);

/* Whether output for `input` may replace what exists at `path`: never the input itself; a regular
 * file with `force`, or if the user agrees on a terminal; devices and pipes always, and also if
 * nothing exists. False with `error` filled. */
bool weights_may_replace(const char *path, const char *input, bool force, struct sam_error *error);

bool weights_is_folder(const char *path);
bool weights_is_regular(const char *path);
/* Whether the name ends with one of the suffixes ".npy .gguf", after something else. */
bool weights_ends_with(const char *path, const char *suffixes);
bool weights_are_known(const char *path);
/* Whether the file is a model that sam_model_open reads: ONNX by its name, a
 * PyTorch checkpoint by its name and its first bytes (of the format before 1.6, too). */
bool weights_are_model(const char *path);
/* Whether the first bytes are those of a zip archive. */
bool weights_begin_archive(const void *data, size_t size);
/* Whether the first bytes are those of a checkpoint, and the name is (or is that of a pipe). */
bool weights_begin_checkpoint(const char *path, const void *data, size_t size);
/* Whether the file is a checkpoint that can be packed tensor by tensor; if not, `error` says why.
 */
bool weights_are_checkpoint(const char *path, struct sam_error *error);
/* Whether the name is that of weights in a format that pack does not support. */
bool weights_are_foreign(const char *path);
#define WEIGHTS_NONE "no weights (.safetensors, .gguf, .npy, .pt) in it"
bool weights_are_many(const char *path); /* a folder or an index */
/* The regular files of a folder, or the shards that an index (*.index.json) names and the index
 * itself, sorted by name. `others` are the folder's remaining entries. False with `error` filled.
 */
struct weights_list {
    char **paths, **others;
    size_t count, other_count;
};
bool weights_list(const char *path, struct weights_list *list, struct sam_error *error);
/* Check that all shards named by the index `path`, or by the indexes in the folder `path`, exist;
 * in a folder they may be packed. And that no part of the folder is unfinished (--part). False with
 * `error` naming the first missing one. */
bool weights_whole(const char *path, struct sam_error *error);
bool weights_list_one(const char *path, struct weights_list *list, struct sam_error *error);
void weights_list_free(struct weights_list *list);
/* "folder/name" with the suffix `cut` removed and `more` appended; malloc'ed, NULL if out of
 * memory. */
char *weights_place(const char *folder, const char *path, const char *more, const char *cut);
/* "folder" for "folder/"; malloc'ed, NULL if out of memory. */
char *weights_without_slash(const char *path);

/* The length of a name without ".part-I-of-N"; 0: no such suffix. */
size_t weights_part_stem(const char *name);
/* The files NAME.part-I-of-N next to `name`, sorted by name. False with `error` filled, also if
 * there are none. */
bool weights_find_parts(const char *name, struct weights_list *list, struct sam_error *error);

/* An operation on the files of a folder or an index. */
struct weights_work {
    /* Whether to process this file; the others are copied. */
    bool (*wanted)(const char *path);
    bool (*work)(void *context, const char *from, const char *to, struct sam_error *error);
    void *context;
    const char *more, *cut;      /* the change of its name: weights_place */
    const char *none;            /* the message if no file is wanted */
    bool alone;                  /* the output folder may contain no other files */
    bool force;                  /* weights_may_replace */
    const struct cli_part *part; /* only these files are processed */
    uint64_t plan;               /* other settings that the parts must share: cli_plan_add */
    /* A file was copied; may be NULL. */
    void (*copied)(void *context, const char *from, const char *to);
};
/* Process the files of `input` into the folder `output`, which is created, and removed again on
 * failure. Nothing is done if two files would get the same name or a shard is missing. A part
 * that fails removes only its own files. */
bool weights_each(const char *input, const char *output, const struct weights_work *work,
                  struct sam_error *error);

/* The name, type and shape of a tensor: the beginning of a row, and its form in a table. */
json_t *weights_row(const struct sam_weight *w);
#define WEIGHTS_ROW(width) "{name?(between tensors):-40} {dtype:-6} {shape*x?scalar:" width "}"
/* A tensor's name for a table, without line breaks and terminal control sequences. */
struct weights_name {
    char text[200];
};
struct weights_name weights_name(const struct sam_weight *w);

/* --- packed.c: packed files */

/* Unpack a whole packed file ("-": standard input) into `sink` (write NULL: verify only). `what` is
 * the progress label; NULL: no progress. */
struct weights_fed {
    uint64_t bytes, packed; /* restored and packed size; after a failure, the sizes so far */
};
bool weights_feed(const char *path, const char *what, const struct sam_codec_options *options,
                  struct sam_sink sink, struct weights_fed *fed, struct sam_error *error);

/* Append `path` itself, or the packed files of a folder; free the list with weights_list_free. */
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

/* --- split.c: a file that is read sequentially, by tensors, and the gain of packing each */

/* Calls `take` with the bytes of each tensor in order, in pieces of WEIGHTS_PIECE (a multiple of
 * the windows of sam_weight_stat), the last of which may be shorter; once with no bytes for an
 * empty tensor. Gaps between tensors are skipped. */
enum { WEIGHTS_PIECE = 1 << 20 };
struct weights_split {
    const struct sam_weights *weights;
    bool (*take)(void *context, size_t tensor, const uint8_t *data, size_t size,
                 struct sam_error *error);
    void *context;
    size_t tensor; /* the current or next one */
    uint64_t at;   /* bytes of the file so far */
    uint8_t *held;
    size_t used;
};
/* False: out of memory. Close it in either case. */
bool weights_split_open(struct weights_split *split);
/* The next bytes of the file; false with `error` filled. */
bool weights_split_write(struct weights_split *split, const uint8_t *data, size_t size,
                         struct sam_error *error);
void weights_split_close(struct weights_split *split);
/* Whether all tensors have been passed on. */
bool weights_split_done(const struct weights_split *split);

/* Add the statistics of one piece; initialize `sum` to zero. */
bool weights_stat_add(struct sam_weight_stat *sum, enum sam_dtype type, const uint8_t *data,
                      size_t size, const struct sam_codec_options *options,
                      struct sam_error *error);

/* --- manifest.c: TensorFlow.js models, model.json and the files it names in the same folder */

struct weights_manifest {
    struct sam_tfjs tfjs;
    uint8_t *data;      /* of all tensors, at their offsets in tfjs.tensors */
    const uint8_t **at; /* of each */
};
/* False with `error` filled; weights_manifest_free in either case. */
bool weights_manifest_load(const char *path, struct weights_manifest *manifest,
                           struct sam_error *error);
void weights_manifest_free(struct weights_manifest *manifest);

#endif
