/* SPDX-License-Identifier: Apache-2.0 */
/* Compare arrays of one type element by element, and summarize the differences. */
#ifndef RUN_COMPARE_H
#define RUN_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "samite/format.h"

/* An element passes within `ulp` representable numbers, or within atol + rtol * |expected|. */
struct run_tolerance {
    uint64_t ulp;
    double rtol, atol;
    bool close; /* rtol or atol was given */
};

enum { RUN_SPREAD = 65 };

struct run_comparison {
    size_t count;
    size_t failed;              /* beyond the tolerance */
    size_t unequal;             /* within the tolerance or not */
    size_t unordered;           /* of these, with a NaN or an infinity on one side: no distance */
    uint64_t ulp;               /* the largest distance of floating-point numbers */
    double most, most_relative; /* largest |found - expected|, and that over |expected| */
    size_t most_at, relative_at;
    double sum;                /* of |found - expected| */
    size_t spread[RUN_SPREAD]; /* of floating-point elements: the number with a ulp of i bits */
};

bool run_is_real(enum sam_dtype dtype);
/* Compare element `i` and add it to `sum`; *ulp is the distance, UINT64_MAX for a number and a NaN
 * and for unequal integers. True: it passes. */
bool run_compare_element(const struct run_tolerance *tolerance, const struct sam_array *found,
                         const struct sam_array *expected, size_t i, struct run_comparison *sum,
                         uint64_t *ulp);
double run_element(const struct sam_array *array, size_t index);
/* "10.5" */
void run_element_text(const struct sam_array *array, size_t i, char *text, size_t size);
/* "3, 5" of element 29 of 8x8 */
void run_index_text(const struct sam_array *array, size_t i, char *text, size_t size);

#endif
