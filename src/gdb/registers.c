/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers and values of registers. target.c describes the same layout to the client. A `g` packet
 * has the scalar registers; clients read others one by one, so that a step does not transfer
 * kilobytes of vectors. */
#include "gdb/gdb.h"

#include <stdlib.h>

enum { TLS = 32, MS = 8, TL_BYTES = 1024, BIGGEST = 1024 };

/* Launches have registers above x31, SIMT state and vectors; harts TLRegs and matrix registers. */
bool sam_gdb_lay_out(struct sam_gdb *gdb)
{
    const struct sam_session_shape *shape = &gdb->shape;
    const struct sam_hart *hart = gdb->options.hart;
    struct sam_gdb_layout *l = &gdb->layout;
    struct sam_csr_entry entry;
    uint64_t value;
    size_t count = 0, capacity = 0;
    gdb->layout_lanes = shape->lanes;
    for (size_t i = 0; sam_csr_entry_get(&shape->isa, i, &entry); i++) {
        if (sam_session_csr(gdb->session, gdb->thread.workgroup, gdb->thread.warp, entry.address,
                            &value, NULL) != SAM_OK)
            continue;
        void *grown = sam_grow(gdb->csrs, count, &capacity, sizeof *gdb->csrs);
        if (!grown)
            return false;
        gdb->csrs = grown;
        gdb->csrs[count++] = (uint16_t)i;
    }
    gdb->csr_count = count;
    l->x = 0;
    l->pc = 32;
    l->x_high = l->pc + 1;
    l->simt = l->x_high + (shape->x_count - 32);
    l->v = l->simt + (shape->v_count ? 3 : 0);
    l->packet = l->v;
    l->csr = l->v + shape->v_count;
    l->tl = l->csr + (unsigned)count;
    l->m = l->tl + (hart && sam_hart_tl(hart, 0) ? TLS : 0);
    l->count = l->m + (hart && sam_hart_m(hart, 0) ? MS : 0);
    return true;
}

struct sam_gdb_register sam_gdb_register_at(const struct sam_gdb *gdb, unsigned index)
{
    const struct sam_gdb_layout *l = &gdb->layout;
    const unsigned word = gdb->shape.isa.xlen / 8;
    struct sam_csr_entry entry = {0};
    if (index < l->pc)
        return (struct sam_gdb_register){SAM_GDB_X, index, word};
    if (index == l->pc)
        return (struct sam_gdb_register){SAM_GDB_PC, 0, word};
    if (index < l->simt)
        return (struct sam_gdb_register){SAM_GDB_X, 32 + index - l->x_high, word};
    if (index < l->v)
        return (struct sam_gdb_register){SAM_GDB_MASK + (index - l->simt), 0, 4};
    if (index < l->csr)
        return (struct sam_gdb_register){SAM_GDB_V, index - l->v, 4 * gdb->layout_lanes};
    if (index < l->tl) {
        sam_csr_entry_get(&gdb->shape.isa, gdb->csrs[index - l->csr], &entry);
        return (struct sam_gdb_register){SAM_GDB_CSR, entry.address, word};
    }
    if (index < l->m)
        return (struct sam_gdb_register){SAM_GDB_TL, index - l->tl, TL_BYTES};
    return (struct sam_gdb_register){SAM_GDB_M, index - l->m, sam_hart_m_size(gdb->options.hart)};
}

/* ------------------------------------------------------------------------------------ reading */

static bool read_v(struct sam_gdb *gdb, struct sam_gdb_thread t, unsigned number, uint8_t *bytes)
{
    uint32_t lanes[SAM_MAX_LANES];
    if (sam_session_v(gdb->session, t.workgroup, t.warp, number, lanes, NULL) != SAM_OK)
        return false;
    for (uint32_t i = 0; i < gdb->layout_lanes; i++)
        sam_put_le32(bytes + 4 * i, lanes[i]);
    return true;
}

