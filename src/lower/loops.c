/* SPDX-License-Identifier: Apache-2.0 */
/* The loops of a kernel: partition among warps, pointers, loops over lines and steps, epilogue. */
#include <stdlib.h>

#include "lower/build.h"
#include "lower/hart.h"

/* s0: lines left; s1: steps left. */
enum { LINES = 8, REST = 9 };
enum { MOST_WARPS = 8, MOST_GROUPS = 16, CHUNKS_PER_WARP = 2 };
/* Limits for copies of the innermost level: their number, and instructions in all. */
/* Constants in registers where many places have pointers. */
enum { MANY_PLACES = 10, FEW_CONSTANTS = 4 };
enum { MOST_COPIES = LOWER_COPIES, MOST_INSNS = 128, MOST_INSNS_OF_TWO = 128, MOST_LOADED = 20 };

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
            if (sam_lower_part(b->l, b->rectangle, op, i) != LOWER_WHOLE ||
                !sam_lower_known(b->l, tile, LOWER_PITCH, &pitch) || pitch != b->cols * size)
                return false;
        }
    }
    return true;
}

/* Of a workgroup; a power of two. */
static uint32_t most_warps(const struct lower_build *b)
{
    const unsigned warps = b->l->options.warps;
    return warps ? at_most(MOST_WARPS, warps) : MOST_WARPS;
}

/* Each line is of one warp: distribute the lines over all warps, unless they are few. */
static void divide_lines(struct lower_build *b, uint64_t lines, uint32_t groups)
{
    struct sam_lower_kernel *k = b->kernel;
    lines = lines ? lines : 1;
    k->workgroups = groups < lines ? groups : (unsigned)lines;
    const uint64_t each = (lines + k->workgroups - 1) / k->workgroups;
    k->warps = each < most_warps(b) ? (unsigned)each : most_warps(b);
    b->line_warps = k->workgroups * k->warps;
    b->step_warps = 1;
}

/* The operation has a loop of its own, over 32 elements of a warp at a time: those of its
 * workgroup if `all` workgroups go over all of them. */
static void divide_elements(struct lower_build *b, uint64_t elements, uint32_t groups, bool all)
{
    struct sam_lower_kernel *k = b->kernel;
    const uint64_t count = (elements + LOWER_LANES - 1) / LOWER_LANES;
    b->step_warps = at_most(groups * most_warps(b), all ? groups * count : count);
    b->line_warps = b->rows = 1;
    b->cols = LOWER_LANES * b->step_warps;
    b->rows_known = b->cols_known = b->flat = true;
    b->code.partial = false;
    k->workgroups = b->step_warps < groups ? b->step_warps : groups;
    k->warps = b->step_warps >> log_of(k->workgroups);
}

void sam_lower_build_divide(struct lower_build *b)
{
    struct sam_lower_kernel *k = b->kernel;
    const struct sam_tile_op *first = lower_build_op(b, 0);
    const struct sam_tile_type *type = &sam_tile_ty(b->l->p, b->rectangle)->tile;
    for (unsigned i = 0; i < k->op_count; i++)
        b->folds |= sam_lower_folds(lower_build_op(b, i)->code) ||
                    sam_lower_by_row(b->l, b->rectangle, lower_build_op(b, i));
    b->rows_known = sam_lower_known(b->l, b->rectangle, LOWER_ROWS, &b->rows);
    b->cols_known = sam_lower_known(b->l, b->rectangle, LOWER_COLS, &b->cols);
    b->columns = sam_lower_folds_columns(first->code);
    const unsigned places = sam_lower_count_places(b->l, k, b->rectangle);
    b->code.constant_limit = places <= MANY_PLACES ? LOWER_CONSTANTS : FEW_CONSTANTS;
    b->flat = is_flat(b);
    b->packed = b->columns ? sam_lower_pairs(b->l, first) : sam_lower_build_packs(b);
    if (b->flat) {
        b->cols *= b->rows;
        b->rows = 1;
    }
    b->cols /= b->packed;
    const uint64_t rows = b->rows_known ? b->rows : type->rows;
    const uint64_t chunks =
        ((b->cols_known ? b->cols : type->cols) + LOWER_LANES - 1) / LOWER_LANES;
    uint32_t groups = b->l->options.sms ? b->l->options.sms : 2;
    groups = groups < MOST_GROUPS ? groups : MOST_GROUPS;
    b->code.partial = !b->cols_known || b->cols % LOWER_LANES;
    if (b->columns) {
        b->pitch = sam_lower_take_scalar(&b->code, LOWER_ONCE);
        char reg[8];
        sam_format(reg, sizeof reg, "x%u", b->pitch);
        sam_lower_load_field(&b->code, k, LOWER_ONCE, reg, b->rectangle, LOWER_PITCH);
    }
    if (b->folds) {
        divide_lines(b, b->columns ? chunks : rows, groups);
        return;
    }
    groups = at_most(MOST_GROUPS, groups);
    if (sam_lower_picks(first->code)) {
        divide_elements(b, (uint64_t)type->rows * type->cols, groups,
                        sam_lower_is_ordered(first->code));
        return;
    }
    uint32_t warps = at_most(groups * most_warps(b), rows * chunks / CHUNKS_PER_WARP);
    b->line_warps = at_most(warps, rows);
    b->step_warps = at_most(warps >> log_of(b->line_warps), chunks);
    warps = b->line_warps * b->step_warps;
    k->workgroups = warps < groups ? warps : groups;
    k->warps = warps >> log_of(k->workgroups);
}

