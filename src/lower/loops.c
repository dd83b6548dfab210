/* SPDX-License-Identifier: Apache-2.0 */
/* The loops of an element-wise kernel: partition among warps, pointers, row and chunk loops,
 * epilogue. */
#include "lower/build.h"

enum { MOST_WARPS = 8, MOST_GROUPS = 16, CHUNKS_PER_WARP = 2 };
/* Limits for unrolling chunks: copies, and total lines. */
enum { MOST_UNROLLED = 4, MOST_LINES = 96 };

/* --- partition among warps */

static uint32_t at_most(uint32_t limit, uint64_t number)
{
    uint32_t power = 1;
    while (2 * power <= limit && 2 * power <= number)
        power *= 2;
    return power;
}

static unsigned log_of(uint32_t power)
{
    return (unsigned)__builtin_ctz(power);
}

/* Contiguous rows without broadcast operands are treated as one long row. */
static bool is_flat(const struct lower_build *b)
{
    if (!b->rows_known || !b->cols_known)
        return false;
    for (unsigned k = 0; k < b->kernel->op_count; k++) {
        const struct sam_tile_op *op = lower_build_op(b, k);
        if (sam_lower_pads(b->l, op))
            return false;
        for (uint32_t i = 0; i < op->operand_count; i++) {
            uint32_t tile = sam_tile_arg(b->l->p, op, i), pitch;
            if (!lower_is_tile(b->l, sam_tile_arg(b->l->p, op, i)))
                continue;
            size_t size = sam_tile_size(sam_tile_ty(b->l->p, tile)->tile.dtype);
            if (sam_lower_part(sam_tile_row(op->code), i) != LOWER_WHOLE ||
                !sam_lower_known(b->l, tile, LOWER_PITCH, &pitch) || pitch != b->cols * size)
                return false;
        }
    }
    return true;
}

void sam_lower_build_divide(struct lower_build *b)
{
    struct sam_lower_kernel *k = b->kernel;
    const struct sam_tile_type *type = &sam_tile_ty(b->l->p, b->rectangle)->tile;
    b->rows_known = sam_lower_known(b->l, b->rectangle, LOWER_ROWS, &b->rows);
    b->cols_known = sam_lower_known(b->l, b->rectangle, LOWER_COLS, &b->cols);
    b->flat = is_flat(b);
    b->packed = sam_lower_build_packs(b);
    if (b->flat) {
        b->cols *= b->rows;
        b->rows = 1;
    }
    b->cols /= b->packed;
    uint64_t rows = b->rows_known ? b->rows : type->rows;
    uint64_t chunks = ((b->cols_known ? b->cols : type->cols) + LOWER_LANES - 1) / LOWER_LANES;
    uint32_t groups = at_most(MOST_GROUPS, b->l->options.sms ? b->l->options.sms : 2);
    uint32_t warps = at_most(groups * MOST_WARPS, rows * chunks / CHUNKS_PER_WARP);
    b->row_warps = at_most(warps, rows);
    b->col_warps = at_most(warps >> log_of(b->row_warps), chunks);
    warps = b->row_warps * b->col_warps;
    k->workgroups = warps < groups ? warps : groups;
    k->warps = warps >> log_of(k->workgroups);
    b->code.partial = !b->cols_known || b->cols % LOWER_LANES;
}

/* --- loops */

static void add(struct sam_buffer *out, const char *reg, int64_t number)
{
    if (number >= -2048 && number < 2048)
        sam_buffer_printf(out, "\taddi %s, %s, %d\n", reg, reg, (int)number);
    else
        sam_buffer_printf(out, "\tli t0, 0x%x\n\tadd %s, %s, t0\n", (uint32_t)number, reg, reg);
}

/* s0 = rows left from this warp's first row; s2 = columns left from its first chunk; t1, t2 = its
 * first row and chunk; t3 = its index. */
static void enter(struct lower_build *b, struct sam_buffer *out, unsigned end)
{
    struct sam_lower_kernel *k = b->kernel;
    sam_lower_number_warp(k, out);
    sam_buffer_printf(out, "\tandi t1, t3, %u\n\tsrli t2, t3, %u\n", b->row_warps - 1,
                      log_of(b->row_warps));
    if (b->flat)
        sam_buffer_puts(out, "\tli s0, 1\n");
    else
        sam_lower_load_field(b->l, b->kernel, out, "s0", b->rectangle, LOWER_ROWS);
    if (b->cols_known)
        sam_buffer_printf(out, "\tli s2, 0x%x\n", b->cols);
    else
        sam_lower_load_field(b->l, b->kernel, out, "s2", b->rectangle, LOWER_COLS);
    if (b->element) {
        sam_buffer_printf(out, "\tmul x%u, t1, s2\n", b->first_element);
        sam_buffer_printf(out, "\tslli t0, t2, 5\n\tadd x%u, x%u, t0\n", b->first_element,
                          b->first_element);
        sam_buffer_printf(out, "\tmv x%u, s2\n", b->columns);
    }
    sam_buffer_printf(out, "\tsub s0, s0, t1\n\tslli t0, t2, 5\n\tsub s2, s2, t0\n");
    sam_buffer_printf(out, "\tblez s0, .Lg%u\n\tblez s2, .Lg%u\n", end, end);
}

