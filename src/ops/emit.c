/* SPDX-License-Identifier: Apache-2.0 */
/* Emit a plan as an assembly program, or as a part of one.
 *
 * a0 and a1 step through input and output, s2 to s11 count loops, a2 steps through a stride table,
 * a3 to a7 hold XPOSE dims, t0 and t1 are scratch. A CSR with one value in a region is set before
 * its loops; one with several values before each use that changes it. tl1 and up hold blocks, tl31
 * the constant. */
#include <inttypes.h>
#include <stdlib.h>

#include "ops/plan.h"

#define FILL_REGISTER  31u
#define MERGE_REGISTER 30u
#define FIRST_COUNTER  2u /* s2 */
#define LAST_COUNTER   11u
_Static_assert(SAM_PLAN_DIMS == LAST_COUNTER - FIRST_COUNTER + 1, "a counter for each loop");
#define DIM_REGISTERS 5u /* a3..a7 */

#define TYPE_BYTES      2u /* ttype: tint8 */
#define TYPE_HALF_BYTES 1u /* tint4 */

/* CSRs of the unit, numbered by the emitter. */
enum {
    CSR_LOAD_STRIDE = 0,
    CSR_STORE_STRIDE = 32,
    CSR_SHAPE = 64,
    CSR_LOAD_WIDTH,
    CSR_STORE_WIDTH,
    CSR_STORE_MASK,
    CSR_CONCAT_1,
    CSR_CONCAT_2,
    CSR_TYPE,
    CSR_COUNT,
};

struct csr_state {
    bool known[CSR_COUNT];
    uint32_t value[CSR_COUNT];
};

struct emitter {
    const struct sam_plan *plan;
    struct sam_buffer *text;
    struct csr_state csr;
    uint32_t dims[DIM_REGISTERS];
    unsigned dim_count;
    size_t region;     /* number, for labels */
    const char *label; /* label prefix */
    bool routine;      /* part of another program: labels have the prefix, ttype is unknown */
    /* Registers with the input and output address; NULL if the addresses are constants. */
    const char *from, *to;
};

#define EMIT(...) sam_buffer_printf(e->text, __VA_ARGS__)

static void print_csr_name(struct emitter *e, unsigned csr)
{
    static const char *const names[] = {"tshape",      "tload_width",    "tstore_width",
                                        "tmask_store", "tmask_concat_1", "tmask_concat_2",
                                        "ttype"};
    if (csr < CSR_SHAPE)
        EMIT("%s%u", csr < CSR_STORE_STRIDE ? "tload_stride" : "tstore_stride", csr % 32);
    else
        EMIT("%s", names[csr - CSR_SHAPE]);
}

static void set_csr(struct emitter *e, unsigned csr, uint32_t value)
{
    if (e->csr.known[csr] && e->csr.value[csr] == value)
        return;
    e->csr.known[csr] = true;
    e->csr.value[csr] = value;
    if (value < 32) {
        EMIT("    csrwi ");
        print_csr_name(e, csr);
        EMIT(", %" PRIu32 "\n", value);
    } else {
        EMIT("    li t0, 0x%" PRIx32 "\n    csrw ", value);
        print_csr_name(e, csr);
        EMIT(", t0\n");
    }
}

/* ------------------------------------------------------------- the CSRs of an instruction */

typedef void use_csr(void *context, unsigned csr, uint32_t value);

static uint32_t shape_word(const struct sam_block_op *op)
{
    bool moves = op->kind == SAM_BLOCK_LOAD || op->kind == SAM_BLOCK_STORE;
    return moves ? (uint32_t)op->slices << 16 | 0x0101
                 : (uint32_t)op->shape[0] << 16 | (uint32_t)op->shape[1] << 8 | op->shape[2];
}

