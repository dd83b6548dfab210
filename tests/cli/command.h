/* SPDX-License-Identifier: Apache-2.0 */
/* Runs `samite VERB` as a user would, in a temporary directory. */
#ifndef TEST_CLI_COMMAND_H
#define TEST_CLI_COMMAND_H

#include <jansson.h>
#include <sys/types.h>

#include "test.h"

#include "samite/samite.h"

extern char directory[64];

/* A kernel: p[i] += n over one workgroup. */
extern const char addn[];

/* Setup and teardown of a group. */
void make_directory(void);
int remove_directory(void **state);

/* Files of the directory. */
void write_text(const char *name, const char *text);
struct sam_buffer read_file(const char *name);
bool exists(const char *name);
/* Whether there is a longer file name with this prefix. */
bool has_temporary(const char *name);

struct outcome {
    int code; /* as in the shell: 128 plus the signal if a signal ended it */
    struct sam_buffer out, err;
};

/* The outcome of a shell command, by its wait status; its output is in .out and .err. */
struct outcome outcome_of(int status);

/* The verb: "run"; "" if the words begin with one. */
extern const char *command_verb;
/* Run `samite VERB WORDS` in the directory; words are split by the shell. */
struct outcome run(const char *words);
/* Starts it without waiting. */
pid_t start(const char *words);
/* Run shell commands in the directory, where $SAMITE is the command; fails the test at the first
 * that fails. Their output is discarded. */
void run_script(const char *commands);
/* The master of a new pseudo-terminal, and the name of the other end. */
int open_terminal(char *name, size_t room);
/* Start `samite VERB WORDS` with its standard output (1) or error (2) on a new terminal. Output
 * that is not read yet stays there until *held is closed. */
pid_t start_on_terminal(const char *words, int stream, int *terminal, int *held);
/* Whether the machine has no pseudo-terminals (a container without /dev/pts); prints a note that
 * the test is skipped. */
bool no_terminal(void);
/* Whether it catches (or ignores) the signal. Tests send a signal only after its disposition is
 * set. */
bool catches(pid_t child, int signal);
bool ignores(pid_t child, int signal);
/* Whether a process of start() has written a line to standard error. */
bool has_spoken(pid_t child, int signal);
/* Whether it has used half a second of processor time, so that its work has begun even on a busy
 * machine. */
bool has_worked(pid_t child, int signal);
/* Whether it has written more than the header of an output in the directory. */
bool has_written(pid_t child, int signal);
/* Wait until a condition of a process holds; false if the process ended first. */
bool comes(pid_t child, bool (*condition)(pid_t child, int signal), int signal);
/* Fails the test unless it ends by this signal. */
struct outcome dies(pid_t child, int signal);
/* Run; send Ctrl-C, which must end it, once it has opened an output in the directory (and
 * catches SIGINT, if it does). */
struct outcome run_interrupted(const char *words, bool catching);
void done(struct outcome *o);
void expect_part(const struct sam_buffer *text, const char *part);
/* Check that a text has each of these parts, NULL-terminated, and free it. */
void expect_parts(struct sam_buffer text, ...) __attribute__((sentinel));
/* The run must end with `code` and one line of error that contains `part`. */
void expect_failure(const char *words, int code, const char *part);
/* Its standard output. */
struct sam_buffer expect_success(const char *words);
/* Parsed without further checks. */
void expect_runs(const char *words);
static inline void json_drop(json_t **root)
{
    json_decref(*root);
}

/* Like SCOPED of test.h. */
#define SCOPED_OUTCOME __attribute__((cleanup(done))) struct outcome
#define SCOPED_JSON    __attribute__((cleanup(json_drop))) json_t

/* The JSON document it prints; that of a file; the value of a document at "launches/0/time". */
json_t *expect_json(const char *words);
json_t *read_json(const char *name);
json_t *json_at(const json_t *root, const char *path);
json_int_t number_at(const json_t *root, const char *path);
/* No two slices of a track of this timeline overlap. */
void expect_disjoint_slices(const json_t *timeline);

#endif
