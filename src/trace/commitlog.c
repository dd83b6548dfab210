/* SPDX-License-Identifier: Apache-2.0 */
/* The commit log in the format of the public Ventus ISA simulator, so that logs can be compared
 * with diff. */
#include "trace/trace.h"

#include <stdio.h>

#define VSTART " c8_vstart 0x00000000"

/* " 0x" and the digits */
static void put_hex(struct sam_buffer *out, uint64_t value, unsigned digits)
{
    sam_buffer_append(out, " 0x", 3);
    sam_buffer_hex(out, value, digits);
}

static void put_vector(const struct sam_commit *c, struct sam_buffer *out)
{
    for (unsigned r = 0; r < c->v_count; r++) {
        char name[16];
        snprintf(name, sizeof name, "v%u", c->v + r);
        sam_buffer_printf(out, " %-3s %08x 0x", name, c->mask);
        for (unsigned lane = c->lanes; lane-- > 0;) {
            sam_buffer_hex(out, c->v_values[r * 32 + lane], 8);
            sam_buffer_append(out, " ", 1);
        }
    }
}

static void put_memory(const struct sam_commit *c, struct sam_buffer *out)
{
    for (unsigned i = 0; i < c->access_count; i++) {
        const struct sam_commit_access *a = &c->accesses[i];
        sam_buffer_append(out, " mem", 4);
        put_hex(out, a->address, 8);
        if (!c->store)
            continue;
        if (c->access_size == 1)
            put_hex(out, a->value & 0xff, (a->value & 0xf0) ? 2 : 1);
        else if (c->access_size == 2)
            put_hex(out, a->value & 0xffff, 4);
        else
            put_hex(out, a->value, 8);
    }
}

/* "core 0: 0x80000000 (0x00000013)", with `mark` after the colon */
static void put_head(const struct sam_commit *c, const char *mark, struct sam_buffer *out)
{
    sam_buffer_printf(out, "core %3u:", c->core);
    sam_buffer_puts(out, mark);
    put_hex(out, c->pc, 8);
    sam_buffer_append(out, " (0x", 4);
    sam_buffer_hex(out, c->word, 8);
    sam_buffer_append(out, ")", 1);
}

/* Does the warp run the same instruction again? Otherwise says how often the last one ran, if more
 * than once. */
static bool runs_again(const struct sam_commit *c, struct sam_buffer *out)
{
    struct sam_commit_last *last = c->last;
    if (!last)
        return false;
    if (last->times && last->pc == c->pc && last->word == c->word) {
        last->times++;
        return true;
    }
    if (last->times > 1)
        sam_buffer_printf(out, "core %3u: Executed %u times\n", c->core, last->times);
    *last = (struct sam_commit_last){c->pc, c->word, 1};
    return false;
}

void sam_commit_format(const struct sam_commit *c, struct sam_buffer *out)
{
    if (!runs_again(c, out)) {
        put_head(c, "", out);
        sam_buffer_append(out, " ", 1);
        sam_buffer_puts(out, c->text);
        sam_buffer_append(out, "\n", 1);
    }
    put_head(c, " 3", out);
    if (c->x) {
        char name[16];
        snprintf(name, sizeof name, "x%u", c->x);
        sam_buffer_printf(out, " %-3s 0x%08x", name, c->x_value);
    }
    /* Arithmetic prints vstart before the registers, loads after them. */
    if (c->vstart && !c->load)
        sam_buffer_puts(out, VSTART);
    if (c->fflags)
        sam_buffer_printf(out, " c1_fflags 0x%08x", c->fflags);
    for (unsigned i = 0; i < c->csr_count; i++)
        sam_buffer_printf(out, " c%u_%s 0x%08x", c->csrs[i].address, c->csrs[i].name,
                          c->csrs[i].value);
    if (c->vector)
        sam_buffer_printf(out, " e32 m%u l%u", c->lmul, c->vl);
    put_vector(c, out);
    if (c->vstart && c->load)
        sam_buffer_puts(out, VSTART);
    put_memory(c, out);
    if (c->simt)
        sam_buffer_printf(out, " current mask:\t%08x current npc:\t%08x stack size: %x", c->mask,
                          c->npc, c->depth);
    sam_buffer_append(out, "\n", 1);
}
