/* SPDX-License-Identifier: Apache-2.0 */
/* Write NumPy files: two inputs of a vector addition, a.npy and b.npy, and the expected result,
 * sum.npy, each with N single-precision numbers. cc arrays.c $(pkg-config --cflags --libs samite);
 * ./a.out FOLDER N */
#include <samite/samite.h>
#include <stdio.h>
#include <stdlib.h>

static enum sam_status write_array(const char *folder, const char *name, const float *data,
                                   size_t count, struct sam_error *error)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    struct sam_array array = {.dtype = SAM_F32, .rank = 1, .data = (void *)data};
    array.shape[0] = array.count = count;
    array.size = count * sizeof *data;
    return sam_npy_write(path, &array, error);
}

int main(int argc, char **argv)
{
    size_t count = argc == 3 ? strtoul(argv[2], NULL, 0) : 0;
    if (count == 0 || count > 1u << 28) {
        fprintf(stderr, "usage: arrays FOLDER N\n");
        return 2;
    }
    float *a = calloc(count, sizeof *a);
    float *b = calloc(count, sizeof *b);
    float *sum = calloc(count, sizeof *sum);
    struct sam_error error = {.status = SAM_ERR_MEMORY, .text = "out of memory"};
    enum sam_status status = SAM_ERR_MEMORY;
    if (a && b && sum) {
        for (size_t i = 0; i < count; i++) {
            a[i] = 0.5f * (float)i;
            b[i] = 1.0f / (float)(i + 1);
            sum[i] = a[i] + b[i];
        }
        status = write_array(argv[1], "a.npy", a, count, &error);
        if (status == SAM_OK)
            status = write_array(argv[1], "b.npy", b, count, &error);
        if (status == SAM_OK)
            status = write_array(argv[1], "sum.npy", sum, count, &error);
    }
    if (status != SAM_OK)
        fprintf(stderr, "arrays: %s\n", error.text);
    free(a);
    free(b);
    free(sum);
    return status == SAM_OK ? 0 : 2;
}