static void visit_csrs(const struct sam_plan *plan, const struct sam_plan_region *region,
                       const struct sam_block_op *op, use_csr *use, void *context)
{
    const bool store = op->kind == SAM_BLOCK_STORE, bytes = region->phase == SAM_PHASE_MOVE;
    if (plan->scratch) /* otherwise the type is always bytes */
        use(context, CSR_TYPE, bytes ? TYPE_BYTES : TYPE_HALF_BYTES);
    if (op->kind == SAM_BLOCK_XPOSE)
        return;
    use(context, CSR_SHAPE, shape_word(op));
    if (op->kind == SAM_BLOCK_CONCAT) {
        use(context, CSR_CONCAT_1, op->mask1);
        use(context, CSR_CONCAT_2, op->mask2);
        return;
    }
    use(context, store ? CSR_STORE_WIDTH : CSR_LOAD_WIDTH, bytes ? op->width : op->width * 2u);
    if (op->masked)
        use(context, CSR_STORE_MASK, op->mask);
    for (unsigned i = 0; i < op->slices && !op->table; i++)
        use(context, (store ? CSR_STORE_STRIDE : CSR_LOAD_STRIDE) + i, (uint32_t)op->stride[i]);
}

static void use_now(void *context, unsigned csr, uint32_t value)
{
    set_csr(context, csr, value);
}

struct survey {
    struct csr_state first;
    bool several[CSR_COUNT];
};

static void use_survey(void *context, unsigned csr, uint32_t value)
{
    struct survey *survey = context;
    if (survey->first.known[csr] && survey->first.value[csr] != value)
        survey->several[csr] = true;
    survey->first.known[csr] = true;
    survey->first.value[csr] = value;
}

/* Set the CSRs that the body never changes before the loops; the others are unknown at its start.
 */
static void hoist_csrs(struct emitter *e, const struct sam_plan_region *region)
{
    struct survey survey = {0};
    for (size_t i = 0; i < region->block.count; i++)
        visit_csrs(e->plan, region, &region->block.ops[i], use_survey, &survey);
    for (unsigned csr = 0; csr < CSR_COUNT; csr++) {
        if (survey.first.known[csr] && !survey.several[csr])
            set_csr(e, csr, survey.first.value[csr]);
        if (survey.several[csr])
            e->csr.known[csr] = false;
    }
}

/* ----------------------------------------------------------------------- instructions */

static unsigned register_of(uint8_t number, unsigned copy, unsigned registers)
{
    return number == SAM_PLAN_FILL ? FILL_REGISTER : 1 + number + copy * registers;
}

static void add_to(struct emitter *e, const char *to, const char *from, int64_t value)
{
    if (value >= -2048 && value < 2048)
        EMIT("    addi %s, %s, %" PRId64 "\n", to, from, value);
    else
        EMIT("    li t0, %" PRId64 "\n    add %s, %s, t0\n", value, to, from);
}

static void emit_transfer(struct emitter *e, const struct sam_block_op *op, int64_t offset,
                          unsigned reg)
{
    bool store = op->kind == SAM_BLOCK_STORE;
    const char *base = store ? "a1" : "a0";
    int64_t imm = 0;
    if (offset % op->width == 0 && offset / op->width >= -128 && offset / op->width < 128) {
        imm = offset / op->width;
    } else {
        add_to(e, "t1", base, offset);
        base = "t1";
    }
    EMIT("    tl.%s%s tl%u, %" PRId64 "(%s)\n", op->masked ? "m" : "", store ? "store" : "load",
         reg, imm, base);
}

static uint32_t dims_word(const struct sam_block_op *op)
{
    return (uint32_t)op->shape[3] << 24 | (uint32_t)op->shape[2] << 16 |
           (uint32_t)op->shape[1] << 8 | op->shape[0];
}

/* Keep XPOSE dims in registers throughout the region, while registers last. */
static void hoist_dims(struct emitter *e, const struct sam_plan_region *region)
{
    e->dim_count = 0;
    for (size_t i = 0; i < region->block.count; i++) {
        const struct sam_block_op *op = &region->block.ops[i];
        unsigned k = 0;
        if (op->kind != SAM_BLOCK_XPOSE)
            continue;
        while (k < e->dim_count && e->dims[k] != dims_word(op))
            k++;
        if (k < e->dim_count || k == DIM_REGISTERS)
            continue;
        e->dims[e->dim_count++] = dims_word(op);
        EMIT("    li a%u, 0x%08" PRIx32 "    # dims %u,%u,%u,%u\n", 3 + k, dims_word(op),
             op->shape[0], op->shape[1], op->shape[2], op->shape[3]);
    }
}

