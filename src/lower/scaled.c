/* SPDX-License-Identifier: Apache-2.0 */
/* Factors of scaled products, and of those whose dtypes the unit does not have or that differ: the
 * hart writes their elements, times the scale of each block of 32 along K, as f32. Only values that
 * are too large for f32 round, to infinity. */
#include "lower/box.h"
#include "lower/hart.h"

#include <inttypes.h>

static const struct scaled_kind {
    enum sam_dtype dtype, of; /* elements; those of ui8 are pairs of e2m1 */
    unsigned bits;            /* of the magnitude or, of hif8, all; the sign is above them */
} kinds[LOWER_SCALED_KINDS] = {
    {SAM_E4M3, SAM_E4M3, 7},  {SAM_E5M2, SAM_E5M2, 7},  {SAM_E2M1, SAM_E2M1, 3},
    {SAM_F16, SAM_F16, 15},   {SAM_BF16, SAM_BF16, 15}, {SAM_HIF8, SAM_HIF8, 8},
    {SAM_E3M2, SAM_E3M2, 5},  {SAM_E2M3, SAM_E2M3, 5},  {SAM_F32, SAM_F32, 31},
    {SAM_TF32, SAM_TF32, 31}, {SAM_HF32, SAM_HF32, 31}, {SAM_E1M2, SAM_E1M2, 3},
};

enum { BLOCK = 32 };

/* s2 = what makes an element NaN, s10 = what is added to its exponent, of the scale at s7. */
static void write_scale(struct sam_buffer *out)
{
    sam_lower_code(out, "lbu t0, 0(s7); add s7, s7, t4; li s2, 0; addi s10, t0, -127; "
                        "slli s10, s10, 23; addi t1, t0, -255; bnez t1, 4f; li s2, 0x7fc00000; 4:");
}

/* t1 = the magnitude t1 of an element as f32. */
static void write_magnitude(struct sam_buffer *out, unsigned kind)
{
    const unsigned unused = sam_dtype_table[kinds[kind].dtype].fp.unused;
    if (kinds[kind].dtype == SAM_BF16)
        sam_lower_code(out, "slli t1, t1, 16");
    else if (kinds[kind].bits == 31)
        sam_lower_code(out, "srli t1, t1, %u; slli t1, t1, %u", unused, unused);
    else if (kinds[kind].dtype == SAM_F16)
        sam_lower_code(out, "srli a1, t1, 10; slli t1, t1, 13; li t6, 31; beq a1, t6, 5f; "
                            "bnez a1, 4f; beqz t1, 7f; li t6, 0x38800000 # subnormal; "
                            "3: slli t1, t1, 1; sub t6, t6, s4; and a1, t1, s4; beqz a1, 3b; "
                            "sub t1, t1, s4; add t1, t1, t6; j 7f; "
                            "4: li a1, 0x38000000; add t1, t1, a1; j 7f; 5: or t1, t1, s5; 7:");
    else
        sam_lower_code(out, "slli t1, t1, 2; add t1, t1, t6; lw t1, 0(t1); beqz t1, 7f; "
                            "bgeu t1, s5, 7f; mv a1, t1; add t1, t1, s10; bge t1, s4, 4f; "
                            "addi t0, s4, -1; and a1, a1, t0; or a1, a1, s4 # subnormal: exact; "
                            "srai t1, t1, 23; li t0, 1; sub t0, t0, t1; srl t1, a1, t0; j 7f; "
                            "4: blt t1, s5, 7f; mv t1, s5; 7: or t1, t1, s2");
}

