/* SPDX-License-Identifier: Apache-2.0 */
/* Data movement operations, as boxes on TensorLoad. */
#include "lower/box.h"
#include "lower/hart.h"

#include <inttypes.h>

static const struct sam_tile_type *tile_type(const struct lower *l, uint32_t tile)
{
    return &sam_tile_ty(l->p, tile)->tile;
}

/* Element stride between rows (columns) of a tile. */
static struct lower_affine tile_step(const struct lower *l, uint32_t tile, bool rows)
{
    const struct sam_tile_type *type = tile_type(l, tile);
    uint32_t pitch = 0;
    if (rows != (type->blayout == SAM_TILE_row_major))
        return lower_is(1);
    sam_lower_known(l, tile, LOWER_PITCH, &pitch);
    return lower_is(lower_steps(type->dtype, pitch));
}

/* reg = the address of a tile, in halves of bytes if its elements have 4 bits. */
static void put_address(struct lower *l, const char *reg, uint32_t tile)
{
    sam_lower_field(l, reg, tile, LOWER_ADDRESS);
    if (sam_tile_is_paired(tile_type(l, tile)->dtype))
        sam_lower_hart(l, "slli %s, %s, 1", reg, reg);
}

/* Of two equal numbers, prefer a constant. */
static struct lower_affine either(struct lower_affine a, struct lower_affine b)
{
    int64_t known;
    return lower_is_known(&a, &known) ? a : b;
}

/* a - b, where at most one of them is symbolic. */
static struct lower_affine minus(int64_t a, const struct lower_affine *b)
{
    struct lower_affine difference = *b;
    difference.offset = a - b->offset;
    difference.scale = -b->scale;
    return difference;
}

static const char *value_name(const struct lower *l, uint32_t value)
{
    return l->p->values[value].name;
}

static bool both_known(const struct lower_affine *a, const struct lower_affine *b, int64_t *x,
                       int64_t *y)
{
    bool known = lower_is_known(a, x);
    return lower_is_known(b, y) && known;
}

/* --- windows of arrays */

static uint32_t view_of(const struct lower *l, uint32_t window)
{
    const struct sam_tile_op *part = &l->p->ops[l->p->values[window].op];
    return sam_tile_arg(l->p, part, 0);
}

static uint32_t pointer_of(const struct lower *l, uint32_t view)
{
    return sam_tile_arg(l->p, &l->p->ops[l->p->values[view].op], 0);
}

static bool known_count(const struct lower *l, uint32_t view, int64_t *count)
{
    const uint32_t pointer = pointer_of(l, view);
    for (uint32_t i = 0; i < l->f->arg_count && i < l->argument_count; i++) {
        const struct sam_tile_argument *argument = &l->arguments[i];
        if (l->p->ids[l->f->args + i] != pointer || argument->name || !argument->array)
            continue;
        *count = (int64_t)sam_tile_elements(argument->array, sam_tile_ty(l->p, view)->dtype);
        return true;
    }
    return false;
}

/* Returns whether the view lies within its array; so do all its partitions then. */
static bool view_fits(const struct lower *l, uint32_t view)
{
    int64_t count, low = 0, high = 0;
    if (!known_count(l, view, &count))
        return false;
    for (unsigned i = 0; i < sam_tile_ty(l->p, view)->rank; i++) {
        struct lower_affine size = sam_lower_of_window(l, view, i, false);
        struct lower_affine stride = sam_lower_of_window(l, view, i, true);
        int64_t n, step, span;
        if (!both_known(&size, &stride, &n, &step) || n < 1 ||
            __builtin_mul_overflow(n - 1, step, &span) ||
            __builtin_add_overflow(span < 0 ? low : high, span, span < 0 ? &low : &high))
            return false;
    }
    return low >= 0 && high < count;
}

