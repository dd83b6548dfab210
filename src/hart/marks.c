/* SPDX-License-Identifier: Apache-2.0 */
/* Timed markers: execution stops before each marked pc and a callback receives the cycle. */
#include <stdlib.h>

#include "hart/core.h"

struct sam_hart_marked {
    struct sam_hart_marks marks; /* `addresses` is NULL */
    uint64_t first, size;        /* span of the marked addresses in bytes */
    uint8_t bits[];              /* bit per instruction */
};

bool sam_hart_mark(struct sam_hart *hart, const struct sam_hart_marks *marks)
{
    if (!marks->count)
        return true;
    const uint64_t first = marks->addresses[0];
    const uint64_t size = marks->addresses[marks->count - 1] + 4 - first;
    struct sam_hart_marked *m = sam_alloc(sizeof *m + size / 4 / 8 + 1, 1);
    if (!m)
        return false;
    m->marks = *marks;
    m->first = first;
    m->size = size;
    for (size_t i = 0; i < marks->count; i++) {
        const uint64_t at = (marks->addresses[i] - first) / 4;
        const bool again = m->bits[at / 8] >> at % 8 & 1;
        m->bits[at / 8] |= (uint8_t)(1 << at % 8);
        if (!again && !sam_code_add_breakpoint(hart->code, marks->addresses[i])) {
            free(m);
            return false;
        }
    }
    m->marks.addresses = NULL;
    hart->marked = m;
    return true;
}

void sam_hart_marks_free(struct sam_hart *hart)
{
    free(hart->marked);
    hart->marked = NULL;
}

bool sam_hart_tell_mark(struct sam_hart *hart)
{
    const struct sam_hart_marked *m = hart->marked;
    const uint64_t pc = sam_hart_pc(hart), offset = pc - m->first, at = offset / 4;
    if (offset >= m->size || offset % 4 || !(m->bits[at / 8] >> at % 8 & 1))
        return false;
    m->marks.reached(m->marks.context, pc, sam_engines_now(hart->engines),
                     sam_engines_order(hart->engines));
    return true;
}
