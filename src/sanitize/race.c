/* SPDX-License-Identifier: Apache-2.0 */
#include "sanitize/sanitize.h"
#include <stdlib.h>
struct sanitize_race {
    uint32_t now;
};
bool sanitize_race_new(struct sam_sanitizer *s)
{
    s->race = sam_alloc(1, sizeof *s->race);
    return s->race != NULL;
}
void sanitize_race_free(struct sam_sanitizer *s)
{
    free(s->race);
}
void sanitize_race_begin(struct sam_sanitizer *s)
{
    (void)s;
}
void sanitize_race_enter(struct sam_sanitizer *s)
{
    s->race->now++;
}
void sanitize_race_release(struct sam_sanitizer *s)
{
    s->race->now++;
}
void sanitize_race_see(struct sam_sanitizer *s, const struct sam_sanitize_op *op)
{
    (void)s;
    (void)op;
}
