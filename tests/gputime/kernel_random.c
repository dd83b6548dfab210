/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel.h"
#include "random.h"

#include <string.h>

/* Instructions of every unit, frequent ones more often. */
static const char *const plain[] = {
    "addi",       "add",         "lui",       "xor",         "csrrw",     "csrrs",      "csrrwi",
    "vsetvli",    "setrpc",      "mul",       "mulh",        "div",       "remu",       "fadd.s",
    "fmul.s",     "fmadd.s",     "flt.s",     "fcvt.s.w",    "fdiv.s",    "fsqrt.s",    "vadd.vv",
    "vadd.vx",    "vadd.vi",     "vand.vv",   "vsll.vi",     "vmseq.vv",  "vid.v",      "vmv.v.x",
    "vmerge.vvm", "vadc.vvm",    "vmul.vv",   "vmacc.vv",    "vmadd.vx",  "vdivu.vv",   "vrem.vx",
    "vfadd.vv",   "vfadd.vf",    "vfmul.vv",  "vfmadd.vv",   "vfmacc.vf", "vfdiv.vv",   "vfsqrt.v",
    "vmflt.vv",   "vfcvt.f.x.v", "vfmv.v.f",  "vfmerge.vfm", "vfexp.v",   "vftta.vv",   "vadd12.vi",
    "vsub12.vi",  "vfmin.vv",    "vfclass.v", "fmv.x.w",     "fsgnj.s",   "barriersub",
};
static const char *const memory[] = {
    "lw",       "lbu",      "sw",      "sb",         "flw",        "fsw",     "vle32.v", "vse32.v",
    "vlse32.v", "vsse32.v", "vle8.v",  "vluxei32.v", "vsuxei32.v", "vlw12.v", "vsw12.v", "vlw.v",
    "vsw.v",    "vlh12.v",  "vsb12.v", "amoadd.w",   "amoswap.w",  "lr.w",    "sc.w",    "fence",
};
static const char *const control[] = {"beq", "jal", "jalr", "vbeq", "vbne", "join", "bltu"};
static const char *const prefixes[] = {"regext", "regexti", "regpair"};

#define PICK(seed, names) ((names)[test_below(seed, SAM_COUNT(names))])

struct maker {
    struct kernel *k;
    uint64_t *seed;
    unsigned registers; /* few of them: many dependences */
    unsigned memory_part, control_part, barrier_part, prefix_part; /* of 100 */
    uint32_t footprint;                                            /* bytes of memory in use */
    size_t most_ops;                                               /* per warp, roughly */
};

static unsigned some_register(struct maker *m)
{
    return (unsigned)test_below(m->seed, m->registers);
}

static void add(struct maker *m, const char *mnemonic)
{
    const bool wide = test_below(m->seed, 8) == 0;
    kernel_add(m->k, mnemonic, some_register(m), some_register(m),
               wide ? 32 + some_register(m) : some_register(m), some_register(m),
               test_below(m->seed, 4) == 0);
}

static void make_program(struct maker *m, unsigned length)
{
    for (unsigned i = 0; i < length; i++) {
        const unsigned part = (unsigned)test_below(m->seed, 100);
        unsigned limit = m->memory_part;
        if (part < limit)
            add(m, PICK(m->seed, memory));
        else if (part < (limit += m->control_part))
            add(m, PICK(m->seed, control));
        else if (part < (limit += m->barrier_part))
            add(m, "barrier");
        else if (part < limit + m->prefix_part) {
            add(m, PICK(m->seed, prefixes));
            add(m, PICK(m->seed, plain));
        } else {
            add(m, PICK(m->seed, plain));
        }
    }
    kernel_add(m->k, "endprg", 0, 0, 0, 0, false);
}

static uint32_t some_address(struct maker *m, bool local, unsigned bytes)
{
    const uint32_t base = local ? 0x70000000u : 0x90000000u;
    return base + (uint32_t)test_below(m->seed, m->footprint) / bytes * bytes;
}