static void emit_op(struct emitter *e, const struct sam_plan_region *region,
                    const struct sam_block_op *op, int64_t in, int64_t out, unsigned copy)
{
    unsigned registers = region->block.registers;
    unsigned rd = register_of(op->rd, copy, registers), rs1 = register_of(op->rs1, copy, registers);
    unsigned rs2 = register_of(op->rs2, copy, registers), k = 0;
    visit_csrs(e->plan, region, op, use_now, e);
    switch (op->kind) {
    case SAM_BLOCK_LOAD: emit_transfer(e, op, op->offset + in, rd); break;
    case SAM_BLOCK_STORE: emit_transfer(e, op, op->offset + out, rs1); break;
    case SAM_BLOCK_CONCAT:
        EMIT("    tl.concat.%u tl%u, tl%u, tl%u\n", op->dim, rd, rs1, rs2);
        break;
    case SAM_BLOCK_XPOSE:
        while (k < e->dim_count && e->dims[k] != dims_word(op))
            k++;
        if (k == e->dim_count)
            EMIT("    li t1, 0x%08" PRIx32 "\n", dims_word(op));
        EMIT("    tl.xpose.");
        if (region->phase == SAM_PHASE_MOVE)
            EMIT("%c.", "bhwd"[op->width_log]);
        EMIT("%u%u tl%u, tl%u, ", op->dim, op->dim2, rs1, rs2);
        if (k == e->dim_count)
            EMIT("t1\n");
        else
            EMIT("a%u\n", 3 + k);
        break;
    }
}

/* ----------------------------------------------------------------------------- regions */

/* Blocks per iteration of the innermost loop, each with its own registers, so that the engines work
 * on different blocks at the same time. */
static unsigned copies_of(const struct sam_plan_region *region)
{
    if (!region->loops || (region->table && region->loops == 1))
        return 1;
    uint64_t count = region->loop[region->loops - 1].count;
    for (unsigned copies = 8; copies > 1; copies--)
        if (count % copies == 0 && copies * region->block.registers < MERGE_REGISTER &&
            copies * region->block.count <= 128)
            return copies;
    return 1;
}

static void emit_body(struct emitter *e, const struct sam_plan_region *region, unsigned copies)
{
    const struct sam_loop *inner = region->loops ? &region->loop[region->loops - 1] : NULL;
    for (unsigned copy = 0; copy < copies; copy++)
        for (size_t i = 0; i < region->block.count; i++)
            emit_op(e, region, &region->block.ops[i], inner ? inner->in * copy : 0,
                    inner ? inner->out * copy : 0, copy);
}

static void emit_table_strides(struct emitter *e, const struct sam_plan_region *region)
{
    unsigned slices = region->block.ops[0].slices;
    for (unsigned i = 0; i < slices; i++) {
        EMIT("    lw t0, %u(a2)\n    csrw ", i * 4);
        print_csr_name(e, CSR_LOAD_STRIDE + i);
        EMIT(", t0\n");
        e->csr.known[CSR_LOAD_STRIDE + i] = false;
    }
    EMIT("    addi a2, a2, %u\n", SAM_PLAN_TL_SLICES * 4);
}

/* Set the pointers of a region. */
static void emit_start(struct emitter *e, const struct sam_plan_region *region, uint64_t in,
                       uint64_t out)
{
    if (!e->from) {
        EMIT("    li a0, 0x%" PRIx64 "\n    li a1, 0x%" PRIx64 "\n", in + (uint64_t)region->in,
             out + (uint64_t)region->out);
        return;
    }
    add_to(e, "a0", e->from, region->in);
    add_to(e, "a1", e->to, region->out);
}

