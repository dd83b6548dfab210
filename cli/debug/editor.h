/* SPDX-License-Identifier: Apache-2.0 */
/* Line editing on a terminal, with history and completion, through libedit. */
#ifndef DEBUG_EDITOR_H
#define DEBUG_EDITOR_H

#include "input.h"

struct editor;

/* NULL: Samite was built without libedit, or the terminal is too simple for it. The prompt must
 * outlive it. */
struct editor *editor_new(const char *prompt, input_complete *complete, void *context);
void editor_free(struct editor *editor);
/* Read a line into *line, a malloc'ed buffer of *room bytes that grows. */
enum input_result editor_line(struct editor *editor, char **line, size_t *room);

#endif