static void place_pointer(struct lower_build *b, struct sam_buffer *out,
                          const struct lower_place *p)
{
    char row[8];
    sam_format(row, sizeof row, "x%u", p->row);
    sam_lower_load_field(b->l, b->kernel, out, row, p->tile, LOWER_ADDRESS);
    if (p->part != LOWER_FIRST_ROW && b->row_warps > 1) {
        sam_lower_load_field(b->l, b->kernel, out, "t0", p->tile, LOWER_PITCH);
        sam_buffer_printf(out, "\tmul t0, t0, t1\n\tadd %s, %s, t0\n", row, row);
    }
    if (p->part != LOWER_FIRST_COLUMN && b->col_warps > 1)
        sam_buffer_printf(out, "\tslli t0, t2, %u\n\tadd %s, %s, t0\n",
                          log_of(LOWER_LANES * (uint32_t)lower_place_size(p)), row, row);
}

/* Advance to the next row of this warp. */
static void advance_row(struct lower_build *b, struct sam_buffer *out, const struct lower_place *p)
{
    char row[8];
    uint32_t pitch;
    sam_format(row, sizeof row, "x%u", p->row);
    if (p->part == LOWER_FIRST_ROW)
        return;
    if (sam_lower_known(b->l, p->tile, LOWER_PITCH, &pitch)) {
        add(out, row, (int64_t)pitch * b->row_warps);
        return;
    }
    sam_lower_load_field(b->l, b->kernel, out, "t0", p->tile, LOWER_PITCH);
    sam_buffer_printf(out, "\tslli t0, t0, %u\n\tadd %s, %s, t0\n", log_of(b->row_warps), row, row);
}

static void append(struct sam_buffer *out, const struct sam_buffer *text)
{
    sam_buffer_append(out, text->data, text->size);
}

/* Returns the unroll factor; *all: the warp's whole row is unrolled, the last chunk possibly
 * partial. */
static unsigned unrolled(const struct lower_build *b, bool *all)
{
    const char *text = sam_buffer_text(&b->code.text[LOWER_CHUNK]);
    const uint32_t chunks = (b->cols + LOWER_LANES - 1) / LOWER_LANES;
    unsigned lines = 0, count = MOST_UNROLLED;
    *all = false;
    if (!b->cols_known || strstr(text, ".L")) /* labels cannot be duplicated */
        return 1;
    for (const char *at = text; *at; at++)
        lines += *at == '\n';
    *all = b->col_warps == 1 && chunks && chunks <= MOST_UNROLLED && lines * chunks <= MOST_LINES;
    if (*all)
        return chunks;
    while (count > 1 &&
           (b->cols % (count * b->col_warps * LOWER_LANES) || lines * count > MOST_LINES))
        count /= 2;
    return count;
}

/* Advance pointers to the next chunk. */
static void next_chunk(const struct lower_build *b, struct sam_buffer *out)
{
    const uint32_t step = LOWER_LANES * b->col_warps;
    char reg[8];
    for (unsigned i = 0; i < b->place_count; i++) {
        sam_format(reg, sizeof reg, "x%u", b->places[i].at);
        if (b->places[i].at)
            add(out, reg, (int64_t)(step * lower_place_size(&b->places[i])));
    }
    sam_format(reg, sizeof reg, "x%u", b->element);
    if (b->element)
        add(out, reg, step);
}

/* Emit all chunks of a row without a loop. */
static void put_chunks(const struct lower_build *b, struct sam_buffer *out, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (i)
            next_chunk(b, out);
        if (i + 1 == count && b->code.partial)
            sam_buffer_printf(out, "\tli t0, %u\n\tvsetvli t0, t0, e32, m1, ta, ma\n",
                              b->cols % LOWER_LANES);
        append(out, &b->code.text[LOWER_CHUNK]);
    }
}

static void loop_chunks(const struct lower_build *b, struct sam_buffer *out, unsigned count)
{
    const unsigned chunk = sam_lower_label(b->l);
    const uint32_t step = LOWER_LANES * b->col_warps;
    const bool one_chunk = b->cols_known && b->cols <= step;
    sam_buffer_puts(out, "\tmv " LOWER_REST ", s2\n");
    if (!one_chunk)
        sam_buffer_printf(out, ".Lg%u:\n", chunk);
    if (b->code.partial)
        sam_buffer_puts(out, "\tvsetvli t0, " LOWER_REST ", e32, m1, ta, ma\n");
    for (unsigned i = 0; i < count; i++) {
        append(out, &b->code.text[LOWER_CHUNK]);
        if (!one_chunk)
            next_chunk(b, out);
    }
    if (one_chunk)
        return;
    add(out, LOWER_REST, -(int64_t)step * count);
    sam_buffer_printf(out, "\tbgtz " LOWER_REST ", .Lg%u\n", chunk);
}