static void emit_region(struct emitter *e, const struct sam_plan_region *region, uint64_t in,
                        uint64_t out)
{
    unsigned copies = copies_of(region);
    EMIT("\n# %zu: blocks of %s", e->region, region->what);
    for (unsigned i = 0; i < region->loops; i++)
        EMIT("%s%" PRIu64, i ? "x" : ", ", region->loop[i].count);
    EMIT("\n");
    emit_start(e, region, in, out);
    if (region->table)
        EMIT("    la a2, %sstrides%zu\n", e->routine ? e->label : "", e->region);
    hoist_dims(e, region);
    hoist_csrs(e, region);
    for (unsigned i = 0; i < region->loops; i++) {
        uint64_t count = region->loop[i].count / (i + 1 == region->loops ? copies : 1);
        EMIT("    li s%u, %" PRIu64 "\n%s%zu_%u:\n", FIRST_COUNTER + i, count, e->label, e->region,
             i);
        if (i == 0 && region->table)
            emit_table_strides(e, region);
    }
    emit_body(e, region, copies);
    /* The end of each loop advances the pointers; the next outer loop first subtracts the steps of
     * the inner one. */
    int64_t back_in = 0, back_out = 0;
    for (unsigned i = region->loops; i-- > 0;) {
        const struct sam_loop *loop = &region->loop[i];
        int64_t turns = i + 1 == region->loops ? copies : 1;
        if (loop->in * turns != back_in)
            add_to(e, "a0", "a0", loop->in * turns - back_in);
        if (loop->out * turns != back_out)
            add_to(e, "a1", "a1", loop->out * turns - back_out);
        back_in = loop->in * (int64_t)loop->count;
        back_out = loop->out * (int64_t)loop->count;
        EMIT("    addi s%u, s%u, -1\n    bnez s%u, %s%zu_%u\n", FIRST_COUNTER + i,
             FIRST_COUNTER + i, FIRST_COUNTER + i, e->label, e->region, i);
    }
}

/* ------------------------------------------------------------------------- the constant */

/* Set all bytes of a register to a value, by ADDIs of at most 127 from tl0. */
static void emit_bytes(struct emitter *e, unsigned reg, unsigned value)
{
    unsigned from = 0;
    do {
        unsigned step = value < 127 ? value : 127;
        EMIT("    tl.addi tl%u, tl%u, %u\n", reg, from, step);
        value -= step;
        from = reg;
    } while (value);
}

/* Set every element to the constant: build its bytes one by one and merge them. */
static void emit_constant(struct emitter *e)
{
    const struct sam_plan *plan = e->plan;
    EMIT("\n# the constant\n");
    emit_bytes(e, FILL_REGISTER, plan->fill[0]);
    if (plan->element > 1) /* 1024 bytes as [rows][4][element] */
        set_csr(e, CSR_SHAPE, SAM_PLAN_TL_BYTES / 4 / plan->element << 16 | 4 << 8 | plan->element);
    for (unsigned i = 1; i < plan->element; i++) {
        if (plan->fill[i] == plan->fill[0])
            continue;
        emit_bytes(e, MERGE_REGISTER, plan->fill[i]);
        set_csr(e, CSR_CONCAT_1, UINT32_C(1) << i);
        EMIT("    tl.merge.2 tl%u, tl%u, tl%u\n", FILL_REGISTER, MERGE_REGISTER, FILL_REGISTER);
    }
}

static bool uses_constant(const struct sam_plan *plan)
{
    for (size_t i = 0; i < plan->count; i++)
        for (size_t k = 0; k < plan->regions[i].block.count; k++)
            if (plan->regions[i].block.ops[k].kind == SAM_BLOCK_STORE &&
                plan->regions[i].block.ops[k].rs1 == SAM_PLAN_FILL)
                return true;
    return false;
}

static void emit_tables(struct emitter *e)
{
    bool any = false;
    for (size_t i = 0; i < e->plan->count; i++) {
        const struct sam_plan_region *region = &e->plan->regions[i];
        if (!region->table)
            continue;
        EMIT("%s\n%sstrides%zu:\n", any ? "" : "\n    .data\n    .balign 4",
             e->routine ? e->label : "", i);
        any = true;
        for (uint64_t k = 0; k < region->loop[0].count * SAM_PLAN_TL_SLICES; k++)
            EMIT("%s%" PRIu32 "%s", k % 8 ? ", " : "    .word ", region->table[k],
                 k % 8 == 7 ? "\n" : "");
    }
}

