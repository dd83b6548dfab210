/* SPDX-License-Identifier: Apache-2.0 */
/* The input and output files of one run of the command, so that no output replaces an input or
 * another output. A verb names all of them before it does anything. */
#ifndef CLI_FILES_H
#define CLI_FILES_H

#include <stdbool.h>
#include <stddef.h>

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

/* Name a file that is read, or written; "-", devices and pipes hold nothing and may be named twice.
 * CLI_BAD_INPUT, its message printed, when it is a file that is written under another name. NULL:
 * none. */
int cli_reads(const struct cli_args *args, const char *path);
/* The first `count` of a list. */
struct cli_list;
int cli_reads_all(const struct cli_args *args, const struct cli_list *paths, size_t count);
int cli_writes(const struct cli_args *args, const char *path);
/* The same for the files that a source includes, in the form of sam_asm_options.reads: `context` is
 * a struct cli_included, whose code is the first that cli_reads gave. */
struct cli_included {
    const struct cli_args *args;
    int code;
};
void cli_reads_included(void *context, const char *path);
/* An array that is read, changed and written: to where it came from, as may be. */
int cli_changes(const struct cli_args *args, const char *input, const char *output);

struct sam_output;
/* Did a write to one of the outputs fail? Each may be NULL. */
bool cli_any_failed(struct sam_output *const outputs[], size_t count);
/* Drop an output, after all that writes to it. CLI_BAD_INPUT, the file and the reason printed, when
 * a write to it failed; `output` may be NULL. */
int cli_drop_output(struct sam_output *output);

/* Would writing the first destroy the second? For files that come in folders. */
bool cli_same_file(const char *output, const char *input);

/* Reject contents that are in a binary format known by its first bytes, where text was expected:
 * SAM_ERR_INPUT names the format, its use and what was expected. */
enum sam_status cli_expect_text(const char *name, const char *data, size_t size,
                                const char *expected, struct sam_error *error);

/* Part of the arguments; owned by main.c. */
struct cli_files;
struct cli_files *cli_files_new(void);
void cli_files_free(struct cli_files *files);

#endif
