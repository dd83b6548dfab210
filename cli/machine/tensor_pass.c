/* SPDX-License-Identifier: Apache-2.0 */
/* Pass arguments to a program of the tensor hart: buffers are created in its memory, and it takes
 * its arguments as a C function does, in a0 to a7 and on the stack (RISC-V psABI 2.1, integer
 * calling convention, which Zfinx also uses for floats). */
#include <stdlib.h>

#include "machine/tensor.h"

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

int tensor_pass(struct sam_hart *hart, bool narrow, const struct cli_args *args,
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
