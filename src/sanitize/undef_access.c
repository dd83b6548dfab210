/* SPDX-License-Identifier: Apache-2.0 */
/* Loads, stores and atomics: their addresses are uses; data moves between shadow registers and
 * shadow memory. */
#include "sanitize/undef_step.h"

#define LANES for (unsigned i = 0; i < UNDEF_LANES; i++)

/* ---------------------------------------------------------------------------------- addresses */

static bool acts(const struct sam_sanitize_op *op)
{
    uint32_t lanes = 0;
    for (unsigned g = 0; g < op->groups; g++)
        lanes |= op->acting[g];
    return lanes != 0;
}

static void use_address(struct undef *undef, struct undef_warp *w, const struct sam_sanitize_op *op,
                        const struct undef_row *row)
{
    if (row->vector && !acts(op))
        return;
    for (unsigned i = 0; i < row->source_count; i++) {
        const unsigned reg = undef_reg(op->insn, row->sources[i].slot);
        const uint32_t relevant = row->index ? UINT32_MAX >> (32 - 8 * row->index) : UINT32_MAX;
        if (row->sources[i].file == SAM_OPERAND_X)
            sam_undef_use_x(undef, w, op, UNDEF_USE_ADDRESS, reg);
        for (unsigned g = 0; row->sources[i].file == SAM_OPERAND_V && g < op->groups; g++)
            sam_undef_use_v(undef, w, op, UNDEF_USE_ADDRESS, (reg + g) % UNDEF_VREGS, op->acting[g],
                            relevant);
    }
}

/* -------------------------------------------------------------------------- whole warps at once */

/* The page that contains the addresses of all acting lanes, or NULL. */
static struct undef_page *one_page(struct undef *undef, const uint32_t *at, uint32_t acting,
                                   const struct sam_sanitize_op *op)
{
    uint32_t apart = 0;
    if (!acting || op->words != 1)
        return NULL;
    const uint32_t first = at[__builtin_ctz(acting)];
    if (acting == UINT32_MAX)
        LANES apart |= at[i] ^ first;
    else
        for (uint32_t rest = acting; rest; rest &= rest - 1)
            apart |= at[__builtin_ctz(rest)] ^ first;
    return apart / UNDEF_PAGE ? NULL : sam_undef_page(&undef->memory, first);
}

/* Whether all lanes act on consecutive words of one page. */
static bool in_a_row(const uint32_t *at, uint32_t acting, unsigned size)
{
    uint32_t apart = 0;
    LANES apart |= at[i] ^ (at[0] + 4 * i);
    return !apart && acting == UINT32_MAX && size == 4 &&
           at[0] % UNDEF_PAGE <= UNDEF_PAGE - 4 * UNDEF_LANES;
}

/* Whether everything that the acting lanes load from a page is defined. */
static bool is_defined(const struct undef_page *page, const uint32_t *at, uint32_t acting,
                       unsigned size)
{
    uint64_t any = 0;
    if (in_a_row(at, acting, size)) {
        for (unsigned i = 0; i < 4 * UNDEF_LANES; i += 8) {
            uint64_t eight;
            memcpy(&eight, page->bits + at[0] % UNDEF_PAGE + i, 8);
            any |= eight;
        }
        return !any;
    }
    for (; acting && !any; acting &= acting - 1) {
        const uint32_t offset = at[__builtin_ctz(acting)] % UNDEF_PAGE & ~(size - 1);
        for (unsigned i = 0; i < size; i++)
            any |= page->bits[offset + i];
    }
    return !any;
}

/* Mark what the acting lanes store as defined. */
static void define(struct undef_page *page, const uint32_t *at, uint32_t acting, unsigned size)
{
    if (in_a_row(at, acting, size)) {
        memset(page->bits + at[0] % UNDEF_PAGE, 0, 4 * UNDEF_LANES);
        return;
    }
    for (; acting; acting &= acting - 1)
        memset(page->bits + (at[__builtin_ctz(acting)] % UNDEF_PAGE & ~(size - 1)), 0, size);
}

/* -------------------------------------------------------------------------------------- loads */

