/* SPDX-License-Identifier: Apache-2.0 */
/* The input and output files of one run of the command, so that no output overwrites an input or
 * another output. A verb registers all of them before it does anything. */
#ifndef CLI_FILES_H
#define CLI_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "samite/status.h"

struct cli_args;

/* "-", standard input or output; NULL: false. */
static inline bool cli_is_stdio(const char *path)
{
    return path && path[0] == '-' && path[1] == '\0';
}
/* The name of an input in messages. */
static inline const char *cli_input_name(const char *path)
{
    return cli_is_stdio(path) ? "<stdin>" : path;
}

/* Register a file that is read, or written; "-", devices and pipes may occur repeatedly.
 * CLI_BAD_INPUT, with its message printed, if a written file also has another name. NULL: none. */
int cli_reads(const struct cli_args *args, const char *path);
/* The first `count` of a list. */
struct cli_list;
int cli_reads_all(const struct cli_args *args, const struct cli_list *paths, size_t count);
int cli_writes(const struct cli_args *args, const char *path);
/* The same for files that a source includes, in the form of sam_asm_options.reads: `context` is
 * a struct cli_included, whose code is the first error of cli_reads. */
struct cli_included {
    const struct cli_args *args;
    int code;
};
void cli_reads_included(void *context, const char *path);
/* An array that is read, changed and written, possibly to its origin. */
int cli_changes(const struct cli_args *args, const char *input, const char *output);

struct sam_output;
/* Whether a write to one of the outputs failed. Each may be NULL. */
bool cli_any_failed(struct sam_output *const outputs[], size_t count);
/* Drop an output, after all writes. CLI_BAD_INPUT, with the file and the reason printed, if a
 * write failed; `output` may be NULL. */
int cli_drop_output(struct sam_output *output);

/* Read a file of up to `most` bytes, to be freed; write one. Return exit codes. */
int cli_load(const char *path, uint64_t most, char **data, size_t *size);
int cli_save(const char *path, const void *data, size_t size);

/* Whether writing the first would destroy the second. For files in folders. */
bool cli_same_file(const char *output, const char *input);

/* Reject contents in a binary format known by its first bytes, where text was expected:
 * SAM_ERR_INPUT names the format, its use and the expected text. */
enum sam_status cli_expect_text(const char *name, const char *data, size_t size,
                                const char *expected, struct sam_error *error);

/* Part of the arguments; owned by main.c. */
struct cli_files;
struct cli_files *cli_files_new(void);
void cli_files_free(struct cli_files *files);

#endif
