/* SPDX-License-Identifier: Apache-2.0 */
/* Assignment of element bits to planes, and the portable split and merge loops. */
#include "codec/codec.h"

/* clang-format off */
#define PLANE(unit, from, width)        {unit, {{from, width}, {0, 0}}}
#define WITH_SIGN(unit, from, width, s) {unit, {{from, width}, {s, 1}}}
#define BIT(at)                         PLANE(1, at, 1)
#define BITS(at)                  BIT(at), BIT((at) + 1), BIT((at) + 2), BIT((at) + 3), \
                                  BIT((at) + 4), BIT((at) + 5), BIT((at) + 6), BIT((at) + 7)

static const struct sam_layout layouts[] = {
    [SAM_LAYOUT_BYTES] = {1, 1, 1, {PLANE(8, 0, 8)}},
    [SAM_LAYOUT_BF16] = {2, 2, 1, {PLANE(8, 7, 8), WITH_SIGN(8, 0, 7, 15)}},
    [SAM_LAYOUT_F16] = {2, 5, 1, {PLANE(8, 10, 5), PLANE(8, 0, 8), BIT(8), BIT(9), BIT(15)}},
    [SAM_LAYOUT_F16_DENSE] = {2, 2, 1, {PLANE(8, 8, 8), PLANE(8, 0, 8)}},
    [SAM_LAYOUT_F32] = {4, 4, 1, {PLANE(8, 23, 8), WITH_SIGN(8, 16, 7, 31), PLANE(8, 8, 8),
                                  PLANE(8, 0, 8)}},
    [SAM_LAYOUT_E4M3] = {1, 2, 1, {PLANE(8, 3, 4), WITH_SIGN(4, 0, 3, 7)}},
    [SAM_LAYOUT_E5M2] = {1, 4, 1, {PLANE(8, 2, 5), BIT(0), BIT(1), BIT(7)}},
    [SAM_LAYOUT_BITS8] = {1, 8, 8, {BITS(0)}},
    [SAM_LAYOUT_BITS16] = {2, 16, 16, {BITS(0), BITS(8)}},
    [SAM_LAYOUT_BITS32] = {4, 32, 32, {BITS(0), BITS(8), BITS(16), BITS(24)}},
};
/* clang-format on */

static const char *const names[] = {
    [SAM_LAYOUT_BYTES] = "bytes",
    [SAM_LAYOUT_BF16] = "8 exponent + 8 raw",
    [SAM_LAYOUT_F16] = "5 exponent + 11 raw",
    [SAM_LAYOUT_F16_DENSE] = "8 high + 8 raw",
    [SAM_LAYOUT_F32] = "8 exponent + 24 raw",
    [SAM_LAYOUT_E4M3] = "4 exponent + 4 raw",
    [SAM_LAYOUT_E5M2] = "5 exponent + 3 raw",
    [SAM_LAYOUT_BITS8] = "8 x 1 bit",
    [SAM_LAYOUT_BITS16] = "16 x 1 bit",
    [SAM_LAYOUT_BITS32] = "32 x 1 bit",
    [SAM_LAYOUT_SHARED] = "bytes, shared",
};

/* With windows. */
static const char *const window_names[] = {
    [SAM_LAYOUT_BYTES] = "8 window",        [SAM_LAYOUT_BF16] = "8 window + 8 raw",
    [SAM_LAYOUT_F16] = "5 window + 11 raw", [SAM_LAYOUT_F16_DENSE] = "8 window + 8 raw",
    [SAM_LAYOUT_F32] = "8 window + 24 raw", [SAM_LAYOUT_E4M3] = "4 window + 4 raw",
    [SAM_LAYOUT_E5M2] = "5 window + 3 raw", [SAM_LAYOUT_SHARED] = "8 window, shared",
};

const char *sam_layout_name(enum sam_layout_id id, bool windows)
{
    if (windows && (size_t)id < SAM_COUNT(window_names) && window_names[id])
        return window_names[id];
    return (size_t)id < SAM_COUNT(names) ? names[id] : "?";
}

const struct sam_layout *sam_layout_of(enum sam_layout_id id)
{
    return (size_t)id < SAM_COUNT(layouts) ? &layouts[id] : NULL;
}

