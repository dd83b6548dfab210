/* SPDX-License-Identifier: Apache-2.0 */
/* Products on the matrix unit. It reads both factors by rows of K: the left tile in place if
 * row-major, the right tile in place if column-major; otherwise TensorLoad makes a transposed copy.
 * Other floats than f16 and f32, and factors of two dtypes, widen exactly to f32. */
#include "lower/box.h"
#include "lower/hart.h"
#include "lower/packed.h"

#include <inttypes.h>
#include <stdio.h>

enum product_kind { HALF, SINGLE, BYTE, UNSIGNED_BYTE, KINDS };

static const struct {
    const char *label, *load, *multiply;
    unsigned shift; /* log2 of the element size */
} kinds[KINDS] = {
    [HALF] = {".Lproduct_f16", "mldh", "fwmmacc.h", 1},
    [SINGLE] = {".Lproduct_f32", "mldw", "fmmacc.s", 2},
    [BYTE] = {".Lproduct_i8", "mldb", "mmaqa.b", 0},
    [UNSIGNED_BYTE] = {".Lproduct_ui8", "mldb", "mmaqau.b", 0},
};

static const struct {
    bool has;
    enum product_kind kind;
} products[SAM_DTYPES] = {
    [SAM_I8] = {true, BYTE},    [SAM_U8] = {true, UNSIGNED_BYTE}, [SAM_F16] = {true, HALF},
    [SAM_F32] = {true, SINGLE}, [SAM_BF16] = {true, SINGLE}, /* widened by prepare() */
};

/* --- pairs of row blocks: for one or two column blocks, C is in m4 to m7, A in m0 and m1, B in m2
 * and m3. A step loads as many blocks as it multiplies, first what the step before released first,
 * and the last products and stores come after the first loads of the next step: the bus waits for
 * neither. */

/* A block of C: its register, below and right of the first. */
struct sum {
    unsigned reg;
    bool down, right;
};

static const struct sum quad[4] = {{4, 0, 0}, {6, 1, 0}, {5, 0, 1}, {7, 1, 1}};

/* Move `sum` (`move`: mldw or mstw) between memory, at `base`, and its register. t6 is its address,
 * `columns` its columns. */
static void move_sum(struct sam_buffer *out, struct sum sum, const char *move, const char *columns,
                     const char *base, const char *pitch, unsigned rows)
{
    sam_lower_code(out, "slli t6, %s, 2; mcfgk zero, t6; mcfgmi zero, %u", columns, rows);
    if (sum.down)
        sam_lower_code(out, "slli t6, %s, %d; add t6, t6, %s", pitch, __builtin_ctz(rows), base);
    else
        sam_lower_code(out, "mv t6, %s", base);
    if (sum.right)
        sam_lower_code(out, "addi t6, t6, %u", 4 * rows);
    sam_lower_code(out, "%s m%u, %s, (t6); mcfgk zero, t5", move, sum.reg, pitch);
}

static void start_sum(struct sam_buffer *out, struct sum sum, unsigned rows)
{
    sam_lower_code(out, "beqz s11, 7f");
    move_sum(out, sum, "mldw", sum.right ? "a1" : "t3", "a5", "a7", rows);
    sam_lower_code(out, "j 6f; 7: mmov.mx m%u, a0; 6:", sum.reg);
}

static void start_first(struct sam_buffer *out, struct sum sum, unsigned rows)
{
    sam_lower_code(out, "bnez t2, 6f # not the first step");
    start_sum(out, sum, rows);
}

static void store_last(struct sam_buffer *out, struct sum sum, unsigned rows)
{
    sam_lower_code(out, "bne t4, t5, 6f # not the last step");
    move_sum(out, sum, "mstw", "t3", "a4", "s7", rows);
    sam_lower_code(out, "6:");
}

/* t5 = bytes of K in a step of which t4 are left; load its first block of B. */
static void load_first(struct sam_buffer *out, enum product_kind kind, unsigned rows)
{
    sam_lower_code(out,
                   "li t5, %u; bgeu t4, t5, 6f; mv t5, t4; 6: mcfgk zero, t5; mcfgm zero, t3; "
                   "%s m2, s5, (t0)",
                   4 * rows, kinds[kind].load);
}

