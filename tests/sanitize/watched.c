/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "watched.h"

struct watched watched_new(const char *text, unsigned checks)
{
    struct watched watched = {.p = program_new(text, 4), .sanitizer = sam_sanitizer_new(checks)};
    assert_non_null(watched.sanitizer);
    watched.p.options =
        (struct sam_gpu_options){.size = sizeof watched.p.options, .sanitizer = watched.sanitizer};
    return watched;
}

void watched_run(struct watched *watched)
{
    program_run(&watched->p);
    watched->findings = sam_sanitizer_findings(watched->sanitizer, &watched->count);
}

void watched_free(struct watched *watched)
{
    sam_sanitizer_free(watched->sanitizer);
    program_free(&watched->p);
}

bool watched_is_at(const struct watched *watched, const struct sam_finding *f, const char *a,
                   const char *b)
{
    const uint32_t pc = program_symbol(&watched->p, a);
    const uint32_t other = b ? program_symbol(&watched->p, b) : 0;
    return f->sides[0].known && f->sides[1].known == (b != NULL) &&
           ((f->sides[0].pc == pc && f->sides[1].pc == other) ||
            (f->sides[0].pc == other && f->sides[1].pc == pc));
}
