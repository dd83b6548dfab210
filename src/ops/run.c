/* SPDX-License-Identifier: Apache-2.0 */
/* Run a plan on the tensor hart, with the inputs in L1M and the output in L0M. */
#include <stdlib.h>

#include "ops/operators.h"
#include "samite/hart.h"
#include "samite/isa.h"

#define INPUT_BASE UINT64_C(0x100000000)
#define PAGE       UINT64_C(0x1000)

static uint64_t page_up(uint64_t address)
{
    return (address + PAGE) & ~(PAGE - 1); /* leaves a gap of at least one byte */
}

void sam_plan_addresses(const struct sam_plan *plan, uint64_t *inputs, uint64_t *output)
{
    *output = INPUT_BASE;
    for (unsigned i = 0; i < plan->inputs; i++) {
        inputs[i] = *output;
        *output = page_up(*output + plan->input_size[i]);
    }
}

uint64_t sam_plan_scratch_at(const struct sam_plan *plan, uint64_t output)
{
    return (output + plan->output_size + PAGE - 1) & ~(PAGE - 1);
}

/* Newly mapped memory is zero: skip zeros, so that a sparse tensor takes no memory. */
static enum sam_status write_tensor(struct sam_hart *hart, uint64_t address, const uint8_t *data,
                                    uint64_t size, struct sam_error *error)
{
    enum { BLOCK = 1 << 16 };
    enum sam_status status = SAM_OK;
    for (uint64_t at = 0; at < size && status == SAM_OK; at += BLOCK) {
        const size_t part = size - at < BLOCK ? (size_t)(size - at) : BLOCK;
        if (data[at] || memcmp(data + at, data + at + 1, part - 1) != 0)
            status = sam_hart_write(hart, address + at, data + at, part, error);
    }
    return status;
}

static enum sam_status map_tensors(struct sam_hart *hart, const struct sam_plan *plan,
                                   const void *const *inputs, const uint64_t *address,
                                   uint64_t output, struct sam_error *error)
{
    enum sam_status status = SAM_OK;
    for (unsigned i = 0; i < plan->inputs && status == SAM_OK; i++) {
        if (!plan->input_size[i])
            continue;
        status = sam_hart_map(hart, address[i], plan->input_size[i], error);
        if (status == SAM_OK)
            status = write_tensor(hart, address[i], inputs[i], plan->input_size[i], error);
    }
    if (status == SAM_OK && plan->output_size)
        status = sam_hart_map(hart, output, plan->output_size, error);
    if (status == SAM_OK && plan->scratch)
        status = sam_hart_map(hart, sam_plan_scratch_at(plan, output), plan->scratch, error);
    return status;
}

static enum sam_status run_program(const struct sam_plan *plan, const struct sam_image *image,
                                   const struct sam_hart_options *options,
                                   const void *const *inputs, const uint64_t *address,
                                   uint64_t output_address, void *output,
                                   const struct sam_plan_options *wanted, struct sam_error *error)
{
    struct sam_hart *hart;
    struct sam_hart_result result;
    enum sam_status status = sam_hart_new(options, &hart, error);
    if (status != SAM_OK)
        return status;
    status = map_tensors(hart, plan, inputs, address, output_address, error);
    if (status == SAM_OK)
        status = sam_hart_load(hart, image, error);
    if (status == SAM_OK)
        status = sam_hart_run(hart, &result, error);
    if (status == SAM_OK && plan->output_size)
        status = sam_hart_read(hart, output_address, output, plan->output_size, error);
    if (status == SAM_OK && wanted->engines && wanted->report)
        sam_hart_engines(hart, wanted->report);
    if (status == SAM_OK && wanted->engines && wanted->energy)
        sam_hart_energy(hart, wanted->energy);
    sam_hart_free(hart);
    return status;
}

enum sam_status sam_plan_run(const struct sam_plan *plan, const void *const *inputs, void *output,
                             const struct sam_plan_options *given, struct sam_error *error)
{
    if (SAM_LACKS(error, plan, inputs, output))
        return SAM_ERR_USAGE;
    for (unsigned i = 0; i < plan->inputs; i++)
        if (!inputs[i] && plan->input_size[i])
            return sam_fail(error, SAM_ERR_USAGE, "inputs[%u] is NULL", i);
    struct sam_plan_options wanted;
    enum sam_status status = sam_options_take(
        &wanted, sizeof wanted, offsetof(struct sam_plan_options, energy), given, error);
    if (status != SAM_OK)
        return status;
    struct sam_hart_options options = {.stop = wanted.stop, .engines = wanted.engines};
    uint64_t address[SAM_PLAN_INPUTS], at;
    struct sam_asm_options assembler = {.base = SAM_HART_CODE_BASE};
    struct sam_image *image = NULL;
    char *text = NULL, *messages = NULL;
    sam_plan_addresses(plan, address, &at);
    options.l1m[0] = INPUT_BASE;
    options.l1m[1] = at - INPUT_BASE;
    options.l0m[0] = at;
    options.l0m[1] = page_up(plan->output_size);
    if (plan->scratch) { /* both loaded and stored */
        options.l0m[1] = sam_plan_scratch_at(plan, at) + page_up(plan->scratch) - at;
        options.l1m[1] = at + options.l0m[1] - INPUT_BASE;
    }
    status = sam_isa_parse("rv64im_zicsr_xtensorload", &options.isa, error);
    assembler.isa = options.isa;
    if (status == SAM_OK)
        status = sam_plan_program(plan, address, at, &text, error);
    if (status == SAM_OK)
        status = sam_assemble(&assembler, "plan", text, strlen(text), &image, &messages, error);
    if (status == SAM_OK)
        status = run_program(plan, image, &options, inputs, address, at, output, &wanted, error);
    sam_text_free(text);
    sam_text_free(messages);
    sam_image_free(image);
    return status;
}