/* Read a value, least significant byte first. Returns false if it is not available. */
static bool read_register(struct sam_gdb *gdb, struct sam_gdb_thread t,
                          const struct sam_gdb_register *r, uint8_t bytes[BIGGEST])
{
    struct sam_session_warp warp;
    uint64_t value = 0;
    enum sam_status status = SAM_OK;
    switch (r->kind) {
    case SAM_GDB_V: return read_v(gdb, t, r->number, bytes);
    case SAM_GDB_TL:
        memcpy(bytes, sam_hart_tl(gdb->options.hart, r->number), r->bytes);
        return true;
    case SAM_GDB_M: memcpy(bytes, sam_hart_m(gdb->options.hart, r->number), r->bytes); return true;
    case SAM_GDB_X:
        status = sam_session_x(gdb->session, t.workgroup, t.warp, r->number, &value, NULL);
        break;
    case SAM_GDB_CSR:
        status = sam_session_csr(gdb->session, t.workgroup, t.warp, r->number, &value, NULL);
        break;
    case SAM_GDB_LANE: value = gdb->lane; break;
    case SAM_GDB_PC:
    case SAM_GDB_MASK:
    case SAM_GDB_DEPTH:
        status = sam_session_warp(gdb->session, t.workgroup, t.warp, &warp, NULL);
        value = r->kind == SAM_GDB_PC ? warp.pc : r->kind == SAM_GDB_MASK ? warp.mask : warp.depth;
        break;
    }
    sam_put_le64(bytes, value);
    return status == SAM_OK;
}

void sam_gdb_show_register(struct sam_gdb *gdb, struct sam_buffer *out,
                           struct sam_gdb_thread thread, unsigned index)
{
    uint8_t bytes[BIGGEST];
    const struct sam_gdb_register r = sam_gdb_register_at(gdb, index);
    if (read_register(gdb, thread, &r, bytes))
        sam_gdb_append_bytes(out, bytes, r.bytes);
    else
        sam_buffer_fill(out, 'x', 2 * (size_t)r.bytes);
}

void sam_gdb_read_all(struct sam_gdb *gdb)
{
    gdb->reply.size = 0;
    for (unsigned i = 0; i < gdb->layout.packet; i++)
        sam_gdb_show_register(gdb, &gdb->reply, gdb->thread, i);
    sam_gdb_send(gdb);
}

void sam_gdb_read_one(struct sam_gdb *gdb, struct sam_gdb_text text)
{
    uint64_t index;
    if (!sam_gdb_take_number(&text, &index) || !sam_gdb_at_end(&text) ||
        index >= gdb->layout.count) {
        sam_gdb_send_error(gdb, SAM_GDB_BAD);
        return;
    }
    gdb->reply.size = 0;
    sam_gdb_show_register(gdb, &gdb->reply, gdb->thread, (unsigned)index);
    sam_gdb_send(gdb);
}

/* ------------------------------------------------------------------------------------ writing */

static enum sam_status write_mask(struct sam_gdb *gdb, struct sam_gdb_thread t, uint32_t mask)
{
    size_t depth = 0;
    enum sam_status status =
        sam_session_stack(gdb->session, t.workgroup, t.warp, NULL, 0, &depth, NULL);
    if (status != SAM_OK)
        return status;
    struct sam_stack_entry *entries = sam_alloc(depth + 1, sizeof *entries);
    if (!entries)
        return SAM_ERR_MEMORY;
    status = sam_session_stack(gdb->session, t.workgroup, t.warp, entries, depth, &depth, NULL);
    if (status == SAM_OK)
        status =
            sam_session_set_stack(gdb->session, t.workgroup, t.warp, mask, entries, depth, NULL);
    free(entries);
    return status;
}

static enum sam_status write_v(struct sam_gdb *gdb, struct sam_gdb_thread t, unsigned number,
                               const uint8_t *bytes)
{
    uint32_t lanes[SAM_MAX_LANES] = {0};
    const uint32_t ours = gdb->shape.lanes, theirs = gdb->layout_lanes;
    for (uint32_t i = 0; i < theirs; i++)
        lanes[i] = sam_le32(bytes + 4 * i);
    uint32_t all = 0;
    for (uint32_t i = 0; i < ours && i < theirs; i++)
        all |= UINT32_C(1) << i;
    return sam_session_set_v(gdb->session, t.workgroup, t.warp, number, all, lanes, NULL);
}