/* The next block: columns from a3, a4, a5 of which a2 are left. Its first sum, and block of B. */
static void begin_block(struct sam_buffer *out, enum product_kind kind, unsigned rows)
{
    sam_lower_code(out,
                   "li t6, %u; mv t3, t6 # columns of the first blocks, of the second; "
                   "bgeu a2, t6, 2f; mv t3, a2; "
                   "2: sub a1, a2, t3; bgeu t6, a1, 3f; mv a1, t6; "
                   "3: mv a6, s2; mv t0, a3; mv t4, s10",
                   rows);
    start_sum(out, quad[0], rows);
    load_first(out, kind, rows);
}

/* The products of the second block of B, after the loads of the next step. */
static void end_step(struct sam_buffer *out, enum product_kind kind, unsigned rows,
                     const char *columns)
{
    sam_lower_code(out, "mcfgmi zero, %u; mcfgn zero, %s; %s m5, m3, m0; %s m7, m3, m1", rows,
                   columns, kinds[kind].multiply, kinds[kind].multiply);
}

static void write_pair_step(const struct lower *l, struct sam_buffer *out, enum product_kind kind,
                            unsigned rows)
{
    const char *label = kinds[kind].label, *load = kinds[kind].load;
    const int shift = __builtin_ctz(rows);
    sam_lower_code(out, "%s_step: mcfgmi zero, %u; %s m0, s3, (a6); mcfgn zero, t3; %s m4, m2, m0",
                   label, rows, load, kinds[kind].multiply);
    start_first(out, quad[1], rows);
    sam_lower_code(out, "slli t6, s3, %d; add t6, t6, a6; mcfgmi zero, %u; %s m1, s3, (t6)", shift,
                   rows, load);
    store_last(out, quad[0], rows);
    sam_lower_code(out, "%s m6, m2, m1; beqz a1, %s_narrow", kinds[kind].multiply, label);
    start_first(out, quad[2], rows);
    sam_lower_code(out, "slli t6, s5, %d; add t6, t6, t0; mcfgm zero, a1; %s m3, s5, (t6)", shift,
                   load);
    start_first(out, quad[3], rows);
    sam_lower_resume_copies(l, out);
    sam_lower_code(out,
                   "li t2, 1; beq t4, t5, %s_last; add a6, a6, t5; add t0, t0, t5; "
                   "sub t4, t4, t5",
                   label);
    load_first(out, kind, rows);
    sam_lower_code(out, "mcfgki zero, %u", 4 * rows);
    end_step(out, kind, rows, "a1");
    sam_lower_code(out, "mcfgk zero, t5; j %s_step", label);
    sam_lower_code(out, "%s_narrow:", label); /* the last block of these rows */
    store_last(out, quad[1], rows);
    sam_lower_code(
        out, "li t2, 1; add a6, a6, t5; add t0, t0, t5; sub t4, t4, t5; beqz t4, %s_turned", label);
    load_first(out, kind, rows);
    sam_lower_code(out, "j %s_step", label);
}

/* The last step of a block, with the first loads of the next one. */
static void write_pair_end(struct sam_buffer *out, enum product_kind kind, unsigned rows)
{
    const char *label = kinds[kind].label;
    const int shift = __builtin_ctz(rows) + 1; /* of a pair of rows */
    sam_lower_code(out, "%s_last:", label);
    store_last(out, quad[1], rows);
    sam_lower_code(out,
                   "mv sp, a4; mv t2, a1 # for the stores of this block; "
                   "add t6, t3, a1; sub a2, a2, t6; slli t5, t6, 2; add a4, a4, t5; "
                   "add a5, a5, t5; mul t6, t6, s5; add a3, a3, t6; li t4, 0; bnez a2, 5f; "
                   "li t6, %u; bltu s8, t6, 8f; slli t6, s3, %d; add s2, s2, t6; "
                   "slli t6, s7, %d; add s6, s6, t6; addi s8, s8, -%u; beqz s11, 4f; "
                   "slli t6, a7, %d; add s11, s11, t6; "
                   "4: mv a2, s9; mv a3, s4; mv a4, s6; mv a5, s11; "
                   "5:",
                   4 * rows, shift, shift, 2 * rows, shift);
    begin_block(out, kind, rows);
    sam_lower_code(out, "8: addi t6, s10, -1; andi t6, t6, %u; addi t6, t6, 1; mcfgk zero, t6",
                   4 * rows - 1);
    end_step(out, kind, rows, "t2");
    move_sum(out, quad[2], "mstw", "t2", "sp", "s7", rows);
    move_sum(out, quad[3], "mstw", "t2", "sp", "s7", rows);
    sam_lower_code(out, "li t2, 0; bnez t4, %s_step; %s_turned: li a1, %u; j %s_next", label, label,
                   2 * rows, label);
}

