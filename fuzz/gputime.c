/* SPDX-License-Identifier: Apache-2.0 */
/* Configurations of the GPU in time: a text is rejected with one line, or makes a machine on
 * which a small launch ends with all cycles accounted for. */
#include "fuzz.h"

#include <stdio.h>
#include <string.h>

#include "gputime/gputime.h"

enum { INSNS = 24, WARPS = 4 };

struct program {
    struct sam_insn insns[INSNS];
    struct sam_gputime_op ops[INSNS];
    unsigned at[WARPS]; /* next, of two workgroups of two warps */
};

/* Every unit, both memories, a jump, a barrier. */
static void make(struct program *p)
{
    static const enum sam_op ops[INSNS] = {
        SAM_OP_addi,     SAM_OP_csrrs,     SAM_OP_regext,  SAM_OP_vadd_vv,  SAM_OP_mul,
        SAM_OP_fadd_s,   SAM_OP_vfmadd_vv, SAM_OP_div,     SAM_OP_lw,       SAM_OP_sw,
        SAM_OP_vle32_v,  SAM_OP_vse32_v,   SAM_OP_vle32_v, SAM_OP_amoadd_w, SAM_OP_fence,
        SAM_OP_lw,       SAM_OP_vbeq,      SAM_OP_join,    SAM_OP_jal,      SAM_OP_barrier,
        SAM_OP_vftta_vv, SAM_OP_vfdiv_vv,  SAM_OP_addi,    SAM_OP_endprg};
    uint32_t pc = 0x80000000;
    memset(p, 0, sizeof *p);
    for (unsigned i = 0; i < INSNS; i++) {
        p->insns[i] = (struct sam_insn){.op = ops[i],
                                        .rd = (uint8_t)(i % 7),
                                        .rs1 = (uint8_t)(i % 5),
                                        .rs2 = (uint8_t)(i % 3),
                                        .vm = i % 4 != 0};
        struct sam_gputime_op *op = &p->ops[i];
        *op = (struct sam_gputime_op){.insn = &p->insns[i], .pc = pc, .mask = 15, .acting = 15};
        pc += ops[i] == SAM_OP_jal ? 256 : 4;
        op->next_pc = pc;
        if (sam_insn_rows[ops[i]].does.bytes == 0)
            continue;
        const bool lanes = ops[i] == SAM_OP_vle32_v || ops[i] == SAM_OP_vse32_v;
        op->form = lanes ? SAM_GPUTIME_STRIDED : SAM_GPUTIME_SCALAR;
        op->bytes = 4;
        op->local = i == 12;
        op->base = op->local ? 0x70000000 : 0x90000000 + 64 * i;
        op->stride = 36;
    }
}

static bool next(void *context, uint32_t workgroup, uint32_t warp, struct sam_gputime_op *op)
{
    struct program *p = context;
    unsigned *at = &p->at[2 * workgroup + warp];
    if (*at == INSNS)
        return false;
    *op = p->ops[(*at)++];
    return true;
}

static void check_sum(const uint64_t reasons[SAM_GPUTIME_REASONS], uint64_t cycles)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < SAM_GPUTIME_REASONS; i++)
        sum += reasons[i];
    FUZZ_CHECK(sum == cycles);
}

static void run(const struct sam_gputime_config *config)
{
    static struct program program;
    const struct sam_gputime_launch launch = {
        .workgroups = 2, .warps = 2, .lanes = 4, .lds_bytes = 64, .sgprs = 8, .vgprs = 8};
    const struct sam_gputime_source source = {.context = &program, .next = next};
    struct sam_gputime_result r;
    make(&program);
    if (sam_gputime_check(config, &launch, NULL) != SAM_OK)
        return;
    FUZZ_CHECK(sam_gputime_run(config, &launch, &source, NULL, &r, NULL) == SAM_OK);
    FUZZ_CHECK(r.insns == (uint64_t)WARPS * INSNS);
    for (uint32_t i = 0; i < r.sms; i++) {
        check_sum(r.sm[i].reasons, r.cycles);
        for (unsigned unit = 0; unit < SAM_GPUTIME_UNITS; unit++)
            check_sum(r.sm[i].units[unit], r.cycles);
        for (uint32_t w = 0; w < r.slots; w++)
            check_sum(r.warp_slots[i * r.slots + w], r.cycles);
    }
    sam_gputime_result_free(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[512];
    struct sam_gputime_config config;
    struct sam_error error;
    if (size >= sizeof text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    sam_gputime_config_init(&config);
    if (sam_gputime_config_set(&config, text, &error) != SAM_OK) {
        FUZZ_CHECK(error.text[0] && (!strchr(error.text, '\n') || strchr(text, '\n')));
        return 0;
    }
    run(&config);
    return 0;
}

void fuzz_seeds(fuzz_add *add, void *context)
{
    static const char *const seeds[] = {
        "preset=rtl",
        "preset=verilog,mem_latency=17",
        "preset=systemc,sms=3,warps=2,groups=1",
        "line_bytes=8,l1_sets=1,l1_ways=1,l1_mshrs=1,l1_wshrs=1,l2_sets=1,l2_ways=1,l2_mshrs=1",
        "collectors=2,collectors_warp=2,banks=1,bank_ports=1,bank_echo=1,issue_streams=1",
        "lsu_queue=0,lsu_warp=1,lsu_all=1,lds_banks=1,lds_cached=1,write_ports=1,wakeup_latency=0",
        "icache_bytes=0,fetch_ports=0,fold_prefix=1,skip_first=1,endprg_waits=1,barrier_blocks=0",
        "banks=0",
    };
    for (size_t i = 0; i < sizeof seeds / sizeof seeds[0]; i++) {
        char name[16];
        snprintf(name, sizeof name, "%zu", i);
        add(context, name, seeds[i], strlen(seeds[i]));
    }
}
