/* SPDX-License-Identifier: Apache-2.0 */
/* Locks: words that atomic instructions set and clear. A warp takes the lock in a word by a swap,
 * an `or` or an sc that changes the word from zero, and an atomic instruction that makes it zero
 * again gives it back, whichever warp executes it. A barrier passes the locks that warps of a
 * workgroup hold to all of them: they exclude other workgroups then, but not each other. */
#include "sanitize/race.h"

/* The bit of a lock in sets: the first 16 of a launch have their own. */
static uint16_t bit_of(struct sanitize_race *r, uint32_t address)
{
    uint32_t *numbers = r->numbers[address - SAM_LDS_BASE < SAM_LDS_SIZE];
    unsigned i = 0;
    while (i < RACE_LOCKS && numbers[i] && numbers[i] != address)
        i++;
    if (i == RACE_LOCKS)
        i = address * 2654435761u >> 28;
    else
        numbers[i] = address;
    return (uint16_t)(1u << i);
}

static void add_lock(struct sanitize_race *r, const struct race_held *lock)
{
    const bool local = lock->address - SAM_LDS_BASE < SAM_LDS_SIZE;
    if (lock->warp < RACE_WARPS && local)
        r->locks[lock->warp].local |= lock->bit;
    else if (lock->warp < RACE_WARPS)
        r->locks[lock->warp].global |= lock->bit;
    else
        for (unsigned warp = 0; !local && warp < RACE_WARPS; warp++)
            r->locks[warp].shared |= lock->bit;
}

static void add_all(struct sanitize_race *r)
{
    memset(r->locks, 0, sizeof r->locks);
    for (unsigned i = 0; i < RACE_HELD; i++)
        if (r->held[i].address)
            add_lock(r, &r->held[i]);
}

/* The word after an atomic instruction. */
static uint32_t after(const struct sam_sanitize_op *op)
{
    const uint32_t a = op->before, b = op->warp->x[op->insn->rs2];
    switch (op->insn->op) {
    case SAM_OP_sc_w:
    case SAM_OP_amoswap_w: return b;
    case SAM_OP_amoor_w: return a | b;
    case SAM_OP_amoand_w: return a & b;
    case SAM_OP_amoxor_w: return a ^ b;
    case SAM_OP_amoadd_w: return a + b;
    default: return a;
    }
}

void sam_race_lock(struct sanitize_race *r, const struct sam_sanitize_op *op)
{
    const unsigned code = op->insn->op;
    const uint32_t address = op->address[0][0];
    const bool sets = op->before == 0 &&
                      (code == SAM_OP_sc_w || code == SAM_OP_amoswap_w || code == SAM_OP_amoor_w);
    const uint32_t word = after(op);
    if (!op->writes || (word ? !sets : !r->any_held))
        return;
    bool was_held = false;
    for (unsigned i = 0; r->any_held && i < RACE_HELD; i++)
        if (r->held[i].address == address) {
            r->held[i].address = 0;
            was_held = true;
        }
    if (word) {
        struct race_held *lock = &r->held[r->held_next++ % RACE_HELD];
        was_held |= lock->address != 0;
        *lock =
            (struct race_held){address, (uint16_t)(op->warp->number & 1023), bit_of(r, address)};
        r->any_held = true;
        add_lock(r, lock);
    }
    if (was_held)
        add_all(r);
}

void sam_race_lock_enter(struct sanitize_race *r)
{
    if (r->any_held) {
        memset(r->held, 0, sizeof r->held);
        memset(r->locks, 0, sizeof r->locks);
    }
    r->any_held = false;
}

void sam_race_lock_release(struct sanitize_race *r)
{
    for (unsigned i = 0; r->any_held && i < RACE_HELD; i++)
        r->held[i].warp = RACE_WARPS;
    if (r->any_held)
        add_all(r);
}
