/* SPDX-License-Identifier: Apache-2.0 */
/* A debugger without a terminal, on a small launch: its commands and what they print. */
#ifndef TEST_CLI_DEBUGGER_TEST_H
#define TEST_CLI_DEBUGGER_TEST_H

#include <stdbool.h>

#include "test.h"

#include "debugger.h"

/* The debugger, after begin(). */
extern struct debug *debugger;

/* Assemble the kernel `k` of the file k.s, and open a launch of two workgroups of two warps of 4
 * lanes, whose argument buffer has the address of 64 zero words. */
void begin(const char *source);
/* The same on a tensor hart of 64 bits. */
void begin_hart(const char *source);
void finish(void);
/* Remove the source, at the end of all tests. */
int remove_source(void **state);

/* Run a command, which must succeed: its output, until the next call. */
const char *output(const char *command);
/* It must print exactly this. */
void prints(const char *command, const char *text);
/* Its output must have this part. */
void shows(const char *command, const char *part);
/* It must fail, with one line that has this part. */
void refused(const char *command, const char *part);
/* Run it; whether it succeeds is up to it, but a failure says one line. */
void survives(const char *command);

#endif