static void write_pairs(const struct lower *l, struct sam_buffer *out, enum product_kind kind,
                        unsigned rows)
{
    sam_lower_code(out,
                   "%s_pairs: mv a2, s9 # columns left; mv a3, s4; mv a4, s6; mv a5, s11; "
                   "li t2, 0",
                   kinds[kind].label);
    begin_block(out, kind, rows);
    write_pair_step(l, out, kind, rows);
    write_pair_end(out, kind, rows);
}

/* --- remaining rows: the C blocks in m4 and up share one A block in m0; B passes through m1 to m3
 */

/* `at` to `end`: the B blocks to load into m1 to m3. */
static void load_blocks(struct sam_buffer *out, const char *load, unsigned at, unsigned end)
{
    for (; at < end; at++)
        sam_lower_code(out, "%s m%u, s5, (t%u)", load, 1 + at % 3, at);
}

static void multiply_blocks(struct sam_buffer *out, const char *multiply, unsigned at, unsigned end)
{
    for (; at < end; at++)
        sam_lower_code(out, "%s m%u, m%u, m0", multiply, 4 + at, 1 + at % 3);
}

static void write_blocks(struct sam_buffer *out, enum product_kind kind, unsigned rows,
                         unsigned blocks)
{
    const char *load = kinds[kind].load, *multiply = kinds[kind].multiply;
    const unsigned bytes = 4 * rows, held = blocks < 3 ? blocks : 3;
    char sums[] = "m4, m5, m6, m7", pointers[] = "t0, t1, t2, t3";
    sums[4 * blocks - 2] = pointers[4 * blocks - 2] = '\0';
    sam_lower_code(out,
                   "3: li t6, %u; bltu a2, t6, 6f; mcfgni zero, %u # %u blocks of C; "
                   "mcfgm zero, a1; mcfgki zero, %u; .irp sum, %s; mmov.mx \\sum, a0; "
                   "beqz s11, 4f; mldw \\sum, a7, (a5); addi a5, a5, %u; "
                   "4: .endr; slli t6, s5, %d; mv a6, s2; mv t0, a3",
                   blocks * rows, rows, blocks, bytes, sums, bytes, __builtin_ctz(rows));
    for (unsigned i = 1; i < blocks; i++)
        sam_lower_code(out, "add t%u, t%u, t6", i, i - 1);
    sam_lower_code(out,
                   "add a3, t%u, t6; mv t4, s10; beqz t4, 5f; "
                   "4: li t5, %u; bgeu t4, t5, 8f; mv t5, t4; "
                   "8: mcfgk zero, t5; %s m0, s3, (a6); mcfgmi zero, %u",
                   blocks - 1, bytes, load, rows);
    load_blocks(out, load, 0, held);
    sam_lower_code(out, "mcfgm zero, a1");
    multiply_blocks(out, multiply, 0, 1);
    if (blocks > held) {
        sam_lower_code(out, "mcfgmi zero, %u", rows);
        load_blocks(out, load, held, blocks);
        sam_lower_code(out, "mcfgm zero, a1");
    }
    multiply_blocks(out, multiply, 1, blocks);
    sam_lower_code(out,
                   ".irp pointer, a6, %s; add \\pointer, \\pointer, t5; .endr; sub t4, t4, t5; "
                   "bnez t4, 4b; "
                   "5: mcfgki zero, %u; .irp sum, %s; mstw \\sum, s7, (a4); addi a4, a4, %u; "
                   ".endr; addi a2, a2, -%u; bnez a2, 3b; j 9f",
                   pointers, bytes, sums, bytes, blocks * rows);
}