static void make_access(struct maker *m, struct kernel_op *made, const struct sam_insn_row *row,
                        bool is_vector)
{
    static const int strides[] = {0, 4, 4, 4, 8, -4, 64, 128, 132, 256, 1024};
    struct sam_gputime_op *op = &made->op;
    const unsigned bytes = row->does.bytes;
    op->bytes = (uint8_t)bytes;
    op->local = test_below(m->seed, 4) == 0;
    op->base = some_address(m, op->local, bytes);
    if (!is_vector) {
        op->form = SAM_GPUTIME_SCALAR;
    } else if (test_below(m->seed, 2)) {
        op->form = SAM_GPUTIME_STRIDED;
        op->stride = strides[test_below(m->seed, SAM_COUNT(strides))];
    } else {
        op->form = SAM_GPUTIME_EACH;
        for (uint32_t lanes = op->acting; lanes; lanes &= lanes - 1)
            made->addresses[op->count++] = some_address(m, op->local, bytes);
    }
}

/* The target of a branch: anywhere if the warp is to run longer, otherwise ahead or the end. */
static unsigned target(struct maker *m, unsigned index, bool run_on)
{
    const unsigned last = (unsigned)m->k->length - 1;
    unsigned to = run_on ? (unsigned)test_below(m->seed, last + 1) : last;
    /* a target must not be the second half of a prefixed pair */
    while (to > 0 && sam_op_is_prefix(m->k->program[to - 1].op))
        to--;
    return to == index ? index + 1 : to;
}

static void run_warp(struct maker *m, uint32_t workgroup, uint32_t warp)
{
    const uint32_t lanes = (uint32_t)((UINT64_C(1) << m->k->launch.lanes) - 1);
    uint32_t mask = lanes;
    unsigned index = 0;
    for (size_t count = 0; index < m->k->length; count++) {
        const struct sam_insn_row *row = &sam_insn_rows[m->k->program[index].op];
        struct kernel_op *made = kernel_run(m->k, workgroup, warp, index);
        const enum sam_act act = row->does.act;
        const bool is_vector = row->mnemonic[0] == 'v';
        made->op.mask = mask;
        made->op.acting = is_vector ? mask : lanes;
        if (is_vector && !m->k->program[index].vm)
            made->op.acting &= (uint32_t)test_random(m->seed);
        if (row->does.bytes)
            make_access(m, made, row, is_vector);
        index++;
        if (act == SAM_ACT_BRANCH || act == SAM_ACT_JUMP || act == SAM_ACT_SPLIT ||
            act == SAM_ACT_JOIN) {
            if (act == SAM_ACT_JUMP || count > m->most_ops || test_below(m->seed, 2))
                index = target(m, index - 1, count < m->most_ops);
            if (act == SAM_ACT_SPLIT)
                made->op.taken = mask & (uint32_t)test_random(m->seed);
            if (act == SAM_ACT_SPLIT || act == SAM_ACT_JOIN)
                mask = test_below(m->seed, 2) ? lanes : lanes & (uint32_t)test_random(m->seed);
            made->op.next_pc = KERNEL_PC + 4 * index;
        }
    }
}

void kernel_random(struct kernel *k, uint64_t *seed, bool with_memory)
{
    const unsigned workgroups = 1 + (unsigned)test_below(seed, 6),
                   warps = 1 + (unsigned)test_below(seed, 5), lanes = 4u << test_below(seed, 4);
    struct maker m = {.k = k,
                      .seed = seed,
                      .registers = 1 + (unsigned)test_below(seed, 16),
                      .memory_part = with_memory ? (unsigned)test_below(seed, 60) : 0,
                      .control_part = (unsigned)test_below(seed, 20),
                      .barrier_part = (unsigned)test_below(seed, 6),
                      .prefix_part = (unsigned)test_below(seed, 8),
                      .footprint = 64u << test_below(seed, 10),
                      .most_ops = test_below(seed, 200)};
    kernel_open(k, workgroups, warps, lanes);
    k->launch.lds_bytes = (uint32_t)test_below(seed, 2) * 4096;
    k->launch.sgprs = 1 + (uint32_t)test_below(seed, 64);
    k->launch.vgprs = 1 + (uint32_t)test_below(seed, 200);
    make_program(&m, 1 + (unsigned)test_below(seed, 80));
    for (uint32_t g = 0; g < workgroups; g++)
        for (uint32_t w = 0; w < warps; w++)
            run_warp(&m, g, w);
}