/* --- segments */

unsigned sam_lower_build_moving(struct lower_build *b, unsigned from, int32_t step, unsigned by)
{
    struct lower_code *c = &b->code;
    const unsigned reg = sam_lower_take_scalar(c, LOWER_ROW);
    b->from[c->moving_count] = from;
    c->moving[c->moving_count++] = (struct lower_moving){reg, reg, by, step};
    return reg;
}

void sam_lower_build_cut(struct lower_build *b)
{
    struct lower_code *c = &b->code;
    struct lower_segment *s = &b->segments[b->segment_count++];
    s->first = c->lists[LOWER_FIRST];
    s->row = c->lists[LOWER_ROW];
    s->chunk = c->lists[LOWER_CHUNK];
    s->end = c->lists[LOWER_END];
    for (enum lower_level level = LOWER_FIRST; level <= LOWER_END; level++)
        c->lists[level] = (struct lower_list){0};
    memset(c->bound_x, 0, sizeof c->bound_x);
    memset(c->bound_v, 0, sizeof c->bound_v);
    memcpy(s->moving, c->moving, sizeof s->moving);
    memcpy(s->from, b->from, sizeof s->from);
    s->moving_count = c->moving_count;
    c->moving_count = b->element = 0;
    for (unsigned i = 0; i < b->place_count; i++) {
        struct lower_place *p = &b->places[i];
        p->at = 0;
        if (p->vector && p->vector->level == LOWER_CHUNK)
            p->vector = NULL;
    }
}

/* --- entry */

/* Registers with distances from the beginning of a tile that places have in common. */
struct distances {
    uint32_t bytes[8];
    unsigned regs[8], count;
};

/* x`index` * bytes. */
static unsigned distance(struct lower_build *b, struct distances *d, unsigned index, uint32_t bytes)
{
    for (unsigned i = 0; i < d->count; i++)
        if (d->bytes[i] == bytes)
            return d->regs[i];
    const unsigned reg = sam_lower_take_scalar(&b->code, LOWER_FINAL);
    sam_lower_gpu(&b->code, LOWER_FINAL, "li t0, %u; mul x%u, x%u, t0", bytes, reg, index);
    if (d->count < SAM_COUNT(d->regs)) {
        d->bytes[d->count] = bytes;
        d->regs[d->count++] = reg;
    }
    return reg;
}