/* Emit a search, row by row, for the first element outside the array, for the message. */
static void report_outside(struct lower *l, const struct sam_tile_op *op, uint32_t window,
                           uint32_t tile)
{
    unsigned rank = sam_tile_ty(l->p, window)->rank;
    unsigned top = sam_lower_label(l);
    for (unsigned k = 1; k < rank; k++)
        sam_lower_label(l);
    unsigned failure = sam_lower_failure(l, op, "%s %s[{0},{1}]: element {2} of %s, which has {3}",
                                         sam_tile_row(op->code)->name, value_name(l, tile),
                                         value_name(l, pointer_of(l, view_of(l, window))));
    /* a0 row, a1 column, a2 element, a3 array size; s(2 + k) the first element of loop k, s(7 + k)
     * its remaining iterations */
    sam_lower_hart(l, "li a0, 0; li a1, 0; mv a2, t2; mv a3, t1");
    for (unsigned k = 0; k < rank; k++) {
        char left[8];
        snprintf(left, sizeof left, "s%u", 7 + k);
        sam_lower_window_size(l, left, window, k);
        sam_lower_hart(l, ".L%u: mv s%u, a2", top + k, 2 + k);
    }
    sam_lower_hart(l, "bgeu a2, a3, .Lfailure%u", failure);
    for (unsigned k = rank; k-- > 0;) {
        sam_lower_window_stride(l, "t0", window, k);
        if (k + 1 == rank)
            sam_lower_hart(l, "addi a1, a1, 1");
        else
            sam_lower_hart(l, "%s", k + 2 == rank ? "addi a0, a0, 1; li a1, 0" : "");
        sam_lower_hart(l, "add a2, s%u, t0; addi s%u, s%u, -1; bnez s%u, .L%u", 2 + k, 7 + k, 7 + k,
                       7 + k, top + k);
    }
}

/* Emit a bounds check of a window. */
static void check_window(struct lower *l, const struct sam_tile_op *op, uint32_t window,
                         uint32_t tile)
{
    const struct sam_tile_ty *type = sam_tile_ty(l->p, window);
    unsigned inside = sam_lower_label(l);
    int shift = __builtin_ctzll(sam_tile_size(type->dtype));
    if (view_fits(l, view_of(l, window)))
        return;
    for (unsigned i = 0; i < type->rank; i++) {
        sam_lower_window_size(l, "t0", window, i);
        sam_lower_hart(l, "beqz t0, .L%u", inside);
    }
    /* t2: the first element; a3, a4: the lowest and the highest */
    sam_lower_window_address(l, "t2", window);
    sam_lower_window_array(l, "t0", window);
    if (sam_tile_is_paired(type->dtype))
        sam_lower_hart(l, "slli t0, t0, 1");
    sam_lower_hart(l, "sub t2, t2, t0; srai t2, t2, %d; mv a3, t2; mv a4, t2", shift);
    for (unsigned i = 0; i < type->rank; i++) {
        sam_lower_window_size(l, "t0", window, i);
        sam_lower_window_stride(l, "t1", window, i);
        sam_lower_hart(l, "addi t0, t0, -1; mul t0, t0, t1; srai t1, t0, 63; and t1, t1, t0; "
                          "add a3, a3, t1; sub t0, t0, t1; add a4, a4, t0");
    }
    unsigned outside = sam_lower_label(l);
    sam_lower_window_count(l, "t1", window);
    sam_lower_hart(l,
                   "bltz a3, .L%u; blt a4, t1, .L%u; "
                   ".L%u:",
                   outside, inside, outside);
    report_outside(l, op, window, tile);
    sam_lower_hart(l, ".L%u:", inside);
}

/* --- padding */

void sam_lower_pad(struct lower *l, uint32_t tile)
{
    const struct sam_tile_type *type = tile_type(l, tile);
    if (l->options.outside != SAM_TILE_PAD_VALUE || type->pad == SAM_TILE_PAD_null)
        return;
    struct lower_affine rows = sam_lower_valid(l, tile, true),
                        cols = sam_lower_valid(l, tile, false);
    uint64_t bits = sam_tile_pad_bits(type, l->options.dialect);
    uint32_t element = (uint32_t)sam_tile_size(type->dtype);
    const struct lower_affine across = tile_step(l, tile, false), down = tile_step(l, tile, true);
    unsigned skip = sam_lower_label(l);
    int64_t known;
    const struct lower_affine *const sizes[] = {&rows, &cols};
    for (size_t i = 0; i < SAM_COUNT(sizes); i++)
        if (lower_is_known(sizes[i], &known) && !known)
            return;
    for (size_t i = 0; i < SAM_COUNT(sizes); i++)
        if (!lower_is_known(sizes[i], &known)) {
            sam_lower_put(l, "t1", sizes[i], 1);
            sam_lower_hart(l, "beqz t1, .L%u", skip);
        }
    struct sam_lower_box right = {
        .rank = 2,
        .element = element,
        .halves = sam_tile_is_paired(type->dtype),
        .dim = {{.n = rows, .to = down}, {.n = minus(type->cols, &cols), .to = across}}};
    struct sam_lower_box below = {.rank = 2,
                                  .element = element,
                                  .halves = right.halves,
                                  .dim = {{.n = minus(type->rows, &rows), .to = down},
                                          {.n = lower_is(type->cols), .to = across}}};
    struct lower_affine at = sam_lower_times(&cols, &across);
    put_address(l, "t3", tile);
    sam_lower_add(l, "t3", &at, element);
    sam_lower_box_fill(l, &right, bits);
    at = sam_lower_times(&rows, &down);
    put_address(l, "t3", tile);
    sam_lower_add(l, "t3", &at, element);
    sam_lower_box_fill(l, &below, bits);
    sam_lower_hart(l, ".L%u:", skip);
}

