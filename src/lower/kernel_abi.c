/* SPDX-License-Identifier: Apache-2.0 */
/* The ABI of GPU kernels: argument words, warp index, padding. */
#include "lower/elements.h"

enum { LANES = 32 };

uint32_t sam_lower_kernel_word(struct sam_lower_kernel *k, enum lower_word_kind kind,
                               uint32_t value)
{
    unsigned i = 0;
    while (i < k->word_count && (k->words[i].kind != kind || k->words[i].value != value))
        i++;
    if (i == k->word_count && i < LOWER_WORDS)
        k->words[k->word_count++] = (struct lower_word){.kind = kind, .value = value};
    return 4 * i;
}

void sam_lower_kernel_note(struct lower *l, const struct sam_lower_kernel *k,
                           const struct sam_tile_op *op)
{
    sam_lower_note(l, op, "kernel %s: %u workgroup%s of %u warp%s", k->name, k->workgroups,
                   k->workgroups == 1 ? "" : "s", k->warps, k->warps == 1 ? "" : "s");
}

void sam_lower_load_field(struct lower *l, struct sam_lower_kernel *k, struct sam_buffer *out,
                          const char *reg, uint32_t tile, enum sam_lower_field field)
{
    static const enum lower_word_kind kinds[] = {[LOWER_ADDRESS] = LOWER_WORD_ADDRESS,
                                                 [LOWER_PITCH] = LOWER_WORD_PITCH,
                                                 [LOWER_ROWS] = LOWER_WORD_ROWS,
                                                 [LOWER_COLS] = LOWER_WORD_COLS};
    uint32_t number;
    if (sam_lower_known(l, tile, field, &number))
        sam_buffer_printf(out, "\tli %s, 0x%x\n", reg, number);
    else
        sam_buffer_printf(out, "\tlw %s, %u(a0)\n", reg,
                          sam_lower_kernel_word(k, kinds[field], tile));
}

void sam_lower_number_warp(const struct sam_lower_kernel *k, struct sam_buffer *out)
{
    sam_buffer_puts(out, "\tcsrr t3, wid\n");
    if (k->workgroups > 1)
        sam_buffer_printf(out, "\tcsrr t0, gdx\n\tli t1, %u\n\tmul t0, t0, t1\n\tadd t3, t3, t0\n",
                          k->warps);
}

void sam_lower_kernel_pad(struct lower *l, struct sam_lower_kernel *k, const struct sam_tile_op *op,
                          uint32_t rectangle, enum sam_lower_part part)
{
    struct sam_buffer *out = &l->gpu;
    uint32_t d = sam_tile_arg(l->p, op, op->operand_count - 1);
    const struct sam_tile_type *type = &sam_tile_ty(l->p, d)->tile;
    unsigned size = (unsigned)sam_tile_size(type->dtype), row = sam_lower_label(l);
    unsigned inside = sam_lower_label(l), chunk = sam_lower_label(l), next = sam_lower_label(l);
    unsigned end = sam_lower_label(l);
    sam_buffer_puts(out, "\t# outside what is written\n");
    sam_lower_load_field(l, k, out, "s0", rectangle, LOWER_ROWS);
    sam_lower_load_field(l, k, out, "s2", rectangle, LOWER_COLS);
    if (sam_tile_row(op->code)->family != SAM_TILE_FILLPAD)
        sam_buffer_printf(out, "\tbeqz s0, .Lg%u\n\tbeqz s2, .Lg%u\n", end, end);
    if (part != LOWER_WHOLE)
        sam_buffer_printf(out, "\tli %s, 1\n", part == LOWER_FIRST_ROW ? "s0" : "s2");
    sam_lower_load_field(l, k, out, "t5", d, LOWER_ADDRESS);
    sam_lower_load_field(l, k, out, "t6", d, LOWER_PITCH);
    sam_lower_number_warp(k, out);
    sam_buffer_printf(out, "\tli t0, 0x%x\n\tvsetvli t1, zero, e32, m1, ta, ma\n\tvmv.v.x v8, t0\n",
                      (uint32_t)sam_tile_pad_bits(type->dtype, type->pad));
    sam_buffer_printf(out,
                      ".Lg%u:\n\tli t0, %u\n\tbge t3, t0, .Lg%u\n\tmv t1, s2\n"
                      "\tblt t3, s0, .Lg%u\n\tli t1, 0\n.Lg%u:\n",
                      row, type->rows, end, inside, inside);
    sam_buffer_printf(out,
                      "\tmul t2, t3, t6\n\tslli t4, t1, %u\n\tadd t2, t2, t4\n"
                      "\tadd t2, t2, t5\n\tli t0, %u\n\tsub " LOWER_REST ", t0, t1\n",
                      (unsigned)__builtin_ctz(size), type->cols);
    sam_buffer_printf(out,
                      ".Lg%u:\n\tblez " LOWER_REST ", .Lg%u\n\tvsetvli t0, " LOWER_REST
                      ", e32, m1, ta, ma\n\tvse%u.v v8, (t2)\n\taddi t2, t2, %u\n"
                      "\taddi " LOWER_REST ", " LOWER_REST ", -%u\n\tj .Lg%u\n",
                      chunk, next, 8 * size, LANES * size, (unsigned)LANES, chunk);
    sam_buffer_printf(out, ".Lg%u:\n\taddi t3, t3, %u\n\tj .Lg%u\n.Lg%u:\n", next,
                      k->workgroups * k->warps, row, end);
}