/* The addresses of places in the first line and step of this warp. */
static void place_pointers(struct lower_build *b, unsigned line, unsigned step)
{
    struct lower_code *c = &b->code;
    struct distances lines = {0}, steps = {0};
    for (unsigned i = 0; i < b->place_count; i++) {
        const struct lower_place *p = &b->places[i];
        const uint32_t bytes = LOWER_LANES * p->bytes;
        const bool by_line = b->columns || (p->part != LOWER_FIRST_ROW && b->line_warps > 1);
        char row[8];
        uint32_t pitch = bytes;
        if (!p->row)
            continue;
        sam_format(row, sizeof row, "x%u", p->row);
        /* An argument where kernels may differ in nothing else (share.c). */
        if (sam_lower_is_copied(b->l, lower_build_op(b, 0)))
            sam_lower_gpu(c, LOWER_FINAL, "lw %s, %u(a0)", row,
                          sam_lower_kernel_word(b->kernel, LOWER_WORD_ADDRESS, p->tile));
        else
            sam_lower_load_field(c, b->kernel, LOWER_FINAL, row, p->tile, LOWER_ADDRESS);
        if (by_line && (b->columns || sam_lower_known(b->l, p->tile, LOWER_PITCH, &pitch))) {
            sam_lower_gpu(c, LOWER_FINAL, "add %s, %s, x%u", row, row,
                          distance(b, &lines, line, pitch));
        } else if (by_line) {
            sam_lower_load_field(c, b->kernel, LOWER_FINAL, "t0", p->tile, LOWER_PITCH);
            sam_lower_gpu(c, LOWER_FINAL, "mul t0, t0, x%u; add %s, %s, t0", line, row, row);
        }
        if (step && p->part != LOWER_FIRST_COLUMN)
            sam_lower_gpu(c, LOWER_FINAL, "add %s, %s, x%u", row, row,
                          distance(b, &steps, step, bytes));
    }
}

/* s0 = lines (elements of them) left from this warp's first one; s2 = steps left from its first. */
static void enter(struct lower_build *b, unsigned end)
{
    struct lower_code *c = &b->code;
    struct sam_lower_kernel *k = b->kernel;
    unsigned warp = sam_lower_number_warp(c, k), line = warp, step = 0;
    const enum sam_lower_field lines = b->columns ? LOWER_COLS : LOWER_ROWS,
                               steps = b->columns ? LOWER_ROWS : LOWER_COLS;
    const bool known[] = {b->columns ? b->cols_known : b->rows_known,
                          b->columns ? b->rows_known : b->cols_known};
    if (b->step_warps > 1) {
        line = sam_lower_take_scalar(c, LOWER_FINAL);
        step = sam_lower_take_scalar(c, LOWER_FINAL);
        sam_lower_gpu(c, LOWER_FINAL, "andi x%u, x%u, %u; srli x%u, x%u, %u", line, warp,
                      b->line_warps - 1, step, warp, log_of(b->line_warps));
    }
    if (known[0])
        sam_lower_gpu(c, LOWER_FINAL, "li s0, 0x%x", b->columns ? b->cols : b->rows);
    else
        sam_lower_load_field(c, k, LOWER_FINAL, "s0", b->rectangle, lines);
    if (known[1])
        sam_lower_gpu(c, LOWER_FINAL, "li s2, 0x%x", b->columns ? b->rows : b->cols);
    else
        sam_lower_load_field(c, k, LOWER_FINAL, "s2", b->rectangle, steps);
    if (b->first_element) {
        sam_lower_gpu(c, LOWER_FINAL, "mul x%u, x%u, s2; mv x%u, s2", b->first_element, line,
                      b->column_count);
        if (step)
            sam_lower_gpu(c, LOWER_FINAL, "slli t0, x%u, 5; add x%u, x%u, t0", step,
                          b->first_element, b->first_element);
    }
    if (b->columns)
        sam_lower_gpu(c, LOWER_FINAL, "slli t0, x%u, 5; sub s0, s0, t0", line);
    else if (b->line_warps > 1)
        sam_lower_gpu(c, LOWER_FINAL, "sub s0, s0, x%u", line);
    if (step)
        sam_lower_gpu(c, LOWER_FINAL, "slli t0, x%u, 5; sub s2, s2, t0", step);
    sam_lower_gpu(c, LOWER_FINAL, "blez s0, .Lg%u; blez s2, .Lg%u", end, end);
    place_pointers(b, line, step);
}

/* --- loops */

/* Advance to the next line of this warp. */
static void next_line(struct lower_build *b, const struct lower_place *p)
{
    struct lower_code *c = &b->code;
    uint32_t pitch = LOWER_LANES * p->bytes;
    if (!p->row || (!b->columns && p->part == LOWER_FIRST_ROW))
        return;
    if (b->columns || sam_lower_known(b->l, p->tile, LOWER_PITCH, &pitch)) {
        sam_lower_advance(c, LOWER_FINAL, p->row, p->row, (int64_t)pitch * b->line_warps);
        return;
    }
    sam_lower_load_field(c, b->kernel, LOWER_FINAL, "t0", p->tile, LOWER_PITCH);
    sam_lower_gpu(c, LOWER_FINAL, "li t1, %u; mul t0, t0, t1; add x%u, x%u, t0", b->line_warps,
                  p->row, p->row);
}

