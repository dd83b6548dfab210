/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel.h"

#include "test.h"

static const struct sam_isa ventus = {32, SAM_EXT_I | SAM_EXT_M | SAM_EXT_A | SAM_EXT_ZICSR |
                                              SAM_EXT_ZFINX | SAM_EXT_ZVE32F | SAM_EXT_XVENTUS};

static void *grow(void *array, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity)
        return array;
    *capacity = *capacity ? 2 * *capacity : 64;
    array = realloc(array, *capacity * size);
    assert_non_null(array);
    return array;
}

void kernel_open(struct kernel *k, uint32_t workgroups, uint32_t warps, uint32_t lanes)
{
    *k = (struct kernel){.launch = {.workgroups = workgroups,
                                    .warps = warps,
                                    .lanes = lanes,
                                    .sgprs = 64,
                                    .vgprs = 32,
                                    .start_pc = KERNEL_PC}};
    k->streams = calloc((size_t)workgroups * warps, sizeof *k->streams);
    assert_non_null(k->streams);
}

void kernel_free(struct kernel *k)
{
    for (size_t i = 0; i < (size_t)k->launch.workgroups * k->launch.warps; i++)
        free(k->streams[i].ops);
    free(k->streams);
    free(k->program);
}

static const struct sam_insn_row *row_of(const char *mnemonic)
{
    for (int op = 1; op < SAM_OP_COUNT; op++)
        if (strcmp(sam_insn_rows[op].mnemonic, mnemonic) == 0 &&
            sam_isa_has_row(&sam_insn_rows[op], &ventus))
            return &sam_insn_rows[op];
    fail_msg("no instruction is called %s", mnemonic);
    return NULL;
}

/* The word is decoded to get the fields of a real program; the registers are then set beyond the
 * five bits of the word, as a prefix does. */
unsigned kernel_add(struct kernel *k, const char *mnemonic, unsigned rd, unsigned rs1, unsigned rs2,
                    unsigned rs3, bool masked)
{
    const struct sam_insn_row *row = row_of(mnemonic);
    const unsigned numbers[] = {
        [SAM_SLOT_RD] = rd, [SAM_SLOT_RS1] = rs1, [SAM_SLOT_RS2] = rs2, [SAM_SLOT_RS3] = rs3};
    uint32_t word = row->match | sam_suffix_default(row);
    for (const char *letter = row->operands; *letter; letter++) {
        const struct sam_operand *operand = sam_operand_find(*letter);
        if (operand && sam_kind_is_register(operand->kind))
            word = sam_operand_put(operand, word, (int32_t)(numbers[operand->slot] & 31));
        else if (operand && operand->kind == SAM_KIND_VM)
            word = sam_operand_put(operand, word, !masked);
    }
    k->program = grow(k->program, k->length, &k->capacity, sizeof *k->program);
    struct sam_insn *insn = &k->program[k->length];
    if (!sam_decode(&ventus, word, 0, insn))
        fail_msg("%s: the word %08x is none", mnemonic, word);
    for (const char *letter = row->operands; *letter; letter++) {
        const struct sam_operand *operand = sam_operand_find(*letter);
        if (!operand || !sam_kind_is_register(operand->kind))
            continue;
        switch (operand->slot) {
        case SAM_SLOT_RD: insn->rd = (uint8_t)rd; break;
        case SAM_SLOT_RS1: insn->rs1 = (uint8_t)rs1; break;
        case SAM_SLOT_RS2: insn->rs2 = (uint8_t)rs2; break;
        case SAM_SLOT_RS3: insn->rs3 = (uint8_t)rs3; break;
        default: break;
        }
    }
    return (unsigned)k->length++;
}

static uint32_t all_lanes(const struct kernel *k)
{
    return k->launch.lanes == 32 ? UINT32_MAX : (UINT32_C(1) << k->launch.lanes) - 1;
}

struct kernel_op *kernel_run(struct kernel *k, uint32_t workgroup, uint32_t warp, unsigned index)
{
    struct kernel_stream *s = &k->streams[(size_t)workgroup * k->launch.warps + warp];
    const uint32_t pc = KERNEL_PC + 4 * index;
    s->ops = grow(s->ops, s->count, &s->capacity, sizeof *s->ops);
    struct kernel_op *made = &s->ops[s->count++];
    /* next() sets the instruction: the program may still grow */
    *made = (struct kernel_op){
        .op = {.pc = pc, .next_pc = pc + 4, .mask = all_lanes(k), .acting = all_lanes(k)}};
    return made;
}

void kernel_run_all(struct kernel *k)
{
    for (uint32_t g = 0; g < k->launch.workgroups; g++)
        for (uint32_t w = 0; w < k->launch.warps; w++)
            for (unsigned i = 0; i < k->length; i++)
                kernel_run(k, g, w, i);
}

static bool next(void *context, uint32_t workgroup, uint32_t warp, struct sam_gputime_op *op)
{
    struct kernel *k = context;
    struct kernel_stream *s = &k->streams[(size_t)workgroup * k->launch.warps + warp];
    assert_true(workgroup < k->launch.workgroups && warp < k->launch.warps);
    if (s->at == s->count)
        return false;
    struct kernel_op *made = &s->ops[s->at++];
    *op = made->op;
    op->insn = &k->program[(op->pc - KERNEL_PC) / 4];
    op->addresses = made->addresses;
    return true;
}

struct sam_gputime_source kernel_source(struct kernel *k)
{
    for (size_t i = 0; i < (size_t)k->launch.workgroups * k->launch.warps; i++)
        k->streams[i].at = 0;
    return (struct sam_gputime_source){.context = k, .next = next};
}