/* --- operations */

static struct sam_lower_box transfer_box(const struct lower *l, const struct sam_tile_op *op,
                                         bool load)
{
    uint32_t window = sam_tile_arg(l->p, op, !load), tile = sam_tile_arg(l->p, op, load);
    const struct sam_tile_ty *type = sam_tile_ty(l->p, window);
    struct sam_lower_box box = {.rank = type->rank,
                                .element = (uint32_t)sam_tile_size(type->dtype),
                                .halves = sam_tile_is_paired(type->dtype),
                                .ordered = !load};
    struct lower_affine down = tile_step(l, tile, true);
    for (unsigned k = type->rank; k-- > 0;) {
        struct lower_dim *dim = &box.dim[k];
        bool line = k + 1 == type->rank;
        dim->n = sam_lower_of_window(l, window, k, false);
        if (line)
            dim->n = either(dim->n, sam_lower_valid(l, tile, false));
        else if (type->rank == 2)
            dim->n = either(dim->n, sam_lower_valid(l, tile, true));
        struct lower_affine far = sam_lower_of_window(l, window, k, true);
        struct lower_affine near = line ? tile_step(l, tile, false) : down;
        dim->from = load ? far : near;
        dim->to = load ? near : far;
        if (!line)
            down = sam_lower_times(&down, &dim->n);
    }
    return box;
}

static void transfer(struct lower *l, const struct sam_tile_op *op, bool load)
{
    uint32_t window = sam_tile_arg(l->p, op, !load), tile = sam_tile_arg(l->p, op, load);
    const struct sam_lower_box box = transfer_box(l, op, load);
    check_window(l, op, window, tile);
    sam_lower_window_address(l, load ? "t2" : "t3", window);
    put_address(l, load ? "t3" : "t2", tile);
    sam_lower_box(l, &box);
    if (load)
        sam_lower_pad(l, tile);
}

bool sam_lower_is_plain_copy(struct lower *l, const struct sam_tile_op *op)
{
    const bool load = op->code == SAM_TILE_TLOAD;
    if (!load && op->code != SAM_TILE_TSTORE)
        return false;
    const uint32_t window = sam_tile_arg(l->p, op, !load), tile = sam_tile_arg(l->p, op, load);
    const bool pads =
        l->options.outside == SAM_TILE_PAD_VALUE && tile_type(l, tile)->pad != SAM_TILE_PAD_null;
    const struct sam_lower_box box = transfer_box(l, op, load);
    return !(load && pads) && view_fits(l, view_of(l, window)) && sam_lower_box_is_plain(l, &box);
}

/* A copy of rows x cols elements between tiles. `across`: transposed. */
static struct sam_lower_box box_of(const struct lower *l, uint32_t from, uint32_t to,
                                   struct lower_affine rows, struct lower_affine cols, bool across)
{
    return (struct sam_lower_box){
        .rank = 2,
        .element = (uint32_t)sam_tile_size(tile_type(l, to)->dtype),
        .halves = sam_tile_is_paired(tile_type(l, to)->dtype),
        .dim = {{rows, tile_step(l, from, !across), tile_step(l, to, true)},
                {cols, tile_step(l, from, across), tile_step(l, to, false)}}};
}

/* Emit the copy; t2 and t3 hold the addresses. */
static void copy(struct lower *l, uint32_t from, uint32_t to, struct lower_affine rows,
                 struct lower_affine cols, bool across)
{
    struct sam_lower_box box = box_of(l, from, to, rows, cols, across);
    sam_lower_box(l, &box);
}

