/* SPDX-License-Identifier: Apache-2.0 */
#include "model.h"

#include <stdio.h>
#include <stdlib.h>

enum sam_status model_refuse(struct sam_error *error, enum sam_status status, const char *text)
{
    snprintf(error->text, sizeof error->text, "%s", text);
    error->status = status;
    return status;
}

enum sam_status model_pack(const void *file, size_t bytes, const struct sam_codec_options *options,
                           void **packed, size_t *size, struct sam_error *error)
{
    struct sam_weights weights = {0};
    size_t need;
    *packed = NULL;
    enum sam_status status = sam_weights_parse(SAM_WEIGHTS_SAFETENSORS, file, bytes, bytes, "model",
                                               &weights, &need, error);
    if (status == SAM_OK) {
        const size_t room = sam_pack_bound(&weights);
        *packed = malloc(room);
        status = *packed ? sam_pack(&weights, file, options, *packed, room, size, error)
                         : model_refuse(error, SAM_ERR_MEMORY, "out of memory");
    }
    sam_weights_free(&weights);
    return status;
}

enum sam_status model_check_races(struct sam_system *system, struct sam_error *error)
{
    size_t count;
    char *text;
    sam_system_races(system, &count, NULL);
    if (count == 0)
        return SAM_OK;
    const enum sam_status status = sam_system_print_races(system, 3, &text, error);
    if (status != SAM_OK)
        return status;
    model_refuse(error, SAM_ERR_TRAP, text);
    sam_text_free(text);
    return SAM_ERR_TRAP;
}