static size_t size_of(const struct lower_list *list)
{
    size_t size = 0;
    for (size_t i = 0; i < list->count; i++)
        size += !sam_lower_is_comment(&list->items[i]);
    return size;
}

/* Two copies are worth more than what they cost in code; four seldom. */
static size_t most_insns(unsigned count)
{
    return count > 2 ? MOST_INSNS : MOST_INSNS_OF_TWO;
}

/* Decide on the copies of a step: at most `most`. */
static void choose_copies(const struct lower_build *b, struct lower_segment *s, unsigned most)
{
    const struct sam_tile_type *type = &sam_tile_ty(b->l->p, b->rectangle)->tile;
    const bool known = b->columns ? b->rows_known : b->cols_known;
    const uint32_t unit = b->columns ? 1 : LOWER_LANES, room = b->columns ? type->rows : type->cols;
    const uint32_t total = !known ? room : b->columns ? b->rows : b->cols;
    const uint32_t steps = (total + unit - 1) / unit;
    const size_t size = size_of(&s->chunk) + size_of(&s->first);
    s->count = 1;
    s->all = s->loaded = s->rest = false;
    if (!sam_lower_can_copy(&s->chunk))
        return;
    s->all =
        known && b->step_warps == 1 && steps && steps <= most && size * steps <= most_insns(steps);
    s->count = s->all ? steps : most;
    while (!s->all && s->count > 1 &&
           (steps < s->count * b->step_warps || size * s->count > most_insns(s->count)))
        s->count /= 2;
    unsigned even = s->count; /* as many as have no rest */
    while (even > 1 && (!known || total % (even * b->step_warps * unit)))
        even /= 2;
    if (even > 1)
        s->count = even;
    s->rest = !s->all && s->count > 1 && even == 1;
    s->loaded = s->all && s->first.count * s->count <= MOST_LOADED;
}

/* Returns whether the last copy of a row may repeat columns of the one before it, instead of having
 * fewer lanes. */
static bool repeats(const struct lower_build *b)
{
    if (!b->code.partial || b->columns || b->folds || !b->cols_known || b->cols < LOWER_LANES)
        return false;
    for (unsigned i = 0; i < b->segment_count; i++)
        if (!b->segments[i].all)
            return false;
    for (unsigned i = 0; i < b->place_count; i++)
        if (b->places[i].loaded && b->places[i].stored)
            return false;
    return true;
}

static void all_lanes(struct lower_build *b)
{
    if (b->code.partial && !b->columns && !b->code.tail)
        sam_lower_gpu(&b->code, LOWER_FINAL, "vsetvli t0, zero, e32, m1, ta, ma");
}

static void put_copies(struct lower_build *b, const struct lower_segment *s,
                       struct lower_copies *copies, unsigned from, unsigned to)
{
    if (!s->loaded)
        sam_lower_copies_put(&b->code, copies, &s->first, from, to);
    sam_lower_copies_put(&b->code, copies, &s->chunk, from, to);
}

/* Advance by `count` steps. */
static void next_steps(struct lower_build *b, unsigned count)
{
    struct lower_code *c = &b->code;
    for (unsigned i = 0; i < c->moving_count; i++) {
        const struct lower_moving *m = &c->moving[i];
        if (!m->step_reg)
            sam_lower_advance(c, LOWER_FINAL, m->reg, m->reg, (int64_t)m->step * count);
        for (unsigned k = 0; k < count && m->step_reg; k++)
            sam_lower_gpu(c, LOWER_FINAL, "add x%u, x%u, x%u", m->reg, m->reg, m->step_reg);
    }
    const unsigned unit = b->columns ? 1 : LOWER_LANES;
    sam_lower_advance(c, LOWER_FINAL, REST, REST, -(int64_t)(unit * b->step_warps * count));
}

/* All steps of the line, without a loop. */
static void put_all(struct lower_build *b, const struct lower_segment *s,
                    struct lower_copies *copies)
{
    const bool partial = b->code.partial && !b->columns && !b->code.tail;
    put_copies(b, s, copies, 0, s->count - partial);
    if (!partial)
        return;
    sam_lower_gpu(&b->code, LOWER_FINAL, "li t0, %u; vsetvli t0, t0, e32, m1, ta, ma",
                  b->cols % LOWER_LANES);
    put_copies(b, s, copies, s->count - 1, s->count);
}