static uint32_t extended(const struct undef_row *row, uint32_t bits)
{
    if (!row->sign_extends || row->bytes == 4)
        return bits;
    return row->bytes == 1 ? (uint32_t)(int8_t)bits : (uint32_t)(int16_t)bits;
}

/* The undefined bits of a loaded element. */
static uint32_t loaded(struct undef *undef, const struct sam_sanitize_op *op,
                       const struct undef_row *row, uint32_t lane, uint32_t address,
                       undef_origin *origin)
{
    *origin = 0;
    const uint32_t bits = sam_undef_load(&undef->memory, address, row->bytes, origin);
    if (SAM_UNLIKELY(bits && !*origin))
        *origin = sam_undef_origin_of_load(undef, op, lane, address, row->bytes);
    return extended(row, bits);
}

static void scalar_load(struct undef *undef, struct undef_warp *w, const struct sam_sanitize_op *op,
                        const struct undef_row *row)
{
    for (unsigned word = 0; word < op->words; word++) {
        undef_origin origin;
        const uint32_t bits =
            loaded(undef, op, row, UINT32_MAX, op->address[0][0] + word * op->apart, &origin);
        if (op->insn->rd)
            undef_set_x(w, op->insn->rd + word, bits, origin);
    }
}

static void vector_load(struct undef *undef, struct undef_warp *w, const struct sam_sanitize_op *op,
                        const struct undef_row *row, unsigned g)
{
    const uint32_t *at = op->address[g], acting = op->acting[g];
    const unsigned rd = op->insn->rd + g;
    const struct undef_page *page = one_page(undef, at, acting, op);
    uint32_t defined = 0;
    if (page && (page == undef->memory.defined || is_defined(page, at, acting, row->bytes))) {
        undef_define_v(w, rd % UNDEF_VREGS, acting);
        return;
    }
    for (unsigned word = 0; word < op->words; word++, defined = 0) {
        const unsigned reg = (rd + word) % UNDEF_VREGS;
        for (uint32_t rest = acting; rest; rest &= rest - 1) {
            const unsigned lane = (unsigned)__builtin_ctz(rest);
            undef_origin origin;
            const uint32_t bits =
                loaded(undef, op, row, lane, at[lane] + word * op->apart, &origin);
            if (bits)
                undef_set_v(w, reg, lane, bits, origin);
            else
                defined |= UINT32_C(1) << lane;
        }
        undef_define_v(w, reg, defined);
    }
}

/* ------------------------------------------------------------------------------------- stores */

static uint32_t stored_bits(const struct undef_row *row)
{
    return UINT32_MAX >> (32 - 8 * row->bytes);
}

/* Report the store of an undefined register to memory that the host may read. */
static void report_result(struct undef *undef, const struct sam_sanitize_op *op,
                          struct undef_finding finding, undef_origin origin)
{
    finding.use = UNDEF_USE_STORE;
    finding.from = sam_undef_from(undef, origin);
    undef->report(undef->context, op, &finding);
}

static void scalar_store(struct undef *undef, struct undef_warp *w,
                         const struct sam_sanitize_op *op, const struct undef_row *row)
{
    for (unsigned word = 0; word < op->words; word++) {
        const unsigned reg = undef_reg(op->insn, row->data.slot);
        const unsigned data = reg ? reg + word : 0;
        const uint32_t address = op->address[0][0] + word * op->apart;
        uint32_t bits = w->x[data] & stored_bits(row);
        if (SAM_UNLIKELY(bits) && sam_undef_is_result(&undef->memory, address)) {
            report_result(undef, op,
                          (struct undef_finding){
                              .reg = (uint8_t)data, .lane = UINT32_MAX, .address = address},
                          w->x_origin[data]);
            bits = w->x[data] = 0;
        }
        sam_undef_store(&undef->memory, address, row->bytes, bits, w->x_origin[data]);
    }
}

