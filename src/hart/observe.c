/* SPDX-License-Identifier: Apache-2.0 */
/* Trace and statistics of recorded instructions. A line of the trace:
 *
 *   80000000 00a00513  li a0, 10                                a0=000000000000000a
 *   80000014 10100a5b  tl.load t1, 4(a0)                        tl1 80001000..800013ff
 *
 * pc, word, instruction; then the register it wrote and, for loads and stores of the TensorLoad
 * unit, the range of memory that contains every byte moved. */
#include <inttypes.h>
#include <stdio.h>

#include "hart/core.h"

const char *sam_hart_class_name(enum sam_hart_class class_)
{
    static const char *const names[SAM_HART_CLASSES] = {
        "alu",     "muldiv",      "branch",   "jump",     "load",    "store",
        "atomic",  "float",       "csr",      "system",   "tl.load", "tl.store",
        "tl.addi", "tl.concat",   "tl.merge", "tl.xpose", "m.load",  "m.store",
        "m.mma",   "m.pointwise", "m.config", "other",
    };
    return (unsigned)class_ < SAM_HART_CLASSES ? names[class_] : "";
}

static enum sam_hart_class matrix_class(const struct sam_matrix_work *work)
{
    static const uint8_t classes[] = {
        [SAM_M_KIND_LOAD] = SAM_HART_M_LOAD,     [SAM_M_KIND_STORE] = SAM_HART_M_STORE,
        [SAM_M_KIND_MMA] = SAM_HART_M_MMA,       [SAM_M_KIND_POINTWISE] = SAM_HART_M_POINTWISE,
        [SAM_M_KIND_CONFIG] = SAM_HART_M_CONFIG,
    };
    return (enum sam_hart_class)classes[work->kind];
}

/* The class of a table row; for the matrix unit, of its work. */
static enum sam_hart_class class_of(const struct sam_insn *insn)
{
    static const uint8_t classes[] = {
        [SAM_ACT_ALU] = SAM_HART_ALU,           [SAM_ACT_MULDIV] = SAM_HART_MULDIV,
        [SAM_ACT_FLOAT] = SAM_HART_FLOAT,       [SAM_ACT_BRANCH] = SAM_HART_BRANCH,
        [SAM_ACT_JUMP] = SAM_HART_JUMP,         [SAM_ACT_LOAD] = SAM_HART_LOAD,
        [SAM_ACT_STORE] = SAM_HART_STORE,       [SAM_ACT_ATOMIC] = SAM_HART_ATOMIC,
        [SAM_ACT_RESERVE] = SAM_HART_ATOMIC,    [SAM_ACT_CSR_WRITE] = SAM_HART_CSR,
        [SAM_ACT_CSR_BITS] = SAM_HART_CSR,      [SAM_ACT_SYSTEM] = SAM_HART_SYSTEM,
        [SAM_ACT_PREFIX] = SAM_HART_OTHER,      [SAM_ACT_VTYPE] = SAM_HART_OTHER,
        [SAM_ACT_SPLIT] = SAM_HART_OTHER,       [SAM_ACT_JOIN] = SAM_HART_OTHER,
        [SAM_ACT_RPC] = SAM_HART_OTHER,         [SAM_ACT_SYNC] = SAM_HART_OTHER,
        [SAM_ACT_TL_LOAD] = SAM_HART_TL_LOAD,   [SAM_ACT_TL_STORE] = SAM_HART_TL_STORE,
        [SAM_ACT_TL_ADDI] = SAM_HART_TL_ADDI,   [SAM_ACT_TL_CONCAT] = SAM_HART_TL_CONCAT,
        [SAM_ACT_TL_MERGE] = SAM_HART_TL_MERGE, [SAM_ACT_TL_XPOSE] = SAM_HART_TL_XPOSE,
        [SAM_ACT_MATRIX] = SAM_HART_OTHER,
    };
    return (enum sam_hart_class)classes[sam_insn_rows[insn->op].does.act];
}

void sam_hart_count(struct sam_hart *hart, const struct sam_insn *insn, uint64_t count)
{
    hart->stats.instructions += count;
    hart->stats.classes[class_of(insn)] += count;
}

