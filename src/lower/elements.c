/* SPDX-License-Identifier: Apache-2.0 */
/* Vector registers and the forms of a value. */
#include "lower/elements.h"

#include <stdarg.h>
#include <stdlib.h>

/* --- registers and text */

/* Not allocatable: x0, ra, sp, tp, t0-t6, a0, a6, a7. s0, s1 and s2 count rows and columns. */
static bool hands_out(unsigned reg)
{
    return reg == 3 || (reg >= 11 && reg <= 15) || (reg >= 19 && reg <= 27) || reg >= 32;
}

static unsigned take_scalar(struct lower_code *c, unsigned from)
{
    for (unsigned i = from; i < LOWER_SCALARS; i++)
        if (hands_out(i) && !c->scalar_used[i]) {
            c->scalar_used[i] = true;
            return i;
        }
    return 0;
}

unsigned sam_lower_take_scalar(struct lower_code *c)
{
    return take_scalar(c, 0);
}

unsigned sam_lower_take_far_scalar(struct lower_code *c)
{
    return take_scalar(c, 32);
}

unsigned sam_lower_take_vector(struct lower_code *c, enum lower_level level)
{
    for (unsigned i = 1; i < LOWER_VECTORS; i++) {
        if ((i >= 8 && i < 24) || c->vector_used[i] ||
            (level != LOWER_CHUNK && c->vector_changes[i]))
            continue;
        c->vector_used[i] = true;
        c->vector_changes[i] |= level == LOWER_CHUNK;
        return i;
    }
    return 0;
}

static void give_vector(struct lower_code *c, unsigned reg)
{
    c->vector_used[reg] = false;
}

/* Returns a scalar register that holds `bits`. If none is free, emits a load into a temporary at
 * the point of use. */
static unsigned constant(struct lower_code *c, enum lower_level level, uint32_t bits)
{
    if (!bits)
        return 0;
    for (unsigned i = 0; i < c->constant_count; i++)
        if (c->constants[i].bits == bits)
            return c->constants[i].reg;
    unsigned reg = c->constant_count < LOWER_CONSTANTS ? sam_lower_take_scalar(c) : 0;
    if (reg) {
        c->constants[c->constant_count].bits = bits;
        c->constants[c->constant_count++].reg = reg;
        return reg;
    }
    reg = 5 + c->temporary++ % 3;
    sam_buffer_printf(&c->text[level], "\tli x%u, 0x%x\n", reg, bits);
    return reg;
}

void sam_lower_load_constants(const struct lower_code *c, struct sam_buffer *out)
{
    for (unsigned i = 0; i < c->constant_count; i++)
        sam_buffer_printf(out, "\tli x%u, 0x%x\n", c->constants[i].reg, c->constants[i].bits);
}

void sam_lower_code_free(struct lower_code *c)
{
    for (unsigned i = 0; i < LOWER_LEVELS; i++) {
        c->l->gpu.failed |= c->text[i].failed;
        sam_buffer_free(&c->text[i]);
    }
}

void sam_lower_emit(struct lower_code *c, enum lower_level level, const char *lines,
                    struct lower_regs regs)
{
    struct sam_buffer *out = &c->text[level];
    while (*lines) {
        char line[128];
        size_t size = strcspn(lines, ";"), at = 0;
        const char *end = lines + size;
        lines += strspn(lines, " ");
        while (lines < end && at + 16 < sizeof line) {
            if (*lines != '$') {
                line[at++] = *lines++;
                continue;
            }
            unsigned reg = regs.d;
            if (lines[1] == '(') {
                char *after;
                reg = constant(c, level, (uint32_t)strtoul(lines + 2, &after, 16));
                lines = after + 1;
                at += (size_t)sam_format(line + at, sizeof line - at, "x%u", reg);
                continue;
            }
            reg = lines[1] == 'a'   ? regs.a
                  : lines[1] == 'b' ? regs.b
                  : lines[1] == 'm' ? regs.m
                                    : reg;
            lines += 2;
            at += (size_t)sam_format(line + at, sizeof line - at, "v%u", reg);
        }
        sam_buffer_printf(out, "\t%.*s\n", (int)at, line);
        lines = *end ? end + 1 : end;
    }
}

