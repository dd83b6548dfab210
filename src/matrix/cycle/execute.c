/* SPDX-License-Identifier: Apache-2.0 */
/* Issue of multiplications, in program order, and of element-wise operations. A multiplication that
 * issues at t reads its sources at t, runs through the tree t+1..t+D, reads md at t+D and writes it
 * back at t+D+L. */
#include "matrix/cycle/state.h"

static bool is_free(struct sam_mxu *x, const struct sam_mxu_mma *u)
{
    for (unsigned i = 0; i < u->count; i++)
        if (x->now < x->block_free[u->c[i].reg][u->c[i].block]) {
            sam_mxu_expect(x, x->block_free[u->c[i].reg][u->c[i].block]);
            return false;
        }
    return true;
}

static enum sam_mxu_mac mac_of(const struct sam_m_type *type)
{
    switch (type->source) {
    case 16: return type->is_float ? SAM_MXU_MAC_F16 : SAM_MXU_MAC_I16;
    case 32: return SAM_MXU_MAC_F32;
    case 64: return SAM_MXU_MAC_F64;
    default: return SAM_MXU_MAC_I8;
    }
}

enum sam_mxu_state sam_mxu_issue_mma(struct sam_mxu *x)
{
    const struct sam_mxu_config *c = &x->config;
    struct slot *s = sam_mxu_next(x, SAM_M_KIND_MMA);
    if (!s)
        return SAM_MXU_EMPTY;
    if (!s->granted)
        return s->waited = SAM_MXU_REGISTER;
    const struct sam_mxu_mma u = sam_mxu_split_mma(c, &s->work, s->issued);
    if (!is_free(x, &u))
        return s->waited = SAM_MXU_BLOCK;
    for (unsigned i = 0; i < u.count; i++)
        x->block_free[u.c[i].reg][u.c[i].block] = x->now + c->acc_latency + !c->wb_bypass;
    const uint64_t written = x->now + c->tree_stages + c->acc_latency;
    const unsigned full = c->mpara * c->npara * (c->mlen / s->work.type->source);
    x->stats.mma_uops++;
    x->stats.macs += u.macs;
    x->stats.macs_of[mac_of(s->work.type)] += u.macs;
    x->stats.full_uops += (double)u.macs / full;
    x->stats.peak_macs = full > x->stats.peak_macs ? full : x->stats.peak_macs;
    x->stats.last_write_back = written;
    x->stats.port_blocks[SAM_MXU_PORT_MS1]++;
    x->stats.port_blocks[SAM_MXU_PORT_MS2]++;
    x->stats.port_blocks[SAM_MXU_PORT_MD] += u.count;
    x->stats.port_blocks[SAM_MXU_PORT_MMA] += u.count;
    const unsigned uop = s->issued;
    sam_mxu_note_issue(x, s);
    sam_mxu_finish(x, s, uop, written);
    s->waited = SAM_MXU_EMPTY;
    return SAM_MXU_BUSY;
}

/* One row per cycle: read at t, written at t+2, through the ports of stores and loads. It has
 * priority over stores; no other instruction writes its register. */
enum sam_mxu_state sam_mxu_issue_pw(struct sam_mxu *x)
{
    struct slot *s = sam_mxu_next(x, SAM_M_KIND_POINTWISE);
    if (!s)
        return SAM_MXU_EMPTY;
    if (!s->granted)
        return s->waited = SAM_MXU_REGISTER;
    const unsigned uop = s->issued, read = s->reads;
    x->stats.pw_uops++;
    x->stats.port_blocks[SAM_MXU_PORT_STORE] += (unsigned)__builtin_popcount(read);
    x->stats.port_blocks[SAM_MXU_PORT_LOAD]++;
    x->store_ports |= read;
    sam_mxu_note_issue(x, s);
    sam_mxu_finish(x, s, uop, x->now + 2);
    s->waited = SAM_MXU_EMPTY;
    return SAM_MXU_BUSY;
}