/* Report lanes that store undefined bits to memory that the host may read. */
static void report_stored(struct undef *undef, struct undef_warp *w,
                          const struct sam_sanitize_op *op, const struct undef_row *row, unsigned g,
                          unsigned word, unsigned reg)
{
    uint32_t found = 0;
    for (uint32_t rest = w->lanes[reg] & op->acting[g]; rest; rest &= rest - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(rest);
        if (undef_bits_v(w, reg, lane) & stored_bits(row) &&
            sam_undef_is_result(&undef->memory, op->address[g][lane] + word * op->apart))
            found |= UINT32_C(1) << lane;
    }
    if (!found)
        return;
    const unsigned lane = (unsigned)__builtin_ctz(found);
    report_result(undef, op,
                  (struct undef_finding){.vector = true,
                                         .reg = (uint8_t)reg,
                                         .lanes = found,
                                         .lane = lane,
                                         .address = op->address[g][lane] + word * op->apart},
                  undef_origin_v(w, reg, lane));
    undef_define_v(w, reg, found);
}

static void vector_store(struct undef *undef, struct undef_warp *w,
                         const struct sam_sanitize_op *op, const struct undef_row *row, unsigned g)
{
    const uint32_t *at = op->address[g], acting = op->acting[g];
    const unsigned data = undef_reg(op->insn, row->data.slot) + g;
    struct undef_page *page = one_page(undef, at, acting, op);
    for (unsigned word = 0; word < op->words; word++) {
        const unsigned reg = (data + word) % UNDEF_VREGS;
        if (SAM_UNLIKELY(w->lanes[reg] & acting))
            report_stored(undef, w, op, row, g, word, reg);
        if (page && !(w->lanes[reg] & acting) && !page->origins) {
            if (page != undef->memory.defined)
                define(page, at, acting, row->bytes);
            continue;
        }
        for (uint32_t rest = acting; rest; rest &= rest - 1) {
            const unsigned lane = (unsigned)__builtin_ctz(rest);
            sam_undef_store(&undef->memory, at[lane] + word * op->apart, row->bytes,
                            undef_bits_v(w, reg, lane) & stored_bits(row),
                            undef_origin_v(w, reg, lane));
        }
    }
}

/* ------------------------------------------------------------------------------------- atomics */

/* sc may fail and leave memory unchanged: defined bytes stay defined. */
static bool is_conditional(const struct sam_sanitize_op *op)
{
    return op->insn->op == SAM_OP_sc_w || op->insn->op == SAM_OP_sc_d;
}

static void atomic(struct undef *undef, struct undef_warp *w, const struct sam_sanitize_op *op,
                   const struct undef_row *row)
{
    const uint32_t address = op->address[0][0];
    const unsigned data = undef_reg(op->insn, row->data.slot);
    const bool conditional = is_conditional(op);
    undef_origin from_memory, origin = w->x_origin[data];
    uint32_t old = loaded(undef, op, row, UINT32_MAX, address, &from_memory);
    uint32_t bits = w->x[data];
    if (row->rule != SAM_UNDEFINED_COPY && !conditional)
        bits = old || bits ? UINT32_MAX : 0;
    if (SAM_UNLIKELY(bits) && sam_undef_is_result(&undef->memory, address)) {
        const bool memory = !w->x[data];
        report_result(
            undef, op,
            (struct undef_finding){
                .reg = (uint8_t)data, .memory = memory, .lane = UINT32_MAX, .address = address},
            memory ? from_memory : origin);
        w->x[data] = 0;
        old = bits = 0;
    }
    if (!w->x[data])
        origin = from_memory;
    sam_undef_store(&undef->memory, address, row->bytes, conditional ? old & bits : bits, origin);
    if (op->insn->rd)
        undef_set_x(w, op->insn->rd, conditional ? 0 : old, from_memory);
}

void sam_undef_access(struct undef *undef, struct undef_warp *w, const struct sam_sanitize_op *op,
                      const struct undef_row *row)
{
    use_address(undef, w, op, row);
    const bool store = row->act == SAM_ACT_STORE;
    if (row->act == SAM_ACT_ATOMIC) {
        atomic(undef, w, op, row);
    } else if (row->vector) {
        for (unsigned g = 0; g < op->groups; g++) {
            if (store)
                vector_store(undef, w, op, row, g);
            else
                vector_load(undef, w, op, row, g);
        }
    } else if (store) {
        scalar_store(undef, w, op, row);
    } else {
        scalar_load(undef, w, op, row);
    }
}
