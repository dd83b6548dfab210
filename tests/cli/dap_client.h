/* SPDX-License-Identifier: Apache-2.0 */
/* A client of `samite debug --dap`, in the directory of command.h. Arguments are JSON with single
 * quotes. */
#ifndef TEST_CLI_DAP_CLIENT_H
#define TEST_CLI_DAP_CLIENT_H

#include "cli/command.h"

/* Start it; and end it by disconnect, which must make the exit code 0. */
void client_begin(void);
void client_end(void);
/* Send a request without waiting; its number. */
json_int_t client_send(const char *command, const char *arguments);
/* Send one, which must succeed; the body of its response, valid until the next call. */
const json_t *asks(const char *command, const char *arguments);
/* The response to client_send, likewise. */
const json_t *answer_to(json_int_t seq);
/* Check that it fails with a message that contains this part. */
void rejects(const char *command, const char *arguments, const char *part);
/* Wait for an event, whose body is valid until the next call; earlier events of other names are
 * kept. */
const json_t *event(const char *name);
/* Whether an event of the name with this part in its text has come, or comes. */
void expect_output(const char *part);
/* Wait until the program has stopped for this reason. */
void stops(const char *reason);
/* The text at a path of json_at. */
const char *text_at(const json_t *root, const char *path);
/* Check the line of the first frame of a thread. */
void expect_line(int thread, int line);
/* Check the value of an expression in the first frame of the thread. */
void shows_value(const char *expression, const char *value);
/* initialize, and launch with these words; up to `initialized`. */
void launches(const char *arguments);

#endif
