/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the two im2col planners. */
#ifndef SAM_OPS_IM2COL_H
#define SAM_OPS_IM2COL_H

#include "ops/operators.h"

struct sam_axis {
    int64_t size, out; /* indices of the input and of the output */
    int64_t kernel, stride, dilation, pad;
};

/* Kernel positions that use the indices stride*j + c, j in [first, first + n): position k belongs
 * to output index j + shift. */
struct sam_interval {
    int64_t c, first, n;
    unsigned count;
    int64_t *kernel, *shift; /* `count` entries */
};

struct sam_intervals {
    struct sam_interval *items;
    size_t count, capacity;
};

struct sam_patches {
    struct sam_plan *plan;
    struct sam_axis h, w;
    int64_t n, channels, element;
    /* byte strides, in the input and in the output */
    int64_t in_n, in_h, in_w, in_c;
    int64_t out_n, out_h, out_w, out_kh, out_kw, out_c;
};

/* im2col_windows.c: planning with whole patch rows as slices: for each h interval, every output
 * column. sam_windows_suit returns false if this im2col does not benefit. */
bool sam_windows_suit(const struct sam_patches *m);
enum sam_status sam_windows_plan(const struct sam_patches *m, const struct sam_interval *h,
                                 struct sam_error *error);

#endif