static void write_routine(struct sam_buffer *out, unsigned kind)
{
    const struct scaled_kind *k = &kinds[kind];
    const bool table = k->bits < 15, pairs = k->bits == 3;
    sam_lower_code(out,
                   "# a2 lines of a3 elements of %s from t2, a4 bytes apart, elements a5 apart, to "
                   "f32 at t3, t5 apart; # (of 4 bits: halves of bytes); # their scales from "
                   "a6, lines a7 apart, blocks t4 apart; "
                   ".Lscaled%u: li s3, %u; li s4, 0x800000; li s5, 0x7f800000; %s"
                   "1: mv a0, t2; mv s6, t3; mv s7, a6; mv s8, a3; "
                   "2: li s11, %d; bgeu s8, s11, 3f; mv s11, s8; 3: sub s8, s8, s11",
                   sam_dtype_name(k->of), kind, (1u << k->bits) - 1,
                   pairs ? "mv s9, t2; li t2, 0; " : "", BLOCK);
    if (table) {
        sam_lower_code(out, "lla t6, .Lvalues%u", kind);
        write_scale(out);
    }
    if (pairs)
        sam_lower_code(out, "6: srli t0, a0, 1; add t0, t0, s9; lbu t0, 0(t0); andi t1, a0, 1; "
                            "slli t1, t1, 2; srl t0, t0, t1; andi t0, t0, 15; add a0, a0, a5");
    else
        sam_lower_code(out, "6: %s t0, 0(a0); add a0, a0, a5",
                       table           ? "lbu"
                       : k->bits == 31 ? "lw"
                                       : "lhu");
    sam_lower_code(out, "and t1, t0, s3; srli t0, t0, %u; slli sp, t0, 31", k->bits);
    write_magnitude(out, kind);
    sam_lower_code(out,
                   "or t1, t1, sp; sw t1, 0(s6); addi s6, s6, 4; addi s11, s11, -1; bnez s11, 6b; "
                   "bnez s8, 2b; add t2, t2, a4; add t3, t3, t5; add a6, a6, a7; addi a2, a2, -1; "
                   "bnez a2, 1b; ret");
    if (!table)
        return;
    sam_lower_code(out, ".Lunit%u: .word 127; .Lvalues%u:", kind, kind);
    for (unsigned i = 0; i < 1u << k->bits; i++) {
        const float value = (float)sam_dtype_value(k->of, i);
        sam_lower_code(out, ".word 0x%" PRIx32, value != value ? 0x7fc00000 : sam_f32_bits(value));
    }
}

void sam_lower_scaled_factor(struct lower *l, uint32_t tile, uint32_t scales, bool rows,
                             uint32_t room, uint32_t pitch)
{
    const struct sam_tile_type *type = &sam_tile_ty(l->p, tile)->tile;
    const uint32_t size = (uint32_t)sam_tile_size(type->dtype);
    const enum sam_dtype of = type->dtype == SAM_U8 ? SAM_E2M1 : type->dtype;
    const bool along = rows == (type->blayout == SAM_TILE_row_major); /* K is contiguous */
    const unsigned end = sam_lower_label(l);
    const bool has = scales != SAM_TILE_NONE;
    struct sam_buffer *text;
    uint32_t step = 0, of_scales = 0;
    unsigned kind = 0;
    while (kinds[kind].dtype != of)
        kind++;
    sam_lower_known(l, tile, LOWER_PITCH, &step);
    step *= sam_tile_is_paired(of) ? 2 : 1;
    sam_lower_field(l, "t2", tile, LOWER_ADDRESS);
    if (has) {
        sam_lower_known(l, scales, LOWER_PITCH, &of_scales);
        sam_lower_field(l, "a6", scales, LOWER_ADDRESS);
    } else if (kinds[kind].bits < 15) { /* one scale, of 1 */
        sam_lower_hart(l, "lla a6, .Lunit%u", kind);
    }
    sam_lower_field(l, "a2", tile, rows ? LOWER_ROWS : LOWER_COLS);
    sam_lower_field(l, "a3", tile, rows ? LOWER_COLS : LOWER_ROWS);
    if (type->dtype == SAM_U8)
        sam_lower_hart(l, "slli a3, a3, 1");
    sam_lower_hart(
        l,
        "beqz a2, .L%u; beqz a3, .L%u; li t3, 0x%" PRIx32 "; li a4, %" PRIu32 "; li a5, %" PRIu32
        "; li a7, %" PRIu32 "; li t4, %" PRIu32 "; li t5, %" PRIu32 "; call .Lscaled%u; .L%u:",
        end, end, room, along ? step : size, along ? size : step, rows || !has ? of_scales : 1,
        !rows ? of_scales
        : has ? 1
              : 0,
        pitch, kind, end);
    if (sam_lower_box_first(l, LOWER_SCALED + kind, &text))
        write_routine(text, kind);
}
