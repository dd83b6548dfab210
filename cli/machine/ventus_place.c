/* SPDX-License-Identifier: Apache-2.0 */
/* Pass arguments to a kernel: buffers are created in the memory of the GPU, and the kernel reads
 * its arguments from a buffer (manual 2.2: pointers of 4 bytes, scalars at their own alignment,
 * at least 4). */
#include <stdlib.h>

#include "machine/machine.h"

/* Local memory for __local pointers is allocated downward from the top of the window, as in the
 * public driver; stacks grow upward from its bottom. */
#define LOCAL_TOP (SAM_LDS_BASE + SAM_LDS_SIZE)

/* Allocate memory for a buffer or a local pointer; the kernel gets its address. */
static int place(struct run *run, struct run_argument *a, uint32_t *local_top)
{
    if (a->kind == RUN_LOCAL) {
        uint32_t size = ((uint32_t)a->size + 4095) & ~4095u;
        if (size > *local_top - SAM_LDS_BASE)
            return cli_error("local arguments exceed 256 MiB");
        a->bits = *local_top -= size;
    } else if (a->kind == RUN_BUFFER) {
        size_t size = a->array.size;
        uint32_t address;
        if (size > UINT32_MAX)
            return cli_error("%s: larger than 4 GiB", a->text);
        if (sam_gpu_alloc(run->ventus->gpu, size ? (uint32_t)size : 4, &address, &run->error) !=
                SAM_OK ||
            sam_gpu_write(run->ventus->gpu, address, a->array.data, size, &run->error) != SAM_OK)
            return cli_report(&run->error);
        if (a->input && !a->output &&
            sam_gpu_watch_input(run->ventus->gpu, address, &run->error) != SAM_OK)
            return cli_report(&run->error);
        a->bits = a->address = address;
    }
    return CLI_OK;
}

int ventus_place(struct run *run, uint8_t **buffer, size_t *size)
{
    const struct run_arguments *arguments = &run->arguments;
    uint32_t local_top = LOCAL_TOP;
    *size = 0;
    *buffer = calloc(arguments->count + 1, 16); /* at most 4 bytes of padding and 8 of value each */
    if (!*buffer)
        return cli_no_memory();
    for (size_t i = 0; i < arguments->count; i++) {
        struct run_argument *a = &arguments->items[i];
        char number[24];
        snprintf(number, sizeof number, "%zu", i);
        int code = place(run, a, &local_top);
        if (code == CLI_OK && a->kind != RUN_SCALAR)
            code = ventus_name_buffer(run, a->bits, a->kind == RUN_LOCAL ? a->size : a->array.size,
                                      a->name ? a->name : number, a->output && !a->input);
        if (code != CLI_OK)
            return code;
        size_t width = a->kind == RUN_SCALAR ? a->size : 4;
        *size = (*size + width - 1) & ~(width - 1);
        for (size_t k = 0; k < width; k++)
            (*buffer)[*size + k] = (uint8_t)(a->bits >> 8 * k);
        *size += width;
    }
    return CLI_OK;
}
