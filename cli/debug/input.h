/* SPDX-License-Identifier: Apache-2.0 */
/* The sources of commands: the command line, files, a terminal, standard input. */
#ifndef DEBUG_INPUT_H
#define DEBUG_INPUT_H

#include <stddef.h>

#include "debug.h"

struct input;

/* INPUT_BAD: a file of the command line or standard input cannot be read; already reported. */
enum input_result { INPUT_LINE, INPUT_END, INPUT_INTERRUPTED, INPUT_BAD };

/* Candidate number `index` for the last word of `line`; NULL: no more. */
typedef const char *input_complete(void *context, const char *line, size_t index, char *text,
                                   size_t size);

struct input *input_new(const struct debug_options *options, input_complete *complete,
                        void *context);
void input_free(struct input *input);
/* The next line, valid until the next call; blanks around it are gone. */
enum input_result input_next(struct input *input, FILE *out, const char **line);
/* Whether there is a user at a terminal, who is prompted after the scripts. */
bool input_prompts(const struct input *input);
/* Whether the last line from input_next came from a terminal. */
bool input_is_terminal(const struct input *input);
/* "file:3: " for messages on that line, or "". */
const char *input_place(const struct input *input);
/* Continue with the lines of a file. */
enum sam_status input_push_file(struct input *input, const char *path, struct sam_error *error);
/* A command has failed: skip the rest of its file. */
void input_drop_file(struct input *input);

#endif