static void write_one_block(struct sam_buffer *out, enum product_kind kind, unsigned rows)
{
    const char *load = kinds[kind].load;
    sam_lower_code(out,
                   "6: li t3, %u # one block; "
                   "bgeu a2, t3, 2f; mv t3, a2; "
                   "2: slli t2, t3, 2; mcfgn zero, t3; mcfgm zero, a1; mcfgk zero, t2; "
                   "mmov.mx m4, a0; beqz s11, 4f; mldw m4, a7, (a5); add a5, a5, t2; "
                   "4: mv a6, s2; mv t0, a3; mv t4, s10; beqz t4, 5f; "
                   "4: li t5, %u; bgeu t4, t5, 8f; mv t5, t4; "
                   "8: mcfgk zero, t5; %s m0, s3, (a6); mcfgm zero, t3; %s m1, s5, (t0); "
                   "mcfgm zero, a1; %s m4, m1, m0; add a6, a6, t5; add t0, t0, t5; "
                   "sub t4, t4, t5; bnez t4, 4b; "
                   "5: mcfgk zero, t2; mstw m4, s7, (a4); add a4, a4, t2; mul t6, s5, t3; "
                   "add a3, a3, t6; sub a2, a2, t3; bnez a2, 3b",
                   rows, 4 * rows, load, load, kinds[kind].multiply);
}

/* --- accumulator registers of the machine (hart.h, acc_regs) */

/* Choose the C blocks per pass: 4 (2x2 if there are enough rows), 2, 1, or 0 if the machine cannot
 * multiply. `names` maps m0 to m7 to registers. */
static unsigned organise(uint32_t sums, unsigned names[8])
{
    unsigned sources = 0, count = 0;
    for (unsigned i = 0; i < 8; i++) {
        const bool is_sum = sums == 0xff ? i >= 4 : sums >> i & 1;
        unsigned *group = is_sum ? &count : &sources;
        if (*group < 4)
            names[4 * is_sum + *group] = i;
        ++*group;
    }
    if (count == 4)
        return 4;
    return count >= 2 && sources >= 3 ? 2 : count && sources >= 2;
}

bool sam_lower_matrix_registers(const struct lower *l, unsigned names[8])
{
    return organise(l->options.acc_regs, names) == 4;
}

/* Append `text`, written for m0 to m7, with the registers renamed. */
static void rename_registers(struct sam_buffer *out, const struct sam_buffer *text,
                             const unsigned names[8])
{
    const char *at = sam_buffer_text(text), *from = at;
    for (; *at; at++) {
        if (at[0] != 'm' || at[1] < '0' || at[1] > '7' || at[-1] != ' ')
            continue;
        sam_buffer_append(out, from, (size_t)(at - from));
        sam_buffer_printf(out, "m%u", names[at[1] - '0']);
        from = at + 2;
    }
    sam_buffer_puts(out, from);
}

/* Emit the routine for matrix registers of `rows` rows. */
static void write_product(const struct lower *l, struct sam_buffer *out, enum product_kind kind,
                          unsigned rows, unsigned blocks)
{
    const char *label = kinds[kind].label;
    sam_lower_code(out,
                   "# C = start + A * B^T: A in s2, s8 rows, s3 bytes apart, B in s4, s9 rows, "
                   "s5 apart,; "
                   "# s10 bytes of each are used, C in s6, s7 apart, start in s11 (0: zeros), "
                   "a7 apart.; "
                   "%s: csrwi xmcsr, 1; li a0, 0; "
                   "1:",
                   label);
    if (blocks == 4)
        sam_lower_code(out, "beqz s10, 2f; li t6, %u; bgeu s8, t6, %s_pairs; 2:", 2 * rows, label);
    sam_lower_code(out,
                   "li a1, %u # rows of this turn; "
                   "bgeu s8, a1, 2f; mv a1, s8; "
                   "2: mv a2, s9 # columns left; "
                   "mv a3, s4; mv a4, s6; mv a5, s11",
                   rows);
    if (blocks > 1)
        write_blocks(out, kind, rows, blocks);
    else
        sam_lower_code(out, "3:");
    write_one_block(out, kind, rows);
    sam_lower_code(out,
                   "9: "
                   "%s_next: # rows; "
                   "mul t6, s3, a1; add s2, s2, t6; mul t6, s7, a1; add s6, s6, t6; "
                   "sub s8, s8, a1; beqz s11, 4f; mul t6, a7, a1; add s11, s11, t6; "
                   "4: bnez s8, 1b; ret",
                   label);
    if (blocks == 4)
        write_pairs(l, out, kind, rows);
}