static void count(struct sam_hart *hart, const struct sam_hart_record *r)
{
    struct sam_hart_stats *s = &hart->stats;
    if (r->has_matrix) {
        const struct sam_matrix_work *matrix = &r->matrix;
        s->instructions++;
        s->classes[matrix_class(matrix)]++;
        s->m_macs += matrix->macs;
        if (matrix->kind == SAM_M_KIND_LOAD)
            s->m_bytes_loaded += (uint64_t)matrix->m * matrix->bytes;
        else if (matrix->kind == SAM_M_KIND_STORE)
            s->m_bytes_stored += (uint64_t)matrix->m * matrix->bytes;
        return;
    }
    sam_hart_count(hart, &r->insn, 1);
    if (r->has_tensor && r->tensor.store)
        s->tl_bytes_stored += r->tensor.bytes;
    if (r->has_tensor && r->tensor.load)
        s->tl_bytes_loaded += r->tensor.bytes;
}

/* ----------------------------------------------------------------------------------- trace */

static void show_address(struct sam_hart *hart, uint64_t address)
{
    sam_buffer_hex(&hart->line, address, hart->machine.isa.xlen / 4);
}

static void show_results(struct sam_hart *hart, const struct sam_step *step)
{
    if (step->x_count) {
        sam_buffer_puts(&hart->line, " ");
        sam_buffer_puts(&hart->line, sam_register_x_name(step->x));
        sam_buffer_puts(&hart->line, "=");
        show_address(hart, step->x_value[0]);
    }
    for (unsigned i = 0; i < step->tl_count; i++)
        sam_buffer_printf(&hart->line, " tl%u", step->tl[i]);
    for (unsigned i = 0; i < step->m_count; i++)
        sam_buffer_printf(&hart->line, " m%u", step->m + i);
}

static void show_access(struct sam_hart *hart, const struct sam_hart_record *r)
{
    const struct sam_matrix_work *matrix = &r->matrix;
    if (r->has_matrix && matrix->kind <= SAM_M_KIND_STORE) {
        /* address of the first row, and the stride */
        sam_buffer_printf(&hart->line, " ");
        show_address(hart, matrix->base);
        sam_buffer_printf(&hart->line, "+%u", matrix->bytes);
        if (matrix->m > 1)
            sam_buffer_printf(&hart->line, " x%u by %" PRId64, matrix->m, (int64_t)matrix->stride);
    } else if (r->has_tensor && r->tensor.span_count) {
        sam_buffer_printf(&hart->line, " ");
        show_address(hart, r->tensor.spans[0].low);
        sam_buffer_printf(&hart->line, "..");
        show_address(hart, r->tensor.spans[r->tensor.span_count - 1].high);
    }
}

static bool write_line(struct sam_hart *hart)
{
    const struct sam_sink *sink = &hart->options.trace;
    sam_buffer_append(&hart->line, "\n", 1);
    return !hart->line.failed && sink->write(sink->context, hart->line.data, hart->line.size);
}

static bool trace(struct sam_hart *hart, const struct sam_hart_record *r)
{
    enum { COLUMN = 40 };
    const uint64_t pc = r->step.pc;
    const char *text = sam_texts_of(hart->texts, &hart->machine.isa, r->step.word, pc, hart->image);
    const size_t size = strlen(text);
    hart->line.size = 0;
    show_address(hart, pc);
    sam_buffer_puts(&hart->line, " ");
    sam_buffer_hex(&hart->line, r->step.word, 8);
    sam_buffer_puts(&hart->line, "  ");
    sam_buffer_append(&hart->line, text, size);
    sam_buffer_fill(&hart->line, ' ', size < COLUMN ? COLUMN - size : 0);
    show_results(hart, &r->step);
    show_access(hart, r);
    while (hart->line.size && hart->line.data[hart->line.size - 1] == ' ')
        hart->line.size--;
    return write_line(hart);
}

bool sam_hart_observe_trap(struct sam_hart *hart, unsigned cause, uint64_t tval)
{
    char text[SAM_HART_CAUSE_TEXT];
    sam_hart_cause_text(hart, cause, tval, text, sizeof text);
    hart->line.size = 0;
    show_address(hart, sam_hart_pc(hart));
    sam_buffer_printf(&hart->line, " trap %u: %s", cause, text);
    return write_line(hart);
}

enum sam_status sam_hart_observe(struct sam_hart *hart, struct sam_hart_record *r)
{
    enum sam_status status = hart->engines ? sam_hart_time(hart, r) : SAM_OK;
    if (r->step.kind == SAM_STEP_TRAPPED)
        return status;
    if (hart->options.collect_stats)
        count(hart, r);
    const bool fresh = hart->core.retired > hart->shown;
    if (hart->options.profile && fresh && !sam_hart_profile(hart, r))
        return SAM_ERR_MEMORY;
    if (hart->options.trace.write && fresh && !trace(hart, r))
        status = SAM_ERR_IO;
    return status;
}
