/* SPDX-License-Identifier: Apache-2.0 */
/* The ABI of GPU kernels: argument words, warp index, padding. */
#include "lower/elements.h"

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
    sam_lower_note(l, op, "kernel %s: %u workgroup%s of %u warp%s", k->code, k->workgroups,
                   k->workgroups == 1 ? "" : "s", k->warps, k->warps == 1 ? "" : "s");
}

void sam_lower_load_field(struct lower_code *c, struct sam_lower_kernel *k, enum lower_level level,
                          const char *reg, uint32_t tile, enum sam_lower_field field)
{
    static const enum lower_word_kind kinds[] = {[LOWER_ADDRESS] = LOWER_WORD_ADDRESS,
                                                 [LOWER_PITCH] = LOWER_WORD_PITCH,
                                                 [LOWER_ROWS] = LOWER_WORD_ROWS,
                                                 [LOWER_COLS] = LOWER_WORD_COLS};
    uint32_t number;
    if (sam_lower_known(c->l, tile, field, &number))
        sam_lower_gpu(c, level, "li %s, 0x%x", reg, number);
    else
        sam_lower_gpu(c, level, "lw %s, %u(a0)", reg, sam_lower_kernel_word(k, kinds[field], tile));
}

unsigned sam_lower_number_warp(struct lower_code *c, const struct sam_lower_kernel *k)
{
    const unsigned warp = sam_lower_take_scalar(c, LOWER_FINAL);
    sam_lower_gpu(c, LOWER_FINAL, "csrr x%u, wid", warp);
    if (k->workgroups > 1)
        sam_lower_gpu(c, LOWER_FINAL, "csrr t0, gdx; li t1, %u; mul t0, t0, t1; add x%u, x%u, t0",
                      k->warps, warp, warp);
    return warp;
}

void sam_lower_kernel_pad(struct lower_code *c, struct sam_lower_kernel *k,
                          const struct sam_tile_op *op, uint32_t rectangle,
                          enum sam_lower_part part)
{
    struct lower *l = c->l;
    const enum lower_level out = LOWER_FINAL;
    uint32_t d = sam_tile_arg(l->p, op, op->operand_count - 1);
    const struct sam_tile_type *type = &sam_tile_ty(l->p, d)->tile;
    unsigned size = (unsigned)sam_tile_size(type->dtype), row = sam_lower_label(l);
    unsigned inside = sam_lower_label(l), chunk = sam_lower_label(l), next = sam_lower_label(l);
    unsigned end = sam_lower_label(l);
    const bool fills = sam_tile_row(op->code)->family == SAM_TILE_FILLPAD;
    sam_lower_comment(c, out, "outside what is written");
    sam_lower_hold(c, out);
    sam_lower_load_field(c, k, out, "s0", rectangle, LOWER_ROWS);
    sam_lower_load_field(c, k, out, "s2", rectangle, LOWER_COLS);
    if (!fills)
        sam_lower_gpu(c, out, "beqz s0, .Lg%u; beqz s2, .Lg%u", end, end);
    if (part != LOWER_WHOLE)
        sam_lower_gpu(c, out, "li %s, 1", part == LOWER_FIRST_ROW ? "s0" : "s2");
    sam_lower_load_field(c, k, out, "t5", d, LOWER_ADDRESS);
    sam_lower_load_field(c, k, out, "t6", d, LOWER_PITCH);
    const unsigned warp = sam_lower_number_warp(c, k);
    sam_lower_gpu(c, out, "li t0, 0x%x; vsetvli t1, zero, e32, m1, ta, ma; vmv.v.x v8, t0",
                  (uint32_t)sam_tile_pad_bits(type, l->options.dialect));
    sam_lower_gpu(c, out,
                  ".Lg%u:; li t0, %u; bge x%u, t0, .Lg%u; mv t1, s2; blt x%u, s0, .Lg%u;"
                  "li t1, 0; .Lg%u:",
                  row, type->rows, warp, end, warp, inside, inside);
    sam_lower_gpu(c, out,
                  "mul t2, x%u, t6; slli t4, t1, %u; add t2, t2, t4; add t2, t2, t5; li t0, %u;"
                  "sub s1, t0, t1",
                  warp, (unsigned)__builtin_ctz(size), type->cols);
    sam_lower_gpu(c, out,
                  ".Lg%u:; blez s1, .Lg%u; vsetvli t0, s1, e32, m1, ta, ma; vse%u.v v8, (t2);"
                  "addi t2, t2, %u; addi s1, s1, -%u; j .Lg%u",
                  chunk, next, 8 * size, LOWER_LANES * size, (unsigned)LOWER_LANES, chunk);
    sam_lower_gpu(c, out, ".Lg%u:; addi x%u, x%u, %u; j .Lg%u; .Lg%u:", next, warp, warp,
                  k->workgroups * k->warps, row, end);
    c->holds = false;
}