/* --- factors */

/* A factor: a tile seen as `lines` lines of `length` contiguous elements. */
struct factor {
    uint32_t tile;
    bool rows;              /* lines are rows of the tile */
    uint32_t lines, length; /* at most */
    uint32_t element;       /* bytes */
    uint32_t pitch;         /* bytes per line */
    uint32_t room;          /* address of a copy; 0: used in place */
    uint32_t window;        /* of packed weights, read where it is decoded; or SAM_TILE_NONE */
    uint32_t scales;        /* or SAM_TILE_NONE */
    bool widened;           /* copied as f32 */
};

enum { ROOM = LOWER_SCRATCH_BYTES / 2 }; /* bytes of one factor's copy */

static uint32_t at_most(const struct lower *l, uint32_t tile, bool rows)
{
    const struct sam_tile_type *type = &sam_tile_ty(l->p, tile)->tile;
    uint32_t known;
    if (sam_lower_known(l, tile, rows ? LOWER_ROWS : LOWER_COLS, &known))
        return known;
    return rows ? type->rows : type->cols;
}

static uint32_t pitch_of(const struct lower *l, uint32_t tile)
{
    uint32_t pitch = 0;
    sam_lower_known(l, tile, LOWER_PITCH, &pitch);
    return pitch;
}

/* Copy a factor into the layout of the unit if necessary. Returns false if the copy does not fit
 * the scratch memory. */
static bool prepare(struct lower *l, struct factor *f, uint32_t room)
{
    const struct sam_tile_type *type = &sam_tile_ty(l->p, f->tile)->tile;
    bool narrow = type->dtype == SAM_BF16;
    f->element = (uint32_t)sam_tile_size(type->dtype);
    f->lines = at_most(l, f->tile, f->rows);
    f->length = at_most(l, f->tile, !f->rows);
    f->pitch = pitch_of(l, f->tile);
    f->room = 0;
    if (f->window != SAM_TILE_NONE) {
        int64_t stride = 0;
        sam_lower_window_known(l, f->window, 1, true, &stride);
        f->pitch = (uint32_t)stride * f->element;
        return true;
    }
    if (!f->lines || !f->length)
        return true;
    if (f->scales != SAM_TILE_NONE || f->widened) {
        f->length *= type->dtype == SAM_U8 ? 2 : 1; /* pairs */
        f->element = 4;
        f->pitch = (f->length + 7) / 8 * 32;
        f->room = room;
        if ((uint64_t)f->lines * f->pitch > ROOM)
            return false;
        sam_lower_scaled_factor(l, f->tile, f->scales, f->rows, room, f->pitch);
        return true;
    }
    uint32_t at = f->tile;
    sam_lower_field(l, "t2", at, LOWER_ADDRESS);
    if (f->rows != (type->blayout == SAM_TILE_row_major)) {
        const uint64_t most = narrow ? ROOM / 2 : ROOM;
        uint32_t dense = f->length * f->element, pitch = (dense + 31) / 32 * 32;
        if ((uint64_t)f->lines * pitch > most)
            pitch = dense;
        if ((uint64_t)f->lines * pitch > most)
            return false;
        int64_t e = f->element;
        struct sam_lower_box box = {
            .rank = 2,
            .element = f->element,
            .dim = {{lower_is(f->lines), lower_is(1), lower_is(pitch / e)},
                    {lower_is(f->length), lower_is(f->pitch / e), lower_is(1)}}};
        f->pitch = pitch;
        f->room = narrow ? room + ROOM / 2 : room; /* widened into the whole scratch half
                                                      afterwards */
        sam_lower_hart(l, "li t3, 0x%" PRIx32, f->room);
        sam_lower_box(l, &box);
        sam_lower_hart(l, "li t2, 0x%" PRIx32, f->room);
    }
    if (narrow) {
        uint64_t bytes = (uint64_t)(f->lines - 1) * f->pitch + f->length * f->element;
        if (bytes > ROOM / 2)
            return false;
        sam_lower_hart(l, "li t3, 0x%" PRIx32 "; li a2, %" PRIu64, room, bytes);
        sam_lower_box_call(l, LOWER_WIDEN);
        f->room = room;
        f->element *= 2;
        f->pitch *= 2;
    }
    return true;
}

