/* SPDX-License-Identifier: Apache-2.0 */
/* Pass arguments to a machine: buffers are created in its memory. A Ventus kernel takes its
 * arguments from a buffer (manual 2.2: pointers of 4 bytes, scalars at their own alignment, at
 * least 4); a program of the tensor hart takes them as a C function does, in a0 to a7 and on the
 * stack (RISC-V psABI 2.1, integer calling convention, which Zfinx also uses for floats). */
#include <stdlib.h>
#include <string.h>

#include "run/run.h"

/* Local memory for __local pointers is allocated downward from the top of the window, as in the
 * public driver; stacks grow upward from its bottom. */
#define LOCAL_TOP (SAM_LDS_BASE + SAM_LDS_SIZE)

/* ---------------------------------------------------------------------------------- Ventus */

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
        if (sam_gpu_alloc(run->gpu, size ? (uint32_t)size : 4, &address, &run->error) != SAM_OK ||
            sam_gpu_write(run->gpu, address, a->array.data, size, &run->error) != SAM_OK)
            return cli_report(&run->error);
        a->bits = a->address = address;
    }
    return CLI_OK;
}

int run_arguments_place(struct run *run, struct run_arguments *arguments, uint8_t **buffer,
                        size_t *size)
{
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
            code = run_name_buffer(run, a->bits, a->kind == RUN_LOCAL ? a->size : a->array.size,
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

/* ------------------------------------------------------------------------------ tensor hart */

enum { A0 = 10, SP = 2, REGISTERS = 8 };

/* Words of XLEN bits: the first eight go to registers, the rest onto the stack. */
struct words {
    uint64_t *items;
    size_t count;
};

/* A scalar of two words is aligned on the stack, but not in registers. */
static void add_scalar(struct words *words, const struct run_argument *a, bool narrow)
{
    uint64_t bits = a->bits;
    if (a->size == 4) /* extended to 32 bits by its own sign, then by bit 31 */
        bits = (uint64_t)(int64_t)(int32_t)(uint32_t)bits;
    const bool two = narrow && a->size == 8;
    if (two && words->count > REGISTERS && words->count % 2)
        words->count++;
    words->items[words->count++] = bits;
    if (two)
        words->items[words->count++] = bits >> 32;
}

static int add_argument(struct sam_hart *hart, const struct cli_args *args, struct run_argument *a,
                        struct words *words, bool narrow)
{
    struct sam_error error;
    if (a->kind == RUN_LOCAL)
        return cli_usage_error(args, "--arg %s: the tensor hart has no local memory", a->word);
    if (a->kind == RUN_SCALAR) {
        add_scalar(words, a, narrow);
        return CLI_OK;
    }
    if (sam_hart_alloc(hart, a->array.size, &a->address, &error) != SAM_OK ||
        sam_hart_write(hart, a->address, a->array.data, a->array.size, &error) != SAM_OK)
        return cli_report(&error);
    words->items[words->count++] = a->address;
    return CLI_OK;
}

/* Store the words that do not fit registers from sp upward; sp stays a multiple of 16. */
static int push(struct sam_hart *hart, const struct words *words, bool narrow)
{
    struct sam_error error;
    const size_t size = narrow ? 4 : 8, count = words->count - REGISTERS;
    uint64_t sp = sam_hart_x(hart, SP) - ((count * size + 15) & ~(uint64_t)15);
    for (size_t i = 0; i < count; i++) {
        uint8_t bytes[8];
        for (size_t k = 0; k < 8; k++)
            bytes[k] = (uint8_t)(words->items[REGISTERS + i] >> 8 * k);
        if (sam_hart_write(hart, sp + i * size, bytes, size, &error) != SAM_OK)
            return cli_report(&error);
    }
    sam_hart_set_x(hart, SP, sp);
    return CLI_OK;
}

int run_arguments_pass(struct sam_hart *hart, bool narrow, const struct cli_args *args,
                       struct run_arguments *arguments)
{
    struct words words = {.items = calloc(arguments->count + 1, 3 * sizeof *words.items)};
    int code = CLI_OK;
    if (!words.items)
        return cli_no_memory();
    for (size_t i = 0; i < arguments->count && code == CLI_OK; i++)
        code = add_argument(hart, args, &arguments->items[i], &words, narrow);
    for (size_t i = 0; i < words.count && i < REGISTERS && code == CLI_OK; i++)
        sam_hart_set_x(hart, (unsigned)(A0 + i), words.items[i]);
    if (code == CLI_OK && words.count > REGISTERS)
        code = push(hart, &words, narrow);
    arguments->registers = words.count < REGISTERS ? (unsigned)words.count : REGISTERS;
    free(words.items);
    return code;
}
