/* SPDX-License-Identifier: Apache-2.0 */
/* `samite VERB` as a user calls it, in a directory of its own. */
#ifndef TEST_CLI_COMMAND_H
#define TEST_CLI_COMMAND_H

#include <jansson.h>
#include <stdbool.h>
#include <sys/types.h>

#include "test.h"

#include "base/base.h"
#include "samite/samite.h"

extern char directory[64];

/* A kernel: p[i] += n over one workgroup. */
extern const char addn[];

/* For the start and the end of a group. */
void make_directory(void);
int remove_directory(void **state);

/* Files of the directory. */
void write_text(const char *name, const char *text);
struct sam_buffer read_file(const char *name);
bool exists(const char *name);
/* Whether there is a file whose name begins with this and is longer. */
bool has_temporary(const char *name);

struct outcome {
    int code; /* as in the shell: 128 plus the signal if a signal ended it */
    struct sam_buffer out, err;
};

/* Of a shell command whose output has gone to .out and .err in the directory, by its wait status.
 */
struct outcome outcome_of(int status);

/* The verb: "run"; "" when the words begin with one. */
extern const char *command_verb;
/* Run `samite VERB WORDS` in the directory; words are split by the shell. */
struct outcome run(const char *words);
/* The same, without waiting. */
pid_t start(const char *words);
/* Run shell commands in the directory, where $SAMITE is the command; the first that fails fails the
 * test. Their output is dropped. */
void run_script(const char *commands);
/* The master of a new pseudo-terminal, and the name of the other end. */
int open_terminal(char *name, size_t room);
/* Whether the machine has none (a container without /dev/pts): a note says that the test is
 * skipped. */
bool no_terminal(void);
/* Whether it catches (or ignores) the signal: tests send one only once that is settled. */
bool catches(pid_t child, int signal);
bool ignores(pid_t child, int signal);
/* Whether a process of start() has written a line on standard error. */
bool has_spoken(pid_t child, int signal);
/* Whether it has used half a second of processor time: it has begun its work long ago, even on a
 * busy machine. */
bool has_worked(pid_t child, int signal);
/* Whether it has written more than a header of an output in the directory. */
bool has_written(pid_t child, int signal);
/* Wait for a condition of a process that must come true; false when the process ended before. */
bool comes(pid_t child, bool (*condition)(pid_t child, int signal), int signal);
/* It must end, by this signal. */
struct outcome dies(pid_t child, int signal);
/* Run; send Ctrl-C, which must end it, as soon as it has opened an output in the directory (and
 * catches SIGINT, if it does). */
struct outcome run_interrupted(const char *words, bool catching);
void done(struct outcome *o);
void expect_part(const struct sam_buffer *text, const char *part);
/* Release a text that has each of these parts; NULL ends them. */
void expect_parts(struct sam_buffer text, ...) __attribute__((sentinel));
/* The run ends with `code` and with one line of error that holds `part`. */
void expect_failure(const char *words, int code, const char *part);
/* Its standard output. */
struct sam_buffer expect_success(const char *words);
/* It is not looked at. */
void expect_runs(const char *words);
/* The JSON document that it prints; that of a file; what a document has at "launches/0/time". */
json_t *expect_json(const char *words);
json_t *read_json(const char *name);
json_t *json_at(const json_t *root, const char *path);
json_int_t number_at(const json_t *root, const char *path);

#endif