/* Copy the whole source. A transposition with run-time sizes first transposes the full source tile
 * into scratch memory, which the planner can handle, and copies the valid lines from there. */
static void copy_whole(struct lower *l, uint32_t from, uint32_t to, struct lower_affine rows,
                       struct lower_affine cols, bool across)
{
    struct sam_lower_box box = box_of(l, from, to, rows, cols, across);
    const struct sam_tile_type *type = tile_type(l, from);
    const int64_t e = box.element, unit = 32 / e;
    int64_t known[2];
    if (box.halves || sam_lower_joined(&box.dim[0]) || sam_lower_joined(&box.dim[1]) ||
        both_known(&rows, &cols, &known[0], &known[1])) {
        sam_lower_box(l, &box);
        return;
    }
    const int64_t room[2] = {across ? type->cols : type->rows, across ? type->rows : type->cols};
    const bool by_rows = tile_type(l, to)->blayout == SAM_TILE_row_major;
    int64_t pitch = (room[by_rows] + unit - 1) / unit * unit;
    if (pitch * room[!by_rows] * e > LOWER_SCRATCH_BYTES)
        pitch = room[by_rows];
    if (pitch * room[!by_rows] * e > LOWER_SCRATCH_BYTES) {
        sam_lower_box(l, &box);
        return;
    }
    const struct lower_affine steps[2] = {lower_is(by_rows ? pitch : 1),
                                          lower_is(by_rows ? 1 : pitch)};
    struct sam_lower_box turned = box, lines = box;
    for (unsigned i = 0; i < 2; i++) {
        turned.dim[i].n = lower_is(room[i]);
        turned.dim[i].to = lines.dim[i].from = steps[i];
    }
    sam_lower_hart(l, "mv t5, t3; li t3, 0x%" PRIx32, LOWER_SCRATCH);
    sam_lower_box(l, &turned);
    sam_lower_hart(l, "li t2, 0x%" PRIx32 "; mv t3, t5", LOWER_SCRATCH);
    sam_lower_box(l, &lines);
}

static void addresses(struct lower *l, uint32_t from, uint32_t to)
{
    put_address(l, "t2", from);
    put_address(l, "t3", to);
}

static void move(struct lower *l, const struct sam_tile_op *op, bool across)
{
    uint32_t s = sam_tile_arg(l->p, op, 0), d = sam_tile_arg(l->p, op, 1);
    if (sam_lower_factor_tile(l, d) != d) {
        sam_lower_note(l, op, "products read %s in place", value_name(l, s));
        return;
    }
    addresses(l, s, d);
    copy_whole(l, s, d, either(sam_lower_valid(l, d, true), sam_lower_valid(l, s, !across)),
               either(sam_lower_valid(l, d, false), sam_lower_valid(l, s, across)), across);
    sam_lower_pad(l, d);
}

static void reshape(struct lower *l, const struct sam_tile_op *op)
{
    uint32_t s = sam_tile_arg(l->p, op, 0), d = sam_tile_arg(l->p, op, 1);
    const struct lower_affine sizes[] = {sam_lower_valid(l, s, true), sam_lower_valid(l, s, false),
                                         sam_lower_valid(l, d, true), sam_lower_valid(l, d, false)};
    struct lower_affine from = tile_step(l, s, true), to = tile_step(l, d, true);
    uint32_t element = (uint32_t)sam_tile_size(tile_type(l, d)->dtype);
    int64_t rows, cols, lines, length;
    addresses(l, s, d);
    if (both_known(&sizes[0], &sizes[1], &lines, &length) &&
        both_known(&sizes[2], &sizes[3], &rows, &cols)) {
        /* runs of the shorter row length, if it divides the longer one */
        int64_t run = length < cols ? length : cols, far = from.offset, near = to.offset;
        bool gapless[] = {lines == 1 || far == length, rows == 1 || near == cols};
        if (gapless[0])
            run = cols;
        else if (gapless[1])
            run = length;
        if (!run || !rows)
            return;
        if ((gapless[0] || length % run == 0) && (gapless[1] || cols % run == 0)) {
            int64_t parts = gapless[0] ? 1 : length / run, pieces = gapless[1] ? 1 : cols / run;
            int64_t inner = parts > pieces ? parts : pieces;
            int64_t n = rows * cols / run;
            far = gapless[0] ? run : far;
            near = gapless[1] ? run : near;
            struct sam_lower_box box = {
                .rank = 3,
                .element = element,
                .dim = {{lower_is(n / inner), lower_is(parts > 1 ? far : far * inner),
                         lower_is(pieces > 1 ? near : near * inner)},
                        {lower_is(inner), lower_is(parts > 1 ? run : far),
                         lower_is(pieces > 1 ? run : near)},
                        {lower_is(run), lower_is(1), lower_is(1)}}};
            sam_lower_box(l, &box);
            sam_lower_pad(l, d);
            return;
        }
    }
    sam_lower_put(l, "a2", &from, element);
    sam_lower_put(l, "a3", &to, element);
    sam_lower_put(l, "a5", &sizes[1], element);
    sam_lower_put(l, "a6", &sizes[3], element);
    unsigned skip = sam_lower_label(l);
    sam_lower_put(l, "a7", &sizes[2], 1);
    sam_lower_hart(l, "mul a7, a7, a6; beqz a7, .L%u", skip);
    sam_lower_box_call(l, LOWER_RUNS);
    sam_lower_hart(l, ".L%u:", skip);
    sam_lower_pad(l, d);
}