/* A loop over steps: by copies as long as there are enough, then one by one. */
static void put_steps(struct lower_build *b, const struct lower_segment *s,
                      struct lower_copies *copies)
{
    struct lower_code *c = &b->code;
    const unsigned unit = b->columns ? 1 : LOWER_LANES, loop = sam_lower_label(b->l),
                   rest = sam_lower_label(b->l), end = sam_lower_label(b->l);
    const bool partial = c->partial && !b->columns;
    sam_lower_gpu(c, LOWER_FINAL, "mv s1, s2");
    if (s->rest) {
        const unsigned enough =
            sam_lower_number(c, LOWER_FINAL, unit * (b->step_warps * (s->count - 1) + 1));
        sam_lower_gpu(c, LOWER_FINAL, "blt s1, x%u, .Lg%u", enough, rest);
        all_lanes(b);
        sam_lower_gpu(c, LOWER_FINAL, ".Lg%u:", loop);
        put_copies(b, s, copies, 0, s->count);
        next_steps(b, s->count);
        sam_lower_gpu(c, LOWER_FINAL, "bge s1, x%u, .Lg%u; blez s1, .Lg%u", enough, loop, end);
        copies = sam_lower_copies_new(c, 1);
    }
    const unsigned count = s->rest ? 1 : s->count;
    const bool once = !b->columns && b->cols_known && b->cols <= unit * b->step_warps;
    if (!once)
        sam_lower_gpu(c, LOWER_FINAL, ".Lg%u:", rest);
    if (partial)
        sam_lower_gpu(c, LOWER_FINAL, "vsetvli t0, s1, e32, m1, ta, ma");
    put_copies(b, s, copies, 0, count);
    if (!once) {
        next_steps(b, count);
        sam_lower_gpu(c, LOWER_FINAL, "bgtz s1, .Lg%u", rest);
    }
    if (!s->rest)
        return;
    sam_lower_gpu(c, LOWER_FINAL, ".Lg%u:", end);
    sam_lower_copies_free(copies);
}

/* Begin to emit a segment. */
static void enter_segment(struct lower_build *b, struct lower_segment *s)
{
    struct lower_code *c = &b->code;
    memcpy(c->moving, s->moving, sizeof c->moving);
    c->moving_count = s->moving_count;
    for (unsigned i = 0; i < s->moving_count && s->all; i++)
        c->moving[i].base = s->from[i];
}

static void put_line(struct lower_build *b, struct lower_segment *s, struct lower_copies *copies)
{
    struct lower_code *c = &b->code;
    enter_segment(b, s);
    if (s->row.count || s->all)
        all_lanes(b);
    sam_lower_append(c, LOWER_FINAL, &s->row);
    for (unsigned i = 0; i < s->moving_count && !s->all; i++)
        sam_lower_gpu(c, LOWER_FINAL, "mv x%u, x%u", s->moving[i].reg, s->from[i]);
    (s->all ? put_all : put_steps)(b, s, copies);
    if (s->end.count)
        all_lanes(b);
    sam_lower_append(c, LOWER_FINAL, &s->end);
}

static void put_lines(struct lower_build *b, unsigned most)
{
    struct lower_code *c = &b->code;
    struct lower_copies *copies[LOWER_SEGMENTS] = {0};
    const unsigned line = sam_lower_label(b->l), unit = b->columns ? LOWER_LANES : 1;
    const bool known = b->columns ? b->cols_known : b->rows_known;
    const bool once = known && (b->columns ? b->cols : b->rows) <= unit * b->line_warps;
    for (unsigned i = 0; i < b->segment_count; i++)
        choose_copies(b, &b->segments[i], most);
    c->tail = repeats(b) ? b->cols - LOWER_LANES : 0;
    for (unsigned i = 0; i < b->segment_count; i++) {
        struct lower_segment *s = &b->segments[i];
        enter_segment(b, s);
        copies[i] = sam_lower_copies_new(c, s->count);
        s->loaded &= !once && (!c->partial || c->tail);
        if (s->loaded)
            sam_lower_copies_put(c, copies[i], &s->first, 0, s->count);
    }
    if (!once)
        sam_lower_gpu(c, LOWER_FINAL, ".Lg%u:", line);
    if (b->columns)
        sam_lower_gpu(c, LOWER_FINAL, "vsetvli t0, s0, e32, m1, ta, ma");
    for (unsigned i = 0; i < b->segment_count; i++) {
        put_line(b, &b->segments[i], copies[i]);
        sam_lower_copies_free(copies[i]);
    }
    if (once)
        return;
    for (unsigned i = 0; i < b->place_count; i++)
        next_line(b, &b->places[i]);
    if (b->first_element)
        sam_lower_gpu(c, LOWER_FINAL, "li t0, %u; mul t0, x%u, t0; add x%u, x%u, t0", b->line_warps,
                      b->column_count, b->first_element, b->first_element);
    sam_lower_advance(c, LOWER_FINAL, LINES, LINES, -(int64_t)(unit * b->line_warps));
    sam_lower_gpu(c, LOWER_FINAL, "bgtz s0, .Lg%u", line);
}

