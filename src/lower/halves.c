/* SPDX-License-Identifier: Apache-2.0 */
/* tcvt from and to elements of 4 bits, by the hart, with tables that the host's conversion fills.
 * The number of an element is its bits if it has 4 or 8 of them; otherwise how many of the 15
 * limits between results it reaches, or 16 of a NaN. */
#include <inttypes.h>
#include <math.h>

#include "lower/box.h"
#include "lower/hart.h"

enum { LIMITS = 15, NAN_NUMBER = LIMITS + 1 };

static int64_t extend(uint64_t bits, unsigned width)
{
    return (int64_t)(bits << (64 - width)) >> (64 - width);
}

/* The bits of number `place` of a dtype in ascending order, -0 before 0. */
static uint64_t bits_at(enum sam_dtype dtype, uint64_t place)
{
    const unsigned width = sam_dtype_table[dtype].bits;
    const uint64_t half = UINT64_C(1) << (width - 1), all = UINT64_MAX >> (64 - width);
    if (sam_tile_is_real(dtype))
        return place < half ? all - place : place - half;
    return sam_tile_is_signed(dtype) ? place ^ half : place;
}

/* The bits as put_number() compares them: greater, unsigned, for a greater number. */
static uint64_t key_of(enum sam_dtype dtype, uint64_t bits)
{
    const int64_t x = extend(bits, sam_dtype_table[dtype].bits);
    if (!sam_tile_is_signed(dtype))
        return bits;
    return sam_tile_is_real(dtype) && x < 0 ? ~(uint64_t)x : (uint64_t)x ^ UINT64_C(1) << 63;
}

/* The place of a result among all 16, and the other way round. */
static unsigned turn(unsigned code)
{
    return code & 8 ? 15 - code : code + 8;
}

static unsigned result_at(unsigned place)
{
    return place < 8 ? 15 - place : place - 8;
}

/* The least key whose result has at least `place`, from -infinity to infinity. */
static uint64_t limit(enum sam_dtype to, enum sam_dtype from, enum sam_tile_round round,
                      unsigned place)
{
    const unsigned width = sam_dtype_table[from].bits;
    uint64_t low = 0, high = UINT64_MAX >> (64 - width);
    if (sam_tile_is_real(from)) {
        const uint64_t most = sam_tile_real_bits(from, INFINITY, SAM_TILE_RINT);
        low = (high >> 1) - most;
        high = (high >> 1) + 1 + most;
    }
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2, bits = bits_at(from, middle);
        uint8_t code;
        sam_tile_convert(to, &code, from, &bits, 1, round);
        if (turn(code) >= place)
            high = middle;
        else
            low = middle + 1;
    }
    return key_of(from, bits_at(from, low));
}

/* Emit the results by number, and the limits before them. */
static void put_table(struct lower *l, enum sam_dtype to, enum sam_dtype from,
                      enum sam_tile_round round, unsigned label)
{
    const bool limits = sam_tile_size(from) > 1;
    const size_t count = limits ? NAN_NUMBER + 1 : sam_tile_is_paired(from) ? 16 : 256;
    uint8_t in[256], out[256 * 8] = {0};
    sam_buffer_printf(&l->data, "    .balign 8\n");
    for (unsigned i = 1; limits && i <= LIMITS; i++)
        sam_buffer_printf(&l->data, "    .quad   0x%016" PRIx64 "\n", limit(to, from, round, i));
    for (unsigned i = 0; i < count; i++) {
        in[i] = (uint8_t)i;
        if (limits && i < NAN_NUMBER)
            out[i] = (uint8_t)result_at(i);
    }
    if (!limits)
        sam_tile_convert(to, out, from, in, count, round);
    sam_buffer_printf(&l->data, ".Lresults%u:\n", label);
    for (size_t i = 0; i < count * sam_tile_size(to); i++)
        sam_buffer_printf(&l->data, "    .byte   0x%02x\n", out[i]);
}