/* reg += the offset of textract and tinsert: `part` must lie within `whole`, whose address is in
 * `reg`. */
static void enter(struct lower *l, const struct sam_tile_op *op, uint32_t part, uint32_t whole,
                  const char *reg)
{
    const struct sam_tile_type *type = tile_type(l, whole);
    unsigned failure = sam_lower_failure(
        l, op, "%s: {0}x{1} elements from [{2},{3}] leave the valid rectangle of %s, {4}x{5}",
        sam_tile_row(op->code)->name, value_name(l, whole));
    const struct lower_affine rows = sam_lower_valid(l, part, true),
                              cols = sam_lower_valid(l, part, false);
    const struct lower_affine of_rows = sam_lower_valid(l, whole, true);
    const struct lower_affine of_cols = sam_lower_valid(l, whole, false);
    const struct lower_affine down = tile_step(l, whole, true), across = tile_step(l, whole, false);
    int64_t row, col, size, room[2], n[2];
    bool known = sam_lower_constant(l, sam_tile_arg(l->p, op, 1), &row) &&
                 sam_lower_constant(l, sam_tile_arg(l->p, op, 2), &col) &&
                 both_known(&rows, &cols, &n[0], &n[1]) &&
                 both_known(&of_rows, &of_cols, &room[0], &room[1]);
    size = (int64_t)sam_tile_size(type->dtype);
    if (known && row >= 0 && col >= 0 && row <= room[0] - n[0] && col <= room[1] - n[1]) {
        struct lower_affine at = lower_is(row * down.offset + col * across.offset);
        sam_lower_add(l, reg, &at, (uint32_t)size);
        return;
    }
    sam_lower_put(l, "a0", &rows, 1);
    sam_lower_put(l, "a1", &cols, 1);
    sam_lower_get(l, "a2", sam_tile_arg(l->p, op, 1));
    sam_lower_get(l, "a3", sam_tile_arg(l->p, op, 2));
    sam_lower_put(l, "a4", &of_rows, 1);
    sam_lower_put(l, "a5", &of_cols, 1);
    sam_lower_hart(l,
                   "sub t0, a4, a0; sub t1, a5, a1; bltz a2, .Lfailure%u; bltz a3, .Lfailure%u; "
                   "blt t0, a2, .Lfailure%u; blt t1, a3, .Lfailure%u",
                   failure, failure, failure, failure);
    sam_lower_hart(l,
                   "li t0, %" PRId64 "; mul t0, t0, a2; add %s, %s, t0; li t0, %" PRId64 "; "
                   "mul t0, t0, a3; add %s, %s, t0",
                   down.offset * size, reg, reg, across.offset * size, reg, reg);
}

void sam_lower_skip_empty(struct lower *l, uint32_t tile, unsigned label)
{
    const bool sides[] = {true, false};
    for (size_t i = 0; i < SAM_COUNT(sides); i++) {
        struct lower_affine size = sam_lower_valid(l, tile, sides[i]);
        int64_t known;
        if (lower_is_known(&size, &known) && known)
            continue;
        sam_lower_put(l, "t1", &size, 1);
        sam_lower_hart(l, "beqz t1, .L%u", label);
    }
}