void sam_lower_emit_numbers(struct lower_code *c, enum lower_level level, struct lower_regs regs,
                            const char *format, ...)
{
    char lines[512];
    va_list list;
    va_start(list, format);
    sam_format_list(lines, sizeof lines, format, list);
    va_end(list);
    sam_lower_emit(c, level, lines, regs);
}

void sam_lower_all_lanes(struct lower_code *c, enum lower_level level)
{
    if (c->partial && level == LOWER_CHUNK)
        sam_buffer_puts(&c->text[level], "\tvsetvli t0, zero, e32, m1, ta, ma\n");
}

void sam_lower_some_lanes(struct lower_code *c, enum lower_level level)
{
    if (c->partial && level == LOWER_CHUNK)
        sam_buffer_puts(&c->text[level], "\tvsetvli t0, " LOWER_REST ", e32, m1, ta, ma\n");
}

enum lower_level sam_lower_level_of(const struct lower_vector *a, const struct lower_vector *b)
{
    return b && b->level > a->level ? b->level : a->level;
}

/* --- forms */

unsigned sam_lower_wide(struct lower_code *c, struct lower_vector *v)
{
    if (!v->wide && lower_is_narrow(v->dtype)) {
        v->wide = sam_lower_take_vector(c, v->level);
        sam_lower_widen(c, v->level, v->dtype, (struct lower_regs){.d = v->wide, .a = v->raw});
    }
    return v->wide ? v->wide : v->raw;
}

unsigned sam_lower_raw(struct lower_code *c, struct lower_vector *v)
{
    if (!v->raw) {
        v->raw = sam_lower_take_vector(c, v->level);
        sam_lower_shorten(c, v->level, v->dtype, (struct lower_regs){.d = v->raw, .a = v->wide});
    }
    return v->raw;
}

/* f16 bits in the upper half of a float order as the f16 values do. Multiplying by 127.5 keeps
 * infinity below 2^128 but makes NaN infinite; zero times infinity then gives NaN. */
static const char order_f16[] =
    "vsll.vi $d, $a, 16; vfmul.vf v10, $d, $(0x42ff0000); vfmacc.vf $d, zero, v10";
/* As an integer, a float NaN compares above all values. */
const char sam_lower_from_order[] = "vmin.vx $d, $a, $(0x7e000000); vsra.vi $d, $d, 16";

unsigned sam_lower_order(struct lower_code *c, struct lower_vector *v)
{
    if (v->dtype != SAM_F16)
        return sam_lower_wide(c, v);
    if (!v->order) {
        v->order = sam_lower_take_vector(c, v->level);
        sam_lower_emit(c, v->level, order_f16, (struct lower_regs){.d = v->order, .a = v->raw});
    }
    return v->order;
}

void sam_lower_release(struct lower_code *c, struct lower_vector *v)
{
    if (--v->users || v->level != LOWER_CHUNK)
        return;
    give_vector(c, v->raw);
    give_vector(c, v->wide);
    give_vector(c, v->order);
    v->raw = v->wide = v->order = 0;
}

void sam_lower_extend(struct lower_code *c, enum lower_level level, enum sam_dtype dtype,
                      unsigned reg)
{
    static const char *const lines[2][2] = {
        {"vzext.vf4 $d, $d", "vsext.vf4 $d, $d"},
        {"vzext.vf2 $d, $d", "vsext.vf2 $d, $d"},
    };
    size_t size = sam_tile_size(dtype);
    if (size < 4)
        sam_lower_emit(c, level, lines[size == 2][sam_tile_is_signed(dtype)],
                       (struct lower_regs){.d = reg});
}