/* t0 = the number of the element at a0; a7: the results. */
static void put_number(struct lower *l, enum sam_dtype from)
{
    static const char *const loads[2][4] = {{"lbu", "lhu", "lwu", "ld"}, {"lbu", "lh", "lw", "ld"}};
    const unsigned shift = (unsigned)__builtin_ctzll(sam_tile_size(from));
    const unsigned unused = sam_dtype_table[from].fp.unused;
    if (sam_tile_is_paired(from)) {
        sam_lower_hart(l, LOWER_GET_HALF);
        return;
    }
    sam_lower_hart(l, "%s t0, 0(a0)", loads[sam_tile_is_signed(from)][shift]);
    if (!shift)
        return;
    if (sam_tile_is_real(from)) {
        const uint64_t most = sam_tile_real_bits(from, INFINITY, SAM_TILE_RINT);
        sam_lower_hart(l,
                       "srai t0, t0, %u; slli t0, t0, %u; slli t4, t0, %u; "
                       "li t5, 0x%" PRIx64 "; bltu t5, t4, 5f; srai t4, t0, 63; "
                       "or t4, t4, s3; xor t0, t0, t4",
                       unused, unused, 65 - sam_dtype_table[from].bits,
                       most << (65 - sam_dtype_table[from].bits));
    } else if (sam_tile_is_signed(from)) {
        sam_lower_hart(l, "xor t0, t0, s3");
    }
    sam_lower_hart(l,
                   "li t4, 0; addi t5, a7, -%d; 3: ld t6, 0(t5); bltu t0, t6, 4f; addi t4, t4, 1; "
                   "addi t5, t5, 8; bne t5, a7, 3b; 4: mv t0, t4; j 6f; 5: li t0, %d; 6:",
                   8 * LIMITS, NAN_NUMBER);
}

void sam_lower_convert_halves(struct lower *l, const struct sam_tile_op *op)
{
    const uint32_t s = sam_tile_arg(l->p, op, 0), d = sam_tile_arg(l->p, op, 1);
    const enum sam_dtype from = sam_tile_ty(l->p, s)->tile.dtype;
    const enum sam_dtype to = sam_tile_ty(l->p, d)->tile.dtype;
    const unsigned label = sam_lower_label(l), end = sam_lower_label(l);
    const unsigned a = sam_tile_is_paired(from), b = sam_tile_is_paired(to);
    const unsigned size = (unsigned)sam_tile_size(to), shift = (unsigned)__builtin_ctz(size);
    static const char *const loads[] = {"lbu", "lhu", "lwu", "ld"};
    static const char *const stores[] = {"sb", "sh", "sw", "sd"};
    uint32_t near = 0, far = 0;
    sam_lower_skip_empty(l, d, end);
    put_table(l, to, from, (enum sam_tile_round)op->attribute, label);
    sam_lower_known(l, s, LOWER_PITCH, &near);
    sam_lower_known(l, d, LOWER_PITCH, &far);
    sam_lower_field(l, "t2", s, LOWER_ADDRESS);
    sam_lower_field(l, "t3", d, LOWER_ADDRESS);
    sam_lower_field(l, "a2", d, LOWER_ROWS);
    sam_lower_field(l, "a3", d, LOWER_COLS);
    sam_lower_hart(l,
                   "slli t2, t2, %u; slli t3, t3, %u; li a4, %" PRIu32 "; li a5, %" PRIu32 "; "
                   "lla a7, .Lresults%u; li s3, -1; slli s3, s3, 63; "
                   "1: mv a0, t2; mv a1, t3; mv t1, a3; 2:",
                   a, b, near << a, far << b, label);
    put_number(l, from);
    sam_lower_hart(l, "slli t0, t0, %u; add t0, t0, a7; %s t0, 0(t0)", shift, loads[shift]);
    sam_lower_hart(l, b ? LOWER_PUT_HALF : "%s t0, 0(a1)", stores[shift]);
    sam_lower_hart(l,
                   "addi a0, a0, %u; addi a1, a1, %u; addi t1, t1, -1; bnez t1, 2b; "
                   "add t2, t2, a4; add t3, t3, a5; addi a2, a2, -1; bnez a2, 1b",
                   (unsigned)sam_tile_size(from), size);
    sam_lower_pad(l, d);
    sam_lower_hart(l, ".L%u:", end);
    sam_lower_note(l, op, "the hart, element by element");
}