void sam_lower_before_pick(struct lower *l, const struct sam_tile_op *op)
{
    const bool store = sam_tile_stores(sam_tile_row(op->code));
    const uint32_t last = sam_tile_arg(l->p, op, op->operand_count - 1u),
                   first = sam_tile_arg(l->p, op, 0);
    const unsigned end = sam_lower_label(l);
    sam_lower_skip_empty(l, store ? first : last, end);
    check_window(l, op, store ? last : first, store ? first : last);
    sam_lower_hart(l, ".L%u:", end);
}

void sam_lower_after_pick(struct lower *l, const struct sam_tile_op *op)
{
    const unsigned end = sam_lower_label(l);
    if (sam_tile_stores(sam_tile_row(op->code)))
        return;
    sam_lower_skip_empty(l, sam_tile_arg(l->p, op, op->operand_count - 1u), end);
    sam_lower_pad(l, sam_tile_arg(l->p, op, op->operand_count - 1u));
    sam_lower_hart(l, ".L%u:", end);
}

/* There is one core: the peer, which has the number 0, is itself. */
static void from_peer(struct lower *l, const struct sam_tile_op *op)
{
    const uint32_t s = sam_tile_arg(l->p, op, 0), d = sam_tile_arg(l->p, op, 2);
    const unsigned end = sam_lower_label(l);
    int64_t peer;
    sam_lower_skip_empty(l, d, end);
    if (!sam_lower_constant(l, sam_tile_arg(l->p, op, 1), &peer) || peer) {
        sam_lower_get(l, "a0", sam_tile_arg(l->p, op, 1));
        sam_lower_hart(l, "bnez a0, .Lfailure%u",
                       sam_lower_failure(l, op, "%s from core {0}: there is core 0 only",
                                         sam_tile_row(op->code)->name));
    }
    addresses(l, s, d);
    copy(l, s, d, sam_lower_valid(l, d, true), sam_lower_valid(l, d, false), false);
    sam_lower_pad(l, d);
    sam_lower_hart(l, ".L%u:", end);
}

static void extract(struct lower *l, const struct sam_tile_op *op, bool insert)
{
    uint32_t s = sam_tile_arg(l->p, op, 0), d = sam_tile_arg(l->p, op, 3), part = insert ? s : d;
    unsigned end = sam_lower_label(l);
    sam_lower_skip_empty(l, d, end); /* an empty destination skips the checks */
    addresses(l, s, d);
    enter(l, op, part, insert ? d : s, insert ? "t3" : "t2");
    copy(l, s, d, sam_lower_valid(l, part, true), sam_lower_valid(l, part, false), false);
    if (!insert)
        sam_lower_pad(l, d);
    sam_lower_hart(l, ".L%u:", end);
}

static void concat(struct lower *l, const struct sam_tile_op *op)
{
    uint32_t d = sam_tile_arg(l->p, op, 2), first = sam_tile_arg(l->p, op, 0);
    for (unsigned i = 0; i < 2; i++) {
        uint32_t s = sam_tile_arg(l->p, op, i);
        addresses(l, s, d);
        if (i) {
            struct lower_affine at = sam_lower_valid(l, first, false);
            sam_lower_add(l, "t3", &at, (uint32_t)sam_tile_size(tile_type(l, d)->dtype));
        }
        copy(l, s, d, either(sam_lower_valid(l, d, true), sam_lower_valid(l, s, true)),
             sam_lower_valid(l, s, false), false);
    }
    sam_lower_pad(l, d);
}

void sam_lower_move(struct lower *l, const struct sam_tile_op *op)
{
    switch (op->code) {
    case SAM_TILE_TLOAD: transfer(l, op, true); break;
    case SAM_TILE_TSTORE: transfer(l, op, false); break;
    case SAM_TILE_TMOV: move(l, op, false); break;
    case SAM_TILE_TTRANS: move(l, op, true); break;
    case SAM_TILE_GMOV: from_peer(l, op); break;
    case SAM_TILE_TRESHAPE: reshape(l, op); break;
    case SAM_TILE_TEXTRACT: extract(l, op, false); break;
    case SAM_TILE_TINSERT: extract(l, op, true); break;
    case SAM_TILE_TCONCAT: concat(l, op); break;
    case SAM_TILE_TCVT: sam_lower_convert_halves(l, op); break;
    default:
        sam_lower_refuse(l, op, "%s has no lowering: add it to src/lower/move.c",
                         sam_tile_row(op->code)->name);
        return;
    }
    sam_lower_box_note(l, op);
}
