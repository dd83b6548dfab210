/* SPDX-License-Identifier: Apache-2.0 */
/* A small program under a sanitizer. Include test.h first. */
#ifndef WATCHED_H
#define WATCHED_H

#include "samite/sanitize.h"
#include "simt/program.h"

/* s0: DATA, s1: local memory, s2: warp, s3: workgroup; v1: lane, v2: 4 * lane, v3 and v4: each
 * lane's word from s0 and s1 on. */
#define START                                                                                      \
    "li s0, 0x90000000\ncsrr s1, lds\ncsrr s2, wid\ncsrr s3, wgid\nvid.v v1\n"                     \
    "vsll.vi v2, v1, 2\nvadd.vx v3, v2, s0\nvadd.vx v4, v2, s1\n"
#define END "endprg\n"

struct watched {
    struct program p;
    struct sam_sanitizer *sanitizer;
    const struct sam_finding *findings; /* after watched_run */
    size_t count;
};

/* `text` for one warp of 4 lanes in one workgroup, unless the test changes p.launch; p.options
 * has the sanitizer. */
struct watched watched_new(const char *text, unsigned checks);
void watched_run(struct watched *watched);
void watched_free(struct watched *watched);
/* Whether the finding is at symbol `a` and, unless NULL, at `b`, in either order. */
bool watched_is_at(const struct watched *watched, const struct sam_finding *finding, const char *a,
                   const char *b);

#endif
