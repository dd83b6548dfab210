/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "gputime/stream.h"

enum { START = 0x80000000u };

struct sam_gputime_op *stream_add(struct stream *s, enum sam_op op, unsigned rd, unsigned rs1,
                                  unsigned rs2)
{
    assert_true(s->count < STREAM_MOST);
    struct sam_insn *insn = &s->insns[s->count];
    *insn = (struct sam_insn){.op = op,
                              .rd = (uint8_t)rd,
                              .rs1 = (uint8_t)rs1,
                              .rs2 = (uint8_t)rs2,
                              .rs3 = (uint8_t)rs2,
                              .vm = true};
    struct sam_gputime_op *o = &s->ops[s->count];
    const uint32_t pc = s->count ? s->ops[s->count - 1].next_pc : START;
    *o = (struct sam_gputime_op){
        .insn = insn, .pc = pc, .next_pc = pc + 4, .mask = UINT32_MAX, .acting = UINT32_MAX};
    s->count++;
    return o;
}

void stream_jump(struct stream *s, uint32_t pc)
{
    s->ops[s->count - 1].next_pc = pc;
}

void stream_scalar(struct stream *s, enum sam_op op, unsigned reg, uint32_t address)
{
    struct sam_gputime_op *o = stream_add(s, op, reg, 1, reg);
    o->form = SAM_GPUTIME_SCALAR;
    o->bytes = 4;
    o->base = address;
}

void stream_lanes(struct stream *s, enum sam_op op, unsigned reg, uint32_t address, int32_t stride)
{
    struct sam_gputime_op *o = stream_add(s, op, reg, 1, reg);
    o->form = SAM_GPUTIME_STRIDED;
    o->bytes = 4;
    o->base = address;
    o->stride = stride;
}

void stream_end(struct stream *s)
{
    stream_add(s, SAM_OP_endprg, 0, 0, 0);
}

void streams_init(struct streams *all, const struct stream *s, uint32_t workgroups, uint32_t warps)
{
    *all = (struct streams){.of = {s}, .count = 1};
    all->launch = (struct sam_gputime_launch){
        .workgroups = workgroups, .warps = warps, .lanes = 32, .start_pc = START};
}

static bool next(void *context, uint32_t workgroup, uint32_t warp, struct sam_gputime_op *op)
{
    struct streams *all = context;
    const uint32_t index = workgroup * all->launch.warps + warp;
    const struct stream *s = all->of[index % all->count];
    assert_true(index < SAM_COUNT(all->at));
    if (all->at[index] == s->count)
        return false;
    *op = s->ops[all->at[index]++];
    return true;
}

static void check_sum(const uint64_t *reasons, uint64_t cycles, const char *what)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < SAM_GPUTIME_REASONS; i++)
        sum += reasons[i];
    if (sum != cycles)
        fail_msg("%s: reasons sum to %llu of %llu cycles", what, (unsigned long long)sum,
                 (unsigned long long)cycles);
}

void streams_check(const struct sam_gputime_result *r)
{
    uint64_t slots[SAM_GPUTIME_REASONS] = {0}, rows[SAM_GPUTIME_REASONS] = {0}, issues = 0;
    for (uint32_t i = 0; i < r->sms; i++) {
        check_sum(r->sm[i].reasons, r->cycles, "an SM");
        for (unsigned unit = 0; unit < SAM_GPUTIME_UNITS; unit++)
            check_sum(r->sm[i].units[unit], r->cycles, sam_gputime_unit_name(unit));
        for (uint32_t w = 0; w < r->slots; w++) {
            const uint64_t *reasons = r->warp_slots[i * r->slots + w];
            check_sum(reasons, r->cycles, "a warp slot");
            for (unsigned k = 0; k < SAM_GPUTIME_REASONS; k++)
                slots[k] += reasons[k];
        }
    }
    for (size_t i = 0; i < r->row_count; i++) {
        issues += r->rows[i].issues;
        for (unsigned k = 0; k < SAM_GPUTIME_REASONS; k++)
            rows[k] += r->rows[i].reasons[k];
    }
    assert_int_equal(issues, r->insns);
    for (unsigned k = 0; k < SAM_GPUTIME_REASONS; k++)
        if (k != SAM_GPUTIME_EMPTY && k != SAM_GPUTIME_START && k != SAM_GPUTIME_DRAIN &&
            rows[k] != slots[k])
            fail_msg("%s: %llu cycles by pc, %llu by warp", sam_gputime_reason_name(k),
                     (unsigned long long)rows[k], (unsigned long long)slots[k]);
}

struct sam_gputime_source streams_source(struct streams *all)
{
    memset(all->at, 0, sizeof all->at);
    return (struct sam_gputime_source){.context = all, .next = next};
}

struct sam_gputime_result streams_run(struct streams *all, const struct sam_gputime_config *config,
                                      const struct sam_gputime_observer *observer)
{
    const struct sam_gputime_source source = streams_source(all);
    struct sam_gputime_result result;
    succeeds(sam_gputime_run, config, &all->launch, &source, observer, &result);
    streams_check(&result);
    return result;
}

uint64_t streams_cycles(struct streams *all, const struct sam_gputime_config *config)
{
    SCOPED(sam_gputime_result) result = streams_run(all, config, NULL);
    const uint64_t cycles = result.cycles;
    return cycles;
}

struct sam_gputime_config stream_config(const char *text)
{
    struct sam_gputime_config config;
    sam_gputime_config_init(&config);
    succeeds(sam_gputime_config_set, &config, text);
    return config;
}