static void put_factor(struct lower *l, const struct factor *f, const char *address,
                       const char *pitch)
{
    if (f->window != SAM_TILE_NONE)
        sam_lower_window_address(l, address, f->window);
    else if (f->room)
        sam_lower_hart(l, "li %s, 0x%" PRIx32, address, f->room);
    else
        sam_lower_field(l, address, f->tile, LOWER_ADDRESS);
    sam_lower_hart(l, "li %s, %" PRIu32, pitch, f->pitch);
}

/* --- initial value of the accumulator */

/* Copy the initial value into the destination. `one_row`: broadcast its first row. */
static void prefill(struct lower *l, uint32_t start, uint32_t d, bool one_row)
{
    const struct sam_tile_type *from = &sam_tile_ty(l->p, start)->tile;
    const struct sam_tile_type *to = &sam_tile_ty(l->p, d)->tile;
    int64_t s = pitch_of(l, start) / 4, t = pitch_of(l, d) / 4;
    bool from_rows = from->blayout == SAM_TILE_row_major,
         to_rows = to->blayout == SAM_TILE_row_major;
    struct sam_lower_box box = {.rank = 2,
                                .element = 4,
                                .dim = {{sam_lower_valid(l, d, true),
                                         lower_is(one_row     ? 0
                                                  : from_rows ? s
                                                              : 1),
                                         lower_is(to_rows ? t : 1)},
                                        {sam_lower_valid(l, d, false), lower_is(from_rows ? 1 : s),
                                         lower_is(to_rows ? 1 : t)}}};
    sam_lower_field(l, "t2", start, LOWER_ADDRESS);
    sam_lower_field(l, "t3", d, LOWER_ADDRESS);
    sam_lower_box(l, &box);
}

static void skip_empty(struct lower *l, uint32_t tile, unsigned label)
{
    for (unsigned side = 0; side < 2; side++) {
        uint32_t known;
        if (sam_lower_known(l, tile, side ? LOWER_COLS : LOWER_ROWS, &known) && known)
            continue;
        sam_lower_field(l, "t1", tile, side ? LOWER_COLS : LOWER_ROWS);
        sam_lower_hart(l, "beqz t1, .L%u", label);
    }
}

