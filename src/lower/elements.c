/* SPDX-License-Identifier: Apache-2.0 */
/* The forms of a value. */
#include "lower/elements.h"

void sam_lower_all_lanes(struct lower_code *c, enum lower_level level)
{
    if (c->partial && level == LOWER_CHUNK)
        sam_lower_gpu(c, level, "vsetvli t0, zero, e32, m1, ta, ma");
}

void sam_lower_some_lanes(struct lower_code *c, enum lower_level level)
{
    if (c->partial && level == LOWER_CHUNK)
        sam_lower_gpu(c, level, "vsetvli t0, " LOWER_REST ", e32, m1, ta, ma");
}

enum lower_level sam_lower_level_of(const struct lower_vector *a, const struct lower_vector *b)
{
    return b && b->level > a->level ? b->level : a->level;
}

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
