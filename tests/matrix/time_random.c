/* SPDX-License-Identifier: Apache-2.0 */
/* Random instructions on random matrix units, alone and on shared memory, against a plain model:
 * every unit's cycles agree by reason. */

#include "test.h"

#include "alone.h"
#include "random_config.h"
#include "reference/levels_ref.h"
#include "reference/matrix_time_ref.h"

enum { ROUNDS = 60, MOST = 24, L1M = 0x10000000, L0M = 0x18000000, DRAM = 0x40000000 };

static const struct sam_m_type types[] = {
    {16, 16, true}, {32, 32, true}, {16, 32, true}, {8, 32, false}, {16, 64, false}};

/* Rows that overlap the lines, and sometimes the bytes, of others. */
static void random_move(struct sam_matrix_work *w, const struct sam_mxu_config *c, uint64_t *seed)
{
    static const uint64_t bases[] = {L1M, L0M, DRAM};
    const unsigned rows = c->mlen / 32;
    w->registers = random_below(seed, 6) ? 1 : 2;
    w->md = (uint8_t)(w->registers * random_below(seed, 4));
    w->m = 1 + random_below(seed, w->registers * rows);
    w->bytes = random_below(seed, 2) ? c->mlen / 8 : 1 + random_below(seed, c->mlen / 8);
    w->base = bases[random_below(seed, 3)] + 0x400 + random_below(seed, 512);
    w->stride = random_below(seed, 3) ? w->bytes : random_below(seed, 130);
    w->stream = random_below(seed, 4) == 0;
    if (w->kind == SAM_M_KIND_STORE)
        w->end = w->m;
    else if (random_below(seed, 3) == 0)
        w->end = 1 + random_below(seed, w->m);
    w->first = random_below(seed, 4) ? 0 : random_below(seed, w->end ? w->end : w->m);
}

static void random_product(struct sam_matrix_work *w, const struct sam_mxu_config *c,
                           uint64_t *seed)
{
    const unsigned rows = c->mlen / 32;
    w->type = &types[random_below(seed, SAM_COUNT(types))];
    w->registers = w->type->target == 64 ? 2 : 1;
    w->source_registers = w->type->target == 16 ? 2 : 1;
    w->md = (uint8_t)(2 * random_below(seed, 2));
    w->ms1 = (uint8_t)(4 + random_below(seed, 4));
    w->ms2 = (uint8_t)(4 + 2 * random_below(seed, 2));
    w->reads_1 = w->reads_2 = true;
    w->m = 1 + random_below(seed, rows);
    w->n = 1 + random_below(seed, rows * w->source_registers);
    w->bytes = c->mlen / 8;
}

static struct sam_matrix_work random_work(const struct sam_mxu_config *c, uint64_t *seed)
{
    struct sam_matrix_work w = {.kind = (enum sam_m_kind)random_below(seed, SAM_M_KIND_CONFIG),
                                .registers = 1,
                                .source_registers = 1};
    if (w.kind <= SAM_M_KIND_STORE) {
        random_move(&w, c, seed);
    } else if (w.kind == SAM_M_KIND_MMA) {
        random_product(&w, c, seed);
    } else {
        w.md = (uint8_t)random_below(seed, 8);
        w.ms1 = (uint8_t)random_below(seed, 8);
        w.ms2 = (uint8_t)random_below(seed, 8);
        w.reads_1 = random_below(seed, 3) != 0;
        w.reads_2 = random_below(seed, 3) != 0;
    }
    return w;
}

static struct sam_mxu_config random_unit(uint64_t *seed)
{
    struct sam_mxu_config c = random_mxu_config(seed, 1);
    const unsigned most = c.mlen == 128 ? 3 : c.mlen == 256 ? 4 : 5;
    c.mpara = c.step_m = c.rows_m_block = 1u << random_below(seed, most);
    c.npara = c.rows_n_block = 1u << random_below(seed, most);
    if (random_below(seed, 3) == 0) {
        c.step_m = 1;
        c.rows_m_block = 1u << random_below(seed, most);
        c.rows_n_block = 1u << random_below(seed, most);
    }
    c.acc_latency = 1 + random_below(seed, 9);
    c.wb_bypass = random_below(seed, 2);
    c.stall = c.l2_kib = 0;
    succeeds(sam_mxu_config_check, &c);
    return c;
}

