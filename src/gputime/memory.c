/* SPDX-License-Identifier: Apache-2.0 */
/* The levels below the L1s: the model's own L2 and memory, or memory shared with other units. */
#include "gputime/parts.h"

/* Request bytes within a line of 64. Returns the cycle in which the reply is at the port. */
static uint64_t request_bytes(struct model *m, uint64_t address, uint32_t bytes, bool write)
{
    const struct sam_memtime_port *port = &m->shared->port;
    *(write ? &m->traffic.written : &m->traffic.read) += bytes;
    return port->request(port->context, m->shared->unit, m->first + m->now, address, bytes,
                         write ? SAM_MEMTIME_WRITE : SAM_MEMTIME_READ) -
           m->first;
}

/* Request the 64-byte parts of a line in this cycle. Returns the cycle of the last reply. */
static uint64_t request_parts(struct model *m, uint64_t address, uint32_t size, bool write,
                              const uint64_t covered[MOST_PARTS])
{
    const uint32_t most = SAM_MEMTIME_LINE;
    uint64_t last = m->now;
    for (uint32_t at = 0; at < size; at += most) {
        uint32_t first = 0, bytes = size < most ? size : most;
        if (covered) {
            const uint64_t set = covered[at / most];
            if (!set)
                continue;
            first = (uint32_t)__builtin_ctzll(set) - (uint32_t)(address % most);
            bytes = (uint32_t)__builtin_popcountll(set);
        }
        const uint64_t answer = request_bytes(m, address + at + first, bytes, write);
        last = answer > last ? answer : last;
        if (write && answer > m->acknowledged)
            m->acknowledged = answer;
    }
    return last;
}

uint64_t sam_gputime_read_line(struct model *m, uint64_t address, uint32_t size)
{
    const uint32_t way = m->config.l1_miss_latency;
    if (m->current)
        sam_gputime_catch_up_others(m);
    return m->shared ? request_parts(m, address, size, false, NULL) + way
                     : sam_memtime_read(m->memory, m->now + way, address >> m->l2_shift);
}

uint64_t sam_gputime_write_line(struct model *m, uint64_t address, uint32_t bytes,
                                const uint64_t covered[MOST_PARTS])
{
    const uint32_t way = m->config.l1_miss_latency;
    if (m->current)
        sam_gputime_catch_up_others(m);
    return m->shared ? request_parts(m, address, m->config.line_bytes, true, covered) + way
                     : sam_memtime_write(m->memory, m->now + way, address >> m->l2_shift, bytes);
}

bool sam_gputime_flush(struct model *m)
{
    const uint32_t tags = m->config.l1_sets * m->config.l1_ways;
    bool found = false;
    for (uint32_t i = 0; m->shared && i < m->config.sms; i++) {
        struct sm *sm = &m->sms[i];
        while (sm->flushed < tags &&
               !(sm->l1.tags[sm->flushed].line && sm->l1.tags[sm->flushed].dirty))
            sm->flushed++;
        if (sm->flushed == tags)
            continue;
        sam_gputime_write_line(m, (sm->l1.tags[sm->flushed++].line - 1) << m->l1_shift, 0, NULL);
        sm->stats->l1d.dirty++;
        found = true;
    }
    return found;
}