/* If a lane saw a zero divisor, store the first element to the failure record. The lanes' indices
 * go through the stack. */
static void report_zeros(struct lower_build *b)
{
    struct lower_code *c = &b->code;
    unsigned next = sam_lower_label(b->l), smaller = sam_lower_label(b->l),
             none = sam_lower_label(b->l);
    uint32_t record = sam_lower_kernel_word(b->kernel, LOWER_WORD_FAILURE, 0);
    sam_lower_hold(c, LOWER_FINAL);
    sam_lower_gpu(c, LOWER_FINAL,
                  "vsetvli t0, zero, e32, m1, ta, ma; addi t1, sp, 16; vse32.v v%u, (t1);"
                  "addi t2, t1, 128; li t3, -1",
                  b->zeros);
    sam_lower_gpu(c, LOWER_FINAL,
                  ".Lg%u:; lw t4, 0(t1); addi t1, t1, 4; bgeu t4, t3, .Lg%u; mv t3, t4;"
                  ".Lg%u:; bltu t1, t2, .Lg%u",
                  next, smaller, smaller, next);
    sam_lower_gpu(c, LOWER_FINAL, "li t4, -1; beq t3, t4, .Lg%u; lw t5, %u(a0)", none, record);
    sam_lower_load_field(c, b->kernel, LOWER_FINAL, "t4", b->rectangle, LOWER_COLS);
    sam_lower_gpu(c, LOWER_FINAL,
                  "sw t4, %u(t5); addi t6, t5, %u; amominu.w zero, t3, (t6); li t4, %u;"
                  "sw t4, %u(t5); .Lg%u:",
                  4 * LOWER_FAILURE_COLUMNS, 4 * LOWER_FAILURE_ELEMENT, b->failure,
                  4 * LOWER_FAILURE_NUMBER, none);
    c->holds = false;
}

static void put_kernel(struct lower_build *b, unsigned most)
{
    struct lower_code *c = &b->code;
    const struct sam_tile_op *first = lower_build_op(b, 0);
    const unsigned end = sam_lower_label(b->l);
    enter(b, end);
    sam_lower_append(c, LOWER_FINAL, &c->lists[LOWER_ONCE]);
    put_lines(b, most);
    if (b->zeros)
        report_zeros(b);
    sam_lower_gpu(c, LOWER_FINAL, ".Lg%u:", end);
    if (sam_lower_pads(b->l, first))
        sam_lower_kernel_pad(c, b->kernel, first, b->rectangle,
                             b->columns                     ? LOWER_FIRST_ROW
                             : sam_lower_folds(first->code) ? LOWER_FIRST_COLUMN
                                                            : LOWER_WHOLE);
    sam_lower_gpu(c, LOWER_FINAL, "ret");
}

void sam_lower_build_finish(struct lower_build *b)
{
    struct lower_code *c = &b->code;
    unsigned most = MOST_COPIES;
    put_kernel(b, most);
    while (!sam_lower_assign(c) && !c->failed && (most /= 2)) {
        c->lists[LOWER_FINAL].count = 0;
        put_kernel(b, most);
    }
    c->failed |= !most;
    sam_lower_print(c, b->kernel->name);
    for (unsigned i = 0; i < b->segment_count; i++) {
        free(b->segments[i].first.items);
        free(b->segments[i].row.items);
        free(b->segments[i].chunk.items);
        free(b->segments[i].end.items);
    }
    sam_lower_code_free(c);
}