static struct sam_memtime_levels_config random_memory(uint64_t *seed)
{
    struct sam_memtime_levels_config c;
    const struct sam_keys keys = sam_memtime_keys(&c);
    sam_keys_defaults(&keys);
    c.l2_size = 1024u << random_below(seed, 3);
    c.l2_ways = 1u << random_below(seed, 4);
    c.l2_latency = 1 + random_below(seed, 20);
    c.l2_bytes = 16 + random_below(seed, 100);
    c.dram_latency = 1 + random_below(seed, 60);
    c.dram_bytes = 3 + random_below(seed, 60);
    c.l1m_bytes = 3 + random_below(seed, 100);
    c.l1m_latency = 1 + random_below(seed, 9);
    return c;
}

/* Cycles of all rounds. */
typedef uint64_t buckets[SAM_MXU_UNITS][SAM_MXU_STATES];

static void compare(const struct sam_mxu_config *c, const struct sam_matrix_work *works,
                    const struct sam_memtime_port *memory, const struct sam_memtime_port *plain,
                    buckets total)
{
    SCOPED(alone) a;
    alone_open_on(&a, c, NULL, memory);
    for (unsigned i = 0; i < MOST; i++)
        alone_matrix(&a, &works[i], 4 * i, 0);
    const struct sam_mxu_stats *s = alone_drain(&a);
    struct mref *m = mref_new(c, &(struct mref_outside){.memory = plain}, works, MOST);
    do {
        mref_begin(m);
        if (m->accepted < MOST)
            mref_offer(m);
        mref_end(m);
    } while (m->accepted < MOST || !mref_is_idle(m));
    for (unsigned unit = 0; unit < SAM_MXU_UNITS; unit++)
        for (unsigned state = 0; state < SAM_MXU_STATES; state++) {
            total[unit][state] += s->buckets[unit][state];
            if (s->buckets[unit][state] != m->buckets[unit][state])
                fail_msg("%s, %s: %llu of %llu cycles; the reference: %llu of %llu",
                         sam_mxu_unit_name(unit), sam_mxu_state_name(state),
                         (unsigned long long)s->buckets[unit][state], (unsigned long long)s->cycles,
                         (unsigned long long)m->buckets[unit][state],
                         (unsigned long long)m->cycles);
        }
    assert_int_equal(s->cycles, m->cycles);
    mref_free(m);
}

/* Every unit has had cycles of each reason. */
static void expect_all(buckets total)
{
    static const enum sam_mxu_unit issues[] = {SAM_MXU_MMA, SAM_MXU_LOAD, SAM_MXU_STORE,
                                               SAM_MXU_PW};
    for (unsigned unit = 0; unit < SAM_MXU_UNITS; unit++)
        assert_true(total[unit][SAM_MXU_BUSY] && total[unit][SAM_MXU_EMPTY]);
    for (size_t i = 0; i < SAM_COUNT(issues); i++)
        assert_true(total[issues[i]][SAM_MXU_REGISTER]);
    for (unsigned unit = SAM_MXU_LOAD; unit <= SAM_MXU_STORE; unit++)
        assert_true(total[unit][SAM_MXU_PRESSURE] && total[unit][SAM_MXU_LINE] &&
                    total[unit][SAM_MXU_PORT]);
    assert_true(total[SAM_MXU_DSA][SAM_MXU_SLOTS] && total[SAM_MXU_MMA][SAM_MXU_BLOCK] &&
                total[SAM_MXU_READ][SAM_MXU_MEMORY] && total[SAM_MXU_WRITE][SAM_MXU_MEMORY] &&
                total[SAM_MXU_WRITE][SAM_MXU_MERGE]);
}

TEST(the_reference_agrees)
{
    static const struct sam_memtime_map map = {L1M, 0x10000, L0M, 0x10000};
    const uint64_t rounds = test_number("SAMITE_CASES", ROUNDS);
    buckets total = {{0}};
    uint64_t seed = test_seed();
    for (uint64_t round = 0; round < rounds; round++) {
        const struct sam_mxu_config c = random_unit(&seed);
        struct sam_matrix_work works[MOST];
        for (unsigned i = 0; i < MOST; i++)
            works[i] = random_work(&c, &seed);
        if (round % 2) {
            compare(&c, works, NULL, NULL, total);
            continue;
        }
        const struct sam_memtime_levels_config config = random_memory(&seed);
        struct sam_memtime_levels *levels = sam_memtime_levels_new(&config, &map, NULL);
        struct lref *plain = lref_new(&config, &map);
        assert_non_null(levels);
        const struct sam_memtime_port port = sam_memtime_levels_port(levels);
        compare(&c, works, &port, &(struct sam_memtime_port){lref_request, plain}, total);
        lref_compare(plain, sam_memtime_levels_figures(levels));
        sam_memtime_levels_free(levels);
        lref_free(plain);
    }
    expect_all(total);
}
