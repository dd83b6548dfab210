/* SPDX-License-Identifier: Apache-2.0 */
/* `samite run --weights`: packed weights for a program of --machine system, and failures of the
 * weight unit. */
#include <stdlib.h>

#include "machine/machine.h"
#include "samite/device/layout.h"

#define MAX_WEIGHTS (UINT64_C(1) << 31) /* bytes of a packed file; memory for it is smaller */

int system_parse_weights(struct cli_args *args, const struct cli_option *option, const char *text,
                         void *place)
{
    struct system_weights *weights = place;
    char *file = cli_own_text(args, text), *at = file ? strrchr(file, '@') : NULL;
    if (!file)
        return cli_no_memory();
    if (!*file || at == file)
        return cli_usage_error(args, "--%s %s: expected FILE.smw or FILE.smw@ADDRESS", option->name,
                               text);
    /* Text after '@' that is not a number is part of the file name. */
    if (at && sam_parse_u64(at + 1, &weights->address)) {
        if (weights->address == 0)
            return cli_usage_error(args, "--%s %s: address 0: expected one from 0x%08x on",
                                   option->name, text, SAM_SYSTEM_BUFFERS);
        *at = '\0';
    }
    weights->file = file;
    return CLI_OK;
}

/* Whether --reg or --arg set a1. */
static bool sets_a1(const struct hart_request *request, const struct run_arguments *arguments)
{
    enum { A1 = 11 };
    for (size_t i = 0; i < request->registers.count; i++)
        if (request->registers.items[i].number == A1)
            return true;
    return arguments->registers > 1;
}

int system_load_weights(struct sam_system *system, const struct hart_request *request,
                        const struct run_arguments *arguments)
{
    const struct system_weights *weights = &request->system->weights;
    struct sam_hart *hart = sam_system_hart(system);
    const uint64_t a1 = sam_hart_x(hart, 11);
    struct sam_error error;
    char *data = NULL;
    size_t size;
    if (!weights->file)
        return CLI_OK;
    int code = cli_load(weights->file, MAX_WEIGHTS, &data, &size);
    if (code == CLI_OK &&
        sam_system_load_weights(system, data, size, weights->address, &error) != SAM_OK)
        code = cli_error("%s: %s", weights->file, error.text);
    if (sets_a1(request, arguments))
        sam_hart_set_x(hart, 11, a1);
    free(data);
    return code;
}

void system_note_weight(void *context, const struct sam_system_weight *weight)
{
    enum { MOST = 10 };
    struct run *run = context;
    if (!weight->status || run->tensor->failed_weights++ >= MOST)
        return;
    cli_progress_clear(&run->progress);
    cli_note("weight record %llu at 0x%08x: %s (status %u)%s", (unsigned long long)weight->number,
             weight->record, weight->fault, weight->status,
             run->tensor->failed_weights == MOST ? "; further ones are not shown" : "");
}