size_t sam_layout_most(uint32_t set, size_t count, size_t *planes)
{
    size_t most = 0;
    *planes = 0;
    for (unsigned id = 0; id < SAM_LAYOUTS; id++) {
        const struct sam_layout *l = sam_layout_of((enum sam_layout_id)id);
        size_t size = 0;
        if (!(set >> id & 1))
            continue;
        for (size_t p = 0; p < l->plane_count; p++)
            size += sam_plane_size(&l->plane[p], count);
        most = size > most ? size : most;
        *planes = l->plane_count > *planes ? l->plane_count : *planes;
    }
    return most;
}

enum sam_layout_id sam_layout_for(enum sam_dtype type, const struct sam_codec_options *options)
{
    size_t bits = sam_dtype_bits(type);
    if (options->bit_planes) /* element sizes other than 16 and 32 bits are split bytewise */
        return bits == 16 ? SAM_LAYOUT_BITS16 : bits == 32 ? SAM_LAYOUT_BITS32 : SAM_LAYOUT_BITS8;
    switch (type) {
    case SAM_BF16: return SAM_LAYOUT_BF16;
    case SAM_F16: return options->dense ? SAM_LAYOUT_F16_DENSE : SAM_LAYOUT_F16;
    case SAM_TF32:
    case SAM_F32: return SAM_LAYOUT_F32;
    case SAM_E4M3: return options->dense ? SAM_LAYOUT_BYTES : SAM_LAYOUT_E4M3;
    case SAM_E5M2: return options->dense ? SAM_LAYOUT_BYTES : SAM_LAYOUT_E5M2;
    default: return SAM_LAYOUT_BYTES;
    }
}

static uint32_t load(const uint8_t *bytes, unsigned size)
{
    return size == 1 ? bytes[0] : size == 2 ? sam_le16(bytes) : sam_le32(bytes);
}

static void store(uint8_t *bytes, unsigned size, uint32_t value)
{
    for (unsigned i = 0; i < size; i++, value >>= 8)
        bytes[i] = (uint8_t)value;
}

static uint32_t take(const struct sam_plane *plane, uint32_t element)
{
    uint32_t low = (element >> plane->field[0].from) & ((1u << plane->field[0].width) - 1);
    uint32_t high = (element >> plane->field[1].from) & ((1u << plane->field[1].width) - 1);
    return low | high << plane->field[0].width;
}

static uint32_t put(const struct sam_plane *plane, uint32_t value)
{
    uint32_t low = value & ((1u << plane->field[0].width) - 1);
    uint32_t high = (value >> plane->field[0].width) & ((1u << plane->field[1].width) - 1);
    return low << plane->field[0].from | high << plane->field[1].from;
}

/* Element i of a plane starts at bit i * unit; bit 0 is the low bit of byte 0. */
void sam_planes_split(enum sam_layout_id id, const uint8_t *elements, size_t count,
                      uint8_t *const planes[])
{
    const struct sam_layout *layout = &layouts[id];
    for (size_t p = 0; p < layout->plane_count; p++) {
        const struct sam_plane *plane = &layout->plane[p];
        uint8_t *out = planes[p];
        unsigned unit = plane->unit;
        if (unit < 8)
            memset(out, 0, sam_plane_size(plane, count));
        for (size_t i = 0; i < count; i++) {
            uint32_t value = take(plane, load(elements + i * layout->element, layout->element));
            if (unit >= 8)
                store(out + i * (unit / 8), unit / 8, value);
            else
                out[i * unit / 8] |= (uint8_t)(value << (i * unit % 8));
        }
    }
}

void sam_planes_merge(enum sam_layout_id id, const uint8_t *const planes[], size_t count,
                      uint8_t *elements)
{
    const struct sam_layout *layout = &layouts[id];
    for (size_t i = 0; i < count; i++) {
        uint32_t element = 0;
        for (size_t p = 0; p < layout->plane_count; p++) {
            const struct sam_plane *plane = &layout->plane[p];
            unsigned unit = plane->unit;
            uint32_t value = unit >= 8 ? load(planes[p] + i * (unit / 8), unit / 8)
                                       : (uint32_t)planes[p][i * unit / 8] >> (i * unit % 8);
            element |= put(plane, value);
        }
        store(elements + i * layout->element, layout->element, element);
    }
}
