/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the recordings of warps to their streams.
 *
 * A record is 1 + a path number, then the extras of the path's instructions in order. It may be
 * preceded by a zero byte and new masks. A byte of one and a number N repeat the previous path N
 * times. A path is written only after its last instruction has run: one that trapped is removed
 * from it. */
#include <stdlib.h>

#include "simt/replay.h"

static sam_handler *instrument(void *context, const struct sam_insn *insn, bool apart)
{
    const struct sam_replay *r = context;
    return r->hooks.replay[sam_hook_of(insn, apart)];
}

/* Code has changed: drop what was cached by its address. */
static void forget(void *context, uint64_t pc, const struct sam_counters *counters,
                   const int64_t totals[SAM_COUNTER_STEPS])
{
    struct sam_replay *r = context;
    (void)pc, (void)counters, (void)totals;
    r->generation++;
}

void sam_replay_in_runs(struct sam_replay *r, struct sam_code *code)
{
    r->instrumentation =
        (struct sam_instrumentation){.instrument = instrument,
                                     .page_end = r->hooks.replay[SAM_HOOK_PAGE_END],
                                     .flush = forget,
                                     .context = r};
    sam_code_instrument(code, &r->instrumentation);
}

void sam_replay_grow(struct sam_replay *r)
{
    const size_t capacity = r->capacity ? 2 * r->capacity : 4 * REPLAY_MOST_EXTRA;
    uint8_t *grown = realloc(r->extras, capacity);
    if (grown) {
        r->extras = grown;
        r->capacity = capacity;
    } else {
        r->failed = true;
        r->used = 0;
    }
}

/* --------------------------------------------------------------------------------- records */

static uint8_t *put_number(uint8_t *out, uint32_t number)
{
    for (; number >= 0x80; number >>= 7)
        *out++ = (uint8_t)(number | 0x80);
    *out++ = (uint8_t)number;
    return out;
}

static struct replay_masks masks_of(const struct sam_warp *w)
{
    return (struct replay_masks){
        .simt = w->simt, .bits = {w->groups ? w->bits[0] : 0, w->groups == 2 ? w->bits[1] : 0}};
}

/* Add the accesses of the path, as they are encoded in its extras, to the footprint. */
static void add_footprint(struct sam_replay *r, const struct replay_path *path)
{
    uint32_t addresses[REPLAY_MOST_ADDRESSES];
    struct replay_warp reader = {.extra = r->extras, .addresses = addresses};
    for (uint32_t i = 0; i < path->count; i++) {
        const struct replay_site *site = path->sites[i];
        const enum sam_act act = sam_insn_rows[site->insn.op].does.act;
        const bool store = act == SAM_ACT_STORE || act == SAM_ACT_ATOMIC;
        struct sam_gputime_op op = {.acting = r->masks.bits[0] | r->masks.bits[1]};
        if (site->extra == REPLAY_TAKEN) /* not encoded yet */
            break;
        sam_replay_read_extra(&reader, site, &op);
        if (op.form == SAM_GPUTIME_SCALAR)
            sam_footprint_add(r->footprint, store, op.base, op.bytes);
        else if (op.form == SAM_GPUTIME_EACH)
            for (unsigned k = 0; k < op.count; k++)
                sam_footprint_add(r->footprint, store, op.addresses[k], op.bytes);
        else if (op.form == SAM_GPUTIME_STRIDED)
            for (uint32_t lanes = op.acting; lanes; lanes &= lanes - 1)
                sam_footprint_add(r->footprint, store,
                                  op.base + (uint32_t)__builtin_ctz(lanes) * (uint32_t)op.stride,
                                  op.bytes);
    }
}

void sam_replay_flush(struct sam_replay *r)
{
    const uint32_t number = r->path;
    uint8_t head[48], *end = head;
    r->path = 0;
    if (!number || r->failed) {
        r->used = 0;
        return;
    }
    const struct replay_path *path = r->paths[number - 1];
    if (r->footprint)
        add_footprint(r, path);
    struct replay_warp *to = &r->writing->warps[r->warp->wid];
    const bool taken = path->sites[path->count - 1]->extra == REPLAY_TAKEN;
    const bool plain = !taken && !r->used;
    const bool moved = memcmp(&to->written, &r->masks, sizeof r->masks) != 0;
    if (plain && !moved && number == to->last && to->repeats < UINT32_MAX) {
        to->repeats++;
        return;
    }
    if (to->repeats) {
        *end++ = REPLAY_AGAIN;
        end = put_number(end, to->repeats);
        to->repeats = 0;
    }
    to->last = plain ? number : 0;
    if (moved) {
        to->written = r->masks;
        *end++ = REPLAY_MASKS;
        memcpy(end, &r->masks, sizeof r->masks);
        end += sizeof r->masks;
    }
    end = put_number(end, number + 1);
    const size_t size = (size_t)(end - head), rest = taken ? sizeof r->warp->taken : 0;
    uint8_t *out = sam_spool_extend(&r->store, &to->stream, size + r->used + rest);
    if (out) {
        memcpy(out, head, size);
        memcpy(out + size, r->extras, r->used);
        memcpy(out + size + r->used, &r->warp->taken, rest);
    }
    r->used = 0;
}

void sam_replay_end(struct sam_replay *r, struct sam_core *c, const struct sam_uop *entry,
                    const struct sam_uop *past)
{
    if (r->path)
        sam_replay_flush(r);
    r->path = sam_replay_path_of(r, c, entry, past);
    r->warp = sam_warp_of(c);
    r->masks = masks_of(r->warp);
}

