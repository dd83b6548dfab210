/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a .npy file. */
#include "fuzz.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "samite/format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sam_array array;
    struct sam_error error = {0};
    enum sam_status status = sam_npy_parse(data, size, "fuzz", &array, &error);
    if (status == SAM_OK) {
        uint64_t count = 1;
        FUZZ_CHECK(array.rank <= 8 && array.data);
        for (size_t i = 0; i < array.rank; i++)
            count *= array.shape[i];
        FUZZ_CHECK(count == array.count && array.size == count * sam_dtype_size(array.dtype));
        FUZZ_CHECK(array.size <= size);
        sam_array_free(&array);
    } else {
        FUZZ_CHECK(status == SAM_ERR_INPUT && error.text[0] && array.data == NULL);
    }
    return 0;
}

static void add_file(fuzz_add *add, void *context, const char *name, unsigned version,
                     const char *header, size_t data_size)
{
    uint8_t file[512] = "\x93NUMPY";
    size_t length = strlen(header);
    size_t at = version == 1 ? 10 : 12;
    FUZZ_CHECK(at + length + data_size <= sizeof file);
    file[6] = (uint8_t)version;
    file[8] = (uint8_t)length;
    file[9] = (uint8_t)(length >> 8);
    for (size_t i = 0; i < length; i++)
        file[at + i] = (uint8_t)header[i];
    for (size_t i = 0; i < data_size; i++)
        file[at + length + i] = (uint8_t)(i * 7);
    add(context, name, file, at + length + data_size);
}

void fuzz_seeds(fuzz_add *add, void *context)
{
    add_file(add, context, "f4", 1,
             "{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }         \n", 16);
    add_file(add, context, "fortran", 2,
             "{'descr': '<i2', 'fortran_order': True, 'shape': (2, 3), }     \n", 12);
    add_file(add, context, "big-endian", 3,
             "{'shape': (2, 1, 2), 'fortran_order': False, 'descr': '>f8'}\n", 32);
    add_file(add, context, "scalar", 1, "{'descr': '|b1', 'fortran_order': False, 'shape': ()}\n",
             1);
    add_file(add, context, "empty", 1,
             "{'descr': '<u8', 'fortran_order': False, 'shape': (0, 3)}\n", 0);
    add_file(add, context, "short", 1, "{'descr': '<f4', 'fortran_order': False, 'shape': (99,)}\n",
             8);
}