static void loops(struct lower_build *b, struct sam_buffer *out)
{
    struct lower_code *c = &b->code;
    const unsigned row = sam_lower_label(b->l);
    const bool one_row = b->rows_known && b->rows == 1;
    bool all;
    const unsigned count = unrolled(b, &all);
    if (!one_row)
        sam_buffer_printf(out, ".Lg%u:\n", row);
    if (c->partial && !one_row && (c->text[LOWER_ROW].size || (all && count > 1)))
        sam_buffer_puts(out, "\tvsetvli t0, zero, e32, m1, ta, ma\n");
    append(out, &c->text[LOWER_ROW]);
    for (unsigned i = 0; i < b->place_count; i++)
        if (b->places[i].at)
            sam_buffer_printf(out, "\tmv x%u, x%u\n", b->places[i].at, b->places[i].row);
    if (b->element)
        sam_buffer_printf(out, "\tmv x%u, x%u\n", b->element, b->first_element);
    if (all)
        put_chunks(b, out, count);
    else
        loop_chunks(b, out, count);
    if (one_row)
        return;
    for (unsigned i = 0; i < b->place_count; i++)
        if (b->places[i].row)
            advance_row(b, out, &b->places[i]);
    if (b->element)
        sam_buffer_printf(out, "\tslli t0, x%u, %u\n\tadd x%u, x%u, t0\n", b->columns,
                          log_of(b->row_warps), b->first_element, b->first_element);
    add(out, "s0", -(int64_t)b->row_warps);
    sam_buffer_printf(out, "\tbgtz s0, .Lg%u\n", row);
}

/* If a lane saw a zero divisor, store the first element to the failure record. The lanes' indices
 * go through the stack. */
static void report_zeros(struct lower_build *b, struct sam_buffer *out)
{
    unsigned next = sam_lower_label(b->l), smaller = sam_lower_label(b->l),
             none = sam_lower_label(b->l);
    uint32_t record = sam_lower_kernel_word(b->kernel, LOWER_WORD_FAILURE, 0);
    sam_buffer_printf(out,
                      "\tvsetvli t0, zero, e32, m1, ta, ma\n\taddi t1, sp, 16\n"
                      "\tvse32.v v%u, (t1)\n\taddi t2, t1, 128\n\tli t3, -1\n",
                      b->zeros);
    sam_buffer_printf(out,
                      ".Lg%u:\n\tlw t4, 0(t1)\n\taddi t1, t1, 4\n\tbgeu t4, t3, .Lg%u\n"
                      "\tmv t3, t4\n.Lg%u:\n\tbltu t1, t2, .Lg%u\n",
                      next, smaller, smaller, next);
    sam_buffer_printf(out, "\tli t4, -1\n\tbeq t3, t4, .Lg%u\n\tlw t5, %u(a0)\n", none, record);
    uint32_t d =
        sam_tile_arg(b->l->p, lower_build_op(b, 0), lower_build_op(b, 0)->operand_count - 1);
    sam_lower_load_field(b->l, b->kernel, out, "t4", d, LOWER_COLS);
    sam_buffer_printf(out, "\tsw t4, %u(t5)\n", 4 * LOWER_FAILURE_COLUMNS);
    sam_buffer_printf(out, "\taddi t6, t5, %u\n\tamominu.w zero, t3, (t6)\n",
                      4 * LOWER_FAILURE_ELEMENT);
    sam_buffer_printf(out, "\tli t4, %u\n\tsw t4, %u(t5)\n.Lg%u:\n", b->failure,
                      4 * LOWER_FAILURE_NUMBER, none);
}

void sam_lower_build_finish(struct lower_build *b)
{
    struct lower_code *c = &b->code;
    struct sam_buffer *out = &b->l->gpu;
    unsigned end = sam_lower_label(b->l);
    sam_buffer_printf(out, "%s:\n", b->kernel->name);
    if (c->calls)
        sam_buffer_puts(out, "\tsw ra, 0(sp)\n\taddi sp, sp, 16\n");
    enter(b, out, end);
    sam_lower_load_constants(c, out);
    for (unsigned i = 0; i < b->place_count; i++)
        if (b->places[i].row)
            place_pointer(b, out, &b->places[i]);
    append(out, &c->text[LOWER_ONCE]);
    loops(b, out);
    if (b->zeros)
        report_zeros(b, out);
    sam_buffer_printf(out, ".Lg%u:\n", end);
    if (sam_lower_pads(b->l, lower_build_op(b, 0)))
        sam_lower_kernel_pad(b->l, b->kernel, lower_build_op(b, 0), b->rectangle, LOWER_WHOLE);
    sam_buffer_puts(out, c->calls ? "\taddi sp, sp, -16\n\tlw ra, 0(sp)\n\tret\n" : "\tret\n");
}
