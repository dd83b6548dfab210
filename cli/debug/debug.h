/* SPDX-License-Identifier: Apache-2.0 */
/* The terminal debugger, on sessions (samite/session.h). */
#ifndef DEBUG_H
#define DEBUG_H

#include "run/run.h"

struct debug_script {
    bool is_file;
    const char *text; /* a command, or the name of a file of commands */
};

struct debug_options {
    struct {
        struct debug_script *items;
        size_t count;
    } scripts;
    bool batch;
    bool echo;      /* echo commands that do not come from a terminal */
    bool no_record; /* do not record: faster, but execution cannot go back */
    bool sealed;    /* only commands of `scripts`, and no files: for tests */
};

struct debug;

/* The options must outlive it. Returns NULL on out-of-memory. */
struct debug *debug_new(const struct debug_options *options);
void debug_free(struct debug *debug);
/* The drive of struct run_driver; the context is a struct debug. The user's settings are kept
 * from launch to launch. */
int debug_drive(void *context, struct run_session *session);

#endif
