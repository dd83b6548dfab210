/* SPDX-License-Identifier: Apache-2.0 */
/* The geometry of timg2col: windows of images as rows of a matrix. */
#include "tile/tile.h"

#include <inttypes.h>

/* The numbers after the position, in the order of the operands, and their least values. */
static const struct {
    const char *name;
    size_t offset;
    int64_t least;
} parts[] = {
#define PART(field, least)                                                                         \
    {                                                                                              \
#field, offsetof(struct sam_tile_geometry, field), least                                   \
    }
    PART(height, 1),          PART(width, 1),          PART(filter_height, 1),
    PART(filter_width, 1),    PART(stride_height, 1),  PART(stride_width, 1),
    PART(dilation_height, 1), PART(dilation_width, 1), PART(pad_top, 0),
    PART(pad_bottom, 0),      PART(pad_left, 0),       PART(pad_right, 0),
    PART(channels, 1),
#undef PART
};
_Static_assert(SAM_COUNT(parts) == SAM_TILE_IMAGE_NUMBERS, "one for each operand");

/* Places of a filter of `size` along a padded length; 0 if it does not fit. */
static int64_t places(int64_t length, int64_t size, int64_t dilation, int64_t stride)
{
    const int64_t covered = dilation * (size - 1) + 1;
    return length < covered ? 0 : (length - covered) / stride + 1;
}

bool sam_tile_geometry(struct sam_tile_geometry *g, const int64_t numbers[SAM_TILE_IMAGE_NUMBERS],
                       int64_t rows, int64_t cols, const char *name, char *text, size_t size)
{
    enum { MOST = SAM_TILE_MOST_IMAGE };
    for (size_t i = 0; i < SAM_COUNT(parts); i++) {
        if (numbers[i] < parts[i].least || numbers[i] > MOST) {
            sam_format(text, size, "%s: %s %" PRId64 ": expected %" PRId64 " to %d", name,
                       parts[i].name, numbers[i], parts[i].least, MOST);
            return false;
        }
        memcpy((char *)g + parts[i].offset, &numbers[i], sizeof numbers[i]);
    }
    if (cols < 1 || cols > MOST) {
        sam_format(text, size, "%s: the source has %" PRId64 " valid columns: expected 1 to %d",
                   name, cols, MOST);
        return false;
    }
    g->group = cols;
    g->groups = (g->channels + cols - 1) / cols;
    const int64_t lines = g->groups * g->height * g->width; /* of an image: below 2^48 */
    if (rows % lines) {
        sam_format(text, size,
                   "%s: the source has %" PRId64 " valid rows: expected images of %" PRId64
                   "x%" PRId64 "x%" PRId64,
                   name, rows, g->groups, g->height, g->width);
        return false;
    }
    g->images = rows / lines;
    g->down = places(g->height + g->pad_top + g->pad_bottom, g->filter_height, g->dilation_height,
                     g->stride_height);
    g->across = places(g->width + g->pad_left + g->pad_right, g->filter_width, g->dilation_width,
                       g->stride_width);
    if (!g->down || !g->across) {
        sam_format(text, size, "%s: the filter is larger than the padded image", name);
        return false;
    }
    const int64_t places_of_image = g->down * g->across; /* at most 2^36 */
    g->rows = g->images > INT64_MAX / places_of_image ? INT64_MAX : g->images * places_of_image;
    g->cols = g->groups * g->filter_height * g->filter_width * cols;
    return true;
}