static enum sam_status write_register(struct sam_gdb *gdb, struct sam_gdb_thread t,
                                      const struct sam_gdb_register *r, const uint8_t *bytes)
{
    const uint64_t value = r->bytes > 8 ? 0 : r->bytes == 8 ? sam_le64(bytes) : sam_le32(bytes);
    struct sam_session *s = gdb->session;
    switch (r->kind) {
    case SAM_GDB_X: return sam_session_set_x(s, t.workgroup, t.warp, r->number, value, NULL);
    case SAM_GDB_PC: return sam_session_set_pc(s, t.workgroup, t.warp, value, NULL);
    case SAM_GDB_MASK: return write_mask(gdb, t, (uint32_t)value);
    case SAM_GDB_DEPTH: return SAM_ERR_USAGE;
    case SAM_GDB_LANE:
        if (value >= gdb->shape.lanes)
            return SAM_ERR_USAGE;
        gdb->lane = (uint32_t)value;
        return SAM_OK;
    case SAM_GDB_V: return write_v(gdb, t, r->number, bytes);
    case SAM_GDB_CSR: return sam_session_set_csr(s, t.workgroup, t.warp, r->number, value, NULL);
    case SAM_GDB_TL: /* not recorded by the session: a step backward would not restore them */
    case SAM_GDB_M: return SAM_ERR_USAGE;
    }
    return SAM_ERR_USAGE;
}

void sam_gdb_write_one(struct sam_gdb *gdb, struct sam_gdb_text text)
{
    uint8_t bytes[BIGGEST];
    uint64_t index;
    if (!sam_gdb_take_number(&text, &index) || index >= gdb->layout.count ||
        !sam_gdb_take(&text, "=")) {
        sam_gdb_send_error(gdb, SAM_GDB_BAD);
        return;
    }
    const struct sam_gdb_register r = sam_gdb_register_at(gdb, (unsigned)index);
    if (!sam_gdb_take_bytes(&text, bytes, r.bytes) || !sam_gdb_at_end(&text))
        sam_gdb_send_error(gdb, SAM_GDB_BAD);
    else
        sam_gdb_send_error(gdb, write_register(gdb, gdb->thread, &r, bytes) == SAM_OK
                                    ? SAM_GDB_OK
                                    : SAM_GDB_INVALID);
}

/* Write only values that differ: any write, even of the same value, ends the recorded future. */
void sam_gdb_write_all(struct sam_gdb *gdb, struct sam_gdb_text text)
{
    uint8_t bytes[BIGGEST], before[BIGGEST];
    const struct sam_gdb_text all = text;
    for (unsigned i = 0; i < gdb->layout.packet; i++) {
        const struct sam_gdb_register r = sam_gdb_register_at(gdb, i);
        if (!sam_gdb_take_bytes(&text, bytes, r.bytes)) {
            sam_gdb_send_error(gdb, SAM_GDB_BAD);
            return;
        }
    }
    if (!sam_gdb_at_end(&text)) {
        sam_gdb_send_error(gdb, SAM_GDB_BAD);
        return;
    }
    text = all;
    enum sam_status status = SAM_OK;
    for (unsigned i = 0; i < gdb->layout.packet && status == SAM_OK; i++) {
        const struct sam_gdb_register r = sam_gdb_register_at(gdb, i);
        sam_gdb_take_bytes(&text, bytes, r.bytes);
        if (!read_register(gdb, gdb->thread, &r, before) || memcmp(bytes, before, r.bytes) != 0)
            status = write_register(gdb, gdb->thread, &r, bytes);
    }
    sam_gdb_send_error(gdb, status == SAM_OK ? SAM_GDB_OK : SAM_GDB_INVALID);
}
