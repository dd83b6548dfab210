/* SPDX-License-Identifier: Apache-2.0 */
/* The commit log in the text of the public Ventus ISA simulator, so that logs compare with diff. */
#include "trace/trace.h"

#include <stdio.h>

#define VSTART " c8_vstart 0x00000000"

static void put_vector(const struct sam_commit *c, struct sam_buffer *out)
{
    for (unsigned r = 0; r < c->v_count; r++) {
        char name[16];
        snprintf(name, sizeof name, "v%u", c->v + r);
        sam_buffer_printf(out, " %-3s %08x 0x", name, c->mask);
        for (unsigned lane = c->lanes; lane-- > 0;)
            sam_buffer_printf(out, "%08x ", c->v_values[r * 32 + lane]);
    }
}

static void put_memory(const struct sam_commit *c, struct sam_buffer *out)
{
    for (unsigned i = 0; i < c->access_count; i++) {
        const struct sam_commit_access *a = &c->accesses[i];
        sam_buffer_printf(out, " mem 0x%08x", a->address);
        if (!c->store)
            continue;
        if (c->access_size == 1)
            sam_buffer_printf(out, " 0x%01x", a->value & 0xff);
        else if (c->access_size == 2)
            sam_buffer_printf(out, " 0x%04x", a->value & 0xffff);
        else
            sam_buffer_printf(out, " 0x%08x", a->value);
    }
}

void sam_commit_format(const struct sam_commit *c, struct sam_buffer *out)
{
    sam_buffer_printf(out, "core %3u: 0x%08x (0x%08x) %s\n", c->core, c->pc, c->word, c->text);
    sam_buffer_printf(out, "core %3u: 3 0x%08x (0x%08x)", c->core, c->pc, c->word);
    if (c->x) {
        char name[16];
        snprintf(name, sizeof name, "x%u", c->x);
        sam_buffer_printf(out, " %-3s 0x%08x", name, c->x_value);
    }
    /* Arithmetic prints vstart before the registers, loads behind them. */
    if (c->vector && !c->load)
        sam_buffer_printf(out, VSTART);
    if (c->fflags)
        sam_buffer_printf(out, " c1_fflags 0x%08x", c->fflags);
    for (unsigned i = 0; i < c->csr_count; i++)
        sam_buffer_printf(out, " c%u_%s 0x%08x", c->csrs[i].address, c->csrs[i].name,
                          c->csrs[i].value);
    if (c->vector)
        sam_buffer_printf(out, " e32 m%u l%u", c->lmul, c->vl);
    put_vector(c, out);
    if (c->vector && c->load)
        sam_buffer_printf(out, VSTART);
    put_memory(c, out);
    if (c->simt)
        sam_buffer_printf(out, " current mask:\t%08x current npc:\t%08x stack size: %x", c->mask,
                          c->npc, c->depth);
    sam_buffer_printf(out, "\n");
}
