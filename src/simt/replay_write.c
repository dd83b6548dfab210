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
    const struct sam_replay *s = context;
    return s->hooks.replay[sam_hook_of(insn, apart)];
}

/* Code has changed: drop what was cached by its address. */
static void forget(void *context, uint64_t pc, const struct sam_counters *counters,
                   const int64_t totals[SAM_COUNTER_STEPS])
{
    struct sam_replay *s = context;
    (void)pc, (void)counters, (void)totals;
    s->generation++;
}

void sam_replay_in_runs(struct sam_replay *s, struct sam_code *code)
{
    s->instrumentation =
        (struct sam_instrumentation){.instrument = instrument,
                                     .page_end = s->hooks.replay[SAM_HOOK_PAGE_END],
                                     .flush = forget,
                                     .context = s};
    sam_code_instrument(code, &s->instrumentation);
}

void sam_replay_grow(struct sam_replay *s)
{
    const size_t capacity = s->capacity ? 2 * s->capacity : 4 * REPLAY_MOST_EXTRA;
    uint8_t *grown = realloc(s->extras, capacity);
    if (grown) {
        s->extras = grown;
        s->capacity = capacity;
    } else {
        s->failed = true;
        s->used = 0;
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
static void add_footprint(struct sam_replay *s, const struct replay_path *path)
{
    uint32_t addresses[REPLAY_MOST_ADDRESSES];
    struct replay_warp reader = {.extra = s->extras, .addresses = addresses};
    for (uint32_t i = 0; i < path->count; i++) {
        const struct replay_site *site = path->sites[i];
        const enum sam_act act = sam_insn_rows[site->insn.op].does.act;
        const bool store = act == SAM_ACT_STORE || act == SAM_ACT_ATOMIC;
        struct sam_gputime_op op = {.acting = s->masks.bits[0] | s->masks.bits[1]};
        if (site->extra == REPLAY_TAKEN) /* not encoded yet */
            break;
        sam_replay_read_extra(&reader, site, &op);
        if (op.form == SAM_GPUTIME_SCALAR)
            sam_footprint_add(s->footprint, store, op.base, op.bytes);
        else if (op.form == SAM_GPUTIME_EACH)
            for (unsigned k = 0; k < op.count; k++)
                sam_footprint_add(s->footprint, store, op.addresses[k], op.bytes);
        else if (op.form == SAM_GPUTIME_STRIDED)
            for (uint32_t lanes = op.acting; lanes; lanes &= lanes - 1)
                sam_footprint_add(s->footprint, store,
                                  op.base + (uint32_t)__builtin_ctz(lanes) * (uint32_t)op.stride,
                                  op.bytes);
    }
}

void sam_replay_flush(struct sam_replay *s)
{
    const uint32_t number = s->path;
    uint8_t head[48], *end = head;
    s->path = 0;
    if (!number || s->failed) {
        s->used = 0;
        return;
    }
    const struct replay_path *path = s->paths[number - 1];
    if (s->footprint)
        add_footprint(s, path);
    struct replay_warp *to = &s->writing->warps[s->warp->wid];
    const bool taken = path->sites[path->count - 1]->extra == REPLAY_TAKEN;
    const bool plain = !taken && !s->used;
    const bool moved = memcmp(&to->written, &s->masks, sizeof s->masks) != 0;
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
        to->written = s->masks;
        *end++ = REPLAY_MASKS;
        memcpy(end, &s->masks, sizeof s->masks);
        end += sizeof s->masks;
    }
    end = put_number(end, number + 1);
    const size_t size = (size_t)(end - head), rest = taken ? sizeof s->warp->taken : 0;
    uint8_t *out = sam_spool_extend(&s->store, &to->stream, size + s->used + rest);
    if (out) {
        memcpy(out, head, size);
        memcpy(out + size, s->extras, s->used);
        memcpy(out + size + s->used, &s->warp->taken, rest);
    }
    s->used = 0;
}

void sam_replay_end(struct sam_replay *s, struct sam_core *c, const struct sam_uop *entry,
                    const struct sam_uop *past)
{
    if (s->path)
        sam_replay_flush(s);
    s->path = sam_replay_path_of(s, c, entry, past);
    s->warp = sam_warp_of(c);
    s->masks = masks_of(s->warp);
}

/* Remove the path's last instruction, which has not run. */
static void shorten(struct sam_replay *s)
{
    if (!s->path)
        return;
    const struct replay_path *path = s->paths[s->path - 1];
    s->path = path->count > 1 ? sam_replay_path(s, path->sites, path->count - 1) : 0;
}

bool sam_replay_stop(struct sam_replay *s, struct sam_warp *w, enum sam_exit exit)
{
    struct sam_core *c = &w->core;
    const struct sam_uop *op = c->end_op;
    const bool in_page = op && sam_uop_in_page(c, op);
    const struct sam_insn *insn = op ? &sam_counters_of(c, op)->insn : NULL;
    if (insn && exit == SAM_EXIT_TRAP && insn->op != SAM_OP_ILLEGAL) {
        const enum replay_extra extra = sam_replay_extra(insn);
        if (extra != REPLAY_NOTHING && extra != REPLAY_TAKEN)
            s->used = s->last; /* its extras were recorded before it ran */
        if (!in_page || op < c->end_entry)
            shorten(s);
    }
    const struct sam_uop *past = sam_instrument_stopped(c, exit);
    if (in_page && past > c->end_entry)
        sam_replay_end(s, c, c->end_entry, past);
    sam_replay_flush(s);
    s->used = 0;
    return !s->failed && s->store.status == SAM_OK;
}

enum sam_pause sam_replay_fail(const struct sam_replay *s)
{
    sam_run_fail_host(s->run, s->failed ? SAM_ERR_MEMORY : s->store.status,
                      s->failed ? "out of memory" : s->store.error.text);
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
static uint8_t *put_step(const struct sam_replay *s, const struct sam_step *step, uint32_t usual,
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
        return s->hooks.put(tag, by_lane, bits, usual);
    *tag = REPLAY_MASKED;
    memcpy(tag + 1, &bits, sizeof bits);
    return sam_replay_put_each(tag, tag + 1 + sizeof bits, at, step->access_count);
}

bool sam_replay_step(struct sam_replay *s, const struct sam_warp *w, const struct sam_insn *insn,
                     const struct sam_step *step)
{
    struct replay_site *site = sam_replay_site(s, (uint32_t)step->pc, insn, step->prefix);
    uint8_t *out = sam_replay_room(s, true);
    if (!site || s->failed)
        return false;
    if (!site->alone)
        site->alone = sam_replay_path(s, &site, 1);
    s->path = site->alone;
    s->warp = (struct sam_warp *)(uintptr_t)w;
    s->masks.simt = step->mask_before;
    if (step->vector && insn->vm && site->extra != REPLAY_TAKEN) {
        s->masks.bits[0] = step->lanes[0];
        s->masks.bits[1] = step->lanes[1];
    } else {
        s->masks.bits[0] = s->writing->warps[w->wid].written.bits[0];
        s->masks.bits[1] = s->writing->warps[w->wid].written.bits[1];
    }
    const uint32_t lanes = step->lanes[0] | step->lanes[1];
    const uint32_t address = step->access_count ? (uint32_t)step->access[0].address : 0;
    switch (site->extra) {
    case REPLAY_MASK:
        memcpy(out, &lanes, sizeof lanes);
        s->used += sizeof lanes;
        break;
    case REPLAY_ADDRESS:
        memcpy(out, &address, sizeof address);
        s->used += sizeof address;
        break;
    case REPLAY_LANES: s->used += (size_t)(put_step(s, step, s->masks.bits[0], out) - out); break;
    default: break;
    }
    sam_replay_flush(s);
    return !s->failed && s->store.status == SAM_OK;
}
