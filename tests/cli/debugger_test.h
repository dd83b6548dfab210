/* SPDX-License-Identifier: Apache-2.0 */
/* A debugger without a terminal, on a small launch: commands and their output. */
#ifndef TEST_CLI_DEBUGGER_TEST_H
#define TEST_CLI_DEBUGGER_TEST_H

#include "test.h"

#include "debugger.h"

/* The debugger, after begin(). */
extern struct debug *debugger;

/* Assemble the kernel `k` of the file k.s, and open a launch of two workgroups of two warps of 4
 * lanes, whose argument buffer has the address of 64 zero words. */
void begin(const char *source);
/* The same on a 64-bit tensor hart. */
void begin_hart(const char *source);
void finish(void);
/* Remove the source, after all tests. */
int remove_source(void **state);

/* Run a command, which must succeed. Returns its output, valid until the next call. */
const char *output(const char *command);
/* Check that a command prints exactly this. */
void prints(const char *command, const char *text);
/* Check that its output contains this part. */
void shows(const char *command, const char *part);
/* Check that it fails with one line that contains this part. */
void refused(const char *command, const char *part);
/* Run a command that may succeed or fail; a failure must print one line. */
void survives(const char *command);

#endif
