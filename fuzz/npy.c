/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a .npy file. */
#include <stdlib.h>
#include <string.h>

#include "samite/format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
    if (!holds)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sam_array array;
    struct sam_error error = {0};
    enum sam_status status = sam_npy_parse(data, size, "fuzz", &array, &error);
    if (status == SAM_OK) {
        uint64_t count = 1;
        check(array.rank <= 8 && array.data);
        for (size_t i = 0; i < array.rank; i++)
            count *= array.shape[i];
        check(count == array.count && array.size == count * sam_dtype_size(array.dtype));
        check(array.size <= size);
        sam_array_free(&array);
    } else {
        check(status == SAM_ERR_INPUT && error.text[0] && array.data == NULL);
    }
    return 0;
}