void sam_lower_matmul(struct lower *l, const struct sam_tile_op *op)
{
    const struct sam_tile_row *row = sam_tile_row(op->code);
    const bool acc = sam_tile_accumulates(row), bias = sam_tile_has_bias(row);
    const bool scaled = sam_tile_is_scaled(row);
    uint32_t a = sam_tile_arg(l->p, op, acc), b = sam_tile_arg(l->p, op, acc + 1u + scaled);
    uint32_t d = sam_tile_arg(l->p, op, op->operand_count - 1);
    uint32_t start = acc    ? sam_tile_arg(l->p, op, 0)
                     : bias ? sam_tile_arg(l->p, op, scaled ? 4 : 2)
                            : d;
    const struct sam_tile_type *type = &sam_tile_ty(l->p, d)->tile;
    const enum sam_dtype own = sam_tile_ty(l->p, a)->tile.dtype;
    const enum sam_dtype other = sam_tile_ty(l->p, b)->tile.dtype;
    const bool widens = !scaled && sam_tile_is_real(own) && (own != other || !products[own].has);
    const enum sam_dtype dtype = scaled || widens ? SAM_F32 : own;
    const enum product_kind kind = products[dtype].kind;
    const unsigned rows = (l->options.mlen ? l->options.mlen : 512) / 32;
    bool by_rows = type->blayout == SAM_TILE_row_major;
    bool direct = sam_tile_ty(l->p, start)->tile.blayout == type->blayout && (by_rows || !bias);
    unsigned end = sam_lower_label(l), names[8] = {0};
    const unsigned blocks = organise(l->options.acc_regs, names);
    struct sam_buffer *text;
    if (!blocks) {
        sam_lower_refuse(l, op,
                         "%s: acc_regs 0x%" PRIx32 " leaves no two registers for factors: expected "
                         "at most six that accumulate",
                         sam_tile_row(op->code)->name, l->options.acc_regs);
        return;
    }
    /* C^T = B^T A^T: for a column-major destination the factors swap */
    struct factor left = {
        .tile = sam_lower_factor_tile(l, a), .rows = true, .window = SAM_TILE_NONE};
    struct factor right = {.tile = sam_lower_factor_tile(l, b), .rows = false};
    left.scales = scaled ? sam_tile_arg(l->p, op, acc + 1u) : SAM_TILE_NONE;
    right.scales = scaled ? sam_tile_arg(l->p, op, acc + 3u) : SAM_TILE_NONE;
    right.window = sam_lower_staged_factor(l, right.tile);
    left.widened = right.widened = widens;
    const bool by_hart = sam_lower_multiplies(l, op);
    if ((!products[dtype].has && !by_hart) || (widens && right.window != SAM_TILE_NONE)) {
        sam_lower_refuse(l, op, "%s on %s and %s has no lowering: add it to src/lower/matrix.c",
                         row->name, sam_tile_dtype_name(own), sam_tile_dtype_name(other));
        return;
    }
    skip_empty(l, d, end);
    if (by_hart) {
        sam_lower_multiply(l, left.tile, right.tile, acc || bias ? start : SAM_TILE_NONE, bias, d);
        sam_lower_pad(l, d);
        sam_lower_hart(l, ".L%u:", end);
        sam_lower_note(l, op, "the hart, element by element");
        return;
    }
    if (right.window != SAM_TILE_NONE)
        sam_lower_stage_factor(l, op, right.window);
    if (!prepare(l, &left, LOWER_SCRATCH) || !prepare(l, &right, LOWER_SCRATCH + ROOM)) {
        sam_lower_refuse(l, op,
                         "%s: a factor needs a copy of more than %u bytes: expected tiles "
                         "in left and right",
                         row->name, (unsigned)ROOM);
        return;
    }
    if ((acc || bias) && !direct)
        prefill(l, start, d, bias);
    put_factor(l, &left, by_rows ? "s2" : "s4", by_rows ? "s3" : "s5");
    put_factor(l, &right, by_rows ? "s4" : "s2", by_rows ? "s5" : "s3");
    sam_lower_field(l, by_rows ? "s8" : "s9", d, LOWER_ROWS);
    sam_lower_field(l, by_rows ? "s9" : "s8", d, LOWER_COLS);
    sam_lower_field(l, "s10", a, LOWER_COLS);
    const unsigned shift = kinds[kind].shift + (scaled && own == SAM_U8);
    if (shift)
        sam_lower_hart(l, "slli s10, s10, %u", shift);
    if (l->state->kept == d) {
        sam_lower_kept_product(l, kinds[kind].load, kinds[kind].multiply, !acc, left.pitch,
                               right.pitch);
        sam_lower_hart(l, ".L%u:", end);
        sam_lower_box_note(l, op);
        sam_lower_note(l, op, "matrix unit: %s, into registers", kinds[kind].multiply);
        return;
    }
    sam_lower_field(l, "s6", d, LOWER_ADDRESS);
    sam_lower_hart(l, "li s7, %" PRIu32, pitch_of(l, d));
    if (!acc && !bias)
        sam_lower_hart(l, "li s11, 0");
    else
        sam_lower_field(l, "s11", direct ? start : d, LOWER_ADDRESS);
    sam_lower_hart(l, "li a7, %" PRIu32, direct && bias ? 0 : pitch_of(l, direct ? start : d));
    sam_lower_hart(l, "call %s", kinds[kind].label);
    if (sam_lower_box_first(l, LOWER_PRODUCTS + kind, &text)) {
        struct sam_buffer product = {0};
        write_product(l, &product, kind, rows, blocks);
        rename_registers(text, &product, names);
        text->failed |= product.failed;
        sam_buffer_free(&product);
    }
    sam_lower_pad(l, d);
    sam_lower_hart(l, ".L%u:", end);
    sam_lower_box_note(l, op);
    sam_lower_note(l, op, "matrix unit: %s, blocks of %ux%u, %u of K%s", kinds[kind].multiply, rows,
                   rows, 4 * rows >> kinds[kind].shift,
                   scaled   ? ", factors scaled by the hart"
                   : widens ? ", factors widened by the hart"
                            : "");
}