/* Remove the path's last instruction, which has not run. */
static void shorten(struct sam_replay *r)
{
    if (!r->path)
        return;
    const struct replay_path *path = r->paths[r->path - 1];
    r->path = path->count > 1 ? sam_replay_path(r, path->sites, path->count - 1) : 0;
}

bool sam_replay_stop(struct sam_replay *r, struct sam_warp *w, enum sam_exit exit)
{
    struct sam_core *c = &w->core;
    const struct sam_uop *op = c->end_op;
    const bool in_page = op && sam_uop_in_page(c, op);
    const struct sam_insn *insn = op ? &sam_counters_of(c, op)->insn : NULL;
    if (insn && exit == SAM_EXIT_TRAP && insn->op != SAM_OP_ILLEGAL) {
        const enum replay_extra extra = sam_replay_extra(insn);
        if (extra != REPLAY_NOTHING && extra != REPLAY_TAKEN)
            r->used = r->last; /* its extras were recorded before it ran */
        if (!in_page || op < c->end_entry)
            shorten(r);
    }
    const struct sam_uop *past = sam_instrument_stopped(c, exit);
    if (in_page && past > c->end_entry)
        sam_replay_end(r, c, c->end_entry, past);
    sam_replay_flush(r);
    r->used = 0;
    return !r->failed && r->store.status == SAM_OK;
}

enum sam_pause sam_replay_fail(const struct sam_replay *r)
{
    sam_run_fail_host(r->run, r->failed ? SAM_ERR_MEMORY : r->store.status,
                      r->failed ? "out of memory" : r->store.error.text);
    return SAM_PAUSE_FAILED;
}

/* ---------------------------------------------------------------------------------- extras */

uint8_t *sam_replay_put_each(uint8_t *tag, uint8_t *out, const uint32_t *addresses, unsigned count)
{
    uint32_t low = addresses[0], high = low;
    for (unsigned i = 1; i < count; i++) {
        low = addresses[i] < low ? addresses[i] : low;
        high = addresses[i] > high ? addresses[i] : high;
    }
    *out++ = (uint8_t)count;
    if (high - low > UINT16_MAX) {
        *tag |= REPLAY_EACH;
        memcpy(out, addresses, count * sizeof *addresses);
        return out + count * sizeof *addresses;
    }
    *tag |= REPLAY_SHORT;
    memcpy(out, &low, sizeof low);
    out += sizeof low;
    for (unsigned i = 0; i < count; i++, out += sizeof(uint16_t)) {
        const uint16_t distance = (uint16_t)(addresses[i] - low);
        memcpy(out, &distance, sizeof distance);
    }
    return out;
}

/* Encode the accesses of a step. */
static uint8_t *put_step(const struct sam_replay *r, const struct sam_step *step, uint32_t usual,
                         uint8_t *tag)
{
    uint32_t at[REPLAY_MOST_ADDRESSES] = {0}, by_lane[SAM_LANES] = {0};
    const uint32_t bits = step->lanes[0] | step->lanes[1];
    unsigned lanes = 0;
    for (unsigned i = 0; i < step->access_count; i++) {
        at[i] = by_lane[step->access[i].lane] = (uint32_t)step->access[i].address;
        lanes += !i || step->access[i].lane != step->access[i - 1].lane;
    }
    if (lanes == step->access_count && !step->lanes[1])
        return r->hooks.put(tag, by_lane, bits, usual);
    *tag = REPLAY_MASKED;
    memcpy(tag + 1, &bits, sizeof bits);
    return sam_replay_put_each(tag, tag + 1 + sizeof bits, at, step->access_count);
}

bool sam_replay_step(struct sam_replay *r, const struct sam_warp *w, const struct sam_insn *insn,
                     const struct sam_step *step)
{
    struct replay_site *site = sam_replay_site(r, (uint32_t)step->pc, insn, step->prefix);
    uint8_t *out = sam_replay_room(r, true);
    if (!site || r->failed)
        return false;
    if (!site->alone)
        site->alone = sam_replay_path(r, &site, 1);
    r->path = site->alone;
    r->warp = (struct sam_warp *)(uintptr_t)w;
    r->masks.simt = step->mask_before;
    if (step->vector && insn->vm && site->extra != REPLAY_TAKEN) {
        r->masks.bits[0] = step->lanes[0];
        r->masks.bits[1] = step->lanes[1];
    } else {
        r->masks.bits[0] = r->writing->warps[w->wid].written.bits[0];
        r->masks.bits[1] = r->writing->warps[w->wid].written.bits[1];
    }
    const uint32_t lanes = step->lanes[0] | step->lanes[1];
    const uint32_t address = step->access_count ? (uint32_t)step->access[0].address : 0;
    switch (site->extra) {
    case REPLAY_MASK:
        memcpy(out, &lanes, sizeof lanes);
        r->used += sizeof lanes;
        break;
    case REPLAY_ADDRESS:
        memcpy(out, &address, sizeof address);
        r->used += sizeof address;
        break;
    case REPLAY_LANES: r->used += (size_t)(put_step(r, step, r->masks.bits[0], out) - out); break;
    default: break;
    }
    sam_replay_flush(r);
    return !r->failed && r->store.status == SAM_OK;
}
