/* SPDX-License-Identifier: Apache-2.0 */
/* Edit distance between names, for suggestions. */
#include "base/base.h"

unsigned sam_edits(const char *a, size_t size, const char *b)
{
    enum { LONGEST = 255 };
    unsigned row[LONGEST + 1];
    size_t width = strnlen(b, LONGEST);
    for (unsigned k = 0; k <= width; k++)
        row[k] = k;
    for (size_t i = 0; i < size; i++) {
        unsigned corner = row[0]++;
        for (size_t k = 1; k <= width; k++) {
            unsigned change = corner + (a[i] != b[k - 1]);
            unsigned shift = (row[k] < row[k - 1] ? row[k] : row[k - 1]) + 1;
            corner = row[k];
            row[k] = change < shift ? change : shift;
        }
    }
    return row[width];
}