/* Emit all regions. `inputs` and `output` are set if the addresses are constants. */
static void emit_plan(struct emitter *e, const uint64_t *inputs, uint64_t output)
{
    const struct sam_plan *plan = e->plan;
    const uint64_t scratch = sam_plan_scratch_at(plan, output);
    if (e->routine)
        set_csr(e, CSR_TYPE, TYPE_BYTES);
    if (plan->odd) /* the second half of the last byte */
        EMIT("    li t0, 0x%" PRIx64 "\n    sb zero, 0(t0)\n",
             scratch + plan->joined + 2 * plan->output_size - 1);
    if (uses_constant(e->plan))
        emit_constant(e);
    for (e->region = 0; e->region < e->plan->count && !e->text->failed; e->region++) {
        const struct sam_plan_region *region = &e->plan->regions[e->region];
        uint64_t in = inputs ? inputs[region->input] : 0, out = output;
        if (plan->scratch && region->phase != SAM_PHASE_SPLIT)
            in = scratch +
                 (region->phase == SAM_PHASE_JOIN ? plan->joined : plan->split[region->input]);
        if (plan->scratch && region->phase != SAM_PHASE_JOIN)
            out = scratch +
                  (region->phase == SAM_PHASE_SPLIT ? plan->split[region->input] : plan->joined);
        emit_region(e, region, in, out);
    }
}

void sam_plan_emit(const struct sam_plan *plan, const char *label, const char *from, const char *to,
                   struct sam_buffer *text)
{
    struct emitter emitter = {.plan = plan, .text = text, .label = label, .from = from, .to = to};
    emit_plan(&emitter, NULL, 0);
}

void sam_plan_emit_places(const struct sam_plan *plan, const uint64_t *inputs, uint64_t output,
                          struct sam_buffer *text)
{
    struct emitter emitter = {.plan = plan, .text = text}, *e = &emitter;
    char element[SAM_ELEMENT_TEXT];
    EMIT("# %s, %s\n", plan->name, sam_plan_element(plan, element));
    for (unsigned i = 0; i < plan->inputs; i++)
        EMIT("# input %u: %" PRIu64 " bytes at 0x%" PRIx64 "\n", i, plan->input_size[i], inputs[i]);
    EMIT("# output: %" PRIu64 " bytes at 0x%" PRIx64 "\n", plan->output_size, output);
    if (plan->scratch)
        EMIT("# scratch memory: %" PRIu64 " bytes at 0x%" PRIx64 "\n", plan->scratch,
             sam_plan_scratch_at(plan, output));
}

unsigned sam_plan_counters(const struct sam_plan *plan)
{
    unsigned most = 0;
    for (size_t i = 0; i < plan->count; i++)
        most = plan->regions[i].loops > most ? plan->regions[i].loops : most;
    return most;
}

void sam_plan_emit_body(const struct sam_plan *plan, const char *label, const uint64_t *inputs,
                        uint64_t output, struct sam_buffer *text)
{
    struct emitter emitter = {.plan = plan, .text = text, .label = label, .routine = true};
    emit_plan(&emitter, inputs, output);
}

void sam_plan_emit_tables(const struct sam_plan *plan, const char *label, struct sam_buffer *text)
{
    struct emitter emitter = {.plan = plan, .text = text, .label = label, .routine = true};
    emit_tables(&emitter);
}

enum sam_status sam_plan_program(const struct sam_plan *plan, const uint64_t *inputs,
                                 uint64_t output, char **text, struct sam_error *error)
{
    if (text)
        *text = NULL;
    if (SAM_LACKS(error, plan, inputs, text))
        return SAM_ERR_USAGE;
    struct sam_buffer buffer = {0};
    struct emitter emitter = {.plan = plan, .text = &buffer, .label = "loop"}, *e = &emitter;
    sam_plan_emit_places(plan, inputs, output, &buffer);
    EMIT("    .globl _start\n_start:\n");
    emit_plan(e, inputs, output);
    EMIT("\n    li      a0, 0\n    li      a7, 93\n    ecall\n");
    emit_tables(e);
    if (buffer.failed || !(*text = sam_strdup(sam_buffer_text(&buffer)))) {
        sam_buffer_free(&buffer);
        return sam_fail_memory(error);
    }
    sam_buffer_free(&buffer);
    return SAM_OK;
}
